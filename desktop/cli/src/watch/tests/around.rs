//! What is around a card: notes, endings, the daemon's coming and going, and keys that do nothing.

use countersign_ipc::control::{
    ControlReply, ControlRequest, Decision, ErrorCode, Failure, Outcome, WatchEvent,
};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{
    super::screen::{Act, Happening},
    stage::{Stage, long, short},
};
use crate::{samples, trouble::Trouble};

#[test]
fn deny_and_hand_back_work_at_once_and_on_a_card_that_was_not_read() {
    for (key, decision) in [('d', Decision::Deny), ('t', Decision::HandOff)] {
        let mut stage = Stage::new(vec![long()]);
        stage.type_key(key);
        assert_eq!(stage.clicks(), [(samples::id("cd"), decision)]);
        stage.type_key(key);
        assert_eq!(stage.clicks(), [], "one answer is enough");
    }
}

#[test]
fn a_note_goes_with_the_denial_of_the_card_it_was_begun_at() {
    let mut stage = Stage::new(vec![short()]);
    stage.type_key('n');
    "use make -n".chars().for_each(|c| stage.type_key(c));
    stage.assert_shows("Why not? use make -n");
    stage.happened(Happening::Pasted(" a\nd".into()));
    stage.press(KeyCode::Enter);
    let asks = stage.asks();
    let Some(ControlRequest::Click { decision: Decision::DenyWithNote, note, .. }) = asks.last() else {
        panic!("{asks:?}")
    };
    assert_eq!(note.as_deref(), Some("use make -n a d"));
}

#[test]
fn a_note_for_a_card_that_went_away_is_not_sent_to_another() {
    let mut stage = Stage::new(vec![short(), long()]);
    stage.type_key('n');
    stage.type_key('x');
    stage.closed("ab", Outcome::Expired, "Went back to the terminal: too late");
    stage.wait(1_600);
    stage.press(KeyCode::Enter);
    assert_eq!(stage.clicks(), []);
}

#[test]
fn pasted_text_presses_no_key() {
    let mut stage = Stage::new(vec![short()]);
    stage.asks();
    stage.wait(1_000);
    stage.happened(Happening::Pasted("a".into()));
    assert_eq!(stage.clicks(), []);
}

#[test]
fn a_refused_click_is_told_and_the_card_can_be_answered_again() {
    let mut stage = Stage::new(vec![short()]);
    stage.asks();
    stage.wait(1_000);
    stage.type_key('a');
    let click = stage.asks().pop().unwrap();
    let failure =
        Failure { code: ErrorCode::StoreFailed, text: "it could not be stored".into(), hint: String::new() };
    stage.happened(Happening::Replied { to: click, reply: Box::new(ControlReply::Failed(failure)) });
    stage.assert_shows("it could not be stored");
    stage.asks();
    stage.type_key('d');
    assert_eq!(stage.clicks(), [(samples::id("ab"), Decision::Deny)]);
}

#[test]
fn the_last_half_minute_is_counted_down() {
    let mut card = short();
    card.deadline_in_ms = 40_000;
    let mut stage = Stage::new(vec![card]);
    assert!(!stage.text().contains("Goes back"));
    assert_eq!(stage.screen.poll_timeout(stage.now), Some(stage.now + 10_000));
    stage.wait(15_000);
    stage.assert_shows("Goes back to the terminal in 0:25");
    assert_eq!(stage.screen.poll_timeout(stage.now), Some(stage.now + 1_000));
}

#[test]
fn a_daemon_that_goes_away_takes_its_cards_with_it_and_comes_back_with_those_that_wait() {
    let mut stage = Stage::new(vec![short()]);
    stage.asks();
    stage.wait(1_000);
    stage.happened(Happening::Away(Trouble::Lost.words()));
    stage.assert_shows("Waiting agents ask in their own terminal.");
    stage.type_key('a');
    assert_eq!(stage.clicks(), []);
    stage.told(WatchEvent::Snapshot { status: Box::new(samples::status()), cards: vec![short()] });
    stage.assert_shows("make all");
    stage.type_key('a');
    assert_eq!(stage.clicks(), [], "on a new connection it comes to the front anew");
}

#[test]
fn an_answer_given_elsewhere_is_shown_with_whose_it_was() {
    let mut stage = Stage::new(vec![short()]);
    stage.closed("ab", Outcome::Allowed, "Allowed by demo phone");
    stage.assert_shows("Allowed by demo phone");
}

#[test]
fn a_demo_and_the_phones_that_are_online_stand_at_the_top() {
    let mut status = samples::status();
    (status.demo, status.phones, status.phones_connected) = (true, 2, 1);
    let stage = Stage::of(status, vec![]);
    stage.assert_shows("DEMO");
    stage.assert_shows("phones 1 of 2 online");
}

#[test]
fn a_card_that_comes_rings_and_one_that_was_there_does_not() {
    let mut stage = Stage::new(vec![short()]);
    let mut rings = 0;
    while let Some(act) = stage.screen.poll_act() {
        rings += u32::from(act == Act::Bell);
    }
    assert_eq!(rings, 0);
    stage.opened(long());
    let acts = std::iter::from_fn(|| stage.screen.poll_act());
    assert_eq!(acts.filter(|act| *act == Act::Bell).count(), 1);
}

#[test]
fn keys_with_control_or_in_capitals_answer_nothing() {
    let mut stage = Stage::new(vec![short()]);
    stage.asks();
    stage.wait(1_000);
    for (c, modifiers) in [('a', KeyModifiers::CONTROL), ('d', KeyModifiers::ALT), ('A', KeyModifiers::SHIFT)]
    {
        let key = KeyEvent::new(KeyCode::Char(c), modifiers);
        stage.happened(Happening::Key { key, at_boot_ms: stage.now });
    }
    assert_eq!(stage.clicks(), []);
    let leave = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    stage.happened(Happening::Key { key: leave, at_boot_ms: stage.now });
    assert_eq!(stage.screen.poll_act(), Some(Act::Leave));
}
