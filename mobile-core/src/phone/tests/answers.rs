//! From a card to a signature: what is taken, what is refused, and what ends in between.

use countersign_proto::{
    limits,
    message::{Closed, Message},
    reply::{Decision, QuestionAnswer, Replies},
    request::{Always, Block, Kind, Labelled, Question, Request},
    text::Foreign,
};

use super::offer;
use crate::{
    card::Warning,
    choice::{CannotAnswer, Choice},
    fake_desktop::request,
    inbox::{End, Section, Stage},
    phone::{
        Alarm, Event, Input,
        world::{World, reply_of},
    },
};

fn note(text: &str) -> Choice {
    Choice::DenyWithNote(Foreign::new(text))
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
fn a_card_with_a_secret_is_allowed_only_after_it_was_unfolded_and_seen_to_its_end_then() {
    let mut world = World::connected();
    let offer_id = world.offer("PGPASSWORD=hunter2 psql -c 'select 1'");
    world.settle();
    let entry = |world: &World| world.phone.inbox().get(offer_id).unwrap().clone();
    assert!(entry(&world).is_folded() && entry(&world).card().warnings.contains(&Warning::Secrets));
    let is_refused = |world: &mut World, why| {
        world.input(Input::Decide { offer_id, choice: Choice::ApproveOnce });
        world.settle();
        assert_eq!(world.events.last(), Some(&Event::NotTaken(offer_id, why)));
        assert!(world.prompt.is_none() && world.signatures_of(offer_id) == 0);
    };
    is_refused(&mut world, CannotAnswer::Folded);
    // Its end was on the screen, but not all of it.
    world.input(Input::SeenToEnd { offer_id });
    is_refused(&mut world, CannotAnswer::Folded);
    world.input(Input::Unfold { offer_id });
    assert!(world.events.contains(&Event::Unfolded(offer_id)) && !entry(&world).is_folded());
    is_refused(&mut world, CannotAnswer::NotSeen);
    world.see_and_decide(offer_id, Choice::ApproveOnce);
    world.settle();
    let title = world.prompt.clone().unwrap().title;
    assert!(!title.to_string().contains("hunter2"));
    world.touch();
    world.settle();
    assert_eq!(world.stage(offer_id), Stage::Over(End::Released(Decision::ApproveOnce)));
}

#[test]
fn a_card_with_a_secret_is_denied_without_unfolding_it() {
    let world = answered(&request("PGPASSWORD=hunter2 psql"), Choice::Deny);
    assert_eq!(world.desktop.settled.first().unwrap().decision, Decision::Deny);
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
