//! What keys do. Answers go to the card that is drawn, or nowhere.

use countersign_ipc::control::{ControlRequest, Decision};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{Act, Front, Mode, Screen};
use crate::watch::note::{Note, Typed};

impl Screen {
    pub(super) fn key(&mut self, key: KeyEvent, at: u64, now: u64) {
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            self.acts.push_back(Act::Leave);
            return;
        }
        match std::mem::take(&mut self.mode) {
            Mode::Cards => self.card_key(key, at, now),
            Mode::Help => {}
            Mode::Note { request_id, note } => self.note_key(request_id, note, key, now),
        }
    }

    /// Pasted text never answers; it can only be part of a note.
    pub(super) fn pasted(&mut self, text: &str) {
        if let Mode::Note { note, .. } = &mut self.mode {
            note.paste(text);
        }
    }

    fn card_key(&mut self, key: KeyEvent, at: u64, now: u64) {
        if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            return;
        }
        match key.code {
            KeyCode::Char('a') => self.allow(Decision::AllowOnce, at, now),
            KeyCode::Char('s') => self.allow(Decision::AlwaysSession, at, now),
            KeyCode::Char('p') => self.allow(Decision::AlwaysProject, at, now),
            KeyCode::Char('d') => self.answer(Decision::Deny, None, now),
            KeyCode::Char('t') => self.answer(Decision::HandOff, None, now),
            KeyCode::Char('n') => self.begin_note(now),
            KeyCode::Char('u') => self.unfold(now),
            KeyCode::Char('L') => self.ask(ControlRequest::Lock {}),
            KeyCode::Char('U') => self.ask(ControlRequest::Unlock {}),
            KeyCode::Char('?') => self.mode = Mode::Help,
            KeyCode::Char('q') => self.acts.push_back(Act::Leave),
            KeyCode::Tab | KeyCode::Right => self.turn(1),
            KeyCode::BackTab | KeyCode::Left => self.turn(-1),
            code => self.scroll(code),
        }
    }

    /// An *Always* allows this call, too, so that everything that keeps a card from being allowed keeps it from that.
    fn allow(&mut self, decision: Decision, at: u64, now: u64) {
        let Some(card) = self.drawn_card() else { return };
        if decision != Decision::AllowOnce && !card.replies.contains(&decision) {
            let place = if decision == Decision::AlwaysSession { "session" } else { "project" };
            self.say(format!("Not allowed: this card offers no Always for the {place}."), now);
            return;
        }
        match self.not_allowed_yet(at) {
            None => self.answer(decision, None, now),
            Some(why) => self.say(format!("Not allowed: {why}."), now),
        }
    }

    fn answer(&mut self, decision: Decision, note: Option<String>, now: u64) {
        let Some(card) = self.drawn_card() else { return };
        if !card.replies.contains(&decision) {
            self.say("This card does not take that answer.", now);
            return;
        }
        let (request_id, binding) = (card.request_id.clone(), card.binding.clone());
        self.front = Some(Front::Answered { request_id: request_id.clone() });
        self.ask(ControlRequest::Click { request_id, binding, decision, note });
    }

    fn begin_note(&mut self, now: u64) {
        let Some(card) = self.drawn_card() else { return };
        if card.replies.contains(&Decision::DenyWithNote) {
            self.mode = Mode::Note { request_id: card.request_id.clone(), note: Note::default() };
        } else {
            self.say("This card does not take a note.", now);
        }
    }

    /// Unfolds the secrets of the card that is drawn, or folds them again.
    fn unfold(&mut self, now: u64) {
        let Some(request_id) = self.drawn_card().map(|card| card.request_id.clone()) else { return };
        let has_secrets = self.shown.as_ref().is_some_and(|shown| shown.has_secrets);
        if !has_secrets {
            self.say("This card holds no secrets.", now);
            return;
        }
        if let Some(waiting) = self.waiting.iter_mut().find(|waiting| waiting.card.request_id == request_id) {
            waiting.is_unfolded = !waiting.is_unfolded;
        }
    }

    fn note_key(&mut self, request_id: String, mut note: Note, key: KeyEvent, now: u64) {
        match note.key(key) {
            Typed::On => self.mode = Mode::Note { request_id, note },
            Typed::GivenUp => {}
            Typed::Done(words) => self.answer(Decision::DenyWithNote, Some(words), now),
        }
    }

    /// Brings the next or the last card to the front.
    fn turn(&mut self, by: isize) {
        let count = self.waiting.len();
        let in_front = self.front.as_ref().and_then(Front::waiting_for);
        let at = self.waiting.iter().position(|waiting| Some(waiting.card.request_id.as_str()) == in_front);
        let next = match at {
            Some(at) if count > 1 => at.checked_add_signed(by).map_or(count - 1, |next| next % count),
            Some(_) => return,
            None => 0,
        };
        let Some(waiting) = self.waiting.get(next) else { return };
        self.front = Some(Front::card(waiting.card.request_id.clone()));
    }

    fn scroll(&mut self, code: KeyCode) {
        let Some(shown) = self.shown.clone() else { return };
        let Some(waiting) =
            self.waiting.iter_mut().find(|waiting| waiting.card.request_id == shown.request_id)
        else {
            return;
        };
        // One row stays, so that the eye finds its place.
        let page = shown.page.saturating_sub(1).max(1);
        let to = match code {
            KeyCode::Down => waiting.scroll.saturating_add(1),
            KeyCode::Up => waiting.scroll.saturating_sub(1),
            KeyCode::PageDown | KeyCode::Char(' ') => waiting.scroll.saturating_add(page),
            KeyCode::PageUp => waiting.scroll.saturating_sub(page),
            KeyCode::Home => 0,
            KeyCode::End => shown.last_scroll,
            _ => return,
        };
        waiting.scroll = to.min(shown.last_scroll);
    }
}
