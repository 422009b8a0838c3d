//! Keys and signatures, wrapped so that a label is always part of what is signed, secrets are wiped on drop and never
//! shown, and only strict verification exists (protocol.md §1, §2).

use core::fmt;

use ed25519_dalek::Signer as _;
use p256::{
    ecdsa::{DerSignature, signature::Verifier as _},
    pkcs8::{DecodePublicKey as _, EncodePublicKey as _},
};
use subtle::ConstantTimeEq as _;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::{
    domain::{self, Label},
    refusal::Refusal,
};

/// 32 secret bytes: a psk, a seed. Compared in constant time, wiped on drop, never shown.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct Secret32([u8; 32]);

impl Secret32 {
    /// Takes the bytes.
    #[must_use]
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes, for the one who must use them.
    #[must_use]
    pub const fn expose(&self) -> &[u8; 32] {
        &self.0
    }
}

impl PartialEq for Secret32 {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for Secret32 {}

impl fmt::Debug for Secret32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret32(…)")
    }
}

/// An Ed25519 signature (RFC 8032), 64 bytes. Never an id or a key for deduplication.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Signature([u8; 64]);

impl Signature {
    /// Takes the bytes as they are.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 64]) -> Self {
        Self(bytes)
    }

    /// The bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 64] {
        &self.0
    }

    /// Takes a slice of exactly 64 bytes.
    #[must_use]
    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Signature(…)")
    }
}

impl<C> minicbor::Encode<C> for Signature {
    fn encode<W: minicbor::encode::Write>(
        &self,
        e: &mut minicbor::Encoder<W>,
        _: &mut C,
    ) -> Result<(), minicbor::encode::Error<W::Error>> {
        e.bytes(&self.0)?.ok()
    }
}

impl<'b, C> minicbor::Decode<'b, C> for Signature {
    fn decode(d: &mut minicbor::Decoder<'b>, _: &mut C) -> Result<Self, minicbor::decode::Error> {
        let at = d.position();
        Self::from_slice(d.bytes()?)
            .ok_or_else(|| minicbor::decode::Error::message("signature of the wrong length").at(at))
    }
}

/// An Ed25519 signing key: `D_sig`, `P_sig` or a relay key. Signs only under a label.
#[derive(Clone)]
pub struct SigningKey(ed25519_dalek::SigningKey);

impl SigningKey {
    /// The key of a 32-byte seed.
    #[must_use]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(ed25519_dalek::SigningKey::from_bytes(seed))
    }

    /// The seed, to be stored sealed.
    #[must_use]
    pub fn seed(&self) -> Secret32 {
        Secret32::new(self.0.to_bytes())
    }

    /// The public half.
    #[must_use]
    pub fn public(&self) -> VerifyingKey {
        VerifyingKey(self.0.verifying_key())
    }

    /// Signs `SIG(label, pieces)`.
    #[must_use]
    pub fn sign(&self, label: Label, pieces: &[&[u8]]) -> Signature {
        Signature(self.0.sign(&domain::sig(label, pieces)).to_bytes())
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({:?})", self.public())
    }
}

/// An Ed25519 public key that is not of small order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct VerifyingKey(ed25519_dalek::VerifyingKey);

impl VerifyingKey {
    /// Reads a public key.
    ///
    /// # Errors
    /// [`Refusal::Malformed`] where the bytes are no point, a weak one (protocol.md §1), or not the one form of theirs.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, Refusal> {
        let key = ed25519_dalek::VerifyingKey::from_bytes(bytes).map_err(|_| Refusal::Malformed)?;
        let is_one_form = key.to_edwards().compress().as_bytes() == bytes;
        if key.is_weak() || !is_one_form { Err(Refusal::Malformed) } else { Ok(Self(key)) }
    }

    /// The 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// Verifies a signature over `SIG(label, pieces)`, strictly.
    ///
    /// # Errors
    /// [`Refusal::BadDeviceSignature`].
    pub fn verify(&self, label: Label, pieces: &[&[u8]], signature: &Signature) -> Result<(), Refusal> {
        self.verify_raw(&domain::sig(label, pieces), signature)
    }

    /// Verifies a signature over bytes that already carry their label.
    pub(crate) fn verify_raw(&self, message: &[u8], signature: &Signature) -> Result<(), Refusal> {
        let signature = ed25519_dalek::Signature::from_bytes(&signature.0);
        self.0.verify_strict(message, &signature).map_err(|_| Refusal::BadDeviceSignature)
    }
}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VerifyingKey({})", data_encoding::HEXLOWER.encode(self.as_bytes()))
    }
}

impl<C> minicbor::Encode<C> for VerifyingKey {
    fn encode<W: minicbor::encode::Write>(
        &self,
        e: &mut minicbor::Encoder<W>,
        _: &mut C,
    ) -> Result<(), minicbor::encode::Error<W::Error>> {
        e.bytes(self.as_bytes())?.ok()
    }
}

impl<'b, C> minicbor::Decode<'b, C> for VerifyingKey {
    fn decode(d: &mut minicbor::Decoder<'b>, _: &mut C) -> Result<Self, minicbor::decode::Error> {
        let at = d.position();
        let bytes: Option<[u8; 32]> = d.bytes()?.try_into().ok();
        bytes
            .and_then(|bytes| Self::from_bytes(&bytes).ok())
            .ok_or_else(|| minicbor::decode::Error::message("no acceptable public key").at(at))
    }
}

/// The public half of an approval key: P-256, kept as the SPKI bytes that the certificate carried.
#[derive(Clone, PartialEq, Eq)]
pub struct BioKey {
    key: p256::ecdsa::VerifyingKey,
    spki: Vec<u8>,
}

impl BioKey {
    /// Reads a DER `SubjectPublicKeyInfo` of a P-256 key (RFC 5480) in its one DER form.
    ///
    /// # Errors
    /// [`Refusal::Malformed`] for anything else.
    pub fn from_spki_der(spki: &[u8]) -> Result<Self, Refusal> {
        let key = p256::ecdsa::VerifyingKey::from_public_key_der(spki).map_err(|_| Refusal::Malformed)?;
        let again = key.to_public_key_der().map_err(|_| Refusal::Malformed)?;
        if again.as_bytes() == spki { Ok(Self { key, spki: spki.to_vec() }) } else { Err(Refusal::Malformed) }
    }

    /// The SPKI bytes.
    #[must_use]
    pub fn spki_der(&self) -> &[u8] {
        &self.spki
    }

    /// Verifies an ECDSA P-256/SHA-256 signature in strict DER over `SIG(label, pieces)`. High-s is accepted: hardware
    /// makes it, and signature bytes are never used as an id.
    ///
    /// # Errors
    /// [`Refusal::BadBioSignature`].
    pub fn verify(&self, label: Label, pieces: &[&[u8]], der: &[u8]) -> Result<(), Refusal> {
        self.verify_raw(&domain::sig(label, pieces), der)
    }

    /// Verifies a signature over bytes that already carry their label.
    pub(crate) fn verify_raw(&self, message: &[u8], der: &[u8]) -> Result<(), Refusal> {
        let signature = DerSignature::from_bytes(der).map_err(|_| Refusal::BadBioSignature)?;
        self.key.verify(message, &signature).map_err(|_| Refusal::BadBioSignature)
    }
}

impl fmt::Debug for BioKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BioKey({})", domain::hash(domain::SPKI, &[&self.spki]))
    }
}

/// An X25519 secret (RFC 7748): `D_x` or `P_x`, one pair per pairing.
#[derive(Clone)]
pub struct AgreementKey(x25519_dalek::StaticSecret);

impl AgreementKey {
    /// Takes 32 random bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(x25519_dalek::StaticSecret::from(bytes))
    }

    /// The secret bytes, to be stored sealed or handed to the Noise resolver.
    #[must_use]
    pub fn expose(&self) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(self.0.to_bytes())
    }

    /// The public half.
    #[must_use]
    pub fn public(&self) -> AgreementPublic {
        AgreementPublic(x25519_dalek::PublicKey::from(&self.0).to_bytes())
    }

    /// The shared secret with a peer.
    ///
    /// # Errors
    /// [`Refusal::Malformed`] where the result does not depend on our key (an all-zero result, protocol.md §1).
    pub fn agree(&self, peer: &AgreementPublic) -> Result<Secret32, Refusal> {
        let shared = self.0.diffie_hellman(&x25519_dalek::PublicKey::from(peer.0));
        if shared.was_contributory() { Ok(Secret32::new(shared.to_bytes())) } else { Err(Refusal::Malformed) }
    }
}

impl fmt::Debug for AgreementKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AgreementKey({:?})", self.public())
    }
}

/// An X25519 public key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct AgreementPublic([u8; 32]);

impl AgreementPublic {
    /// Takes the bytes as they are; a useless point is refused when it is used.
    #[must_use]
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for AgreementPublic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AgreementPublic({})", data_encoding::HEXLOWER.encode(&self.0))
    }
}

#[cfg(test)]
mod wycheproof_signatures;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_holds_only_under_its_own_label_and_bytes() {
        let key = SigningKey::from_seed(&[1; 32]);
        let signature = key.sign(domain::OFFER, &[b"bytes"]);
        assert_eq!(key.public().verify(domain::OFFER, &[b"by", b"tes"], &signature), Ok(()));
        assert!(key.public().verify(domain::RECEIPT, &[b"bytes"], &signature).is_err());
        assert!(key.public().verify(domain::OFFER, &[b"other"], &signature).is_err());
    }

    #[test]
    fn the_small_order_key_that_plain_verification_accepts_is_refused() {
        let mut identity = [0; 32];
        identity[0] = 1;
        assert_eq!(VerifyingKey::from_bytes(&identity), Err(Refusal::Malformed));
    }

    #[test]
    fn a_zero_agreement_is_refused() {
        let key = AgreementKey::from_bytes([7; 32]);
        assert_eq!(key.agree(&AgreementPublic::new([0; 32])), Err(Refusal::Malformed));
    }

    #[test]
    fn no_debug_text_shows_a_secret() {
        let text = format!("{:?} {:?}", SigningKey::from_seed(&[0xab; 32]), Secret32::new([0xab; 32]));
        assert!(!text.contains("abababab") && !text.contains("171, 171"), "{text}");
    }
}
