//! What the accepted texts together say of one call (POL-3 to POL-8, PERM-1 to PERM-5, TAINT-1). Strictest first: a deny
//! beats an ask, an ask beats an allow, whichever text each stands in; an allow is only named where nothing else has a
//! say and everything that an allow needs is there.

mod allow;
mod cover;
mod index;
mod says;

pub(super) use self::allow::reaches;
pub use self::{
    allow::Barrier,
    says::{How, Say, says},
};
use self::{
    cover::{Seen, covering, shadowing},
    index::Index,
};
use super::{
    Asked, Effect, LineRef, Origin, Verdict,
    line::{Line, Policy},
    permission::{self, DEFAULTS, LOOP, LOOP_LINE, Permissions, Rule},
    place, text_hash,
};
use countersign_proto::id::Hash;

/// An accepted text, ready to be compared with calls.
#[derive(Debug, Clone)]
pub struct InForce {
    origin: Origin,
    hash: Hash,
    text: Text,
}

#[derive(Debug, Clone)]
enum Text {
    Lines { policy: Box<Policy>, index: Index },
    Permissions { file: Box<Permissions>, folder: Option<String> },
}

impl InForce {
    /// A line policy; `text` is the whole text it was parsed from, by whose hash its lines are named.
    #[must_use]
    pub fn lines(origin: Origin, text: &str, policy: Policy) -> Self {
        let index = Index::of(&policy.lines);
        Self { origin, hash: text_hash(text), text: Text::Lines { policy: Box::new(policy), index } }
    }

    /// A permission file; `folder` is the project it was accepted for, `None` for everywhere.
    #[must_use]
    pub fn permissions(origin: Origin, text: &str, file: Permissions, folder: Option<&str>) -> Self {
        let folder = folder.map(|folder| place::plain(folder).unwrap_or_else(|| folder.to_owned()));
        Self { origin, hash: text_hash(text), text: Text::Permissions { file: Box::new(file), folder } }
    }

    /// Where it comes from.
    #[must_use]
    pub const fn origin(&self) -> Origin {
        self.origin
    }

    /// Hash of its text.
    #[must_use]
    pub const fn hash(&self) -> Hash {
        self.hash
    }

    fn rule_ref(&self, rule: &Rule) -> LineRef {
        LineRef { origin: self.origin, text_hash: self.hash, number: rule.number(), text: rule.to_string() }
    }

    fn line_ref(&self, line: &Line) -> LineRef {
        LineRef { origin: self.origin, text_hash: self.hash, number: line.number, text: line.to_string() }
    }
}

/// What the texts say of a call.
#[must_use]
pub fn verdict(asked: &Asked<'_>, texts: &[InForce]) -> Verdict {
    let seen = Seen::of(asked);
    let mut verdict = Verdict::default();
    let mut is_asked = false;
    for text in texts {
        match &text.text {
            Text::Lines { policy, index } => lines(&seen, text, policy, index, &mut verdict),
            Text::Permissions { file, folder } => {
                is_asked |= permissions(asked, text, file, folder.as_deref(), &mut verdict);
            }
        }
    }
    if asked.session.repeats >= LOOP {
        loops(asked, texts, &mut verdict);
    }
    let is_open = !is_asked
        && verdict.deny.is_none()
        && verdict.ask.is_none()
        && verdict.soft_ask.is_none()
        && verdict.shadow.is_none();
    if !is_open {
        verdict.allow = None;
    }
    verdict
}

/// Puts a line into its place, unless a line of higher standing is there: managed before the person's.
fn put(place: &mut Option<LineRef>, origin: Origin, line: impl FnOnce() -> LineRef) {
    if place.as_ref().is_none_or(|there| origin < there.origin) {
        *place = Some(line());
    }
}

fn lines(seen: &Seen<'_>, text: &InForce, policy: &Policy, index: &Index, verdict: &mut Verdict) {
    if !policy.is_for(seen.asked.agent) || !holds(policy, seen.asked) {
        return;
    }
    for line in covering(seen, &policy.lines, index) {
        match line.effect {
            Effect::Deny => put(&mut verdict.deny, text.origin, || text.line_ref(line)),
            Effect::Ask => put(&mut verdict.ask, text.origin, || text.line_ref(line)),
            Effect::Allow => {}
        }
    }
    if let Some(line) = shadowing(seen, &policy.lines, index) {
        put(&mut verdict.shadow, text.origin, || text.line_ref(line));
    }
    // A managed text narrows only: nobody but the person opens a door (WHO-1).
    if text.origin != Origin::Managed
        && let Some(line) = allow::allowing(seen, policy, index)
    {
        put(&mut verdict.allow, text.origin, || text.line_ref(line));
    }
}

/// What a permission file adds. Says whether its catch-all asks, which keeps allows of other texts away and nothing else.
fn permissions(
    asked: &Asked<'_>,
    text: &InForce,
    file: &Permissions,
    folder: Option<&str>,
    verdict: &mut Verdict,
) -> bool {
    if !stands_in(folder, asked) {
        return false;
    }
    let opinion = permission::opinion(file, asked);
    if let Some(rule) = opinion.deny {
        put(&mut verdict.deny, text.origin, || text.rule_ref(rule));
    }
    if let Some(rule) = opinion.ask {
        put(&mut verdict.soft_ask, text.origin, || text.rule_ref(rule));
    }
    let started_here = match (folder, asked.session.start_folder.and_then(place::plain)) {
        (None, _) => true,
        (Some(folder), Some(start)) => place::is_within(&start, folder),
        (Some(_), None) => false,
    };
    if text.origin != Origin::Managed
        && started_here
        && let Some(rule) = opinion.allow
        && permission::file_reaches(asked).is_ok()
    {
        put(&mut verdict.allow, text.origin, || text.rule_ref(rule));
    }
    opinion.bare_ask.is_some()
}

/// Whether a permission file that was accepted for a folder holds for a call.
fn stands_in(folder: Option<&str>, asked: &Asked<'_>) -> bool {
    let Some(folder) = folder else { return true };
    let places = [Some(asked.folder), asked.session.start_folder];
    places.into_iter().flatten().filter_map(place::plain).any(|place| place::is_within(&place, folder))
}

/// The third identical call in a row: asked about, unless the person's files say otherwise and no managed one does.
fn loops(asked: &Asked<'_>, texts: &[InForce], verdict: &mut Verdict) {
    let mut is_allowed = false;
    for text in texts {
        let Text::Permissions { file, folder } = &text.text else { continue };
        if !stands_in(folder.as_deref(), asked) {
            continue;
        }
        let Some(rule) = permission::loops(file, asked.profile) else { continue };
        match rule.effect() {
            Effect::Deny => put(&mut verdict.deny, text.origin, || text.rule_ref(rule)),
            Effect::Ask => put(&mut verdict.ask, text.origin, || text.rule_ref(rule)),
            Effect::Allow => is_allowed |= text.origin != Origin::Managed,
        }
    }
    if !is_allowed {
        let (number, words) = LOOP_LINE;
        put(&mut verdict.ask, Origin::Default, || LineRef {
            origin: Origin::Default,
            text_hash: text_hash(DEFAULTS),
            number,
            text: words.to_owned(),
        });
    }
}

/// Whether a policy's deny and ask lines hold for a call: where its session started, or where it stands now.
fn holds(policy: &Policy, asked: &Asked<'_>) -> bool {
    policy.holds_in(asked.folder) || asked.session.start_folder.is_some_and(|folder| policy.holds_in(folder))
}

#[cfg(test)]
mod tests;
