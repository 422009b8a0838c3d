//! The end of a phone's right to decide (protocol.md §4.8): at once, also where the relay is away, and for good.

use std::{os::unix::fs::PermissionsExt as _, path::PathBuf, time::Duration};

use anyhow::{Context as _, Result, ensure};
use countersign_tests::world::{BOUND, World};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use sqlx::{ConnectOptions as _, Connection as _, sqlite::SqliteConnectOptions};
use tokio::time::timeout;

use crate::{ALLOWED, LIMIT, paired};

#[tokio::test]
async fn a_revoked_phone_hears_it_wipes_its_keys_and_ends() -> Result<()> {
    let (mut world, mut phone) = paired().await?;
    let mut other = world.pair("other phone").await?;
    let revoked = world.cli(&["phones", "revoke", &phone.device[..8], "--json"]).await?;
    ensure!(revoked["phones"][0]["state"] == "revoked", "{revoked}");
    phone.event("revoked").await?;
    ensure!(phone.ends().await?.0 == Some(0));
    phone.resume().await?;
    let (code, said) = phone.ends().await?;
    ensure!(code == Some(1), "a revoked phone went on: {said}");

    let mut hook = world.hook(&world.asks("s", "make deploy"), LIMIT).await?;
    let card = other.card().await?;
    other.allow(&card).await?;
    ensure!(hook.ends(BOUND).await?.1 == ALLOWED, "the other phone no longer decides");
    ensure!(state_of(&world, &phone.device).await? == "revoked");
    ensure!(state_of(&world, &other.device).await? == "active");
    Ok(())
}

/// How a phone stands at the desktop.
async fn state_of(world: &World, device: &str) -> Result<Value> {
    let phones = world.cli(&["phones", "--json"]).await?;
    let listed = phones["phones"].as_array().context("phones are a list")?;
    let own = listed.iter().find(|phone| phone["device_id"] == device).context("the phone is listed")?;
    Ok(own["state"].clone())
}

/// How many channels of revoked phones their relays have not deleted yet.
async fn channels_to_delete(world: &World) -> Result<i64> {
    let options = SqliteConnectOptions::new().filename(world.database()?).read_only(true);
    let mut database = options.connect().await?;
    let count = sqlx::query_scalar("SELECT count(*) FROM channel_ends").fetch_one(&mut database).await?;
    database.close().await?;
    Ok(count)
}

/// The relay is there and does not answer, as in an outage. The demo is over with its phones; the next run goes on
/// deleting what it could not.
#[tokio::test]
async fn all_phones_are_revoked_while_the_relay_is_away_and_their_channels_go_later() -> Result<()> {
    let (mut world, mut phone) = paired().await?;
    let mut other = world.pair("other phone").await?;
    let relay = Pid::from_raw(world.relay_returns(BOUND).await?).context("a pid")?;
    kill_process(relay, Signal::STOP)?;
    let revoked = world.cli(&["phones", "revoke", "--all", "--json"]).await;
    let ended = world.desktop_ends().await;
    // Whatever came of it, a stopped process must not be left behind.
    let _ = kill_process(relay, Signal::KILL);
    let revoked = revoked?;
    ensure!(ended?.0 == Some(0), "a demo ends with its last phone");
    let states: Vec<&Value> = revoked["phones"]
        .as_array()
        .with_context(|| format!("no list: {revoked}"))?
        .iter()
        .map(|phone| &phone["state"])
        .collect();
    ensure!(states == ["revoked", "revoked"], "{revoked}");
    ensure!(channels_to_delete(&world).await? == 2, "the keys to delete the channels with are gone too soon");

    world.start_desktop().await?;
    for phone in [&mut phone, &mut other] {
        let is_refused = |line: &Value| {
            line["event"] == "relay" && line["text"].as_str().is_some_and(|text| text.contains("channel"))
        };
        phone.wait("that its channel is gone", is_refused).await?;
    }
    let deleted = async {
        while channels_to_delete(&world).await? > 0 {
            // Nobody tells of it.
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        anyhow::Ok(())
    };
    timeout(BOUND, deleted).await??;
    ensure!(world.cli(&["status", "--json"]).await?["phones"] == 0);
    world.assert_log_is_whole().await?;
    Ok(())
}

/// The database's files as they are.
fn files(world: &World) -> Result<Vec<(PathBuf, Vec<u8>)>> {
    let database = world.database()?;
    let all = ["db", "db-wal", "db-shm"].map(|extension| database.with_extension(extension));
    all.into_iter()
        .filter(|path| path.exists())
        .map(|path| Ok((path.clone(), std::fs::read(path)?)))
        .collect()
}

/// Revocations are kept in a second file, so that an older copy of the database revives nobody.
#[tokio::test]
async fn a_restored_database_does_not_bring_a_revoked_phone_back() -> Result<()> {
    let (mut world, phone) = paired().await?;
    let _other = world.pair("other phone").await?;
    world.stop_desktop().await?;
    let before = files(&world)?;
    world.start_desktop().await?;
    world.cli(&["phones", "revoke", &phone.device, "--json"]).await?;
    world.stop_desktop().await?;
    for (path, _) in files(&world)? {
        std::fs::remove_file(path)?;
    }
    for (path, content) in before {
        std::fs::write(&path, content)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
    }
    world.start_desktop().await?;
    ensure!(state_of(&world, &phone.device).await? == "revoked", "a restored database revived a phone");
    world.assert_log_is_whole().await?;
    Ok(())
}
