//! A keypress in place of a finger: the approval key as software, with the prompt it would ask on a real phone.

use countersign_mobile_core::signer::{BioSigner, Pending};
use countersign_proto::id::DesktopId;
use p256::ecdsa::{DerSignature, SigningKey, signature::Signer};
use zeroize::Zeroizing;

/// The approval key, and the prompt that is up.
pub struct Finger {
    key: Option<SigningKey>,
    prompt: Option<Pending>,
    last: Vec<(Pending, Vec<u8>)>,
}

impl Finger {
    /// The approval key of 32 bytes; `None` where they are no key (fresh random bytes nearly always are).
    pub fn new(bytes: &[u8; 32]) -> Option<Self> {
        let key = SigningKey::from_slice(bytes).ok()?;
        Some(Self { key: Some(key), prompt: None, last: Vec::new() })
    }

    /// The key, unless it was destroyed.
    pub const fn key(&self) -> Option<&SigningKey> {
        self.key.as_ref()
    }

    /// The secret, to be stored sealed.
    pub fn secret(&self) -> Option<Zeroizing<[u8; 32]>> {
        self.key.as_ref().map(|key| Zeroizing::new(key.to_bytes().into()))
    }

    /// The name of its record in a vault.
    pub fn record(desktop: DesktopId) -> String {
        format!("{desktop}/finger")
    }

    /// The prompt that is up.
    pub const fn prompt(&self) -> Option<&Pending> {
        self.prompt.as_ref()
    }

    /// Signs what the prompt asks for: its number and the signature.
    pub fn touch(&mut self) -> Option<(u64, Vec<u8>)> {
        let pending = self.prompt.take()?;
        let signature: DerSignature = self.key.as_ref()?.sign(&pending.bytes);
        let der = signature.as_bytes().to_vec();
        let prompt = pending.prompt;
        self.last.push((pending, der.clone()));
        Some((prompt, der))
    }

    /// Takes the finger away: the number of the prompt that was up.
    pub fn refuse(&mut self) -> Option<u64> {
        self.prompt.take().map(|pending| pending.prompt)
    }

    /// What was signed so far, for tests that send it again.
    pub fn signed(&self) -> &[(Pending, Vec<u8>)] {
        &self.last
    }
}

impl BioSigner for Finger {
    fn ask(&mut self, pending: Pending) {
        self.prompt = Some(pending);
    }

    fn cancel(&mut self) {
        self.prompt = None;
    }

    fn destroy(&mut self) {
        self.prompt = None;
        self.key = None;
    }
}
