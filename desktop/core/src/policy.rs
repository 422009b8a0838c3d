//! What a person wrote down once and accepted: line policies (POL), permission files (PERM) and the two built-in green
//! policies (LVL-1). Pure text in, verdict out; whether a verdict may answer is [`crate::order`]'s table.

pub mod builtin;
pub mod consent;
pub mod diff;
pub mod eval;
pub mod evaluate;
pub mod explain;
pub mod line;
pub mod managed;
pub mod names;
pub mod parse;
pub mod permission;
mod place;
pub mod replay;
#[cfg(test)]
mod sample;
pub mod trouble;

use countersign_proto::{domain, id::Hash};

pub use self::{
    consent::{Consent, ConsentState, TextKind, Unacceptable},
    evaluate::{InForce, verdict},
    managed::{ManagedFile, ManagedText},
};
use crate::classify::{Action, Facts};

/// What a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Answer yes.
    Allow,
    /// Show a card.
    Ask,
    /// Answer no.
    Deny,
}

/// Names a consent: the record that a person accepted one exact text (POL-2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConsentId(pub [u8; 16]);

/// Where a text comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// `/etc/countersign/managed.*`: root's, not the person's to change (PERM-5).
    Managed,
    /// The person accepted it.
    Person(ConsentId),
    /// The defaults of permission files (PERM-3).
    Default,
}

/// The hash that names a text: of exactly these bytes.
#[must_use]
pub fn text_hash(text: &str) -> Hash {
    domain::hash(domain::POLICY, &[text.as_bytes()])
}

/// One line that had a say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineRef {
    /// Whose text it stands in.
    pub origin: Origin,
    /// Hash of that whole text.
    pub text_hash: Hash,
    /// Its line there, from 1.
    pub number: u32,
    /// The line itself: `deny command git push`, or for a permission file `bash: "git *" = allow`.
    pub text: String,
}

/// What every accepted text together says of one call. Each field is the line that says so; managed ones win.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verdict {
    /// A deny line covers it.
    pub deny: Option<LineRef>,
    /// An ask line of a line policy covers it (step 5).
    pub ask: Option<LineRef>,
    /// An explicit `ask` of a permission file, which yields to a grant, green reads and an *Always* (PERM-1).
    pub soft_ask: Option<LineRef>,
    /// It holds the first two words of a deny or ask line somewhere, so that no line or rule may allow it (POL-3).
    pub shadow: Option<LineRef>,
    /// An allow line covers it, with everything that POL-4 to POL-8 and PERM-4 want of it.
    pub allow: Option<LineRef>,
}

/// How a session stands, as far as lines care (POL-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionView<'a> {
    /// The folder in which Countersign saw it start; `None` where it did not see it start.
    pub start_folder: Option<&'a str>,
    /// Whether the agent left that folder since.
    pub moved: bool,
    /// Whether it read outside content (TAINT-1).
    pub is_tainted: bool,
    /// How often in a row exactly this call was made, this time included (`doom_loop`).
    pub repeats: u32,
}

/// A call, as lines are compared with it.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The adapter's id of the agent.
    pub agent: &'a str,
    /// The agent's own profile name, where it has one (PERM-4).
    pub profile: Option<&'a str>,
    /// The tool's name, as sent.
    pub tool: &'a str,
    /// What it asks for.
    pub action: &'a Action,
    /// What it would do.
    pub facts: &'a Facts,
    /// Current folder.
    pub folder: &'a str,
    /// The user's home folder.
    pub home: &'a str,
    /// Whether the adapter knows the call to be whole.
    pub is_whole: bool,
    /// Whether this agent's requests may be answered by allow lines (POL-8).
    pub takes_allow_lines: bool,
    /// Its session.
    pub session: SessionView<'a>,
}
