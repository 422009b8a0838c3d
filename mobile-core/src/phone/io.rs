//! What goes into a [`Phone`](super::Phone) and what comes out of it.

use countersign_proto::{id::OfferId, message::NoticeCode, reply::Decision, text::Shown};

use crate::{
    choice::{CannotAnswer, Choice},
    inbox::{End, Turned},
    signer::Pending,
    vault::Change,
    witness::LogAlarm,
};

/// Names one [`Command::Store`], so that its end can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoreId(pub(crate) u64);

/// What happened, from the shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// The relay took this phone's claim on the pair's channel.
    Connected,
    /// The socket to the relay is gone.
    Disconnected,
    /// The desktop came to the relay, or left it.
    Peer {
        /// Whether it is there.
        online: bool,
    },
    /// An envelope arrived.
    Delivered {
        /// Its bytes.
        envelope: Vec<u8>,
        /// How long the relay held it, in ms.
        age_ms: u32,
    },
    /// The end of a card was on the screen.
    SeenToEnd {
        /// The card.
        offer_id: OfferId,
    },
    /// The person unfolded a card's secrets: from now on they are on the screen with it (CARD-2).
    Unfold {
        /// The card.
        offer_id: OfferId,
    },
    /// The person decided a card.
    Decide {
        /// The card.
        offer_id: OfferId,
        /// The choice.
        choice: Choice,
    },
    /// The person locked the desktop (LOCK-1).
    Lock,
    /// A [`Command::Store`] is durable.
    Stored(StoreId),
    /// A [`Command::Store`] failed.
    StoreFailed(StoreId),
    /// The approval key signed.
    BioSigned {
        /// The prompt.
        prompt: u64,
        /// The signature, DER.
        signature: Vec<u8>,
    },
    /// The finger did not come, or was not recognised.
    BioCancelled {
        /// The prompt.
        prompt: u64,
    },
    /// The approval key no longer exists: fingerprints changed (PH-5).
    BioInvalidated {
        /// The prompt.
        prompt: u64,
    },
    /// Time passed; see [`poll_timeout`](super::Phone::poll_timeout).
    Tick,
}

/// What the shell must do, in this order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Hand an envelope to the relay.
    Send {
        /// Its bytes.
        envelope: Vec<u8>,
        /// How long it is good for, in s.
        ttl_s: u16,
        /// Whether it is a handshake.
        first: bool,
    },
    /// Write a record durably, then say so. Nothing is signed before.
    Store {
        /// Names it.
        store: StoreId,
        /// What to write.
        change: Change,
    },
    /// Ask for a finger.
    AskBio(Pending),
    /// Take the prompt down.
    CancelBio,
    /// Tell the person.
    Show(Event),
    /// Wipe all keys and records of this desktop: the phone was revoked.
    Wipe,
}

/// What the person sees happen. The cards themselves are in [`inbox`](super::Phone::inbox).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The desktop is here: a session is up.
    Up,
    /// The desktop or the relay is away.
    Down,
    /// A card arrived.
    Card(OfferId),
    /// A card that is here changed: its place in front, or its time left.
    Touched(OfferId),
    /// A card's secrets are unfolded: it is to be drawn with them, and seen to its end.
    Unfolded(OfferId),
    /// A decision was not taken; nothing was signed.
    NotTaken(OfferId, CannotAnswer),
    /// The finger did not come; the card waits on.
    BioCancelled(OfferId),
    /// A reply was signed: it is sent, not confirmed.
    Sent(OfferId, Decision),
    /// A reply was turned down; the card waits on.
    Turned(OfferId, Turned),
    /// A card ended.
    Ended(OfferId, End),
    /// The desktop says something.
    Notice(NoticeCode, Shown),
    /// A lock was signed and is on its way.
    Locking,
    /// The lock could not be signed, or was turned down.
    NotLocked(Turned),
    /// Something is wrong that a person must look at.
    Alarm(Alarm),
    /// This phone was revoked.
    Revoked,
}

/// What a person must look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Alarm {
    /// This phone's counter came back lower than the desktop knows it (§7.5).
    #[error(
        "this phone came back with an older counter ({ours}, the desktop has {known}): it was restored or copied; \
         look at the desktop, which holds approvals back until you do"
    )]
    CounterBehind {
        /// What this phone had.
        ours: u64,
        /// What the desktop has.
        known: u64,
    },
    /// The desktop's audit log changed in a way it never should.
    #[error("{0}; somebody may have changed it: look at the desktop")]
    Log(LogAlarm),
    /// The approval key is gone (PH-5).
    #[error("the approval key is gone since fingerprints changed on this phone; pair it anew")]
    KeyGone,
    /// The approval key signed something that does not verify.
    #[error("the approval key's signature does not hold, so nothing was sent")]
    BadBioSignature,
    /// An offer came again with other bytes.
    #[error("a question came again with other content under the same number; it can't be answered")]
    OfferChanged,
}
