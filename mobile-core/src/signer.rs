//! The phone's two signatures. The device key signs here, from a seed that the vault keeps sealed; the approval key
//! lives in the phone's hardware, so the shell is handed one immutable [`Pending`] and brings back its signature.

use countersign_proto::{
    domain,
    id::OfferId,
    key::{BioKey, SigningKey},
    refusal::Refusal,
    reply::{Reply, SignedReply},
    text::Shown,
};

/// What a finger is asked for. The shell signs exactly these bytes, or nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// Names this one prompt; its answer carries it back.
    pub prompt: u64,
    /// What is being decided.
    pub subject: Subject,
    /// What the prompt says.
    pub title: Shown,
    /// The bytes the approval key signs, label included.
    pub bytes: Vec<u8>,
}

/// What a signature of the approval key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// The reply to an offer.
    Offer(OfferId),
    /// The proof that ends a pairing.
    Pairing,
}

/// What the shell provides around the approval key. Results come back as inputs, since a finger takes its time.
pub trait BioSigner {
    /// Shows the prompt; an earlier one that is still up is taken down.
    fn ask(&mut self, pending: Pending);

    /// Takes the prompt down, if it is still up.
    fn cancel(&mut self);

    /// Destroys the approval key: this phone was revoked.
    fn destroy(&mut self);
}

/// A reply with its canonical bytes, made once and signed as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unsigned {
    pub(crate) reply: Reply,
    pub(crate) bytes: Vec<u8>,
}

impl Unsigned {
    pub(crate) fn new(reply: Reply) -> Self {
        Self { bytes: reply.encode(), reply }
    }

    /// What the approval key signs.
    pub(crate) fn bio_bytes(&self) -> Vec<u8> {
        domain::sig(domain::REPLY_BIO, &[&self.bytes])
    }

    /// Signs with the device key alone.
    pub(crate) fn sign(self, device: &SigningKey) -> SignedReply {
        let sig = device.sign(domain::REPLY_DEVICE, &[&self.bytes]);
        SignedReply { bytes: self.bytes, sig, sig_bio: None }
    }

    /// Signs with the device key beside the approval key's signature, which must verify.
    pub(crate) fn sign_with_bio(
        self,
        device: &SigningKey,
        bio: &BioKey,
        der: Vec<u8>,
    ) -> Result<SignedReply, Refusal> {
        bio.verify(domain::REPLY_BIO, &[&self.bytes], &der)?;
        Ok(SignedReply { sig_bio: Some(der), ..self.sign(device) })
    }
}
