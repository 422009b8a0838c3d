//! Why a pairing ended at the phone, in words for the person. They say little: whoever scanned a foreign code learns
//! nothing of the desktop from them.

/// Why no desktop was paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PhoneFailure {
    /// The desktop did not answer in time.
    #[error("the desktop did not answer in time: show a new code there with `countersign pair` and scan it")]
    Expired,
    /// The ticket can't be used.
    #[error("this code can't be used: show a new one on the desktop with `countersign pair`")]
    BadTicket,
    /// The desktop speaks another version.
    #[error("the desktop speaks another version: update the app and the desktop, then pair again")]
    OtherVersion,
    /// The desktop sent what this version can't read.
    #[error("the desktop sent something this app can't read: update the app, then pair again")]
    BadDesktop,
    /// The phone's own attestation can't be sent.
    #[error("this phone's approval key has no usable certificate, so it can't be paired")]
    BadChain,
    /// The phone's own approval key signed something else.
    #[error("the approval key's signature does not hold on this phone: pair again")]
    BadSignature,
    /// The desktop's proof does not hold.
    #[error("this desktop can't prove who it is: do not pair it; show a new code and scan it in private")]
    BadProof,
}
