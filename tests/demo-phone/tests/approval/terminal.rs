//! The demo phone at a terminal, operated as a person does it.

use std::{
    io::{Read, Write},
    sync::mpsc,
    time::Duration,
};

use countersign_demo_phone::keys::AGAIN;
use countersign_proto::{pairing::AttestationPolicy, reply::Decision};
use portable_pty::{Child, CommandBuilder, PtyPair, PtySize, native_pty_system};
use tokio::task::spawn_blocking;

use crate::desk::{Open, Relay, anywhere};

/// The program on a terminal, and what it wrote so far.
struct Screen {
    child: Box<dyn Child + Send + Sync>,
    keyboard: Box<dyn Write + Send>,
    written: mpsc::Receiver<Vec<u8>>,
    text: String,
    _pair: PtyPair,
}

impl Screen {
    fn pair(ticket: &str) -> Self {
        let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_countersign-demo-phone"));
        command.args(["pair", ticket]);
        let child = pair.slave.spawn_command(command).unwrap();
        let keyboard = pair.master.take_writer().unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (sender, written) = mpsc::channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4_096];
            while let Ok(length @ 1..) = reader.read(&mut bytes) {
                let _ = sender.send(bytes[..length].to_vec());
            }
        });
        Self { child, keyboard, written, text: String::new(), _pair: pair }
    }

    /// Waits until a text was written; everything up to it is dropped.
    async fn until(mut self, text: &'static str) -> (Self, String) {
        spawn_blocking(move || {
            loop {
                if let Some(at) = self.text.find(text) {
                    let rest = self.text.split_off(at + text.len());
                    let before = core::mem::replace(&mut self.text, rest);
                    return (self, before);
                }
                let more = self.written.recv_timeout(Duration::from_secs(60));
                let more = more.unwrap_or_else(|_| panic!("no {text:?} in {:?}", self.text));
                self.text.push_str(&String::from_utf8_lossy(&more));
            }
        })
        .await
        .unwrap()
    }

    /// Presses a key until it is taken: one that comes right after its card is not.
    async fn insist(mut self, key: &'static str, taken: &'static str) -> Self {
        self.press(key);
        spawn_blocking(move || {
            while !self.text.contains(taken) {
                let more = self.written.recv_timeout(Duration::from_secs(60)).expect(taken);
                self.text.push_str(&String::from_utf8_lossy(&more));
                if let Some(at) = self.text.find(AGAIN) {
                    self.text.drain(..at + AGAIN.len());
                    self.press(key);
                }
            }
            self
        })
        .await
        .unwrap()
    }

    fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
        self.keyboard.flush().unwrap();
    }
}

#[tokio::test]
async fn a_person_pairs_allows_and_denies_with_single_keys() {
    let relay = Relay::start(anywhere());
    let mut open = Open::new(relay.address, AttestationPolicy::Demo).await;
    let screen = Screen::pair(&open.ticket.text());
    open.meet().await;
    let (mut screen, _) = screen.until("type this code on the desktop:").await;
    let code = loop {
        let (next, line) = screen.until("\r\n").await;
        screen = next;
        let line = line.trim();
        if line.len() == 6 && line.bytes().all(|b| b.is_ascii_digit()) {
            break line.to_owned();
        }
    };
    let paired = async {
        let (mut screen, _) = screen.until("Pair with desk (ada@desk)").await;
        screen.press("a");
        screen
    };
    let (mut desk, screen) = tokio::join!(open.finish(&code, relay.address), paired);
    let (screen, _) = desk.until(screen.until("the desktop is here")).await;

    let first = desk.offer("cargo test").await;
    let (screen, card) = desk.until(screen.until("q quit ──")).await;
    assert!(card.contains("$ cargo test"), "{card}");
    let screen = desk.until(screen.insist("a", "allow: sent, not confirmed")).await;
    let (screen, _) = desk.until(screen.until("allowed by demo phone, receipt verified")).await;

    let second = desk.offer("rm x").await;
    let (screen, _) = desk.until(screen.until("q quit ──")).await;
    let mut screen = desk.until(screen.insist("n", "note (Enter sends, Escape leaves): ")).await;
    screen.press("not now\r");
    let (mut screen, _) =
        desk.until(screen.until("denied with a note by demo phone, receipt verified")).await;
    let settled = desk.fake.settled.iter().map(|reply| (reply.offer_id, reply.decision));
    let expected = [(first, Decision::ApproveOnce), (second, Decision::DenyWithNote)];
    assert_eq!(settled.collect::<Vec<_>>(), expected);
    screen.press("q");
    assert!(spawn_blocking(move || screen.child.wait()).await.unwrap().unwrap().success());
}
