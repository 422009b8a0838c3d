//! What a person and a desktop see of the demo phone.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    time::Duration,
};

use countersign_demo_phone::{
    Start,
    report::Report,
    settings::{Auto, Prompts, Settings},
    vault::DemoVault,
};
use countersign_mobile_core::{inbox::End, phone::Event};
use countersign_proto::{
    message::Closed, pairing::AttestationPolicy, receipt::Outcome, reply::Decision, text::Foreign,
};
use serde_json::Value;
use tokio::task::spawn_blocking;

use crate::desk::{Hand, Open, Relay, anywhere, paired};

#[tokio::test]
async fn every_key_of_the_demo_phone_is_one_decision_with_its_receipt() {
    let (_relay, mut desk, mut hand) = paired(DemoVault::memory(), Settings::default()).await;
    for (order, decision) in [
        ("allow", Decision::ApproveOnce),
        ("deny", Decision::Deny),
        ("note", Decision::DenyWithNote),
        ("handoff", Decision::HandOff),
    ] {
        let offer_id = desk.offer("cargo test").await;
        assert_eq!(desk.until(hand.card()).await, offer_id);
        let text = if order == "note" { " not on a Friday" } else { "" };
        hand.order(&format!("{order} {offer_id}{text}")).await;
        desk.until(hand.event(&Event::Ended(offer_id, End::Released(decision)))).await;
    }
    let offer_id = desk.offer("cargo test").await;
    desk.until(hand.card()).await;
    hand.order("dismiss").await;
    desk.until(hand.event(&Event::Ended(offer_id, End::Dismissed))).await;
    let counters: Vec<u64> = desk.fake.settled.iter().map(|reply| reply.counter).collect();
    assert_eq!(counters, [1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn it_answers_by_itself_where_it_was_told_to() {
    for (auto, decision) in [(Auto::Allow, Decision::ApproveOnce), (Auto::Deny, Decision::Deny)] {
        let settings = Settings { auto, ..Settings::default() };
        let (_relay, mut desk, mut hand) = paired(DemoVault::memory(), settings).await;
        let offer_id = desk.offer("ls").await;
        desk.until(hand.event(&Event::Ended(offer_id, End::Released(decision)))).await;
    }
}

#[tokio::test]
async fn a_reply_already_signed_survives_the_relays_death_without_a_second_finger() {
    let settings = Settings { prompts: Prompts::Asked, hold: true, ..Settings::default() };
    let (relay, mut desk, mut hand) = paired(DemoVault::memory(), settings).await;
    let offer_id = desk.offer("cargo test").await;
    desk.until(hand.card()).await;
    hand.order("allow").await;
    desk.until(hand.prompt()).await;
    hand.order("touch").await;
    desk.until(hand.event(&Event::Sent(offer_id, Decision::ApproveOnce))).await;
    let address = relay.kill();
    hand.find(|report| matches!(report, Report::Relay(Err(_))).then_some(())).await;
    assert!(desk.fake.received.is_empty());

    let _relay = Relay::start(address);
    desk.come_back().await;
    hand.seen.clear();
    desk.until(hand.event(&Event::Ended(offer_id, End::Released(Decision::ApproveOnce)))).await;
    assert!(!hand.seen.iter().any(|report| matches!(report, Report::Prompt(_))), "{:#?}", hand.seen);
    assert_eq!(desk.fake.received.len(), 1);
}

#[tokio::test]
async fn a_withdrawn_card_takes_its_prompt_down() {
    let settings = Settings { prompts: Prompts::Asked, ..Settings::default() };
    let (_relay, mut desk, mut hand) = paired(DemoVault::memory(), settings).await;
    let offer_id = desk.offer("ls").await;
    desk.until(hand.card()).await;
    hand.order("allow").await;
    desk.until(hand.prompt()).await;
    desk.withdraw(offer_id).await;
    let by = Foreign::new("the terminal").shown();
    desk.until(hand.event(&Event::Ended(offer_id, End::Closed(Closed::Withdrawn, by)))).await;
    hand.order("touch").await;
    hand.order("allow").await;
    desk.until(hand.find(|report| matches!(report, Report::NotDone(_)).then_some(()))).await;
    assert!(desk.fake.received.is_empty());
}

#[tokio::test]
async fn a_settled_reply_sent_once_more_gets_its_stored_receipt_and_the_phone_goes_on() {
    let (_relay, mut desk, mut hand) = paired(DemoVault::memory(), Settings::default()).await;
    let offer_id = desk.offer("ls").await;
    desk.until(hand.card()).await;
    hand.order("allow").await;
    desk.until(hand.event(&Event::Ended(offer_id, End::Released(Decision::ApproveOnce)))).await;
    hand.order(&format!("replay {offer_id}")).await;
    let outcome = desk
        .until(hand.find(|report| match report {
            Report::Replayed(of, outcome) if *of == offer_id => Some(outcome.clone()),
            _ => None,
        }))
        .await;
    assert_eq!(outcome, Outcome::Released(Decision::ApproveOnce));
    assert_eq!(desk.fake.settled.len(), 1);

    // The core's own session comes back: after the handshake it greets the desktop a third time.
    desk.until_greeted(3).await;
    let offer_id = desk.offer("ls again").await;
    assert_eq!(desk.until(hand.card()).await, offer_id);
}

#[tokio::test]
async fn a_revoked_phone_wipes_its_folder_and_ends() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let (_relay, mut desk, mut hand) = paired(DemoVault::folder(&path).unwrap(), Settings::default()).await;
    desk.revoke().await;
    desk.until(hand.event(&Event::Revoked)).await;
    let ended = hand.phone.task.await.unwrap().unwrap();
    assert_eq!(ended, "this phone was revoked");
    let records = std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(records.collect::<Vec<_>>(), ["software.key"]);
}

#[tokio::test]
async fn a_phone_started_again_goes_on_with_its_keys_and_a_higher_counter() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let (_relay, mut desk, mut hand) = paired(DemoVault::folder(&path).unwrap(), Settings::default()).await;
    let first = desk.offer("one").await;
    desk.until(hand.card()).await;
    hand.order("allow").await;
    desk.until(hand.event(&Event::Ended(first, End::Released(Decision::ApproveOnce)))).await;
    hand.order("quit").await;
    hand.phone.task.await.unwrap().unwrap();

    let settings = Settings::default();
    let mut hand = Hand::start(Start::Resume, DemoVault::folder(&path).unwrap(), settings);
    desk.until(hand.event(&Event::Up)).await;
    let second = desk.offer("two").await;
    desk.until(hand.card()).await;
    hand.order("deny").await;
    desk.until(hand.event(&Event::Ended(second, End::Released(Decision::Deny)))).await;
    assert_eq!(desk.fake.settled.iter().map(|reply| reply.counter).collect::<Vec<_>>(), [1, 2]);
}

#[tokio::test]
async fn a_desktop_that_is_not_in_demo_mode_is_refused_before_any_key_is_shown() {
    let relay = Relay::start(anywhere());
    let mut open = Open::new(relay.address, AttestationPolicy::Warn).await;
    let hand = Hand::start(Start::Pair(open.ticket.clone()), DemoVault::memory(), Settings::default());
    let meeting = tokio::spawn(async move { open.meet().await });
    let error = hand.phone.task.await.unwrap().unwrap_err().to_string();
    assert!(error.contains("not in demo mode") && error.contains("countersign up --demo"), "{error}");
    meeting.abort();
}

#[tokio::test]
async fn a_used_ticket_says_what_to_do() {
    let relay = Relay::start(anywhere());
    let open = Open::new(relay.address, AttestationPolicy::Demo).await;
    let address = relay.kill();
    let _relay = Relay::start(address);
    let hand = Hand::start(Start::Pair(open.ticket.clone()), DemoVault::memory(), Settings::default());
    let error = hand.phone.task.await.unwrap().unwrap_err().to_string();
    assert!(error.contains("countersign pair"), "{error}");
}

#[tokio::test]
async fn it_ends_with_its_channel_and_without_its_desktop() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let (relay, mut desk, hand) = paired(DemoVault::folder(&path).unwrap(), Settings::default()).await;
    desk.delete().await;
    let ended = hand.phone.task.await.unwrap().unwrap();
    assert_eq!(ended, "the desktop ended this phone's channel");

    relay.kill();
    let settings = Settings { linger: Duration::from_millis(10), ..Settings::default() };
    let hand = Hand::start(Start::Resume, DemoVault::folder(&path).unwrap(), settings);
    assert_eq!(hand.phone.task.await.unwrap().unwrap(), "the desktop is gone");
}

/// The program itself, driven as a test drives it.
struct Program {
    child: Child,
    input: ChildStdin,
    output: std::sync::mpsc::Receiver<Value>,
}

impl Program {
    fn pair(ticket: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_countersign-demo-phone"))
            .args(["pair", "-", "--json", "--parent-watch", "--name", "test phone"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        writeln!(input, "{ticket}").unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, output) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = sender.send(serde_json::from_str(&line).unwrap());
            }
        });
        Self { child, input, output }
    }

    /// The next event of a name.
    async fn event(self, name: &'static str) -> (Self, Value) {
        spawn_blocking(move || {
            loop {
                let event = self.output.recv_timeout(Duration::from_secs(60)).expect(name);
                assert_eq!(event["phone"], "DEMO PHONE, software keys");
                if event["event"] == name {
                    return (self, event);
                }
            }
        })
        .await
        .unwrap()
    }
}

#[tokio::test]
async fn the_program_pairs_shows_allows_and_ends_with_its_input() {
    let relay = Relay::start(anywhere());
    let mut open = Open::new(relay.address, AttestationPolicy::Demo).await;
    let program = Program::pair(&open.ticket.text());
    open.meet().await;
    let (program, code) = program.event("code").await;
    let mut desk = open.finish(code["code"].as_str().unwrap(), relay.address).await;
    let (program, paired) = desk.until(program.event("paired")).await;
    assert_eq!(paired["account"], "ada@desk");
    let (program, _) = desk.until(program.event("up")).await;
    let offer_id = desk.offer("rm -r build\u{202e}").await;
    let (mut program, card) = desk.until(program.event("card")).await;
    assert_eq!(card["offer"], offer_id.to_string());
    assert_eq!(card["blocks"][0]["command"], "rm -r build\\u{202e}");
    assert_eq!(card["warnings"][0], "contains invisible or look-alike characters, shown as escapes");
    writeln!(program.input, r#"{{"do":"allow","offer":"{offer_id}"}}"#).unwrap();
    let (program, receipt) = desk.until(program.event("receipt")).await;
    assert_eq!(receipt["outcome"], "released");
    assert_eq!(receipt["verified"], true);
    let Program { mut child, input, .. } = program;
    drop(input);
    assert!(spawn_blocking(move || child.wait()).await.unwrap().unwrap().success());
}
