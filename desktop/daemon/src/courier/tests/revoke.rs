//! Revocation: a live phone hears of it, its channel goes, and an unconfirmed deletion is tried again.

use countersign_core::approver::Standing;
use countersign_mobile_core::phone::Event;
use countersign_proto::claim::End;

use crate::courier::{
    Claimed, Reach,
    stage::{Ordered, PATIENCE, RelayProcess, World, has_channel},
};

/// Waits until every deletion is confirmed.
async fn deletions_end(world: &World) {
    let confirmed = async {
        while !world.store.channel_ends().await.unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, confirmed).await.expect("the relay should have confirmed it");
}

#[tokio::test]
async fn a_revoked_phone_is_told_and_its_channel_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::start(&folder.path().join("state")).await;
    let relay = RelayProcess::start();
    let mut phone = world.pair(Some(relay.address.to_string()), 1).await;
    let asked = world.ask("echo hi").await;
    phone.card().await;
    let device = phone.pair.desktop.device_id;
    world.revoke(device).await;
    phone.until(|event| (*event == Event::Revoked).then_some(())).await;
    world.leaves(device).await;
    deletions_end(&world).await;
    assert!(!has_channel(&relay.address, &phone.claimed()).await);
    assert_eq!(world.phones().await, 0);
    assert_eq!(world.count_log("revoked").await, 1);
    drop(asked);
    world.stop().await;
}

#[tokio::test]
async fn with_the_last_phone_our_own_relay_ends_and_comes_again_with_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::start(&folder.path().join("state")).await;
    let phone = world.pair(None, 1).await;
    assert!(world.relay.pid().is_some());
    world.revoke(phone.pair.desktop.device_id).await;
    deletions_end(&world).await;
    let ended = async {
        while world.relay.pid().is_some() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, ended).await.expect("nobody needs it any more");
    world.pair(None, 2).await;
    world.stop().await;
}

#[tokio::test]
async fn a_phone_revoked_with_its_relay_away_counts_no_more_and_its_channel_goes_later() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let (world, relay) = (World::start(&state).await, RelayProcess::start());
    let phone = world.pair(Some(relay.address.to_string()), 1).await;
    let (device, address) = (phone.pair.desktop.device_id, relay.address.clone());
    let kept = world.store.pairings().await.unwrap().remove(0);
    let ours = Claimed { channel: kept.record.channel, end: End::Desktop, key: kept.relay_key };
    drop(relay);
    world.reaches(device, |reach| matches!(reach, Reach::Offline { .. })).await;
    world.revoke(device).await;
    world.leaves(device).await;
    let approvers = world.store.approvers().await.unwrap();
    assert_eq!(approvers[0].standing, Standing::Revoked);
    assert_eq!(world.store.channel_ends().await.unwrap().len(), 1, "to be deleted when it can be");
    phone.order(Ordered::HangUp);
    world.stop().await;

    let relay = RelayProcess::start_at(&address.to_string());
    let channel = crate::courier::NewChannel {
        id: ours.channel,
        desktop: ours.key.public(),
        phone: phone.pair.relay.public(),
        ttl: std::time::Duration::ZERO,
        invite: None,
    };
    crate::courier::make(&relay.address, &channel).await.unwrap();
    assert!(has_channel(&relay.address, &ours).await);
    let world = World::start(&state).await;
    deletions_end(&world).await;
    assert!(!has_channel(&relay.address, &ours).await);
    world.stop().await;
}
