//! The demo phone's certificate chain: one self-signed certificate that says what it is. Only a daemon in demo mode
//! accepts it.

use std::time::Duration;

use anyhow::Context;
use der::{Encode, Sequence, asn1::BitString, oid::ObjectIdentifier};
use p256::{
    ecdsa::{DerSignature, SigningKey, signature::Signer},
    pkcs8::EncodePublicKey,
};
use x509_cert::{
    certificate::Version,
    name::Name,
    serial_number::SerialNumber,
    spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned},
    time::{Time, Validity},
};

/// Subject and issuer.
const NAME: &str = "CN=Countersign demo phone\\, software key";
/// ecdsa-with-SHA256 (RFC 5758).
const ECDSA_SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.2");
/// A demo phone lives as long as its daemon; a certificate that outlives the longest demo is enough.
const LIFE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// RFC 5280's `Certificate`, without extensions.
#[derive(Sequence)]
struct Certificate {
    tbs: Tbs,
    algorithm: AlgorithmIdentifierOwned,
    signature: BitString,
}

#[derive(Clone, Sequence)]
struct Tbs {
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT")]
    version: Version,
    serial: SerialNumber,
    algorithm: AlgorithmIdentifierOwned,
    issuer: Name,
    validity: Validity,
    subject: Name,
    spki: SubjectPublicKeyInfoOwned,
}

/// The certificate of an approval key, valid from `wall` on.
///
/// # Errors
/// None with a sound key; a failure of the DER encoder would end up here.
pub fn self_signed(key: &SigningKey, wall: Duration) -> anyhow::Result<Vec<u8>> {
    let spki = key.verifying_key().to_public_key_der().context("the key has no SPKI")?;
    let name: Name = NAME.parse()?;
    let algorithm = AlgorithmIdentifierOwned { oid: ECDSA_SHA256, parameters: None };
    let from = wall.saturating_sub(Duration::from_secs(60));
    let validity = Validity::new(time(from)?, time(from.saturating_add(LIFE))?);
    let tbs = Tbs {
        version: Version::V3,
        serial: SerialNumber::new(&[1])?,
        algorithm: algorithm.clone(),
        issuer: name.clone(),
        validity,
        subject: name,
        spki: spki.decode_msg()?,
    };
    let signature: DerSignature = key.sign(&tbs.to_der()?);
    let signature = BitString::from_bytes(signature.as_bytes())?;
    Ok(Certificate { tbs, algorithm, signature }.to_der()?)
}

fn time(since_1970: Duration) -> anyhow::Result<Time> {
    Ok(Time::UtcTime(der::asn1::UtcTime::from_unix_duration(since_1970)?))
}

#[cfg(test)]
mod tests {
    use countersign_proto::{domain, pairing::Chain};
    use der::Decode;

    use super::*;

    #[test]
    fn the_certificate_says_what_it_is_and_certifies_the_key_that_signs() {
        let key = SigningKey::from_slice(&[7; 32]).unwrap();
        let der = self_signed(&key, Duration::from_secs(1_800_000_000)).unwrap();
        let read = x509_cert::Certificate::from_der(&der).unwrap();
        let subject = read.tbs_certificate().subject().to_string();
        assert_eq!(subject, "CN=Countersign demo phone\\, software key");
        let bio = Chain::new(vec![der]).unwrap().leaf_key().unwrap();
        let signature: DerSignature = key.sign(&domain::sig(domain::REPLY_BIO, &[b"x"]));
        assert_eq!(bio.verify(domain::REPLY_BIO, &[b"x"], signature.as_bytes()), Ok(()));
    }
}
