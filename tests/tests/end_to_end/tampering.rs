//! A database that was changed behind the desktop's back: a byte, a decision, a cut tail. Checking the log finds each,
//! and a phone remembers what the database was made to forget.

use anyhow::{Context as _, Result, ensure};
use countersign_tests::world::{BOUND, DemoPhone, World};
use serde_json::Value;
use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, SqliteConnection, sqlite::SqliteConnectOptions,
};

use crate::{ALLOWED, LIMIT, paired};

/// A desktop whose log tells of an approval, ended.
async fn approved_and_ended() -> Result<(World, DemoPhone)> {
    let (mut world, mut phone) = paired().await?;
    let mut hook = world.hook(&world.asks("s", "make deploy"), LIMIT).await?;
    let card = phone.card().await?;
    phone.allow(&card).await?;
    ensure!(hook.ends(BOUND).await?.1 == ALLOWED);
    phone.receipt(&card, "released").await?;
    world.stop_desktop().await?;
    Ok((world, phone))
}

async fn open(world: &World) -> Result<SqliteConnection> {
    let options = SqliteConnectOptions::new().filename(world.database()?).foreign_keys(false);
    Ok(options.connect().await?)
}

/// Changes an ended desktop's database with the triggers out of the way.
async fn tamper(world: &World, statements: &str) -> Result<()> {
    let mut database = open(world).await?;
    sqlx::raw_sql(AssertSqlSafe(statements.to_owned())).execute(&mut database).await?;
    Ok(database.close().await?)
}

/// What checking the log finds after a restart; it must find something.
async fn found(world: &mut World) -> Result<String> {
    world.start_desktop().await?;
    let output = world.cli_output(&["log", "verify", "--json"]).await?;
    let report: Value = serde_json::from_slice(&output.stdout)?;
    ensure!(output.status.code() == Some(1), "a log that was tampered with is called whole: {report}");
    let text = world.cli_output(&["log", "verify"]).await?;
    ensure!(String::from_utf8_lossy(&text.stdout).contains("NOT whole"), "{text:?}");
    let problems = report["problems"].as_array().context("problems are a list")?;
    Ok(problems.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; "))
}

#[tokio::test]
async fn one_changed_byte_of_an_entry_is_found() -> Result<()> {
    let (mut world, _phone) = approved_and_ended().await?;
    let mut database = open(&world).await?;
    let (seq, mut bytes): (i64, Vec<u8>) =
        sqlx::query_as("SELECT seq, bytes FROM audit WHERE event = 'allowed'")
            .fetch_one(&mut database)
            .await?;
    database.close().await?;
    *bytes.last_mut().context("an entry is not empty")? ^= 1;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    tamper(
        &world,
        &format!("DROP TRIGGER audit_stays_as_it_is; UPDATE audit SET bytes = x'{hex}' WHERE seq = {seq};"),
    )
    .await?;
    let found = found(&mut world).await?;
    ensure!(found.contains(&format!("entry {seq}")), "the changed entry {seq} is not named: {found}");
    Ok(())
}

#[tokio::test]
async fn a_decision_that_was_turned_around_is_found() -> Result<()> {
    let (mut world, _phone) = approved_and_ended().await?;
    tamper(
        &world,
        "DROP TRIGGER decisions_stay_as_they_are; UPDATE decisions SET answer = 'deny' WHERE answer = 'allow';",
    )
    .await?;
    let found = found(&mut world).await?;
    ensure!(found.contains("decision"), "{found}");
    Ok(())
}

/// The checkpoint that an ending desktop signs says how long the log was.
#[tokio::test]
async fn a_cut_tail_is_found_by_the_checkpoint_that_is_left() -> Result<()> {
    let (mut world, _phone) = approved_and_ended().await?;
    tamper(
        &world,
        "DROP TRIGGER audit_stays; DELETE FROM audit WHERE seq > (SELECT max(seq) FROM audit) - 3;",
    )
    .await?;
    let found = found(&mut world).await?;
    ensure!(found.contains("checkpoint"), "{found}");
    Ok(())
}

/// With all that stands beside it cut off too the rest is sound by itself: only who remembers more can tell.
#[tokio::test]
async fn a_tail_cut_off_with_its_checkpoint_is_found_by_a_phone_and_by_a_head_that_was_written_down()
-> Result<()> {
    let (mut world, mut phone) = approved_and_ended().await?;
    world.start_desktop().await?;
    // From here on the phone knows the checkpoint that this run began with.
    phone.event("up").await?;
    let report = world.assert_log_is_whole().await?;
    let head = format!("{}:{}", report["head_seq"], report["head"].as_str().context("a head has a hash")?);
    world.stop_desktop().await?;
    tamper(
        &world,
        "DROP TRIGGER audit_stays; DROP TRIGGER checkpoints_stay; DROP TRIGGER decisions_stay; \
         DROP TRIGGER replies_stay; DELETE FROM checkpoints; DELETE FROM decisions; DELETE FROM replies; \
         DELETE FROM offers; DELETE FROM requests; DELETE FROM audit WHERE seq > 3;",
    )
    .await?;
    world.start_desktop().await?;
    let alarm = phone.event("alarm").await?;
    ensure!(alarm["text"].as_str().is_some_and(|text| text.contains("shorter")), "{alarm}");
    world.assert_log_is_whole().await?;
    let output = world.cli_output(&["log", "verify", "--json", "--head", &head]).await?;
    let found: Value = serde_json::from_slice(&output.stdout)?;
    ensure!(output.status.code() == Some(1), "a cut tail was not found: {found}");
    ensure!(found["problems"][0].as_str().is_some_and(|text| text.contains("cut off")), "{found}");
    Ok(())
}

/// What another version or another program wrote is left as it is, with a word on what to do.
#[tokio::test]
async fn a_database_of_another_version_or_program_is_left_alone() -> Result<()> {
    let (mut world, _phone) = approved_and_ended().await?;
    let file = world.database()?;
    let own = std::fs::read(&file)?;
    tamper(
        &world,
        "INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) \
         VALUES (999, 'later', '2030-01-01', 1, x'00', 0);",
    )
    .await?;
    let newer = std::fs::read(&file)?;
    for (content, words) in [
        (newer.as_slice(), "newer Countersign"),
        (b"not a database at all, but long enough to look at".as_slice(), "not a Countersign store"),
        (&own[..5_000], "can't be used"),
    ] {
        std::fs::write(&file, content)?;
        let error = world.start_desktop().await.err().context("it started")?.to_string();
        ensure!(error.contains(words), "not `{words}`: {error}");
        ensure!(std::fs::read(&file)? == content, "`{words}`: the file was changed");
    }
    std::fs::write(&file, own)?;
    world.start_desktop().await?;
    world.assert_log_is_whole().await?;
    Ok(())
}
