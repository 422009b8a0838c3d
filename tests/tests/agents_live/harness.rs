//! The harness without Countersign: what the agent does with no hook, and with a trivial one that answers at once.

use std::{fs, path::Path, time::Duration};

use anyhow::{Result, ensure};
use countersign_tests::{
    live::{
        claude::{Launch, screen},
        runner::{Agent, Given, Scenario},
        script::{DONE, Script},
        terminal::ESC,
    },
    scenarios,
};
use serde_json::{Value, json};

const BOUND: Duration = Duration::from_secs(30);

pub fn scenarios() -> Vec<Scenario> {
    scenarios![Agent::Claude;
        harness_with_no_hook_key_1_lets_the_command_run,
        harness_escape_refuses_the_command,
        harness_a_denying_hook_gives_the_model_its_message,
        harness_an_allowing_hook_lets_the_command_run,
        harness_print_mode_follows_the_hook,
        harness_print_mode_without_an_answer_denies,
        harness_two_calls_of_one_turn_are_asked_one_after_the_other,
        harness_a_new_file_is_asked_for,
        harness_an_edit_is_asked_for,
        harness_a_fetch_is_asked_for,
        harness_a_subagent_asks_through_the_hook,
        harness_an_mcp_tool_is_asked_for,
        harness_a_killed_agent_leaves_its_hook_and_the_place_ends_both,
    ]
}

async fn harness_with_no_hook_key_1_lets_the_command_run(given: Given) -> Result<()> {
    let session = Launch::new(&given.program, Script::shell())?.start().await?;
    let asked = session.wait_screen(asks(screen::ASKS_TO_PROCEED), BOUND).await?;
    ensure!(asked.contains("echo ran > ran.txt"), "the command is not on the screen:\n{asked}");
    ensure!(!session.file("ran.txt").exists(), "the command ran before it was allowed");
    session.answer(screen::YES, asks(screen::ASKS)).await?;
    let result = session.wait_tool_result(0, BOUND).await?;
    ensure!(!result.is_error, "the command failed: {}", result.text);
    ensure!(fs::read_to_string(session.file("ran.txt"))? == "ran\n", "the command left something else");
    session.wait_screen(|text| text.contains(DONE), BOUND).await?;
    session.stop().await?;
    Ok(())
}

async fn harness_escape_refuses_the_command(given: Given) -> Result<()> {
    let session = Launch::new(&given.program, Script::shell())?.start().await?;
    session.wait_screen(asks(screen::ASKS_TO_PROCEED), BOUND).await?;
    session.answer(ESC, asks(screen::ASKS)).await?;
    session.wait_screen(|text| !text.contains(screen::ASKS), BOUND).await?;
    ensure!(!session.file("ran.txt").exists(), "a refused command ran");
    Ok(())
}

async fn harness_a_denying_hook_gives_the_model_its_message(given: Given) -> Result<()> {
    let deny = json!({ "behavior": "deny", "message": "not now, please" });
    let session = with_hook(Launch::new(&given.program, Script::shell())?, &deny).start().await?;
    let result = session.wait_tool_result(0, BOUND).await?;
    ensure!(result.is_error && result.text.contains("not now, please"), "the model read {result:?}");
    ensure!(!session.file("ran.txt").exists(), "a denied command ran");
    let payload = payload(&session.place().home())?;
    ensure!(payload.pointer("/tool_input/command") == Some(&json!("echo ran > ran.txt")), "got {payload}");
    ensure!(payload.get("permission_mode") == Some(&json!("default")), "got {payload}");
    Ok(())
}

async fn harness_an_allowing_hook_lets_the_command_run(given: Given) -> Result<()> {
    let session = with_hook(Launch::new(&given.program, Script::shell())?, &allow()).start().await?;
    let result = session.wait_tool_result(0, BOUND).await?;
    ensure!(!result.is_error && session.file("ran.txt").exists(), "the command did not run: {result:?}");
    Ok(())
}

async fn harness_print_mode_follows_the_hook(given: Given) -> Result<()> {
    let printed = with_hook(Launch::new(&given.program, Script::shell())?, &allow()).print(BOUND).await?;
    let said = String::from_utf8_lossy(&printed.output.stdout).into_owned();
    ensure!(printed.output.status.success() && said.trim() == DONE, "it printed {said}");
    ensure!(printed.file("ran.txt").exists(), "the command did not run");
    Ok(())
}

async fn harness_print_mode_without_an_answer_denies(given: Given) -> Result<()> {
    let printed = Launch::new(&given.program, Script::shell())?.print(BOUND).await?;
    let result = printed.model.wait_tool_result(0, BOUND).await?;
    ensure!(result.is_error && !printed.file("ran.txt").exists(), "it ran: {result:?}");
    Ok(())
}

async fn harness_two_calls_of_one_turn_are_asked_one_after_the_other(given: Given) -> Result<()> {
    let script = Script::parallel(&["echo ran > ran.txt", "echo ran2 > ran2.txt"]);
    let session = Launch::new(&given.program, script)?.start().await?;
    for file in ["ran.txt", "ran2.txt"] {
        let command = format!("> {file}\n");
        let asked = move |text: &str| text.contains(screen::ASKS_TO_PROCEED) && text.contains(&command);
        session.wait_screen(&asked, BOUND).await?;
        ensure!(!session.file(file).exists(), "{file} is there before its question was answered");
        session.answer(screen::YES, &asked).await?;
    }
    session.wait_tool_result(1, BOUND).await?;
    ensure!(session.file("ran.txt").exists() && session.file("ran2.txt").exists(), "not both ran");
    Ok(())
}

async fn harness_a_new_file_is_asked_for(given: Given) -> Result<()> {
    let session = Launch::new(&given.program, Script::write())?.start().await?;
    session.wait_screen(asks(&format!("{}ran.txt?", screen::ASKS_TO_CREATE)), BOUND).await?;
    session.answer(screen::YES, asks(screen::ASKS)).await?;
    session.wait_tool_result(0, BOUND).await?;
    ensure!(
        fs::read_to_string(session.file("ran.txt"))? == "line one\nline two\n",
        "another text was written"
    );
    Ok(())
}

async fn harness_an_edit_is_asked_for(given: Given) -> Result<()> {
    let session = Launch::new(&given.program, Script::edit())?.start().await?;
    session.wait_screen(asks(&format!("{}hello.txt?", screen::ASKS_TO_EDIT)), BOUND).await?;
    session.answer(screen::YES, asks(screen::ASKS)).await?;
    session.wait_tool_result(1, BOUND).await?;
    ensure!(
        fs::read_to_string(session.file("hello.txt"))? == "alpha\nBETA\ngamma\n",
        "the edit is another one"
    );
    Ok(())
}

/// The agent upgrades the address to https, so a page on loopback never arrives; the question is what counts.
async fn harness_a_fetch_is_asked_for(given: Given) -> Result<()> {
    let deny = json!({ "behavior": "deny", "message": "no pages" });
    let session = with_hook(Launch::new(&given.program, Script::fetch())?, &deny).start().await?;
    let result = session.wait_tool_result(0, BOUND).await?;
    ensure!(result.text.contains("no pages"), "the model read {result:?}");
    let payload = payload(&session.place().home())?;
    let page = format!("{}/page", session.model().url());
    ensure!(payload.pointer("/tool_input/url") == Some(&json!(page)), "got {payload}");
    Ok(())
}

async fn harness_a_subagent_asks_through_the_hook(given: Given) -> Result<()> {
    let session = with_hook(Launch::new(&given.program, Script::subagent())?, &allow()).start().await?;
    let ran = session.model().wait("subagent's result", BOUND, |seen| {
        seen.results.iter().any(|result| !result.is_error && result.text.contains("no output"))
    });
    ran.await?;
    ensure!(session.file("ran.txt").exists(), "the subagent's command did not run");
    let payload = payload(&session.place().home())?;
    ensure!(payload.get("agent_id").is_some(), "the question does not name the subagent: {payload}");
    Ok(())
}

async fn harness_an_mcp_tool_is_asked_for(given: Given) -> Result<()> {
    let server = Path::new(env!("CARGO_BIN_EXE_mcp-echo"));
    let session = Launch::new(&given.program, Script::mcp())?.mcp_echo(server).start().await?;
    session.wait_screen(asks(screen::ASKS_TO_PROCEED), BOUND).await?;
    session.answer(screen::YES, asks(screen::ASKS)).await?;
    let result = session.wait_tool_result(0, BOUND).await?;
    ensure!(result.text.contains("echo: hello from the model"), "the model read {result:?}");
    Ok(())
}

async fn harness_a_killed_agent_leaves_its_hook_and_the_place_ends_both(given: Given) -> Result<()> {
    let launch = Launch::new(&given.program, Script::shell())?;
    let pipe = launch.place().home().join("alive");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0)?;
    let command = format!("exec 3> '{}'; echo here >&3; exec tail -f /dev/null", pipe.display());
    let session = launch.settings(hook(&command)).start().await?;
    let mut alive = tokio::io::BufReader::new(tokio::fs::File::open(&pipe).await?);
    let mut line = String::new();
    tokio::io::AsyncBufReadExt::read_line(&mut alive, &mut line).await?;
    ensure!(line == "here\n", "the hook said {line}");
    session.kill(BOUND).await?;
    drop(session);
    // The hook held the pipe open; its end of file proves that it is gone.
    let rest =
        tokio::time::timeout(BOUND, tokio::io::AsyncBufReadExt::read_line(&mut alive, &mut line)).await??;
    ensure!(rest == 0, "the hook said more: {line}");
    Ok(())
}

fn asks(question: &str) -> impl Fn(&str) -> bool + use<> {
    let question = question.to_owned();
    move |text| text.contains(&question)
}

fn allow() -> Value {
    json!({ "behavior": "allow" })
}

/// A hook that keeps what it was given and prints one decision.
fn with_hook(launch: Launch, decision: &Value) -> Launch {
    let answer =
        json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": decision } });
    let command = format!("cat > \"$HOME/payload.json\"; printf '%s' '{answer}'");
    launch.settings(hook(&command))
}

fn hook(command: &str) -> Value {
    let hook = json!({ "type": "command", "command": command, "timeout": 30 });
    json!({ "hooks": { "PermissionRequest": [{ "hooks": [hook] }] } })
}

fn payload(home: &Path) -> Result<Value> {
    Ok(serde_json::from_slice(&fs::read(home.join("payload.json"))?)?)
}
