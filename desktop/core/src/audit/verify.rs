//! Verification of a log: chain, numbers and checkpoints. Pure; the shell streams entries and checkpoints in.

use countersign_proto::{canonical, checkpoint::SignedCheckpoint, id::Hash, key::VerifyingKey, limits};

use super::{Entry, Head, hash};

/// What is wrong with a log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// An entry's bytes can't be read.
    #[error("entry {seq} can't be read")]
    Unreadable {
        /// Its place in the log.
        seq: u64,
    },
    /// An entry's own number is not its place.
    #[error("an entry is missing: found {0}")]
    Missing(Gap),
    /// An entry is not linked to the one before.
    #[error("entry {seq} is not linked to the one before: it or an earlier one was changed")]
    Unlinked {
        /// Its number.
        seq: u64,
    },
    /// A stored hash is not the entry's.
    #[error("the stored hash of entry {seq} is not its own")]
    WrongHash {
        /// Its number.
        seq: u64,
    },
    /// A checkpoint's signature does not verify.
    #[error("the checkpoint at entry {seq} is not signed by this desktop")]
    ForgedCheckpoint {
        /// The entry it claims to stand at.
        seq: u64,
    },
    /// A checkpoint names another hash than the entry has, or stands beyond the log's end.
    #[error("the log does not hold what the checkpoint at entry {seq} saw: it was cut or rewritten")]
    Contradicted {
        /// The entry it stands at.
        seq: u64,
    },
}

/// Two numbers that do not follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// What should stand there.
    pub expected: u64,
    /// What does.
    pub found: u64,
}

impl core::fmt::Display for Gap {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} for {}", self.found, self.expected)
    }
}

/// Walks a log from its first entry.
#[derive(Debug)]
pub struct Verifier {
    head: Head,
    witnesses: Vec<(u64, Hash)>,
}

impl Verifier {
    /// Starts before the first entry of a log.
    #[must_use]
    pub const fn new(empty: Head) -> Self {
        Self { head: empty, witnesses: Vec::new() }
    }

    /// Remembers what a checkpoint (or a head that a phone holds) saw; looked at when its entry comes by.
    ///
    /// # Errors
    /// [`Flaw::ForgedCheckpoint`].
    pub fn witness(
        &mut self,
        seq: u64,
        signed: &SignedCheckpoint,
        desktop: &VerifyingKey,
    ) -> Result<(), Flaw> {
        let checkpoint = signed.open(desktop).map_err(|_| Flaw::ForgedCheckpoint { seq })?;
        if checkpoint.seq != seq || checkpoint.log_id != self.head.log_id {
            return Err(Flaw::ForgedCheckpoint { seq });
        }
        self.witness_head(seq, checkpoint.head);
        Ok(())
    }

    /// Remembers a head from outside.
    pub fn witness_head(&mut self, seq: u64, head: Hash) {
        self.witnesses.push((seq, head));
    }

    /// Takes the next entry with the hash the store has of it.
    ///
    /// # Errors
    /// The first flaw found.
    pub fn entry(&mut self, bytes: &[u8], stored: Hash) -> Result<Entry, Flaw> {
        let expected = self.head.seq + 1;
        let entry: Entry =
            canonical::decode(bytes, limits::MESSAGE).map_err(|_| Flaw::Unreadable { seq: expected })?;
        if entry.seq != expected {
            return Err(Flaw::Missing(Gap { expected, found: entry.seq }));
        }
        if entry.prev != self.head.hash {
            return Err(Flaw::Unlinked { seq: expected });
        }
        let own = hash(bytes);
        if own != stored {
            return Err(Flaw::WrongHash { seq: expected });
        }
        if self.witnesses.iter().any(|(seq, head)| *seq == expected && *head != own) {
            return Err(Flaw::Contradicted { seq: expected });
        }
        self.head.seq = expected;
        self.head.hash = own;
        Ok(entry)
    }

    /// Ends the walk.
    ///
    /// # Errors
    /// [`Flaw::Contradicted`] where a witness saw more than there is.
    pub fn finish(self) -> Result<Head, Flaw> {
        match self.witnesses.iter().map(|(seq, _)| *seq).find(|seq| *seq > self.head.seq) {
            Some(seq) => Err(Flaw::Contradicted { seq }),
            None => Ok(self.head),
        }
    }
}
