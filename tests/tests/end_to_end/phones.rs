//! Phones that compete, go away and come back; and a desktop that does.

use anyhow::{Context as _, Result, ensure};
use countersign_tests::world::{BOUND, DemoPhone, World};
use serde_json::Value;

use crate::{ALLOWED, LIMIT, assert_denied, assert_story, paired};

/// A desktop with two phones.
async fn two_phones() -> Result<(World, DemoPhone, DemoPhone)> {
    let (mut world, one) = paired().await?;
    let other = world.pair("other phone").await?;
    Ok((world, one, other))
}

#[tokio::test]
async fn the_first_answer_wins_and_the_other_phone_hears_whose_it_was() -> Result<()> {
    let (world, mut one, mut other) = two_phones().await?;
    let mut hook = world.hook(&world.asks("s", "make deploy"), LIMIT).await?;
    let (at_one, at_other) = (one.card().await?, other.card().await?);
    ensure!(at_one["offer"] != at_other["offer"], "two phones got the same offer");
    one.allow(&at_one).await?;
    ensure!(hook.ends(BOUND).await?.1 == ALLOWED);
    one.receipt(&at_one, "released").await?;
    let closed = other.event_of("closed", &at_other).await?;
    ensure!(closed["how"] == "allowed", "closed otherwise: {closed}");
    ensure!(closed["by"].as_str().is_some_and(|by| by.contains("first phone")), "by whom? {closed}");
    other.decide("deny", &at_other).await?;
    other.event_of("not_taken", &at_other).await?;
    assert_story(&world, "s", &["asked", "allowed", "released"]).await?;
    Ok(())
}

/// A denial and an approval race by the order in which they are committed; the later one changes nothing.
#[tokio::test]
async fn a_reply_that_was_under_way_when_another_won_is_told_who_won() -> Result<()> {
    let (world, mut one, mut other) = two_phones().await?;
    let mut hook = world.hook(&world.asks("s", "make deploy"), LIMIT).await?;
    let (at_one, at_other) = (one.card().await?, other.card().await?);
    other.order("hold").await?;
    other.allow(&at_other).await?;
    other.event("held").await?;
    one.decide("deny", &at_one).await?;
    assert_denied(&hook.ends(BOUND).await?.1, "declined")?;
    one.receipt(&at_one, "released").await?;
    other.order("flush").await?;
    let receipt = other.receipt(&at_other, "already_settled").await?;
    ensure!(
        receipt["by"].as_str().is_some_and(|by| by.contains("denied") && by.contains("first phone")),
        "{receipt}"
    );
    let story = world.story("s").await?;
    ensure!(
        story[..3] == ["asked", "denied", "released"] && !story.contains(&"allowed".to_owned()),
        "{story:?}"
    );
    world.assert_log_is_whole().await?;
    Ok(())
}

#[tokio::test]
async fn a_card_that_one_phone_hides_waits_on_for_the_other() -> Result<()> {
    let (world, mut one, mut other) = two_phones().await?;
    let mut hook = world.hook(&world.asks("s", "make deploy"), LIMIT).await?;
    let (at_one, at_other) = (one.card().await?, other.card().await?);
    one.decide("dismiss", &at_one).await?;
    one.receipt(&at_one, "dismissed").await?;
    ensure!(world.pending().await?.len() == 1, "hiding a card on one phone ended it");
    other.decide("handoff", &at_other).await?;
    ensure!(hook.ends(BOUND).await?.1.is_empty(), "a handed back call was answered");
    other.receipt(&at_other, "released").await?;
    assert_story(&world, "s", &["asked", "dismissed", "handed_back", "released"]).await?;
    Ok(())
}

/// The counters of this phone's accepted replies, in the log's order.
async fn counters(world: &World, device: &str) -> Result<Vec<u64>> {
    let lines = world.cli_lines(&["log", "export", "--jsonl"]).await?;
    let own = lines.iter().filter(|line| line["type"] == "reply" && line["device_id"] == device);
    own.map(|line| line["counter"].as_u64().context("a reply has a counter")).collect()
}

#[tokio::test]
async fn a_killed_phone_pulls_its_card_again_and_goes_on_counting() -> Result<()> {
    let (world, mut phone) = paired().await?;
    let mut hook = world.hook(&world.asks("s", "make one"), LIMIT).await?;
    let card = phone.card_of("make one").await?;
    phone.allow(&card).await?;
    ensure!(hook.ends(BOUND).await?.1 == ALLOWED);
    phone.receipt(&card, "released").await?;

    let mut hook = world.hook(&world.asks("s", "make two"), LIMIT).await?;
    let card = phone.card_of("make two").await?;
    phone.kill().await?;
    phone.resume().await?;
    let again = phone.card_of("make two").await?;
    ensure!(again["offer"] == card["offer"], "another offer for the same call: {again}");
    let left = |card: &Value| card["left_ms"].as_u64().context("a card has time left");
    ensure!(left(&again)? < left(&card)?, "time stood still: {card} {again}");
    phone.allow(&again).await?;
    ensure!(hook.ends(BOUND).await?.1 == ALLOWED, "the phone that came back was not heard");
    phone.receipt(&again, "released").await?;
    let counters = counters(&world, &phone.device).await?;
    ensure!(counters.len() == 2 && counters[0] < counters[1], "counters: {counters:?}");
    world.assert_log_is_whole().await?;
    Ok(())
}

/// Killed between its signature and its receipt: what it had sent counts once, and it does not sign again.
#[tokio::test]
async fn a_phone_killed_right_after_it_answered_changes_nothing_when_it_is_back() -> Result<()> {
    let (world, mut phone) = paired().await?;
    let mut hook = world.hook(&world.asks("s", "make one"), LIMIT).await?;
    let card = phone.card().await?;
    phone.allow(&card).await?;
    ensure!(hook.ends(BOUND).await?.1 == ALLOWED);
    phone.kill().await?;
    phone.resume().await?;
    phone.event("up").await?;
    let mut hook = world.hook(&world.asks("s", "make two"), LIMIT).await?;
    let card = phone.card_of("make two").await?;
    phone.allow(&card).await?;
    ensure!(hook.ends(BOUND).await?.1 == ALLOWED, "its next answer was not taken");
    phone.receipt(&card, "released").await?;
    let allowed = world.story("s").await?.iter().filter(|kind| *kind == "allowed").count();
    ensure!(allowed == 2, "{allowed} answers for two calls");
    Ok(())
}

#[tokio::test]
async fn a_phone_that_lost_its_network_comes_back_to_its_card() -> Result<()> {
    let (world, mut phone) = paired().await?;
    let mut hook = world.hook(&world.asks("s", "make deploy"), LIMIT).await?;
    let card = phone.card().await?;
    // Signed while the network is there, sent after it was lost and found: without a second finger.
    phone.order("hold").await?;
    phone.allow(&card).await?;
    phone.event("held").await?;
    let prompts = phone.said().iter().filter(|line| line["event"] == "prompt").count();
    phone.order("hangup").await?;
    phone.wait("that it is offline", |line| line["event"] == "relay" && line["up"] == false).await?;
    ensure!(hook.ends(BOUND).await?.1 == ALLOWED, "the answer was lost with the network");
    phone.receipt(&card, "released").await?;
    let after = phone.said().iter().filter(|line| line["event"] == "prompt").count();
    ensure!(prompts == after, "a second finger was asked for");
    Ok(())
}

#[tokio::test]
async fn what_was_asked_while_the_phone_was_away_waits_for_it_with_less_time_left() -> Result<()> {
    let (world, mut phone) = paired().await?;
    let mut surface = world.surface().await?;
    phone.kill().await?;
    let mut hook = world.hook(&world.asks("s", "make deploy"), LIMIT).await?;
    let on_desktop = surface.card().await?;
    phone.resume().await?;
    let card = phone.card().await?;
    let left = card["left_ms"].as_u64().context("a card has time left")?;
    ensure!(left < on_desktop.deadline_in_ms, "{left} ms of {} are left", on_desktop.deadline_in_ms);
    phone.allow(&card).await?;
    ensure!(hook.ends(BOUND).await?.1 == ALLOWED);
    Ok(())
}

#[tokio::test]
async fn a_desktop_that_was_killed_is_found_again_by_its_phone() -> Result<()> {
    let (mut world, mut phone) = paired().await?;
    let mut hook = world.hook(&world.asks("s", "make one"), LIMIT).await?;
    let card = phone.card().await?;
    world.kill_desktop().await?;
    let (code, printed) = hook.ends(BOUND).await?;
    ensure!(code == Some(0) && printed.is_empty(), "a killed desktop said {printed:?}, {code:?}");
    world.start_desktop().await?;
    phone.event("up").await?;
    let gone = |line: &Value| {
        line["offer"] == card["offer"]
            && matches!(line["event"].as_str(), Some("gone" | "closed" | "expired"))
    };
    phone.wait("that the old card is over", gone).await?;
    let mut hook = world.hook(&world.asks("s", "make two"), LIMIT).await?;
    let card = phone.card_of("make two").await?;
    phone.allow(&card).await?;
    ensure!(hook.ends(BOUND).await?.1 == ALLOWED);
    phone.receipt(&card, "released").await?;
    assert_story(&world, "s", &["asked", "withdrawn", "asked", "allowed", "released"]).await?;
    world.assert_log_is_whole().await?;
    Ok(())
}

#[tokio::test]
async fn a_desktop_that_ends_hands_back_what_waits_and_says_so_in_its_log() -> Result<()> {
    let (mut world, mut phone) = paired().await?;
    let mut hook = world.hook(&world.asks("s", "make one"), LIMIT).await?;
    let card = phone.card().await?;
    world.stop_desktop().await?;
    ensure!(hook.ends(BOUND).await?.1.is_empty(), "an ending desktop answered");
    world.start_desktop().await?;
    phone.event("up").await?;
    phone.allow(&card).await?;
    phone.event_of("not_taken", &card).await?;
    let kinds: Vec<Value> = world.log().await?.into_iter().map(|entry| entry["kind"].clone()).collect();
    ensure!(kinds.contains(&"stopped".into()), "{kinds:?}");
    assert_story(&world, "s", &["asked", "withdrawn"]).await?;
    let report = world.assert_log_is_whole().await?;
    ensure!(report["checkpoints"].as_u64() > Some(0), "an ending desktop signs its log: {report}");
    Ok(())
}
