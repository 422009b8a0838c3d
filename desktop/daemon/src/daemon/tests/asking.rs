//! A hook asks: answers by click and by terminal, withdrawal, and facts that change meanwhile.

use std::fs;

use countersign_ipc::control::{ControlReply, ControlRequest, Decision, DenyWhich, ErrorCode, Outcome};
use serde_json::json;
use tokio::io::AsyncReadExt as _;

use super::stage::*;

const ALLOW: &str =
    r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#;

#[tokio::test]
async fn a_click_on_the_card_in_front_reaches_the_agent_as_its_exact_bytes_and_the_log() {
    let desk = Desk::new().await;
    let mut watch = desk.watcher().await;
    let hook = desk.hook(&bash("s", "echo hi > x"), 0).await;
    let card = watch.opened().await;
    assert!(!card.whole, "a hook below no agent is never whole");
    assert!(card.reasons.iter().any(|reason| reason.contains("no process of Claude Code")), "{card:?}");
    let answer = tokio::spawn(hook.answer());

    let mut client = desk.client().await;
    client.look_at(&card).await;
    let settled = client.ask(click(&card, Decision::AllowOnce, None)).await;
    let ControlReply::Settled(ending) = settled else { panic!("{settled:?}") };
    assert_eq!((ending.outcome, ending.delivered), (Outcome::Allowed, true));
    assert_eq!(ending.text, "Allowed on the desktop");
    assert_eq!(answer.await.unwrap(), ALLOW);
    assert_eq!(watch.closed().await, ending);
    assert_eq!(desk.log().await, ["started", "asked", "allowed", "released"]);
    assert_eq!(desk.verify().await.entries, 4);
}

#[tokio::test]
async fn an_allow_without_its_card_in_front_for_long_enough_is_refused() {
    let desk = Desk::new().await;
    let mut watch = desk.watcher().await;
    let hook = desk.hook(&bash("s", "echo hi"), 0).await;
    let card = watch.opened().await;
    let mut client = desk.client().await;
    let allow = || click(&card, Decision::AllowOnce, None);
    assert_eq!(client.refused(allow()).await.code, ErrorCode::NotInFront, "it was drawn nowhere");

    // Drawn on another surface, or as another card: neither counts here.
    let mut other = desk.client().await;
    other.look_at(&card).await;
    assert_eq!(client.refused(allow()).await.code, ErrorCode::NotInFront);
    let mut forged = card.clone();
    forged.binding = "00".repeat(32);
    assert_eq!(other.refused(click(&forged, Decision::AllowOnce, None)).await.code, ErrorCode::StaleCard);

    let fronted = |seen_to_end| ControlRequest::Fronted {
        request_id: card.request_id.clone(),
        binding: card.binding.clone(),
        seen_to_end,
    };
    assert_eq!(client.ask(fronted(false)).await, ControlReply::Done {});
    assert_eq!(client.refused(allow()).await.code, ErrorCode::NotInFront, "only just drawn");
    let settled = other.ask(allow()).await;
    assert!(matches!(settled, ControlReply::Settled(_)), "{settled:?}");
    assert_eq!(hook.answer().await, ALLOW);
}

#[tokio::test]
async fn a_card_whose_end_was_not_seen_can_be_denied_but_not_allowed() {
    let desk = Desk::new().await;
    let mut watch = desk.watcher().await;
    let hook = desk.hook(&bash("s", "echo hi"), 0).await;
    let card = watch.opened().await;
    let mut client = desk.client().await;
    let fronted = ControlRequest::Fronted {
        request_id: card.request_id.clone(),
        binding: card.binding.clone(),
        seen_to_end: false,
    };
    client.ask(fronted).await;
    crate::timer::BootTimer::new().unwrap().until(Some(crate::clock::boot_ms() + 510)).await.unwrap();
    assert_eq!(client.refused(click(&card, Decision::AllowOnce, None)).await.code, ErrorCode::NotSeenToEnd);
    client.ask(click(&card, Decision::Deny, None)).await;
    assert!(hook.answer().await.contains(r#""behavior":"deny""#));
}

#[tokio::test]
async fn a_denial_carries_the_persons_words_in_one_line() {
    let desk = Desk::new().await;
    let mut watch = desk.watcher().await;
    let hook = desk.hook(&bash("s", "echo hi"), 0).await;
    let card = watch.opened().await;
    let answer = tokio::spawn(hook.answer());
    let mut client = desk.client().await;
    let deny = click(&card, Decision::DenyWithNote, Some("use\nthe other one"));
    let ControlReply::Settled(ending) = client.ask(deny).await else { panic!() };
    assert_eq!((ending.outcome, ending.delivered), (Outcome::Denied, true));
    let answer = answer.await.unwrap();
    assert!(answer.contains(r"Their note: «use\\nthe other one»"), "{answer}");
    let empty = click(&card, Decision::DenyWithNote, Some("  "));
    assert_eq!(client.refused(empty).await.code, ErrorCode::BadRequest);
}

#[tokio::test]
async fn answering_one_of_two_leaves_the_other() {
    let desk = Desk::new().await;
    let mut watch = desk.watcher().await;
    let first = desk.hook(&bash("s", "echo one"), 0).await;
    let first_card = watch.opened().await;
    let second = desk.hook(&bash("s", "echo two"), 0).await;
    let second_card = watch.opened().await;
    assert_eq!((second_card.position.index, second_card.position.of), (2, 2));
    let mut client = desk.client().await;
    client.look_at(&first_card).await;
    client.ask(click(&first_card, Decision::AllowOnce, None)).await;
    assert_eq!(first.answer().await, ALLOW);
    let ControlReply::Pending { cards } = client.ask(ControlRequest::Pending {}).await else { panic!() };
    assert_eq!(cards.len(), 1);
    assert_eq!(cards[0].request_id, second_card.request_id);
    let which = DenyWhich::One(second_card.request_id.clone());
    let ControlReply::Closed { endings } = client.ask(ControlRequest::Deny { which }).await else { panic!() };
    assert_eq!(endings[0].outcome, Outcome::Denied);
    assert!(second.answer().await.contains("deny"));
}

#[tokio::test]
async fn released_cards_go_back_to_the_terminal_at_once() {
    let desk = Desk::new().await;
    let mut watch = desk.watcher().await;
    let hook = desk.hook(&bash("s", "echo hi"), 0).await;
    watch.opened().await;
    let silence = tokio::spawn(hook.silence());
    let release = ControlRequest::Release { request_id: None };
    let ControlReply::Closed { endings } = desk.client().await.ask(release).await else { panic!() };
    assert_eq!((endings[0].outcome, endings[0].delivered), (Outcome::HandedOff, true));
    silence.await.unwrap();
}

#[tokio::test]
async fn a_hook_that_leaves_takes_its_card_with_it() {
    let desk = Desk::new().await;
    let mut watch = desk.watcher().await;
    let hook = desk.hook(&bash("s", "echo hi"), 0).await;
    let card = watch.opened().await;
    drop(hook);
    let ending = watch.closed().await;
    assert_eq!((ending.request_id, ending.outcome), (card.request_id.clone(), Outcome::Withdrawn));
    let mut client = desk.client().await;
    assert_eq!(client.refused(click(&card, Decision::Deny, None)).await.code, ErrorCode::UnknownRequest);
}

#[tokio::test]
async fn what_ran_without_us_withdraws_its_card_and_its_hook_hears_silence() {
    let desk = Desk::new().await;
    let mut watch = desk.watcher().await;
    let hook = desk.hook(&bash("s", "echo hi"), 0).await;
    watch.opened().await;
    let input = json!({"command": "echo hi", "description": "Do it"});
    desk.tell(&event("other", "PostToolUse", "Bash", &input)).await;
    desk.tell(&event("s", "PostToolUse", "Bash", &input)).await;
    assert_eq!(watch.closed().await.outcome, Outcome::Withdrawn);
    hook.silence().await;
}

#[tokio::test]
async fn a_call_that_nobody_answers_goes_back_at_its_deadline() {
    let desk = Desk::new().await;
    let mut watch = desk.watcher().await;
    let began = crate::clock::boot_ms();
    let hook = desk.hook(&bash("s", "echo hi"), 5_300).await;
    let card = watch.opened().await;
    assert!(card.deadline_in_ms <= 300, "{}", card.deadline_in_ms);
    assert_eq!(watch.closed().await.outcome, Outcome::Expired);
    hook.silence().await;
    assert!(crate::clock::boot_ms() >= began + 300);
}

/// WHO-7: the file that an edit would change was changed since the card was drawn.
#[tokio::test]
async fn an_allow_over_facts_that_changed_makes_a_new_card_and_releases_nothing() {
    let desk = Desk::new().await;
    let mut watch = desk.watcher().await;
    let file = desk.folder.path().join("notes.txt");
    fs::write(&file, "one\ntwo\n").unwrap();
    let edit = json!({"file_path": file, "old_string": "two", "new_string": "three", "replace_all": false});
    let hook = desk.hook(&event("s", "PermissionRequest", "Edit", &edit), 0).await;
    let card = watch.opened().await;
    let mut client = desk.client().await;
    client.look_at(&card).await;
    fs::write(&file, "secret\ntwo\n").unwrap();
    assert_eq!(client.refused(click(&card, Decision::AllowOnce, None)).await.code, ErrorCode::StaleCard);
    assert_eq!(watch.closed().await.request_id, card.request_id);
    let again = watch.opened().await;
    assert_ne!((&again.request_id, &again.binding), (&card.request_id, &card.binding));
    client.look_at(&again).await;
    client.ask(click(&again, Decision::AllowOnce, None)).await;
    assert_eq!(hook.answer().await, ALLOW);
    desk.verify().await;
}

#[tokio::test]
async fn a_lock_denies_what_waits_and_closes_every_door_but_deny() {
    let desk = Desk::new().await;
    let mut watch = desk.watcher().await;
    let hook = desk.hook(&bash("s", "echo hi"), 0).await;
    watch.opened().await;
    let denied = tokio::spawn(hook.answer());
    let mut client = desk.client().await;
    let ControlReply::Closed { endings } = client.ask(ControlRequest::Lock {}).await else { panic!() };
    assert_eq!(endings[0].outcome, Outcome::Denied);
    assert!(denied.await.unwrap().contains("deny"));

    let hook = desk.hook(&bash("s", "echo again"), 0).await;
    let card = watch.until_opened().await;
    client.look_at(&card).await;
    let allow = || click(&card, Decision::AllowOnce, None);
    assert_eq!(client.refused(allow()).await.code, ErrorCode::Locked);
    assert_eq!(client.ask(ControlRequest::Unlock {}).await, ControlReply::Done {});
    assert!(matches!(client.ask(allow()).await, ControlReply::Settled(_)));
    assert_eq!(hook.answer().await, ALLOW);
}

#[tokio::test]
async fn a_decision_that_cannot_be_stored_releases_nothing() {
    let desk = Desk::new().await;
    let mut watch = desk.watcher().await;
    let hook = desk.hook(&bash("s", "echo hi"), 0).await;
    let card = watch.opened().await;
    let mut client = desk.client().await;
    client.look_at(&card).await;
    desk.ready.house.store.faults().fail(3);
    let refused = client.refused(click(&card, Decision::AllowOnce, None)).await;
    assert_eq!(refused.code, ErrorCode::StoreFailed);
    hook.silence().await;
    assert_eq!(watch.closed().await.outcome, Outcome::Abstained);
    assert_eq!(desk.log().await, ["started", "asked"]);
}

#[tokio::test]
async fn a_hook_that_dies_before_it_printed_was_not_told() {
    let desk = Desk::new().await;
    let mut watch = desk.watcher().await;
    let mut hook = desk.hook(&bash("s", "echo hi"), 0).await;
    watch.opened().await;
    let deny = ControlRequest::Deny { which: DenyWhich::All };
    let mut client = desk.client().await;
    client.send(deny).await;
    let mut length = [0; 4];
    hook.0.read_exact(&mut length).await.unwrap();
    drop(hook);
    let ControlReply::Closed { endings } = client.reply().await else { panic!() };
    assert!(!endings[0].delivered);
    assert_eq!(desk.log().await, ["started", "asked", "denied", "unreleased"]);
}

#[tokio::test]
async fn a_hook_that_does_not_say_whether_it_printed_keeps_no_surface_waiting() {
    let desk = Desk::new().await;
    let mut watch = desk.watcher().await;
    let hook = desk.hook(&bash("s", "echo hi"), 0).await;
    watch.opened().await;
    let deny = ControlRequest::Deny { which: DenyWhich::All };
    let ControlReply::Closed { endings } = desk.client().await.ask(deny).await else { panic!() };
    assert!(!endings[0].delivered, "not known yet");
    assert_eq!(watch.closed().await, endings[0]);
    assert!(hook.answer().await.contains("deny"));
    while desk.log().await != ["started", "asked", "denied", "released"] {
        tokio::task::yield_now().await;
    }
}
