//! What scripts read: the JSON of every command that looks, and the exit codes.

use anyhow::{Context as _, Result, ensure};
use countersign_tests::world::{BOUND, World};
use data_encoding::BASE64;
use serde_json::Value;

use crate::{ALLOWED, LIMIT, assert_denied, paired};

fn assert_has(value: &Value, fields: &[&str]) -> Result<()> {
    let missing: Vec<_> = fields.iter().filter(|field| value.get(field).is_none()).collect();
    ensure!(missing.is_empty(), "{missing:?} are missing in {value}");
    Ok(())
}

#[tokio::test]
async fn status_and_phones_say_how_things_stand() -> Result<()> {
    let (world, phone) = paired().await?;
    let status = world.cli(&["status", "--json"]).await?;
    assert_has(&status, &["version", "pid", "run_id", "started", "sessions", "sockets", "state"])?;
    ensure!(
        status["instance"] == world.instance() && status["demo"] == true && status["locked"] == false,
        "{status}"
    );
    ensure!(status["phones"] == 1 && status["phones_connected"] == 1 && status["pending"] == 0, "{status}");
    ensure!(status["relay"]["type"] == "connected", "{status}");
    let relay = status["relay"]["relay"].as_str().context("a relay has an address")?;
    ensure!(relay.starts_with("127.0.0.1:"), "not on loopback: {relay}");
    for command in [["phones", "--json", ""], ["phones", "list", "--json"]] {
        let command: Vec<&str> = command.into_iter().filter(|word| !word.is_empty()).collect();
        let phones = world.cli(&command).await?;
        let [only] = phones["phones"].as_array().context("phones are a list")?.as_slice() else {
            anyhow::bail!("not one phone: {phones}");
        };
        assert_has(only, &["model", "fingerprint", "paired", "last_seen"])?;
        ensure!(only["device_id"] == phone.device.as_str() && only["name"] == "first phone", "{only}");
        ensure!(only["state"] == "active" && only["connected"] == true, "{only}");
        ensure!(only["security"].as_str().is_some_and(|words| words.contains("demo")), "{only}");
    }
    Ok(())
}

#[tokio::test]
async fn pending_shows_a_card_whole() -> Result<()> {
    let world = World::start().await?;
    let mut surface = world.surface().await?;
    let command = "printf 'one\\ntwo' &&\n  rm -rf build # \u{202e}txt.exe";
    let mut hook = world.hook(&world.asks("s", command), LIMIT).await?;
    surface.card().await?;
    let [card] = &world.pending().await?[..] else { anyhow::bail!("not one card waits") };
    assert_has(
        card,
        &["request_id", "binding", "headline", "host", "class", "level", "reasons", "why", "whole"],
    )?;
    ensure!(
        card["agent"]["id"] == "claude" && card["session"]["id"] == "s" && card["tool"] == "Bash",
        "{card}"
    );
    ensure!(card["folder"].as_str() == world.scratch().to_str(), "{card}");
    ensure!(card["words"] == "what the agent says", "{card}");
    let shown = card["blocks"][0]["text"].as_str().context("a command is shown")?;
    ensure!(shown.contains("rm -rf build") && shown.contains('\n'), "not the whole command: {shown}");
    ensure!(
        !shown.contains('\u{202e}') && shown.contains("\\u{202e}"),
        "a hidden character stays hidden: {shown}"
    );
    ensure!(card["warnings"].as_array().is_some_and(|warnings| !warnings.is_empty()), "no warning: {card}");
    ensure!(card["deadline_in_ms"].as_u64().is_some_and(|left| left > 0 && left <= 120_000), "{card}");
    let text = String::from_utf8(world.cli_output(&["pending"]).await?.stdout)?;
    ensure!(!text.contains('\u{202e}') && text.contains("rm -rf build"), "{text}");
    world.cli(&["deny", "--json"]).await?;
    assert_denied(&hook.ends(BOUND).await?.1, "declined")
}

#[tokio::test]
async fn the_log_is_listed_filtered_verified_and_exported() -> Result<()> {
    let (world, mut phone) = paired().await?;
    let mut hook = world.hook(&world.asks("s", "make deploy"), LIMIT).await?;
    let card = phone.card().await?;
    phone.allow(&card).await?;
    ensure!(hook.ends(BOUND).await?.1 == ALLOWED);
    phone.receipt(&card, "released").await?;

    let entries = world.log().await?;
    for (at, entry) in (1..).zip(&entries) {
        assert_has(entry, &["hash", "time", "kind", "text"])?;
        ensure!(entry["seq"] == at, "entry {at} is {entry}");
    }
    let last = world.cli_lines(&["log", "--last", "1", "--json"]).await?;
    ensure!(last.len() == 1 && last.first() == entries.last(), "{last:?}");
    for filter in [["--event", "allowed"], ["--phone", &phone.device], ["--session", "s"]] {
        let found = world.cli_lines(&["log", filter[0], filter[1], "--json"]).await?;
        ensure!(!found.is_empty() && found.len() < entries.len(), "{filter:?} gave {} entries", found.len());
    }

    let report = world.assert_log_is_whole().await?;
    let head = entries.last().context("the log is not empty")?;
    ensure!(report["head_seq"] == head["seq"] && report["head"] == head["hash"], "{report}");
    let known = format!("{}:{}", head["seq"], head["hash"].as_str().context("a hash")?);
    ensure!(
        world.cli_output(&["log", "verify", "--head", &known]).await?.status.success(),
        "its own head is refused"
    );
    let other = format!("{}:{}", head["seq"], "ab".repeat(32));
    let contradicted = world.cli_output(&["log", "verify", "--head", &other]).await?;
    ensure!(contradicted.status.code() == Some(1), "another head is taken");
    Ok(())
}

#[tokio::test]
async fn an_export_stands_by_itself_and_redacted_it_holds_nothing_of_the_calls() -> Result<()> {
    let (world, mut phone) = paired().await?;
    let mut hook = world.hook(&world.asks("s", "make sesame"), LIMIT).await?;
    let card = phone.card().await?;
    phone.allow(&card).await?;
    ensure!(hook.ends(BOUND).await?.1 == ALLOWED);
    phone.receipt(&card, "released").await?;

    let lines = world.cli_lines(&["log", "export", "--jsonl"]).await?;
    let of = |kind: &str| lines.iter().filter(|line| line["type"] == kind).cloned().collect::<Vec<_>>();
    ensure!(lines[0]["type"] == "log" && lines[0]["redacted"] == false, "{}", lines[0]);
    assert_has(&lines[0], &["v", "log_id", "desktop_id", "desktop_key"])?;
    ensure!(of("phone").len() == 1 && !of("offer").is_empty() && !of("reply").is_empty(), "{lines:?}");
    ensure!(of("entry").len() == world.log().await?.len(), "not every entry is in it");
    let requests = of("request");
    let raw = |request: &Value| -> Result<Vec<u8>> {
        Ok(BASE64.decode(request["raw"].as_str().context("a request has its raw input")?.as_bytes())?)
    };
    let mut found = false;
    for request in requests.iter().filter(|request| !request["raw"].is_null()) {
        found |= String::from_utf8_lossy(&raw(request)?).contains("make sesame");
    }
    ensure!(found, "the call is not in the export: {requests:?}");

    let file = world.scratch().join("redacted.jsonl");
    let path = file.to_str().context("a path")?;
    ensure!(world.cli_output(&["log", "export", "--jsonl", "--redact", path]).await?.status.success());
    let redacted = std::fs::read_to_string(&file)?;
    for line in redacted.lines() {
        let line: Value = serde_json::from_str(line)?;
        let is_silent = ["raw", "bytes", "signed"].iter().all(|field| line[field].is_null())
            || !matches!(line["type"].as_str(), Some("request" | "offer"));
        ensure!(is_silent, "a redacted export holds {line}");
    }
    ensure!(!redacted.contains("sesame"), "a word of the call is in the redacted export");
    // It never writes over what is there.
    let again = world.cli_output(&["log", "export", "--jsonl", path]).await?;
    ensure!(again.status.code() == Some(1) && std::fs::read_to_string(&file)? == redacted, "{again:?}");
    Ok(())
}

#[tokio::test]
async fn without_a_desktop_every_command_says_so_and_what_to_do() -> Result<()> {
    let world = World::prepare()?;
    for command in ["status", "pending", "phones", "log", "deny", "release", "lock", "unlock", "pair"] {
        let output = world.cli_output(&[command, "--json"]).await?;
        ensure!(output.status.code() == Some(3), "{command}: {output:?}");
        let said: Value = serde_json::from_slice(&output.stdout)?;
        ensure!(said["error"]["code"] == "not_running", "{command}: {said}");
        ensure!(said["error"]["hint"].as_str().is_some_and(|hint| hint.contains("up")), "{command}: {said}");
    }
    Ok(())
}

/// WHO-5: with no daemon the hook is silent, as if Countersign were not installed.
#[tokio::test]
async fn without_a_desktop_a_hook_says_nothing_whatever_it_is_given() -> Result<()> {
    let world = World::prepare()?;
    let asked = world.asks("s", "make deploy");
    for name in ["PermissionRequest", "PostToolUse", "SessionStart", "Stop"] {
        let printed = world.hook_says(&world.observes(name, &asked)).await?;
        ensure!(printed.is_empty(), "{name}: {printed}");
    }
    Ok(())
}
