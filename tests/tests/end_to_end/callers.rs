//! Who may decide is for the desktop to find out, not for its client to say (REF-4): an agent and whatever it started may
//! look and do nothing else, a terminal of the person's is served.

use anyhow::{Result, bail, ensure};
use countersign_ipc::control::{ControlReply, ControlRequest, Decision, ErrorCode};
use countersign_tests::world::{Agent, BOUND, Surface, World};

use crate::{LIMIT, assert_denied, paired};

/// Names the control socket to the test that is started below an agent.
const CONTROL: &str = "CONTROL";

/// What looks, with the exit codes it may have: doctor also says what is missing on this machine.
const LOOKS: [(&str, &[i64]); 5] =
    [("status", &[0]), ("pending", &[0]), ("log", &[0]), ("log verify", &[0]), ("doctor", &[0, 1])];
/// What does more.
const ACTS: [&str; 9] = [
    "unlock",
    "lock",
    "deny --all",
    "release --all",
    "phones list",
    "phones revoke --all",
    "phones unsuspend 0123",
    "pair",
    "log export --jsonl",
];

/// An agent with a hook that waits, on a desktop that is locked.
async fn agent_at_a_locked_desktop(world: &World, surface: &mut Surface) -> Result<Agent> {
    let mut agent = world.agent("claude").await?;
    world.cli(&["lock", "--json"]).await?;
    agent.ask(world, &world.asks("s", "make deploy"), LIMIT).await?;
    surface.card().await?;
    Ok(agent)
}

#[tokio::test]
async fn what_an_agent_started_may_look_and_do_nothing_else() -> Result<()> {
    let (world, phone) = paired().await?;
    let mut surface = world.surface().await?;
    let mut agent = agent_at_a_locked_desktop(&world, &mut surface).await?;
    for (command, codes) in LOOKS {
        let code = agent.run(&format!("cli {command} --json")).await?;
        ensure!(codes.contains(&code), "`{command}` ended with {code}");
    }
    for command in ACTS {
        let code = agent.run(&format!("cli {command}")).await?;
        ensure!(code == 4, "an agent ran `{command}`, which ended with {code}");
    }
    // Nor through another shell, nor in a session of its own.
    for detour in ["sh -c '$CLI --instance $INSTANCE unlock'", "setsid $CLI --instance $INSTANCE unlock"] {
        ensure!(agent.run(detour).await? == 4, "an agent got through with `{detour}`");
    }
    let status = world.cli(&["status", "--json"]).await?;
    ensure!(status["locked"] == true && status["pending"] == 1 && status["phones"] == 1, "{status}");
    ensure!(world.cli(&["phones", "--json"]).await?["phones"][0]["device_id"] == phone.device.as_str());
    Ok(())
}

/// Its executable is enough; no hook of it has to have called.
#[tokio::test]
async fn an_agent_that_was_never_seen_before_is_known_by_its_name() -> Result<()> {
    let world = World::start_plain().await?;
    world.cli(&["lock", "--json"]).await?;
    let mut agent = world.agent("claude").await?;
    ensure!(agent.run("cli unlock").await? == 4, "a new agent unlocked the desktop");
    ensure!(agent.run("cli status --json").await? == 0, "a new agent may not look");
    ensure!(world.cli(&["status", "--json"]).await?["locked"] == true);
    Ok(())
}

#[tokio::test]
async fn a_click_from_below_an_agent_counts_for_nothing() -> Result<()> {
    let world = World::start().await?;
    let mut surface = world.surface().await?;
    let mut agent = world.agent("claude").await?;
    agent.ask(&world, &world.asks("s", "make deploy"), LIMIT).await?;
    surface.card().await?;
    let code = agent.run("me --exact --ignored callers::a_clicker").await?;
    ensure!(code == 0, "the clicks were not refused: {code}");
    ensure!(world.pending().await?.len() == 1, "the card is gone");
    ensure!(world.story("s").await? == ["asked"], "{:?}", world.story("s").await?);
    Ok(())
}

/// Run below an agent by the test above: every word but those that look is refused.
#[tokio::test]
#[ignore = "started below an agent by the test above"]
async fn a_clicker() -> Result<()> {
    let socket = std::env::var_os(CONTROL).expect("the test above names the socket");
    ensure!(Surface::open(socket.as_ref()).await.is_err(), "an agent may watch");
    let mut client = Surface::connect(socket.as_ref()).await?;
    let ControlReply::Pending { cards } = client.ask(&ControlRequest::Pending {}).await? else {
        bail!("an agent may not look");
    };
    let [card] = cards.as_slice() else { bail!("not one card: {cards:?}") };
    for reply in [
        client.front(card).await?,
        client.click(card, Decision::AllowOnce).await?,
        client.click(card, Decision::Deny).await?,
        client.ask(&ControlRequest::Unlock {}).await?,
        client.ask(&ControlRequest::Stop {}).await?,
    ] {
        let is_refused =
            matches!(&reply, ControlReply::Failed(failure) if failure.code == ErrorCode::CalledByAgent);
        ensure!(is_refused, "an agent was answered {reply:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_terminal_of_the_persons_is_served() -> Result<()> {
    let (world, phone) = paired().await?;
    let mut surface = world.surface().await?;
    let mut agent = agent_at_a_locked_desktop(&world, &mut surface).await?;
    // The same shell with another name is nobody's agent.
    let mut terminal = world.agent("bash-of-mine").await?;
    for command in ["unlock", "phones list", "log export --jsonl", "deny --all"] {
        let code = terminal.run(&format!("cli {command}")).await?;
        ensure!(code == 0, "`{command}` ended with {code}");
    }
    // It ends the line that the hook left open.
    agent.run("true").await?;
    let denied =
        agent.process().take("its answer", |line| line["hookSpecificOutput"].is_object(), BOUND).await?;
    assert_denied(&denied.to_string(), "declined")?;
    let other = format!("cli phones revoke {}", &phone.device[..8]);
    ensure!(terminal.run(&other).await? == 0);
    Ok(())
}
