//! Kinds of desktops: which may start, and for whom they work.

use anyhow::{Result, ensure};
use countersign_tests::world::{BOUND, Ended, Process, World, program};
use serde_json::Value;
use tokio::process::Command;

use crate::{LIMIT, assert_denied, paired};

async fn up(arguments: &[&str]) -> Result<(Option<i32>, Value)> {
    let mut command = Command::new(program("countersign"));
    command.arg("up").args(arguments).arg("--json");
    let (code, said) = Process::spawn("another desktop", command)?.ends(BOUND).await?;
    Ok((code, serde_json::from_str(said.trim())?))
}

/// Until hardware can be verified, a desktop that is no demo takes no phone.
#[tokio::test]
async fn a_desktop_that_is_no_demo_refuses_every_pairing_and_says_why() -> Result<()> {
    let world = World::start_plain().await?;
    let refused = world.cli_output(&["pair", "--json"]).await?;
    let said: Value = serde_json::from_slice(&refused.stdout)?;
    ensure!(refused.status.code() == Some(1) && said["error"]["code"] == "not_paired", "{said}");
    let text = said["error"]["text"].as_str().unwrap_or_default();
    ensure!(text.contains("bio_key_not_strong"), "{text}");
    ensure!(said["error"]["hint"].as_str().is_some_and(|hint| hint.contains("--demo")), "{said}");
    let status = world.cli(&["status", "--json"]).await?;
    ensure!(status["phones"] == 0 && status["relay"]["type"] == "off", "it dials a relay: {status}");
    let failed = world.cli_lines(&["log", "--json", "--event", "pairing_failed"]).await?;
    ensure!(failed.len() == 1, "the log does not tell of it: {failed:?}");
    Ok(())
}

#[tokio::test]
async fn a_desktop_that_is_no_demo_asks_about_any_folder() -> Result<()> {
    let world = World::start_plain().await?;
    let mut surface = world.surface().await?;
    let mut event = world.asks("s", "make deploy");
    event["cwd"] = "/usr".into();
    let mut hook = world.hook(&event, LIMIT).await?;
    ensure!(surface.card().await?.folder == "/usr");
    world.cli(&["deny", "--json"]).await?;
    assert_denied(&hook.ends(BOUND).await?.1, "declined")
}

#[tokio::test]
async fn a_demo_asks_about_temporary_folders_only() -> Result<()> {
    let world = World::start().await?;
    for folder in ["/usr", "/", "/tmp", "/tmp/../usr", "/nowhere at all", "relative"] {
        let mut event = world.asks("s", "make deploy");
        event["cwd"] = folder.into();
        let printed = world.hook_says(&event).await?;
        ensure!(printed.is_empty(), "{folder}: {printed}");
    }
    ensure!(world.story("s").await?.is_empty(), "a demo asked about a folder of the person's");
    Ok(())
}

#[tokio::test]
async fn a_second_desktop_of_the_same_name_is_refused_and_the_first_goes_on() -> Result<()> {
    let world = World::start_plain().await?;
    let pid = world.cli(&["status", "--json"]).await?["pid"].clone();
    let (code, said) = up(&["--instance", world.instance()]).await?;
    ensure!(code == Some(5) && said["error"]["code"] == "runs_already", "{code:?} {said}");
    ensure!(said["error"]["text"].as_str().is_some_and(|text| text.contains(&pid.to_string())), "{said}");
    ensure!(world.cli(&["status", "--json"]).await?["pid"] == pid, "the first one is gone");
    Ok(())
}

#[tokio::test]
async fn a_demo_and_an_everyday_desktop_never_share_a_name() -> Result<()> {
    let (code, said) = up(&["--instance", "demo-t-never"]).await?;
    ensure!(
        code == Some(1) && said["error"]["text"].as_str().is_some_and(|t| t.contains("--demo")),
        "{said}"
    );
    let (code, said) = up(&["--instance", "t-never", "--demo"]).await?;
    ensure!(code == Some(1) && said["error"]["text"].as_str().is_some_and(|t| t.contains("demo")), "{said}");
    Ok(())
}

/// What it started ends with it, however it ends, and hooks are silent from then on.
#[tokio::test]
async fn a_desktop_leaves_no_relay_behind() -> Result<()> {
    for is_killed in [false, true] {
        let (mut world, _phone) = paired().await?;
        let relay = Ended::of(world.relay_returns(BOUND).await?)?;
        if is_killed {
            world.kill_desktop().await?
        } else {
            world.stop_desktop().await?
        }
        relay.wait()?;
        let printed = world.hook_says(&world.asks("s", "make deploy")).await?;
        ensure!(printed.is_empty(), "{printed}");
    }
    Ok(())
}

/// What scripts that run it see.
#[tokio::test]
async fn a_desktop_tells_what_happens_as_it_happens() -> Result<()> {
    let mut world = World::start_plain().await?;
    let mut hook = world.hook(&world.asks("s", "make deploy"), LIMIT).await?;
    let opened = world.desktop()?.take("a card", |line| line["type"] == "opened", BOUND).await?;
    ensure!(opened["card"]["blocks"][0]["text"] == "make deploy", "{opened}");
    world.cli(&["deny", "--json"]).await?;
    let closed = world.desktop()?.take("its end", |line| line["type"] == "closed", BOUND).await?;
    ensure!(closed["ending"]["request_id"] == opened["card"]["request_id"], "{closed}");
    ensure!(closed["ending"]["outcome"] == "denied" && closed["ending"]["delivered"] == true, "{closed}");
    assert_denied(&hook.ends(BOUND).await?.1, "declined")
}
