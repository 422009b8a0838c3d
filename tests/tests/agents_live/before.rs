//! Before every call (REQ-4), with the real agent in the modes in which it would not ask: what destroys gets a card,
//! what is refused is denied with its reason, and everything else runs without a word of ours.

use std::{fs, time::Duration};

use anyhow::{Context as _, Result, ensure};
use countersign_tests::{
    live::{
        claude::{self, Launch, Session},
        runner::{Agent, Given, Scenario},
        script::{Call, DONE, Script},
    },
    scenarios,
    world::{BOUND, DemoPhone, World},
};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::scenarios::{LONG, asks, offer, stage, with_hooks};

pub fn scenarios() -> Vec<Scenario> {
    scenarios![Agent::Claude;
        before_in_automatic_mode_a_deletion_gets_a_card_and_a_denial_keeps_the_folder,
        before_with_permissions_bypassed_a_deletion_runs_only_once_it_is_allowed,
        before_in_accept_edits_mode_a_deletion_gets_a_card,
        before_in_dont_ask_mode_a_deletion_gets_a_card,
        before_a_subagents_deletion_gets_a_card_under_its_name,
        before_a_push_to_main_is_denied_with_its_reason,
        before_without_a_terminal_a_deletion_is_denied,
        before_a_harmless_command_runs_without_a_word,
        before_a_persons_own_allow_list_does_not_skip_the_card,
        before_with_no_desktop_a_call_runs_as_if_nothing_were_installed,
        before_a_stopped_desktop_keeps_nobody_waiting,
        before_a_call_that_another_hook_rewrote_is_noticed,
    ]
}

const DELETE: &str = "rm -rf build";

/// A desktop with a phone, and an agent in this mode whose model does this in a project with a folder `build`.
async fn in_mode(given: &Given, mode: Option<&str>, script: Script) -> Result<(World, DemoPhone, Launch)> {
    let (world, phone, launch) = stage(given, script, LONG).await?;
    let build = launch.place().project().join("build");
    fs::create_dir(&build)?;
    fs::write(build.join("old.o"), "")?;
    Ok((world, phone, launch.permission_mode(mode)))
}

fn deletion() -> Script {
    Script::commands(&[DELETE])
}

fn is_kept(session: &Session) -> bool {
    session.file("build/old.o").exists()
}

/// The card of the deletion, which must not have run before.
async fn card_of_deletion(phone: &mut DemoPhone, session: &Session) -> Result<Value> {
    let card = phone.card().await.with_context(|| format!("no card; the screen:\n{}", session.screen()))?;
    ensure!(card["blocks"][0]["command"] == DELETE, "another card: {card}");
    ensure!(card["class"] == "destructive" && card["level"] == "red", "judged otherwise: {card}");
    ensure!(is_kept(session), "it ran before it was allowed");
    Ok(card)
}

async fn denied_in(given: &Given, mode: Option<&str>) -> Result<()> {
    let (_world, mut phone, launch) = in_mode(given, mode, deletion()).await?;
    let session = launch.start().await?;
    let card = card_of_deletion(&mut phone, &session).await?;
    phone.order(&format!("deny {}", offer(&card)?)).await?;
    let result = session.wait_tool_result(0, BOUND).await?;
    ensure!(result.is_error && result.text.contains("The person declined this call"), "it read {result:?}");
    ensure!(is_kept(&session), "a denied deletion ran");
    Ok(())
}

/// No mode is set, as in a fresh installation.
async fn before_in_automatic_mode_a_deletion_gets_a_card_and_a_denial_keeps_the_folder(
    given: Given,
) -> Result<()> {
    denied_in(&given, None).await?;
    denied_in(&given, Some("auto")).await
}

async fn before_with_permissions_bypassed_a_deletion_runs_only_once_it_is_allowed(
    given: Given,
) -> Result<()> {
    let (world, mut phone, launch) = in_mode(&given, Some("bypassPermissions"), deletion()).await?;
    let session = launch.start().await?;
    let card = card_of_deletion(&mut phone, &session).await?;
    phone.allow(&card).await?;
    let result = session.wait_tool_result(0, BOUND).await?;
    ensure!(
        !result.is_error && !session.file("build").exists(),
        "an allowed deletion did not run: {result:?}"
    );
    let receipt = phone.event("receipt").await?;
    ensure!(receipt["outcome"] == "released", "no good receipt: {receipt}");
    world.assert_log_is_whole().await?;
    Ok(())
}

async fn before_in_accept_edits_mode_a_deletion_gets_a_card(given: Given) -> Result<()> {
    denied_in(&given, Some("acceptEdits")).await
}

async fn before_in_dont_ask_mode_a_deletion_gets_a_card(given: Given) -> Result<()> {
    denied_in(&given, Some("dontAsk")).await
}

async fn before_a_subagents_deletion_gets_a_card_under_its_name(given: Given) -> Result<()> {
    let script = Script::subagent_doing(vec![vec![Call::bash(DELETE)]]);
    let (_world, mut phone, launch) = in_mode(&given, Some("bypassPermissions"), script).await?;
    let session = launch.start().await?;
    let card = card_of_deletion(&mut phone, &session).await?;
    ensure!(card["subagent"].as_str().is_some_and(|name| !name.is_empty()), "no subagent is named: {card}");
    phone.order(&format!("deny {}", offer(&card)?)).await?;
    let declined = session.model().wait("the subagent's denial", BOUND, |seen| {
        seen.results.iter().any(|result| result.text.contains("The person declined this call"))
    });
    declined.await?;
    ensure!(is_kept(&session), "a denied deletion ran");
    Ok(())
}

async fn before_a_push_to_main_is_denied_with_its_reason(given: Given) -> Result<()> {
    for mode in [None, Some("bypassPermissions"), Some("manual")] {
        let script = Script::commands(&["git push origin HEAD:main"]);
        let (world, phone, launch) = in_mode(&given, mode, script).await?;
        let session = launch.start().await?;
        let result = session.wait_tool_result(0, BOUND).await?;
        ensure!(
            result.is_error
                && result.text.contains("Countersign refused this call: ")
                && result.text.contains("main"),
            "in {mode:?} the model read {result:?}"
        );
        ensure!(!asks(&session.screen()), "the person was asked:\n{}", session.screen());
        ensure!(phone.said().iter().all(|line| line["event"] != "card"), "a refused call got a card");
        world.assert_log_is_whole().await?;
    }
    Ok(())
}

/// `-p` has nobody to ask once a hook wants a question: Claude Code itself denies it then.
async fn before_without_a_terminal_a_deletion_is_denied(given: Given) -> Result<()> {
    let (_world, _phone, launch) = in_mode(&given, Some("bypassPermissions"), deletion()).await?;
    let printed = launch.print(BOUND).await?;
    let result = printed.model.wait_tool_result(0, BOUND).await?;
    ensure!(result.is_error && result.text.contains("Countersign asks first"), "the model read {result:?}");
    ensure!(printed.file("build/old.o").exists(), "it ran with nobody asked");
    Ok(())
}

async fn before_a_harmless_command_runs_without_a_word(given: Given) -> Result<()> {
    for mode in [None, Some("acceptEdits"), Some("bypassPermissions")] {
        let (world, phone, launch) = in_mode(&given, mode, Script::commands(&["ls"])).await?;
        let session = launch.start().await?;
        let result = session.wait_tool_result(0, BOUND).await?;
        ensure!(!result.is_error && result.text.contains("hello.txt"), "in {mode:?} it read {result:?}");
        ensure!(phone.said().iter().all(|line| line["event"] != "card"), "`ls` got a card in {mode:?}");
        let about = world.log().await?.into_iter().filter(|entry| !entry["tool"].is_null()).count();
        ensure!(about == 0, "`ls` is in the log {about} times in {mode:?}");
    }
    Ok(())
}

/// In the mode that asks, too: what Claude Code's own settings allow still destroys.
async fn before_a_persons_own_allow_list_does_not_skip_the_card(given: Given) -> Result<()> {
    let (_world, mut phone, launch) = in_mode(&given, Some("manual"), deletion()).await?;
    let launch = launch.settings(json!({ "permissions": { "allow": ["Bash(rm:*)"] } }));
    let session = launch.start().await?;
    let card = card_of_deletion(&mut phone, &session).await?;
    phone.order(&format!("deny {}", offer(&card)?)).await?;
    session.wait_tool_result(0, BOUND).await?;
    ensure!(is_kept(&session), "a denied deletion ran");
    Ok(())
}

/// WHO-5: with no daemon the hook says nothing, and in this mode silence means run; `doctor` says so.
async fn before_with_no_desktop_a_call_runs_as_if_nothing_were_installed(given: Given) -> Result<()> {
    let (mut world, _phone, launch) = in_mode(&given, Some("bypassPermissions"), deletion()).await?;
    world.kill_desktop().await?;
    let session = launch.start().await?;
    let result = session.wait_tool_result(0, BOUND).await?;
    ensure!(!result.is_error && !session.file("build").exists(), "it did not run: {result:?}");
    Ok(())
}

/// A daemon that does not answer at all holds a call up for a second, not for the agent's whole limit.
async fn before_a_stopped_desktop_keeps_nobody_waiting(given: Given) -> Result<()> {
    let commands = Script::commands(&["mkdir one", "mkdir two", "mkdir three"]);
    let (mut world, _phone, launch) = in_mode(&given, Some("bypassPermissions"), commands).await?;
    world.desktop()?.signal(Signal::STOP)?;
    let session = launch.start().await?;
    let ran = session.wait_tool_result(2, Duration::from_secs(30)).await;
    world.desktop()?.signal(Signal::CONT)?;
    ensure!(!ran?.is_error && session.file("three").exists(), "it did not run");
    Ok(())
}

/// AG-5: the agent says afterwards what it ran.
async fn before_a_call_that_another_hook_rewrote_is_noticed(given: Given) -> Result<()> {
    let world = World::start().await?;
    let script = Script::commands(&["mkdir shown"]);
    let launch = Launch::new(&given.program, script)?.permission_mode(Some("bypassPermissions"));
    let rewriting = json!({ "hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "allow",
        "updatedInput": { "command": "mkdir other", "description": "Run a scripted command" },
    } });
    let hook = json!({ "type": "command", "command": format!("printf '%s' '{rewriting}'"), "timeout": 30 });
    let settings = json!({ "hooks": { "PreToolUse": [{ "hooks": [hook] }] } });
    let file = claude::settings_file(launch.place());
    fs::create_dir_all(file.parent().context("a folder")?)?;
    fs::write(&file, settings.to_string())?;
    let launch = with_hooks(&world, launch, LONG).await?;
    let session = launch.start().await?;
    session.wait_tool_result(0, BOUND).await?;
    let (shown, other) = (session.file("shown").exists(), session.file("other").exists());
    ensure!(other && !shown, "the other hook changed nothing");
    session.wait_screen(|text| text.contains(DONE), BOUND).await?;
    let differed = world.log().await?.into_iter().filter(|entry| entry["kind"] == "differed").count();
    ensure!(differed == 1, "the log tells of {differed} differences:\n{:#?}", world.log().await?);
    Ok(())
}
