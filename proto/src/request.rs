//! The request of protocol.md §7.1: one waiting tool call with everything a person needs to decide it. Its bytes are
//! made once, are the same for every phone, and their hash is the binding that a desktop click carries.

mod texts;

use minicbor::{Decode, Encode};

use crate::{
    canonical, domain,
    id::{Hash, RequestId},
    limits,
    refusal::Refusal,
    reply::Replies,
    text::Foreign,
};

/// What kind of answer a request wants. 5 (task) is reserved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Encode, Decode)]
#[cbor(index_only)]
pub enum Kind {
    /// A tool call.
    #[n(1)]
    Tool,
    /// A question of the agent's.
    #[n(2)]
    Question,
    /// An act on the desktop itself.
    #[n(3)]
    ServiceAction,
    /// One retry of a missed request.
    #[n(4)]
    Grant,
}

/// What an action would do (REQ-2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Encode, Decode)]
#[cbor(index_only)]
pub enum Class {
    /// Reads inside the project.
    #[n(1)]
    Read,
    /// Reads from the network.
    #[n(2)]
    ReadExternal,
    /// Changes files.
    #[n(3)]
    Write,
    /// Acts on the outside.
    #[n(4)]
    External,
    /// Pays, buys, orders or subscribes.
    #[n(5)]
    Spend,
    /// Can't be undone.
    #[n(6)]
    Destructive,
    /// Touches Countersign or an agent's settings.
    #[n(7)]
    Guard,
    /// Nobody foresaw it (REQ-3).
    #[n(8)]
    Unknown,
}

impl Class {
    /// The glossary's word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::ReadExternal => "read-external",
            Self::Write => "write",
            Self::External => "external",
            Self::Spend => "spend",
            Self::Destructive => "destructive",
            Self::Guard => "guard",
            Self::Unknown => "unknown",
        }
    }
}

/// How loud a card is, and whether it may be remembered (LVL).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Encode, Decode)]
#[cbor(index_only)]
pub enum Level {
    /// Passes by an accepted built-in policy.
    #[n(1)]
    Green,
    /// Waits, and may become *Always*.
    #[n(2)]
    Yellow,
    /// Waits, and can never become *Always*.
    #[n(3)]
    Red,
}

impl Level {
    /// The glossary's word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Green => "green",
            Self::Yellow => "yellow",
            Self::Red => "red",
        }
    }
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Agent {
    /// The adapter's id of the agent: `claude`.
    #[n(0)]
    pub id: Foreign,
    /// The agent's version as far as it is known; empty where it isn't.
    #[n(1)]
    pub version: Foreign,
    /// Version of our adapter.
    #[n(2)]
    pub adapter: u32,
}

/// The agent's session.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Session {
    /// The agent's own id of it.
    #[n(0)]
    pub id: Foreign,
    /// A short title to tell sessions apart.
    #[n(1)]
    pub title: Foreign,
}

/// A subagent and the session it belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Subagent {
    /// The agent's own id of it.
    #[n(0)]
    pub id: Foreign,
    /// Its type, as the agent names it.
    #[n(1)]
    pub kind: Foreign,
    /// Session that started it.
    #[n(2)]
    pub parent: Foreign,
}

/// Where the daemon runs.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Place {
    /// Host name.
    #[n(0)]
    pub host: Foreign,
    /// OS user.
    #[n(1)]
    pub user: Foreign,
}

/// What the core made of the action.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Judgement {
    /// Its class.
    #[n(0)]
    pub class: Class,
    /// Its level.
    #[n(1)]
    pub level: Level,
    /// Why, in words for the card.
    #[n(2)]
    pub reasons: Vec<Foreign>,
    /// The plain headline, made by us, never from the agent's text (REQ-2).
    #[n(3)]
    pub headline: Foreign,
}

/// Why there is a card: the step of ORD-1 and its words.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Why {
    /// Step of ORD-1, 1 to 9.
    #[n(0)]
    pub step: u8,
    /// The reason shown (ORD-2).
    #[n(1)]
    pub text: Foreign,
    /// The line or rule that made it, where one did.
    #[n(2)]
    pub line: Option<Foreign>,
}

/// An *Always* that is on offer.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Always {
    /// `session` or `project`.
    #[n(0)]
    pub scope: Foreign,
    /// The whole text that will be matched.
    #[n(1)]
    pub text: Foreign,
}

/// A program or file that the answer depends on (REQ-5, REQ-6).
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Dependency {
    /// Its path.
    #[n(0)]
    pub path: Foreign,
    /// Hash of its content under [`domain::FILE`]; absent where there is no such file.
    #[n(1)]
    pub hash: Option<Hash>,
}

/// One part of what Allow would allow, whole.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub enum Block {
    /// A command line or script.
    #[n(1)]
    Command(#[n(0)] Foreign),
    /// A change of a file.
    #[n(2)]
    Diff(#[n(0)] Diff),
    /// A file that is named.
    #[n(3)]
    File(#[n(0)] Foreign),
    /// An address that is named.
    #[n(4)]
    Url(#[n(0)] Foreign),
    /// A named argument or other text.
    #[n(5)]
    Text(#[n(0)] Labelled),
    /// A question with its options.
    #[n(6)]
    Question(#[n(0)] Question),
}

/// A change of one file, every line of it.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Diff {
    /// The file.
    #[n(0)]
    pub path: Foreign,
    /// Whether the file is new.
    #[n(1)]
    pub is_new: bool,
    /// Lines added.
    #[n(2)]
    pub added: u32,
    /// Lines removed.
    #[n(3)]
    pub removed: u32,
    /// Lines with `+`, `-`, ` ` or `@` in front.
    #[n(4)]
    pub lines: Foreign,
}

/// A text with a label of ours.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Labelled {
    /// The label.
    #[n(0)]
    pub label: Foreign,
    /// The text.
    #[n(1)]
    pub text: Foreign,
}

/// A question of the agent's.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Question {
    /// Its tag.
    #[n(0)]
    pub tag: Foreign,
    /// Its text.
    #[n(1)]
    pub text: Foreign,
    /// Its options.
    #[n(2)]
    #[cbor(decode_with = "canonical::at_most::<{ limits::OPTIONS }, _, _>")]
    pub options: Vec<Foreign>,
    /// Whether several may be chosen.
    #[n(3)]
    pub many: bool,
}

/// One waiting tool call, complete (REQ-1). Field numbers are those of protocol.md §7.1.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Request {
    /// Version of this object, [`Request::VERSION`].
    #[n(0)]
    pub v: u32,
    /// Its id.
    #[n(1)]
    pub id: RequestId,
    /// What kind of answer it wants.
    #[n(2)]
    pub kind: Kind,
    /// Who asks.
    #[n(3)]
    pub agent: Agent,
    /// In which session.
    #[n(4)]
    pub session: Session,
    /// Current folder: absolute, raw bytes.
    #[n(5)]
    #[cbor(with = "minicbor::bytes")]
    pub folder: Vec<u8>,
    /// The tool's name.
    #[n(6)]
    pub tool: Foreign,
    /// [`domain::RAW`] hash of the tool input exactly as the hook got it.
    #[n(7)]
    pub raw: Hash,
    /// Version of the function that made `view`.
    #[n(8)]
    pub view_version: u32,
    /// What Allow would allow, block by block, each whole.
    #[n(9)]
    #[cbor(decode_with = "canonical::at_most::<{ limits::VIEW_BLOCKS }, _, _>")]
    pub view: Vec<Block>,
    /// Class, level, reasons and headline.
    #[n(10)]
    pub judgement: Judgement,
    /// Why there is a card.
    #[n(11)]
    pub why: Why,
    /// Whether this session read outside content (TAINT-1).
    #[n(12)]
    pub taint: bool,
    /// Host and user.
    #[n(13)]
    pub place: Place,
    /// Wall time of arrival in ms since 1970, to show, never to decide.
    #[n(14)]
    pub wall_ms: u64,
    /// Time from arrival to the deadline, in ms.
    #[n(15)]
    pub ttl_ms: u64,
    /// *Always* scopes on offer.
    #[n(16)]
    pub always: Vec<Always>,
    /// Replies that are possible.
    #[n(17)]
    pub replies: Replies,
    /// The subagent that asks, if one does.
    #[n(18)]
    pub subagent: Option<Subagent>,
    /// The agent's permission mode.
    #[n(19)]
    pub mode: Foreign,
    /// Folder in which Countersign saw the session start; absent where it did not see it.
    #[n(20)]
    #[cbor(with = "minicbor::bytes")]
    pub start_folder: Option<Vec<u8>>,
    /// The agent's own words, unverified.
    #[n(21)]
    pub words: Foreign,
    /// Whether the adapter saw folder and every argument.
    #[n(22)]
    pub whole: bool,
    /// Programs, scripts and base files the answer depends on.
    #[n(23)]
    pub depends: Vec<Dependency>,
}

impl Request {
    /// The version this code makes and reads.
    pub const VERSION: u32 = 1;

    /// Reads a request from its canonical bytes and checks its limits.
    ///
    /// # Errors
    /// [`Refusal::TooBig`], [`Refusal::Malformed`] (also for another version and for more blocks,
    /// questions or options than [`limits`] has), [`Refusal::NotCanonical`].
    pub fn decode(bytes: &[u8]) -> Result<Self, Refusal> {
        let request: Self = canonical::decode(bytes, limits::MESSAGE)?;
        let questions = request.view.iter().filter(|block| matches!(block, Block::Question(_))).count();
        if request.v != Self::VERSION || questions > limits::QUESTIONS {
            return Err(Refusal::Malformed);
        }
        Ok(request)
    }

    /// The canonical bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        canonical::encode(self)
    }

    /// The binding of request bytes: what a desktop click carries.
    #[must_use]
    pub fn binding(bytes: &[u8]) -> Hash {
        domain::hash(domain::REQUEST, &[bytes])
    }
}
