//! What the event loop asks of the couriers. They carry; they decide nothing, and what they can't carry is lost without
//! harm: everything open is offered again.

use countersign_proto::{id::DeviceId, message::Message};

use crate::store::Pairing;

/// One thing to carry or to do for a phone.
#[derive(Debug)]
pub enum Errand {
    /// Seal a message for a phone's live session and send it.
    Send {
        /// The phone.
        device: DeviceId,
        /// The message.
        message: Box<Message>,
        /// How long it is worth delivering, in ms.
        ttl_ms: u64,
    },
    /// Wake a phone that has no live session.
    Wake(DeviceId),
    /// A phone was revoked: what was sent before still goes out, then its keys are wiped and its channel is deleted,
    /// which [`crate::store::Store::channel_ends`] remembers until the relay confirms it.
    Forget(DeviceId),
    /// A phone was paired: open its channel and wait for it there.
    Meet(Box<Pairing>),
}
