//! Permission files (PERM): JSON whose keys name tools and whose values say allow, ask or deny, for all they do or by
//! pattern. Within one file the last rule that matches wins, so the order of keys is kept; a key that stands twice is an
//! error.

mod defaults;
mod json;
mod opinion;
mod parse;
mod subject;
mod wildcard;

use self::wildcard::Wildcard;
pub use self::{
    defaults::DEFAULTS,
    parse::{parse, parse_value},
};
pub(super) use self::{
    defaults::{LOOP, LOOP_LINE, loops},
    opinion::{file_reaches, opinion},
};
use super::Effect;

/// A permission file, parsed.
#[derive(Debug, Clone, Default)]
pub struct Permissions {
    rules: Vec<Rule>,
    profiles: Vec<(String, Vec<Rule>)>,
    /// What may be read elsewhere: the least weighty rules.
    references: Vec<Rule>,
}

/// One rule of a permission file.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Its line, from 1.
    number: u32,
    key: Wildcard,
    /// What of it; absent where the rule is about all.
    subject: Option<Wildcard>,
    effect: Effect,
}

impl Permissions {
    /// Puts the rules of an agent's own profile behind its global ones (PERM-4): another value of `permission`.
    #[must_use]
    pub fn with_profile(mut self, name: &str, own: Self) -> Self {
        self.profiles.push((name.to_owned(), own.rules));
        self
    }

    /// How many rules it has, those of profiles too.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rules.len()
            + self.references.len()
            + self.profiles.iter().map(|(_, rules)| rules.len()).sum::<usize>()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every rule, with the profile it is for.
    pub fn rules(&self) -> impl Iterator<Item = (Option<&str>, &Rule)> {
        let own = self
            .profiles
            .iter()
            .flat_map(|(name, rules)| rules.iter().map(move |rule| (Some(name.as_str()), rule)));
        self.references.iter().chain(&self.rules).map(|rule| (None, rule)).chain(own)
    }

    /// The rules for a call of this profile, the weightiest first: the last of the file, then upwards.
    fn last_first<'a, 'n>(
        &'a self,
        profile: Option<&'n str>,
    ) -> impl Iterator<Item = &'a Rule> + use<'a, 'n> {
        let own = self.profiles.iter().filter(move |(name, _)| Some(name.as_str()) == profile);
        own.rev()
            .flat_map(|(_, rules)| rules.iter().rev())
            .chain(self.rules.iter().rev())
            .chain(&self.references)
    }
}

impl Rule {
    /// Its line in the file, from 1.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// What it says.
    #[must_use]
    pub const fn effect(&self) -> Effect {
        self.effect
    }

    /// The tools it is about, as written.
    #[must_use]
    pub fn key(&self) -> &str {
        self.key.as_str()
    }

    /// Whether it is the catch-all `"*"` for every tool.
    const fn is_for_every_tool(&self) -> bool {
        self.key.is_everything()
    }

    /// Whether it is about all that a tool does.
    fn is_about_all(&self) -> bool {
        self.subject.as_ref().is_none_or(Wildcard::is_everything)
    }

    fn is_about(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.key.matches(name))
    }
}

impl core::fmt::Display for Rule {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match &self.subject {
            Some(subject) => {
                write!(f, "{}: \"{}\" = {}", self.key.as_str(), subject.as_str(), self.effect.name())
            }
            None => write!(f, "{} = {}", self.key.as_str(), self.effect.name()),
        }
    }
}

#[cfg(test)]
mod tests;
