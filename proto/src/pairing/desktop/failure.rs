//! Why a pairing ended at the desktop, in words for the person. The phone is told nothing.

/// Why no phone was paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DesktopFailure {
    /// The ticket's time is over.
    #[error("the ticket's two minutes are over: run `countersign pair` again")]
    Expired,
    /// A second phone used the same ticket.
    #[error(
        "someone else scanned this code: make sure nobody sees your screen, then run `countersign pair` again"
    )]
    SomeoneElseScanned,
    /// The phone speaks no version of ours.
    #[error("the phone's app speaks another version: update the app and the desktop, then pair again")]
    OtherVersion,
    /// The phone sent what this version can't read.
    #[error("the phone sent something this desktop can't read: update the app, then pair again")]
    BadPhone,
    /// The keys that came are not those that were committed to.
    #[error("the phone's keys are not those it announced: someone may be in between; pair again in private")]
    BrokenCommitment,
    /// The approval key is not known to be hardware-backed and biometric.
    #[error("the phone's approval key is not attested as hardware-backed and biometric, so it can't approve")]
    KeyNotStrong,
    /// A key that is registered already.
    #[error(
        "this phone offered a key that is registered already: pair again from its app, which makes new ones"
    )]
    AlreadyRegistered,
    /// Two wrong codes.
    #[error(
        "the code was wrong twice: run `countersign pair` again and type the code that your own phone shows"
    )]
    WrongCode,
    /// A signature of the phone's proof does not hold.
    #[error("the phone's proof does not hold, so it was not paired: pair again")]
    BadProof,
}

/// Why the caller won't have the phone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objection {
    /// Its chain does not pass the policy ([`Refusal::BioKeyNotStrong`](crate::Refusal::BioKeyNotStrong)).
    KeyNotStrong,
    /// One of its keys is registered already.
    AlreadyRegistered,
}

impl From<Objection> for DesktopFailure {
    fn from(objection: Objection) -> Self {
        match objection {
            Objection::KeyNotStrong => Self::KeyNotStrong,
            Objection::AlreadyRegistered => Self::AlreadyRegistered,
        }
    }
}
