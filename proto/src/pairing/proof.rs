//! The proofs that end a pairing (protocol.md §4.5): each side's long-term keys sign the finished handshake and every
//! key that is about to be stored. Without all of them nothing is stored.

use minicbor::{Decode, Encode};

use super::fits_name;
use crate::{
    canonical, domain,
    id::{ChannelId, DesktopId, DeviceId, Hash},
    key::{AgreementPublic, BioKey, Signature, SigningKey, VerifyingKey},
    limits,
    refusal::Refusal,
    text::Foreign,
};

/// `H("countersign/1/desktop-id", D_sig.pub)`.
#[must_use]
pub fn derive_desktop_id(desktop: &VerifyingKey) -> DesktopId {
    DesktopId::new(*domain::hash(domain::DESKTOP_ID, &[desktop.as_bytes()]).as_bytes())
}

/// The first 16 bytes of `H("countersign/1/device-id", desktop_id ‖ P_sig.pub)`.
#[must_use]
pub fn derive_device_id(desktop: &DesktopId, device: &VerifyingKey) -> DeviceId {
    let hash = domain::hash(domain::DEVICE_ID, &[desktop.as_bytes(), device.as_bytes()]);
    let mut id = [0; DeviceId::LEN];
    for (to, from) in id.iter_mut().zip(hash.as_bytes()) {
        *to = *from;
    }
    DeviceId::new(id)
}

/// What every proof signs: `h ‖ D_x ‖ P_x ‖ P_sig ‖ device_id`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// The finished handshake's hash.
    pub h: Hash,
    /// `D_x.pub`.
    pub desktop: AgreementPublic,
    /// `P_x.pub`.
    pub phone: AgreementPublic,
    /// `P_sig.pub`.
    pub device: VerifyingKey,
    /// The phone, as this pairing's device.
    pub device_id: DeviceId,
}

impl Bound {
    fn pieces(&self) -> [&[u8]; 5] {
        [
            self.h.as_bytes(),
            self.desktop.as_bytes(),
            self.phone.as_bytes(),
            self.device.as_bytes(),
            self.device_id.as_bytes(),
        ]
    }

    /// The fields, then the approval key's hash, then whatever else is signed.
    fn with_bio(&self, bio: &BioKey, more: &[&[u8]]) -> Vec<u8> {
        let spki = domain::hash(domain::SPKI, &[bio.spki_der()]);
        [&self.pieces()[..], &[spki.as_bytes()], more].concat().concat()
    }

    /// The bytes that the approval key signs, label and all.
    #[must_use]
    pub fn bio_bytes(&self, bio: &BioKey) -> Vec<u8> {
        domain::sig(domain::PAIR_PHONE_BIO, &[&self.with_bio(bio, &[])])
    }
}

/// The desktop names itself and proves its installation's key. Sent after the code was typed.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct PairDesktop {
    /// `D_sig.pub`.
    #[n(0)]
    pub desktop: VerifyingKey,
    /// The desktop's name.
    #[n(1)]
    pub name: Foreign,
    /// `user@host`.
    #[n(2)]
    pub account: Foreign,
    /// What the phone is called from now on.
    #[n(3)]
    pub device_id: DeviceId,
    /// `D_sig` under `countersign/1/pair-desktop`.
    #[n(4)]
    pub sig: Signature,
}

impl PairDesktop {
    /// Makes the desktop's proof.
    #[must_use]
    pub fn sign(bound: &Bound, name: Foreign, account: Foreign, key: &SigningKey) -> Self {
        let sig = key.sign(domain::PAIR_DESKTOP, &bound.pieces());
        Self { desktop: key.public(), name, account, device_id: bound.device_id, sig }
    }

    /// Reads a proof.
    ///
    /// # Errors
    /// What [`canonical::decode`] refuses; [`Refusal::TooBig`] for a long name.
    pub fn decode(body: &[u8]) -> Result<Self, Refusal> {
        let proof: Self = canonical::decode(body, limits::ENVELOPE)?;
        if fits_name(&proof.name) && fits_name(&proof.account) { Ok(proof) } else { Err(Refusal::TooBig) }
    }

    /// Verifies the proof against what the phone knows; `bound` must carry the id that follows from this desktop's key.
    ///
    /// # Errors
    /// [`Refusal::WrongDevice`], [`Refusal::BadDeviceSignature`].
    pub fn verify(&self, bound: &Bound) -> Result<(), Refusal> {
        if self.device_id != bound.device_id {
            return Err(Refusal::WrongDevice);
        }
        self.desktop.verify(domain::PAIR_DESKTOP, &bound.pieces(), &self.sig)
    }
}

/// The phone proves both its keys.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct PairPhone {
    /// The device key under `countersign/1/pair-phone/device`.
    #[n(0)]
    pub sig_dev: Signature,
    /// The approval key under `countersign/1/pair-phone/bio`, DER.
    #[n(1)]
    #[cbor(with = "minicbor::bytes")]
    pub sig_bio: Vec<u8>,
}

impl PairPhone {
    /// Joins the device key's signature with the one the approval key made over [`Bound::bio_bytes`].
    #[must_use]
    pub fn sign(bound: &Bound, bio: &BioKey, sig_bio: Vec<u8>, device: &SigningKey) -> Self {
        let sig_dev = device.sign(domain::PAIR_PHONE_DEVICE, &[&bound.with_bio(bio, &[])]);
        Self { sig_dev, sig_bio }
    }

    /// Reads a proof.
    ///
    /// # Errors
    /// What [`canonical::decode`] refuses.
    pub fn decode(body: &[u8]) -> Result<Self, Refusal> {
        canonical::decode(body, limits::ENVELOPE)
    }

    /// Verifies both signatures.
    ///
    /// # Errors
    /// [`Refusal::BadDeviceSignature`], [`Refusal::BadBioSignature`].
    pub fn verify(&self, bound: &Bound, bio: &BioKey) -> Result<(), Refusal> {
        let bytes = bound.with_bio(bio, &[]);
        bound.device.verify(domain::PAIR_PHONE_DEVICE, &[&bytes], &self.sig_dev)?;
        bio.verify(domain::PAIR_PHONE_BIO, &[&bytes], &self.sig_bio)
    }
}

/// The desktop stored the pairing and opened its channel.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct PairDone {
    /// The pair's channel at the relay.
    #[n(0)]
    pub channel: ChannelId,
    /// `D_sig` under `countersign/1/pair-done`, over the phone's fields and the channel.
    #[n(1)]
    pub sig: Signature,
}

impl PairDone {
    /// Makes the desktop's last word.
    #[must_use]
    pub fn sign(bound: &Bound, bio: &BioKey, channel: ChannelId, key: &SigningKey) -> Self {
        let sig = key.sign(domain::PAIR_DONE, &[&bound.with_bio(bio, &[channel.as_bytes()])]);
        Self { channel, sig }
    }

    /// Reads it.
    ///
    /// # Errors
    /// What [`canonical::decode`] refuses.
    pub fn decode(body: &[u8]) -> Result<Self, Refusal> {
        canonical::decode(body, limits::ENVELOPE)
    }

    /// Verifies it.
    ///
    /// # Errors
    /// [`Refusal::BadDeviceSignature`].
    pub fn verify(&self, bound: &Bound, bio: &BioKey, desktop: &VerifyingKey) -> Result<(), Refusal> {
        let bytes = bound.with_bio(bio, &[self.channel.as_bytes()]);
        desktop.verify(domain::PAIR_DONE, &[&bytes], &self.sig)
    }
}
