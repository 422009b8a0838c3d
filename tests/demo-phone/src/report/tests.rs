//! What a person and a test read of the demo phone.

use countersign_mobile_core::{
    card::{Shape, Warning},
    inbox::{End, Turned},
    phone::Alarm,
};
use countersign_proto::{
    Refusal,
    id::Hash,
    message::{Closed, NoticeCode},
    reply::{Decision, Replies},
    request::{Class, Kind, Level},
};

use super::*;

/// A card that asks to run the tests.
pub(crate) fn view(id: u8) -> CardView {
    let text = Shown::line;
    let card = Card {
        offer_id: OfferId::new([id; 16]),
        offer_hash: Hash::new([id; 32]),
        kind: Kind::Tool,
        headline: text("Wants to run a command"),
        blocks: vec![Shape::Command(Shown::lines("cargo test\n  --all"))],
        agent: text("claude 2.1.332"),
        tool: text("Bash"),
        session: text("fix the parser"),
        subagent: Some(text("explorer · a1 · s")),
        folder: text("/home/ada/work"),
        start_folder: Some(text("/home/ada")),
        host: text("ada@desk"),
        mode: text("default"),
        class: Class::Unknown,
        level: Level::Yellow,
        reasons: vec![text("nobody foresaw it")],
        why: text("Nothing allows it yet"),
        line: None,
        depends: Vec::new(),
        warnings: vec![Warning::Hidden],
        words: text("run the tests"),
        always: Vec::new(),
        secrets: 0,
        allowed: Replies::of(&[Decision::ApproveOnce, Decision::Deny]),
        wall_ms: 0,
    };
    CardView { card, left_ms: 112_000, fronted: true, folded: false, waiting: 1 }
}

fn all() -> Vec<Report> {
    let offer = OfferId::new([1; 16]);
    let turned = Turned(Some(Refusal::Suspended));
    let text = Shown::line("words");
    let ends = [
        End::Released(Decision::ApproveOnce),
        End::Unreleased(Decision::ApproveOnce),
        End::Dismissed,
        End::AlreadySettled(text.clone()),
        End::Refused(turned),
        End::Closed(Closed::Withdrawn, text.clone()),
        End::Expired,
        End::Unconfirmed(Decision::Deny),
        End::Gone,
        End::Changed,
    ];
    let events = [
        Event::Up,
        Event::Down,
        Event::BioCancelled(offer),
        Event::Sent(offer, Decision::ApproveOnce),
        Event::Turned(offer, turned),
        Event::Notice(NoticeCode::HooksGone, text.clone()),
        Event::Locking,
        Event::NotLocked(turned),
        Event::Alarm(Alarm::KeyGone),
        Event::Revoked,
    ];
    let ends = ends.map(|end| Event::Ended(offer, end));
    let mut all: Vec<Report> = events.into_iter().chain(ends).map(Report::Event).collect();
    all.extend([
        Report::Code("042917".into()),
        Report::Prompt(text.clone()),
        Report::Paired { desktop: "d".into(), device: "p".into(), name: text.clone(), account: text },
        Report::Relay(Ok(())),
        Report::Relay(Err("gone".into())),
        Report::Card(Box::new(view(1))),
        Report::Replayed(offer, Outcome::Dismissed),
        Report::Held,
        Report::NotDone("no".into()),
        Report::Bye("over".into()),
    ]);
    all
}

#[test]
fn everything_it_says_is_labelled_as_a_demo_with_software_keys() {
    for report in all() {
        let text = report.text().unwrap();
        assert!(text.contains("[DEMO PHONE, software keys]"), "{text}");
        let json = report.json();
        assert_eq!(json["phone"], "DEMO PHONE, software keys", "{json}");
        assert!(json["event"].is_string(), "{json}");
        assert!(!json.to_string().contains('\n'));
    }
}

#[test]
fn only_a_verified_receipt_says_allowed() {
    for report in all() {
        let is_receipt =
            matches!(&report, Report::Event(Event::Ended(_, End::Released(_) | End::Unreleased(_))));
        let text = report.text().unwrap();
        assert_eq!(text.contains("allowed"), is_receipt, "{text}");
        assert_eq!(report.json()["outcome"] == "released", is_receipt && !text.contains("gone"), "{text}");
    }
    let end = End::Released(Decision::ApproveOnce);
    let text = Report::Event(Event::Ended(OfferId::new([1; 16]), end)).text().unwrap();
    assert_eq!(text, "[DEMO PHONE, software keys] allowed by demo phone, receipt verified");
}

#[test]
fn a_card_is_shown_whole_with_the_keys_that_answer_it() {
    let text = Report::Card(Box::new(view(1))).text().unwrap();
    let expected = "\
──[DEMO PHONE, software keys]── 1:52 left ── 1 of 1 ──
Wants to run a command

    $ cargo test
        --all

agent    claude 2.1.332 · Bash · session fix the parser
subagent explorer · a1 · s
folder   /home/ada/work
         (the session began in /home/ada)
host     ada@desk · mode default
judged   unknown, yellow: nobody foresaw it
why      Nothing allows it yet
! contains invisible or look-alike characters, shown as escapes
the agent says:
    run the tests
── a allow (stands for the finger), d deny, l lock, q quit ──";
    assert_eq!(text, expected);
}

#[test]
fn a_destructive_card_says_so_first() {
    let mut view = view(1);
    view.card.class = Class::Destructive;
    let text = Report::Card(Box::new(view)).text().unwrap();
    assert!(text.lines().nth(1).unwrap().starts_with("DESTRUCTIVE"), "{text}");
}

#[test]
fn the_code_can_be_read_from_across_the_desk() {
    let text = Report::Code("042917".into()).text().unwrap();
    assert!(text.contains("    █████  █   █  █████  █████    █    █████\n"), "{text}");
    assert!(text.ends_with("    042917\n"));
}

#[test]
fn a_secret_is_folded_until_it_is_unfolded_and_folded_there_is_no_key_that_allows() {
    let mut view = view(1);
    view.card.blocks = vec![Shape::Command(Shown::line("PGPASSWORD=hunter2 psql"))];
    view.folded = true;
    let report = |view: &CardView| Report::Card(Box::new(view.clone()));
    for said in [report(&view).text().unwrap(), report(&view).json().to_string()] {
        assert!(said.contains("PGPASSWORD=⟨password, 7 characters⟩ psql"), "{said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
    assert!(report(&view).text().unwrap().contains("── u unfold its secrets, then a allow, d deny"));
    view.folded = false;
    for said in [report(&view).text().unwrap(), report(&view).json().to_string()] {
        assert!(said.contains("PGPASSWORD=⟨hunter2⟩ psql"), "{said}");
    }
    assert!(report(&view).text().unwrap().contains("── a allow"));
}
