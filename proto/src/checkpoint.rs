//! Signed checkpoints of the audit log (protocol.md §10). Phones keep the highest one of each desktop, which is what
//! catches a log that was cut or rewritten by somebody who holds the desktop's key.

use minicbor::{Decode, Encode};

use crate::{
    canonical, domain,
    id::{Hash, LogId},
    key::{Signature, SigningKey, VerifyingKey},
    limits,
    refusal::Refusal,
};

/// Where a log stood at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Checkpoint {
    /// The log.
    #[n(0)]
    pub log_id: LogId,
    /// Its newest entry.
    #[n(1)]
    pub seq: u64,
    /// That entry's hash.
    #[n(2)]
    pub head: Hash,
    /// Wall time in ms.
    #[n(3)]
    pub wall_ms: u64,
}

impl Checkpoint {
    /// Makes the checkpoint's bytes and signs them.
    #[must_use]
    pub fn sign(&self, desktop: &SigningKey) -> SignedCheckpoint {
        let bytes = canonical::encode(self);
        let sig = desktop.sign(domain::CHECKPOINT, &[&bytes]);
        SignedCheckpoint { bytes, sig }
    }
}

/// A checkpoint as it travels: `{0 bytes, 1 sig}`.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct SignedCheckpoint {
    /// The checkpoint's canonical bytes.
    #[n(0)]
    #[cbor(with = "minicbor::bytes")]
    pub bytes: Vec<u8>,
    /// `D_sig` over [`domain::CHECKPOINT`].
    #[n(1)]
    pub sig: Signature,
}

impl SignedCheckpoint {
    /// Verifies a checkpoint of a desktop.
    ///
    /// # Errors
    /// [`Refusal::BadDeviceSignature`], and what [`canonical::decode`] refuses.
    pub fn open(&self, desktop_key: &VerifyingKey) -> Result<Checkpoint, Refusal> {
        desktop_key.verify(domain::CHECKPOINT, &[&self.bytes], &self.sig)?;
        canonical::decode(&self.bytes, limits::MESSAGE)
    }
}
