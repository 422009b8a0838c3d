//! Real processes on this machine: a desktop in demo mode with its relay beside it, demo phones, hooks. Everything is
//! bounded, nothing sleeps to synchronise, and what was started here ends here, by its own pid.

mod agent;
mod desktop;
mod phone;
mod process;
mod surface;

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    sync::atomic::AtomicU32,
    time::Duration,
};

use anyhow::{Context as _, Result, anyhow};
use countersign_ipc::{Instance, place};
use serde_json::{Value, json};
use tokio::process::Command;

use self::process::children;
pub use self::{
    agent::{Agent, copy},
    process::{Ended, Process},
    surface::Surface,
};

/// Long enough for anything that works on a busy machine.
pub const BOUND: Duration = Duration::from_secs(30);

static WORLDS: AtomicU32 = AtomicU32::new(0);

/// A desktop, its relay and its phones.
pub struct World {
    instance: String,
    desktop: Option<Process>,
    has_phone: bool,
    /// Where demo phones keep their keys, and where projects live: a temporary folder.
    scratch: tempfile::TempDir,
}

/// A demo phone on duty.
pub struct DemoPhone {
    process: Process,
    state: PathBuf,
    /// Its id at the desktop.
    pub device: String,
}

/// A built program: beside this one, or beside the folder of this test.
#[must_use]
pub fn program(name: &str) -> PathBuf {
    let own = std::env::current_exe().expect("a program has an executable");
    let folders = own.ancestors().skip(1).take(2);
    let found = folders.map(|folder| folder.join(name)).find(|program| program.exists());
    found.unwrap_or_else(|| panic!("{name} is not built: run `cargo build --workspace --bins` first"))
}

impl World {
    /// Starts a desktop in demo mode, with nothing paired.
    pub async fn start() -> Result<Self> {
        let mut world = Self::prepare()?;
        world.start_desktop().await?;
        Ok(world)
    }

    /// Starts the desktop, again if it was killed.
    pub async fn start_desktop(&mut self) -> Result<()> {
        let mut desktop = Process::spawn("the desktop", self.up())?;
        desktop.take("that it is up", |line| line["type"] == "ready", BOUND).await?;
        self.desktop = Some(desktop);
        Ok(())
    }

    /// The instance's name.
    #[must_use]
    pub fn instance(&self) -> &str {
        &self.instance
    }

    /// A folder for projects and phones, gone with the world.
    #[must_use]
    pub fn scratch(&self) -> &Path {
        self.scratch.path()
    }

    /// The desktop's process.
    pub fn desktop(&mut self) -> Result<&mut Process> {
        self.desktop.as_mut().context("the desktop is not running")
    }

    /// Kills the desktop as a power cut would.
    pub async fn kill_desktop(&mut self) -> Result<()> {
        self.desktop.take().context("the desktop is not running")?.kill().await
    }

    /// Runs a command of the CLI and gives what it printed as JSON.
    pub async fn cli(&self, arguments: &[&str]) -> Result<Value> {
        let output = self.cli_output(arguments).await?;
        let text = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        serde_json::from_str(&text)
            .with_context(|| format!("countersign {arguments:?} printed {text:?}, {errors:?}"))
    }

    /// Runs a command of the CLI.
    pub async fn cli_output(&self, arguments: &[&str]) -> Result<std::process::Output> {
        let mut command = Command::new(program("countersign"));
        command.args(["--instance", &self.instance]).args(arguments);
        command.stdin(Stdio::null()).kill_on_drop(true);
        let output = tokio::time::timeout(BOUND, command.output()).await;
        Ok(output.map_err(|_| anyhow!("countersign {arguments:?} took too long"))??)
    }

    /// Pairs a demo phone that keeps its keys in a folder. The first one takes the ticket that a demo shows by itself,
    /// the others one of their own.
    pub async fn pair(&mut self, name: &str) -> Result<DemoPhone> {
        let state = self.scratch.path().join(name.replace(' ', "-"));
        if !self.has_phone {
            let desktop = self.desktop.as_mut().context("the desktop is not running")?;
            let phone = ceremony(desktop, name, state).await?;
            self.has_phone = true;
            return Ok(phone);
        }
        let mut command = Command::new(program("countersign"));
        command.args(["--instance", &self.instance, "pair", "--json"]);
        let mut pairing = Process::spawn("the pairing", command)?;
        ceremony(&mut pairing, name, state).await
    }

    /// Starts a hook of Claude Code with an event on its standard input.
    pub async fn hook(&self, event: &Value, limit: Duration) -> Result<Process> {
        let mut command = Command::new(program("countersign-hook"));
        let name = event["hook_event_name"].as_str().unwrap_or("PermissionRequest");
        command.args(["--agent", "claude", "--instance", &self.instance]);
        command.args(["--limit", &limit.as_secs().to_string(), name]);
        // What the machine under test sets of its own must not decide what passes (REQ-5).
        for (name, _) in std::env::vars_os().filter(|(name, _)| countersign_ipc::environment::is_risky(name))
        {
            command.env_remove(name);
        }
        let mut hook = Process::spawn("the hook", command)?;
        hook.say(&event.to_string()).await?;
        hook.close_input();
        Ok(hook)
    }

    /// An event in which Claude Code asks to run a command in a project of this world.
    #[must_use]
    pub fn asks(&self, session: &str, command: &str) -> Value {
        json!({
            "session_id": session,
            "transcript_path": "/dev/null",
            "cwd": self.scratch.path(),
            "prompt_id": "p1",
            "permission_mode": "default",
            "hook_event_name": "PermissionRequest",
            "tool_name": "Bash",
            "tool_input": { "command": command, "description": "what the agent says" },
        })
    }

    /// The pid of the relay that the desktop started.
    pub fn relay_pid(&mut self) -> Result<i32> {
        let desktop = self.desktop()?.pid().context("the desktop has a pid")?;
        children(desktop)?
            .into_iter()
            .find(|pid| executable(*pid).is_some_and(|path| path.ends_with("countersign-relay")))
            .context("the desktop has no relay beside it")
    }

    /// Kills the relay; the desktop starts another. One that is just being started again is waited for.
    pub async fn kill_relay(&mut self) -> Result<()> {
        let pid = rustix::process::Pid::from_raw(self.relay_returns(BOUND).await?).context("a pid")?;
        Ok(rustix::process::kill_process(pid, rustix::process::Signal::KILL)?)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if let Some(desktop) = self.desktop.take() {
            desktop.end_with_its_children();
        }
        let Ok(instance) = self.instance.parse::<Instance>() else { return };
        for folder in [place::state(&instance).ok(), place::sockets(&instance).ok()].into_iter().flatten() {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

impl DemoPhone {
    /// Waits for a card and gives it.
    pub async fn card(&mut self) -> Result<Value> {
        self.process
            .take("a card", |line| line["event"] == "card" && line["headline"].is_string(), BOUND)
            .await
    }

    /// Waits for an event.
    pub async fn event(&mut self, name: &str) -> Result<Value> {
        self.process.take(name, |line| line["event"] == name, BOUND).await
    }

    /// Waits for an event that fits.
    pub async fn wait(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Result<Value> {
        self.process.take(what, fits, BOUND).await
    }

    /// Gives an order; at a terminal these are keys.
    pub async fn order(&mut self, order: &str) -> Result<()> {
        self.process.say(order).await
    }

    /// Allows a card: the keypress stands for the finger.
    pub async fn allow(&mut self, card: &Value) -> Result<()> {
        self.order(&format!("allow {}", card["offer"].as_str().context("a card has an offer")?)).await
    }

    /// Kills the phone and starts it again from its folder.
    pub async fn restart(&mut self) -> Result<()> {
        self.process.kill().await?;
        let mut command = Command::new(program("countersign-demo-phone"));
        command.args(["run", "--json", "--parent-watch", "--state"]).arg(&self.state);
        self.process = Process::spawn("the phone", command)?;
        Ok(())
    }

    /// Ends the phone.
    pub async fn kill(&mut self) -> Result<()> {
        self.process.kill().await
    }

    /// Everything the phone said that nobody waited for.
    #[must_use]
    pub fn said(&self) -> Vec<Value> {
        self.process.lines()
    }
}

/// Ticket, code, proofs: `pairing` shows the one and is told the other.
async fn ceremony(pairing: &mut Process, name: &str, state: PathBuf) -> Result<DemoPhone> {
    let ticket = pairing.take("a ticket", |line| line["type"] == "ticket", BOUND).await?;
    let ticket = ticket["text"].as_str().context("a ticket has a text")?.to_owned();
    let mut command = Command::new(program("countersign-demo-phone"));
    command.args(["pair", &ticket, "--name", name, "--json", "--parent-watch", "--state"]).arg(&state);
    let mut phone = Process::spawn(name, command)?;
    let code = phone.take("the code", |line| line["event"] == "code", BOUND).await?;
    pairing.take("that a code is wanted", |line| line["type"] == "code_needed", BOUND).await?;
    pairing.say(code["code"].as_str().context("a code is a text")?).await?;
    let paired = phone.take("that it is paired", |line| line["event"] == "paired", BOUND).await?;
    pairing.take("that it is done", |line| line["type"] == "done", BOUND).await?;
    let device = paired["device"].as_str().context("a phone has an id")?.to_owned();
    phone.take("a live session", |line| line["event"] == "up", BOUND).await?;
    Ok(DemoPhone { process: phone, state, device })
}

fn executable(pid: i32) -> Option<String> {
    std::fs::read_link(format!("/proc/{pid}/exe")).ok().map(|path| path.to_string_lossy().into_owned())
}
