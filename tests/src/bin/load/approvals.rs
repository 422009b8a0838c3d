//! Approvals through the relay without a human: a demo phone allows every card by itself. Each round asks once over the
//! socket and once by a hook's process, beside a bare echo and a bare commit, so that whatever else the machine does
//! hits all of them alike.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    process::Stdio,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use countersign_ipc::frame::{self, Call, Kind};
use countersign_tests::world::{BOUND, Process, World, program};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::UnixStream,
    process::Command,
    sync::mpsc,
    time::{Interval, MissedTickBehavior, interval, timeout},
};

use crate::{
    Report,
    bare::Bare,
    disk::Disk,
    samples::{self, Samples},
    weight,
};

/// Between the beginnings of two approvals, so that the relay's quota of one channel (20 envelopes a second) never
/// stretches one.
const PACE: Duration = Duration::from_millis(160);
const PHONE: &str = "phone";
const LIMIT: Duration = Duration::from_secs(125);

/// One card at the phone.
struct Receipt {
    card: Instant,
    receipt: Instant,
}

#[derive(Default)]
struct Found {
    echo: Samples,
    commit: Samples,
    file: Samples,
    floor: Samples,
    socket: Samples,
    hook: Samples,
    phone: Samples,
    whole: Samples,
}

/// Starts everything, measures, and ends everything.
pub async fn measure(rounds: usize) -> Result<Vec<Report>> {
    eprintln!("starting a desktop in demo mode, its relay, a demo phone, a bare forwarder…");
    let mut world = World::start().await?;
    let phone = allowing_phone(&mut world).await?;
    let mut bare = Bare::start().await?;
    let mut disk = Disk::open(&world.state_folder()?).await?;
    let processes = [
        ("daemon", world.desktop()?.pid()),
        ("relay", world.relay_pid()?.try_into().ok()),
        ("bare forwarder", bare.forwarder_pid()),
    ];
    let at_rest = weight::weigh("memory at rest, one phone paired", &processes)?;
    let (receipts, heard) = mpsc::unbounded_channel();
    let watching = tokio::spawn(watch(phone, receipts));
    let mut desk = Desk { socket: world.hook_socket()?, world, heard, pace: pace() };
    let mut found = Found::default();
    for round in 0..rounds {
        if round.is_multiple_of(20) {
            eprint!("\rapprovals: {round} of {rounds} rounds");
        }
        let (echo, commit, file) = (bare.round_trip().await?, disk.commit().await?, disk.replace_a_file()?);
        found.beside(echo, commit, file);
        desk.round(round, &mut found).await.with_context(|| format!("in round {round}"))?;
    }
    eprintln!("\rapprovals: {rounds} of {rounds} rounds");
    watching.abort();
    let after = weight::weigh(&format!("memory after {} approvals", rounds * 2), &processes)?;
    Ok(vec![found.report(rounds), at_rest, after])
}

/// Pairs a phone and starts it again from its folder as one that allows by itself.
async fn allowing_phone(world: &mut World) -> Result<Process> {
    world.pair(PHONE).await?.kill().await?;
    let mut command = Command::new(program("countersign-demo-phone"));
    command.args(["run", "--auto", "allow", "--json", "--parent-watch", "--state"]);
    command.arg(world.scratch().join(PHONE));
    let mut phone = Process::spawn(PHONE, command)?;
    phone.take("a live session", |line| line["event"] == "up", BOUND).await?;
    Ok(phone)
}

fn pace() -> Interval {
    let mut pace = interval(PACE);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    pace
}

/// Notes when each card and its receipt are read, which is when whoever holds the phone could see them.
async fn watch(mut phone: Process, receipts: mpsc::UnboundedSender<Receipt>) -> Result<()> {
    let mut cards = BTreeMap::new();
    loop {
        let line = phone.take("anything", |_| true, BOUND).await?;
        let now = Instant::now();
        let offer = line["offer"].as_str().unwrap_or_default().to_owned();
        if line["event"] == "card" {
            cards.insert(offer, now);
        } else if line["event"] == "receipt" {
            ensure!(line["outcome"] == "released" && line["verified"] == true, "a bad receipt: {line}");
            let card = cards.remove(&offer).context("a receipt comes after its card")?;
            receipts.send(Receipt { card, receipt: now })?;
        }
    }
}

/// Where it is asked.
struct Desk {
    world: World,
    socket: PathBuf,
    heard: mpsc::UnboundedReceiver<Receipt>,
    pace: Interval,
}

impl Desk {
    async fn round(&mut self, round: usize, found: &mut Found) -> Result<()> {
        let event = self.world.asks("bench", &format!("make part-{round}"));
        self.pace.tick().await;
        let began = Instant::now();
        let answer = timeout(BOUND, self.over_the_socket(&event)).await??;
        found.socket.push(began.elapsed());
        check(&answer)?;
        let receipt = self.receipt().await?;
        found.phone.push(receipt.receipt - receipt.card);
        found.whole.push(receipt.receipt - began);

        self.pace.tick().await;
        let began = Instant::now();
        let answer = timeout(BOUND, self.by_a_hook(&event)).await??;
        found.hook.push(began.elapsed());
        check(&answer)?;
        self.receipt().await.map(drop)
    }

    async fn receipt(&mut self) -> Result<Receipt> {
        timeout(BOUND, self.heard.recv()).await?.context("the phone left")
    }

    /// What a hook does, without the start of a process.
    async fn over_the_socket(&self, event: &Value) -> Result<Vec<u8>> {
        let call = Call {
            agent: "claude".to_owned(),
            event: "PermissionRequest".to_owned(),
            limit_ms: u32::try_from(LIMIT.as_millis())?,
            input: event.to_string().into_bytes(),
            ..Call::default()
        };
        let mut stream = UnixStream::connect(&self.socket).await?;
        stream.write_all(&frame::encode(Kind::Ask, &call)?).await?;
        let mut length = [0; 4];
        stream.read_exact(&mut length).await?;
        let mut answer = vec![0; frame::decode_reply_length(length)?];
        stream.read_exact(&mut answer).await?;
        stream.write_all(&[frame::PRINTED]).await?;
        Ok(answer)
    }

    /// As an agent does.
    async fn by_a_hook(&self, event: &Value) -> Result<Vec<u8>> {
        let mut command = Command::new(program("countersign-hook"));
        command.args(["--agent", "claude", "--instance", self.world.instance()]);
        command.args(["--limit", &LIMIT.as_secs().to_string(), "PermissionRequest"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut hook = command.spawn()?;
        let mut input = hook.stdin.take().context("a piped input")?;
        input.write_all(event.to_string().as_bytes()).await?;
        drop(input);
        Ok(hook.wait_with_output().await?.stdout)
    }
}

fn check(answer: &[u8]) -> Result<()> {
    let text = String::from_utf8_lossy(answer);
    ensure!(text.contains(r#""behavior":"allow""#), "the agent was told {text:?}");
    Ok(())
}

impl Found {
    /// An approval can't be faster than what it waits for: the way there and back, the request's commit and the
    /// reply's at the desktop, and the counter at the phone.
    fn beside(&mut self, echo: Duration, commit: Duration, file: Duration) {
        self.echo.push(echo);
        self.commit.push(commit);
        self.file.push(file);
        self.floor.push(echo + commit * 2 + file);
    }

    fn report(&self, rounds: usize) -> Report {
        let table = vec![
            samples::head(&format!("approval without the human, {rounds} of each")),
            self.socket.row("ask to answer, over the socket", &self.echo),
            self.hook.row("ask to answer, by a hook's process", &self.echo),
            self.phone.row("card to verified receipt, at the phone", &self.echo),
            self.whole.row("ask at the socket to receipt at the phone", &self.echo),
            self.echo.row("beside it: bare WebSocket echo, both hops", &self.echo),
            self.commit.row("beside it: one durable SQLite commit", &self.echo),
            self.file.row("beside it: one durable small file", &self.echo),
            self.floor.row("beside it: echo, two commits, one file", &self.echo),
        ];
        let summary = format!(
            "approval, p50/p99 in ms: ask to answer {} (× {:.1} of echo, two commits and a file: {}), by a hook's \
             process {}; card to receipt {}; beside it a bare echo {}, a durable commit {}",
            self.socket.pair(),
            self.socket.percentile(50) / self.floor.percentile(50),
            self.floor.pair(),
            self.hook.pair(),
            self.phone.pair(),
            self.echo.pair(),
            self.commit.pair(),
        );
        Report { table, summary }
    }
}
