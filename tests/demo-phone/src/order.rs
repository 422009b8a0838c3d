//! What a person or a test tells the demo phone, one order a line: plain words (`allow 3f2a`, `always 3f2a 1`, `note 3f2a not now`) or a
//! JSON object (`{"do":"note","offer":"3f2a","text":"not now"}`). An offer is named by the beginning of its id, or left
//! out for the card that is first.

use countersign_mobile_core::choice::Choice;
use countersign_proto::{id::OfferId, text::Foreign};
use serde::Deserialize;

/// An order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// Answer a card.
    Answer(Target, Choice),
    /// Unfold a card's secrets, and show it with them.
    Unfold(Target),
    /// Lock the desktop.
    Lock,
    /// Put the finger on the prompt that is up.
    Touch,
    /// Take the prompt down without a finger.
    Refuse,
    /// Keep signed replies back until [`Order::Flush`], or until the socket is lost.
    Hold,
    /// Let go what is kept back.
    Flush,
    /// Send the signed approval of this offer once more, in a session of its own.
    Replay(Target),
    /// Drop the socket to the relay, as if the network was lost.
    HangUp,
    /// End.
    Quit,
}

/// Which card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The first one that waits.
    First,
    /// The one whose id begins so.
    Starting(String),
    /// This one.
    Offer(OfferId),
}

/// A line that is no order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no order; write allow, deny, dismiss, handoff or unfold, then the beginning of a card's id (left out: the first \
     card); always or note with an id, then the text's index or the words; or lock, touch, refuse, hold, flush, replay, hangup, quit"
)]
pub struct BadOrder(String);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    r#do: String,
    offer: Option<String>,
    text: Option<String>,
}

impl Order {
    /// Reads a line.
    ///
    /// # Errors
    /// [`BadOrder`].
    pub fn parse(line: &str) -> Result<Self, BadOrder> {
        let bad = || BadOrder(line.trim().chars().take(80).collect());
        let parsed = if line.trim_start().starts_with('{') {
            let Line { r#do, offer, text } = serde_json::from_str(line).map_err(|_| bad())?;
            Self::read(&r#do, offer.as_deref(), text.as_deref())
        } else {
            let mut words = line.trim().splitn(3, char::is_whitespace);
            let (verb, offer, text) = (words.next().unwrap_or_default(), words.next(), words.next());
            Self::read(verb, offer, text)
        };
        parsed.ok_or_else(bad)
    }

    fn read(verb: &str, offer: Option<&str>, text: Option<&str>) -> Option<Self> {
        let target = match offer {
            Some(offer) => {
                let is_hex = (1..=32).contains(&offer.len()) && offer.bytes().all(|b| b.is_ascii_hexdigit());
                is_hex.then(|| Target::Starting(offer.to_ascii_lowercase()))?
            }
            None => Target::First,
        };
        let (bare, noted) = (text.is_none(), text.is_some());
        let alone = bare && offer.is_none();
        Some(match verb {
            "allow" if bare => Self::Answer(target, Choice::ApproveOnce),
            "always" if noted => Self::Answer(target, Choice::ApproveAlways(text?.trim().parse().ok()?)),
            "deny" if bare => Self::Answer(target, Choice::Deny),
            "note" if noted => Self::Answer(target, Choice::DenyWithNote(Foreign::new(text?))),
            "dismiss" if bare => Self::Answer(target, Choice::Dismiss),
            "handoff" if bare => Self::Answer(target, Choice::HandOff),
            "unfold" if bare => Self::Unfold(target),
            "replay" if bare => Self::Replay(target),
            "lock" if alone => Self::Lock,
            "touch" if alone => Self::Touch,
            "refuse" if alone => Self::Refuse,
            "hold" if alone => Self::Hold,
            "flush" if alone => Self::Flush,
            "hangup" if alone => Self::HangUp,
            "quit" if alone => Self::Quit,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_json_mean_the_same() {
        let note = Choice::DenyWithNote(Foreign::new("not  now, please"));
        let order = Order::Answer(Target::Starting("3f2a".into()), note);
        assert_eq!(Order::parse("note 3F2a not  now, please\n"), Ok(order.clone()));
        assert_eq!(Order::parse(r#"{"do":"note","offer":"3f2a","text":"not  now, please"}"#), Ok(order));
        let always = Order::Answer(Target::Starting("3f2a".into()), Choice::ApproveAlways(1));
        assert_eq!(Order::parse("always 3f2a 1"), Ok(always));
        assert_eq!(Order::parse("allow"), Ok(Order::Answer(Target::First, Choice::ApproveOnce)));
        assert_eq!(Order::parse(r#"{"do":"lock"}"#), Ok(Order::Lock));
    }

    #[test]
    fn what_is_no_order_is_refused_with_what_would_be() {
        for line in [
            "",
            "approve",
            "allow xyz",
            "allow 3f now",
            "note 3f",
            "always 3f",
            "always 3f all",
            "lock 3f",
            "{",
            r#"{"do":"allow","all":true}"#,
        ] {
            assert!(Order::parse(line).is_err(), "{line}");
        }
        assert!(Order::parse("yes").unwrap_err().to_string().starts_with("`yes` is no order; write allow"));
    }
}
