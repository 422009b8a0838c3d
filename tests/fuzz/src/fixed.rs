//! The keys and ids of `proto/vectors`, so that what is pinned there serves as a seed here, and helpers that many
//! targets share.

use countersign_proto::{
    id::{ChannelId, DesktopId, DeviceId, Hash, RequestId},
    key::{AgreementKey, BioKey, Secret32, SigningKey},
    pairing::{Link, PairedDesktop, RelayHost, derive_desktop_id, derive_device_id},
    reply::Replies,
    request::{Agent, Always, Block, Class, Judgement, Kind, Level, Place, Request, Session, Why},
    text::{Foreign, Shown, is_hidden},
};
use p256::{
    ecdsa::{DerSignature, SigningKey as P256, signature::Signer as _},
    pkcs8::EncodePublicKey as _,
};

/// The self-signed certificate of the pairing vectors, whose key is [`pairing_finger`].
pub const LEAF: &[u8] = include_bytes!("../../../proto/vectors/approval_leaf.der");
/// What sealing adds to a plaintext.
pub const TAG: usize = 16;
/// Some channel.
pub const CHANNEL: ChannelId = ChannelId::new([0x43; 16]);

/// `D_sig`.
pub fn desktop() -> SigningKey {
    SigningKey::from_seed(&[0x11; 32])
}

/// `P_sig`.
pub fn device() -> SigningKey {
    SigningKey::from_seed(&[0x22; 32])
}

/// The desktop.
pub fn desktop_id() -> DesktopId {
    derive_desktop_id(&desktop().public())
}

/// The phone.
pub fn device_id() -> DeviceId {
    derive_device_id(&desktop_id(), &device().public())
}

/// `P_bio` of the message vectors.
pub fn finger() -> P256 {
    P256::from_slice(&[0x33; 32]).expect("a key")
}

/// `P_bio` of the pairing vectors.
pub fn pairing_finger() -> P256 {
    P256::from_slice(&[0x77; 32]).expect("a key")
}

/// The public half of an approval key.
pub fn bio_key(finger: &P256) -> BioKey {
    let spki = finger.verifying_key().to_public_key_der().expect("a key encodes");
    BioKey::from_spki_der(spki.as_bytes()).expect("its own form")
}

/// A finger's signature, in DER.
pub fn signed(finger: &P256, bytes: &[u8]) -> Vec<u8> {
    let signature: DerSignature = finger.sign(bytes);
    signature.as_bytes().to_vec()
}

/// What a phone keeps of the desktop.
pub fn paired_desktop() -> PairedDesktop {
    PairedDesktop {
        desktop: desktop().public(),
        desktop_id: desktop_id(),
        device_id: device_id(),
        name: Foreign::new("attic"),
        account: Foreign::new("ada@attic"),
        relay: RelayHost::parse("relay.example.org").expect("a host"),
        link: Link::Tls,
        channel: CHANNEL,
        own: AgreementKey::from_bytes([0x20; 32]),
        peer: AgreementKey::from_bytes([0x10; 32]).public(),
        pair_psk: Secret32::new([0x46; 32]),
        bio: bio_key(&finger()),
        h: Hash::new([9; 32]),
    }
}

/// A request to run a command, to which everything may be replied.
pub fn request() -> Request {
    let text = Foreign::new;
    Request {
        v: Request::VERSION,
        id: RequestId::new([1; 16]),
        kind: Kind::Tool,
        agent: Agent { id: text("claude"), version: text("2.1.332"), adapter: 1 },
        session: Session { id: text("s"), title: text("site") },
        folder: b"/home/ada".to_vec(),
        tool: text("Bash"),
        raw: Hash::new([3; 32]),
        view_version: 1,
        view: vec![Block::Command(text("make"))],
        judgement: Judgement {
            class: Class::Unknown,
            level: Level::Yellow,
            reasons: vec![],
            headline: text("Wants to run a command"),
        },
        why: Why { step: 9, text: text("nothing allows it"), line: None },
        taint: false,
        place: Place { host: text("attic"), user: text("ada") },
        wall_ms: 1,
        ttl_ms: 115_000,
        always: vec![Always { scope: text("session"), text: text("make") }],
        replies: Replies::ALL,
        subagent: None,
        mode: text("default"),
        start_folder: None,
        words: text("builds it"),
        whole: true,
        depends: vec![],
    }
}

/// Asserts that one line hides nothing and that showing it again changes nothing.
pub fn assert_line(shown: &Shown) {
    let text = shown.as_str();
    assert!(!text.chars().any(hides), "hidden in {text:?}");
    assert_eq!(&Shown::line(text), shown);
}

/// Asserts the same of a text with lines.
pub fn assert_lines(shown: &Shown) {
    let text = shown.as_str();
    assert!(!text.chars().any(|c| hides(c) && !matches!(c, '\n' | '\t')), "hidden in {text:?}");
    assert_eq!(&Shown::lines(text), shown);
}

/// Asserts that what a person is told of a refusal hides nothing of the foreign text it quotes.
pub fn assert_told(error: &impl ToString) {
    let text = error.to_string();
    assert!(!text.is_empty() && !text.chars().any(hides), "hidden in {text:?}");
}

/// Hidden, and none of the three that stay where they shape what is around them.
pub fn hides(c: char) -> bool {
    is_hidden(c) && !matches!(c, '\u{fe0f}' | '\u{200c}' | '\u{200d}')
}
