//! A desktop for tests of the phone, here and in the demo phone: real keys, real sessions, and a small ledger that
//! settles each offer once. It needs nothing but `proto`.

use std::collections::{BTreeMap, BTreeSet};

use countersign_proto::{
    checkpoint::Checkpoint,
    domain,
    id::{ChannelId, DesktopId, DeviceId, Hash, LogId, OfferId, RequestId, RunId},
    key::{AgreementKey, BioKey, Secret32, SigningKey, VerifyingKey},
    limits,
    message::{
        Closed, Message, Notice, NoticeCode, OfferClosed, OfferMessage, OpenOffer, Ping, Revoked, Welcome,
    },
    offer::{Offer, SignedOffer},
    pairing::{Link, PairedDesktop, RelayHost, derive_desktop_id, derive_device_id},
    receipt::{Outcome, Receipt, SignedReceipt},
    refusal::Refusal,
    reply::{Decision, Replies, Reply, SignedReply, UnverifiedReply},
    request::{Agent, Block, Class, Judgement, Kind, Level, Place, Request, Session, Why},
    session::{DesktopEnd, PairRecord, Received, Suite},
    text::Foreign,
};
use p256::{
    ecdsa::{DerSignature, signature::Signer as _},
    pkcs8::EncodePublicKey as _,
};

/// A software approval key: the finger of the tests.
pub(crate) struct Finger(p256::ecdsa::SigningKey);

impl Finger {
    pub(crate) fn new() -> Self {
        Self(p256::ecdsa::SigningKey::from_slice(&[9; 32]).unwrap())
    }

    pub(crate) fn public(&self) -> BioKey {
        let der = self.0.verifying_key().to_public_key_der().unwrap();
        BioKey::from_spki_der(der.as_bytes()).unwrap()
    }

    pub(crate) fn sign(&self, bytes: &[u8]) -> Vec<u8> {
        let signature: DerSignature = self.0.sign(bytes);
        signature.as_bytes().to_vec()
    }
}

pub(crate) struct FakeDesktop {
    key: SigningKey,
    end: DesktopEnd,
    pub(crate) desktop_id: DesktopId,
    pub(crate) device_id: DeviceId,
    device: VerifyingKey,
    bio: BioKey,
    random: u64,
    /// Open offers with their deadlines.
    pub(crate) open: BTreeMap<OfferId, (SignedOffer, u64)>,
    over: BTreeSet<OfferId>,
    receipts: BTreeMap<Hash, SignedReceipt>,
    pub(crate) counter: u64,
    pub(crate) settled: Vec<Reply>,
    pub(crate) received: Vec<SignedReply>,
    pub(crate) refusals: Vec<(OfferId, Refusal)>,
    pub(crate) locks: u64,
    pub(crate) hellos: Vec<u64>,
    pub(crate) checkpoint: Option<Checkpoint>,
    /// Refuses the next replies with these.
    pub(crate) moods: Vec<Refusal>,
}

/// A paired desktop, and what the phone keeps of it: the desktop, the device key and the relay key.
pub(crate) fn pair(finger: &Finger) -> (FakeDesktop, PairedDesktop, [SigningKey; 2]) {
    let key = SigningKey::from_seed(&[1; 32]);
    let keys = [2, 3].map(|seed| SigningKey::from_seed(&[seed; 32]));
    let (own_d, own_p) = (AgreementKey::from_bytes([4; 32]), AgreementKey::from_bytes([5; 32]));
    let device = keys[0].public();
    let desktop_id = derive_desktop_id(&key.public());
    let device_id = derive_device_id(&desktop_id, &device);
    let (channel, psk) = (ChannelId::new([6; 16]), Secret32::new([7; 32]));
    let paired = PairedDesktop {
        desktop: key.public(),
        desktop_id,
        device_id,
        name: Foreign::new("desk"),
        account: Foreign::new("ada@desk"),
        relay: RelayHost::parse("127.0.0.1:7171").unwrap(),
        link: Link::Plain,
        channel,
        own: own_p.clone(),
        peer: own_d.public(),
        pair_psk: psk.clone(),
        bio: finger.public(),
        h: Hash::new([8; 32]),
    };
    let (suite, peer) = (Suite::X25519, own_p.public());
    let record = PairRecord { suite, channel, desktop_id, device_id, own: own_d, peer, psk };
    (FakeDesktop::new(key, record, device, finger.public()), paired, keys)
}

pub(crate) fn request(command: &str) -> Request {
    let text = Foreign::new;
    Request {
        v: Request::VERSION,
        id: RequestId::new([1; 16]),
        kind: Kind::Tool,
        agent: Agent { id: text("claude"), version: text("2.1.332"), adapter: 1 },
        session: Session { id: text("s"), title: text("fix the parser") },
        folder: b"/home/ada/work".to_vec(),
        tool: text("Bash"),
        raw: domain::hash(domain::RAW, &[command.as_bytes()]),
        view_version: 1,
        view: vec![Block::Command(text(command))],
        judgement: Judgement {
            class: Class::Unknown,
            level: Level::Yellow,
            reasons: Vec::new(),
            headline: text("Wants to run a command"),
        },
        why: Why { step: 9, text: text("Nothing allows it yet"), line: None },
        taint: false,
        place: Place { host: text("desk"), user: text("ada") },
        wall_ms: 1_800_000_000_000,
        ttl_ms: 115_000,
        always: Vec::new(),
        replies: Replies::of(&Decision::ALL),
        subagent: None,
        mode: text("default"),
        start_folder: Some(b"/home/ada/work".to_vec()),
        words: text("run the tests"),
        whole: true,
        depends: Vec::new(),
    }
}

fn allowed(request: &Request) -> Replies {
    let is_small = request.encode().len() <= limits::REQUEST;
    if is_small { Replies::of(&Decision::ALL) } else { Replies::of(&[Decision::Deny, Decision::Dismiss]) }
}

impl FakeDesktop {
    /// The desktop's end of a pairing.
    pub(crate) fn new(key: SigningKey, record: PairRecord, device: VerifyingKey, bio: BioKey) -> Self {
        Self {
            desktop_id: record.desktop_id,
            device_id: record.device_id,
            end: DesktopEnd::new(record),
            device,
            bio,
            key,
            random: 0,
            open: BTreeMap::new(),
            over: BTreeSet::new(),
            receipts: BTreeMap::new(),
            counter: 0,
            settled: Vec::new(),
            received: Vec::new(),
            refusals: Vec::new(),
            locks: 0,
            hellos: Vec::new(),
            checkpoint: None,
            moods: Vec::new(),
        }
    }

    fn random<const N: usize>(&mut self) -> [u8; N] {
        self.random += 1;
        let mut bytes = [0xd0; N];
        bytes[..8].copy_from_slice(&self.random.to_be_bytes());
        bytes
    }

    /// An offer of a request, signed but not sent.
    pub(crate) fn make_offer(&mut self, request: &Request, boot_ms: u64) -> (OfferId, OfferMessage) {
        let offer = Offer {
            v: Offer::VERSION,
            offer_id: OfferId::new(self.random()),
            desktop_id: self.desktop_id,
            device_id: self.device_id,
            offer_seq: self.random,
            run_id: RunId::new([0xaa; 16]),
            request: request.encode(),
            ttl_ms: request.ttl_ms,
            allowed: allowed(request),
        };
        let signed = offer.sign(&self.key);
        self.open.insert(offer.offer_id, (signed.clone(), boot_ms + request.ttl_ms));
        (offer.offer_id, OfferMessage { signed, left_ms: request.ttl_ms, fronted: false })
    }

    /// The same id with other content, signed all the same.
    pub(crate) fn make_other(&mut self, offer_id: OfferId, request: &Request) -> OfferMessage {
        let offer = Offer {
            v: Offer::VERSION,
            offer_id,
            desktop_id: self.desktop_id,
            device_id: self.device_id,
            offer_seq: 0,
            run_id: RunId::new([0xaa; 16]),
            request: request.encode(),
            ttl_ms: request.ttl_ms,
            allowed: allowed(request),
        };
        OfferMessage { signed: offer.sign(&self.key), left_ms: request.ttl_ms, fronted: false }
    }

    /// Seals a message, if there is a session.
    pub(crate) fn say(&mut self, message: &Message, boot_ms: u64) -> Vec<Vec<u8>> {
        let (kind, body) = message.encode();
        self.end.seal(kind, body, boot_ms).unwrap_or_default()
    }

    pub(crate) fn withdraw(&mut self, offer_id: OfferId, how: Closed, boot_ms: u64) -> Vec<Vec<u8>> {
        self.open.remove(&offer_id);
        self.over.insert(offer_id);
        let by = Foreign::new("the terminal");
        self.say(&Message::OfferClosed(OfferClosed { offer_id, how, by }), boot_ms)
    }

    pub(crate) fn revoke(&mut self, boot_ms: u64) -> Vec<Vec<u8>> {
        let revoked = Revoked { v: 1, desktop_id: self.desktop_id, device_id: self.device_id };
        let signed = revoked.sign(&self.key);
        self.say(&Message::Revoked(signed), boot_ms)
    }

    /// A checkpoint of one log.
    pub(crate) fn checkpoint(seq: u64, head: u8) -> Checkpoint {
        Checkpoint { log_id: LogId::new([1; 16]), seq, head: Hash::new([head; 32]), wall_ms: 0 }
    }

    /// The daemon was restarted: its offers are gone, its sessions too, its counter is not.
    pub(crate) fn restart(&mut self) {
        self.end.close();
        self.over.extend(self.open.keys());
        self.open.clear();
    }

    /// Takes an envelope and answers as a desktop would.
    pub(crate) fn receive(&mut self, envelope: &[u8], boot_ms: u64) -> Vec<Vec<u8>> {
        let random = self.random();
        match self.end.receive(envelope, random, boot_ms) {
            Ok(Received::Reply(reply)) => vec![reply],
            Ok(Received::Live(Some(raw)) | Received::Message(raw)) => {
                let message = Message::decode(raw.kind, &raw.body).unwrap();
                self.answer(message, boot_ms)
            }
            Ok(Received::Live(None) | Received::Nothing) | Err(_) => Vec::new(),
        }
    }

    fn answer(&mut self, message: Message, boot_ms: u64) -> Vec<Vec<u8>> {
        let answer = match message {
            Message::Hello(hello) => {
                self.hellos.push(hello.counter);
                Message::Welcome(self.welcome(boot_ms))
            }
            Message::GetOffer(get) => match self.open.get(&get.offer_id) {
                Some((signed, deadline)) => Message::Offer(OfferMessage {
                    signed: signed.clone(),
                    left_ms: deadline.saturating_sub(boot_ms),
                    fronted: false,
                }),
                None => return Vec::new(),
            },
            Message::Ping(Ping { nonce, pong: false }) => Message::Ping(Ping { nonce, pong: true }),
            Message::Reply(signed) => Message::Receipt(self.take_reply(signed, boot_ms)),
            Message::Lock(signed) => {
                countersign_proto::message::Lock::verify(&signed, &self.device).unwrap();
                let lock = countersign_proto::message::Lock::claims(&signed).unwrap();
                if lock.counter <= self.counter {
                    return Vec::new();
                }
                self.counter = lock.counter;
                self.locks += 1;
                Message::Notice(Notice { code: NoticeCode::Locked, text: Foreign::new("locked") })
            }
            _ => return Vec::new(),
        };
        self.say(&answer, boot_ms)
    }

    fn welcome(&self, boot_ms: u64) -> Welcome {
        let open = self.open.iter().map(|(id, (signed, deadline))| OpenOffer {
            offer_id: *id,
            offer_hash: signed.hash(),
            fronted: false,
            left_ms: deadline.saturating_sub(boot_ms),
        });
        Welcome {
            counter: self.counter,
            checkpoint: self.checkpoint.map(|checkpoint| checkpoint.sign(&self.key)),
            open: open.collect(),
        }
    }

    fn take_reply(&mut self, signed: SignedReply, boot_ms: u64) -> SignedReceipt {
        let hash = Receipt::reply_hash(&signed.bytes);
        if let Some(receipt) = self.receipts.get(&hash) {
            return receipt.clone();
        }
        self.received.push(signed.clone());
        let (_, body) = Message::Reply(signed).encode();
        let unverified = UnverifiedReply::read(&body).unwrap();
        let offer_id = unverified.claims().offer_id;
        let outcome = match self.settle(unverified, boot_ms) {
            Ok(Decision::Dismiss) => Outcome::Dismissed,
            Ok(decision) => Outcome::Released(decision),
            Err(refusal) => {
                self.refusals.push((offer_id, refusal));
                Outcome::Refused(if refusal.is_kept_from_phone() { 0 } else { refusal.code() })
            }
        };
        let is_settled = !matches!(outcome, Outcome::Refused(_));
        let receipt = Receipt {
            v: Receipt::VERSION,
            desktop_id: self.desktop_id,
            device_id: self.device_id,
            offer_id: Some(offer_id),
            reply: hash,
            outcome,
            wall_ms: 0,
        }
        .sign(&self.key);
        if is_settled {
            self.receipts.insert(hash, receipt.clone());
        }
        receipt
    }

    /// The check order of protocol.md §7.4, as far as a phone's tests need it.
    fn settle(&mut self, unverified: UnverifiedReply, boot_ms: u64) -> Result<Decision, Refusal> {
        let reply = unverified.claims().clone();
        let (signed, deadline) = match self.open.get(&reply.offer_id) {
            Some(open) => open.clone(),
            None if self.over.contains(&reply.offer_id) => return Err(Refusal::OfferClosed),
            None => return Err(Refusal::UnknownOffer),
        };
        if reply.offer_hash != signed.hash() {
            return Err(Refusal::HashMismatch);
        }
        if reply.counter <= self.counter {
            return Err(Refusal::CounterReplayed);
        }
        let verified = unverified.verify(&self.device, &self.bio)?;
        verified.get().check_payload()?;
        if let Some(mood) = self.moods.pop() {
            return Err(mood);
        }
        if boot_ms >= deadline {
            return Err(Refusal::TooLate);
        }
        self.counter = reply.counter;
        self.open.remove(&reply.offer_id);
        self.over.insert(reply.offer_id);
        self.settled.push(reply.clone());
        Ok(reply.decision)
    }
}
