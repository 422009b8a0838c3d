//! The card in front: what was drawn of it, what the daemon knows of that, and when it may be allowed.

use countersign_ipc::control::{Card, ControlRequest, Decision, Ending};

use super::Screen;
use crate::watch::draw::DrawnCard;

/// A card has been in front for so long before it can be allowed (WHO-6); the daemon holds to it, too.
const IN_FRONT_MS: u64 = 500;

/// What is in front.
#[derive(Debug)]
pub enum Front {
    /// A card.
    Card {
        /// Its request.
        request_id: String,
        /// What the daemon knows of it.
        fronted: Fronted,
    },
    /// A card that was answered here; the daemon has not said yet what became of it.
    Answered {
        /// Its request.
        request_id: String,
    },
    /// What became of a card, for a moment.
    Ended {
        /// How.
        ending: Ending,
        /// What it wanted.
        headline: String,
        /// Until when it is shown.
        until: u64,
    },
}

/// What the daemon was told of the card in front, and what it confirmed.
#[derive(Debug, Default, Clone, Copy)]
pub struct Fronted {
    /// It was told that the card is in front.
    told: bool,
    /// It was told that its end was on the screen.
    told_end: bool,
    /// It confirmed the first then.
    since: Option<u64>,
    /// It confirmed the second.
    is_end_known: bool,
}

/// A card as it is on the screen.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) request_id: String,
    pub(super) binding: String,
    /// Rows of it that fit.
    pub(super) page: usize,
    /// The last row at which its window can begin.
    pub(super) last_scroll: usize,
    /// Whether there is a secret in it.
    pub(super) has_secrets: bool,
}

impl Front {
    /// A card that comes to the front.
    pub(super) fn card(request_id: String) -> Self {
        Self::Card { request_id, fronted: Fronted::default() }
    }

    /// The request that waits in front.
    pub fn waiting_for(&self) -> Option<&str> {
        match self {
            Self::Card { request_id, .. } | Self::Answered { request_id } => Some(request_id),
            Self::Ended { .. } => None,
        }
    }
}

impl Screen {
    /// Why the card in front can't be allowed by a key pressed at this time; `None` where it can.
    pub fn not_allowed_yet(&self, at: u64) -> Option<&'static str> {
        let Some(Front::Card { request_id, fronted }) = &self.front else { return Some("there is no card") };
        let Some(waiting) = self.waiting(request_id) else { return Some("it no longer waits") };
        if self.status().is_some_and(|status| status.locked) {
            return Some("locked: U opens the doors");
        }
        if !waiting.card.replies.contains(&Decision::AllowOnce) {
            return Some("this one can't be allowed here");
        }
        if fronted.since.is_some() && !waiting.is_read() {
            return Some(if waiting.is_unfolded {
                "scroll to its secrets"
            } else {
                "unfold its secrets with u"
            });
        }
        match fronted.since {
            Some(_) if !fronted.is_end_known => Some("scroll to its end first"),
            Some(since) if since.saturating_add(IN_FRONT_MS) <= at => None,
            Some(_) | None => Some("it has only just come"),
        }
    }

    /// When the card in front has been there for long enough, where that is still to come.
    pub(super) fn ripe_at(&self, now: u64) -> Option<u64> {
        let Some(Front::Card { fronted, .. }) = &self.front else { return None };
        fronted.since.map(|since| since.saturating_add(IN_FRONT_MS)).filter(|ripe| *ripe > now)
    }

    /// The card that is drawn and waits: what an answer is for.
    pub(super) fn drawn_card(&self) -> Option<&Card> {
        let shown = self.shown.as_ref()?;
        let Some(Front::Card { request_id, .. }) = &self.front else { return None };
        let card = &self.waiting(request_id)?.card;
        (shown.request_id == card.request_id && shown.binding == card.binding).then_some(card)
    }

    /// Takes note of the card on the screen, and tells the daemon what is new about that.
    pub(super) fn note_shown(&mut self, drawn: Option<DrawnCard>) {
        let Some(drawn) = drawn else {
            self.shown = None;
            // Behind something else it is no longer in front, and comes there anew.
            if let Some(Front::Card { fronted, .. }) = &mut self.front {
                *fronted = Fronted::default();
            }
            return;
        };
        let last_scroll = drawn.rows.saturating_sub(drawn.page);
        // While a secret is folded, or was not read, the card was not seen, whatever else was.
        let mut is_read = false;
        if let Some(waiting) =
            self.waiting.iter_mut().find(|waiting| waiting.card.request_id == drawn.request_id)
        {
            waiting.scroll = drawn.scroll;
            waiting.saw(&drawn);
            is_read = waiting.is_read();
        }
        let has_secrets = !drawn.secrets.is_empty();
        let DrawnCard { request_id, binding, scroll, page, .. } = drawn;
        let is_end_seen = is_read && page > 0 && scroll >= last_scroll;
        self.shown = Some(Shown {
            request_id: request_id.clone(),
            binding: binding.clone(),
            page,
            last_scroll,
            has_secrets,
        });
        let Some(Front::Card { request_id: in_front, fronted }) = &mut self.front else { return };
        if *in_front != request_id || (fronted.told && (fronted.told_end || !is_end_seen)) {
            return;
        }
        fronted.told = true;
        fronted.told_end = is_end_seen;
        self.ask(ControlRequest::Fronted { request_id, binding, seen_to_end: is_end_seen });
    }

    /// The daemon confirmed that a card is in front.
    pub(super) fn fronted(&mut self, of: &str, seen_to_end: bool, now: u64) {
        if let Some(Front::Card { request_id, fronted }) = &mut self.front
            && request_id == of
        {
            fronted.since.get_or_insert(now);
            fronted.is_end_known |= seen_to_end;
        }
    }
}
