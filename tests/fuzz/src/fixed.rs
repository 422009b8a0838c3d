//! The keys and ids of `proto/vectors`, so that what is pinned there serves as a seed here, and helpers that many
//! targets share.

use countersign_proto::{
    id::{ChannelId, DesktopId, DeviceId},
    key::{BioKey, SigningKey},
    pairing::{derive_desktop_id, derive_device_id},
    text::{Shown, is_hidden},
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

/// Asserts that one line hides nothing and that showing it again changes nothing.
pub fn assert_line(shown: &Shown) {
    let text = shown.as_str();
    assert!(!text.chars().any(is_hidden), "hidden in {text:?}");
    assert_eq!(&Shown::line(text), shown);
}

/// Asserts the same of a text with lines.
pub fn assert_lines(shown: &Shown) {
    let text = shown.as_str();
    assert!(!text.chars().any(|c| is_hidden(c) && !matches!(c, '\n' | '\t')), "hidden in {text:?}");
    assert_eq!(&Shown::lines(text), shown);
}
