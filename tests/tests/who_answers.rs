//! WHO-3: every input of today, valid and forged, and which of them can allow. A new input, message type or decision
//! that is not listed here stops the build.

#[path = "who_answers/inputs.rs"]
mod inputs;

use countersign_core::{
    approver::{KeyStrength, Standing},
    authority::ClickRefusal,
    command::Report,
    input::{Choice, Click, HookGone, HookId, Input, SurfaceId},
};
use countersign_proto::{
    Refusal, canonical, domain,
    id::{DesktopId, DeviceId, Hash, OfferId, RequestId},
    message::Message,
    offer::SignedOffer,
    receipt::Outcome,
    reply::{Decision, Payload, Reply, SignedReply},
    text::Foreign,
};
use countersign_tests::desk::{Desk, Memory, Pocket, Said, Shelf as _, Signing, draft};

/// A desktop with one phone and one waiting request.
fn waiting() -> (Desk<Memory>, Pocket, HookId, RequestId, SignedOffer) {
    let mut desk = Desk::fresh();
    let pocket = desk.pair("ada's phone");
    let (hook, request) = desk.ask("s1", "make deploy");
    let offer = desk.offer(pocket.device, request).expect("a live phone is offered what waits").signed;
    (desk, pocket, hook, request, offer)
}

fn assert_still_asks(desk: &Desk<Memory>, hook: HookId, request: RequestId, what: &str) {
    assert_eq!(desk.said(hook), None, "{what} answered the hook");
    assert!(desk.core.card(request).is_some(), "{what} took the card away");
    assert!(!desk.allowed_anything(), "{what} allowed");
}

#[test]
fn a_phones_doubly_signed_approval_allows() {
    let (mut desk, mut pocket, hook, request, offer) = waiting();
    let reply = pocket.decide(&offer, Decision::ApproveOnce);
    desk.phone_says(pocket.device, reply);
    assert_eq!(desk.said(hook), Some(Said::Allow));
    assert_eq!(desk.outcome(pocket.device), Some(Outcome::Released(Decision::ApproveOnce)));
    assert!(desk.core.card(request).is_none());
}

#[test]
fn a_click_on_the_card_that_is_in_front_allows() {
    let (mut desk, _, hook, request, _) = waiting();
    let surface = SurfaceId(1);
    desk.look_at(surface, request);
    let binding = desk.core.card(request).expect("it waits").binding;
    desk.act(Input::Click(Click { surface, request, binding, choice: Choice::AllowOnce }));
    assert_eq!(desk.said(hook), Some(Said::Allow));
    assert_eq!(desk.reports.last(), Some(&Report::Done));
}

/// Each way to get a click wrong, and what the person is told.
#[test]
fn no_other_click_allows() {
    type Forge = fn(&mut Desk<Memory>, RequestId, Hash);
    let cases: [(&str, ClickRefusal, Forge); 9] = [
        ("a card that was never in front", ClickRefusal::NotInFront, |desk, request, binding| {
            desk.act(click_on(SurfaceId(1), request, binding));
        }),
        ("a card in front on another surface", ClickRefusal::NotInFront, |desk, request, binding| {
            desk.look_at(SurfaceId(1), request);
            desk.act(click_on(SurfaceId(2), request, binding));
        }),
        ("a card that only just appeared", ClickRefusal::TooQuick, |desk, request, binding| {
            desk.act(fronted(request, binding, true));
            desk.pass(499);
            desk.act(click_on(SurfaceId(1), request, binding));
        }),
        ("a card whose end was not seen", ClickRefusal::NotSeenToEnd, |desk, request, binding| {
            desk.act(fronted(request, binding, false));
            desk.pass(10_000);
            desk.act(click_on(SurfaceId(1), request, binding));
        }),
        ("another card's binding", ClickRefusal::OtherCard, |desk, request, _| {
            desk.look_at(SurfaceId(1), request);
            desk.act(click_on(SurfaceId(1), request, Hash::new([3; 32])));
        }),
        ("another request", ClickRefusal::NotWaiting, |desk, request, binding| {
            desk.look_at(SurfaceId(1), request);
            desk.act(click_on(SurfaceId(1), RequestId::new([0xee; 16]), binding));
        }),
        ("a surface that is gone", ClickRefusal::NotInFront, |desk, request, binding| {
            desk.look_at(SurfaceId(1), request);
            desk.act(Input::SurfaceGone(SurfaceId(1)));
            desk.act(click_on(SurfaceId(1), request, binding));
        }),
        ("a surface that shows another card", ClickRefusal::NotInFront, |desk, request, binding| {
            desk.look_at(SurfaceId(1), request);
            let (_, other) = desk.ask("s2", "ls");
            desk.look_at(SurfaceId(1), other);
            desk.act(click_on(SurfaceId(1), request, binding));
        }),
        ("a click after the deadline", ClickRefusal::TooLate, |desk, request, binding| {
            desk.look_at(SurfaceId(1), request);
            desk.move_clock(115_000);
            desk.act(click_on(SurfaceId(1), request, binding));
        }),
    ];
    for (what, refusal, forge) in cases {
        let (mut desk, _, hook, request, _) = waiting();
        let binding = desk.core.card(request).expect("it waits").binding;
        forge(&mut desk, request, binding);
        assert_still_asks(&desk, hook, request, what);
        assert!(desk.reports.contains(&Report::Click(refusal)), "{what}: {:?}", desk.reports);
    }
}

fn click_on(surface: SurfaceId, request: RequestId, binding: Hash) -> Input {
    Input::Click(Click { surface, request, binding, choice: Choice::AllowOnce })
}

fn fronted(request: RequestId, binding: Hash, seen_to_end: bool) -> Input {
    Input::Fronted { surface: SurfaceId(1), request, binding, seen_to_end }
}

#[test]
fn a_locked_desktop_takes_no_click_and_no_approval() {
    let (mut desk, mut pocket, ..) = waiting();
    desk.act(Input::Lock);
    let (hook, request) = desk.ask("s1", "make deploy");
    let offer = desk.offer(pocket.device, request).expect("still offered, to be denied").signed;
    desk.look_at(SurfaceId(1), request);
    let binding = desk.core.card(request).expect("it waits").binding;
    desk.act(click_on(SurfaceId(1), request, binding));
    assert_eq!(desk.reports.last(), Some(&Report::Click(ClickRefusal::Locked)));
    let reply = pocket.decide(&offer, Decision::ApproveOnce);
    desk.phone_says(pocket.device, reply);
    assert_eq!(desk.outcome(pocket.device), Some(Outcome::Refused(Refusal::Suspended.code())));
    assert_still_asks(&desk, hook, request, "a locked desktop");
    let reply = pocket.decide(&offer, Decision::Deny);
    desk.phone_says(pocket.device, reply);
    assert!(matches!(desk.said(hook), Some(Said::Deny(_))));
}

/// Each decision of a phone: what it does when it is valid and offered, and what its forged form gets.
#[test]
fn each_phone_decision_has_its_valid_and_its_forged_case() {
    for decision in Decision::ALL {
        let (mut desk, mut pocket, hook, request, offer) = waiting();
        let reply = pocket.reply(&offer, decision);
        let message = Message::Reply(pocket.sign(&reply, Signing::Honest));
        desk.phone_says(pocket.device, message);
        let said = desk.said(hook);
        let outcome = desk.outcome(pocket.device).expect("every reply gets a receipt");
        match decision {
            Decision::ApproveOnce => assert_eq!(said, Some(Said::Allow)),
            Decision::Deny => assert_eq!(said, Some(Said::Deny("The person declined this call.".to_owned()))),
            Decision::DenyWithNote => {
                let words = "The person declined this call. Their note: «use the staging host»";
                assert_eq!(said, Some(Said::Deny(words.to_owned())));
            }
            Decision::HandOff => assert_eq!(said, Some(Said::Silence)),
            Decision::Dismiss => assert_still_asks(&desk, hook, request, "a dismissal"),
            Decision::ApproveAlways => {
                assert_eq!(said, Some(Said::Allow));
                assert_eq!(desk.core.rules().len(), 1);
            }
            // Not offered in this version, so refused however well they are signed.
            Decision::Answer | Decision::Grant | Decision::ServiceAction => {
                assert_eq!(outcome, Outcome::Refused(Refusal::NotOffered.code()));
                assert_still_asks(&desk, hook, request, decision.name());
            }
        }
        let (mut desk, mut pocket, hook, request, offer) = waiting();
        let reply = pocket.reply(&offer, decision);
        let mut forged = pocket.sign(&reply, Signing::Honest);
        let mut other = pocket.clone();
        other.device_key = countersign_proto::key::SigningKey::from_seed(&[0xbb; 32]);
        forged.sig = other.sign(&reply, Signing::Honest).sig;
        desk.phone_says(pocket.device, Message::Reply(forged));
        assert_still_asks(&desk, hook, request, "a foreign signature");
    }
}

/// Every way in which an approval can be wrong, each with the refusal it gets.
#[test]
fn no_forged_approval_allows_and_each_is_refused_for_its_own_reason() {
    type Forge = fn(&mut Desk<Memory>, &mut Pocket, &SignedOffer) -> Message;
    let cases: &[(&str, Option<Refusal>, Forge)] = &[
        ("no approval signature", Some(Refusal::BioMissing), |_, pocket, offer| {
            let reply = pocket.reply(offer, Decision::ApproveOnce);
            Message::Reply(pocket.sign(&reply, Signing::DeviceOnly))
        }),
        ("a note without the approval signature", Some(Refusal::NoteNeedsBio), |_, pocket, offer| {
            let reply = pocket.reply(offer, Decision::DenyWithNote);
            Message::Reply(pocket.sign(&reply, Signing::DeviceOnly))
        }),
        ("another phone's approval key", None, |desk, pocket, offer| {
            let other = desk.pair("bob's phone");
            let reply = pocket.reply(offer, Decision::ApproveOnce);
            let mut signed = pocket.sign(&reply, Signing::Honest);
            signed.sig_bio = other.sign(&reply, Signing::Both).sig_bio;
            Message::Reply(signed)
        }),
        ("the approval signature of a denial", None, |_, pocket, offer| {
            let denial = pocket.reply(offer, Decision::DenyWithNote);
            let sig_bio = pocket.sign(&denial, Signing::Both).sig_bio;
            let reply = pocket.reply(offer, Decision::ApproveOnce);
            let mut signed = pocket.sign(&reply, Signing::Honest);
            signed.sig_bio = sig_bio;
            Message::Reply(signed)
        }),
        ("the signature of another label", None, |_, pocket, offer| {
            let reply = pocket.reply(offer, Decision::ApproveOnce);
            let mut signed = pocket.sign(&reply, Signing::Honest);
            signed.sig = pocket.device_key.sign(domain::LOCK, &[&signed.bytes]);
            Message::Reply(signed)
        }),
        ("an approval key's signature under the device label", None, |_, pocket, offer| {
            let reply = pocket.reply(offer, Decision::ApproveOnce);
            let mut signed = pocket.sign(&reply, Signing::Honest);
            signed.sig_bio = Some(pocket.sign_bio(domain::REPLY_DEVICE, &signed.bytes));
            Message::Reply(signed)
        }),
        ("another offer's hash", Some(Refusal::HashMismatch), |_, pocket, offer| {
            altered(pocket, offer, |reply| reply.offer_hash = Hash::new([1; 32]))
        }),
        ("an unknown offer", Some(Refusal::UnknownOffer), |_, pocket, offer| {
            altered(pocket, offer, |reply| reply.offer_id = OfferId::new([1; 16]))
        }),
        ("another desktop", Some(Refusal::WrongDesktop), |_, pocket, offer| {
            altered(pocket, offer, |reply| reply.desktop_id = DesktopId::new([1; 32]))
        }),
        ("another phone's name", Some(Refusal::WrongDevice), |_, pocket, offer| {
            altered(pocket, offer, |reply| reply.device_id = DeviceId::new([1; 16]))
        }),
        ("a counter far ahead", Some(Refusal::CounterRegressed), |_, pocket, offer| {
            altered(pocket, offer, |reply| reply.counter += (1 << 20) + 1)
        }),
        ("a counter out of range", Some(Refusal::Malformed), |_, pocket, offer| {
            altered(pocket, offer, |reply| reply.counter = 1 << 63)
        }),
        ("a counter that was used", Some(Refusal::CounterReplayed), |desk, pocket, offer| {
            let used = pocket.decide(offer, Decision::Dismiss);
            desk.phone_says(pocket.device, used);
            altered(pocket, offer, |reply| reply.counter -= 1)
        }),
        ("a lower counter", Some(Refusal::CounterRegressed), |desk, pocket, offer| {
            pocket.counter += 7;
            let used = pocket.decide(offer, Decision::Dismiss);
            desk.phone_says(pocket.device, used);
            altered(pocket, offer, |reply| reply.counter = 3)
        }),
        ("a version nobody knows", Some(Refusal::Malformed), |_, pocket, offer| {
            altered(pocket, offer, |reply| reply.v = 2)
        }),
        ("a payload that does not belong to it", Some(Refusal::PayloadMismatch), |_, pocket, offer| {
            altered(pocket, offer, |reply| reply.payload = Some(Payload::Note(Foreign::new("run it"))))
        }),
        ("bytes that are no reply", Some(Refusal::Malformed), |_, pocket, offer| {
            let reply = pocket.reply(offer, Decision::ApproveOnce);
            let mut signed = pocket.sign(&reply, Signing::Honest);
            signed.bytes.truncate(20);
            signed.sig = pocket.device_key.sign(domain::REPLY_DEVICE, &[&signed.bytes]);
            Message::Reply(signed)
        }),
        ("bytes that are not canonical", Some(Refusal::NotCanonical), |_, pocket, offer| {
            let reply = pocket.reply(offer, Decision::ApproveOnce);
            let mut bytes = canonical::encode(&reply);
            // The map's `0: 1` again, as the same value in two bytes.
            let at = bytes.windows(2).position(|pair| pair == [0, 1]).expect("field 0 is the version");
            bytes.splice(at + 1..at + 2, [0x18, 0x01]);
            let sig = pocket.device_key.sign(domain::REPLY_DEVICE, &[&bytes]);
            let sig_bio = Some(pocket.sign_bio(domain::REPLY_BIO, &bytes));
            Message::Reply(SignedReply { bytes, sig, sig_bio })
        }),
        ("a phone whose session is over", None, |desk, pocket, offer| {
            desk.act(Input::SessionOver(pocket.device));
            pocket.decide(offer, Decision::ApproveOnce)
        }),
        ("a suspended phone", Some(Refusal::Suspended), |desk, pocket, offer| {
            suspend(desk, pocket, offer);
            pocket.decide(offer, Decision::ApproveOnce)
        }),
    ];
    for (what, refusal, forge) in cases {
        let (mut desk, mut pocket, hook, request, offer) = waiting();
        let message = forge(&mut desk, &mut pocket, &offer);
        let before = desk.approver(pocket.device).expect("paired").counter;
        desk.sent.clear();
        desk.phone_says(pocket.device, message);
        assert_still_asks(&desk, hook, request, what);
        assert_eq!(desk.approver(pocket.device).expect("paired").counter, before, "{what} moved the counter");
        match refusal {
            Some(refusal) => {
                assert_eq!(desk.outcome(pocket.device), Some(Outcome::Refused(refusal.code())), "{what}");
            }
            // Which signature failed is told to nobody; without a session nothing can be told.
            None => {
                assert!(matches!(desk.outcome(pocket.device), None | Some(Outcome::Refused(0))), "{what}")
            }
        }
    }
}

fn altered(pocket: &mut Pocket, offer: &SignedOffer, alter: impl FnOnce(&mut Reply)) -> Message {
    let mut reply = pocket.reply(offer, Decision::ApproveOnce);
    alter(&mut reply);
    Message::Reply(pocket.sign(&reply, Signing::Honest))
}

/// Five bad signatures within a minute.
fn suspend(desk: &mut Desk<Memory>, pocket: &mut Pocket, offer: &SignedOffer) {
    let mut thief = pocket.clone();
    thief.device_key = countersign_proto::key::SigningKey::from_seed(&[0xbb; 32]);
    for _ in 0..5 {
        let reply = pocket.reply(offer, Decision::ApproveOnce);
        desk.phone_says(pocket.device, Message::Reply(thief.sign(&reply, Signing::Honest)));
    }
    let standing = desk.approver(pocket.device).expect("paired").standing;
    assert!(matches!(standing, Standing::Suspended(_)), "{standing:?}");
}

#[test]
fn a_suspended_phone_can_still_deny_and_a_person_lifts_it() {
    let (mut desk, mut pocket, _, request, offer) = waiting();
    suspend(&mut desk, &mut pocket, &offer);
    desk.act(Input::Unsuspend(pocket.device));
    let reply = pocket.decide(&offer, Decision::ApproveOnce);
    desk.phone_says(pocket.device, reply);
    assert!(desk.core.card(request).is_none() && desk.allowed_anything());

    let (mut desk, mut pocket, hook, _, offer) = waiting();
    suspend(&mut desk, &mut pocket, &offer);
    let reply = pocket.decide(&offer, Decision::Deny);
    desk.phone_says(pocket.device, reply);
    assert!(matches!(desk.said(hook), Some(Said::Deny(_))));
}

#[test]
fn nothing_a_revoked_phone_signs_is_ever_accepted_again() {
    let (mut desk, mut pocket, hook, request, offer) = waiting();
    let signed_before = pocket.decide(&offer, Decision::ApproveOnce);
    desk.act(Input::Revoke(pocket.device));
    assert!(matches!(desk.sent.last(), Some((_, Message::Revoked(_)))), "a live phone hears of it first");
    assert_eq!(desk.forgotten, [pocket.device]);
    for live in [false, true] {
        if live {
            desk.act(Input::SessionLive(pocket.device));
        }
        desk.phone_says(pocket.device, signed_before.clone());
        for decision in [Decision::ApproveOnce, Decision::Deny, Decision::Dismiss] {
            let reply = pocket.decide(&offer, decision);
            desk.phone_says(pocket.device, reply);
        }
        let lock = pocket.lock();
        desk.phone_says(pocket.device, lock);
        desk.act(Input::Unsuspend(pocket.device));
        assert_still_asks(&desk, hook, request, "a revoked phone");
        assert!(!desk.core.is_locked());
    }
}

#[test]
fn a_reply_of_an_earlier_run_or_an_ended_offer_changes_nothing() {
    let (mut desk, mut pocket, hook, _, offer) = waiting();
    let early = pocket.decide(&offer, Decision::ApproveOnce);
    desk.crash();
    desk.act(Input::SessionLive(pocket.device));
    desk.phone_says(pocket.device, early);
    assert_eq!(desk.outcome(pocket.device), Some(Outcome::Refused(Refusal::WrongRun.code())));
    assert_eq!(desk.said(hook), None);

    let (mut desk, mut pocket, hook, _, offer) = waiting();
    let late = pocket.decide(&offer, Decision::ApproveOnce);
    desk.pass(115_000);
    assert_eq!(desk.said(hook), Some(Said::Silence));
    desk.phone_says(pocket.device, late);
    assert_eq!(desk.outcome(pocket.device), Some(Outcome::Refused(Refusal::TooLate.code())));
    assert!(!desk.allowed_anything());

    let (mut desk, mut pocket, hook, _, offer) = waiting();
    let late = pocket.decide(&offer, Decision::ApproveOnce);
    desk.act(Input::HookGone { hook, why: HookGone::Closed });
    desk.phone_says(pocket.device, late);
    assert_eq!(desk.outcome(pocket.device), Some(Outcome::Refused(Refusal::OfferClosed.code())));
    assert!(!desk.allowed_anything());
}

#[test]
fn a_replayed_reply_gets_its_stored_receipt_and_changes_nothing() {
    let (mut desk, mut pocket, hook, _, offer) = waiting();
    let reply = pocket.decide(&offer, Decision::ApproveOnce);
    desk.phone_says(pocket.device, reply.clone());
    let (entries, receipt) = (desk.core.head().seq, desk.receipt(pocket.device));
    let told = desk.told.len();
    for _ in 0..3 {
        desk.phone_says(pocket.device, reply.clone());
        assert_eq!(desk.receipt(pocket.device), receipt);
    }
    assert_eq!((desk.told.len(), desk.core.head().seq), (told, entries));
    desk.crash();
    desk.act(Input::SessionLive(pocket.device));
    let entries = desk.core.head().seq;
    desk.phone_says(pocket.device, reply);
    assert_eq!((desk.receipt(pocket.device), desk.core.head().seq), (receipt, entries));
    assert_eq!(desk.told.iter().filter(|(to, _)| *to == hook).count(), 1);
}

#[test]
fn another_phones_offer_and_another_phones_session_are_of_no_use() {
    let mut desk = Desk::fresh();
    let mut ada = desk.pair("ada's phone");
    let bob = desk.pair("bob's phone");
    let (hook, request) = desk.ask("s1", "make deploy");
    let ada_offer = desk.offer(ada.device, request).expect("offered").signed;
    let reply = ada.decide(&ada_offer, Decision::ApproveOnce);
    desk.phone_says(bob.device, reply);
    assert_eq!(desk.outcome(bob.device), Some(Outcome::Refused(Refusal::WrongDevice.code())));
    // Bob's own keys over Ada's offer.
    let mut bob_says = ada.reply(&ada_offer, Decision::ApproveOnce);
    bob_says.device_id = bob.device;
    desk.phone_says(bob.device, Message::Reply(bob.sign(&bob_says, Signing::Honest)));
    assert_eq!(desk.outcome(bob.device), Some(Outcome::Refused(Refusal::UnknownOffer.code())));
    assert_still_asks(&desk, hook, request, "another phone's offer");
}

/// The deadline is looked at when the commit starts, and again before the hook is told (protocol.md §7.6).
#[test]
fn an_allow_that_takes_too_long_is_silence() {
    let (mut desk, mut pocket, hook, request, offer) = waiting();
    desk.rederive_takes_ms = 115_000;
    let reply = pocket.decide(&offer, Decision::ApproveOnce);
    desk.phone_says(pocket.device, reply);
    assert_eq!(desk.outcome(pocket.device), Some(Outcome::Refused(Refusal::TooLate.code())));
    assert!(desk.shelf.decisions().is_empty(), "nothing is decided at or after the deadline");
    desk.pass(1);
    assert_eq!((desk.said(hook), desk.core.card(request).is_none()), (Some(Said::Silence), true));

    let (mut desk, mut pocket, hook, _, offer) = waiting();
    desk.commit_takes_ms = 115_000;
    let reply = pocket.decide(&offer, Decision::ApproveOnce);
    desk.phone_says(pocket.device, reply);
    assert!(!desk.commanded.contains(&(hook, Said::Allow)), "the core itself no longer asks for an allow");
    assert!(!desk.allowed_anything());
}

/// What the person saw is what is allowed: another view, or none, gives the card up (WHO-7).
#[test]
fn changed_facts_make_a_new_card_and_unknown_ones_go_back_to_the_terminal() {
    let (mut desk, mut pocket, hook, request, offer) = waiting();
    let mut changed = draft("s1", "make deploy");
    changed.depends.push(countersign_proto::request::Dependency {
        path: Foreign::new("/home/ada/site/Makefile"),
        hash: Some(Hash::new([2; 32])),
    });
    desk.facts.insert(request, Some(changed));
    let reply = pocket.decide(&offer, Decision::ApproveOnce);
    desk.phone_says(pocket.device, reply);
    assert_eq!(desk.outcome(pocket.device), Some(Outcome::Refused(Refusal::OfferClosed.code())));
    assert_eq!((desk.said(hook), desk.core.card(request).is_none()), (None, true));
    let card = desk.core.cards().first().map(|card| (card.request.id, card.hook)).expect("a new card");
    assert_eq!(card.1, hook);
    let offer = desk.offer(pocket.device, card.0).expect("offered anew").signed;
    let reply = pocket.decide(&offer, Decision::ApproveOnce);
    desk.phone_says(pocket.device, reply);
    assert_eq!(desk.said(hook), Some(Said::Allow));

    let (mut desk, mut pocket, hook, request, offer) = waiting();
    desk.facts.insert(request, None);
    let reply = pocket.decide(&offer, Decision::ApproveOnce);
    desk.phone_says(pocket.device, reply);
    assert_eq!(desk.said(hook), Some(Said::Silence));
    assert!(!desk.allowed_anything());
}

/// A full disk: nothing is released that was not written down, and what narrows still holds.
#[test]
fn what_can_not_be_stored_is_not_released() {
    let (mut desk, mut pocket, hook, _, offer) = waiting();
    desk.shelf.failing = 1;
    let reply = pocket.decide(&offer, Decision::ApproveOnce);
    desk.phone_says(pocket.device, reply);
    assert_eq!(desk.said(hook), Some(Said::Silence));
    assert_eq!(desk.outcome(pocket.device), Some(Outcome::Refused(Refusal::StoreFailed.code())));

    let (mut desk, mut pocket, hook, _, offer) = waiting();
    desk.shelf.failing = u32::MAX;
    desk.act(Input::Revoke(pocket.device));
    assert_eq!(desk.reports.last(), Some(&Report::NotStored));
    desk.act(Input::SessionLive(pocket.device));
    let reply = pocket.decide(&offer, Decision::ApproveOnce);
    desk.phone_says(pocket.device, reply);
    assert_eq!(desk.said(hook), None);
    let (hook, _) = desk.ask("s2", "make deploy");
    assert_eq!(desk.said(hook), Some(Said::Silence), "a question that can't be recorded is not asked");
}

#[test]
fn software_keys_count_only_in_demo_mode_and_attested_ones_only_outside() {
    let mut desk = Desk::fresh();
    let pocket = Pocket::make("ada's phone", &desk.desktop);
    let mut approver = pocket.approver();
    approver.strength = KeyStrength::Tee;
    desk.act(Input::Paired { approver: Box::new(approver), seed: [1; 32] });
    assert_eq!(desk.reports.last(), Some(&Report::Pairing(Refusal::BioKeyNotStrong)));
    assert!(desk.core.approvers().is_empty());
}

/// Everything else that can happen, one case each: none of it allows. The match lists every input, so that a new one
/// stops the build until it has a case here.
#[test]
fn no_other_input_allows() {
    for input in inputs::every_input() {
        let (mut desk, pocket, hook, request, offer) = waiting();
        match inputs::with_ids(input, &pocket, hook, request, &offer) {
            // The two doors of today have their tests above; here they come without what makes them valid.
            input @ (Input::Click(_) | Input::Phone { .. }) => desk.act(input),
            input @ (Input::Ask(_)
            | Input::Before(_)
            | Input::HookGone { .. }
            | Input::Observed { .. }
            | Input::Fronted { .. }
            | Input::SurfaceGone(_)
            | Input::Deny(_)
            | Input::Release(_)
            | Input::Lock
            | Input::Unlock
            | Input::PhoneGarbage { .. }
            | Input::SessionLive(_)
            | Input::SessionOver(_)
            | Input::Paired { .. }
            | Input::PairingFailed { .. }
            | Input::Revoke(_)
            | Input::Unsuspend(_)
            | Input::RemoveRule(_)
            | Input::ResumeRule(_)
            | Input::Accept(_)
            | Input::RevokeConsent(_)
            | Input::Managed(_)
            | Input::Strict { .. }
            | Input::Pause(_)
            | Input::Protect { .. }
            | Input::LiftEnv { .. }
            | Input::AcceptRisk(_)
            | Input::Committed(_)
            | Input::CommitFailed(_)
            | Input::Rederived { .. }
            | Input::Delivered { .. }
            | Input::Tick
            | Input::Shutdown) => desk.act(input),
        }
        desk.pass(120_000);
        assert!(!desk.allowed_anything());
    }
}
