//! What a person relies on, step by step.

use countersign_proto::{
    id::OfferId,
    limits,
    message::{Closed, Message, NoticeCode},
    refusal::Refusal,
    reply::{Decision, QuestionAnswer, Replies},
    request::{Always, Block, Kind, Labelled, Question, Request},
    text::Foreign,
};

use super::{
    Alarm, Event, Input,
    world::{World, reply_of},
};
use crate::{
    card::Warning,
    choice::{CannotAnswer, Choice},
    fake_desktop::{FakeDesktop, request},
    inbox::{End, Section, Stage, Turned},
    vault::Part,
    witness::LogAlarm,
};

fn note(text: &str) -> Choice {
    Choice::DenyWithNote(Foreign::new(text))
}

fn offer(world: &mut World, request: &Request) -> OfferId {
    let (offer_id, message) = world.desktop.make_offer(request, world.now.boot_ms);
    let envelopes = world.desktop.say(&Message::Offer(message), world.now.boot_ms);
    world.push(envelopes);
    world.settle();
    offer_id
}

fn answered(request: &Request, choice: Choice) -> World {
    let mut world = World::connected();
    let offer_id = offer(&mut world, request);
    world.see_and_decide(offer_id, choice);
    world.settle();
    world.touch();
    world.settle();
    world
}

#[test]
fn an_approval_is_a_finger_two_signatures_and_a_receipt_before_it_says_allowed() {
    let mut world = World::connected();
    let offer_id = world.offer("cargo test");
    world.settle();
    assert!(world.events.contains(&Event::Card(offer_id)));
    world.see_and_decide(offer_id, Choice::ApproveOnce);
    assert!(world.prompt.is_none(), "no finger before the counter is stored");
    world.ack_store();
    let pending = world.prompt.clone().unwrap();
    assert_eq!(pending.title.as_str(), "Allow: Wants to run a command");
    world.touch();
    assert_eq!(world.stage(offer_id), Stage::Sent(Decision::ApproveOnce));
    assert!(world.events.contains(&Event::Sent(offer_id, Decision::ApproveOnce)));
    world.settle();
    assert_eq!(world.stage(offer_id), Stage::Over(End::Released(Decision::ApproveOnce)));
    assert_eq!(world.desktop.settled.len(), 1);
}

#[test]
fn a_plain_denial_needs_no_finger_and_a_note_does() {
    let world = answered(&request("ls"), Choice::Deny);
    assert_eq!(world.desktop.settled.first().unwrap().decision, Decision::Deny);

    let mut world = World::connected();
    let offer_id = offer(&mut world, &request("ls"));
    world.see_and_decide(offer_id, note("not now"));
    world.settle();
    assert!(world.prompt.is_some() && world.desktop.received.is_empty());
    world.touch();
    world.settle();
    assert_eq!(world.desktop.settled.first().unwrap().decision, Decision::DenyWithNote);
}

#[test]
fn every_decision_makes_a_reply_that_the_desktop_takes() {
    let text = Foreign::new;
    let always = Request {
        always: vec![Always { scope: text("session"), text: text("cargo test") }],
        ..request("cargo test")
    };
    let question = |many| {
        Block::Question(Question {
            tag: text("db"),
            text: text("Which one?"),
            options: vec![text("a"), text("b")],
            many,
        })
    };
    let questions =
        Request { kind: Kind::Question, view: vec![question(false), question(true)], ..request("") };
    let offered = |kind| {
        let view = vec![Block::Text(Labelled { label: text("policy"), text: text("+allow read") })];
        Request { kind, view, ..request("") }
    };
    let answers = vec![
        QuestionAnswer { options: vec![1], text: None },
        QuestionAnswer { options: vec![0, 1], text: Some(text("and c")) },
    ];
    for (request, choice) in [
        (request("ls"), Choice::Deny),
        (request("ls"), Choice::Dismiss),
        (request("ls"), note("please don't")),
        (request("ls"), Choice::ApproveOnce),
        (always, Choice::ApproveAlways(0)),
        (questions, Choice::Answer(answers)),
        (request("ls"), Choice::HandOff),
        (offered(Kind::Grant), Choice::Grant),
        (offered(Kind::ServiceAction), Choice::ServiceAction),
    ] {
        let decision = choice.decision();
        let world = answered(&request, choice);
        assert_eq!(world.desktop.settled.first().map(|reply| reply.decision), Some(decision));
    }
}

#[test]
fn what_does_not_fit_the_card_is_refused_before_anything_is_signed() {
    let long = "x".repeat(limits::NOTE_CHARS + 1);
    let answers = |options| Choice::Answer(vec![QuestionAnswer { options, text: None }]);
    let question = Request {
        kind: Kind::Question,
        view: vec![Block::Question(Question {
            tag: Foreign::default(),
            text: Foreign::new("?"),
            options: vec![Foreign::new("a")],
            many: false,
        })],
        ..request("")
    };
    for (request, choice, why) in [
        (request("ls"), note(""), CannotAnswer::BadNote),
        (request("ls"), note("two\nlines"), CannotAnswer::BadNote),
        (request("ls"), note("hid\u{200b}den"), CannotAnswer::BadNote),
        (request("ls"), note(&long), CannotAnswer::BadNote),
        (request("ls"), Choice::ApproveAlways(0), CannotAnswer::NotOffered),
        (request("ls"), Choice::Grant, CannotAnswer::NotOffered),
        (question.clone(), Choice::ApproveOnce, CannotAnswer::NotOffered),
        (question.clone(), answers(vec![1]), CannotAnswer::BadAnswers),
        (question.clone(), answers(vec![]), CannotAnswer::BadAnswers),
        (question, Choice::Answer(vec![]), CannotAnswer::BadAnswers),
    ] {
        let mut world = World::connected();
        let offer_id = offer(&mut world, &request);
        world.see_and_decide(offer_id, choice);
        assert!(world.events.contains(&Event::NotTaken(offer_id, why)), "{why}");
        assert!(world.stores.is_empty());
        assert_eq!(world.stage(offer_id), Stage::Waiting(None));
    }
}

#[test]
fn nothing_is_allowed_before_the_cards_end_was_seen_but_a_denial_needs_no_reading() {
    let mut world = World::connected();
    let offer_id = offer(&mut world, &request("ls"));
    world.input(Input::Decide { offer_id, choice: Choice::ApproveOnce });
    assert!(world.events.contains(&Event::NotTaken(offer_id, CannotAnswer::NotSeen)));
    world.input(Input::Decide { offer_id, choice: Choice::Deny });
    world.settle();
    assert_eq!(world.desktop.settled.len(), 1);
}

#[test]
fn a_request_too_big_for_the_phone_can_only_be_denied_or_hidden() {
    let mut world = World::connected();
    let offer_id = offer(&mut world, &request(&"x".repeat(limits::REQUEST)));
    let card = world.phone.inbox().get(offer_id).unwrap().card();
    assert_eq!(card.allowed, Replies::of(&[Decision::Deny, Decision::Dismiss]));
    assert_eq!(card.warnings, [Warning::TooBig]);
}

#[test]
fn a_withdrawn_card_takes_its_prompt_down_and_a_late_finger_sends_nothing() {
    let mut world = World::connected();
    let offer_id = offer(&mut world, &request("ls"));
    world.see_and_decide(offer_id, Choice::ApproveOnce);
    world.ack_store();
    let pending = world.prompt.clone().unwrap();
    world.withdraw(offer_id);
    world.deliver(0);
    assert!(world.prompt.is_none());
    let signature = world.finger.sign(&pending.bytes);
    world.input(Input::BioSigned { prompt: pending.prompt, signature });
    world.settle();
    assert!(world.desktop.received.is_empty());
    let by = Foreign::new("the terminal").shown();
    assert_eq!(world.stage(offer_id), Stage::Over(End::Closed(Closed::Withdrawn, by)));
}

#[test]
fn an_expired_card_is_missed_and_takes_neither_a_decision_nor_a_finger() {
    let mut world = World::connected();
    let offer_id = offer(&mut world, &request("ls"));
    world.see_and_decide(offer_id, Choice::ApproveOnce);
    world.ack_store();
    let pending = world.prompt.clone().unwrap();
    world.now.boot_ms += 115_000;
    let signature = world.finger.sign(&pending.bytes);
    world.input(Input::BioSigned { prompt: pending.prompt, signature });
    world.input(Input::Decide { offer_id, choice: Choice::Deny });
    assert_eq!(world.stage(offer_id), Stage::Over(End::Expired));
    assert_eq!(world.phone.inbox().get(offer_id).unwrap().section(), Section::Missed);
    assert!(world.events.contains(&Event::NotTaken(offer_id, CannotAnswer::Over)));
    assert_eq!(world.signatures_of(offer_id), 0);
}

#[test]
fn time_left_counts_what_the_relay_held_and_never_grows() {
    let mut world = World::connected();
    let offer_id = world.offer("ls");
    world.now.boot_ms += 40_000;
    world.settle();
    let left = |world: &World| world.phone.inbox().get(offer_id).unwrap().left_ms(world.now);
    assert_eq!(left(&world), 75_000);
    let (signed, _) = world.desktop.open.get(&offer_id).unwrap().clone();
    let again = countersign_proto::message::OfferMessage { signed, left_ms: 115_000, fronted: true };
    let envelopes = world.desktop.say(&Message::Offer(again), world.now.boot_ms);
    world.push(envelopes);
    world.settle();
    assert_eq!(left(&world), 75_000);
    assert!(world.phone.inbox().get(offer_id).unwrap().is_fronted());
}

#[test]
fn the_same_id_with_other_content_takes_the_prompt_down_and_can_never_be_answered() {
    let mut world = World::connected();
    let offer_id = offer(&mut world, &request("ls"));
    world.see_and_decide(offer_id, Choice::ApproveOnce);
    world.ack_store();
    assert!(world.prompt.is_some());
    let other = world.desktop.make_other(offer_id, &request("rm -rf /"));
    let envelopes = world.desktop.say(&Message::Offer(other), world.now.boot_ms);
    world.push(envelopes);
    world.settle();
    assert!(world.prompt.is_none());
    assert!(world.events.contains(&Event::Alarm(Alarm::OfferChanged)));
    assert_eq!(world.stage(offer_id), Stage::Over(End::Changed));
}

#[test]
fn a_reply_that_was_lost_goes_out_again_in_the_next_session_without_a_second_finger() {
    let mut world = World::connected();
    let offer_id = offer(&mut world, &request("ls"));
    world.see_and_decide(offer_id, Choice::ApproveOnce);
    world.ack_store();
    world.touch();
    world.to_desktop.clear();
    world.input(Input::Disconnected);
    assert_eq!(world.events.last(), Some(&Event::Down));
    world.advance(4_000);
    world.connect();
    world.settle();
    assert!(world.prompt.is_none());
    assert_eq!(world.signatures_of(offer_id), 1);
    assert_eq!(world.stage(offer_id), Stage::Over(End::Released(Decision::ApproveOnce)));
}

#[test]
fn a_lost_receipt_is_asked_for_with_the_same_bytes_in_the_same_session() {
    let mut world = World::connected();
    let offer_id = offer(&mut world, &request("ls"));
    world.input(Input::Decide { offer_id, choice: Choice::Deny });
    world.ack_store();
    world.deliver_to_desktop(0);
    world.to_phone.clear();
    assert_eq!(world.stage(offer_id), Stage::Sent(Decision::Deny));
    world.advance(3_000);
    world.settle();
    assert_eq!(world.desktop.received.len(), 1, "a repeat is no new reply");
    assert_eq!(world.stage(offer_id), Stage::Over(End::Released(Decision::Deny)));
}

#[test]
fn without_a_receipt_a_reply_ends_as_unconfirmed_never_as_allowed() {
    let mut world = World::connected();
    let offer_id = offer(&mut world, &request("ls"));
    world.input(Input::Decide { offer_id, choice: Choice::Deny });
    world.ack_store();
    world.input(Input::Disconnected);
    world.advance(115_000);
    assert_eq!(world.stage(offer_id), Stage::Sent(Decision::Deny));
    world.advance(120_000);
    assert_eq!(world.stage(offer_id), Stage::Over(End::Unconfirmed(Decision::Deny)));
}

#[test]
fn a_refused_reply_lets_the_person_answer_again_while_the_question_is_open() {
    let mut world = World::connected();
    world.desktop.moods.push(Refusal::Suspended);
    let offer_id = offer(&mut world, &request("ls"));
    world.see_and_decide(offer_id, Choice::ApproveOnce);
    world.settle();
    world.touch();
    world.settle();
    assert_eq!(world.stage(offer_id), Stage::Waiting(Some(Turned(Some(Refusal::Suspended)))));
    world.input(Input::Decide { offer_id, choice: Choice::Deny });
    world.settle();
    assert_eq!(world.stage(offer_id), Stage::Over(End::Released(Decision::Deny)));
}

#[test]
fn a_refusal_that_says_the_question_is_over_is_final() {
    let mut world = World::connected();
    let offer_id = offer(&mut world, &request("ls"));
    world.desktop.withdraw(offer_id, Closed::Denied, world.now.boot_ms);
    world.input(Input::Decide { offer_id, choice: Choice::Deny });
    world.settle();
    let turned = Turned(Some(Refusal::OfferClosed));
    assert_eq!(world.stage(offer_id), Stage::Over(End::Refused(turned)));
}

#[test]
fn a_card_closed_elsewhere_while_its_reply_travels_waits_for_the_signed_receipt() {
    let mut world = World::connected();
    let offer_id = offer(&mut world, &request("ls"));
    world.input(Input::Decide { offer_id, choice: Choice::Deny });
    world.ack_store();
    world.withdraw(offer_id);
    world.deliver(0);
    assert_eq!(world.stage(offer_id), Stage::Sent(Decision::Deny));
    world.settle();
    let turned = Turned(Some(Refusal::OfferClosed));
    assert_eq!(world.stage(offer_id), Stage::Over(End::Refused(turned)));
}

#[test]
fn a_store_that_fails_signs_nothing() {
    let mut world = World::connected();
    let offer_id = offer(&mut world, &request("ls"));
    world.input(Input::Decide { offer_id, choice: Choice::Deny });
    world.fail_store();
    assert!(world.events.contains(&Event::NotTaken(offer_id, CannotAnswer::StoreFailed)));
    assert_eq!(world.signatures_of(offer_id), 0);
    world.input(Input::Decide { offer_id, choice: Choice::Deny });
    world.settle();
    assert_eq!(world.desktop.settled.first().unwrap().counter, 2);
}

#[test]
fn a_second_decision_waits_for_the_finger_of_the_first_and_gets_the_higher_counter() {
    let mut world = World::connected();
    let (first, second) = (offer(&mut world, &request("a")), offer(&mut world, &request("b")));
    world.see_and_decide(first, Choice::ApproveOnce);
    world.input(Input::Decide { offer_id: second, choice: Choice::Deny });
    world.settle();
    assert_eq!(world.signatures_of(second), 0);
    assert_eq!(reply_of(world.prompt.as_ref().unwrap()).offer_id, first);
    world.touch();
    world.settle();
    assert_eq!(world.desktop.settled.iter().map(|reply| reply.counter).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn a_cancelled_finger_leaves_the_card_waiting_and_its_counter_unused() {
    let mut world = World::connected();
    let offer_id = offer(&mut world, &request("ls"));
    world.see_and_decide(offer_id, Choice::ApproveOnce);
    world.settle();
    world.cancel();
    assert!(world.events.contains(&Event::BioCancelled(offer_id)));
    assert_eq!(world.stage(offer_id), Stage::Waiting(None));
    world.see_and_decide(offer_id, Choice::ApproveOnce);
    world.settle();
    world.touch();
    world.settle();
    assert_eq!(world.desktop.settled.first().unwrap().counter, 2);
}

#[test]
fn an_approval_key_that_is_gone_says_so_and_only_denials_go_on() {
    let mut world = World::connected();
    let offer_id = offer(&mut world, &request("ls"));
    world.see_and_decide(offer_id, Choice::ApproveOnce);
    world.settle();
    let prompt = world.prompt.take().unwrap().prompt;
    world.input(Input::BioInvalidated { prompt });
    assert!(world.events.contains(&Event::Alarm(Alarm::KeyGone)));
    world.input(Input::Decide { offer_id, choice: Choice::ApproveOnce });
    assert!(world.events.contains(&Event::NotTaken(offer_id, CannotAnswer::KeyGone)));
    world.input(Input::Decide { offer_id, choice: Choice::Deny });
    world.settle();
    assert_eq!(world.desktop.settled.len(), 1);
}

#[test]
fn a_signature_of_another_key_is_not_sent() {
    let mut world = World::connected();
    let offer_id = offer(&mut world, &request("ls"));
    world.see_and_decide(offer_id, Choice::ApproveOnce);
    world.settle();
    let pending = world.prompt.take().unwrap();
    let signature = world.finger.sign(b"something else");
    world.input(Input::BioSigned { prompt: pending.prompt, signature });
    assert!(world.events.contains(&Event::Alarm(Alarm::BadBioSignature)));
    assert_eq!(world.stage(offer_id), Stage::Waiting(None));
}

#[test]
fn a_phone_that_lost_everything_but_its_keys_pulls_what_is_open() {
    let mut world = World::new();
    let (offer_id, _) = world.desktop.make_offer(&request("ls"), world.now.boot_ms);
    world.connect();
    world.settle();
    assert!(world.events.contains(&Event::Card(offer_id)));
}

#[test]
fn a_pull_that_is_not_answered_is_asked_again() {
    let mut world = World::new();
    let (offer_id, _) = world.desktop.make_offer(&request("ls"), world.now.boot_ms);
    world.connect();
    while !world.events.contains(&Event::Up) {
        world.settle_one();
    }
    world.to_desktop.clear();
    world.advance(5_000);
    world.settle();
    assert!(world.events.contains(&Event::Card(offer_id)));
}

#[test]
fn what_the_desktop_no_longer_has_open_after_a_reconnect_is_over_here_too() {
    let mut world = World::connected();
    let offer_id = offer(&mut world, &request("ls"));
    world.input(Input::Disconnected);
    world.desktop.restart();
    world.connect();
    world.settle();
    assert_eq!(world.stage(offer_id), Stage::Over(End::Gone));
}

#[test]
fn an_offer_that_overtakes_its_own_closing_makes_no_card() {
    let mut world = World::connected();
    let offer_id = world.offer("ls");
    world.withdraw(offer_id);
    world.deliver(1);
    world.deliver(0);
    assert!(world.phone.inbox().get(offer_id).is_none());
}

#[test]
fn a_lock_takes_down_the_prompt_and_reaches_the_desktop_even_through_a_lost_session() {
    let mut world = World::connected();
    let offer_id = offer(&mut world, &request("ls"));
    world.see_and_decide(offer_id, Choice::ApproveOnce);
    world.settle();
    world.input(Input::Lock);
    assert!(world.prompt.is_none());
    world.input(Input::Decide { offer_id, choice: Choice::Deny });
    assert!(world.events.contains(&Event::NotTaken(offer_id, CannotAnswer::Locked)));
    world.ack_store();
    assert!(world.events.contains(&Event::Locking));
    world.to_desktop.clear();
    world.input(Input::Disconnected);
    world.connect();
    world.settle();
    assert_eq!(world.desktop.locks, 1);
    assert!(world.events.iter().any(|event| matches!(event, Event::Notice(NoticeCode::Locked, _))));
    world.advance(60_000);
    world.settle();
    assert_eq!(world.desktop.locks, 1);
}

#[test]
fn a_revoked_phone_wipes_itself_and_answers_nothing_more() {
    let mut world = World::connected();
    let offer_id = offer(&mut world, &request("ls"));
    world.see_and_decide(offer_id, Choice::ApproveOnce);
    world.settle();
    let pending = world.prompt.clone().unwrap();
    let envelopes = world.desktop.revoke(world.now.boot_ms);
    world.push(envelopes);
    world.settle();
    assert!(world.wiped && world.prompt.is_none());
    assert!(world.events.contains(&Event::Revoked));
    assert!(world.phone.pair().is_none());
    let signature = world.finger.sign(&pending.bytes);
    world.input(Input::BioSigned { prompt: pending.prompt, signature });
    world.connect();
    world.input(Input::Decide { offer_id, choice: Choice::Deny });
    assert!(world.to_desktop.is_empty() && world.phone.poll_timeout().is_none());
    assert!(world.events.contains(&Event::NotTaken(offer_id, CannotAnswer::Revoked)));
}

#[test]
fn a_phone_restored_from_a_backup_says_so_and_goes_on_above_the_desktops_counter() {
    let mut world = World::new();
    world.desktop.counter = 40;
    world.connect();
    world.settle();
    assert!(world.events.contains(&Event::Alarm(Alarm::CounterBehind { ours: 0, known: 40 })));
    assert_eq!(world.desktop.hellos, [0]);
    let offer_id = offer(&mut world, &request("ls"));
    world.input(Input::Decide { offer_id, choice: Choice::Deny });
    world.settle();
    assert_eq!(world.desktop.settled.first().unwrap().counter, 41);
}

#[test]
fn a_log_that_got_shorter_between_two_sessions_raises_an_alarm_each_time() {
    let mut world = World::new();
    world.desktop.checkpoint = Some(FakeDesktop::checkpoint(9, 1));
    world.connect();
    world.settle();
    assert!(!world.events.iter().any(|event| matches!(event, Event::Alarm(_))));
    world.desktop.checkpoint = Some(FakeDesktop::checkpoint(7, 1));
    world.input(Input::Disconnected);
    world.connect();
    world.settle();
    let alarm = Event::Alarm(Alarm::Log(LogAlarm::Shorter { had: 9, has: 7 }));
    assert!(world.events.contains(&alarm));
}

#[test]
fn a_desktop_that_was_restarted_unseen_is_found_again_when_a_reply_stays_unanswered() {
    let mut world = World::connected();
    let offer_id = offer(&mut world, &request("ls"));
    world.desktop.restart();
    world.input(Input::Decide { offer_id, choice: Choice::Deny });
    world.settle();
    for _ in 0..8 {
        let next = world.phone.poll_timeout().unwrap().saturating_sub(world.now.boot_ms);
        world.advance(next);
        world.settle();
    }
    assert!(matches!(world.stage(offer_id), Stage::Over(End::Refused(_))));
}

#[test]
fn a_desktop_that_lost_the_session_is_found_again_even_when_nobody_says_anything() {
    let mut world = World::connected();
    world.advance(50_000);
    world.settle();
    world.advance(50_000);
    world.settle();
    assert_eq!(world.desktop.hellos.len(), 1, "a desktop that answers keeps its session");
    world.desktop.restart();
    world.advance(50_000);
    world.settle();
    world.advance(10_000);
    world.settle();
    assert_eq!(world.desktop.hellos.len(), 2);
}

#[test]
fn a_session_is_renewed_by_age_and_nothing_is_lost_in_between() {
    let mut world = World::connected();
    let hellos = world.desktop.hellos.len();
    world.advance(60 * 60 * 1_000);
    world.settle();
    assert_eq!(world.desktop.hellos.len(), hellos + 1);
    let offer_id = offer(&mut world, &request("ls"));
    assert_eq!(world.stage(offer_id), Stage::Waiting(None));
}

#[test]
fn handshakes_stay_within_what_the_desktop_answers_however_often_it_comes_and_goes() {
    let mut world = World::new();
    for _ in 0..60 {
        world.connect();
        world.input(Input::Disconnected);
    }
    assert_eq!(world.to_desktop.len(), limits::HANDSHAKE_BURST as usize);
    world.to_desktop.clear();
    world.connect();
    let next = world.phone.poll_timeout().unwrap();
    world.advance(next - world.now.boot_ms);
    world.settle();
    assert!(world.events.contains(&Event::Up));
}

#[test]
fn a_phone_loads_again_what_it_stored_and_refuses_to_without_its_counter() {
    use std::collections::BTreeMap;

    use zeroize::Zeroizing;

    use crate::{
        pair::Pair,
        phone::Phone,
        vault::{Record, Vault, VaultError, wipe},
    };

    struct Memory(BTreeMap<String, Vec<u8>>);
    impl Vault for Memory {
        fn get(&self, name: &str) -> Result<Option<Zeroizing<Vec<u8>>>, VaultError> {
            Ok(self.0.get(name).cloned().map(Zeroizing::new))
        }
        fn put(&mut self, name: &str, bytes: &[u8]) -> Result<(), VaultError> {
            self.0.insert(name.into(), bytes.to_vec());
            Ok(())
        }
        fn delete(&mut self, name: &str) -> Result<(), VaultError> {
            self.0.remove(name);
            Ok(())
        }
        fn names(&self) -> Result<Vec<String>, VaultError> {
            Ok(self.0.keys().cloned().collect())
        }
    }

    let (_, paired, [device, relay]) = crate::fake_desktop::pair(&crate::fake_desktop::Finger::new());
    let pair = Pair { desktop: paired, device, relay };
    let desktop = pair.desktop.desktop_id;
    let mut vault = Memory(BTreeMap::new());
    let app = || Foreign::new("test 1");
    assert!(Phone::load(&vault, desktop, app()).unwrap().is_none());
    for record in pair.records() {
        record.apply(&mut vault).unwrap();
    }
    let names = vault.names().unwrap();
    assert_eq!(names.iter().find_map(|name| Record::pair_of(name)), Some(desktop));
    let phone = Phone::load(&vault, desktop, app()).unwrap().unwrap();
    assert_eq!(phone.pair().unwrap().to_bytes(), pair.to_bytes());

    let counter = Record { desktop, part: Part::Counter }.to_string();
    vault.delete(&counter).unwrap();
    assert_eq!(Phone::load(&vault, desktop, app()).unwrap_err(), VaultError::Damaged(counter));
    wipe(&mut vault, desktop).unwrap();
    assert!(vault.0.is_empty());
}
