//! What an agent's hook was told, as far as it concerns Countersign.

use countersign_core::draft::{Observed, SessionKey};

use crate::call::Call;

/// One run of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The agent waits for an answer to a tool call.
    Ask(Box<Call>),
    /// The agent is about to make a tool call, and waits a moment for *deny* or *ask* (REQ-4).
    Before(Box<Call>),
    /// The agent tells what it did.
    Observed {
        /// Whose.
        session: SessionKey,
        /// What.
        what: Observed,
    },
    /// Nothing to answer and nothing to note: the hook is told nothing, at once.
    Ignored(Ignored),
}

/// Why a hook is told nothing at once. The words are ours alone, so that they may be logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Ignored {
    /// Not JSON, or not the JSON of an event.
    #[error("the hook's input is not an event of this agent")]
    Malformed,
    /// A member is there twice.
    #[error("the hook's input names something twice")]
    Twice,
    /// The event of another agent.
    #[error("the hook's input was written by another agent")]
    OtherAgent,
    /// An event this adapter doesn't know (AG-4).
    #[error("the event is of a kind this adapter does not know")]
    UnknownEvent,
    /// An event that means nothing here.
    #[error("the event needs no answer")]
    NoConcern,
    /// A tool that is answered in the agent's terminal.
    #[error("this is answered in the agent's terminal")]
    Terminal,
    /// A tool input beyond [`countersign_proto::limits::RAW`].
    #[error("the tool input is larger than Countersign keeps")]
    TooBig,
}
