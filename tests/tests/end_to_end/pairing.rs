//! Pairings that go wrong: nothing is stored, and the desktop goes on with the phones that it has.

use anyhow::{Context as _, Result, ensure};
use countersign_tests::world::{BOUND, Process, World, program};
use serde_json::Value;
use tokio::process::Command;

use crate::{ALLOWED, LIMIT, paired};

/// Begins a pairing and gives its ticket.
async fn begin(world: &World) -> Result<(Process, String)> {
    let mut pairing = world.cli_process(&["pair", "--json"])?;
    let ticket = pairing.take("a ticket", |line| line["type"] == "ticket", BOUND).await?;
    Ok((pairing, ticket["text"].as_str().context("a ticket has a text")?.to_owned()))
}

fn scan(ticket: &str) -> Result<Process> {
    let mut command = Command::new(program("countersign-demo-phone"));
    command.args(["pair", ticket, "--json", "--parent-watch", "--name", "another phone"]);
    Process::spawn("another phone", command)
}

async fn code_on(phone: &mut Process) -> Result<u32> {
    let code = phone.take("the code", |line| line["event"] == "code", BOUND).await?;
    Ok(code["code"].as_str().context("a code is a text")?.parse()?)
}

/// How a pairing ended that failed.
async fn failure(pairing: &mut Process) -> Result<String> {
    let (code, said) = pairing.ends(BOUND).await?;
    ensure!(code == Some(1), "it ended with {code:?}: {said}");
    let last: Value = serde_json::from_str(said.lines().last().context("it says why")?)?;
    ensure!(last["error"]["code"] == "not_paired", "{last}");
    Ok(last["error"]["text"].as_str().context("a text")?.to_owned())
}

/// The desktop has the phone it had, and that one still decides.
async fn assert_as_before(world: &World, phone: &mut countersign_tests::world::DemoPhone) -> Result<()> {
    let phones = world.cli(&["phones", "--json"]).await?;
    ensure!(phones["phones"].as_array().is_some_and(|phones| phones.len() == 1), "{phones}");
    let mut hook = world.hook(&world.asks("after", "make sure"), LIMIT).await?;
    let card = phone.card().await?;
    phone.allow(&card).await?;
    ensure!(hook.ends(BOUND).await?.1 == ALLOWED);
    let kinds: Vec<Value> = world.log().await?.into_iter().map(|entry| entry["kind"].clone()).collect();
    ensure!(kinds.contains(&"pairing_failed".into()), "{kinds:?}");
    Ok(())
}

#[tokio::test]
async fn digits_that_are_wrong_twice_end_a_pairing() -> Result<()> {
    let (world, mut first) = paired().await?;
    let (mut pairing, ticket) = begin(&world).await?;
    let mut phone = scan(&ticket)?;
    let code = code_on(&mut phone).await?;
    let wrong = format!("{:06}", (code + 1) % 1_000_000);
    pairing.take("that a code is wanted", |line| line["type"] == "code_needed", BOUND).await?;
    pairing.say(&wrong).await?;
    let told = pairing.take("that it was wrong", |line| line["type"] == "wrong_code", BOUND).await?;
    ensure!(told["tries_left"] == 1, "{told}");
    pairing.say(&wrong).await?;
    let why = failure(&mut pairing).await?;
    ensure!(why.contains("code") || why.contains("digits"), "{why}");
    ensure!(phone.ends(BOUND).await?.0 == Some(1), "the phone thinks it was paired");
    assert_as_before(&world, &mut first).await
}

/// Protocol.md §4.7: whoever photographed the ticket too is noticed, and nobody is paired.
#[tokio::test]
async fn a_ticket_that_two_phones_scan_pairs_neither() -> Result<()> {
    let (world, mut first) = paired().await?;
    let (mut pairing, ticket) = begin(&world).await?;
    let mut phone = scan(&ticket)?;
    code_on(&mut phone).await?;
    let mut thief = scan(&ticket)?;
    let why = failure(&mut pairing).await?;
    ensure!(why.contains("scanned"), "{why}");
    for phone in [&mut phone, &mut thief] {
        let (code, said) = phone.ends(BOUND).await?;
        ensure!(code == Some(1) && !said.contains("\"paired\""), "{code:?}: {said}");
    }
    assert_as_before(&world, &mut first).await
}

#[tokio::test]
async fn a_used_ticket_pairs_nobody() -> Result<()> {
    let mut world = World::start().await?;
    let ticket = world.ticket().await?["text"].as_str().context("a ticket has a text")?.to_owned();
    let mut first = world.pair("first phone").await?;
    let (code, said) = scan(&ticket)?.ends(BOUND).await?;
    ensure!(code == Some(1) && !said.contains("\"paired\""), "{code:?}: {said}");
    let mut hook = world.hook(&world.asks("s", "make deploy"), LIMIT).await?;
    let card = first.card().await?;
    first.allow(&card).await?;
    ensure!(hook.ends(BOUND).await?.1 == ALLOWED, "scanning a used ticket disturbed the phone that used it");
    Ok(())
}

#[tokio::test]
async fn a_pairing_that_is_given_up_leaves_room_for_the_next() -> Result<()> {
    let (mut world, mut first) = paired().await?;
    let (mut pairing, _ticket) = begin(&world).await?;
    let busy = world.cli_output(&["pair", "--json"]).await?;
    let said: Value = serde_json::from_slice(&busy.stdout)?;
    let text = said["error"]["text"].as_str().unwrap_or_default();
    ensure!(busy.status.code() == Some(1) && text.contains("another pairing runs"), "{said}");
    pairing.terminate()?;
    pairing.ends(BOUND).await?;
    assert_as_before(&world, &mut first).await?;
    world.pair("other phone").await?;
    Ok(())
}
