//! Sessions that end, desktops that come back, locks, revocations, and what a phone remembers.

use countersign_proto::{limits, message::NoticeCode, text::Foreign};

use super::offer;
use crate::{
    choice::{CannotAnswer, Choice},
    fake_desktop::{FakeDesktop, request},
    inbox::{End, Stage},
    phone::{Alarm, Event, Input, world::World},
    vault::Part,
    witness::LogAlarm,
};

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
