//! What the screen shows and what a key means, without a clock, a terminal or a socket. An answer always names the card
//! that was drawn when its key was pressed: a card that comes later can't get a key that was meant for another.

mod front;
mod keys;

use std::collections::{BTreeSet, VecDeque};

use countersign_ipc::control::{Card, ControlReply, ControlRequest, Ending, Failure, Status, WatchEvent};
use countersign_proto::text;
use ratatui::crossterm::event::KeyEvent;

pub use self::front::Front;
use self::front::Shown;
use super::{
    draw::{Drawing, DrawnCard},
    note::Note,
};
use crate::trouble::{Trouble, Words};

/// How long an ending stays in front of the next card.
const MOMENT_MS: u64 = 1_500;
/// How long a message stays.
const MESSAGE_MS: u64 = 5_000;
/// From here on a card counts down.
pub const COUNTDOWN_MS: u64 = 30_000;
/// Steps that are still listed when no card waits.
const STEPS: usize = 8;

/// Something that happened.
#[derive(Debug)]
pub enum Happening {
    /// The daemon says so.
    Daemon(WatchEvent),
    /// The daemon answered a request.
    Replied {
        /// The request.
        to: ControlRequest,
        /// The answer.
        reply: Box<ControlReply>,
    },
    /// There is no daemon.
    Away(Words),
    /// A key was pressed.
    Key {
        /// Which.
        key: KeyEvent,
        /// When it was read.
        at_boot_ms: u64,
    },
    /// Text was pasted.
    Pasted(String),
    /// Time passed, or the window changed.
    Tick,
    /// It can't go on.
    Over(Trouble),
}

/// Something to do.
#[derive(Debug, PartialEq, Eq)]
pub enum Act {
    /// Ask the daemon.
    Ask(ControlRequest),
    /// Ring: a card came.
    Bell,
    /// Give the terminal back.
    Leave,
}

/// A waiting card.
#[derive(Debug)]
pub struct Waiting {
    /// It.
    pub card: Card,
    /// When it goes back to the terminal.
    pub deadline_boot_ms: u64,
    /// Rows above the window.
    pub scroll: usize,
    /// Whether its secrets are on the screen.
    pub is_unfolded: bool,
    /// What was read of them.
    secrets: Secrets,
}

/// What a person has read of a card's secrets.
#[derive(Debug)]
enum Secrets {
    /// They were not on the screen yet; it is not known whether there are any.
    Folded,
    /// Some rows of them were, unfolded, in a window of this width.
    Reading { width: u16, rows: BTreeSet<usize> },
    /// All of them were, or there are none.
    Read,
}

/// What keys mean.
#[derive(Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// They answer cards.
    #[default]
    Cards,
    /// They are explained; the next one goes back.
    Help,
    /// They write a note to the denial of this request.
    Note {
        /// Which request.
        request_id: String,
        /// The words so far.
        note: Note,
    },
}

/// Whether there is a daemon.
#[derive(Debug, Default)]
pub enum Line {
    /// Not known yet.
    #[default]
    Connecting,
    /// There is, and this is how it is.
    Live(Box<Status>),
    /// There is none.
    Away(Words),
}

/// Something that is over.
#[derive(Debug)]
pub enum Step {
    /// A card's end.
    Ended(Ending),
    /// A call that passed without a card, or another word of the daemon's.
    Said(String),
}

/// The screen.
#[derive(Debug, Default)]
pub struct Screen {
    pub(super) line: Line,
    pub(super) waiting: Vec<Waiting>,
    pub(super) front: Option<Front>,
    pub(super) mode: Mode,
    pub(super) steps: VecDeque<Step>,
    message: Option<(String, u64)>,
    /// The card that is on the screen, as it was drawn.
    shown: Option<Shown>,
    acts: VecDeque<Act>,
}

impl Screen {
    /// Takes in what happened.
    pub fn handle(&mut self, happening: Happening, now: u64) {
        match happening {
            Happening::Daemon(event) => self.told(event, now),
            Happening::Replied { to, reply } => self.replied(to, *reply, now),
            Happening::Away(words) => self.went_away(words),
            Happening::Key { key, at_boot_ms } => self.key(key, at_boot_ms, now),
            Happening::Pasted(text) => self.pasted(&text),
            Happening::Tick | Happening::Over(_) => {}
        }
        self.pass_time(now);
    }

    /// Takes note of what is on the screen now. Only what was really drawn counts as seen.
    pub fn drew(&mut self, drawing: Drawing) {
        self.note_shown(drawing.card);
    }

    /// The next thing to do.
    pub fn poll_act(&mut self) -> Option<Act> {
        self.acts.pop_front()
    }

    /// When to look again, where anything changes by time alone.
    pub fn poll_timeout(&self, now: u64) -> Option<u64> {
        let moment = match self.front {
            Some(Front::Ended { until, .. }) => Some(until),
            Some(Front::Card { .. } | Front::Answered { .. }) | None => None,
        };
        let message = self.message.as_ref().map(|(_, until)| *until);
        let counting = self.waiting.iter().filter_map(|waiting| next_second(waiting.deadline_boot_ms, now));
        moment.into_iter().chain(message).chain(self.ripe_at(now)).chain(counting).min()
    }

    /// What to tell the person just now.
    pub fn message(&self) -> Option<&str> {
        self.message.as_ref().map(|(text, _)| text.as_str())
    }

    /// The waiting card of a request.
    pub fn waiting(&self, request_id: &str) -> Option<&Waiting> {
        self.waiting.iter().find(|waiting| waiting.card.request_id == request_id)
    }

    /// How the daemon is, where there is one.
    pub fn status(&self) -> Option<&Status> {
        match &self.line {
            Line::Live(status) => Some(status),
            Line::Connecting | Line::Away(_) => None,
        }
    }

    fn told(&mut self, event: WatchEvent, now: u64) {
        match event {
            WatchEvent::Snapshot { status, cards } => self.begin(status, cards, now),
            WatchEvent::Opened { card } => self.opened(*card, now),
            WatchEvent::Closed { ending } => self.closed(ending, now),
            WatchEvent::Status { status } => self.line = Line::Live(status),
            WatchEvent::Notice { text } => self.noticed(&text, now),
        }
    }

    /// Everything anew; a card that still waits stays in front, but counts as not yet fronted.
    fn begin(&mut self, status: Box<Status>, cards: Vec<Card>, now: u64) {
        self.line = Line::Live(status);
        let before = std::mem::take(&mut self.waiting);
        self.waiting = cards.into_iter().map(|card| Waiting::new(card, now)).collect();
        for waiting in &mut self.waiting {
            let same = |old: &&Waiting| old.card.binding == waiting.card.binding;
            waiting.scroll = before.iter().find(same).map_or(0, |old| old.scroll);
        }
        let kept = self.front.take().and_then(|front| front.waiting_for().map(str::to_owned));
        self.front = kept.filter(|id| self.waiting(id).is_some()).map(Front::card);
        self.leave_stale_note();
    }

    fn opened(&mut self, card: Card, now: u64) {
        self.waiting.retain(|waiting| waiting.card.request_id != card.request_id);
        if self.front.as_ref().and_then(Front::waiting_for) == Some(card.request_id.as_str()) {
            self.front = Some(Front::card(card.request_id.clone()));
        }
        self.waiting.push(Waiting::new(card, now));
        self.acts.push_back(Act::Bell);
    }

    fn closed(&mut self, ending: Ending, now: u64) {
        let Some(at) = self.waiting.iter().position(|waiting| waiting.card.request_id == ending.request_id)
        else {
            return;
        };
        let gone = self.waiting.remove(at);
        self.keep(Step::Ended(ending.clone()));
        if self.front.as_ref().and_then(Front::waiting_for) == Some(ending.request_id.as_str()) {
            self.front = Some(Front::Ended {
                ending,
                headline: masked(&gone.card.headline),
                until: now.saturating_add(MOMENT_MS),
            });
        } else {
            self.say(format!("{}: {}", masked(&gone.card.headline), ending.text), now);
        }
        self.leave_stale_note();
    }

    /// A step without a card goes on the list; on the message row it does not push aside what a person has to read.
    fn noticed(&mut self, text: &str, now: u64) {
        let text = masked(text);
        if self.message.is_none() {
            self.say(text.clone(), now);
        }
        self.keep(Step::Said(text));
    }

    fn keep(&mut self, step: Step) {
        self.steps.push_front(step);
        self.steps.truncate(STEPS);
    }

    fn replied(&mut self, to: ControlRequest, reply: ControlReply, now: u64) {
        match (to, reply) {
            (ControlRequest::Fronted { request_id, seen_to_end, .. }, ControlReply::Done {}) => {
                self.fronted(&request_id, seen_to_end, now);
            }
            (ControlRequest::Click { .. }, ControlReply::Settled(ending)) => self.closed(ending, now),
            (ControlRequest::Click { request_id, .. }, ControlReply::Failed(failure)) => {
                self.refused(&request_id, &failure, now);
            }
            (ControlRequest::Lock {}, ControlReply::Closed { .. }) => {
                self.say("Locked: everything is denied until U.", now);
            }
            (ControlRequest::Unlock {}, ControlReply::Done {}) => self.say("Unlocked.", now),
            // Its closing is on the way.
            (ControlRequest::Fronted { .. }, ControlReply::Failed(_)) => {}
            (_, ControlReply::Failed(failure)) => self.say(words(&failure), now),
            (_, _) => {}
        }
    }

    fn refused(&mut self, request_id: &str, failure: &Failure, now: u64) {
        if matches!(&self.front, Some(Front::Answered { request_id: of }) if of == request_id) {
            self.front = Some(Front::card(request_id.to_owned()));
        }
        self.say(words(failure), now);
    }

    fn went_away(&mut self, words: Words) {
        self.line = Line::Away(words);
        self.waiting.clear();
        self.front = None;
        self.shown = None;
        self.leave_stale_note();
    }

    fn pass_time(&mut self, now: u64) {
        self.message.take_if(|(_, until)| *until <= now);
        self.front.take_if(|front| matches!(front, Front::Ended { until, .. } if *until <= now));
        if self.front.is_none() {
            let first = self.waiting.first().map(|waiting| waiting.card.request_id.clone());
            self.front = first.map(Front::card);
        }
    }

    fn leave_stale_note(&mut self) {
        if matches!(&self.mode, Mode::Note { request_id, .. } if self.waiting(request_id).is_none()) {
            self.mode = Mode::Cards;
        }
    }

    fn say(&mut self, text: impl Into<String>, now: u64) {
        self.message = Some((text.into(), now.saturating_add(MESSAGE_MS)));
    }

    fn ask(&mut self, request: ControlRequest) {
        self.acts.push_back(Act::Ask(request));
    }
}

impl Waiting {
    fn new(card: Card, now: u64) -> Self {
        let deadline_boot_ms = now.saturating_add(card.deadline_in_ms);
        Self { deadline_boot_ms, card, scroll: 0, is_unfolded: false, secrets: Secrets::Folded }
    }

    /// Takes note of what was drawn of its secrets: those rows that were in the window unfolded were read.
    fn saw(&mut self, drawn: &DrawnCard) {
        if drawn.secrets.is_empty() {
            self.secrets = Secrets::Read;
        }
        if !drawn.is_unfolded || matches!(self.secrets, Secrets::Read) {
            return;
        }
        let visible = drawn.scroll..drawn.scroll.saturating_add(drawn.page);
        let mut read = match std::mem::replace(&mut self.secrets, Secrets::Folded) {
            Secrets::Reading { width, rows } if width == drawn.width => rows,
            Secrets::Reading { .. } | Secrets::Folded | Secrets::Read => BTreeSet::new(),
        };
        read.extend(drawn.secrets.iter().filter(|row| visible.contains(row)));
        self.secrets = if drawn.secrets.iter().all(|row| read.contains(row)) {
            Secrets::Read
        } else {
            Secrets::Reading { width: drawn.width, rows: read }
        };
    }

    const fn is_read(&self) -> bool {
        matches!(self.secrets, Secrets::Read)
    }

    /// Time left.
    pub fn left_ms(&self, now: u64) -> u64 {
        self.deadline_boot_ms.saturating_sub(now)
    }
}

/// A text of a card that is shown outside of it.
fn masked(text: &str) -> String {
    text::Shown::line(text).masked().into()
}

fn words(failure: &Failure) -> String {
    if failure.hint.is_empty() {
        failure.text.clone()
    } else {
        format!("{} ({})", failure.text, failure.hint)
    }
}

/// When a countdown shows its next second; before it begins, when it does.
fn next_second(deadline: u64, now: u64) -> Option<u64> {
    let left = deadline.saturating_sub(now);
    match left {
        0 => None,
        left if left > COUNTDOWN_MS => Some(deadline - COUNTDOWN_MS),
        left => Some(deadline - (left - 1) / 1_000 * 1_000),
    }
}
