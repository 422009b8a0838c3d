//! Cards go when nobody waits for them any more: everywhere, at once, and whatever is answered then comes to nothing
//! (WAIT-1).

use std::time::Duration;

use anyhow::{Result, ensure};
use countersign_ipc::control::{Outcome, WatchEvent};
use countersign_tests::world::{BOUND, World};
use rustix::process::Signal;

use crate::{LIMIT, assert_denied, assert_story, paired};

/// A second is promised; a machine at its limits gets a few, which is still far from any deadline.
const PROMPTLY: Duration = Duration::from_secs(5);

async fn a_hook_killed_by(signal: Signal) -> Result<()> {
    let (world, mut phone) = paired().await?;
    let mut surface = world.surface().await?;
    let mut hook = world.hook(&world.asks("s", "make deploy"), LIMIT).await?;
    let card = phone.card().await?;
    let on_desktop = surface.card().await?;
    hook.signal(signal)?;
    let withdrawn = |event: &WatchEvent| match event {
        WatchEvent::Closed { ending } if ending.request_id == on_desktop.request_id => Some(ending.outcome),
        _ => None,
    };
    let outcome = surface.wait_for("that the card went", withdrawn, PROMPTLY).await?;
    ensure!(outcome == Outcome::Withdrawn, "{outcome:?}");
    let closed = phone.event_of("closed", &card).await?;
    ensure!(closed["how"] == "withdrawn", "closed otherwise: {closed}");
    ensure!(hook.ends(BOUND).await?.1.is_empty(), "a killed hook printed something");
    phone.allow(&card).await?;
    phone.event_of("not_taken", &card).await?;
    assert_story(&world, "s", &["asked", "withdrawn"]).await
}

#[tokio::test]
async fn a_hook_that_its_agent_ended_takes_its_card_along() -> Result<()> {
    a_hook_killed_by(Signal::TERM).await
}

#[tokio::test]
async fn a_hook_that_was_killed_takes_its_card_along() -> Result<()> {
    a_hook_killed_by(Signal::KILL).await
}

/// The hook itself lives on and would wait; it is its agent that is gone.
#[tokio::test]
async fn an_agent_that_is_gone_takes_its_cards_along() -> Result<()> {
    let (world, mut phone) = paired().await?;
    let mut surface = world.surface().await?;
    let mut agent = world.agent("claude").await?;
    agent.ask(&world, &world.asks("s", "make deploy"), LIMIT).await?;
    let card = phone.card().await?;
    let on_desktop = surface.card().await?;
    agent.process().kill().await?;
    let ending = surface.ending(&on_desktop.request_id).await?;
    ensure!(ending.outcome == Outcome::Cancelled, "{ending:?}");
    ensure!(phone.event_of("closed", &card).await?["how"] == "withdrawn");
    assert_story(&world, "s", &["asked", "withdrawn"]).await?;
    // Its standard output is the agent's: it closes once the hook is gone too.
    let (_, printed) = agent.process().ends(BOUND).await?;
    ensure!(!printed.contains("hookSpecificOutput"), "the hook of a dead agent printed {printed}");
    Ok(())
}

#[tokio::test]
async fn a_call_that_ran_after_all_takes_its_own_card_along_and_no_other() -> Result<()> {
    let (world, mut phone) = paired().await?;
    let (first, second) = (world.asks("s", "make one"), world.asks("s", "make two"));
    let mut one = world.hook(&first, LIMIT).await?;
    let card_one = phone.card_of("make one").await?;
    let mut two = world.hook(&second, LIMIT).await?;
    phone.card_of("make two").await?;
    ensure!(
        world.hook_says(&world.observes("PostToolUse", &first)).await?.is_empty(),
        "an event was answered"
    );
    ensure!(phone.event_of("closed", &card_one).await?["how"] == "withdrawn");
    ensure!(one.ends(BOUND).await?.1.is_empty(), "a call answered in the terminal was answered again");
    let waiting = world.pending().await?;
    ensure!(waiting.len() == 1 && waiting[0]["blocks"][0]["text"] == "make two", "what waits is {waiting:?}");
    world.cli(&["deny", "--json"]).await?;
    assert_denied(&two.ends(BOUND).await?.1, "declined")
}

#[tokio::test]
async fn a_call_that_failed_or_came_in_a_batch_takes_its_card_along_too() -> Result<()> {
    let world = World::start().await?;
    let mut surface = world.surface().await?;
    let asked = world.asks("s", "make deploy");
    let mut batch = world.observes("PostToolBatch", &asked);
    batch["tool_calls"] = serde_json::json!([{ "tool_name": "Bash", "tool_input": asked["tool_input"] }]);
    for event in [world.observes("PostToolUseFailure", &asked), batch] {
        let mut hook = world.hook(&asked, LIMIT).await?;
        let card = surface.card().await?;
        ensure!(world.hook_says(&event).await?.is_empty(), "{event} was answered");
        ensure!(surface.ending(&card.request_id).await?.outcome == Outcome::Withdrawn);
        ensure!(hook.ends(BOUND).await?.1.is_empty(), "{event} let a hook print");
    }
    Ok(())
}

#[tokio::test]
async fn a_session_that_moved_on_or_ended_takes_its_cards_along_and_no_other_sessions() -> Result<()> {
    let world = World::start().await?;
    let mut surface = world.surface().await?;
    let mut other = world.hook(&world.asks("other", "make other"), LIMIT).await?;
    surface.card().await?;
    for (event, outcome) in [
        ("UserPromptSubmit", Outcome::Withdrawn),
        ("Stop", Outcome::Withdrawn),
        ("SessionEnd", Outcome::Cancelled),
    ] {
        let asked = world.asks("s", &format!("make {event}"));
        let mut hook = world.hook(&asked, LIMIT).await?;
        let card = surface.card().await?;
        ensure!(world.hook_says(&world.observes(event, &asked)).await?.is_empty(), "{event} was answered");
        let ending = surface.ending(&card.request_id).await?;
        ensure!(ending.outcome == outcome, "{event}: {ending:?}");
        ensure!(hook.ends(BOUND).await?.1.is_empty(), "{event} let a hook print");
    }
    ensure!(world.pending().await?.len() == 1, "the other session's card is gone");
    world.cli(&["deny", "--json"]).await?;
    assert_denied(&other.ends(BOUND).await?.1, "declined")
}

/// WAIT-2: one deadline for card, ledger and hook, five seconds before the agent's own limit.
#[tokio::test]
async fn nobody_answering_in_time_is_silence_before_the_agents_own_limit() -> Result<()> {
    let (world, mut phone) = paired().await?;
    let mut surface = world.surface().await?;
    let mut hook = world.hook(&world.asks("s", "make deploy"), Duration::from_secs(6)).await?;
    let card = phone.card().await?;
    let on_desktop = surface.card().await?;
    ensure!(on_desktop.deadline_in_ms <= 1_000, "{} ms", on_desktop.deadline_in_ms);
    let (code, printed) = hook.ends(BOUND).await?;
    ensure!(code == Some(0) && printed.is_empty(), "{code:?} {printed}");
    let outcome = surface.ending(&on_desktop.request_id).await?.outcome;
    // Hook and ledger have the same deadline, so either may be the one that ends it.
    ensure!(matches!(outcome, Outcome::Expired | Outcome::Withdrawn), "{outcome:?}");
    phone
        .wait("that the card is over", |line| {
            line["offer"] == card["offer"]
                && matches!(line["event"].as_str(), Some("expired" | "closed" | "gone"))
        })
        .await?;
    ensure!(world.pending().await?.is_empty());
    Ok(())
}
