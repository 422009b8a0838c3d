//! `make demo`: the main job on this machine, with no phone and no account. A desktop in demo mode, its relay beside it,
//! a demo phone paired with it, and a real hook call that you answer. `--auto` answers by itself.

use std::{
    io::{BufRead as _, IsTerminal as _, Write as _},
    process::ExitCode,
    time::Duration,
};

use anyhow::{Context as _, Result, bail};
use countersign_tests::world::{BOUND, DemoPhone, Process, World};
use serde_json::Value;

#[tokio::main]
async fn main() -> ExitCode {
    let auto = std::env::args().skip(1).any(|argument| argument == "--auto");
    match show(auto).await {
        Ok(last) => {
            println!("{last}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("the demo stopped: {error:#}");
            eprintln!("Nothing of it is left running. `countersign doctor` looks for what may be wrong.");
            ExitCode::FAILURE
        }
    }
}

async fn show(auto: bool) -> Result<String> {
    if !auto && !std::io::stdin().is_terminal() {
        bail!("there is nobody to ask here: run `make demo` in a terminal, or `make demo AUTO=1`");
    }
    step(1, "Starting a desktop in demo mode, with its own folder and a relay beside it on loopback");
    let mut world = World::start().await?;
    step(2, "Pairing a DEMO PHONE (software keys): ticket, six-digit code, keys, proofs, through the relay");
    let mut phone = world.pair("demo phone").await?;
    println!("   paired: {}", phone.device);
    step(
        3,
        "A coding agent stops before a command: its hook asks the desktop, as Claude Code would start it",
    );
    let mut hook = world.hook(&world.asks("demo", "git push origin topic"), Duration::from_secs(125)).await?;
    let card = phone.card().await?;
    step(4, "The question came out at the phone, sealed on the way. Its card:");
    draw(&card);
    let answer = if auto { 'a' } else { ask()? };
    step(
        5,
        "The phone signs your answer with its keys; the desktop checks and records it, then tells the agent",
    );
    let last = answered(&mut phone, &mut hook, &card, answer).await?;
    step(6, "The desktop's record of it verifies:");
    let verified = world.cli_output(&["log", "verify"]).await?;
    for line in String::from_utf8_lossy(&verified.stdout).lines() {
        println!("   {line}");
    }
    if !verified.status.success() {
        bail!("the log does not verify");
    }
    Ok(last)
}

async fn answered(phone: &mut DemoPhone, hook: &mut Process, card: &Value, answer: char) -> Result<String> {
    let offer = card["offer"].as_str().context("a card has an offer")?;
    let order = if answer == 'a' { "allow" } else { "deny" };
    phone.order(&format!("{order} {offer}")).await?;
    let (_, told) = hook.ends(BOUND).await?;
    println!("   the agent is told: {told}");
    let receipt = phone.event("receipt").await?;
    if receipt["outcome"] != "released" || receipt["verified"] != true {
        bail!("the phone got no good receipt: {receipt}");
    }
    let word = if answer == 'a' { "allowed" } else { "denied" };
    Ok(format!("{word} by demo phone, receipt verified"))
}

fn step(number: u8, words: &str) {
    println!("{number}. {words}");
}

fn draw(card: &Value) {
    let text = |name: &str| card[name].as_str().unwrap_or_default().to_owned();
    println!("   ┌─ {}", text("headline"));
    for block in card["blocks"].as_array().into_iter().flatten() {
        let shown = block["command"].as_str().or_else(|| block["text"].as_str()).unwrap_or_default();
        for line in shown.lines() {
            println!("   │  {line}");
        }
    }
    println!("   │ in {}, asked by {} ({})", text("folder"), text("agent"), text("session"));
    println!("   │ {} · {} · {}", text("class"), text("level"), text("why"));
    println!("   └─ the agent says: {}", text("agent_says"));
}

fn ask() -> Result<char> {
    loop {
        print!("   a allows, d denies, then Enter: ");
        std::io::stdout().flush()?;
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line)? == 0 {
            bail!("you left without an answer");
        }
        match line.trim() {
            "a" => return Ok('a'),
            "d" => return Ok('d'),
            _ => {}
        }
    }
}
