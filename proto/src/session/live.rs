//! One set of session keys: seals and opens the parts of messages, each counter once, until the session is over.

use crate::{
    envelope::{self, Assembler, Header, Kind, Part, RawMessage},
    id::SessionTag,
    limits,
    noise::{TAG, Transport},
    refusal::Refusal,
    session::window::Window,
};

/// The transport phase of a session or pairing. Its keys are wiped when it is dropped.
#[derive(Debug)]
pub struct Session {
    tag: SessionTag,
    transport: Transport,
    sent: u64,
    sent_messages: u64,
    received: u64,
    window: Window,
    assembler: Assembler,
    born_ms: u64,
}

impl Session {
    /// A session whose handshake ended now.
    pub(crate) fn new(tag: SessionTag, transport: Transport, boot_ms: u64) -> Self {
        Self {
            tag,
            transport,
            sent: 0,
            sent_messages: 0,
            received: 0,
            window: Window::default(),
            assembler: Assembler::default(),
            born_ms: boot_ms,
        }
    }

    /// The tag its envelopes carry.
    #[must_use]
    pub const fn tag(&self) -> SessionTag {
        self.tag
    }

    /// Whether it is time for a new handshake: an hour old, or 2^20 envelopes.
    #[must_use]
    pub fn needs_renewal(&self, boot_ms: u64) -> bool {
        self.age_ms(boot_ms) >= millis(limits::SESSION_AGE)
            || self.sent.saturating_add(self.received) >= limits::SESSION_MESSAGES
    }

    /// Whether nothing may be sealed or opened any more.
    #[must_use]
    pub fn is_over(&self, boot_ms: u64) -> bool {
        self.age_ms(boot_ms) >= millis(limits::SESSION_HARD_AGE) || self.sent >= limits::SESSION_COUNTER
    }

    /// Seals a message into its envelopes, to be sent in this order.
    ///
    /// # Errors
    /// [`Refusal::TooBig`] beyond [`limits::MESSAGE`], [`Refusal::NoSession`] where the session is over.
    pub fn seal(&mut self, message: &RawMessage, boot_ms: u64) -> Result<Vec<Vec<u8>>, Refusal> {
        let parts = envelope::split(self.sent_messages, message)?;
        let after = self.sent.saturating_add(u64::from(limits::PARTS));
        if self.is_over(boot_ms) || after > limits::SESSION_COUNTER {
            return Err(Refusal::NoSession);
        }
        self.sent_messages += 1;
        parts.iter().map(|part| self.seal_part(part)).collect()
    }

    /// Opens an envelope that carries this session's tag. A counter is marked only after its envelope verified.
    ///
    /// # Errors
    /// [`Refusal::NoSession`] where the session or the counters are over, [`Refusal::CounterReplayed`] for one seen
    /// before, otherwise why the bytes are no part of a message.
    pub(crate) fn open(
        &mut self,
        header: &Header,
        noise: &[u8],
        boot_ms: u64,
    ) -> Result<Option<RawMessage>, Refusal> {
        if header.kind != Kind::Data {
            return Err(Refusal::Malformed);
        }
        if header.tag != self.tag || self.is_over(boot_ms) || header.counter >= limits::SESSION_COUNTER {
            return Err(Refusal::NoSession);
        }
        if self.window.has_seen(header.counter) {
            return Err(Refusal::CounterReplayed);
        }
        let plaintext = self.transport.open(header.counter, noise)?;
        self.window.mark(header.counter);
        self.received = self.received.saturating_add(1);
        let part = Part::parse(envelope::unpad(&plaintext)?)?;
        self.assembler.push(part, boot_ms)
    }

    fn seal_part(&mut self, part: &Part) -> Result<Vec<u8>, Refusal> {
        let counter = self.sent;
        self.sent += 1;
        let plaintext = envelope::pad(&part.encode(), TAG)?;
        let noise = self.transport.seal(counter, &plaintext)?;
        Ok(Header { kind: Kind::Data, tag: self.tag, counter }.join(&noise))
    }

    fn age_ms(&self, boot_ms: u64) -> u64 {
        boot_ms.saturating_sub(self.born_ms)
    }
}

fn millis(duration: core::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        key::{AgreementKey, Secret32},
        noise::{Handshake, Pattern, Role, Setup},
    };

    fn session() -> Session {
        let keys = [1, 2].map(|byte| AgreementKey::from_bytes([byte; 32]));
        let side = |role, own: &AgreementKey, peer: &AgreementKey| {
            let (pattern, psk, ephemeral) =
                (Pattern::KkPsk0, Secret32::new([3; 32]), own.agree(&peer.public()));
            let (own, peer, ephemeral) = (own.clone(), Some(peer.public()), ephemeral.unwrap());
            Handshake::new(Setup { pattern, role, own, peer, psk, prologue: Vec::new(), ephemeral }).unwrap()
        };
        let [phone, desktop] = keys;
        let mut init = side(Role::Initiator, &phone, &desktop);
        let mut resp = side(Role::Responder, &desktop, &phone);
        resp.read(&init.write(b"").unwrap()).unwrap();
        init.read(&resp.write(b"").unwrap()).unwrap();
        Session::new(SessionTag::new([0; 8]), init.finish().unwrap(), 0)
    }

    #[test]
    fn many_envelopes_call_for_a_new_session_whichever_way_they_went() {
        let mut session = session();
        (session.sent, session.received) = (limits::SESSION_MESSAGES / 2, limits::SESSION_MESSAGES / 2 - 1);
        assert!(!session.needs_renewal(0));
        session.received += 1;
        assert!(session.needs_renewal(0) && !session.is_over(0));
    }

    #[test]
    fn no_message_is_sealed_that_might_reach_the_end_of_the_counters() {
        let mut session = session();
        let message = RawMessage::new(1, Vec::new());
        session.sent = limits::SESSION_COUNTER - u64::from(limits::PARTS);
        assert!(session.seal(&message, 0).is_ok());
        assert_eq!(session.seal(&message, 0), Err(Refusal::NoSession));
    }
}
