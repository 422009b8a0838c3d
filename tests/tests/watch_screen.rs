//! `countersign watch` in a real terminal: what a person sees, and that their keys answer the card they see and nothing
//! else (WHO-6).

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use countersign_tests::{
    live::terminal::{ENTER, Terminal},
    world::{BOUND, Process, World, program},
};
use portable_pty::CommandBuilder;

/// The agent's limit that setup writes.
const LIMIT: Duration = Duration::from_secs(125);
/// What the agent reads where its call is allowed.
const ALLOWED: &str =
    r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#;
/// The key line of a card that can be allowed now.
const CAN_ALLOW: &str = "a allow  ";
const TOO_SOON: &str = "Not allowed: it has only just come.";
const PAGE_DOWN: &str = "\x1b[6~";
/// As many as it takes on a machine that is slower than half a second.
const TRIES: u32 = 20;

fn command(program: &std::path::Path) -> CommandBuilder {
    let mut command = CommandBuilder::new(program);
    command.env("TERM", "xterm-256color");
    command.env("LANG", "C.UTF-8");
    command.cwd("/");
    command
}

/// A screen that says that nothing waits yet.
async fn watch(world: &World) -> Result<Terminal> {
    let mut command = command(&program("countersign"));
    command.args(["--instance", world.instance(), "watch"]);
    let terminal = Terminal::start(command)?;
    terminal.wait_screen(|text| text.contains("No card waits."), BOUND).await?;
    Ok(terminal)
}

async fn ask(world: &World, command: &str) -> Result<Process> {
    world.hook(&world.asks("s", command), LIMIT).await
}

async fn printed(hook: &mut Process) -> Result<String> {
    let (code, printed) = hook.ends(BOUND).await?;
    ensure!(code == Some(0), "a hook exits with 0, not {code:?}");
    Ok(printed)
}

#[tokio::test]
async fn a_card_is_shown_whole_and_its_key_allows_it() -> Result<()> {
    let world = World::start_plain().await?;
    let screen = watch(&world).await?;
    let mut hook = ask(&world, "make deploy && \\\n  make notify # \u{202e}sih daer").await?;
    let shown = screen.wait_screen(|text| text.contains(CAN_ALLOW), BOUND).await?;
    let folder = world.scratch().to_string_lossy().into_owned();
    for part in
        ["Wants to run", "make deploy && \\", "make notify # \\u{202e}sih daer", &folder, "claude", "1 of 1"]
    {
        ensure!(shown.contains(part), "`{part}` is not on the screen:\n{shown}");
    }
    ensure!(shown.contains("the agent says:") && shown.contains("what the agent says"), "{shown}");
    ensure!(shown.contains("! "), "no warning of the hidden character:\n{shown}");
    screen.send_keys("a")?;
    ensure!(printed(&mut hook).await? == ALLOWED);
    screen.wait_screen(|text| text.contains("Allowed on the desktop"), BOUND).await?;
    ensure!(world.story("s").await?[..2] == ["asked", "allowed"]);
    Ok(())
}

/// RULE-1, WHO-6: the text that will match is on the screen, and the same call then passes without a card.
#[tokio::test]
async fn a_key_says_always_and_the_same_call_passes_and_is_a_step_on_the_screen() -> Result<()> {
    let world = World::start_plain().await?;
    let mut agent = world.agent("claude").await?;
    agent.starts(&world, "s").await?;
    let screen = watch(&world).await?;
    for (key, command) in [("s", "make deploy"), ("p", "make notify")] {
        agent.call(&world, &world.asks("s", command)).await?;
        let can_always = |text: &str| text.contains(command) && text.contains("a allow  s p always");
        let shown = screen.wait_screen(can_always, BOUND).await?;
        ensure!(shown.contains("Always matches exactly:"), "{shown}");
        screen.send_keys(key)?;
        ensure!(agent.answer().await? == serde_json::from_str::<serde_json::Value>(ALLOWED)?);
        screen.wait_screen(|text| text.contains("No card waits."), BOUND).await?;
        agent.call(&world, &world.asks("s", command)).await?;
        ensure!(agent.answer().await? == serde_json::from_str::<serde_json::Value>(ALLOWED)?);
        screen.wait_screen(|text| text.contains("always allowed"), BOUND).await?;
        ensure!(world.pending().await?.is_empty(), "a card came");
    }
    world.assert_log_is_whole().await?;
    Ok(())
}

#[tokio::test]
async fn a_destructive_card_says_so_and_takes_no_always() -> Result<()> {
    let world = World::start_plain().await?;
    let screen = watch(&world).await?;
    let mut hook = ask(&world, "rm -rf build").await?;
    let shown = screen.wait_screen(|text| text.contains("t terminal  a allow  "), BOUND).await?;
    ensure!(shown.contains("DESTRUCTIVE") && !shown.contains("Always matches"), "{shown}");
    screen.send_keys("s")?;
    screen.wait_screen(|text| text.contains("offers no Always for the session"), BOUND).await?;
    screen.send_keys("d")?;
    ensure!(printed(&mut hook).await?.contains("deny"));
    Ok(())
}

#[tokio::test]
async fn the_allow_key_does_nothing_in_the_first_half_second() -> Result<()> {
    let world = World::start_plain().await?;
    let screen = watch(&world).await?;
    for attempt in 0..TRIES {
        let command = format!("make {attempt}");
        let mut hook = ask(&world, &command).await?;
        screen.wait_screen(|text| text.contains(&command), BOUND).await?;
        screen.send_keys("a")?;
        let said = |text: &str| text.contains(TOO_SOON) || text.contains("Allowed on the desktop");
        if screen.wait_screen(said, BOUND).await?.contains(TOO_SOON) {
            ensure!(world.pending().await?.len() == 1, "a key that came too soon took the card away");
            let ripe = screen.wait_screen(|text| text.contains(CAN_ALLOW), BOUND).await?;
            ensure!(ripe.contains(&command), "another card:\n{ripe}");
            screen.send_keys("a")?;
            ensure!(printed(&mut hook).await? == ALLOWED);
            return Ok(());
        }
        // The machine was slower than half a second: the key came late enough, so it counted.
        ensure!(printed(&mut hook).await? == ALLOWED);
        screen.wait_screen(|text| text.contains("No card waits."), BOUND).await?;
    }
    anyhow::bail!("no key came within half a second in {TRIES} tries")
}

#[tokio::test]
async fn a_card_longer_than_the_screen_is_scrolled_to_its_end_before_it_can_be_allowed() -> Result<()> {
    let world = World::start_plain().await?;
    let screen = watch(&world).await?;
    let lines: Vec<String> = (1..=120).map(|line| format!("echo line {line}.")).collect();
    let mut hook = ask(&world, &lines.join("\n")).await?;
    let shown = screen.wait_screen(|text| text.contains("scroll to its end first"), BOUND).await?;
    ensure!(shown.contains("line 1.") && !shown.contains("line 120."), "{shown}");
    ensure!(shown.contains("more rows below"), "it does not say that there is more:\n{shown}");
    screen.send_keys("a")?;
    screen.wait_screen(|text| text.contains("Not allowed: scroll to its end first."), BOUND).await?;
    ensure!(world.pending().await?.len() == 1, "a card that was not seen whole was answered");
    let mut seen = shown;
    while !screen.text().contains("what the agent says") {
        screen.send_keys(PAGE_DOWN)?;
        let before = seen;
        let moved = |text: &str| text != before && !text.contains(" line 1.");
        seen = screen.wait_screen(moved, BOUND).await?;
    }
    ensure!(screen.text().contains("line 120."), "its end is not on the screen:\n{}", screen.text());
    screen.wait_screen(|text| text.contains(CAN_ALLOW), BOUND).await?;
    screen.send_keys("a")?;
    ensure!(printed(&mut hook).await? == ALLOWED);
    Ok(())
}

/// CARD-2: Allow is dead while a secret is folded, and what is only listed or logged never has it.
#[tokio::test]
async fn a_secret_is_folded_until_it_was_unfolded_and_only_then_its_card_can_be_allowed() -> Result<()> {
    let world = World::start_plain().await?;
    let screen = watch(&world).await?;
    let mut hook = ask(&world, "PGPASSWORD=correct-horse-7 psql -h db # \u{200b}").await?;
    let folded = screen.wait_screen(|text| text.contains("a: unfold its secrets with u"), BOUND).await?;
    ensure!(folded.contains("PGPASSWORD=⟨password, 15 characters⟩ psql -h db # \\u{200b}"), "{folded}");
    ensure!(!folded.contains("correct-horse-7"), "{folded}");
    screen.send_keys("a")?;
    screen.wait_screen(|text| text.contains("Not allowed: unfold its secrets with u."), BOUND).await?;
    let cards = world.pending().await?;
    ensure!(cards.len() == 1, "a card that was not seen whole was answered");
    let listed =
        serde_json::to_string(&cards)? + &String::from_utf8(world.cli_output(&["pending"]).await?.stdout)?;
    ensure!(listed.contains("⟨password, 15 characters⟩") && !listed.contains("correct-horse-7"), "{listed}");
    screen.send_keys("u")?;
    let shown = |text: &str| text.contains("PGPASSWORD=correct-horse-7 psql") && text.contains(CAN_ALLOW);
    screen.wait_screen(shown, BOUND).await?;
    screen.send_keys("a")?;
    ensure!(printed(&mut hook).await? == ALLOWED);
    screen.wait_screen(|text| text.contains("Allowed on the desktop"), BOUND).await?;
    for arguments in [&["log"][..], &["log", "--json"], &["log", "export", "--jsonl"], &["status"]] {
        let output = world.cli_output(arguments).await?;
        let text = String::from_utf8(output.stdout)? + &String::from_utf8(output.stderr)?;
        ensure!(!text.contains("correct-horse-7") && !text.contains('\u{200b}'), "{arguments:?}: {text}");
    }
    world.assert_log_is_whole().await?;
    Ok(())
}

#[tokio::test]
async fn a_card_that_went_while_it_was_on_the_screen_takes_no_key() -> Result<()> {
    let world = World::start_plain().await?;
    let screen = watch(&world).await?;
    let mut hook = ask(&world, "make deploy").await?;
    screen.wait_screen(|text| text.contains(CAN_ALLOW), BOUND).await?;
    hook.kill().await?;
    screen.wait_screen(|text| text.contains("Withdrawn: the agent moved on"), BOUND).await?;
    screen.send_keys("a")?;
    // The next card does not get the key that was meant for the one before.
    let mut next = ask(&world, "make next").await?;
    screen.wait_screen(|text| text.contains("make next") && text.contains(CAN_ALLOW), BOUND).await?;
    ensure!(world.pending().await?.len() == 1, "the next card was answered by a key for the last one");
    screen.send_keys("d")?;
    ensure!(printed(&mut next).await?.contains("deny"));
    let story = world.story("s").await?;
    ensure!(
        !story.contains(&"allowed".to_owned()) && story[..3] == ["asked", "withdrawn", "asked"],
        "{story:?}"
    );
    Ok(())
}

#[tokio::test]
async fn a_denial_with_a_note_reaches_the_agent_word_for_word() -> Result<()> {
    let world = World::start_plain().await?;
    let screen = watch(&world).await?;
    let mut hook = ask(&world, "make deploy").await?;
    screen.wait_screen(|text| text.contains("make deploy"), BOUND).await?;
    // Its letters are keys that answer, outside of a note.
    screen.send_keys("n")?;
    screen.wait_screen(|text| text.contains("Why not?"), BOUND).await?;
    screen.send_keys("add tests, drop \"data\"")?;
    screen.wait_screen(|text| text.contains("Why not? add tests, drop \"data\""), BOUND).await?;
    screen.send_keys(ENTER)?;
    let answer: serde_json::Value = serde_json::from_str(&printed(&mut hook).await?)?;
    let decision = &answer["hookSpecificOutput"]["decision"];
    ensure!(decision["behavior"] == "deny", "{answer}");
    let words = "The person declined this call. Their note: «add tests, drop \"data\"»";
    ensure!(decision["message"].as_str().is_some_and(|message| message.contains(words)), "{answer}");
    screen.wait_screen(|text| text.contains("Denied on the desktop"), BOUND).await?;
    Ok(())
}

#[tokio::test]
async fn keys_hand_back_lock_unlock_and_turn_to_the_next_card() -> Result<()> {
    let world = World::start_plain().await?;
    let screen = watch(&world).await?;
    let mut one = ask(&world, "make one").await?;
    screen.wait_screen(|text| text.contains("  make one"), BOUND).await?;
    let mut two = ask(&world, "make two").await?;
    screen.wait_screen(|text| text.contains("1 of 2"), BOUND).await?;
    screen.send_keys("\t")?;
    screen.wait_screen(|text| text.contains("2 of 2") && text.contains("  make two"), BOUND).await?;
    screen.send_keys("t")?;
    ensure!(printed(&mut two).await?.is_empty(), "a call that was handed back was answered");
    screen.wait_screen(|text| text.contains("1 of 1") && text.contains("  make one"), BOUND).await?;
    screen.send_keys("L")?;
    ensure!(printed(&mut one).await?.contains("locked"));
    screen.wait_screen(|text| text.contains("LOCKED"), BOUND).await?;
    let mut three = ask(&world, "make three").await?;
    screen.wait_screen(|text| text.contains("make three") && text.contains("locked: U opens"), BOUND).await?;
    screen.send_keys("a")?;
    screen.wait_screen(|text| text.contains("Not allowed: locked"), BOUND).await?;
    screen.send_keys("U")?;
    screen.wait_screen(|text| !text.contains("LOCKED") && text.contains(CAN_ALLOW), BOUND).await?;
    screen.send_keys("a")?;
    ensure!(printed(&mut three).await? == ALLOWED);
    Ok(())
}

/// CARD-7: one state on all surfaces, each saying what happened and where.
#[tokio::test]
async fn an_answer_given_elsewhere_closes_the_card_here() -> Result<()> {
    let mut world = World::start().await?;
    let mut phone = world.pair("my phone").await?;
    let (one, other) = (watch(&world).await?, watch(&world).await?);
    ensure!(one.text().contains("DEMO"), "a demo is labelled everywhere:\n{}", one.text());
    let mut hook = ask(&world, "make deploy").await?;
    let card = phone.card().await?;
    for screen in [&one, &other] {
        screen.wait_screen(|text| text.contains("make deploy"), BOUND).await?;
    }
    phone.allow(&card).await?;
    ensure!(printed(&mut hook).await? == ALLOWED);
    for screen in [&one, &other] {
        screen.wait_screen(|text| text.contains("Allowed by my phone"), BOUND).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_screen_outlives_its_desktop_and_goes_on_with_the_next() -> Result<()> {
    let mut world = World::start_plain().await?;
    let screen = watch(&world).await?;
    let mut hook = ask(&world, "make deploy").await?;
    screen.wait_screen(|text| text.contains(CAN_ALLOW), BOUND).await?;
    world.kill_desktop().await?;
    let away = screen.wait_screen(|text| text.contains("is not running"), BOUND).await?;
    ensure!(!away.contains("make deploy"), "a dead desktop's card is still there:\n{away}");
    screen.send_keys("a")?;
    ensure!(printed(&mut hook).await?.is_empty());
    world.start_desktop().await?;
    screen.wait_screen(|text| text.contains("No card waits."), BOUND).await?;
    let mut hook = ask(&world, "make again").await?;
    screen.wait_screen(|text| text.contains("make again") && text.contains(CAN_ALLOW), BOUND).await?;
    screen.send_keys("a")?;
    ensure!(printed(&mut hook).await? == ALLOWED);
    Ok(())
}

/// A shell in which the screen runs, and that then shows what the terminal is like.
fn shell(world: &World) -> Result<Terminal> {
    let script =
        "echo before; \"$CLI\" --instance \"$INSTANCE\" watch; echo \"left with $?\"; stty -a; echo after";
    let mut command = command(std::path::Path::new("/bin/sh"));
    command.args(["-c", script]);
    command.env("CLI", program("countersign"));
    command.env("INSTANCE", world.instance());
    Terminal::start(command)
}

#[tokio::test]
async fn leaving_gives_the_terminal_back_as_it_was() -> Result<()> {
    let world = World::start_plain().await?;
    for leave in ["q", "\x03"] {
        let terminal = shell(&world)?;
        terminal.wait_screen(|text| text.contains("No card waits."), BOUND).await?;
        ensure!(!terminal.text().contains("before"), "it draws over what was there:\n{}", terminal.text());
        terminal.send_keys(leave)?;
        terminal.wait_exit(BOUND).await?;
        let text = terminal.wait_screen(|text| text.contains("after"), BOUND).await?;
        ensure!(
            text.contains("before") && !text.contains("No card waits."),
            "the screen is not as before:\n{text}"
        );
        ensure!(text.contains("left with 0"), "{text}");
        let flags: Vec<&str> = text.split_whitespace().map(|word| word.trim_end_matches(';')).collect();
        for flag in ["icanon", "echo", "isig", "opost", "icrnl"] {
            ensure!(flags.contains(&flag), "the terminal lost {flag}:\n{text}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_card_goes_on_waiting_when_the_screen_is_left() -> Result<()> {
    let world = World::start_plain().await?;
    let screen = watch(&world).await?;
    let mut hook = ask(&world, "make deploy").await?;
    screen.wait_screen(|text| text.contains(CAN_ALLOW), BOUND).await?;
    screen.send_keys("q")?;
    let left = screen.wait_exit(BOUND).await?;
    ensure!(left.success(), "{left:?}");
    ensure!(world.pending().await?.len() == 1, "leaving answered the card");
    world.cli(&["release", "--json"]).await?;
    ensure!(printed(&mut hook).await?.is_empty());
    Ok(())
}

#[tokio::test]
async fn without_a_terminal_it_says_so_and_does_nothing() -> Result<()> {
    let world = World::start_plain().await?;
    let output = world.cli_output(&["watch"]).await?;
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.code() == Some(1) && words.contains("needs a terminal"), "{words}");
    ensure!(words.contains("pending"), "it does not say what else to do: {words}");
    world.cli(&["status", "--json"]).await.context("the desktop goes on")?;
    Ok(())
}
