//! The phone as a witness of the desktop's audit log (protocol.md §10): it keeps the highest signed checkpoint and
//! speaks up when the log got shorter or was rewritten.

use countersign_proto::{
    canonical,
    checkpoint::{Checkpoint, SignedCheckpoint},
    key::VerifyingKey,
    limits,
    message::Head,
    refusal::Refusal,
};

/// What is wrong with the desktop's log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LogAlarm {
    /// It ends before an entry that this phone has seen signed.
    #[error("the desktop's log is shorter than it was: it had {had} entries and now has {has}")]
    Shorter {
        /// The entry this phone knows.
        had: u64,
        /// The newest entry now.
        has: u64,
    },
    /// An entry that this phone has seen signed is another one now.
    #[error("entry {seq} of the desktop's log is not the one this phone has seen")]
    Rewritten {
        /// The entry.
        seq: u64,
    },
    /// It is another log.
    #[error("the desktop began another log")]
    OtherLog,
}

/// The highest checkpoint of one desktop.
#[derive(Debug, Clone, Default)]
pub(crate) struct Witness {
    highest: Option<(Checkpoint, SignedCheckpoint)>,
    /// What was known when the live session began. In a session checkpoints may overtake each other, but none may fall
    /// below this.
    base: u64,
}

impl Witness {
    /// Reads the record, which must carry the desktop's signature.
    pub(crate) fn from_bytes(bytes: &[u8], desktop: &VerifyingKey) -> Result<Self, Refusal> {
        let signed: SignedCheckpoint = canonical::decode(bytes, limits::MESSAGE)?;
        let checkpoint = signed.open(desktop)?;
        Ok(Self { base: checkpoint.seq, highest: Some((checkpoint, signed)) })
    }

    /// The record's bytes, once there is something to keep.
    pub(crate) fn to_bytes(&self) -> Option<Vec<u8>> {
        self.highest.as_ref().map(|(_, signed)| canonical::encode(signed))
    }

    /// What `Hello` tells the desktop.
    pub(crate) fn head(&self) -> Option<Head> {
        self.highest.as_ref().map(|(checkpoint, _)| Head { seq: checkpoint.seq, hash: checkpoint.head })
    }

    /// A session begins.
    pub(crate) fn rebase(&mut self) {
        self.base = self.highest.as_ref().map_or(0, |(checkpoint, _)| checkpoint.seq);
    }

    /// Looks at a verified checkpoint. True where it is a higher one, now to be stored.
    pub(crate) fn look(
        &mut self,
        checkpoint: Checkpoint,
        signed: &SignedCheckpoint,
    ) -> Result<bool, LogAlarm> {
        if let Some((known, _)) = &self.highest {
            if checkpoint.log_id != known.log_id {
                return Err(LogAlarm::OtherLog);
            }
            if checkpoint.seq == known.seq && checkpoint.head != known.head {
                return Err(LogAlarm::Rewritten { seq: known.seq });
            }
            if checkpoint.seq < self.base {
                return Err(LogAlarm::Shorter { had: known.seq, has: checkpoint.seq });
            }
            if checkpoint.seq <= known.seq {
                return Ok(false);
            }
        }
        self.highest = Some((checkpoint, signed.clone()));
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use countersign_proto::{
        id::{Hash, LogId},
        key::SigningKey,
    };

    use super::*;

    fn desktop() -> SigningKey {
        SigningKey::from_seed(&[1; 32])
    }

    fn look(witness: &mut Witness, log: u8, seq: u64, head: u8) -> Result<bool, LogAlarm> {
        let checkpoint =
            Checkpoint { log_id: LogId::new([log; 16]), seq, head: Hash::new([head; 32]), wall_ms: 0 };
        witness.look(checkpoint, &checkpoint.sign(&desktop()))
    }

    #[test]
    fn a_log_that_was_cut_rewritten_or_replaced_raises_an_alarm_and_the_memory_stays() {
        let mut witness = Witness::default();
        assert_eq!(look(&mut witness, 1, 5, 5), Ok(true));
        witness.rebase();
        assert_eq!(look(&mut witness, 1, 4, 4), Err(LogAlarm::Shorter { had: 5, has: 4 }));
        assert_eq!(look(&mut witness, 1, 5, 6), Err(LogAlarm::Rewritten { seq: 5 }));
        assert_eq!(look(&mut witness, 2, 9, 9), Err(LogAlarm::OtherLog));
        assert_eq!(witness.head(), Some(Head { seq: 5, hash: Hash::new([5; 32]) }));
        assert_eq!(look(&mut witness, 1, 5, 5), Ok(false));
    }

    #[test]
    fn heads_that_overtake_each_other_inside_a_session_are_no_alarm() {
        let mut witness = Witness::default();
        assert_eq!(look(&mut witness, 1, 5, 5), Ok(true));
        witness.rebase();
        assert_eq!(look(&mut witness, 1, 9, 9), Ok(true));
        assert_eq!(look(&mut witness, 1, 7, 7), Ok(false));
    }

    #[test]
    fn the_record_is_taken_back_only_under_the_desktops_signature() {
        let mut witness = Witness::default();
        look(&mut witness, 1, 5, 5).unwrap();
        let bytes = witness.to_bytes().unwrap();
        let again = Witness::from_bytes(&bytes, &desktop().public()).unwrap();
        assert_eq!(again.head(), witness.head());
        assert!(Witness::from_bytes(&bytes, &SigningKey::from_seed(&[2; 32]).public()).is_err());
    }
}
