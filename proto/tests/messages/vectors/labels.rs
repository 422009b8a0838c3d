//! `labels.json`: every label's hash, key derivation and signatures, and each signature under the wrong label.

use countersign_proto::{
    Refusal,
    domain::{self, Label},
    key::{Signature, SigningKey},
};
use serde_json::{Value, json};

use super::{VectorFile, approval_key, bad, case, hex, key, keys, unhex};
use crate::samples::{self, BIO, BioSigner, DEVICE};

const INPUT: &[u8] = b"some bytes";

#[test]
fn every_label() {
    VectorFile {
        name: "labels.json",
        about: "Every domain label (protocol.md 1) over the same `input` (hex): `hash` = SHA-256(label, 0, input); \
                `derived` = HKDF-SHA256(ikm = input, salt = 32 bytes 5a, info = label) of 32 bytes; `sig` by the device \
                key (Ed25519) and `sig_approval` by the approval key (ECDSA P-256, DER, RFC 6979), both over label, 0, \
                input. A bad one was signed under the label in `signed_as`.",
        keys: keys(),
        good: domain::ALL.iter().map(|label| good(*label)).collect(),
        bad: domain::ALL.iter().zip(domain::ALL.iter().cycle().skip(1)).flat_map(|(a, b)| swapped(*a, *b)).collect(),
    }
    .holds(check);
}

fn good(label: Label) -> Value {
    case(
        label.as_str(),
        json!({
            "label": label.as_str(),
            "input": hex(INPUT),
            "hash": domain::hash(label, &[INPUT]).to_string(),
            "derived": hex(&domain::derive::<32>(label, INPUT, &[0x5a; 32], &[])),
            "sig": hex(device().sign(label, &[INPUT]).as_bytes()),
            "sig_approval": hex(&BioSigner::of(BIO).sign(label, INPUT)),
        }),
    )
}

fn swapped(label: Label, signed_as: Label) -> [Value; 2] {
    let fields = |name: &str, sig: String| json!({ "label": label.as_str(), "signed_as": signed_as.as_str(), "input": hex(INPUT), name: sig });
    let sig = hex(device().sign(signed_as, &[INPUT]).as_bytes());
    let sig_approval = hex(&BioSigner::of(BIO).sign(signed_as, INPUT));
    let name = format!("{} signed as {}", label.as_str(), signed_as.as_str());
    [
        bad(&name, Refusal::BadDeviceSignature, fields("sig", sig)),
        bad(&format!("{name}, approval key"), Refusal::BadBioSignature, fields("sig_approval", sig_approval)),
    ]
}

fn device() -> SigningKey {
    samples::key(DEVICE)
}

fn check(keys: &Value, case: &Value) -> Result<(), Refusal> {
    let label = *domain::ALL.iter().find(|label| label.as_str() == case["label"]).unwrap();
    let input = unhex(&case["input"]);
    if let Some(hash) = case.get("hash") {
        assert_eq!(domain::hash(label, &[&input]).to_string(), *hash);
        assert_eq!(hex(&domain::derive::<32>(label, &input, &[0x5a; 32], &[])), case["derived"]);
    }
    if case.get("sig").is_some() {
        let sig = Signature::from_slice(&unhex(&case["sig"])).unwrap();
        key(keys, "device_public").verify(label, &[&input], &sig)?;
    }
    if case.get("sig_approval").is_some() {
        approval_key(keys).verify(label, &[&input], &unhex(&case["sig_approval"]))?;
    }
    Ok(())
}
