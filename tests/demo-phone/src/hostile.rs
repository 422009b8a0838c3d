//! For tests: the same phone, misbehaving. It opens a session of its own with the pairing's keys and sends a reply that
//! was settled before. The desktop must answer with the stored receipt and change nothing.

use countersign_mobile_core::{pair::Pair, signer::Pending};
use countersign_proto::{
    Refusal, domain,
    id::OfferId,
    message::{Hello, Message},
    receipt::Outcome,
    reply::SignedReply,
    session::{PhoneEnd, Received},
    text::Foreign,
};

/// One reply on its way a second time.
pub struct Replay {
    end: PhoneEnd,
    offer_id: OfferId,
    counter: u64,
    reply: SignedReply,
    pair: Pair,
}

impl Replay {
    /// Makes the very bytes again that a finger signed; Ed25519 signs the same bytes the same way.
    pub fn new(pair: &Pair, offer_id: OfferId, counter: u64, pending: &Pending, der: &[u8]) -> Option<Self> {
        let label = domain::sig(domain::REPLY_BIO, &[]);
        let bytes = pending.bytes.strip_prefix(label.as_slice())?.to_vec();
        let sig = pair.device.sign(domain::REPLY_DEVICE, &[&bytes]);
        let reply = SignedReply { bytes, sig, sig_bio: Some(der.to_vec()) };
        let end = PhoneEnd::new(pair.desktop.record());
        Some(Self { end, offer_id, counter, reply, pair: pair.clone() })
    }

    /// The handshake's first envelope.
    ///
    /// # Errors
    /// The pair's keys can't agree.
    pub fn start(&mut self, random: [u8; 32]) -> Result<Vec<u8>, Refusal> {
        self.end.start(random)
    }

    /// Takes an envelope: what to send, and in the end what the desktop said.
    pub fn receive(&mut self, envelope: &[u8], boot_ms: u64) -> (Vec<Vec<u8>>, Option<(OfferId, Outcome)>) {
        match self.end.receive(envelope, boot_ms) {
            Ok(Received::Live(_)) => (self.speak(boot_ms), None),
            Ok(Received::Message(raw)) => {
                let message = Message::decode(raw.kind, &raw.body).ok();
                (Vec::new(), message.and_then(|message| self.outcome(&message)))
            }
            Ok(Received::Nothing | Received::Reply(_)) | Err(_) => (Vec::new(), None),
        }
    }

    fn speak(&mut self, boot_ms: u64) -> Vec<Vec<u8>> {
        let app = Foreign::new("countersign demo phone, replaying");
        let hello = Hello { app, versions: vec![1], counter: self.counter, head: None };
        let mut envelopes = Vec::new();
        for message in [Message::Hello(hello), Message::Reply(self.reply.clone())] {
            let (kind, body) = message.encode();
            envelopes.extend(self.end.seal(kind, body, boot_ms).unwrap_or_default());
        }
        envelopes
    }

    fn outcome(&self, message: &Message) -> Option<(OfferId, Outcome)> {
        let Message::Receipt(signed) = message else { return None };
        let desktop = &self.pair.desktop;
        let receipt = signed.open(&desktop.desktop, &desktop.desktop_id, &desktop.device_id).ok()?;
        (receipt.offer_id == Some(self.offer_id)).then_some((self.offer_id, receipt.outcome))
    }
}
