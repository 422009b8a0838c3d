//! What a person does at the desktop: deny, hand back, lock, unlock, from the command line and from a phone.

use anyhow::{Result, ensure};
use countersign_ipc::control::{ControlReply, Decision, ErrorCode, Outcome};
use countersign_tests::world::{BOUND, World};

use crate::{ALLOWED, LIMIT, assert_denied, assert_story, paired};

#[tokio::test]
async fn a_card_is_denied_from_the_command_line_and_the_agent_is_told() -> Result<()> {
    let world = World::start().await?;
    let mut surface = world.surface().await?;
    let mut hook = world.hook(&world.asks("s", "make deploy"), LIMIT).await?;
    let card = surface.card().await?;
    let denied = world.cli(&["deny", &card.request_id[..6], "--json"]).await?;
    ensure!(
        denied["endings"][0]["outcome"] == "denied" && denied["endings"][0]["delivered"] == true,
        "{denied}"
    );
    assert_denied(&hook.ends(BOUND).await?.1, "declined")?;
    ensure!(surface.ending(&card.request_id).await?.outcome == Outcome::Denied);
    assert_story(&world, "s", &["asked", "denied", "released"]).await?;
    world.assert_log_is_whole().await?;
    Ok(())
}

#[tokio::test]
async fn a_card_that_is_handed_back_leaves_the_agent_to_ask_by_itself() -> Result<()> {
    let world = World::start().await?;
    let mut surface = world.surface().await?;
    let mut hook = world.hook(&world.asks("s", "make deploy"), LIMIT).await?;
    let card = surface.card().await?;
    let released = world.cli(&["release", "--json"]).await?;
    ensure!(released["endings"][0]["outcome"] == "handed_off", "{released}");
    let (code, printed) = hook.ends(BOUND).await?;
    ensure!(code == Some(0) && printed.is_empty(), "{code:?} {printed}");
    ensure!(surface.ending(&card.request_id).await?.outcome == Outcome::HandedOff);
    assert_story(&world, "s", &["asked", "handed_back", "released"]).await?;
    Ok(())
}

#[tokio::test]
async fn with_two_cards_waiting_one_is_named_or_all_are_meant() -> Result<()> {
    let world = World::start().await?;
    let mut surface = world.surface().await?;
    let mut one = world.hook(&world.asks("s", "make one"), LIMIT).await?;
    surface.card().await?;
    let mut two = world.hook(&world.asks("s", "make two"), LIMIT).await?;
    surface.card().await?;
    let unclear = world.cli_output(&["deny", "--json"]).await?;
    ensure!(unclear.status.code() == Some(1), "{unclear:?}");
    ensure!(world.pending().await?.len() == 2, "an unclear word denied something");
    let denied = world.cli(&["deny", "--all", "--json"]).await?;
    ensure!(denied["endings"].as_array().is_some_and(|endings| endings.len() == 2), "{denied}");
    assert_denied(&one.ends(BOUND).await?.1, "declined")?;
    assert_denied(&two.ends(BOUND).await?.1, "declined")?;
    Ok(())
}

/// LOCK-1: what waits is denied, and until somebody unlocks nothing but a denial passes, by phone or by click.
#[tokio::test]
async fn a_locked_desktop_allows_nothing_until_it_is_unlocked() -> Result<()> {
    let (world, mut phone) = paired().await?;
    let mut surface = world.surface().await?;
    let mut waiting = world.hook(&world.asks("s", "make one"), LIMIT).await?;
    surface.card().await?;
    let locked = world.cli(&["lock", "--json"]).await?;
    ensure!(locked["endings"].as_array().is_some_and(|endings| endings.len() == 1), "{locked}");
    assert_denied(&waiting.ends(BOUND).await?.1, "locked")?;
    ensure!(world.cli(&["status", "--json"]).await?["locked"] == true);

    let mut hook = world.hook(&world.asks("s", "make two"), LIMIT).await?;
    let card = surface.card().await?;
    let on_phone = phone.card_of("make two").await?;
    phone.allow(&on_phone).await?;
    phone.event_of("turned", &on_phone).await?;
    surface.front(&card).await?;
    let clicked = surface.click(&card, Decision::AllowOnce).await?;
    ensure!(
        matches!(&clicked, ControlReply::Failed(failure) if failure.code == ErrorCode::Locked),
        "a click passed a locked door: {clicked:?}"
    );
    ensure!(world.pending().await?.len() == 1, "the card is gone");

    world.cli(&["unlock", "--json"]).await?;
    phone.allow(&on_phone).await?;
    ensure!(hook.ends(BOUND).await?.1 == ALLOWED, "unlocking did not open the doors");
    phone.receipt(&on_phone, "released").await?;
    world.assert_log_is_whole().await?;
    Ok(())
}

#[tokio::test]
async fn a_phone_locks_the_desktop_without_a_finger() -> Result<()> {
    let (world, mut phone) = paired().await?;
    let prompts = |phone: &countersign_tests::world::DemoPhone| {
        phone.said().iter().filter(|line| line["event"] == "prompt").count()
    };
    let mut hook = world.hook(&world.asks("s", "make deploy"), LIMIT).await?;
    let card = phone.card().await?;
    let before = prompts(&phone);
    phone.order("lock").await?;
    assert_denied(&hook.ends(BOUND).await?.1, "locked")?;
    let closed = phone.event_of("closed", &card).await?;
    ensure!(closed["how"] == "denied" || closed["how"] == "locked", "closed otherwise: {closed}");
    phone.wait("that it is locked", |line| line["event"] == "notice" && line["code"] == "locked").await?;
    ensure!(prompts(&phone) == before, "a lock asked for a finger");
    ensure!(world.cli(&["status", "--json"]).await?["locked"] == true);
    let entries = world.log().await?;
    let locked = entries.iter().find(|entry| entry["kind"] == "locked");
    ensure!(
        locked.is_some_and(|entry| entry["device_id"] == phone.device.as_str()),
        "who locked? {locked:?}"
    );
    Ok(())
}

#[tokio::test]
async fn a_lock_outlasts_the_desktop() -> Result<()> {
    let mut world = World::start_plain().await?;
    world.cli(&["lock", "--json"]).await?;
    world.kill_desktop().await?;
    world.start_desktop().await?;
    ensure!(world.cli(&["status", "--json"]).await?["locked"] == true, "a restart opened the doors");
    Ok(())
}

/// Locking while a demo's first ticket is shown ends that pairing, not the demo.
#[tokio::test]
async fn a_demo_that_is_locked_before_its_phone_is_paired_goes_on() -> Result<()> {
    let mut world = World::start().await?;
    world.ticket().await?;
    world.cli(&["lock", "--json"]).await?;
    ensure!(world.pair("first phone").await.is_err(), "a locked desktop took a phone");
    let status = world.cli(&["status", "--json"]).await?;
    ensure!(status["locked"] == true && status["phones"] == 0, "{status}");
    world.cli(&["unlock", "--json"]).await?;
    let mut phone = world.pair("second phone").await?;
    let mut hook = world.hook(&world.asks("s", "make deploy"), LIMIT).await?;
    let card = phone.card().await?;
    phone.allow(&card).await?;
    ensure!(hook.ends(BOUND).await?.1 == ALLOWED);
    Ok(())
}

/// A demo that was left locked can be started, so that it can be unlocked; its phone finds it in the meantime.
#[tokio::test]
async fn a_demo_that_was_left_locked_starts_and_is_unlocked() -> Result<()> {
    let (mut world, mut phone) = paired().await?;
    world.cli(&["lock", "--json"]).await?;
    world.kill_desktop().await?;
    world.start_desktop().await?;
    phone.event("up").await?;
    ensure!(world.cli(&["status", "--json"]).await?["locked"] == true, "a restart opened the doors");
    world.cli(&["unlock", "--json"]).await?;
    let mut hook = world.hook(&world.asks("s", "make deploy"), LIMIT).await?;
    let card = phone.card_of("make deploy").await?;
    phone.allow(&card).await?;
    ensure!(hook.ends(BOUND).await?.1 == ALLOWED);
    Ok(())
}

/// WHO-6: a click counts for a card that this surface has in front, with its very binding.
#[tokio::test]
async fn a_click_counts_only_for_the_card_that_was_drawn_here() -> Result<()> {
    let world = World::start().await?;
    let (mut surface, mut other) = (world.surface().await?, world.surface().await?);
    let mut hook = world.hook(&world.asks("s", "make deploy"), LIMIT).await?;
    let card = surface.card().await?;
    let refused = |reply: ControlReply, code: ErrorCode| match reply {
        ControlReply::Failed(failure) if failure.code == code => Ok(()),
        other => Err(anyhow::anyhow!("not {code:?} but {other:?}")),
    };
    refused(surface.click(&card, Decision::AllowOnce).await?, ErrorCode::NotInFront)?;
    surface.front(&card).await?;
    refused(other.click(&card, Decision::AllowOnce).await?, ErrorCode::NotInFront)?;
    let mut stale = card.clone();
    stale.binding = "00".repeat(32);
    refused(surface.click(&stale, Decision::AllowOnce).await?, ErrorCode::StaleCard)?;
    ensure!(world.pending().await?.len() == 1, "a refused click took the card away");
    let settled = surface.allow(&card).await?;
    ensure!(matches!(settled, ControlReply::Settled(_)), "{settled:?}");
    ensure!(hook.ends(BOUND).await?.1 == ALLOWED);
    Ok(())
}

#[tokio::test]
async fn a_click_in_the_first_half_second_comes_too_soon() -> Result<()> {
    let world = World::start().await?;
    let mut surface = world.surface().await?;
    // As many as it takes on a machine that is slower than half a second.
    for attempt in 0..20 {
        let mut hook = world.hook(&world.asks("s", &format!("make {attempt}")), LIMIT).await?;
        let card = surface.card().await?;
        surface.front(&card).await?;
        let clicked = surface.click(&card, Decision::AllowOnce).await?;
        if let ControlReply::Failed(failure) = clicked {
            let is_too_soon =
                failure.code == ErrorCode::NotInFront && failure.text.contains("only just appeared");
            ensure!(is_too_soon, "{failure:?}");
            ensure!(matches!(surface.allow(&card).await?, ControlReply::Settled(_)));
            ensure!(hook.ends(BOUND).await?.1 == ALLOWED);
            return Ok(());
        }
        ensure!(hook.ends(BOUND).await?.1 == ALLOWED);
    }
    anyhow::bail!("no click came within half a second")
}
