//! The relay is killed again and again while twenty approvals are under way.

use anyhow::{Result, ensure};
use countersign_tests::world::{BOUND, Process, World};
use serde_json::Value;

use crate::{ALLOWED, LIMIT};

const CALLS: usize = 20;
/// Each kill lets the desktop wait longer before it starts the relay again.
const KILLS: usize = 5;

#[tokio::test]
async fn twenty_approvals_through_a_relay_that_is_killed_again_and_again_are_each_settled_once() -> Result<()>
{
    let mut world = World::start().await?;
    let mut phone = world.pair("phone").await?;
    let mut hooks: Vec<Process> = Vec::new();
    for call in 0..CALLS {
        // Eight of a session may wait.
        let session = format!("s{}", call / 7);
        hooks.push(world.hook(&world.asks(&session, &format!("make {call}")), LIMIT).await?);
    }
    for call in 0..CALLS {
        let card = phone.card_of(&format!("make {call}")).await?;
        phone.allow(&card).await?;
        if call % (CALLS / KILLS) == 0 {
            // With an answer on its way, or just signed and not yet sent.
            world.kill_relay().await?;
            phone
                .wait("that the relay is gone", |line| line["event"] == "relay" && line["up"] == false)
                .await?;
            world.relay_returns(BOUND).await?;
        }
    }
    for (call, hook) in hooks.iter_mut().enumerate() {
        let (code, printed) = hook.ends(2 * BOUND).await?;
        ensure!(code == Some(0) && printed == ALLOWED, "call {call}: {code:?} {printed}");
    }
    let mut released = 0;
    while released < CALLS {
        let receipt = phone.event("receipt").await?;
        ensure!(
            receipt["outcome"] == "released" && receipt["verified"] == true,
            "no good receipt: {receipt}"
        );
        released += 1;
    }
    let entries = world.log().await?;
    for kind in ["asked", "allowed", "released"] {
        let count = entries.iter().filter(|entry| entry["kind"] == kind).count();
        ensure!(count == CALLS, "{count} entries of {kind}");
    }
    // One finger for each, whatever had to be sent again.
    let prompts = phone.said().iter().filter(|line| is_call(line)).count();
    ensure!(prompts == CALLS, "{prompts} fingers for {CALLS} calls");
    world.assert_log_is_whole().await?;
    Ok(())
}

fn is_call(line: &Value) -> bool {
    line["event"] == "prompt" && line["title"].as_str().is_some_and(|title| title.starts_with("Allow"))
}
