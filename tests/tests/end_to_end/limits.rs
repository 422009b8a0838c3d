//! How much can wait (WAIT-1): eight calls of a session, 64 in all; what comes beyond that goes back at once.

use std::time::Duration;

use anyhow::{Result, ensure};
use countersign_tests::world::{BOUND, Process, World};
use tokio::{net::UnixStream, time::timeout};

use crate::{LIMIT, assert_denied};

#[tokio::test]
async fn the_ninth_call_of_a_session_and_the_65th_of_all_go_back_to_the_terminal_at_once() -> Result<()> {
    let world = World::start().await?;
    let mut surface = world.surface().await?;
    let mut waiting: Vec<Process> = Vec::new();
    for session in 0..8 {
        for call in 0..8 {
            let event = world.asks(&format!("s{session}"), &format!("make {session} {call}"));
            waiting.push(world.hook(&event, LIMIT).await?);
            surface.card().await?;
        }
        let ninth = world.hook_says(&world.asks(&format!("s{session}"), "make ninth")).await?;
        ensure!(ninth.is_empty(), "the ninth call of a session was answered: {ninth}");
    }
    let beyond = world.hook_says(&world.asks("another", "make one more")).await?;
    ensure!(beyond.is_empty(), "the 65th call was answered: {beyond}");
    ensure!(world.pending().await?.len() == 64, "what waited waits on");
    let turned_away = world.cli_lines(&["log", "--json", "--event", "turned_away"]).await?;
    ensure!(turned_away.len() == 9, "each of them is in the log: {turned_away:?}");

    // Room again once they are answered.
    world.cli(&["deny", "--all", "--json"]).await?;
    for hook in &mut waiting {
        assert_denied(&hook.ends(BOUND).await?.1, "declined")?;
    }
    let mut hook = world.hook(&world.asks("s0", "make again"), LIMIT).await?;
    surface.card().await?;
    world.cli(&["deny", "--json"]).await?;
    assert_denied(&hook.ends(BOUND).await?.1, "declined")?;
    world.assert_log_is_whole().await?;
    Ok(())
}

/// More connections than there are seats are closed without a word; once they are gone hooks are served again.
#[tokio::test]
async fn a_flood_of_idle_connections_keeps_nobody_out_for_longer_than_it_lasts() -> Result<()> {
    let mut world = World::start().await?;
    // A demo's own terminal has its seat from here on.
    world.ticket().await?;
    let (hooks, control) = (world.hook_socket()?, world.control_socket()?);
    let mut flood = Vec::new();
    for (socket, count) in [(&hooks, 300), (&control, 100)] {
        for _ in 0..count {
            // The last ones may already be turned away.
            flood.extend(UnixStream::connect(socket).await.ok());
        }
    }
    let printed = world.hook_says(&world.asks("s", "make deploy")).await?;
    ensure!(printed.is_empty(), "{printed}");
    drop(flood);
    let seated = async {
        loop {
            match world.surface().await {
                Ok(surface) => return surface,
                // A seat is free again once the desktop has seen that its connection is gone.
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    };
    let mut surface = timeout(BOUND, seated).await?;
    let mut hook = world.hook(&world.asks("s", "make again"), LIMIT).await?;
    surface.card().await?;
    world.cli(&["deny", "--json"]).await?;
    assert_denied(&hook.ends(BOUND).await?.1, "declined")
}
