//! Whether a phone's approval key counts. This version verifies no hardware: a daemon in demo mode takes the software key
//! of a demo phone, and every other daemon takes none.

use countersign_core::approver::KeyStrength;
use countersign_proto::pairing::{Chain, Objection};
use p256::{
    ecdsa::{DerSignature, VerifyingKey, signature::Verifier as _},
    pkcs8::DecodePublicKey as _,
};
use x509_cert::{
    Certificate,
    der::{Decode as _, Encode as _, asn1::ObjectIdentifier},
};

/// `ecdsa-with-SHA256` (RFC 5758).
const ECDSA_SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.2");

/// How strong the key is that a chain vouches for.
pub(super) fn judge(chain: &Chain, is_demo: bool) -> Result<KeyStrength, Objection> {
    match chain.certificates() {
        [only] if is_demo && is_self_signed(only).unwrap_or(false) => Ok(KeyStrength::Demo),
        _ => Err(Objection::KeyNotStrong),
    }
}

/// Whether a certificate of a P-256 key is signed by that very key.
fn is_self_signed(der: &[u8]) -> Option<bool> {
    let certificate = Certificate::from_der(der).ok()?;
    let body = certificate.tbs_certificate();
    let algorithms = [certificate.signature_algorithm(), body.signature()];
    if algorithms.iter().any(|algorithm| algorithm.oid != ECDSA_SHA256) || body.issuer() != body.subject() {
        return Some(false);
    }
    let spki = body.subject_public_key_info().to_der().ok()?;
    let key = VerifyingKey::from_public_key_der(&spki).ok()?;
    let signature = DerSignature::from_bytes(certificate.signature().as_bytes()?).ok()?;
    Some(key.verify(&body.to_der().ok()?, &signature).is_ok())
}
