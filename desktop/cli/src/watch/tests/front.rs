//! When a card may be answered: in front for long enough, seen to its end, and drawn when the key was pressed.

use countersign_ipc::control::{Card, ControlRequest, Decision, Outcome, WatchEvent};
use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::{
    super::{draw, screen::Happening},
    stage::{KEY, Stage, long, short},
};
use crate::samples;

#[test]
fn a_card_is_fronted_when_it_is_drawn_and_allowed_with_its_own_binding() {
    let mut stage = Stage::new(vec![short()]);
    stage.assert_shows("Wants to run a command");
    stage.assert_shows("make all");
    stage.assert_shows("the agent says:");
    let (request_id, binding) = (short().request_id, short().binding);
    let fronted = ControlRequest::Fronted {
        request_id: request_id.clone(),
        binding: binding.clone(),
        seen_to_end: true,
    };
    assert_eq!(stage.asks(), [fronted]);
    stage.wait(500);
    stage.type_key('a');
    let click = ControlRequest::Click { request_id, binding, decision: Decision::AllowOnce, note: None };
    assert_eq!(stage.asks(), [click]);
    stage.closed("ab", Outcome::Allowed, "Allowed on the desktop");
    stage.assert_shows("Allowed on the desktop");
    stage.wait(1_600);
    stage.assert_shows("No card waits.");
}

#[test]
fn a_card_that_has_only_just_come_cannot_be_allowed() {
    let mut stage = Stage::new(vec![short()]);
    assert_eq!(stage.asks().len(), 1);
    stage.wait(499);
    stage.type_key('a');
    assert_eq!(stage.clicks(), []);
    stage.assert_shows("Not allowed: it has only just come.");
    stage.wait(1);
    stage.type_key('a');
    assert_eq!(stage.clicks(), [(samples::id("ab"), Decision::AllowOnce)]);
}

#[test]
fn whatever_keeps_a_card_from_being_allowed_fits_the_narrowest_window_that_is_usual() {
    let reasons = ["it has only just come", "scroll to its end first", "locked: U opens the doors"];
    let reasons = reasons.into_iter().chain(["unfold its secrets with u", "scroll to its secrets"]);
    for reason in reasons.chain(["this one can't be allowed here"]) {
        assert!(format!("a: {reason}  {}", draw::KEYS).chars().count() <= 80, "{reason}");
    }
}

#[test]
fn a_key_counts_from_when_it_was_pressed_not_from_when_it_is_taken() {
    let mut stage = Stage::new(vec![short()]);
    stage.asks();
    let pressed = stage.now + 100;
    stage.now += 5_000;
    stage.happened(Happening::Key { key: KeyEvent::new(KeyCode::Char('a'), KEY), at_boot_ms: pressed });
    assert_eq!(stage.clicks(), []);
}

#[test]
fn a_card_the_daemon_has_not_confirmed_in_front_cannot_be_allowed() {
    let mut stage = Stage::new(vec![short()]);
    while stage.screen.poll_act().is_some() {}
    stage.wait(10_000);
    stage.type_key('a');
    assert_eq!(stage.clicks(), []);
}

#[test]
fn a_card_longer_than_the_screen_cannot_be_allowed_before_its_end_was_seen() {
    let mut stage = Stage::new(vec![long()]);
    stage.asks();
    stage.wait(1_000);
    stage.type_key('a');
    assert_eq!(stage.clicks(), []);
    stage.assert_shows("scroll to its end first");
    stage.assert_shows("more rows below");
    for _ in 0..10 {
        stage.press(KeyCode::PageDown);
    }
    let told = stage.asks();
    let is_end = |ask: &ControlRequest| matches!(ask, ControlRequest::Fronted { seen_to_end: true, .. });
    assert_eq!(told.iter().filter(|ask| is_end(ask)).count(), 1, "{told:?}");
    stage.assert_shows("Cleans up");
    stage.press(KeyCode::Home);
    stage.type_key('a');
    assert_eq!(stage.clicks(), [(samples::id("cd"), Decision::AllowOnce)], "seen stays seen");
}

#[test]
fn every_line_of_a_long_card_comes_by_while_it_is_scrolled() {
    let mut stage = Stage::new(vec![long()]);
    let mut seen = stage.text();
    for _ in 0..10 {
        stage.press(KeyCode::PageDown);
        seen.push_str(&stage.text());
    }
    for line in 1..=60 {
        assert!(seen.contains(&format!("echo line {line} ")), "line {line}");
    }
}

#[test]
fn the_end_key_alone_does_not_make_a_long_card_allowed_before_it_was_drawn_there() {
    let mut stage = Stage::new(vec![long()]);
    stage.asks();
    stage.wait(1_000);
    // Both keys are taken before anything is drawn.
    for code in [KeyCode::End, KeyCode::Char('a')] {
        stage
            .screen
            .handle(Happening::Key { key: KeyEvent::new(code, KEY), at_boot_ms: stage.now }, stage.now);
    }
    assert_eq!(stage.clicks(), []);
}

#[test]
fn a_card_that_comes_never_gets_a_key_that_was_meant_for_the_one_before() {
    let mut stage = Stage::new(vec![short()]);
    stage.asks();
    stage.wait(1_000);
    stage.opened(samples::card("ef", "rm -rf /"));
    stage.assert_shows("make all");
    stage.type_key('a');
    assert_eq!(stage.clicks(), [(samples::id("ab"), Decision::AllowOnce)]);
}

#[test]
fn a_card_withdrawn_under_the_finger_is_not_allowed_and_nor_is_the_next() {
    let mut stage = Stage::new(vec![short(), samples::card("ef", "rm -rf /")]);
    stage.asks();
    stage.wait(1_000);
    // It is gone, but still on the screen, when the key comes.
    let ending = samples::ending("ab", Outcome::Withdrawn, "Withdrawn: answered in the terminal");
    stage.screen.handle(Happening::Daemon(WatchEvent::Closed { ending }), stage.now);
    for c in ['a', 'd', 't', 'n'] {
        stage.type_key(c);
    }
    assert_eq!(stage.clicks(), []);
    stage.assert_shows("Withdrawn: answered in the terminal");
    stage.wait(1_500);
    stage.assert_shows("rm -rf /");
    stage.type_key('a');
    assert_eq!(stage.clicks(), [], "the next one has only just come");
}

#[test]
fn a_key_that_is_taken_before_the_next_card_was_drawn_goes_nowhere() {
    let mut stage = Stage::new(vec![short(), samples::card("ef", "true")]);
    for code in [KeyCode::Tab, KeyCode::Char('d')] {
        stage
            .screen
            .handle(Happening::Key { key: KeyEvent::new(code, KEY), at_boot_ms: stage.now }, stage.now);
    }
    assert_eq!(stage.clicks(), []);
}

#[test]
fn a_card_whose_binding_changed_is_not_answered_as_the_one_that_was_drawn() {
    let mut stage = Stage::new(vec![short()]);
    stage.asks();
    stage.wait(1_000);
    let mut changed = short();
    changed.binding = "ee".repeat(32);
    let opened = WatchEvent::Opened { card: Box::new(changed) };
    stage.screen.handle(Happening::Daemon(opened), stage.now);
    for c in ['a', 'd'] {
        let key = KeyEvent::new(KeyCode::Char(c), KEY);
        stage.screen.handle(Happening::Key { key, at_boot_ms: stage.now }, stage.now);
    }
    assert_eq!(stage.clicks(), []);
}

#[test]
fn tab_turns_through_the_cards_and_each_comes_to_the_front_anew() {
    let mut stage = Stage::new(vec![short(), samples::card("ef", "true")]);
    stage.assert_shows("1 of 2");
    stage.asks();
    stage.wait(1_000);
    stage.press(KeyCode::Tab);
    stage.assert_shows("2 of 2");
    stage.type_key('a');
    assert_eq!(stage.clicks(), [], "it has only just come");
    stage.wait(500);
    stage.type_key('a');
    assert_eq!(stage.clicks(), [(samples::id("ef"), Decision::AllowOnce)]);
}

#[test]
fn behind_the_help_no_card_can_be_answered_and_afterwards_it_comes_to_the_front_anew() {
    let mut stage = Stage::new(vec![short()]);
    stage.asks();
    stage.wait(1_000);
    stage.type_key('?');
    stage.assert_shows("Any key goes back");
    stage.type_key('a');
    assert_eq!(stage.clicks(), []);
    stage.assert_shows("make all");
    stage.type_key('a');
    assert_eq!(stage.clicks(), [], "it has only just come back");
}

#[test]
fn in_a_window_too_small_to_judge_a_card_none_is_drawn_and_none_allowed() {
    let mut stage = Stage::new(vec![short()]);
    stage.asks();
    stage.wait(1_000);
    stage.window.backend_mut().resize(39, 24);
    stage.wait(0);
    stage.assert_shows("too small");
    stage.type_key('a');
    assert_eq!(stage.clicks(), []);
}

#[test]
fn a_locked_desktop_says_so_and_allows_nothing() {
    let mut status = samples::status();
    status.locked = true;
    let mut stage = Stage::of(status, vec![short()]);
    stage.assert_shows("LOCKED");
    stage.asks();
    stage.wait(1_000);
    stage.type_key('a');
    assert_eq!(stage.clicks(), []);
    stage.type_key('U');
    assert_eq!(stage.asks(), [ControlRequest::Unlock {}]);
    stage.type_key('L');
    assert_eq!(stage.asks(), [ControlRequest::Lock {}]);
}

#[test]
fn a_card_that_offers_no_allow_cannot_be_allowed() {
    let mut card = short();
    card.replies = vec![Decision::Deny];
    let mut stage = Stage::new(vec![card]);
    stage.asks();
    stage.wait(1_000);
    for c in ['a', 't', 'n'] {
        stage.type_key(c);
    }
    assert_eq!(stage.clicks(), []);
}

fn with_secret() -> Card {
    samples::card("ef", "PGPASSWORD=hunter2 psql -h db")
}

fn told_of_the_end(asks: &[ControlRequest]) -> bool {
    asks.iter().any(|ask| matches!(ask, ControlRequest::Fronted { seen_to_end: true, .. }))
}

#[test]
fn a_card_with_a_secret_counts_as_seen_and_can_be_allowed_only_after_it_was_unfolded() {
    let mut stage = Stage::new(vec![with_secret()]);
    stage.assert_shows("PGPASSWORD=⟨password, 7 characters⟩ psql -h db");
    assert!(!stage.text().contains("hunter2"));
    assert!(!told_of_the_end(&stage.asks()), "a folded secret was not seen");
    stage.wait(1_000);
    stage.assert_shows("a: unfold its secrets with u");
    stage.type_key('a');
    assert_eq!(stage.clicks(), []);
    stage.assert_shows("Not allowed: unfold its secrets with u.");
    stage.type_key('u');
    stage.assert_shows("PGPASSWORD=hunter2 psql -h db");
    assert!(told_of_the_end(&stage.asks()));
    stage.wait(500);
    stage.type_key('u');
    assert!(!stage.text().contains("hunter2"), "it can be folded again, and was read");
    stage.type_key('a');
    assert_eq!(stage.clicks(), [(samples::id("ef"), Decision::AllowOnce)]);
}

#[test]
fn unfolding_and_allowing_in_one_go_allows_nothing_before_the_secret_was_drawn() {
    let mut stage = Stage::new(vec![with_secret()]);
    stage.asks();
    stage.wait(1_000);
    for c in ['u', 'a'] {
        let key = KeyEvent::new(KeyCode::Char(c), KEY);
        stage.screen.handle(Happening::Key { key, at_boot_ms: stage.now }, stage.now);
    }
    assert_eq!(stage.clicks(), []);
}

#[test]
fn every_row_of_a_secret_must_have_been_in_the_window() {
    let key = (0..60).map(|n| format!("MIIEvQIBADANBg{n}\n")).collect::<String>();
    let command = format!("cat <<X\n-----BEGIN PRIVATE KEY-----\n{key}-----END PRIVATE KEY-----\nX");
    let mut stage = Stage::new(vec![samples::card("ab", &command)]);
    stage.asks();
    stage.wait(1_000);
    stage.type_key('u');
    stage.press(KeyCode::End);
    stage.assert_shows("a: scroll to its secrets");
    stage.type_key('a');
    assert_eq!(stage.clicks(), [], "what is in between was never on the screen");
    stage.press(KeyCode::Home);
    for _ in 0..10 {
        stage.press(KeyCode::PageDown);
    }
    stage.asks();
    stage.type_key('a');
    assert_eq!(stage.clicks(), [(samples::id("ab"), Decision::AllowOnce)]);
}

#[test]
fn a_card_with_a_secret_is_denied_folded_and_its_secret_stays_off_the_list_and_the_ending() {
    let mut card = with_secret();
    card.headline = "Wants to use password=hunter2's tool".into();
    let mut stage = Stage::new(vec![short(), card]);
    assert!(!stage.text().contains("hunter2"), "{}", stage.text());
    stage.press(KeyCode::Tab);
    stage.type_key('d');
    assert_eq!(stage.clicks(), [(samples::id("ef"), Decision::Deny)]);
}
