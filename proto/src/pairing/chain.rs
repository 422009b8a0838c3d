//! An attestation chain as it travels: at most six certificates and 16 KiB, leaf first. What it proves is judged
//! elsewhere; here only the approval key is read from its leaf.

use minicbor::{
    Decode, Decoder, Encode, Encoder,
    decode::Error as DecodeError,
    encode::{Error as EncodeError, Write},
};
use x509_cert::{
    Certificate,
    der::{Decode as _, Encode as _},
};

use crate::{key::BioKey, limits, refusal::Refusal};

/// Certificates in DER, leaf first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain(Vec<Vec<u8>>);

impl Chain {
    /// Takes certificates.
    ///
    /// # Errors
    /// [`Refusal::TooBig`] beyond [`limits::CHAIN_CERTIFICATES`] or [`limits::CHAIN`]; [`Refusal::Malformed`] without any.
    pub fn new(certificates: Vec<Vec<u8>>) -> Result<Self, Refusal> {
        let bytes: usize = certificates.iter().map(Vec::len).sum();
        if certificates.len() > limits::CHAIN_CERTIFICATES || bytes > limits::CHAIN {
            return Err(Refusal::TooBig);
        }
        if certificates.iter().all(Vec::is_empty) { Err(Refusal::Malformed) } else { Ok(Self(certificates)) }
    }

    /// The certificates, leaf first.
    #[must_use]
    pub fn certificates(&self) -> &[Vec<u8>] {
        &self.0
    }

    /// The key that the leaf certifies.
    ///
    /// # Errors
    /// [`Refusal::Malformed`] where the leaf is no certificate of a P-256 key.
    pub fn leaf_key(&self) -> Result<BioKey, Refusal> {
        let leaf = self.0.first().ok_or(Refusal::Malformed)?;
        let leaf = Certificate::from_der(leaf).map_err(|_| Refusal::Malformed)?;
        let spki =
            leaf.tbs_certificate().subject_public_key_info().to_der().map_err(|_| Refusal::Malformed)?;
        BioKey::from_spki_der(&spki)
    }
}

impl<C> Encode<C> for Chain {
    fn encode<W: Write>(&self, e: &mut Encoder<W>, _: &mut C) -> Result<(), EncodeError<W::Error>> {
        e.array(self.0.len() as u64)?;
        for certificate in &self.0 {
            e.bytes(certificate)?;
        }
        Ok(())
    }
}

impl<'b, C> Decode<'b, C> for Chain {
    fn decode(d: &mut Decoder<'b>, _: &mut C) -> Result<Self, DecodeError> {
        let at = d.position();
        let wrong = |text| DecodeError::message(text).at(at);
        let count = d.array()?.ok_or_else(|| wrong("chain of no definite length"))?;
        if count > limits::CHAIN_CERTIFICATES as u64 {
            return Err(wrong("too many certificates"));
        }
        let certificates = (0..count).map(|_| d.bytes().map(<[u8]>::to_vec)).collect::<Result<_, _>>()?;
        Self::new(certificates).map_err(|_| wrong("chain too long or empty"))
    }
}
