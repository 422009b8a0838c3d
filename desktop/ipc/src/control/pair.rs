//! The steps of a pairing as the desktop's person sees them (PH-1).

use serde::{Deserialize, Serialize};

use super::status::Phone;

/// A step.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum PairEvent {
    /// Show this as a QR code. It is a secret until it is over: never log it.
    Ticket {
        /// The text of the code.
        text: String,
        /// Life left, in milliseconds.
        expires_in_ms: u64,
    },
    /// A phone scanned it.
    Scanned {},
    /// The phone said what it is.
    PhoneInfo(PhoneInfo),
    /// The phone shows six digits; the person types them (`PairCode`).
    CodeNeeded {
        /// Time left to type, in milliseconds.
        expires_in_ms: u64,
        /// How many codes may still be tried.
        tries_left: u32,
    },
    /// Those were other digits; `CodeNeeded` or `Failed` follows.
    WrongCode {
        /// How many codes may still be tried.
        tries_left: u32,
    },
    /// Paired and stored.
    Done {
        /// The phone.
        phone: Phone,
        /// Its two-word name.
        words: String,
        /// How long the test request took there and back; absent: it did not come back, see `trouble`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        round_trip_ms: Option<u64>,
        /// Why the test request did not come back; empty where it did.
        trouble: String,
    },
    /// Ended without a phone.
    Failed {
        /// Why.
        why: String,
        /// What to do.
        hint: String,
    },
}

/// What a phone says of itself and what its keys prove.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhoneInfo {
    /// Its name.
    pub name: String,
    /// Its model.
    pub model: String,
    /// Its key's fingerprint.
    pub fingerprint: String,
    /// How its keys are kept, in words.
    pub security: String,
}

impl core::fmt::Debug for PairEvent {
    /// Shows everything but the ticket, which is a secret.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Ticket { .. } => "Ticket",
            Self::Scanned {} => "Scanned",
            Self::PhoneInfo(_) => "PhoneInfo",
            Self::CodeNeeded { .. } => "CodeNeeded",
            Self::WrongCode { .. } => "WrongCode",
            Self::Done { .. } => "Done",
            Self::Failed { .. } => "Failed",
        })
    }
}
