//! The payloads of the three handshake messages (protocol.md §4.3). The handshake binds them, so they carry no
//! signatures and, as unsigned messages, ignore keys they do not know.

use minicbor::{Decode, Encode};

use super::{Chain, VERSION, fits_name};
use crate::{
    canonical,
    id::Hash,
    key::{Secret32, VerifyingKey},
    limits,
    refusal::Refusal,
    text::Foreign,
};

/// Most versions a phone may list.
const VERSIONS: usize = 16;

/// How strictly the desktop will judge the approval key (protocol.md §8), told before the phone makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Encode, Decode)]
#[cbor(index_only)]
pub enum AttestationPolicy {
    /// Hardware-backed and biometric; the rest is shown.
    #[n(1)]
    Warn,
    /// Every row of the table.
    #[n(2)]
    Strict,
    /// A daemon in demo mode: software keys are welcome, and only a demo phone should answer.
    #[n(3)]
    Demo,
}

/// Message 1, from the phone.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Opening {
    /// Pairing versions the phone speaks.
    #[n(0)]
    pub versions: Vec<u32>,
    /// Its commitment ([`commit`](super::commit)).
    #[n(1)]
    pub commit: Hash,
}

impl Opening {
    pub(super) fn parse(payload: &[u8]) -> Result<Self, Refusal> {
        let opening: Self = canonical::decode_unsigned(payload, limits::ENVELOPE)?;
        if opening.versions.len() <= VERSIONS { Ok(opening) } else { Err(Refusal::TooBig) }
    }

    pub(super) fn speaks_ours(&self) -> bool {
        self.versions.contains(&u32::from(VERSION))
    }
}

/// Message 2, from the desktop.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Terms {
    /// The version chosen.
    #[n(0)]
    pub version: u32,
    /// `n_d`.
    #[n(1)]
    #[cbor(with = "secret")]
    pub nonce: Secret32,
    /// What the approval key's attestation must carry.
    #[n(2)]
    #[cbor(with = "minicbor::bytes")]
    pub challenge: [u8; 32],
    /// How it will be judged.
    #[n(3)]
    pub policy: AttestationPolicy,
}

impl Terms {
    pub(super) fn parse(payload: &[u8]) -> Result<Self, Refusal> {
        canonical::decode_unsigned(payload, limits::ENVELOPE)
    }
}

/// Message 3, from the phone.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Enrolment {
    /// `n_p`, which opens the commitment.
    #[n(0)]
    #[cbor(with = "secret")]
    pub nonce: Secret32,
    /// `P_sig.pub`, the device key.
    #[n(1)]
    pub device: VerifyingKey,
    /// `R_p.pub`, the phone's key at the relay.
    #[n(2)]
    pub relay: VerifyingKey,
    /// The approval key's attestation.
    #[n(3)]
    pub chain: Chain,
    /// The phone's model.
    #[n(4)]
    pub model: Foreign,
    /// The app's version.
    #[n(5)]
    pub app_version: Foreign,
    /// What the app can do beyond version 1: a bit set, empty today.
    #[n(6)]
    pub capabilities: u64,
}

impl Enrolment {
    pub(super) fn parse(payload: &[u8]) -> Result<Self, Refusal> {
        let enrolment: Self = canonical::decode_unsigned(payload, limits::ENVELOPE)?;
        let short = fits_name(&enrolment.model) && fits_name(&enrolment.app_version);
        if short { Ok(enrolment) } else { Err(Refusal::TooBig) }
    }
}

/// 32 secret bytes as a byte string.
mod secret {
    use minicbor::{
        Decoder, Encoder,
        decode::Error as DecodeError,
        encode::{Error as EncodeError, Write},
    };

    use crate::key::Secret32;

    pub(super) fn encode<C, W: Write>(
        secret: &Secret32,
        e: &mut Encoder<W>,
        _: &mut C,
    ) -> Result<(), EncodeError<W::Error>> {
        e.bytes(secret.expose())?.ok()
    }

    pub(super) fn decode<C>(d: &mut Decoder<'_>, _: &mut C) -> Result<Secret32, DecodeError> {
        let at = d.position();
        let bytes = d.bytes()?.try_into();
        bytes.map(Secret32::new).map_err(|_| DecodeError::message("secret of the wrong length").at(at))
    }
}
