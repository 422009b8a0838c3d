//! Why something was refused: the stable codes of protocol.md §13, and the words for the person.

/// A refusal with its stable code. Codes never change their meaning and are never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
#[repr(u16)]
pub enum Refusal {
    /// Bytes that are not of the expected form.
    #[error("the message could not be read")]
    Malformed = 1,
    /// Bytes that decode but are not the one canonical form.
    #[error("the message is not in its canonical form")]
    NotCanonical = 2,
    /// Larger than a limit of [`crate::limits`].
    #[error("the message is larger than allowed")]
    TooBig = 3,
    /// Not inside a live session of this phone.
    #[error("there is no live session with this phone")]
    NoSession = 4,
    /// Meant for another desktop.
    #[error("this was meant for another desktop")]
    WrongDesktop = 5,
    /// From another phone than the session's.
    #[error("this names another phone")]
    WrongDevice = 6,
    /// Bound to an earlier run of the daemon.
    #[error("the daemon was restarted since; the question went back to the terminal")]
    WrongRun = 7,
    /// The phone was revoked.
    #[error("this phone was revoked")]
    Revoked = 8,
    /// No such offer.
    #[error("there is no such offer")]
    UnknownOffer = 9,
    /// The offer is over: answered, withdrawn or expired.
    #[error("this question is no longer open")]
    OfferClosed = 10,
    /// The reply names other bytes than those offered.
    #[error("the reply is bound to other bytes than those offered")]
    HashMismatch = 11,
    /// A decision that was not offered.
    #[error("this reply was not offered")]
    NotOffered = 12,
    /// A counter that was used before.
    #[error("the reply's counter was used before")]
    CounterReplayed = 13,
    /// A counter below the last one, or too far above it.
    #[error("the phone's counter does not follow the last one")]
    CounterRegressed = 14,
    /// The device key's signature does not verify.
    #[error("the signature does not verify")]
    BadDeviceSignature = 15,
    /// The approval key's signature is missing.
    #[error("this reply needs the approval key's signature")]
    BioMissing = 16,
    /// The approval key's signature does not verify.
    #[error("the approval signature does not verify")]
    BadBioSignature = 17,
    /// The approval key is not known to live in secure hardware behind a finger.
    #[error("the approval key is not attested as hardware-backed and biometric")]
    BioKeyNotStrong = 18,
    /// The deadline is over.
    #[error("too late: the question went back to the terminal")]
    TooLate = 19,
    /// The decision could not be written down, so nothing was released.
    #[error("the decision could not be stored, so nothing was released")]
    StoreFailed = 20,
    /// The phone is suspended, or every door but deny is closed.
    #[error("approvals are suspended until someone at the desktop lifts it")]
    Suspended = 21,
    /// A note needs the approval key's signature.
    #[error("a note needs the approval key's signature")]
    NoteNeedsBio = 22,
    /// The payload does not belong to the decision, or its text is not allowed.
    #[error("the reply carries something that does not belong to it")]
    PayloadMismatch = 23,
    /// *Always* for a destructive request.
    #[error("a destructive action can never be allowed always")]
    DestructiveNoAlways = 24,
}

impl Refusal {
    /// Every refusal, in the order of its code.
    pub const ALL: [Self; 24] = [
        Self::Malformed,
        Self::NotCanonical,
        Self::TooBig,
        Self::NoSession,
        Self::WrongDesktop,
        Self::WrongDevice,
        Self::WrongRun,
        Self::Revoked,
        Self::UnknownOffer,
        Self::OfferClosed,
        Self::HashMismatch,
        Self::NotOffered,
        Self::CounterReplayed,
        Self::CounterRegressed,
        Self::BadDeviceSignature,
        Self::BioMissing,
        Self::BadBioSignature,
        Self::BioKeyNotStrong,
        Self::TooLate,
        Self::StoreFailed,
        Self::Suspended,
        Self::NoteNeedsBio,
        Self::PayloadMismatch,
        Self::DestructiveNoAlways,
    ];

    /// The stable code.
    #[must_use]
    pub const fn code(self) -> u16 {
        self as u16
    }

    /// The refusal of a code, if there is one.
    #[must_use]
    pub fn from_code(code: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|refusal| refusal.code() == code)
    }

    /// The name used in logs, vectors and `--json`: `counter_replayed`.
    #[must_use]
    pub fn name(self) -> String {
        let mut name = String::new();
        for c in format!("{self:?}").chars() {
            if c.is_ascii_uppercase() && !name.is_empty() {
                name.push('_');
            }
            name.push(c.to_ascii_lowercase());
        }
        name
    }

    /// Whether the phone is told only "refused": which of two signatures failed is nobody's business (§13).
    #[must_use]
    pub const fn is_kept_from_phone(self) -> bool {
        matches!(self, Self::BadDeviceSignature | Self::BadBioSignature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_dense_stable_and_read_back() {
        for (refusal, code) in Refusal::ALL.into_iter().zip(1..) {
            assert_eq!(refusal.code(), code);
            assert_eq!(Refusal::from_code(code), Some(refusal));
        }
        assert_eq!(Refusal::from_code(0), None);
        assert_eq!(Refusal::from_code(25), None);
        assert_eq!(Refusal::BioKeyNotStrong.name(), "bio_key_not_strong");
    }
}
