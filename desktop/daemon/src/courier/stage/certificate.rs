//! A self-signed certificate, written by hand: what a demo phone shows, and what a LAN relay would.

use p256::{
    ecdsa::{DerSignature, SigningKey, signature::Signer as _},
    pkcs8::EncodePublicKey as _,
};

/// `ecdsa-with-SHA256`.
const ALGORITHM: &[u8] = &[0x30, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const COMMON_NAME: &[u8] = &[0x06, 0x03, 0x55, 0x04, 0x03];

/// The certificate of a key, signed by another or by itself.
pub(crate) fn certificate(key: &SigningKey, issuer: &str, signer: &SigningKey) -> Vec<u8> {
    let spki = key.verifying_key().to_public_key_der().unwrap();
    let validity = [tlv(0x17, b"260101000000Z"), tlv(0x17, b"491231235959Z")].concat();
    let version_3 = tlv(0xa0, &tlv(0x02, &[2]));
    let body = [
        &version_3,
        &tlv(0x02, &[1]),
        ALGORITHM,
        &name(issuer),
        &tlv(0x30, &validity),
        &name("phone"),
        spki.as_bytes(),
    ];
    let body = tlv(0x30, &body.concat());
    let signature: DerSignature = signer.sign(&body);
    let bits = [&[0], signature.as_bytes()].concat();
    tlv(0x30, &[&body, ALGORITHM, &tlv(0x03, &bits)].concat())
}

pub(crate) fn self_signed(key: &SigningKey) -> Vec<u8> {
    certificate(key, "phone", key)
}

fn name(common: &str) -> Vec<u8> {
    let attribute = tlv(0x30, &[COMMON_NAME, &tlv(0x0c, common.as_bytes())].concat());
    tlv(0x30, &tlv(0x31, &attribute))
}

fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = u8::try_from(content.len());
    let head = match length {
        Ok(short @ ..0x80) => vec![tag, short],
        Ok(long) => vec![tag, 0x81, long],
        Err(_) => {
            let [high, low] = u16::try_from(content.len()).unwrap().to_be_bytes();
            vec![tag, 0x82, high, low]
        }
    };
    [head.as_slice(), content].concat()
}
