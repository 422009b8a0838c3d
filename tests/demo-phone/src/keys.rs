//! The demo phone at a terminal: one card in front, single keys that answer only that card, and a line for a note.

use std::{
    collections::VecDeque,
    io,
    time::{Duration, Instant},
};

use countersign_mobile_core::{choice::Choice, phone::Event};
use countersign_proto::{id::OfferId, limits, text::Foreign};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::{
    order::{Order, Target},
    report::{CardView, LABEL, Report},
};

/// Removes the countdown's line.
const CLEAR: &str = "\r\x1b[K";
/// Said to a key that came too soon.
pub const AGAIN: &str = "read it, then press again";
/// From here on the card counts down.
const COUNT_FROM: Duration = Duration::from_secs(30);

/// The terminal, reading single keys without showing them; as before when this is dropped.
pub struct Terminal {
    before: Termios,
}

impl Terminal {
    /// Takes standard input.
    ///
    /// # Errors
    /// It is no terminal.
    pub fn open() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut now = before.clone();
        now.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        tcsetattr(io::stdin(), OptionalActions::Now, &now)?;
        Ok(Self { before })
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // There is nobody left to tell, and nothing else to try.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
    }
}

/// What is on the screen.
#[derive(Default)]
pub struct Keys {
    cards: VecDeque<Waiting>,
    mode: Mode,
}

struct Waiting {
    view: CardView,
    arrived: Instant,
    /// Since when it is in front.
    front: Option<Instant>,
}

#[derive(Default)]
enum Mode {
    #[default]
    Keys,
    /// A prompt waits for its finger.
    Finger,
    /// A note for this card is being typed.
    Note(OfferId, String),
}

impl Keys {
    /// Takes a report: what to write.
    pub fn report(&mut self, report: Report) -> String {
        match report {
            Report::Card(view) => {
                let offer_id = view.card.offer_id;
                let waiting = Waiting { view: *view, arrived: Instant::now(), front: None };
                // One that was unfolded stays in its place, and comes to the front anew.
                match self.cards.iter_mut().find(|card| card.view.card.offer_id == offer_id) {
                    Some(card) => *card = waiting,
                    None => self.cards.push_back(waiting),
                }
                self.bring_to_front()
            }
            Report::Prompt(_) if matches!(self.mode, Mode::Keys) && self.cards.is_empty() => {
                self.mode = Mode::Finger;
                line(&report) + "a touch (stands for the finger), q leave\n"
            }
            // The keypress that decided a card stands for the finger.
            Report::Prompt(_) => String::new(),
            Report::Event(Event::Ended(offer_id, _)) => {
                self.cards.retain(|card| card.view.card.offer_id != offer_id);
                if matches!(&self.mode, Mode::Note(of, _) if *of == offer_id) {
                    self.mode = Mode::Keys;
                }
                line(&report) + &self.bring_to_front()
            }
            other => line(&other),
        }
    }

    /// Takes a key: an order, and what to write.
    pub fn press(&mut self, key: &str) -> (Option<Order>, String) {
        match core::mem::take(&mut self.mode) {
            Mode::Note(offer_id, text) => self.type_note(offer_id, text, key),
            Mode::Finger => match key {
                "a" | "\n" => (Some(Order::Touch), String::new()),
                "q" => (Some(Order::Refuse), String::new()),
                _ => {
                    self.mode = Mode::Finger;
                    (None, String::new())
                }
            },
            Mode::Keys => self.answer(key),
        }
    }

    /// The countdown of the card in front, in its last half minute.
    pub fn count_down(&self) -> String {
        let Some(card) = self.cards.front().filter(|_| matches!(self.mode, Mode::Keys)) else {
            return String::new();
        };
        let left = Duration::from_millis(card.view.left_ms).saturating_sub(card.arrived.elapsed());
        if left > COUNT_FROM {
            return String::new();
        }
        format!("{CLEAR}goes back to the terminal in 0:{:02} ", left.as_secs())
    }

    fn answer(&mut self, key: &str) -> (Option<Order>, String) {
        match key {
            "l" => return (Some(Order::Lock), String::new()),
            "q" => return (Some(Order::Quit), String::new()),
            _ => {}
        }
        let Some(card) = self.cards.front() else { return (None, String::new()) };
        let offer_id = card.view.card.offer_id;
        // A key that was meant for the card before does not answer the one that just came.
        let is_fronted = card.front.is_some_and(|since| since.elapsed() >= limits::FRONTED);
        let choice = match key {
            "u" => return (Some(Order::Unfold(Target::Offer(offer_id))), String::new()),
            "a" | "d" | "x" | "h" | "n" if !is_fronted => {
                return (None, format!("{CLEAR}[{LABEL}] this card just came: {AGAIN}\n"));
            }
            "a" => Choice::ApproveOnce,
            "d" => Choice::Deny,
            "x" => Choice::Dismiss,
            "h" => Choice::HandOff,
            "n" => {
                self.mode = Mode::Note(offer_id, String::new());
                let prompt = format!("{CLEAR}[{LABEL}] note (Enter sends, Escape leaves): ");
                return (None, prompt);
            }
            _ => return (None, String::new()),
        };
        (Some(Order::Answer(Target::Offer(offer_id), choice)), String::new())
    }

    fn type_note(&mut self, offer_id: OfferId, mut text: String, key: &str) -> (Option<Order>, String) {
        match key {
            "\n" | "\r" => {
                let choice = Choice::DenyWithNote(Foreign::new(text));
                return (Some(Order::Answer(Target::Offer(offer_id), choice)), "\n".to_owned());
            }
            "\x1b" => return (None, "\n".to_owned()),
            "\x7f" | "\x08" => {
                let shown = if text.pop().is_some() { "\x08 \x08" } else { "" };
                self.mode = Mode::Note(offer_id, text);
                return (None, shown.to_owned());
            }
            key if key.chars().any(char::is_control) => {}
            key => text.push_str(key),
        }
        let shown = if key.chars().any(char::is_control) { String::new() } else { key.to_owned() };
        self.mode = Mode::Note(offer_id, text);
        (None, shown)
    }

    fn bring_to_front(&mut self) -> String {
        let waiting = self.cards.len();
        let Some(card) = self.cards.front_mut().filter(|card| card.front.is_none()) else {
            return if waiting > 1 {
                format!("{CLEAR}[{LABEL}] {waiting} cards wait\n")
            } else {
                String::new()
            };
        };
        card.front = Some(Instant::now());
        let gone = u64::try_from(card.arrived.elapsed().as_millis()).unwrap_or(u64::MAX);
        let left_ms = card.view.left_ms.saturating_sub(gone);
        line(&Report::Card(Box::new(CardView { waiting, left_ms, ..card.view.clone() })))
    }
}

fn line(report: &Report) -> String {
    report.text().map_or_else(String::new, |text| format!("{CLEAR}{text}\n"))
}

#[cfg(test)]
mod tests {
    use countersign_mobile_core::inbox::End;
    use countersign_proto::text::Shown;

    use super::*;
    use crate::report::tests::view;

    fn card(id: u8) -> Report {
        Report::Card(Box::new(view(id)))
    }

    /// As if the card in front had been there for a while.
    fn wait(keys: &mut Keys) {
        let card = keys.cards.front_mut().unwrap();
        card.front = card.front.and_then(|front| front.checked_sub(limits::FRONTED));
    }

    #[test]
    fn a_key_answers_only_the_card_in_front_and_only_once_it_could_be_seen() {
        let mut keys = Keys::default();
        assert_eq!(keys.press("a").0, None);
        assert!(keys.report(card(1)).contains("Wants to run a command"));
        assert!(keys.report(card(2)).contains("2 cards wait"));
        assert_eq!(keys.press("a").0, None, "a key meant for what was there before");
        wait(&mut keys);
        let first = OfferId::new([1; 16]);
        let order = Order::Answer(Target::Offer(first), Choice::ApproveOnce);
        assert_eq!(keys.press("a").0, Some(order));
        let ended = Report::Event(Event::Ended(first, End::Gone));
        assert!(keys.report(ended).contains("1 of 1"));
        assert_eq!(keys.press("d").0, None);
        wait(&mut keys);
        let order = Order::Answer(Target::Offer(OfferId::new([2; 16])), Choice::Deny);
        assert_eq!(keys.press("d").0, Some(order));
    }

    #[test]
    fn a_card_that_was_unfolded_is_shown_again_in_its_place_and_only_then_its_key_counts() {
        let mut keys = Keys::default();
        keys.report(card(1));
        keys.report(card(2));
        wait(&mut keys);
        let first = OfferId::new([1; 16]);
        assert_eq!(keys.press("u").0, Some(Order::Unfold(Target::Offer(first))));
        assert!(keys.report(card(1)).contains("1 of 2"));
        assert_eq!(keys.press("a").0, None, "it has only just come back");
        wait(&mut keys);
        let order = Order::Answer(Target::Offer(first), Choice::ApproveOnce);
        assert_eq!(keys.press("a").0, Some(order));
    }

    #[test]
    fn a_note_is_typed_on_a_line_of_its_own_and_escape_leaves_it() {
        let mut keys = Keys::default();
        keys.report(card(1));
        wait(&mut keys);
        keys.press("n");
        for key in ["n", "o", "t", "x", "\x7f", "\x1b"] {
            assert_eq!(keys.press(key).0, None);
        }
        keys.press("n");
        for key in ["q", "é", "x", "\x7f", "!"] {
            assert_eq!(keys.press(key).0, None);
        }
        let note = Choice::DenyWithNote(Foreign::new("qé!"));
        let order = Order::Answer(Target::Offer(OfferId::new([1; 16])), note);
        assert_eq!(keys.press("\n").0, Some(order));
    }

    #[test]
    fn pairing_asks_for_a_key_of_its_own_and_a_card_does_not() {
        let mut keys = Keys::default();
        let prompt = || Report::Prompt(Shown::line("Pair with desk"));
        assert!(keys.report(prompt()).contains("a touch"));
        assert_eq!(keys.press("x").0, None);
        assert_eq!(keys.press("a").0, Some(Order::Touch));
        keys.report(card(1));
        assert_eq!(keys.report(prompt()), "");
    }

    #[test]
    fn the_last_half_minute_counts_down() {
        let mut keys = Keys::default();
        keys.report(card(1));
        assert_eq!(keys.count_down(), "");
        keys.cards.front_mut().unwrap().view.left_ms = 25_900;
        assert!(keys.count_down().contains("goes back to the terminal in 0:25"));
    }
}
