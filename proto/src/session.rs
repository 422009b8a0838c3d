//! Sessions between a paired phone and its desktop: `Noise_KKpsk0`, one handshake per connection (protocol.md §5).
//!
//! Both ends are state without I/O. Envelopes, random bytes and boot time go in; envelopes and messages come out:
//!
//! 1. Phone: `hs1 = phone.start(random, now)` → send as `first`.
//! 2. Desktop: `desktop.receive(&hs1, random, now)` → [`Received::Reply`] → send as `first`. Nothing is live yet, and
//!    nothing can be sealed on the strength of it: a replayed handshake looks the same up to here.
//! 3. Phone: `phone.receive(&hs2, now)` → [`Received::Live`]; it seals its `Hello`.
//! 4. Desktop: receives that first transport message → [`Received::Live`] with the message. The new session has replaced
//!    the old one; `desktop.seal(…)` answers `Welcome`.
//! 5. From then on [`Received::Message`] and `seal` on both ends. When [`PhoneEnd::needs_renewal`] says so, and after
//!    every reconnect, the phone starts again at 1; the live session serves until the new one takes over.
//!
//! A refused envelope is dropped and changes nothing but the desktop's allowance of handshakes; there is nothing to
//! answer. An envelope whose tag is unknown is refused as [`Refusal::NoSession`]; no key is ever tried on suspicion.
//!
//! The session tag is the first eight bytes of the initiator's ephemeral public key: as random as any other choice, and
//! covered by the handshake, so a first message under an altered tag is refused instead of answered.

mod desktop;
mod live;
mod phone;
mod rate;
mod window;

use zeroize::Zeroizing;

pub use self::{desktop::DesktopEnd, live::Session, phone::PhoneEnd};
use crate::{
    domain,
    envelope::{self, Header, Kind, RawMessage},
    id::{ChannelId, DesktopId, DeviceId, SessionTag},
    key::{AgreementKey, AgreementPublic, Secret32},
    noise::{Handshake, PUBLIC, Pattern, Role, Setup},
    refusal::Refusal,
};

/// How a pair talks: fixed when it is paired, never lowered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Suite {
    /// `Noise_KKpsk0_25519_ChaChaPoly_SHA256`.
    X25519 = 1,
}

impl Suite {
    /// The suite's number in prologues and stores.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The suite of a number.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            1 => Some(Self::X25519),
            _ => None,
        }
    }
}

/// What one end keeps of a pairing to open sessions with.
#[derive(Debug, Clone)]
pub struct PairRecord {
    /// How this pair talks.
    pub suite: Suite,
    /// The pair's channel at the relay.
    pub channel: ChannelId,
    /// The desktop.
    pub desktop_id: DesktopId,
    /// The phone, as this pairing's device.
    pub device_id: DeviceId,
    /// Our static key: `D_x` or `P_x`.
    pub own: AgreementKey,
    /// The peer's.
    pub peer: AgreementPublic,
    /// The pair's lasting secret.
    pub psk: Secret32,
}

impl PairRecord {
    /// `countersign/1/session ‖ 0 ‖ suite ‖ channel ‖ desktop_id ‖ device_id`.
    fn prologue(&self) -> Vec<u8> {
        let pieces: [&[u8]; 4] = [
            &[self.suite.number()],
            self.channel.as_bytes(),
            self.desktop_id.as_bytes(),
            self.device_id.as_bytes(),
        ];
        domain::sig(domain::SESSION, &pieces)
    }

    fn handshake(&self, role: Role, ephemeral: Secret32) -> Result<Handshake, Refusal> {
        Handshake::new(Setup {
            pattern: Pattern::KkPsk0,
            role,
            own: self.own.clone(),
            peer: Some(self.peer),
            psk: self.psk.clone(),
            prologue: self.prologue(),
            ephemeral,
        })
    }
}

/// What an envelope was good for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Received {
    /// A part of a message whose others are still missing.
    Nothing,
    /// Desktop only: a handshake to be answered with this envelope, sent as `first`.
    Reply(Vec<u8>),
    /// A new session is live and the old one is gone. On the desktop with the message that proved it, if it was whole.
    Live(Option<RawMessage>),
    /// A whole message of the live session.
    Message(RawMessage),
}

/// The tag that the sender of a first handshake message goes by.
pub(crate) fn tag_of(noise: &[u8]) -> Result<SessionTag, Refusal> {
    noise.first_chunk().copied().map(SessionTag::new).ok_or(Refusal::Malformed)
}

/// The initiator's ephemeral public key, which leads a first handshake message.
pub(crate) fn ephemeral_of(noise: &[u8]) -> Result<[u8; PUBLIC], Refusal> {
    noise.first_chunk().copied().ok_or(Refusal::Malformed)
}

/// Makes a handshake's next message and its envelope. The first message of all names its own tag.
pub(crate) fn seal_step(
    handshake: &mut Handshake,
    kind: Kind,
    tag: Option<SessionTag>,
    payload: &[u8],
) -> Result<(SessionTag, Vec<u8>), Refusal> {
    let plaintext = Zeroizing::new(envelope::pad(payload, handshake.overhead())?);
    let noise = handshake.write(&plaintext)?;
    let tag = match tag {
        Some(tag) => tag,
        None => tag_of(&noise)?,
    };
    Ok((tag, Header::handshake(kind, tag).join(&noise)))
}

/// Reads a handshake's next message into its payload.
pub(crate) fn open_step(handshake: &mut Handshake, noise: &[u8]) -> Result<Zeroizing<Vec<u8>>, Refusal> {
    let plaintext = handshake.read(noise)?;
    envelope::unpad(&plaintext).map(|payload| Zeroizing::new(payload.to_vec()))
}

/// Reads a handshake message that must carry nothing but padding.
fn open_empty_step(handshake: &mut Handshake, noise: &[u8]) -> Result<(), Refusal> {
    if open_step(handshake, noise)?.is_empty() { Ok(()) } else { Err(Refusal::Malformed) }
}

#[cfg(test)]
mod tests;
