//! A live session between both ends, with whoever holds the line between them: envelopes get lost, repeated, reordered,
//! flipped and made up. Nothing but what the other end said comes out, and that at most once.

use countersign_proto::{
    envelope::{HEADER, Header, Kind, RawMessage},
    id::SessionTag,
    key::{AgreementKey, Secret32},
    limits,
    session::{DesktopEnd, PairRecord, PhoneEnd, Received, Suite},
};

use super::{
    fixed::{CHANNEL, desktop_id, device_id},
    script::Script,
};

/// Steps in a story, each of which may cost a handshake.
const STEPS: usize = 32;

/// One story of a connected pair.
pub fn session(bytes: &[u8]) -> bool {
    let mut script = Script::new(bytes);
    let mut line = Line::connected();
    for _ in 0..STEPS {
        if script.is_over() {
            break;
        }
        line.step(&mut script);
    }
    // The first word is that of `connected`.
    line.said.iter().skip(1).any(|said| said.arrived)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Desktop,
    Phone,
}

/// Something that one end said to the other.
struct Said {
    message: RawMessage,
    arrived: bool,
}

/// An envelope that is really the sender's; the last one of a message carries it whole.
struct Sent {
    envelope: Vec<u8>,
    to: End,
    said: Option<usize>,
}

struct Line {
    desktop: DesktopEnd,
    phone: PhoneEnd,
    sent: Vec<Sent>,
    said: Vec<Said>,
    handshakes: u8,
    now: u64,
}

impl Line {
    fn connected() -> Self {
        let (desktop, phone) = records();
        let (desktop, phone) = (DesktopEnd::new(desktop), PhoneEnd::new(phone));
        let mut line = Self { desktop, phone, sent: vec![], said: vec![], handshakes: 0, now: 0 };
        line.start();
        line.deliver(0);
        line.deliver(1);
        line.say(End::Desktop, RawMessage::new(1, b"hello".to_vec()));
        line.deliver(2);
        assert!(
            line.said.iter().all(|said| said.arrived) && line.desktop.is_live(0) && line.phone.is_live(0)
        );
        line
    }

    fn step(&mut self, script: &mut Script<'_>) {
        match script.byte() % 9 {
            0 => self.start(),
            1 => self.say(End::Desktop, message(script)),
            2 => self.say(End::Phone, message(script)),
            3 | 4 => self.deliver(usize::from(script.byte()) % self.sent.len()),
            5 => self.flip(usize::from(script.byte()) % self.sent.len(), script.u16()),
            6 => self.make_up(End::Desktop, script),
            7 => self.make_up(End::Phone, script),
            _ => self.now += 1 << (script.byte() % 27),
        }
    }

    fn start(&mut self) {
        self.handshakes += 1;
        let envelope = self.phone.start([self.handshakes; 32]).expect("sound keys");
        self.sent.push(Sent { envelope, to: End::Desktop, said: None });
    }

    fn say(&mut self, to: End, message: RawMessage) {
        let RawMessage { kind, body } = message.clone();
        let sealed = match to {
            End::Desktop => self.phone.seal(kind, body, self.now),
            End::Phone => self.desktop.seal(kind, body, self.now),
        };
        let Ok(envelopes) = sealed else { return };
        let said = Some(self.said.len());
        self.said.push(Said { message, arrived: false });
        self.sent.extend(envelopes.into_iter().map(|envelope| Sent { envelope, to, said }));
    }

    /// The right end takes it or not; the wrong one never.
    fn deliver(&mut self, at: usize) {
        let Sent { envelope, to, said } = &self.sent[at];
        let (envelope, to, said) = (envelope.clone(), *to, *said);
        let wrong = if to == End::Desktop { End::Phone } else { End::Desktop };
        assert!(self.receive(wrong, &envelope).is_none(), "its sender took it");
        match self.receive(to, &envelope) {
            Some(Received::Reply(envelope)) => {
                assert!(to == End::Desktop && said.is_none());
                self.sent.push(Sent { envelope, to: End::Phone, said: None });
            }
            Some(Received::Message(message) | Received::Live(Some(message))) => {
                let said = &mut self.said[said.expect("something was said")];
                assert!(!said.arrived, "it arrived a second time");
                assert_eq!(said.message, message);
                said.arrived = true;
            }
            Some(Received::Live(None) | Received::Nothing) | None => {}
        }
    }

    fn flip(&mut self, at: usize, bit: u16) {
        let Sent { envelope, to, .. } = &self.sent[at];
        let (mut envelope, to) = (envelope.clone(), *to);
        let bit = usize::from(bit) % (envelope.len() * 8);
        envelope[bit / 8] ^= 1 << (bit % 8);
        assert!(self.receive(to, &envelope).is_none(), "a flipped bit was not noticed");
    }

    /// An envelope of nobody's, perhaps with the header of a real one.
    fn make_up(&mut self, to: End, script: &mut Script<'_>) {
        let kind = [Kind::Pair, Kind::Hs1, Kind::Hs2, Kind::Data][usize::from(script.byte() % 4)];
        let model = &self.sent[usize::from(script.byte()) % self.sent.len()].envelope;
        let (header, _) = Header::split(model).expect("an envelope");
        let tag = if script.byte() & 1 == 0 { header.tag } else { SessionTag::new([script.byte(); 8]) };
        let counter = if kind == Kind::Data { u64::from(script.u16()) } else { 0 };
        let size = limits::BUCKETS[usize::from(script.byte() % 3)];
        let mut noise = script.chunk().to_vec();
        noise.resize(size - HEADER, 0);
        let envelope = Header { kind, tag, counter }.join(&noise);
        assert!(self.receive(to, &envelope).is_none(), "a made-up envelope was taken");
    }

    fn receive(&mut self, end: End, envelope: &[u8]) -> Option<Received> {
        self.handshakes += 1;
        match end {
            End::Desktop => self.desktop.receive(envelope, [self.handshakes; 32], self.now).ok(),
            End::Phone => self.phone.receive(envelope, self.now).ok(),
        }
    }
}

fn message(script: &mut Script<'_>) -> RawMessage {
    let (kind, length) = (script.u16(), usize::from(script.byte()));
    // A few are long enough for several envelopes.
    let length = if length < 240 { length } else { (length - 239) * 8_000 };
    RawMessage::new(kind, vec![script.byte(); length])
}

fn records() -> (PairRecord, PairRecord) {
    let (desktop, phone) = (AgreementKey::from_bytes([0x41; 32]), AgreementKey::from_bytes([0x42; 32]));
    let record = PairRecord {
        suite: Suite::X25519,
        channel: CHANNEL,
        desktop_id: desktop_id(),
        device_id: device_id(),
        own: desktop.clone(),
        peer: phone.public(),
        psk: Secret32::new([0x46; 32]),
    };
    (record.clone(), PairRecord { own: phone, peer: desktop.public(), ..record })
}
