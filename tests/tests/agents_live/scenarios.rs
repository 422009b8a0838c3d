//! What Countersign promises, with the real agent: it asks to run a command, its question goes through a separate relay
//! to a demo phone, and what the person decides is what happens on disk.

use std::{fs, time::Duration};

use anyhow::{Context as _, Result, ensure};
use countersign_tests::{
    live::{
        claude::{self, Launch, screen},
        runner::{Agent, Given, Scenario},
        script::{DONE, Script},
    },
    scenarios,
    world::{BOUND, DemoPhone, World, program},
};
use serde_json::Value;

pub fn scenarios() -> Vec<Scenario> {
    scenarios![Agent::Claude;
        an_approval_by_phone_lets_the_command_run,
        a_denial_with_a_note_reaches_the_agent,
        silence_leaves_the_question_in_the_terminal,
        an_answer_in_the_terminal_first_withdraws_the_card,
        two_requests_at_once_are_answered_one_by_one,
        a_killed_desktop_leaves_the_question_in_the_terminal,
        a_killed_relay_comes_back_with_the_offer_and_the_signed_reply,
        a_phone_revoked_while_it_is_asked_decides_nothing,
        a_replayed_reply_changes_nothing,
        an_edit_is_shown_as_a_diff_and_approved,
        a_subagent_asks_under_its_own_name,
    ]
}

/// The limit that setup writes.
pub const LONG: u32 = 125;
/// A limit that leaves three seconds to answer.
const SHORT: u32 = 8;

/// A desktop with a phone, and an agent whose settings were written by `countersign setup`.
pub async fn stage(given: &Given, script: Script, limit: u32) -> Result<(World, DemoPhone, Launch)> {
    let mut world = World::start().await?;
    let phone = world.pair("live phone").await?;
    let launch = with_hooks(&world, Launch::new(&given.program, script)?, limit).await?;
    Ok((world, phone, launch))
}

pub async fn with_hooks(world: &World, launch: Launch, limit: u32) -> Result<Launch> {
    let settings = claude::settings_file(launch.place());
    let hook = program("countersign-hook");
    let (settings_path, hook) = (settings.to_string_lossy(), hook.to_string_lossy());
    let arguments = ["setup", "claude", "--yes", "--json", "--settings", &settings_path, "--hook", &hook];
    let output = world.cli_output(&arguments).await?;
    ensure!(output.status.success(), "setup failed: {}", String::from_utf8_lossy(&output.stderr));
    if limit != LONG {
        let written = fs::read_to_string(&settings)?;
        let shorter = written
            .replace(&format!("--limit {LONG}"), &format!("--limit {limit}"))
            .replace(&format!("\"timeout\": {LONG}"), &format!("\"timeout\": {limit}"));
        ensure!(shorter != written, "setup no longer writes the limit where it did:\n{written}");
        fs::write(&settings, shorter)?;
    }
    Ok(launch)
}

async fn an_approval_by_phone_lets_the_command_run(given: Given) -> Result<()> {
    let (_world, mut phone, launch) = stage(&given, Script::shell(), LONG).await?;
    let session = launch.start().await?;
    let card = phone.card().await?;
    ensure!(
        card["blocks"][0]["command"] == "echo ran > ran.txt",
        "the card does not show the command: {card}"
    );
    ensure!(card["agent"].as_str().is_some_and(|agent| agent.contains("claude")), "whose is it? {card}");
    ensure!(!session.file("ran.txt").exists(), "the command ran before it was allowed");
    phone.allow(&card).await?;
    let result = session.wait_tool_result(0, BOUND).await?;
    ensure!(!result.is_error, "the command failed: {}", result.text);
    ensure!(fs::read_to_string(session.file("ran.txt"))? == "ran\n", "the command left something else");
    let receipt = phone.event("receipt").await?;
    ensure!(receipt["outcome"] == "released" && receipt["verified"] == true, "no good receipt: {receipt}");
    session.wait_screen(|text| text.contains(DONE), BOUND).await?;
    Ok(())
}

async fn a_denial_with_a_note_reaches_the_agent(given: Given) -> Result<()> {
    let (_world, mut phone, launch) = stage(&given, Script::shell(), LONG).await?;
    let session = launch.start().await?;
    let card = phone.card().await?;
    phone.order(&format!("note {} use the staging host", offer(&card)?)).await?;
    let result = session.wait_tool_result(0, BOUND).await?;
    ensure!(result.is_error, "a denied command is no success");
    ensure!(
        result.text.contains("The person declined this call. Their note: «use the staging host»"),
        "the model reads something else: {}",
        result.text
    );
    ensure!(!session.file("ran.txt").exists(), "a denied command ran");
    Ok(())
}

async fn silence_leaves_the_question_in_the_terminal(given: Given) -> Result<()> {
    let (_world, mut phone, launch) = stage(&given, Script::shell(), SHORT).await?;
    let session = launch.start().await?;
    let card = phone.card().await?;
    let is_over = |line: &Value| {
        line["offer"] == card["offer"]
            && matches!(line["event"].as_str(), Some("closed" | "expired" | "gone"))
    };
    phone.wait("that the card is over", is_over).await?;
    session.wait_screen(asks, BOUND).await?;
    ensure!(!session.file("ran.txt").exists(), "silence let the command run");
    session.answer(screen::YES, asks).await?;
    session.wait_tool_result(0, BOUND).await?;
    ensure!(session.file("ran.txt").exists(), "the person's own yes in the terminal does not work any more");
    Ok(())
}

async fn an_answer_in_the_terminal_first_withdraws_the_card(given: Given) -> Result<()> {
    let script = Script::commands(&["echo started > ran.txt; sleep 6; echo ran > ran.txt"]);
    let (world, mut phone, launch) = stage(&given, script, LONG).await?;
    let session = launch.start().await?;
    let card = phone.card().await?;
    session.wait_screen(asks, BOUND).await?;
    session.answer(screen::YES, asks).await?;
    let closed = phone.event("closed").await?;
    ensure!(closed["offer"] == card["offer"] && closed["how"] == "withdrawn", "closed otherwise: {closed}");
    // The command takes six seconds: the card did not wait for its end.
    ensure!(session.model().record().results.is_empty(), "the card waited for the command's end");
    let pending = world.cli(&["pending", "--json"]).await?;
    ensure!(pending["cards"].as_array().is_some_and(Vec::is_empty), "a card is left: {pending}");
    phone.allow(&card).await?;
    phone.event("not_taken").await?;
    Ok(())
}

async fn two_requests_at_once_are_answered_one_by_one(given: Given) -> Result<()> {
    let (world, mut phone, launch) = stage(&given, Script::commands(&["echo one > ran.txt"]), LONG).await?;
    let second = Launch::new(&given.program, Script::commands(&["echo two > ran.txt"]))?;
    let second = with_hooks(&world, second, LONG).await?;
    let (first, second) = (launch.start().await?, second.start().await?);
    let (a, b) = (phone.card().await?, phone.card().await?);
    let shows =
        |card: &Value, word: &str| card["blocks"][0]["command"].as_str().is_some_and(|c| c.contains(word));
    let (one, two) = if shows(&a, "one") { (a, b) } else { (b, a) };
    ensure!(shows(&one, "one") && shows(&two, "two"), "not the two commands: {one} {two}");
    phone.allow(&two).await?;
    second.wait_tool_result(0, BOUND).await?;
    ensure!(
        fs::read_to_string(second.file("ran.txt"))? == "two\n",
        "the answered command did something else"
    );
    ensure!(!first.file("ran.txt").exists(), "answering one let the other run");
    let pending = world.cli(&["pending", "--json"]).await?;
    ensure!(
        pending["cards"].as_array().is_some_and(|cards| cards.len() == 1),
        "not one card is left: {pending}"
    );
    phone.order(&format!("deny {}", offer(&one)?)).await?;
    let result = first.wait_tool_result(0, BOUND).await?;
    ensure!(result.is_error && !first.file("ran.txt").exists(), "a denied command ran");
    Ok(())
}

async fn a_killed_desktop_leaves_the_question_in_the_terminal(given: Given) -> Result<()> {
    let (mut world, mut phone, launch) = stage(&given, Script::shell(), LONG).await?;
    let session = launch.start().await?;
    let card = phone.card().await?;
    world.kill_desktop().await?;
    session.wait_screen(asks, BOUND).await?;
    ensure!(!session.file("ran.txt").exists(), "a killed desktop let the command run");
    world.start_desktop().await?;
    // What was asked in the killed run can't be answered in this one.
    phone.order(&format!("allow {}", offer(&card)?)).await?;
    session.answer(screen::YES, asks).await?;
    session.wait_tool_result(0, BOUND).await?;
    let log = world.cli(&["log", "--json", "--event", "withdrawn"]).await.ok();
    let verify = world.cli_output(&["log", "verify"]).await?;
    ensure!(verify.status.success(), "the log does not verify after a kill: {log:?}");
    Ok(())
}

async fn a_killed_relay_comes_back_with_the_offer_and_the_signed_reply(given: Given) -> Result<()> {
    let (mut world, mut phone, launch) = stage(&given, Script::shell(), LONG).await?;
    let session = launch.start().await?;
    let card = phone.card().await?;
    // Signed, but kept back: it leaves the phone only after the relay is gone, and without a second finger.
    phone.order("hold").await?;
    phone.allow(&card).await?;
    phone.event("held").await?;
    world.kill_relay().await?;
    let result = session.wait_tool_result(0, Duration::from_secs(60)).await?;
    ensure!(!result.is_error, "the command failed: {}", result.text);
    ensure!(session.file("ran.txt").exists(), "the approval was lost with the relay");
    let receipt = phone.event("receipt").await?;
    ensure!(receipt["outcome"] == "released", "no good receipt: {receipt}");
    let prompts = phone.said().iter().filter(|line| line["event"] == "prompt").count();
    ensure!(prompts <= 2, "a second finger was asked for: {prompts} prompts");
    Ok(())
}

async fn a_phone_revoked_while_it_is_asked_decides_nothing(given: Given) -> Result<()> {
    let (mut world, mut phone, launch) = stage(&given, Script::shell(), LONG).await?;
    // A demo is over when its last phone is gone.
    let _other = world.pair("other phone").await?;
    let session = launch.start().await?;
    let card = phone.card().await?;
    phone.order("hold").await?;
    phone.allow(&card).await?;
    phone.event("held").await?;
    let revoked = world.cli_output(&["phones", "revoke", &phone.device, "--json"]).await?;
    ensure!(revoked.status.success(), "revoking failed: {}", String::from_utf8_lossy(&revoked.stderr));
    phone.order("flush").await.ok();
    session.wait_screen(asks, BOUND).await?;
    let pending = world.cli(&["pending", "--json"]).await?;
    ensure!(pending["cards"].as_array().is_some_and(|cards| cards.len() == 1), "the card is gone: {pending}");
    ensure!(!session.file("ran.txt").exists(), "a revoked phone let the command run");
    session.answer(screen::YES, asks).await?;
    session.wait_tool_result(0, BOUND).await?;
    Ok(())
}

async fn a_replayed_reply_changes_nothing(given: Given) -> Result<()> {
    let (world, mut phone, launch) =
        stage(&given, Script::commands(&["echo ran >> ran.txt", "echo again >> ran.txt"]), LONG).await?;
    let session = launch.start().await?;
    let first = phone.card().await?;
    phone.allow(&first).await?;
    phone.event("receipt").await?;
    let second = phone.card().await?;
    phone.order(&format!("replay {}", offer(&first)?)).await?;
    let replayed = phone.event("replayed").await?;
    ensure!(replayed["outcome"] == "released", "a replay gets its stored receipt: {replayed}");
    let pending = world.cli(&["pending", "--json"]).await?;
    ensure!(
        pending["cards"].as_array().is_some_and(|cards| cards.len() == 1),
        "the second card is gone: {pending}"
    );
    ensure!(fs::read_to_string(session.file("ran.txt"))? == "ran\n", "a replay ran something");
    phone.order(&format!("deny {}", offer(&second)?)).await?;
    let result = session.wait_tool_result(1, BOUND).await?;
    ensure!(
        result.is_error && fs::read_to_string(session.file("ran.txt"))? == "ran\n",
        "a denied command ran"
    );
    Ok(())
}

async fn an_edit_is_shown_as_a_diff_and_approved(given: Given) -> Result<()> {
    let (_world, mut phone, launch) = stage(&given, Script::edit(), LONG).await?;
    let session = launch.start().await?;
    let card = phone.card().await?;
    let diff = &card["blocks"][0];
    ensure!(
        diff["diff"].as_str().is_some_and(|path| path.ends_with("hello.txt")),
        "no diff of the file: {card}"
    );
    ensure!(diff["added"].as_u64() > Some(0), "no lines are counted: {card}");
    let before = fs::read_to_string(session.file("hello.txt"))?;
    phone.allow(&card).await?;
    phone.event("receipt").await?;
    session.wait_screen(|text| text.contains(DONE), BOUND).await?;
    ensure!(fs::read_to_string(session.file("hello.txt"))? != before, "the edit did not happen");
    Ok(())
}

async fn a_subagent_asks_under_its_own_name(given: Given) -> Result<()> {
    let (_world, mut phone, launch) = stage(&given, Script::subagent(), LONG).await?;
    let session = launch.start().await?;
    let card = phone.card().await?;
    ensure!(card["subagent"].as_str().is_some_and(|name| !name.is_empty()), "no subagent is named: {card}");
    phone.allow(&card).await?;
    phone.event("receipt").await?;
    session
        .model()
        .wait("the subagent's command", BOUND, |record| record.results.len() > 1)
        .await
        .context("the subagent goes on")?;
    ensure!(session.file("ran.txt").exists(), "the subagent's command did not run");
    Ok(())
}

pub fn asks(text: &str) -> bool {
    text.contains(screen::ASKS)
}

pub fn offer(card: &Value) -> Result<&str> {
    card["offer"].as_str().context("a card has an offer")
}
