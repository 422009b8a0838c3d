//! The desktop's signed word to a phone on what became of its reply (protocol.md §7.8). Without one the phone never
//! says "Allowed" (PH-4).

use minicbor::{Decode, Encode};

use crate::{
    canonical, domain,
    id::{DesktopId, DeviceId, Hash, OfferId},
    key::{Signature, SigningKey, VerifyingKey},
    limits,
    refusal::Refusal,
    reply::Decision,
    text::Foreign,
};

/// What became of a reply.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub enum Outcome {
    /// It settled the request and the agent was told.
    #[n(1)]
    Released(#[n(0)] Decision),
    /// It settled the request, but the hook was gone.
    #[n(2)]
    Unreleased(#[n(0)] Decision),
    /// The card is hidden on this phone; the request waits on.
    #[n(3)]
    Dismissed,
    /// Another answer was first: what it was, and whose.
    #[n(4)]
    AlreadySettled(#[n(0)] Foreign),
    /// It was refused: the code of a [`Refusal`], 0 where only "refused" is told.
    #[n(5)]
    Refused(#[n(0)] u16),
}

impl Outcome {
    /// A refusal as the phone may hear it: which of two signatures failed is nobody's business (§13).
    #[must_use]
    pub const fn refused(refusal: Refusal) -> Self {
        if refusal.is_kept_from_phone() { Self::Refused(0) } else { Self::Refused(refusal.code()) }
    }
}

/// A receipt.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Receipt {
    /// Version of this object, [`Receipt::VERSION`].
    #[n(0)]
    pub v: u32,
    /// The desktop that says it.
    #[n(1)]
    pub desktop_id: DesktopId,
    /// The phone it is for.
    #[n(2)]
    pub device_id: DeviceId,
    /// The offer that was answered; absent where the reply could not be read that far.
    #[n(3)]
    pub offer_id: Option<OfferId>,
    /// [`Receipt::reply_hash`] of the reply's signed bytes, so that it can't be taken for another reply's.
    #[n(4)]
    pub reply: Hash,
    /// What became of it.
    #[n(5)]
    pub outcome: Outcome,
    /// Desktop wall time in ms, shown only.
    #[n(6)]
    pub wall_ms: u64,
}

impl Receipt {
    /// The version this code makes and reads.
    pub const VERSION: u32 = 1;

    /// Makes the receipt's bytes and signs them.
    #[must_use]
    pub fn sign(&self, desktop: &SigningKey) -> SignedReceipt {
        let bytes = canonical::encode(self);
        let sig = desktop.sign(domain::RECEIPT, &[&bytes]);
        SignedReceipt { bytes, sig }
    }

    /// The hash by which a receipt names a reply's bytes.
    #[must_use]
    pub fn reply_hash(reply_bytes: &[u8]) -> Hash {
        domain::hash(domain::REPLY_HASH, &[reply_bytes])
    }
}

/// A receipt as it travels: `{0 bytes, 1 sig}`.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct SignedReceipt {
    /// The receipt's canonical bytes.
    #[n(0)]
    #[cbor(with = "minicbor::bytes")]
    pub bytes: Vec<u8>,
    /// `D_sig` over [`domain::RECEIPT`].
    #[n(1)]
    pub sig: Signature,
}

impl SignedReceipt {
    /// Verifies a receipt for this phone.
    ///
    /// # Errors
    /// As [`crate::offer::SignedOffer::open`].
    pub fn open(
        &self,
        desktop_key: &VerifyingKey,
        desktop: &DesktopId,
        device: &DeviceId,
    ) -> Result<Receipt, Refusal> {
        desktop_key.verify(domain::RECEIPT, &[&self.bytes], &self.sig)?;
        let receipt: Receipt = canonical::decode(&self.bytes, limits::MESSAGE)?;
        if receipt.v != Receipt::VERSION {
            return Err(Refusal::Malformed);
        }
        if receipt.desktop_id != *desktop {
            return Err(Refusal::WrongDesktop);
        }
        if receipt.device_id != *device {
            return Err(Refusal::WrongDevice);
        }
        Ok(receipt)
    }
}
