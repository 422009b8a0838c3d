//! Someone who holds the ticket's secrets makes the handshake by hand and lies in its payloads and in what follows.
//! Without honest proofs nothing is ever stored, at either end.

use countersign_proto::{
    canonical, domain,
    envelope::{Header, Kind, RawMessage, pad, split, unpad},
    id::{Hash, SessionTag},
    key::{AgreementKey, Secret32},
    limits,
    message::Type,
    noise::{Handshake, Pattern, Role, Setup, Transport},
    pairing::{
        AboutDesktop, AboutPhone, AttestationPolicy, Bound, Chain, CodeKeys, DesktopCommand, DesktopPairing,
        DesktopRandom, Enrolment, Link, Opening, PairDesktop, PairDone, PairPhone, PhoneClaims, PhoneCommand,
        PhonePairing, RelayHost, Terms, Ticket, TicketSecret, commit, derive_code, derive_desktop_id,
        derive_device_id,
    },
    text::Foreign,
};

use super::{
    fixed::{CHANNEL, LEAF, TAG, bio_key, desktop, device, pairing_finger, signed},
    script::Script,
};

/// Longest lie: what the smallest envelope but one can't hold is as good as any.
const LIE: usize = 8_192;

/// One attack. The first byte says on which end, the next which of the three messages are honest; the lies follow, each
/// behind its length. Tells whether the other end went as far as asking its person for something.
pub fn pairing(bytes: &[u8]) -> bool {
    let mut script = Script::new(bytes);
    let is_phone = script.byte() & 1 == 0;
    let liar = Liar { honest: script.byte(), script };
    if is_phone { liar.play_phone() } else { liar.play_desktop() }
}

struct Liar<'a> {
    script: Script<'a>,
    /// Bit set: that message is honest.
    honest: u8,
}

impl Liar<'_> {
    fn play_phone(mut self) -> bool {
        let mut handshake = handshake(Role::Initiator);
        let mut end = DesktopPairing::start(ticket(), desktop_key(), about_desktop(), 0);
        let commit = commit(&about_phone().nonce, &phone_key().public(), &device().public());
        let opening = canonical::encode(&Opening { versions: vec![1], commit });
        let (tag, first) = self.step(&mut handshake, 0, opening, None);
        let Ok(DesktopCommand::Send(second)) = end.receive(&first, random(), 0) else { return false };
        let terms: Terms = canonical::decode(&read(&mut handshake, &second.envelope), LIE).expect("terms");
        let h2 = handshake.hash();
        let chain = Chain::new(vec![LEAF.to_vec()]).expect("a chain");
        let (_, third) = self.step(&mut handshake, 1, canonical::encode(&enrolment(chain)), Some(tag));
        let claims = match end.receive(&third, random(), 0) {
            Ok(DesktopCommand::CheckPhone(claims)) => claims,
            other => {
                assert!(matches!(other, Ok(DesktopCommand::Failed(_))), "{other:?}");
                return false;
            }
        };
        type_code(&mut end, &claims, &terms, &h2);
        let bound = bound(handshake.hash());
        let finger = signed(&pairing_finger(), &bound.bio_bytes(&claims.bio));
        let proof = canonical::encode(&PairPhone::sign(&bound, &claims.bio, finger, &device()));
        let transport = handshake.finish().expect("a finished handshake");
        let (is_honest, last) = self.message(&transport, 2, tag, (Type::PairPhone, proof));
        let is_stored = matches!(end.receive(&last, random(), 0), Ok(DesktopCommand::Store(_)));
        // An enrolment that certified another key has no proof to give.
        assert!(is_honest || !is_stored, "stored without proof");
        true
    }

    fn play_desktop(mut self) -> bool {
        let mut handshake = handshake(Role::Responder);
        let started = PhonePairing::start(ticket(), about_phone(), Secret32::new([0x30; 32]), 0);
        let (mut end, first) = started.expect("a sound ticket");
        read(&mut handshake, &first.envelope);
        let tag = Header::split(&first.envelope).expect("an envelope").0.tag;
        let (nonce, challenge) = (Secret32::new([0x13; 32]), [0x14; 32]);
        let terms = Terms { version: 1, nonce, challenge, policy: AttestationPolicy::Demo };
        let (_, second) = self.step(&mut handshake, 0, canonical::encode(&terms), Some(tag));
        let Ok(PhoneCommand::MakeBioKey { .. }) = end.receive(&second, 0) else { return false };
        let made = end.bio_key_made(vec![LEAF.to_vec()], 0);
        let Ok(PhoneCommand::ShowCode { outgoing, .. }) = made else { panic!("{made:?}") };
        read(&mut handshake, &outgoing.envelope);
        let (bound, bio) = (bound(handshake.hash()), bio_key(&pairing_finger()));
        let transport = handshake.finish().expect("a finished handshake");
        let proof = PairDesktop::sign(&bound, Foreign::new("attic"), Foreign::new("ada@attic"), &desktop());
        let (is_honest, third) =
            self.message(&transport, 1, tag, (Type::PairDesktop, canonical::encode(&proof)));
        let Ok(PhoneCommand::SignBio { bytes, .. }) = end.receive(&third, 0) else { return true };
        assert!(is_honest, "a finger for a desktop that proved nothing");
        let answer = end.bio_signed(signed(&pairing_finger(), &bytes), &device(), 0);
        assert!(matches!(answer, Ok(PhoneCommand::Send(_))), "{answer:?}");
        let done = canonical::encode(&PairDone::sign(&bound, &bio, CHANNEL, &desktop()));
        let (is_honest, done) = self.message(&transport, 2, tag, (Type::PairDone, done));
        let is_stored = matches!(end.receive(&done, 0), Ok(PhoneCommand::Store(_)));
        assert_eq!(is_stored, is_honest, "whether it is stored is not whether the desktop said so");
        true
    }

    /// A message of the handshake; a first one gives its own tag.
    fn step(
        &mut self,
        handshake: &mut Handshake,
        number: u8,
        honest: Vec<u8>,
        tag: Option<SessionTag>,
    ) -> (SessionTag, Vec<u8>) {
        let (_, payload) = self.payload(number, honest);
        let plaintext = pad(&payload, handshake.overhead()).expect("a short payload");
        let noise = handshake.write(&plaintext).expect("a message in turn");
        let tag = tag.unwrap_or_else(|| SessionTag::new(*noise.first_chunk().expect("an ephemeral key")));
        (tag, Header::handshake(Kind::Pair, tag).join(&noise))
    }

    /// A message after the handshake, and whether it is honest.
    fn message(
        &mut self,
        transport: &Transport,
        number: u8,
        tag: SessionTag,
        (kind, honest): (Type, Vec<u8>),
    ) -> (bool, Vec<u8>) {
        let (is_honest, body) = self.payload(number, honest);
        let kind = if is_honest { kind.code() } else { self.script.u16() };
        let part = split(0, &RawMessage::new(kind, body)).expect("a short message").remove(0);
        let plaintext = pad(&part.encode(), TAG).expect("a short part");
        let counter = u64::from(number);
        let noise = transport.seal(counter, &plaintext).expect("a short plaintext");
        (is_honest, Header { kind: Kind::Data, tag, counter }.join(&noise))
    }

    fn payload(&mut self, number: u8, honest: Vec<u8>) -> (bool, Vec<u8>) {
        if self.honest & (1 << number) != 0 {
            return (true, honest);
        }
        let lie = self.script.chunk();
        let lie = lie.get(..LIE).unwrap_or(lie).to_vec();
        (lie == honest, lie)
    }
}

/// The desktop's person types what the phone shows.
fn type_code(end: &mut DesktopPairing, claims: &PhoneClaims, terms: &Terms, h2: &Hash) {
    assert!(claims.model.raw().chars().count() <= limits::NAME_CHARS);
    assert!(claims.chain.certificates().len() <= limits::CHAIN_CERTIFICATES);
    assert!(matches!(end.judged(Ok(()), 0), Ok(DesktopCommand::AskCode)));
    let (phone, named) = (phone_key().public(), ticket().desktop());
    let keys = CodeKeys { phone: &phone, device: &claims.device, desktop: &named };
    let code = derive_code(&about_phone().nonce, &terms.nonce, h2, keys);
    let answer = end.type_code(code, &desktop(), 0);
    assert!(matches!(answer, Ok(DesktopCommand::Send(_))), "{answer:?}");
}

fn handshake(role: Role) -> Handshake {
    let is_phone = role == Role::Initiator;
    let setup = Setup {
        pattern: Pattern::XkPsk0,
        role,
        own: if is_phone { phone_key() } else { desktop_key() },
        peer: is_phone.then(|| ticket().desktop()),
        psk: Secret32::new(domain::derive(domain::PAIR_PSK0, &[1; 16], &[], &[])),
        prologue: domain::sig(domain::PAIR, &[&[1], ticket().rendezvous().as_bytes()]),
        ephemeral: Secret32::new([0xe1; 32]),
    };
    Handshake::new(setup).expect("sound keys")
}

fn read(handshake: &mut Handshake, envelope: &[u8]) -> Vec<u8> {
    let (_, noise) = Header::split(envelope).expect("an envelope");
    let plaintext = handshake.read(noise).expect("an honest message");
    unpad(&plaintext).expect("padding").to_vec()
}

/// What honest proofs sign at the end of this handshake.
fn bound(h: Hash) -> Bound {
    let device = device().public();
    let device_id = derive_device_id(&derive_desktop_id(&desktop().public()), &device);
    Bound { h, desktop: desktop_key().public(), phone: phone_key().public(), device, device_id }
}

fn ticket() -> Ticket {
    let relay = RelayHost::parse("relay.example.org").expect("a host");
    Ticket::new(TicketSecret::new([1; 16]), desktop_key().public(), relay, Link::Tls).expect("a ticket")
}

fn desktop_key() -> AgreementKey {
    AgreementKey::from_bytes([0x10; 32])
}

fn phone_key() -> AgreementKey {
    AgreementKey::from_bytes([0x20; 32])
}

fn random() -> DesktopRandom {
    let [ephemeral, nonce] = [0x12, 0x13].map(|byte| Secret32::new([byte; 32]));
    DesktopRandom { ephemeral, nonce, challenge: [0x14; 32] }
}

fn about_desktop() -> AboutDesktop {
    let (name, account) = (Foreign::new("attic"), Foreign::new("ada@attic"));
    AboutDesktop { name, account, policy: AttestationPolicy::Demo }
}

fn about_phone() -> AboutPhone {
    AboutPhone {
        own: phone_key(),
        device: device().public(),
        relay: device().public(),
        nonce: Secret32::new([0x23; 32]),
        model: Foreign::new("Pixel 9"),
        app_version: Foreign::new("0.1.0"),
        capabilities: 0,
    }
}

/// The third message of an honest phone with these certificates.
pub fn enrolment(chain: Chain) -> Enrolment {
    let AboutPhone { own: _, device, relay, nonce, model, app_version, capabilities } = about_phone();
    Enrolment { nonce, device, relay, chain, model, app_version, capabilities }
}
