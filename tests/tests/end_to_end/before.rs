//! The hook before every call (REQ-4), as a process: what it prints for a call that an agent is about to make.

use std::time::Duration;

use anyhow::{Result, ensure};
use countersign_tests::world::{BOUND, World};
use rustix::process::Signal;
use serde_json::{Value, json};

/// The agent's limit that setup writes for this hook.
const BEFORE: Duration = Duration::from_secs(6);

/// The event before a call, in a mode in which the agent would run it unasked.
fn about_to(world: &World, session: &str, command: &str) -> Value {
    let mut event = world.observes("PreToolUse", &world.asks(session, command));
    event["permission_mode"] = json!("bypassPermissions");
    event["tool_use_id"] = json!("toolu_1");
    event
}

/// What the hook prints about a call, decision and reason; nothing where it prints nothing.
async fn said(world: &World, command: &str) -> Result<Option<(String, String)>> {
    let mut hook = world.hook(&about_to(world, "s", command), BEFORE).await?;
    let (code, printed) = hook.ends(BOUND).await?;
    ensure!(code == Some(0), "a hook exits with 0, not {code:?}");
    if printed.is_empty() {
        return Ok(None);
    }
    let printed: Value = serde_json::from_str(&printed)?;
    let output = &printed["hookSpecificOutput"];
    ensure!(output["hookEventName"] == "PreToolUse", "an answer to another event: {printed}");
    let text = |name: &str| output[name].as_str().unwrap_or_default().to_owned();
    Ok(Some((text("permissionDecision"), text("permissionDecisionReason"))))
}

#[tokio::test]
async fn a_call_is_denied_asked_about_or_left_alone_and_never_allowed() -> Result<()> {
    let world = World::start().await?;
    let (decision, why) = said(&world, "git push origin main").await?.unwrap_or_default();
    ensure!(decision == "deny" && why.starts_with("Countersign refused this call: "), "{decision}: {why}");
    for command in ["rm -rf build", "terraform destroy -auto-approve"] {
        let (decision, why) = said(&world, command).await?.unwrap_or_default();
        ensure!(
            decision == "ask" && why.starts_with("Countersign asks first: "),
            "{command}: {decision}: {why}"
        );
    }
    for command in ["ls", "cargo test", "mkdir docs"] {
        ensure!(said(&world, command).await?.is_none(), "something was said about `{command}`");
    }
    ensure!(world.pending().await?.is_empty(), "nobody waits for a person there");
    let told: Vec<Value> = world.log().await?.into_iter().filter(|entry| entry["session"] == "s").collect();
    let kinds: Vec<&str> = told.iter().filter_map(|entry| entry["kind"].as_str()).collect();
    ensure!(kinds == ["denied", "asked_first", "asked_first"], "the log tells {kinds:?}");
    world.assert_log_is_whole().await?;
    Ok(())
}

#[tokio::test]
async fn a_desktop_that_does_not_answer_gets_silence_and_not_the_agents_whole_limit() -> Result<()> {
    let mut world = World::start().await?;
    world.desktop()?.signal(Signal::STOP)?;
    let silent = said(&world, "rm -rf build").await;
    world.desktop()?.signal(Signal::CONT)?;
    ensure!(silent?.is_none(), "a hook speaks for itself");
    Ok(())
}
