//! One of everything, with fixed keys: what the vectors, the bit flips and the cross-use tests start from.

use countersign_proto::{
    checkpoint::Checkpoint,
    domain::{self, Label},
    id::{DesktopId, DeviceId, Hash, LogId, OfferId, RequestId, RunId},
    key::{BioKey, SigningKey},
    message::{Lock, Revoked},
    offer::Offer,
    receipt::{Outcome, Receipt},
    reply::{Decision, Payload, QuestionAnswer, Replies, Reply, SignedReply},
    request::{
        Agent, Always, Block, Class, Dependency, Diff, Judgement, Kind, Labelled, Level, Place, Question,
        Request, Session, Subagent, Why,
    },
    text::Foreign,
};
use p256::{ecdsa::signature::Signer as _, pkcs8::EncodePublicKey as _};

/// Seeds of the fixed keys, one byte 32 times.
pub const DESKTOP: u8 = 0x11;
pub const DEVICE: u8 = 0x22;
pub const BIO: u8 = 0x33;
pub const OTHER_DESKTOP: u8 = 0x44;
pub const OTHER_DEVICE: u8 = 0x55;
pub const OTHER_BIO: u8 = 0x66;

/// A P-256 key in software, signing deterministically (RFC 6979).
pub struct BioSigner(p256::ecdsa::SigningKey);

impl BioSigner {
    pub fn of(seed: u8) -> Self {
        Self(p256::ecdsa::SigningKey::from_slice(&[seed; 32]).unwrap())
    }

    pub fn public(&self) -> BioKey {
        BioKey::from_spki_der(self.0.verifying_key().to_public_key_der().unwrap().as_bytes()).unwrap()
    }

    pub fn sign(&self, label: Label, bytes: &[u8]) -> Vec<u8> {
        self.signature(label, bytes).to_der().as_bytes().to_vec()
    }

    /// The other signature of the same bytes: s negated.
    pub fn sign_other_s(&self, label: Label, bytes: &[u8]) -> Vec<u8> {
        let signature = self.signature(label, bytes);
        let other = p256::ecdsa::Signature::from_scalars(signature.r(), -signature.s()).unwrap();
        other.to_der().as_bytes().to_vec()
    }

    fn signature(&self, label: Label, bytes: &[u8]) -> p256::ecdsa::Signature {
        self.0.sign(&domain::sig(label, &[bytes]))
    }
}

pub fn key(seed: u8) -> SigningKey {
    SigningKey::from_seed(&[seed; 32])
}

pub fn desktop_id(seed: u8) -> DesktopId {
    DesktopId::new(*domain::hash(domain::DESKTOP_ID, &[key(seed).public().as_bytes()]).as_bytes())
}

pub fn device_id(desktop: u8, device: u8) -> DeviceId {
    let hash =
        domain::hash(domain::DEVICE_ID, &[desktop_id(desktop).as_bytes(), key(device).public().as_bytes()]);
    DeviceId::from_slice(&hash.as_bytes()[..16]).unwrap()
}

pub fn text(text: &str) -> Foreign {
    Foreign::new(text)
}

/// A shell command that waits.
pub fn request() -> Request {
    let raw = br#"{"command":"cargo test"}"#;
    Request {
        v: Request::VERSION,
        id: RequestId::new([0xa1; 16]),
        kind: Kind::Tool,
        agent: Agent { id: text("claude"), version: text("2.1.332"), adapter: 1 },
        session: Session { id: text("5f0c"), title: text("fix the parser") },
        folder: b"/home/ada/parser".to_vec(),
        tool: text("Bash"),
        raw: domain::hash(domain::RAW, &[raw]),
        view_version: 1,
        view: vec![Block::Command(text("cargo test"))],
        judgement: Judgement {
            class: Class::Unknown,
            level: Level::Yellow,
            reasons: vec![text("nothing says that this may pass")],
            headline: text("Run a command"),
        },
        why: Why { step: 9, text: text("no rule and no policy matches"), line: None },
        taint: false,
        place: Place { host: text("anvil"), user: text("ada") },
        wall_ms: 1_796_083_200_000,
        ttl_ms: 115_000,
        always: vec![],
        replies: Replies::of(&[
            Decision::Deny,
            Decision::Dismiss,
            Decision::DenyWithNote,
            Decision::ApproveOnce,
            Decision::HandOff,
        ]),
        subagent: None,
        mode: text("default"),
        start_folder: Some(b"/home/ada/parser".to_vec()),
        words: text("I will run the tests."),
        whole: true,
        depends: vec![],
    }
}

/// A request in which every field that may be absent or empty is there.
pub fn full_request() -> Request {
    let hash = domain::hash(domain::FILE, &[b"old\n"]);
    Request {
        view: vec![
            Block::Command(text("sed -i s/a/b/ x")),
            Block::Diff(Diff {
                path: text("x"),
                is_new: false,
                added: 1,
                removed: 1,
                lines: text("-a\n+b\n"),
            }),
            Block::File(text("/home/ada/parser/x")),
            Block::Url(text("https://example.org/x?y=1")),
            Block::Text(Labelled { label: text("timeout"), text: text("120000") }),
            Block::Question(question()),
        ],
        why: Why { step: 5, text: text("a policy asks"), line: Some(text("ask Bash(sed *)")) },
        taint: true,
        always: vec![Always { scope: text("session"), text: text("sed -i s/a/b/ x") }],
        replies: Replies::of(&Decision::ALL),
        subagent: Some(Subagent { id: text("a7"), kind: text("reviewer"), parent: text("5f0c") }),
        depends: vec![
            Dependency { path: text("/usr/bin/sed"), hash: Some(hash) },
            Dependency { path: text("x.orig"), hash: None },
        ],
        ..request()
    }
}

pub fn question() -> Question {
    Question {
        tag: text("Colour"),
        text: text("Which one?"),
        options: vec![text("red"), text("green")],
        many: false,
    }
}

/// An offer of request bytes, to the fixed phone by the fixed desktop.
pub fn offer_of(request: Vec<u8>, allowed: Replies) -> Offer {
    Offer {
        v: Offer::VERSION,
        offer_id: OfferId::new([0xb2; 16]),
        desktop_id: desktop_id(DESKTOP),
        device_id: device_id(DESKTOP, DEVICE),
        offer_seq: 7,
        run_id: RunId::new([0xc3; 16]),
        request,
        ttl_ms: 115_000,
        allowed,
    }
}

pub fn offer() -> Offer {
    offer_of(request().encode(), request().replies)
}

/// A reply to [`offer`].
pub fn reply(decision: Decision) -> Reply {
    Reply {
        v: Reply::VERSION,
        desktop_id: desktop_id(DESKTOP),
        device_id: device_id(DESKTOP, DEVICE),
        offer_id: offer().offer_id,
        offer_hash: offer().sign(&key(DESKTOP)).hash(),
        decision,
        counter: 41,
        payload: payload(decision),
        phone_time: 1_796_083_209_000,
    }
}

/// What a decision carries.
pub fn payload(decision: Decision) -> Option<Payload> {
    let offered = |bytes: &[u8]| domain::hash(domain::OFFERED_TEXT, &[bytes]);
    match decision {
        Decision::Deny | Decision::Dismiss | Decision::ApproveOnce | Decision::HandOff => None,
        Decision::DenyWithNote => Some(Payload::Note(text("Use the script in ./ci instead."))),
        Decision::ApproveAlways => Some(Payload::Always(0, offered(b"cargo test"))),
        Decision::Answer => Some(Payload::Answers(vec![
            QuestionAnswer { options: vec![1], text: None },
            QuestionAnswer { options: vec![], text: Some(text("neither, ask me tomorrow")) },
        ])),
        Decision::Grant => Some(Payload::Offered(offered(b"cargo test, once"))),
        Decision::ServiceAction => Some(Payload::Offered(offered(b"unlock"))),
    }
}

/// Signs as the fixed phone does: the approval key only where the decision needs it.
pub fn sign(reply: &Reply) -> SignedReply {
    let bytes = reply.encode();
    let sig_bio = reply.decision.needs_bio().then(|| BioSigner::of(BIO).sign(domain::REPLY_BIO, &bytes));
    SignedReply { sig: key(DEVICE).sign(domain::REPLY_DEVICE, &[&bytes]), sig_bio, bytes }
}

pub fn receipt(outcome: Outcome) -> Receipt {
    Receipt {
        v: Receipt::VERSION,
        desktop_id: desktop_id(DESKTOP),
        device_id: device_id(DESKTOP, DEVICE),
        offer_id: Some(offer().offer_id),
        reply: Receipt::reply_hash(&reply(Decision::ApproveOnce).encode()),
        outcome,
        wall_ms: 1_796_083_209_500,
    }
}

pub fn lock() -> Lock {
    Lock { v: 1, desktop_id: desktop_id(DESKTOP), device_id: device_id(DESKTOP, DEVICE), counter: 42 }
}

pub fn revoked() -> Revoked {
    Revoked { v: 1, desktop_id: desktop_id(DESKTOP), device_id: device_id(DESKTOP, DEVICE) }
}

pub fn checkpoint() -> Checkpoint {
    Checkpoint {
        log_id: LogId::new([0xd4; 16]),
        seq: 256,
        head: Hash::new([0xe5; 32]),
        wall_ms: 1_796_083_200_000,
    }
}
