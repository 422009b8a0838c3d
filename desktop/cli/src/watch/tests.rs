//! The screen, driven by what happens and looked at as it is drawn.

use countersign_ipc::control::{
    Card, ControlReply, ControlRequest, Decision, ErrorCode, Failure, Outcome, Status, WatchEvent,
};
use ratatui::{
    Terminal as Drawn,
    backend::TestBackend,
    crossterm::event::{KeyCode, KeyEvent, KeyModifiers},
};

use super::{
    draw::draw,
    palette::Palette,
    screen::{Act, Happening, Screen},
};
use crate::{output::Terminal, samples, trouble::Trouble};

const KEY: KeyModifiers = KeyModifiers::NONE;

/// A screen in a window, a clock that only the test moves, and a daemon that is the test.
struct Stage {
    screen: Screen,
    window: Drawn<TestBackend>,
    now: u64,
}

impl Stage {
    fn new(cards: Vec<Card>) -> Self {
        Self::of(samples::status(), cards)
    }

    fn of(status: Status, cards: Vec<Card>) -> Self {
        let window = Drawn::new(TestBackend::new(80, 24)).unwrap();
        let mut stage = Self { screen: Screen::default(), window, now: 1_000_000 };
        stage.told(WatchEvent::Snapshot { status: Box::new(status), cards });
        stage
    }

    fn happened(&mut self, happening: Happening) {
        self.screen.handle(happening, self.now);
        self.draw();
    }

    fn told(&mut self, event: WatchEvent) {
        self.happened(Happening::Daemon(event));
    }

    fn opened(&mut self, card: Card) {
        self.told(WatchEvent::Opened { card: Box::new(card) });
    }

    fn closed(&mut self, pair: &str, outcome: Outcome, text: &str) {
        self.told(WatchEvent::Closed { ending: samples::ending(pair, outcome, text) });
    }

    fn press(&mut self, code: KeyCode) {
        self.happened(Happening::Key { key: KeyEvent::new(code, KEY), at_boot_ms: self.now });
    }

    fn type_key(&mut self, c: char) {
        self.press(KeyCode::Char(c));
    }

    fn wait(&mut self, ms: u64) {
        self.now += ms;
        self.happened(Happening::Tick);
    }

    fn draw(&mut self) {
        let palette =
            Palette::of(Terminal { size: None, is_smart: true, is_unicode: true, is_coloured: true });
        let (screen, now, mut drawing) = (&self.screen, self.now, None);
        self.window.draw(|frame| drawing = Some(draw(frame, screen, palette, now))).unwrap();
        self.screen.drew(drawing.unwrap());
    }

    /// What the screen asks of the daemon, which says yes to every card that comes to the front.
    fn asks(&mut self) -> Vec<ControlRequest> {
        let mut asks = Vec::new();
        while let Some(act) = self.screen.poll_act() {
            let Act::Ask(request) = act else { continue };
            if matches!(request, ControlRequest::Fronted { .. }) {
                let reply = Box::new(ControlReply::Done {});
                self.happened(Happening::Replied { to: request.clone(), reply });
            }
            asks.push(request);
        }
        asks
    }

    /// What the person decided so far.
    fn clicks(&mut self) -> Vec<(String, Decision)> {
        let click = |request| match request {
            ControlRequest::Click { request_id, binding, decision, .. } => {
                assert!(
                    binding.get(..2) == request_id.get(..2),
                    "a click carries the binding of its own card"
                );
                Some((request_id, decision))
            }
            _ => None,
        };
        self.asks().into_iter().filter_map(click).collect()
    }

    fn text(&self) -> String {
        let buffer = self.window.backend().buffer();
        let row = |y| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>() + "\n";
        (0..buffer.area.height).map(row).collect()
    }

    fn assert_shows(&self, text: &str) {
        assert!(self.text().contains(text), "`{text}` is not on the screen:\n{}", self.text());
    }
}

fn short() -> Card {
    samples::card("ab", "make all")
}

fn long() -> Card {
    samples::card("cd", &(1..=60).map(|line| format!("echo line {line}")).collect::<Vec<_>>().join("\n"))
}

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
    for reason in reasons.into_iter().chain(["this one can't be allowed here"]) {
        assert!(format!("a: {reason}  {}", super::draw::KEYS).chars().count() <= 80, "{reason}");
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
