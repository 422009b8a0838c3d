//! What one part of a call does; the worst of all parts holds for the call (LVL-4).

use countersign_proto::{
    request::{Class, Level},
    text::Shown,
};

use super::facts::{Reach, Refused};

/// Reasons that a card shows.
const MOST_REASONS: usize = 12;

/// What one part does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) class: Class,
    pub(crate) level: Level,
    pub(crate) reach: Reach,
    /// Whether *Always* may be offered, so far as this part goes.
    pub(crate) may_remember: bool,
    pub(crate) refused: Option<Refused>,
    /// Whether content from outside comes in (TAINT-1).
    pub(crate) brings_in: bool,
    pub(crate) hosts: Vec<String>,
    /// Files in the project that decide what runs (REQ-6), as written, relative to the command's folder.
    pub(crate) drivers: Vec<String>,
    /// Why, for the card.
    pub(crate) reasons: Vec<Shown>,
    /// "Wants to …", where this part has better words than its program's name.
    pub(crate) headline: Option<Shown>,
}

impl Finding {
    /// A finding with this class, level and reach, and *Always* where the level lets it.
    pub(crate) fn of(class: Class, level: Level, reach: Reach) -> Self {
        let is_open = !matches!(class, Class::Destructive | Class::Spend | Class::Guard);
        Self {
            class,
            level,
            reach,
            may_remember: is_open && level != Level::Red,
            refused: None,
            brings_in: false,
            hosts: Vec::new(),
            drivers: Vec::new(),
            reasons: Vec::new(),
            headline: None,
        }
    }

    /// Adds a reason in our own words.
    pub(crate) fn because(mut self, words: &str) -> Self {
        self.reasons.push(Shown::line(words));
        self
    }

    /// Makes it the worse of itself and another: class by LVL-4's order, the louder level, the shorter reach.
    pub(crate) fn worsen(&mut self, other: Self) {
        if rank(other.class) > rank(self.class) {
            self.class = other.class;
            self.headline = other.headline.or(self.headline.take());
            // The worse part's reasons come first.
            let mine = core::mem::replace(&mut self.reasons, other.reasons);
            self.give_reasons(mine);
        } else {
            self.give_reasons(other.reasons);
        }
        self.level = self.level.max(other.level);
        self.reach = self.reach.min(other.reach);
        self.may_remember &= other.may_remember;
        self.refused = self.refused.take().or(other.refused);
        self.brings_in |= other.brings_in;
        self.hosts.extend(other.hosts);
        self.drivers.extend(other.drivers);
    }

    /// Adds reasons, each once, as long as a person would read on; many parts must not cost the square of their number.
    fn give_reasons(&mut self, more: Vec<Shown>) {
        for reason in more {
            if self.reasons.len() >= MOST_REASONS {
                return;
            }
            if !self.reasons.contains(&reason) {
                self.reasons.push(reason);
            }
        }
    }
}

/// LVL-4: destructive > spend > guard > external > unknown > write > read-external > read.
pub(crate) const fn rank(class: Class) -> u8 {
    match class {
        Class::Read => 0,
        Class::ReadExternal => 1,
        Class::Write => 2,
        Class::Unknown => 3,
        Class::External => 4,
        Class::Guard => 5,
        Class::Spend => 6,
        Class::Destructive => 7,
    }
}
