//! What the accepted texts together say of one call (POL-3 to POL-8, PERM-1 to PERM-5, TAINT-1). Strictest first: a deny
//! beats an ask, an ask beats an allow, whichever text each stands in; an allow is only named where nothing else has a
//! say and everything that an allow needs is there.

mod allow;
mod cover;
mod index;

pub use self::allow::Barrier;
pub(super) use self::{allow::reaches, cover::Seen};
use self::{
    cover::{covering, shadowing},
    index::Index,
};
use super::{
    Asked, Effect, LineRef, Origin, Verdict,
    line::{Line, Policy},
    text_hash,
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
    Lines { policy: Policy, index: Index },
}

impl InForce {
    /// A line policy; `text` is the whole text it was parsed from, by whose hash its lines are named.
    #[must_use]
    pub fn lines(origin: Origin, text: &str, policy: Policy) -> Self {
        let index = Index::of(&policy.lines);
        Self { origin, hash: text_hash(text), text: Text::Lines { policy, index } }
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

    fn line_ref(&self, line: &Line) -> LineRef {
        LineRef { origin: self.origin, text_hash: self.hash, number: line.number, text: line.to_string() }
    }
}

/// What the texts say of a call.
#[must_use]
pub fn verdict(asked: &Asked<'_>, texts: &[InForce]) -> Verdict {
    let seen = Seen::of(asked);
    let mut verdict = Verdict::default();
    for text in texts {
        match &text.text {
            Text::Lines { policy, index } => lines(&seen, text, policy, index, &mut verdict),
        }
    }
    let is_open = verdict.deny.is_none()
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

/// Whether a policy's deny and ask lines hold for a call: where its session started, or where it stands now.
fn holds(policy: &Policy, asked: &Asked<'_>) -> bool {
    policy.holds_in(asked.folder) || asked.session.start_folder.is_some_and(|folder| policy.holds_in(folder))
}

#[cfg(test)]
mod tests;
