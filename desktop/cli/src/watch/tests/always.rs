//! *Always* at the screen: offered where the card offers it, with the very text that will match, and held to everything
//! that holds for allowing once.

use countersign_ipc::control::{Card, ControlRequest, Decision, Level, WatchEvent};
use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::{
    super::screen::Happening,
    stage::{KEY, Stage, short},
};
use crate::samples;

fn offering(command: &str, more: &[Decision]) -> Card {
    let mut card = samples::card("ab", command);
    card.replies.extend(more);
    card.always = Some(command.to_owned());
    card
}

fn both() -> Card {
    offering("make all", &[Decision::AlwaysSession, Decision::AlwaysProject])
}

fn destructive() -> Card {
    let mut card = samples::card("ab", "rm -rf build");
    card.class = "destructive".into();
    card.level = Level::Red;
    card
}

#[test]
fn always_is_a_key_for_the_session_and_one_for_the_project() {
    for (key, decision) in [('s', Decision::AlwaysSession), ('p', Decision::AlwaysProject)] {
        let mut stage = Stage::new(vec![both()]);
        stage.asks();
        stage.assert_shows("Always matches exactly:");
        stage.assert_shows("s: always in this session   p: always in this project");
        stage.wait(500);
        stage.assert_shows("a allow  s p always  d deny");
        stage.type_key(key);
        assert_eq!(stage.clicks(), [(samples::id("ab"), decision)]);
    }
}

#[test]
fn the_text_that_will_match_is_shown_to_its_last_character() {
    let command = format!("make {}", "x".repeat(200));
    let mut stage = Stage::new(vec![offering(&command, &[Decision::AlwaysSession])]);
    stage.asks();
    let text = stage.text();
    let shown = text.split("Always matches exactly:").nth(1).unwrap();
    let count = shown.split("s: always").next().unwrap().matches('x').count();
    assert_eq!(count, 200, "{text}");
}

#[test]
fn only_what_the_card_offers_is_a_key() {
    let mut stage = Stage::new(vec![offering("make all", &[Decision::AlwaysSession])]);
    stage.asks();
    stage.wait(1_000);
    stage.assert_shows("a allow  s always  d deny");
    stage.type_key('p');
    assert_eq!(stage.clicks(), []);
    stage.assert_shows("Not allowed: this card offers no Always for the project.");
    stage.type_key('s');
    assert_eq!(stage.clicks(), [(samples::id("ab"), Decision::AlwaysSession)]);
    let mut stage = Stage::new(vec![short()]);
    stage.asks();
    stage.wait(1_000);
    assert!(!stage.text().contains("lways"), "{}", stage.text());
    stage.type_key('s');
    stage.type_key('p');
    assert_eq!(stage.clicks(), []);
}

#[test]
fn always_waits_for_half_a_second_like_allow() {
    let mut stage = Stage::new(vec![both()]);
    stage.asks();
    stage.wait(499);
    stage.type_key('s');
    stage.type_key('p');
    assert_eq!(stage.clicks(), []);
    stage.assert_shows("Not allowed: it has only just come.");
    // A key that was pressed before counts as such, whenever it is taken.
    let pressed = stage.now;
    stage.now += 5_000;
    stage.happened(Happening::Key { key: KeyEvent::new(KeyCode::Char('p'), KEY), at_boot_ms: pressed });
    assert_eq!(stage.clicks(), []);
}

#[test]
fn always_waits_until_the_card_was_seen_to_its_end_and_its_secrets_were_unfolded() {
    let lines: Vec<String> = (1..=60).map(|line| format!("echo line {line}")).collect();
    let mut stage = Stage::new(vec![offering(&lines.join("\n"), &[Decision::AlwaysProject])]);
    stage.asks();
    stage.wait(1_000);
    stage.type_key('p');
    assert_eq!(stage.clicks(), []);
    stage.assert_shows("scroll to its end first");
    let secret = "PGPASSWORD=hunter2 psql -h db";
    let mut stage = Stage::new(vec![offering(secret, &[Decision::AlwaysProject])]);
    stage.asks();
    stage.wait(1_000);
    stage.type_key('p');
    assert_eq!(stage.clicks(), []);
    stage.assert_shows("Not allowed: unfold its secrets with u.");
    stage.type_key('u');
    stage.asks();
    stage.wait(500);
    stage.type_key('p');
    assert_eq!(stage.clicks(), [(samples::id("ab"), Decision::AlwaysProject)]);
}

#[test]
fn a_destructive_card_says_so_puts_deny_first_and_offers_no_always() {
    let mut stage = Stage::new(vec![destructive()]);
    stage.assert_shows("DESTRUCTIVE");
    stage.asks();
    stage.wait(1_000);
    stage.assert_shows("d deny  n note  t terminal  a allow  ? help  q leave");
    for key in ['s', 'p'] {
        stage.type_key(key);
    }
    assert_eq!(stage.clicks(), []);
    stage.type_key('d');
    assert_eq!(stage.clicks(), [(samples::id("ab"), Decision::Deny)]);
    assert!(!Stage::new(vec![short()]).text().contains("DESTRUCTIVE"));
}

#[test]
fn a_session_that_read_content_from_outside_is_marked_on_its_cards() {
    let mut card = short();
    card.taint = true;
    Stage::new(vec![card]).assert_shows("This session has read content from outside");
    assert!(!Stage::new(vec![short()]).text().contains("content from outside"));
}

#[test]
fn a_call_that_passed_without_a_card_is_a_step_and_pushes_no_message_aside() {
    let mut stage = Stage::new(vec![]);
    let notice = |text: &str| WatchEvent::Notice { text: text.into() };
    stage.told(notice("Wants to run `ls`: one of the green reads"));
    stage.wait(10_000);
    stage.assert_shows("Wants to run `ls`: one of the green reads");
    stage.told(notice("PGPASSWORD=hunter2 psql: always allowed"));
    assert!(!stage.text().contains("hunter2"), "{}", stage.text());
    let mut stage = Stage::new(vec![short()]);
    stage.asks();
    stage.type_key('a');
    stage.told(notice("Wants to run `ls`: one of the green reads"));
    stage.assert_shows("Not allowed: it has only just come.");
}

#[test]
fn paused_is_said_at_the_top() {
    let mut status = samples::status();
    status.paused = true;
    Stage::of(status, vec![]).assert_shows("PAUSED");
}

#[test]
fn always_is_answered_with_the_binding_of_the_card_that_is_drawn() {
    let mut stage = Stage::new(vec![both()]);
    stage.asks();
    stage.wait(1_000);
    let mut changed = both();
    changed.binding = "ee".repeat(32);
    let opened = WatchEvent::Opened { card: Box::new(changed) };
    stage.screen.handle(Happening::Daemon(opened), stage.now);
    let key = KeyEvent::new(KeyCode::Char('p'), KEY);
    stage.screen.handle(Happening::Key { key, at_boot_ms: stage.now }, stage.now);
    assert!(stage.asks().iter().all(|ask| !matches!(ask, ControlRequest::Click { .. })));
}
