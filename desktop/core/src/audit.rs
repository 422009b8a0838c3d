//! The append-only, hash-chained audit log (AUD-1, protocol.md §10): entries, the chain that numbers and links them,
//! and their verification. Storing them is the shell's; making them is nobody else's.

mod entry;
mod verify;

#[cfg(test)]
mod tests;

use countersign_proto::{
    canonical,
    checkpoint::{Checkpoint, SignedCheckpoint},
    domain,
    id::{Hash, LogId, RunId},
    key::SigningKey,
};

pub use self::{
    entry::{Body, Entry, Event},
    verify::{Flaw, Gap, Verifier},
};
use crate::{clock::Now, command::EntryRow};

/// Entries between two checkpoints.
pub const CHECKPOINT_EVERY: u64 = 256;
/// Time between two checkpoints while something changes, in ms.
pub const CHECKPOINT_MS: u64 = 60 * 60 * 1000;

/// Where a log ends: the next entry is linked to this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The log.
    pub log_id: LogId,
    /// Number of the newest entry; 0 where there is none.
    pub seq: u64,
    /// Its hash; zeros where there is none.
    pub hash: Hash,
}

impl Head {
    /// The head of a log without entries.
    #[must_use]
    pub const fn empty(log_id: LogId) -> Self {
        Self { log_id, seq: 0, hash: Hash::new([0; 32]) }
    }

    /// The signed checkpoint of this head.
    #[must_use]
    pub fn checkpoint(&self, desktop: &SigningKey, now: Now) -> SignedCheckpoint {
        Checkpoint { log_id: self.log_id, seq: self.seq, head: self.hash, wall_ms: now.wall_ms }.sign(desktop)
    }

    /// Links the next entry and moves on to it.
    pub(crate) fn append(&mut self, run: RunId, now: Now, body: Body) -> EntryRow {
        let entry = Entry {
            seq: self.seq + 1,
            prev: self.hash,
            wall_ms: now.wall_ms,
            boot_ms: now.boot_ms,
            run_id: run,
            body,
        };
        let bytes = canonical::encode(&entry);
        self.seq = entry.seq;
        self.hash = hash(&bytes);
        EntryRow { seq: self.seq, hash: self.hash, bytes }
    }
}

/// The hash of an entry's bytes: `H("countersign/1/audit", entry)`.
#[must_use]
pub fn hash(entry: &[u8]) -> Hash {
    domain::hash(domain::AUDIT, &[entry])
}
