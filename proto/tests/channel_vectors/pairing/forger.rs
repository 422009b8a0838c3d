//! A phone and a desktop that hold the ticket's secrets, make their handshakes by hand and lie.

use countersign_proto::{
    canonical, domain,
    envelope::{Header, Kind, RawMessage, pad, split, unpad},
    id::{Hash, SessionTag},
    message::Type,
    noise::{Handshake, Pattern, Role, Setup, Transport},
    pairing::{
        Bound, Chain, Enrolment, Opening, PairDesktop, Terms, commit, derive_desktop_id, derive_device_id,
    },
};

use super::{tale::sent_in, *};

/// A phone that makes its handshake by hand, from `P_x`, `P_sig`, `n_p` = 0x61 and the ephemeral 0xe1.
pub(super) struct Forger {
    pub(super) handshake: Handshake,
    pub(super) about: AboutPhone,
    pub(super) commit_to: AgreementKey,
    pub(super) tag: Option<SessionTag>,
}

impl Forger {
    pub(super) fn new() -> Self {
        Self::with(ticket())
    }

    pub(super) fn with(ticket: Ticket) -> Self {
        let own = AgreementKey::from_bytes([0x61; 32]);
        let device = SigningKey::from_seed(&[0x61; 32]).public();
        let about = AboutPhone { own: own.clone(), device, nonce: secret(0x61), ..about_phone() };
        let handshake = handshake(&ticket, Role::Initiator, own.clone(), 0xe1);
        Self { handshake, about, commit_to: own, tag: None }
    }

    pub(super) fn tag(&self) -> SessionTag {
        self.tag.unwrap()
    }

    pub(super) fn open_honestly(self) -> (Vec<u8>, Self) {
        let commit = commit(&self.about.nonce, &self.commit_to.public(), &self.about.device);
        self.open(&canonical::encode(&Opening { versions: vec![1], commit }))
    }

    pub(super) fn open(mut self, payload: &[u8]) -> (Vec<u8>, Self) {
        let noise = self.handshake.write(&pad(payload, self.handshake.overhead()).unwrap()).unwrap();
        let tag = SessionTag::new(*noise.first_chunk().unwrap());
        self.tag = Some(tag);
        (Header::handshake(Kind::Pair, tag).join(&noise), self)
    }

    /// Goes as far as message 3, which is not delivered yet.
    pub(super) fn enrol(
        self,
        desktop: &mut Tale,
        lie: impl FnOnce(&mut Enrolment),
    ) -> (Vec<u8>, Self, Terms, Hash) {
        let (opening, mut forger) = self.open_honestly();
        let envelope = sent_in(&desktop.receive(&opening));
        let plaintext = forger.handshake.read(Header::split(&envelope).unwrap().1).unwrap();
        let terms: Terms = canonical::decode(unpad(&plaintext).unwrap(), 1_024).unwrap();
        let h2 = forger.handshake.hash();
        let mut enrolment = Enrolment {
            nonce: forger.about.nonce.clone(),
            device: forger.about.device,
            relay: forger.about.relay,
            chain: Chain::new(vec![LEAF.to_vec()]).unwrap(),
            model: forger.about.model.clone(),
            app_version: forger.about.app_version.clone(),
            capabilities: 0,
        };
        lie(&mut enrolment);
        let payload = pad(&canonical::encode(&enrolment), forger.handshake.overhead()).unwrap();
        let noise = forger.handshake.write(&payload).unwrap();
        let tag = forger.tag();
        (Header::handshake(Kind::Pair, tag).join(&noise), forger, terms, h2)
    }
}

/// A desktop that holds `D_x` and makes its handshake by hand.
pub(super) struct FakeDesktop {
    handshake: Handshake,
    tag: SessionTag,
    pub(super) terms: Vec<u8>,
}

impl FakeDesktop {
    pub(super) fn new(phone: &mut Tale, version: u32) -> Self {
        let opening = sent_in(&phone.step(json!({ "do": "start", "ms": 0 })));
        let (header, noise) = Header::split(&opening).unwrap();
        let mut handshake = handshake(&ticket(), Role::Responder, AgreementKey::from_bytes([0x10; 32]), 0x12);
        handshake.read(noise).unwrap();
        let terms =
            Terms { version, nonce: secret(0x13), challenge: [0x14; 32], policy: AttestationPolicy::Strict };
        let payload = pad(&canonical::encode(&terms), handshake.overhead()).unwrap();
        let terms = Header::handshake(Kind::Pair, header.tag).join(&handshake.write(&payload).unwrap());
        Self { handshake, tag: header.tag, terms }
    }

    pub(super) fn proof(mut self, phone: &mut Tale, lie: impl FnOnce(&mut PairDesktop)) -> Vec<u8> {
        phone.receive(&self.terms);
        let shown = phone.step(json!({ "do": "bio_key", "ms": 0, "leaf": hex(LEAF) }));
        self.handshake.read(Header::split(&sent_in(&shown)).unwrap().1).unwrap();
        let AboutPhone { own, device, .. } = about_phone();
        let device_id = derive_device_id(&derive_desktop_id(&d_sig().public()), &device);
        let h = self.handshake.hash();
        let bound = Bound { h, desktop: ticket().desktop(), phone: own.public(), device, device_id };
        let mut proof = PairDesktop::sign(&bound, Foreign::new("attic"), Foreign::new("ada@attic"), &d_sig());
        lie(&mut proof);
        let message = RawMessage::new(Type::PairDesktop.code(), canonical::encode(&proof));
        sealed(&self.handshake.finish().unwrap(), self.tag, &message)
    }
}

/// A pairing handshake from the document alone.
fn handshake(ticket: &Ticket, role: Role, own: AgreementKey, ephemeral: u8) -> Handshake {
    let prologue = [&b"countersign/1/pair\0\x01"[..], ticket.rendezvous().as_bytes()].concat();
    let secret_of = [ticket_secret(ticket); 16];
    Handshake::new(Setup {
        pattern: Pattern::XkPsk0,
        role,
        own,
        peer: (role == Role::Initiator).then(|| ticket.desktop()),
        psk: Secret32::new(domain::derive(domain::PAIR_PSK0, &secret_of, &[], &[])),
        prologue,
        ephemeral: secret(ephemeral),
    })
    .unwrap()
}

/// The byte that this ticket's secret repeats.
fn ticket_secret(ticket: &Ticket) -> u8 {
    let text = ticket.text();
    let bytes = data_encoding::BASE32_NOPAD.decode(text.split_once(':').unwrap().1.as_bytes()).unwrap();
    *bytes.get(2).unwrap()
}

/// The envelope of a transport's first message.
pub(super) fn sealed(transport: &Transport, tag: SessionTag, message: &RawMessage) -> Vec<u8> {
    let part = split(0, message).unwrap().remove(0);
    let noise = transport.seal(0, &pad(&part.encode(), 16).unwrap()).unwrap();
    Header { kind: Kind::Data, tag, counter: 0 }.join(&noise)
}
