//! A screen in a window, a clock that only the test moves, and a daemon that is the test.

use countersign_ipc::control::{Card, ControlReply, ControlRequest, Decision, Outcome, Status, WatchEvent};
use ratatui::{
    Terminal as Drawn,
    backend::TestBackend,
    crossterm::event::{KeyCode, KeyEvent, KeyModifiers},
};

use super::super::{
    draw::draw,
    palette::Palette,
    screen::{Act, Happening, Screen},
};
use crate::{output::Terminal, samples};

pub(super) const KEY: KeyModifiers = KeyModifiers::NONE;

/// A screen in a window, a clock that only the test moves, and a daemon that is the test.
pub(super) struct Stage {
    pub(super) screen: Screen,
    pub(super) window: Drawn<TestBackend>,
    pub(super) now: u64,
}

impl Stage {
    pub(super) fn new(cards: Vec<Card>) -> Self {
        Self::of(samples::status(), cards)
    }

    pub(super) fn of(status: Status, cards: Vec<Card>) -> Self {
        let window = Drawn::new(TestBackend::new(80, 24)).unwrap();
        let mut stage = Self { screen: Screen::default(), window, now: 1_000_000 };
        stage.told(WatchEvent::Snapshot { status: Box::new(status), cards });
        stage
    }

    pub(super) fn happened(&mut self, happening: Happening) {
        self.screen.handle(happening, self.now);
        self.draw();
    }

    pub(super) fn told(&mut self, event: WatchEvent) {
        self.happened(Happening::Daemon(event));
    }

    pub(super) fn opened(&mut self, card: Card) {
        self.told(WatchEvent::Opened { card: Box::new(card) });
    }

    pub(super) fn closed(&mut self, pair: &str, outcome: Outcome, text: &str) {
        self.told(WatchEvent::Closed { ending: samples::ending(pair, outcome, text) });
    }

    pub(super) fn press(&mut self, code: KeyCode) {
        self.happened(Happening::Key { key: KeyEvent::new(code, KEY), at_boot_ms: self.now });
    }

    pub(super) fn type_key(&mut self, c: char) {
        self.press(KeyCode::Char(c));
    }

    pub(super) fn wait(&mut self, ms: u64) {
        self.now += ms;
        self.happened(Happening::Tick);
    }

    pub(super) fn draw(&mut self) {
        let palette =
            Palette::of(Terminal { size: None, is_smart: true, is_unicode: true, is_coloured: true });
        let (screen, now, mut drawing) = (&self.screen, self.now, None);
        self.window.draw(|frame| drawing = Some(draw(frame, screen, palette, now))).unwrap();
        self.screen.drew(drawing.unwrap());
    }

    /// What the screen asks of the daemon, which says yes to every card that comes to the front.
    pub(super) fn asks(&mut self) -> Vec<ControlRequest> {
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
    pub(super) fn clicks(&mut self) -> Vec<(String, Decision)> {
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

    pub(super) fn text(&self) -> String {
        let buffer = self.window.backend().buffer();
        let row = |y| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>() + "\n";
        (0..buffer.area.height).map(row).collect()
    }

    pub(super) fn assert_shows(&self, text: &str) {
        assert!(self.text().contains(text), "`{text}` is not on the screen:\n{}", self.text());
    }
}

pub(super) fn short() -> Card {
    samples::card("ab", "make all")
}

pub(super) fn long() -> Card {
    samples::card("cd", &(1..=60).map(|line| format!("echo line {line}")).collect::<Vec<_>>().join("\n"))
}
