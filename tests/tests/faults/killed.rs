//! The desktop is killed at many moments of an approval and started again: nothing is released twice, nothing is told
//! that the log does not hold, and what can't be known is called unknown.

use std::{collections::BTreeMap, time::Duration};

use anyhow::{Context as _, Result, ensure};
use countersign_tests::world::{BOUND, DemoPhone, Process, World};
use rustix::process::Signal;
use serde_json::Value;

use crate::{ALLOWED, LIMIT};

const ROUNDS: u64 = 30;
/// A phone starts no more than twenty sessions in a hundred seconds, and each round takes one; a fresh process may again.
const ROUNDS_OF_A_PHONE: u64 = 12;

/// What is seen before the kill.
#[derive(Debug, Clone, Copy)]
enum Moment {
    HookStarted,
    CardShown,
    AnswerOrdered,
    AnswerSent,
    AgentTold,
    ReceiptHere,
}

const MOMENTS: [Moment; 6] = [
    Moment::HookStarted,
    Moment::CardShown,
    Moment::AnswerOrdered,
    Moment::AnswerSent,
    Moment::AgentTold,
    Moment::ReceiptHere,
];

/// A desktop killed in one round, and what was seen of the call.
struct Round {
    session: String,
    printed: String,
}

#[tokio::test]
async fn a_desktop_killed_at_any_moment_of_an_approval_releases_nothing_twice_and_nothing_unrecorded()
-> Result<()> {
    let mut world = World::start().await?;
    let mut phone = world.pair("phone").await?;
    let mut rounds = Vec::new();
    for number in 0..ROUNDS {
        let moment = MOMENTS[usize::try_from(number)? % MOMENTS.len()];
        // Between two things that can be seen lies what can't: the kill comes a little later each time.
        let later = Duration::from_micros(number / 6 * 700);
        let round = killed_at(&mut world, &mut phone, number, moment, later)
            .await
            .with_context(|| format!("round {number}, {moment:?} and {later:?}"))?;
        world.start_desktop().await?;
        if number % ROUNDS_OF_A_PHONE == ROUNDS_OF_A_PHONE - 1 {
            phone.kill().await?;
            phone.resume().await?;
        }
        phone.event("up").await?;
        rounds.push(round);
    }
    let mut hook = world.hook(&world.asks("last", "make sure"), LIMIT).await?;
    let card = phone.card_of("make sure").await?;
    phone.allow(&card).await?;
    ensure!(hook.ends(BOUND).await?.1 == ALLOWED, "after all that nothing works");
    phone.receipt(&card, "released").await?;
    world.assert_log_is_whole().await?;
    let states = states(&world).await?;
    ensure!(!states.values().any(|state| state == "pending" || state == "releasing"), "{states:?}");
    for round in &rounds {
        assert_sound(&world, round, &states).await.with_context(|| format!("in {}", round.session))?;
    }
    assert_counters_grow(&world).await
}

/// The answer is on its way into a hook that sleeps; the desktop dies before it can hear what became of it.
#[tokio::test]
async fn an_answer_that_nobody_confirmed_is_called_unknown_and_never_given_again() -> Result<()> {
    let mut world = World::start().await?;
    let mut phone = world.pair("phone").await?;
    let mut hook = world.hook(&world.asks("s", "make deploy"), LIMIT).await?;
    let card = phone.card().await?;
    hook.signal(Signal::STOP)?;
    phone.allow(&card).await?;
    let decided = |line: &Value| line["type"] == "closed" && line["ending"]["outcome"] == "allowed";
    let closed = world.desktop()?.take("that it was allowed", decided, BOUND).await?;
    ensure!(closed["ending"]["delivered"] == false, "a hook that sleeps took its answer: {closed}");
    world.kill_desktop().await?;
    hook.signal(Signal::CONT)?;
    ensure!(hook.ends(BOUND).await?.1 == ALLOWED, "what was released before the kill is the agent's");
    world.start_desktop().await?;
    phone.event("up").await?;
    ensure!(world.story("s").await? == ["asked", "allowed", "unknown"], "{:?}", world.story("s").await?);
    ensure!(states(&world).await?.values().all(|state| state == "unknown"), "{:?}", states(&world).await?);
    // The phone sends the same bytes again. They settle nothing in this run, and nobody claims to know.
    let over = |line: &Value| {
        line["offer"] == card["offer"]
            && matches!(line["event"].as_str(), Some("receipt" | "unconfirmed" | "gone" | "closed"))
    };
    let end = phone.wait("that its card is over", over).await?;
    ensure!(end["outcome"] != "released", "the phone was told what nobody knows: {end}");
    let refused = world.cli_lines(&["log", "--json", "--event", "reply_refused"]).await?;
    ensure!(refused.len() <= 1, "{refused:?}");
    world.assert_log_is_whole().await?;
    Ok(())
}

async fn killed_at(
    world: &mut World,
    phone: &mut DemoPhone,
    number: u64,
    moment: Moment,
    later: Duration,
) -> Result<Round> {
    let session = format!("s{number}");
    let mut hook = world.hook(&world.asks(&session, &format!("make {number}")), LIMIT).await?;
    reach(phone, &mut hook, number, moment).await?;
    tokio::time::sleep(later).await;
    world.kill_desktop().await?;
    let (code, printed) = hook.ends(BOUND).await?;
    ensure!(code == Some(0), "a hook exits with 0, not {code:?}");
    ensure!(printed.is_empty() || printed == ALLOWED, "neither nothing nor one answer: {printed}");
    Ok(Round { session, printed })
}

/// Goes on with the approval until a moment is there.
async fn reach(phone: &mut DemoPhone, hook: &mut Process, number: u64, moment: Moment) -> Result<()> {
    if matches!(moment, Moment::HookStarted) {
        return Ok(());
    }
    let card = phone.card_of(&format!("make {number}")).await?;
    if matches!(moment, Moment::CardShown) {
        return Ok(());
    }
    phone.allow(&card).await?;
    match moment {
        Moment::HookStarted | Moment::CardShown | Moment::AnswerOrdered => {}
        Moment::AnswerSent => drop(phone.event_of("sent", &card).await?),
        Moment::AgentTold => hook.prints(BOUND).await?,
        Moment::ReceiptHere => drop(phone.receipt(&card, "released").await?),
    }
    Ok(())
}

/// How each request stands in the store.
async fn states(world: &World) -> Result<BTreeMap<String, String>> {
    let lines = world.cli_lines(&["log", "export", "--jsonl"]).await?;
    let text = |line: &Value, field: &str| line[field].as_str().map(str::to_owned);
    let requests = lines.iter().filter(|line| line["type"] == "request");
    requests
        .map(|line| text(line, "request_id").zip(text(line, "state")).context("a request has a state"))
        .collect()
}

async fn assert_sound(world: &World, round: &Round, states: &BTreeMap<String, String>) -> Result<()> {
    let story = world.story(&round.session).await?;
    let count = |kind: &str| story.iter().filter(|told| *told == kind).count();
    let was_told = round.printed == ALLOWED;
    if story.is_empty() {
        // It was killed before it had heard of the call.
        ensure!(!was_told, "told without a record");
        return Ok(());
    }
    ensure!(count("asked") == 1 && count("allowed") <= 1, "{story:?}");
    let ends = ["released", "unreleased", "unknown", "withdrawn", "expired"];
    ensure!(ends.iter().map(|end| count(end)).sum::<usize>() == 1, "not one end: {story:?}");
    ensure!(!was_told || count("allowed") == 1, "the agent was told what the log does not hold: {story:?}");
    ensure!(was_told || count("released") == 0, "released, but the agent was not told: {story:?}");
    ensure!(!was_told || count("withdrawn") + count("expired") == 0, "told, but called over: {story:?}");

    let entries = world.cli_lines(&["log", "--json", "--session", &round.session]).await?;
    let request = entries[0]["request_id"].as_str().context("an entry names its request")?;
    let state = states.get(request).context("a request that was asked is stored")?;
    let fits = match state.as_str() {
        "released" => was_told && count("released") == 1,
        "unreleased" => !was_told && count("unreleased") == 1,
        // Decided before the kill, and nobody recorded what became of it.
        "unknown" => count("allowed") == 1 && count("unknown") == 1,
        "cancelled" => !was_told && count("allowed") == 0,
        _ => false,
    };
    ensure!(fits, "it stands as `{state}`, the log says {story:?}, the agent was told {:?}", round.printed);
    Ok(())
}

async fn assert_counters_grow(world: &World) -> Result<()> {
    let lines = world.cli_lines(&["log", "export", "--jsonl"]).await?;
    let replies = lines.iter().filter(|line| line["type"] == "reply");
    let counters: Vec<u64> = replies.filter_map(|line| line["counter"].as_u64()).collect();
    ensure!(counters.is_sorted_by(|one, next| one < next) && !counters.is_empty(), "{counters:?}");
    Ok(())
}
