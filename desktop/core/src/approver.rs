//! Paired phones, entitled to decide until they are revoked.

use countersign_proto::{
    id::DeviceId,
    key::{BioKey, VerifyingKey},
    limits,
    text::Foreign,
};

/// Whether an approver's words count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// All of them.
    Active,
    /// Denials only, until a person at the desktop lifts it.
    Suspended(Suspicion),
    /// None, ever again.
    Revoked,
}

/// Why an approver is suspended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Suspicion {
    /// Five bad signatures in a minute (protocol.md §7.4).
    BadSignatures,
    /// Its counter came back lower than it was (protocol.md §7.5).
    CounterFell,
}

/// What holds the approval key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyStrength {
    /// Software keys of a demo phone (PH-8).
    Demo,
    /// A trusted execution environment, attested.
    Tee,
    /// A separate secure element, attested.
    StrongBox,
}

impl KeyStrength {
    /// The name in the store, the log and `--json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Demo => "demo",
            Self::Tee => "tee",
            Self::StrongBox => "strongbox",
        }
    }
}

/// A phone as pairing hands it over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewApprover {
    /// Its id.
    pub device_id: DeviceId,
    /// The name shown.
    pub name: Foreign,
    /// Model and app version, as it says.
    pub model: Foreign,
    /// The device key.
    pub device_key: VerifyingKey,
    /// The approval key.
    pub bio_key: BioKey,
    /// What holds the approval key.
    pub strength: KeyStrength,
    /// The approval key's certificate chain, DER, leaf first, kept so that it can be judged again.
    pub chain: Vec<Vec<u8>>,
    /// Wall time of the pairing, in ms.
    pub paired_wall_ms: u64,
}

/// An approver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approver {
    /// What pairing handed over.
    pub who: NewApprover,
    /// Whether its words count.
    pub standing: Standing,
    /// Counter of its last accepted word.
    pub counter: u64,
    /// Number of the last offer made to it.
    pub offer_seq: u64,
    /// Whether it has a live session.
    pub is_live: bool,
    /// Boot times of its bad signatures in the last minute.
    pub(crate) bad_signatures: Vec<u64>,
}

impl Approver {
    /// An approver as the store has it.
    #[must_use]
    pub const fn load(who: NewApprover, standing: Standing, counter: u64, offer_seq: u64) -> Self {
        Self { who, standing, counter, offer_seq, is_live: false, bad_signatures: Vec::new() }
    }

    /// Notes a bad signature; true when it is the one too many.
    pub(crate) fn note_bad_signature(&mut self, boot_ms: u64) -> bool {
        self.bad_signatures.retain(|at| boot_ms.saturating_sub(*at) < 60_000);
        self.bad_signatures.push(boot_ms);
        self.bad_signatures.len() >= limits::BAD_SIGNATURES as usize
    }
}
