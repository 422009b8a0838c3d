//! The phone's end of a pair's sessions: it starts every handshake. The desktop's answer makes the new session live.

use super::{PairRecord, Received, Session, open_empty_step, seal_step};
use crate::{
    envelope::{Header, Kind, RawMessage},
    id::SessionTag,
    key::Secret32,
    noise::{Handshake, Role},
    refusal::Refusal,
};

/// The phone's end of one pair.
#[derive(Debug)]
pub struct PhoneEnd {
    pair: PairRecord,
    live: Option<Session>,
    handshake: Option<(SessionTag, Handshake)>,
}

impl PhoneEnd {
    /// The end of a pair, with no session.
    #[must_use]
    pub const fn new(pair: PairRecord) -> Self {
        Self { pair, live: None, handshake: None }
    }

    /// The pair this end belongs to.
    #[must_use]
    pub const fn pair(&self) -> &PairRecord {
        &self.pair
    }

    /// Whether there is a session that is not over.
    #[must_use]
    pub fn is_live(&self, boot_ms: u64) -> bool {
        self.live.as_ref().is_some_and(|session| !session.is_over(boot_ms))
    }

    /// Whether it is time to [`start`](Self::start): no session, or one that has served long enough.
    #[must_use]
    pub fn needs_renewal(&self, boot_ms: u64) -> bool {
        !self.is_live(boot_ms) || self.live.as_ref().is_some_and(|session| session.needs_renewal(boot_ms))
    }

    /// Starts a handshake: the envelope to send as `first`. `random` becomes the ephemeral key and gives the tag; an
    /// unfinished earlier handshake is forgotten, a live session stays until the answer is in.
    ///
    /// # Errors
    /// None with a sound pair record; [`Refusal::Malformed`] where its keys can't agree.
    pub fn start(&mut self, random: [u8; 32]) -> Result<Vec<u8>, Refusal> {
        let mut handshake = self.pair.handshake(Role::Initiator, Secret32::new(random))?;
        let (tag, envelope) = seal_step(&mut handshake, Kind::Hs1, None, &[])?;
        self.handshake = Some((tag, handshake));
        Ok(envelope)
    }

    /// Takes an envelope.
    ///
    /// # Errors
    /// Why the envelope is to be dropped; see [`DesktopEnd::receive`](super::DesktopEnd::receive).
    pub fn receive(&mut self, envelope: &[u8], boot_ms: u64) -> Result<Received, Refusal> {
        let (header, noise) = Header::split(envelope)?;
        match header.kind {
            Kind::Hs2 => self.complete(&header, noise, boot_ms),
            Kind::Data => {
                let session = self.live.as_mut().ok_or(Refusal::NoSession)?;
                let message = session.open(&header, noise, boot_ms)?;
                Ok(message.map_or(Received::Nothing, Received::Message))
            }
            Kind::Pair | Kind::Hs1 => Err(Refusal::Malformed),
        }
    }

    /// Seals a message in the live session: the envelopes to send, in order.
    ///
    /// # Errors
    /// [`Refusal::NoSession`] without a live session, [`Refusal::TooBig`].
    pub fn seal(&mut self, kind: u16, body: Vec<u8>, boot_ms: u64) -> Result<Vec<Vec<u8>>, Refusal> {
        let session = self.live.as_mut().ok_or(Refusal::NoSession)?;
        session.seal(&RawMessage { kind, body }, boot_ms)
    }

    /// Ends all sessions and wipes their keys.
    pub fn close(&mut self) {
        self.live = None;
        self.handshake = None;
    }

    fn complete(&mut self, header: &Header, noise: &[u8], boot_ms: u64) -> Result<Received, Refusal> {
        let (tag, mut handshake) =
            self.handshake.take_if(|(tag, _)| *tag == header.tag).ok_or(Refusal::NoSession)?;
        if let Err(refusal) = open_empty_step(&mut handshake, noise) {
            self.handshake = Some((tag, handshake));
            return Err(refusal);
        }
        self.live = Some(Session::new(tag, handshake.finish()?, boot_ms));
        Ok(Received::Live(None))
    }
}
