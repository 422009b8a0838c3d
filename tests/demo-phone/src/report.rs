//! What the demo phone tells a person or a test, as text or as one JSON object a line. Every one of them carries the
//! label: nobody shall take this for a phone.

mod json;
#[cfg(test)]
pub(crate) mod tests;
mod text;

use countersign_mobile_core::{card::Card, phone::Event};
use countersign_proto::{
    id::OfferId,
    receipt::Outcome,
    text::{Part, Shown},
};

/// On everything this program shows.
pub const LABEL: &str = "DEMO PHONE, software keys";

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    /// The six-digit code, to be typed on the desktop.
    Code(String),
    /// A prompt is up that a finger must answer.
    Prompt(Shown),
    /// Paired.
    Paired {
        /// The desktop's id.
        desktop: String,
        /// This phone's id there.
        device: String,
        /// The desktop's name.
        name: Shown,
        /// `user@host`.
        account: Shown,
    },
    /// The relay took the claim, or why there is no socket.
    Relay(Result<(), String>),
    /// A card arrived.
    Card(Box<CardView>),
    /// What the phone's core says.
    Event(Event),
    /// What the desktop said to a reply that was sent once more.
    Replayed(OfferId, Outcome),
    /// A signed reply is kept back.
    Held,
    /// An order that could not be carried out, in words.
    NotDone(String),
    /// The end, in words.
    Bye(String),
}

/// A card with what changes beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardView {
    /// The card.
    pub card: Card,
    /// Time left, in ms.
    pub left_ms: u64,
    /// Whether it is in front on the desktop.
    pub fronted: bool,
    /// Whether its secrets are still folded; where there are none, nothing is.
    pub folded: bool,
    /// How many cards wait.
    pub waiting: usize,
}

impl CardView {
    /// What is shown of one of the card's texts: its secrets folded, or unfolded in marks that nothing else has.
    fn said(&self, text: &Shown) -> String {
        let piece = |part: &Part<'_>| match part {
            Part::Text(text) => (*text).to_owned(),
            Part::Secret(secret) if self.folded => secret.to_string(),
            Part::Secret(secret) => format!("⟨{}⟩", secret.unfolded()),
        };
        text.parts().iter().map(piece).collect()
    }
}
