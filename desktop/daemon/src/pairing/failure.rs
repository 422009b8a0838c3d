//! Why no phone was paired: in words for the person, and in fixed words for the log.

use countersign_ipc::control::PairEvent;
use countersign_proto::{
    Refusal,
    pairing::{DesktopFailure, TicketError},
};

use crate::{
    courier::{BadAddress, BadInvite, NotMade, Trouble},
    eventloop::Ended,
    relay_child::ChildError,
};

/// Why no phone was paired.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoPhone {
    #[error(
        "this version can't verify a phone's hardware yet, so it refuses every pairing (bio_key_not_strong): that \
         comes with the phone app"
    )]
    NotYet,
    #[error("another pairing runs")]
    Busy,
    #[error("the desktop is locked")]
    Locked,
    #[error("as many phones are paired as there can be")]
    TooMany,
    #[error(transparent)]
    Address(#[from] BadAddress),
    #[error(transparent)]
    Invite(#[from] BadInvite),
    #[error(transparent)]
    Ticket(#[from] TicketError),
    #[error(transparent)]
    Child(#[from] ChildError),
    #[error(transparent)]
    Relay(#[from] Trouble),
    #[error(transparent)]
    Channel(#[from] NotMade),
    #[error(transparent)]
    Ceremony(#[from] DesktopFailure),
    #[error("the pairing was given up")]
    GivenUp,
    #[error("the phone was not taken ({})", .0.name())]
    NotTaken(Refusal),
    #[error("the pairing could not be stored, so the phone was not paired")]
    NotStored,
    #[error("the system gives no random bytes: {0}")]
    Random(#[from] getrandom::Error),
    #[error("the system gives no timer: {0}")]
    Timer(std::io::Error),
    #[error(transparent)]
    Ended(#[from] Ended),
}

impl NoPhone {
    /// What the person sees.
    pub(super) fn event(&self) -> PairEvent {
        PairEvent::Failed { why: self.to_string(), hint: self.hint().to_owned() }
    }

    /// What the log says; nothing where the core has recorded it itself, or where nothing was begun.
    pub(super) const fn record(&self) -> Option<&'static str> {
        Some(match self {
            Self::NotYet => "bio_key_not_strong: this version verifies no phone's hardware",
            Self::Ceremony(failure) => recorded(*failure),
            Self::GivenUp => "it was given up at the desktop",
            Self::Relay(_) | Self::Channel(_) => "the relay could not be used",
            Self::Busy
            | Self::Locked
            | Self::TooMany
            | Self::Address(_)
            | Self::Invite(_)
            | Self::Ticket(_)
            | Self::Child(_)
            | Self::NotTaken(_)
            | Self::NotStored
            | Self::Random(_)
            | Self::Timer(_)
            | Self::Ended(_) => return None,
        })
    }

    const fn hint(&self) -> &'static str {
        match self {
            Self::NotYet => "`countersign up --demo` pairs with the demo phone",
            Self::Busy => "finish or cancel the other one first",
            Self::Locked => "open the doors with `countersign unlock` first",
            Self::TooMany => "`countersign phones revoke` makes room",
            Self::Relay(_) | Self::Channel(_) => {
                "look at the relay's address, then run `countersign pair` again"
            }
            Self::Child(_) => "`make up` builds and starts everything; `countersign-relay` by hand says more",
            Self::NotTaken(_) => "pair again from the phone's app, which makes new keys",
            Self::NotStored => "look at the free space, then run `countersign pair` again",
            Self::Ended(_) => "start it again with `countersign up`",
            Self::GivenUp => "run `countersign pair` again when you like",
            // These say it themselves.
            Self::Address(_)
            | Self::Invite(_)
            | Self::Ticket(_)
            | Self::Ceremony(_)
            | Self::Random(_)
            | Self::Timer(_) => "",
        }
    }
}

const fn recorded(failure: DesktopFailure) -> &'static str {
    match failure {
        DesktopFailure::Expired => "the ticket's time was over",
        DesktopFailure::SomeoneElseScanned => "a second phone used the same ticket",
        DesktopFailure::OtherVersion => "the phone speaks another version",
        DesktopFailure::BadPhone => "the phone sent what can't be read",
        DesktopFailure::BrokenCommitment => "the phone's keys were not those it had committed to",
        DesktopFailure::KeyNotStrong => "bio_key_not_strong",
        DesktopFailure::AlreadyRegistered => "one of the phone's keys is registered already",
        DesktopFailure::WrongCode => "the code was wrong twice",
        DesktopFailure::BadProof => "the phone's proof does not hold",
    }
}
