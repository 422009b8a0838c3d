//! The whole system end to end, as real processes: a desktop with its relay, demo phones, hooks and the CLI. What only
//! the real agent can show stands in `agents_live`.

mod before;
mod callers;
mod cards;
mod commands;
mod decided;
mod desk;
mod garbage;
mod limits;
mod pairing;
mod phones;
mod plain;
mod revoked;
mod strangers;
mod tampering;
mod withdrawal;

use std::time::Duration;

use anyhow::{Result, ensure};
use countersign_tests::world::{DemoPhone, World};

/// The agent's limit that setup writes.
const LIMIT: Duration = Duration::from_secs(125);
/// What the agent reads where its call is allowed.
const ALLOWED: &str =
    r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#;

/// A desktop with a phone.
async fn paired() -> Result<(World, DemoPhone)> {
    let mut world = World::start().await?;
    let phone = world.pair("first phone").await?;
    Ok((world, phone))
}

/// What happened to the calls of a session, as the log tells it.
async fn assert_story(world: &World, session: &str, expected: &[&str]) -> Result<()> {
    let story = world.story(session).await?;
    ensure!(story == expected, "the log tells another story: {story:?}");
    Ok(())
}

/// Whether a hook printed a denial with these words in it.
fn assert_denied(printed: &str, words: &str) -> Result<()> {
    let answer: serde_json::Value = serde_json::from_str(printed)?;
    let decision = &answer["hookSpecificOutput"]["decision"];
    let fits =
        decision["behavior"] == "deny" && decision["message"].as_str().is_some_and(|m| m.contains(words));
    ensure!(fits, "not denied with `{words}`: {printed}");
    Ok(())
}
