//! After the signature: what is sent again, what a receipt means, and what is never claimed without one.

use countersign_proto::{message::Closed, refusal::Refusal, reply::Decision};

use super::offer;
use crate::{
    choice::Choice,
    fake_desktop::request,
    inbox::{End, Stage, Turned},
    phone::{Event, Input, world::World},
};

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
