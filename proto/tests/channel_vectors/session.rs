//! `vectors/envelope_session.json`: whole conversations of one pair, and the envelope that must be refused at their end.

use countersign_proto::{
    Refusal,
    envelope::{Header, Kind, Part, pad},
    id::{ChannelId, DesktopId, DeviceId, SessionTag},
    key::{AgreementKey, Secret32},
    noise::{Handshake, Pattern, Role, Setup, Transport},
    session::{DesktopEnd, PairRecord, PhoneEnd, Received, Suite},
};
use serde_json::{Value, json};

use super::{Vectors, bytes, flip, hex, list, number, text};

const DESKTOP_X: [u8; 32] = [0x41; 32];
const PHONE_X: [u8; 32] = [0x42; 32];
const CHANNEL: [u8; 16] = [0x43; 16];
const DESKTOP_ID: [u8; 32] = [0x44; 32];
const DEVICE_ID: [u8; 16] = [0x45; 16];
const PSK: [u8; 32] = [0x46; 32];
const HELLO: &[u8] = b"hello";
const DAY: u64 = 86_400_000;

#[test]
fn sessions_hold() {
    let vectors = Vectors { good: good(), bad: bad() }.pinned(
        "envelope_session.json",
        "Sessions (protocol.md 5) of one pair: D_x is 32 bytes 0x41, P_x 0x42, channel 0x43, desktop id 0x44, device \
         id 0x45, psk 0x46, suite 1. Steps are `start` (the phone begins with these random bytes), `to_desktop` and \
         `to_phone` (an envelope arrives), `desktop_says` and `phone_says` (a message is sealed); each gives exactly \
         its result. The last step of a bad one must be refused for exactly this reason.",
    );
    for vector in vectors.good.iter().chain(&vectors.bad) {
        let name = text(vector, "name");
        let mut ends = Ends::new();
        let steps = list(vector, "steps");
        for (at, step) in steps.iter().enumerate() {
            let done = ends.run(step);
            let refusal = vector.get("refusal").filter(|_| at + 1 == steps.len());
            match (done, refusal) {
                (Ok(result), None) => assert_eq!(Some(&result), step.get("result"), "{name}, step {at}"),
                (Err(refusal), Some(expected)) => assert_eq!(&json!(refusal.name()), expected, "{name}"),
                (done, _) => panic!("{name}, step {at}: {done:?}"),
            }
        }
    }
}

struct Ends {
    desktop: DesktopEnd,
    phone: PhoneEnd,
}

impl Ends {
    fn new() -> Self {
        let (desktop, phone) = records();
        Self { desktop: DesktopEnd::new(desktop), phone: PhoneEnd::new(phone) }
    }

    fn run(&mut self, step: &Value) -> Result<Value, Refusal> {
        let ms = number(step, "ms");
        match text(step, "do") {
            "start" => self.phone.start(random(step)).map(|envelope| json!({ "send": hex(envelope) })),
            "to_desktop" => self
                .desktop
                .receive(&bytes(step, "envelope"), random(step), ms)
                .map(|received| shown(&received)),
            "to_phone" => self.phone.receive(&bytes(step, "envelope"), ms).map(|received| shown(&received)),
            "desktop_says" => self.desktop.seal(kind(step), bytes(step, "body"), ms).map(sealed),
            "phone_says" => self.phone.seal(kind(step), bytes(step, "body"), ms).map(sealed),
            other => panic!("{other}"),
        }
    }
}

fn records() -> (PairRecord, PairRecord) {
    let (desktop, phone) = (AgreementKey::from_bytes(DESKTOP_X), AgreementKey::from_bytes(PHONE_X));
    let record = PairRecord {
        suite: Suite::X25519,
        channel: ChannelId::new(CHANNEL),
        desktop_id: DesktopId::new(DESKTOP_ID),
        device_id: DeviceId::new(DEVICE_ID),
        own: desktop.clone(),
        peer: phone.public(),
        psk: Secret32::new(PSK),
    };
    (record.clone(), PairRecord { own: phone, peer: desktop.public(), ..record })
}

fn random(step: &Value) -> [u8; 32] {
    bytes(step, "random")[..].try_into().unwrap()
}

fn kind(step: &Value) -> u16 {
    u16::try_from(number(step, "type")).unwrap()
}

fn sealed(envelopes: Vec<Vec<u8>>) -> Value {
    json!({ "send": envelopes.iter().map(hex).collect::<Vec<_>>().join(" ") })
}

fn shown(received: &Received) -> Value {
    let message = |message: &countersign_proto::envelope::RawMessage| json!({ "type": message.kind, "body": hex(&message.body) });
    match received {
        Received::Nothing => json!("nothing"),
        Received::Reply(envelope) => json!({ "send": hex(envelope) }),
        Received::Live(first) => json!({ "live": first.as_ref().map(message) }),
        Received::Message(whole) => json!({ "message": message(whole) }),
    }
}

/// A conversation while it is being written down.
struct Tale {
    ends: Ends,
    steps: Vec<Value>,
}

impl Tale {
    fn new() -> Self {
        Self { ends: Ends::new(), steps: Vec::new() }
    }

    /// A session that is live: hello has arrived, welcome went back.
    fn connected() -> Self {
        let mut tale = Self::new();
        let hello = tale.until_hello(0, 0x01);
        tale.up(&hello, 0);
        tale
    }

    fn step(&mut self, mut step: Value) -> Vec<u8> {
        let result = self.ends.run(&step).unwrap();
        let sent = result.get("send").and_then(Value::as_str).unwrap_or_default();
        let sent = data_encoding::HEXLOWER.decode(sent.as_bytes()).unwrap();
        step.as_object_mut().unwrap().insert("result".into(), result);
        self.steps.push(step);
        sent
    }

    fn start(&mut self, seed: u8) -> Vec<u8> {
        self.step(json!({ "do": "start", "ms": 0, "random": hex([seed; 32]) }))
    }

    fn up(&mut self, envelope: &[u8], ms: u64) -> Vec<u8> {
        self.step(to_desktop(envelope, ms))
    }

    fn down(&mut self, envelope: &[u8], ms: u64) -> Vec<u8> {
        self.step(to_phone(envelope, ms))
    }

    fn says(&mut self, who: &str, kind: u16, body: &[u8]) -> Vec<u8> {
        self.step(json!({ "do": format!("{who}_says"), "ms": 0, "type": kind, "body": hex(body) }))
    }

    fn until_hello(&mut self, ms: u64, seed: u8) -> Vec<u8> {
        let hs1 = self.start(seed);
        let hs2 = self.up(&hs1, ms);
        self.down(&hs2, ms);
        self.says("phone", 0x01, HELLO)
    }

    fn end(self, name: &str) -> Value {
        json!({ "name": name, "steps": self.steps })
    }

    /// Ends with a step that is refused.
    fn refused(mut self, name: &str, step: Value, refusal: Refusal) -> Value {
        self.steps.push(step);
        json!({ "name": name, "steps": self.steps, "refusal": refusal.name() })
    }
}

fn to_desktop(envelope: &[u8], ms: u64) -> Value {
    json!({ "do": "to_desktop", "ms": ms, "envelope": hex(envelope), "random": hex([0xdd; 32]) })
}

fn to_phone(envelope: &[u8], ms: u64) -> Value {
    json!({ "do": "to_phone", "ms": ms, "envelope": hex(envelope) })
}

fn good() -> Vec<Value> {
    let mut hello = Tale::connected();
    let welcome = hello.says("desktop", 0x02, b"welcome");
    hello.down(&welcome, 10);

    let mut renewed = Tale::connected();
    let late = renewed.says("phone", 0x11, b"still the old session");
    let again = renewed.until_hello(0, 0x02);
    renewed.up(&late, 0);
    renewed.up(&again, 0);

    let mut shuffled = Tale::connected();
    let sent = [b"a", b"b", b"c"].map(|body| shuffled.says("phone", 0x11, body));
    for envelope in sent.iter().rev() {
        shuffled.up(envelope, 0);
    }
    vec![
        hello.end("a handshake, hello and welcome"),
        renewed.end("a new session takes over with its first message"),
        shuffled.end("messages in another order"),
    ]
}

fn bad() -> Vec<Value> {
    let mut all = bad_handshakes();
    all.extend(bad_messages());
    all
}

fn bad_handshakes() -> Vec<Value> {
    let (mut flipped, mut tagged, mut twice, mut swapped) =
        (Tale::new(), Tale::new(), Tale::new(), Tale::new());
    let hs1 = flipped.start(1);
    for tale in [&mut tagged, &mut twice, &mut swapped] {
        tale.start(1);
    }
    twice.up(&hs1, 0);
    let mut answered = Tale::new();
    let own = answered.start(1);
    let hs2 = answered.up(&own, 0);
    let mut foreign = Tale::new();
    let mut other = Tale::new();
    foreign.start(1);
    let other_hs1 = other.start(2);
    let other_hs2 = other.up(&other_hs1, 0);
    let forged = |change: fn(&mut Setup)| Forger::new(change).start(&[]).0;
    let new = Tale::new;
    vec![
        flipped.refused(
            "a flipped bit in the ephemeral key",
            to_desktop(&flip(&hs1, 30), 0),
            Refusal::Malformed,
        ),
        tagged.refused("another tag", to_desktop(&flip(&hs1, 2), 0), Refusal::Malformed),
        twice.refused("the same handshake again", to_desktop(&hs1, 0), Refusal::CounterReplayed),
        swapped.refused("a first message sent back to the phone", to_phone(&hs1, 0), Refusal::Malformed),
        answered.refused("a flipped bit in the answer", to_phone(&flip(&hs2, 60), 0), Refusal::Malformed),
        foreign.refused("the answer to another handshake", to_phone(&other_hs2, 0), Refusal::NoSession),
        new().refused("an answer that nobody asked for", to_phone(&hs2, 0), Refusal::NoSession),
        new().refused("an answer sent to the desktop", to_desktop(&hs2, 0), Refusal::Malformed),
        new().refused(
            "another psk",
            to_desktop(&forged(|setup| setup.psk = Secret32::new([0; 32])), 0),
            Refusal::Malformed,
        ),
        new().refused(
            "another phone's key",
            to_desktop(&forged(|setup| setup.own = AgreementKey::from_bytes([9; 32])), 0),
            Refusal::Malformed,
        ),
        new().refused(
            "another suite in the prologue",
            to_desktop(&forged(|setup| *setup.prologue.get_mut(22).unwrap() = 2), 0),
            Refusal::Malformed,
        ),
        new().refused(
            "another device in the prologue",
            to_desktop(&forged(|setup| *setup.prologue.last_mut().unwrap() ^= 1), 0),
            Refusal::Malformed,
        ),
        new().refused(
            "a handshake that says something",
            to_desktop(&Forger::new(|_| ()).start(b"early").0, 0),
            Refusal::Malformed,
        ),
    ]
}

fn bad_messages() -> Vec<Value> {
    let (mut replayed, mut flipped, mut ended, mut far, mut reflected) =
        (Tale::connected(), Tale::connected(), Tale::connected(), Tale::connected(), Tale::connected());
    let sent = replayed.says("phone", 0x11, b"once");
    for tale in [&mut flipped, &mut ended, &mut far, &mut reflected] {
        tale.says("phone", 0x11, b"once");
    }
    replayed.up(&sent, 0);
    let (header, noise) = Header::split(&sent).unwrap();
    let (end, next) = (Header { counter: 1 << 32, ..header }, Header { counter: 2, ..header });
    let mut early = Tale::new();
    early.start(1);
    let early_says = json!({ "do": "phone_says", "ms": 0, "type": 1, "body": "" });
    let mut unproven = Tale::new();
    unproven.until_hello(0, 1);
    let desktop_says = json!({ "do": "desktop_says", "ms": 0, "type": 2, "body": "" });
    let mut old = Tale::connected();
    let old_sent = old.says("phone", 0x11, b"old");
    let again = old.until_hello(0, 2);
    old.up(&again, 0);
    let mut all = vec![
        replayed.refused("a message again", to_desktop(&sent, 0), Refusal::CounterReplayed),
        flipped.refused("a flipped bit", to_desktop(&flip(&sent, 100), 0), Refusal::Malformed),
        far.refused("another counter", to_desktop(&next.join(noise), 0), Refusal::Malformed),
        Tale::connected().refused("the counter's end", to_desktop(&end.join(noise), 0), Refusal::NoSession),
        Tale::connected().refused("an unknown tag", to_desktop(&flip(&sent, 9), 0), Refusal::NoSession),
        ended.refused("a day later", to_desktop(&sent, DAY), Refusal::NoSession),
        reflected.refused("a message sent back to its sender", to_phone(&sent, 0), Refusal::Malformed),
        Tale::new().refused("a message before any handshake", to_desktop(&sent, 0), Refusal::NoSession),
        early.refused("the phone speaks before the answer", early_says, Refusal::NoSession),
        unproven.refused(
            "the desktop speaks before the phone proved itself",
            desktop_says,
            Refusal::NoSession,
        ),
        old.refused("a message of a replaced session", to_desktop(&old_sent, 0), Refusal::NoSession),
    ];
    all.extend(forged_messages());
    all
}

/// Messages that verify, from a phone that does not keep to the form.
fn forged_messages() -> Vec<Value> {
    let part = Part { msg: 0, part: 0, parts: 1, kind: 1, body: HELLO.to_vec() };
    let padded = pad(&part.encode(), 16).unwrap();
    let long = [&u32::MAX.to_be_bytes()[..], padded.split_at(4).1].concat();
    let forms = [
        ("padding that is not zero", flip(&padded, padded.len() - 1), Refusal::Malformed),
        ("a length beyond the end", long, Refusal::Malformed),
        ("half a part", pad(part.encode().split_at(10).0, 16).unwrap(), Refusal::Malformed),
        ("a part of none", pad(&Part { parts: 0, ..part.clone() }.encode(), 16).unwrap(), Refusal::Malformed),
        ("a part of ten", pad(&Part { parts: 10, ..part }.encode(), 16).unwrap(), Refusal::TooBig),
    ];
    forms
        .into_iter()
        .map(|(name, plaintext, refusal)| {
            let mut tale = Tale::new();
            let (hs1, forger) = Forger::new(|_| ()).start(&[]);
            let hs2 = tale.up(&hs1, 0);
            let (tag, transport) = forger.finish(&hs2);
            let noise = transport.seal(0, &plaintext).unwrap();
            let envelope = Header { kind: Kind::Data, tag, counter: 0 }.join(&noise);
            tale.refused(name, to_desktop(&envelope, 0), refusal)
        })
        .collect()
}

/// A phone that makes its handshake by hand.
struct Forger(Handshake);

impl Forger {
    fn new(change: fn(&mut Setup)) -> Self {
        let (_, phone) = records();
        let prologue = [&b"countersign/1/session\0\x01"[..], &CHANNEL, &DESKTOP_ID, &DEVICE_ID].concat();
        let mut setup = Setup {
            pattern: Pattern::KkPsk0,
            role: Role::Initiator,
            own: phone.own,
            peer: Some(phone.peer),
            psk: phone.psk,
            prologue,
            ephemeral: Secret32::new([0x0e; 32]),
        };
        change(&mut setup);
        Self(Handshake::new(setup).unwrap())
    }

    fn start(mut self, payload: &[u8]) -> (Vec<u8>, Self) {
        let noise = self.0.write(&pad(payload, self.0.overhead()).unwrap()).unwrap();
        let tag = SessionTag::new(*noise.first_chunk().unwrap());
        (Header::handshake(Kind::Hs1, tag).join(&noise), self)
    }

    fn finish(mut self, hs2: &[u8]) -> (SessionTag, Transport) {
        let (header, noise) = Header::split(hs2).unwrap();
        self.0.read(noise).unwrap();
        (header.tag, self.0.finish().unwrap())
    }
}
