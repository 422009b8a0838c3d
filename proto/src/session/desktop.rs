//! The desktop's end of a pair's sessions: one live, one in handshake. A new session takes over when its first
//! transport message verifies, never before, so a replayed handshake ends nothing.

use std::collections::VecDeque;

use super::{PairRecord, Received, Session, ephemeral_of, open_empty_step, rate::Rate, seal_step, tag_of};
use crate::{
    envelope::{Header, Kind, RawMessage},
    key::Secret32,
    noise::{PUBLIC, Role},
    refusal::Refusal,
};

/// Initiator ephemerals remembered, so that a repeated handshake is told from a new one.
const EPHEMERALS: usize = 256;

/// The desktop's end of one pair.
#[derive(Debug)]
pub struct DesktopEnd {
    pair: PairRecord,
    live: Option<Session>,
    handshake: Option<Session>,
    ephemerals: VecDeque<[u8; PUBLIC]>,
    rate: Rate,
}

impl DesktopEnd {
    /// The end of a pair, with no session.
    #[must_use]
    pub const fn new(pair: PairRecord) -> Self {
        Self { pair, live: None, handshake: None, ephemerals: VecDeque::new(), rate: Rate::new() }
    }

    /// The pair this end belongs to.
    #[must_use]
    pub const fn pair(&self) -> &PairRecord {
        &self.pair
    }

    /// Whether a phone proved itself in a session that is not over.
    #[must_use]
    pub fn is_live(&self, boot_ms: u64) -> bool {
        self.live.as_ref().is_some_and(|session| !session.is_over(boot_ms))
    }

    /// Takes an envelope. `random` becomes our ephemeral key if it is a handshake: fresh bytes with every call.
    ///
    /// # Errors
    /// Why the envelope is to be dropped. [`Refusal::NoSession`]: an unknown tag, a session that is over, or a handshake
    /// beyond the pair's allowance. [`Refusal::CounterReplayed`]: seen before.
    pub fn receive(&mut self, envelope: &[u8], random: [u8; 32], boot_ms: u64) -> Result<Received, Refusal> {
        let random = Secret32::new(random);
        let (header, noise) = Header::split(envelope)?;
        match header.kind {
            Kind::Hs1 => self.answer(&header, noise, random, boot_ms),
            Kind::Data => self.open(&header, noise, boot_ms),
            Kind::Pair | Kind::Hs2 => Err(Refusal::Malformed),
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

    fn answer(
        &mut self,
        header: &Header,
        noise: &[u8],
        random: Secret32,
        boot_ms: u64,
    ) -> Result<Received, Refusal> {
        let ephemeral = ephemeral_of(noise)?;
        if header.tag != tag_of(noise)? {
            return Err(Refusal::Malformed);
        }
        if self.ephemerals.contains(&ephemeral) {
            return Err(Refusal::CounterReplayed);
        }
        if !self.rate.take(boot_ms) {
            return Err(Refusal::NoSession);
        }
        let mut handshake = self.pair.handshake(Role::Responder, random)?;
        open_empty_step(&mut handshake, noise)?;
        let (tag, reply) = seal_step(&mut handshake, Kind::Hs2, Some(header.tag), &[])?;
        self.handshake = Some(Session::new(tag, handshake.finish()?, boot_ms));
        self.remember(ephemeral);
        Ok(Received::Reply(reply))
    }

    fn open(&mut self, header: &Header, noise: &[u8], boot_ms: u64) -> Result<Received, Refusal> {
        if let Some(live) = self.live.as_mut().filter(|session| session.tag() == header.tag) {
            let message = live.open(header, noise, boot_ms)?;
            return Ok(message.map_or(Received::Nothing, Received::Message));
        }
        let waiting = self.handshake.as_mut().filter(|session| session.tag() == header.tag);
        let message = waiting.ok_or(Refusal::NoSession)?.open(header, noise, boot_ms)?;
        self.live = self.handshake.take();
        Ok(Received::Live(message))
    }

    fn remember(&mut self, ephemeral: [u8; PUBLIC]) {
        if self.ephemerals.len() >= EPHEMERALS {
            self.ephemerals.pop_front();
        }
        self.ephemerals.push_back(ephemeral);
    }
}
