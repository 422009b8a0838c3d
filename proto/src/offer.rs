//! The offer of protocol.md §7.2: one phone's copy of a request, signed by the desktop. Its bytes never change; the
//! time left travels beside them.

use minicbor::{Decode, Encode};

use crate::{
    canonical, domain,
    id::{DesktopId, DeviceId, Hash, OfferId, RunId},
    key::{Signature, SigningKey, VerifyingKey},
    limits,
    refusal::Refusal,
    reply::{Decision, Replies},
    request::{Class, Request},
};

/// An offer. Field numbers are those of protocol.md §7.2.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Offer {
    /// Version of this object, [`Offer::VERSION`].
    #[n(0)]
    pub v: u32,
    /// Its id, used once.
    #[n(1)]
    pub offer_id: OfferId,
    /// The desktop that offers.
    #[n(2)]
    pub desktop_id: DesktopId,
    /// The phone it is for.
    #[n(3)]
    pub device_id: DeviceId,
    /// Its place in the desktop's offers to this phone.
    #[n(4)]
    pub offer_seq: u64,
    /// The daemon's run.
    #[n(5)]
    pub run_id: RunId,
    /// The request's canonical bytes.
    #[n(6)]
    #[cbor(with = "minicbor::bytes")]
    pub request: Vec<u8>,
    /// Time from arrival to the deadline, in ms.
    #[n(7)]
    pub ttl_ms: u64,
    /// Replies this phone may give.
    #[n(8)]
    pub allowed: Replies,
}

impl Offer {
    /// The version this code makes and reads.
    pub const VERSION: u32 = 1;

    /// Makes the offer's bytes and signs them.
    #[must_use]
    pub fn sign(&self, desktop: &SigningKey) -> SignedOffer {
        let bytes = canonical::encode(self);
        let sig = desktop.sign(domain::OFFER, &[&bytes]);
        SignedOffer { bytes, sig }
    }

    /// Whether what is allowed fits the request: nothing but a denial where it is too big to be shown whole, and no
    /// *Always* for what can't be undone (§7.1, §7.3).
    fn check_allowed(&self, request: &Request) -> Result<(), Refusal> {
        let unseen = Replies::of(&[Decision::Deny, Decision::Dismiss]);
        if self.request.len() > limits::REQUEST && !self.allowed.is_within(unseen) {
            return Err(Refusal::TooBig);
        }
        if request.judgement.class == Class::Destructive && self.allowed.contains(Decision::ApproveAlways) {
            return Err(Refusal::DestructiveNoAlways);
        }
        Ok(())
    }
}

/// An offer as it travels: `{0 bytes, 1 sig}`.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct SignedOffer {
    /// The offer's canonical bytes.
    #[n(0)]
    #[cbor(with = "minicbor::bytes")]
    pub bytes: Vec<u8>,
    /// `D_sig` over [`domain::OFFER`].
    #[n(1)]
    pub sig: Signature,
}

/// An offer that the phone verified, with the request it carries and the hash a reply must name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedOffer {
    offer: Offer,
    request: Request,
    hash: Hash,
}

impl OpenedOffer {
    /// The offer.
    #[must_use]
    pub const fn offer(&self) -> &Offer {
        &self.offer
    }

    /// The request, decoded from the very bytes that are hashed.
    #[must_use]
    pub const fn request(&self) -> &Request {
        &self.request
    }

    /// What a reply to it signs.
    #[must_use]
    pub const fn hash(&self) -> Hash {
        self.hash
    }
}

impl SignedOffer {
    /// The hash that a reply names.
    #[must_use]
    pub fn hash(&self) -> Hash {
        domain::hash(domain::OFFER_HASH, &[&self.bytes])
    }

    /// Verifies an offer for this phone and opens it.
    ///
    /// # Errors
    /// [`Refusal::BadDeviceSignature`] where `D_sig` did not sign it, [`Refusal::WrongDesktop`],
    /// [`Refusal::WrongDevice`], what [`canonical::decode`] and [`Request::decode`] refuse, [`Refusal::TooBig`] and
    /// [`Refusal::DestructiveNoAlways`] where more is allowed than such a request can be.
    pub fn open(
        &self,
        desktop_key: &VerifyingKey,
        desktop: &DesktopId,
        device: &DeviceId,
    ) -> Result<OpenedOffer, Refusal> {
        desktop_key.verify(domain::OFFER, &[&self.bytes], &self.sig)?;
        let offer: Offer = canonical::decode(&self.bytes, limits::MESSAGE)?;
        if offer.v != Offer::VERSION {
            return Err(Refusal::Malformed);
        }
        if offer.desktop_id != *desktop {
            return Err(Refusal::WrongDesktop);
        }
        if offer.device_id != *device {
            return Err(Refusal::WrongDevice);
        }
        let request = Request::decode(&offer.request)?;
        offer.check_allowed(&request)?;
        Ok(OpenedOffer { hash: self.hash(), offer, request })
    }
}
