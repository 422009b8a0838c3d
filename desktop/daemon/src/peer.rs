//! Who is at the other end of a local socket, and whether it is an agent or anything an agent started (REF-4).
//! What can't be told is never taken for a person.

mod lineage;
mod proc;
mod process;
mod trees;

use countersign_ipc::account;
use tokio::net::UnixStream;

pub use lineage::{Lineage, Unclear};
pub use proc::Proc;
pub use process::{Process, ProcessId, Processes};
pub use trees::{AgentTrees, Caller, WhichAgent};

/// The process that connected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peer {
    /// Its number when it connected; 0 where it has none here.
    pub pid: u32,
    /// It and its ancestors, unless it was gone or changing while we looked. A hook that only tells is often gone.
    pub lineage: Result<Lineage, Unclear>,
}

/// A peer that is not served at all.
#[derive(Debug, thiserror::Error)]
pub enum NotServed {
    /// The kernel didn't say who it is.
    #[error("the peer's credentials can't be read: {0}")]
    Nameless(#[from] std::io::Error),
    /// Another user's process.
    #[error("a process of user id {0} tried to talk to this daemon")]
    OtherUser(u32),
}

impl Peer {
    /// Looks at who connected; to be called right after accepting, before the peer had time to leave.
    ///
    /// # Errors
    /// [`NotServed`]: close the connection without a word.
    pub fn of(connection: &UnixStream, processes: &dyn Processes) -> Result<Self, NotServed> {
        let credentials = connection.peer_cred()?;
        if credentials.uid() != account::uid() {
            return Err(NotServed::OtherUser(credentials.uid()));
        }
        // A process outside our own process namespace has no number here, and so no lineage either.
        let pid = credentials.pid().map_or(0, i32::unsigned_abs);
        Ok(Self { pid, lineage: Lineage::of(pid, processes) })
    }
}

#[cfg(test)]
mod tests;
