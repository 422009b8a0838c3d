//! Whatever the network and the person do, in any order: the invariants of [`World`] hold, and once the weather clears
//! every question comes to an end.

use proptest::prelude::*;

use super::{Event, Input, world::World};
use crate::{
    choice::Choice,
    inbox::{End, Stage},
};

#[derive(Debug, Clone)]
enum Step {
    Offer,
    Withdraw(prop::sample::Index),
    Change(prop::sample::Index),
    Decide(prop::sample::Index, Choice),
    Touch,
    Cancel,
    Store,
    StoreFails,
    ToPhone(prop::sample::Index),
    RepeatToPhone(prop::sample::Index),
    LoseToPhone(prop::sample::Index),
    ToDesktop(prop::sample::Index),
    LoseToDesktop(prop::sample::Index),
    Wait(u64),
    Drop,
    Connect,
    RestartDesktop,
    Lock,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    use prop::sample::Index;
    let choice = prop_oneof![
        Just(Choice::ApproveOnce),
        Just(Choice::Deny),
        Just(Choice::Dismiss),
        Just(Choice::HandOff),
        Just(Choice::DenyWithNote(countersign_proto::text::Foreign::new("no"))),
    ];
    let step = prop_oneof![
        4 => Just(Step::Offer),
        2 => any::<Index>().prop_map(Step::Withdraw),
        1 => any::<Index>().prop_map(Step::Change),
        8 => (any::<Index>(), choice).prop_map(|(index, choice)| Step::Decide(index, choice)),
        6 => Just(Step::Touch),
        1 => Just(Step::Cancel),
        8 => Just(Step::Store),
        1 => Just(Step::StoreFails),
        16 => any::<Index>().prop_map(Step::ToPhone),
        2 => any::<Index>().prop_map(Step::RepeatToPhone),
        2 => any::<Index>().prop_map(Step::LoseToPhone),
        16 => any::<Index>().prop_map(Step::ToDesktop),
        2 => any::<Index>().prop_map(Step::LoseToDesktop),
        3 => (0u64..20_000).prop_map(Step::Wait),
        1 => Just(Step::Drop),
        2 => Just(Step::Connect),
        1 => Just(Step::RestartDesktop),
        1 => Just(Step::Lock),
    ];
    proptest::collection::vec(step, 1..120)
}

fn take(world: &mut World, step: Step) {
    let offers: Vec<_> = world.phone.inbox().list().iter().map(|entry| entry.card().offer_id).collect();
    match step {
        Step::Offer => drop(world.offer("cargo test")),
        Step::Withdraw(index) if !world.desktop.open.is_empty() => {
            let ids: Vec<_> = world.desktop.open.keys().copied().collect();
            world.withdraw(*index.get(&ids));
        }
        Step::Change(index) if !offers.is_empty() => world.change(*index.get(&offers)),
        Step::Decide(index, choice) if !offers.is_empty() => {
            world.see_and_decide(*index.get(&offers), choice);
        }
        Step::Touch => world.touch(),
        Step::Cancel => world.cancel(),
        Step::Store => world.ack_store(),
        Step::StoreFails => world.fail_store(),
        Step::ToPhone(index) if !world.to_phone.is_empty() => {
            world.deliver(index.index(world.to_phone.len()));
        }
        Step::RepeatToPhone(index) if !world.to_phone.is_empty() => {
            let repeated = index.get(&world.to_phone).clone();
            world.to_phone.push(repeated);
        }
        Step::LoseToPhone(index) if !world.to_phone.is_empty() => {
            world.to_phone.remove(index.index(world.to_phone.len()));
        }
        Step::ToDesktop(index) if !world.to_desktop.is_empty() => {
            world.deliver_to_desktop(index.index(world.to_desktop.len()));
        }
        Step::LoseToDesktop(index) if !world.to_desktop.is_empty() => {
            world.to_desktop.remove(index.index(world.to_desktop.len()));
        }
        Step::Wait(ms) => world.advance(ms),
        Step::Drop => world.input(Input::Disconnected),
        Step::Connect => world.connect(),
        Step::RestartDesktop => world.desktop.restart(),
        Step::Lock => world.input(Input::Lock),
        Step::Withdraw(_)
        | Step::Change(_)
        | Step::Decide(..)
        | Step::ToPhone(_)
        | Step::RepeatToPhone(_)
        | Step::LoseToPhone(_)
        | Step::ToDesktop(_)
        | Step::LoseToDesktop(_) => {}
    }
}

/// The network behaves, stores succeed, prompts are answered: then every card must come to an end.
fn clear_up(world: &mut World) {
    world.input(Input::Disconnected);
    world.connect();
    for _ in 0..40 {
        world.settle();
        world.touch();
        world.settle();
        let next = world.phone.poll_timeout().map_or(10_000, |at| at.saturating_sub(world.now.boot_ms));
        world.advance(next.clamp(1, 10_000));
    }
    world.settle();
}

proptest! {
    #[test]
    fn no_weather_gets_a_second_signature_a_low_counter_or_a_false_allowed(steps in steps()) {
        let mut world = World::connected();
        for step in steps {
            take(&mut world, step);
        }
        clear_up(&mut world);
        for entry in world.phone.inbox().list() {
            prop_assert!(matches!(entry.stage(), Stage::Over(_)), "{:?}", entry.stage());
        }
        // Whatever the desktop settled at this phone's word is what the phone shows of it, or it shows no end at all.
        for reply in &world.desktop.settled {
            let stage = world.phone.inbox().get(reply.offer_id).map(|entry| entry.stage().clone());
            if let Some(Stage::Over(End::Released(decision))) = stage {
                prop_assert_eq!(decision, reply.decision);
            }
        }
        let ended = world.events.iter().filter_map(|event| match event {
            Event::Ended(id, _) => Some(*id),
            _ => None,
        });
        let mut ended: Vec<_> = ended.collect();
        let all = ended.len();
        ended.sort_unstable();
        ended.dedup();
        prop_assert_eq!(ended.len(), all, "a card ends once");
    }
}
