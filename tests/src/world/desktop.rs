//! The rest of what can be done with a desktop: kinds of it, its folders, and what its commands say.

use std::{path::PathBuf, sync::atomic::Ordering, time::Duration};

use anyhow::{Context as _, Result, bail, ensure};
use countersign_ipc::{Instance, place};
use serde_json::Value;
use tokio::process::Command;

use super::{BOUND, Process, Surface, WORLDS, World, program};

impl World {
    /// A world whose desktop is not started yet.
    pub fn prepare() -> Result<Self> {
        Self::named("demo-t")
    }

    /// Starts a desktop that is no demo.
    pub async fn start_plain() -> Result<Self> {
        let mut world = Self::named("t")?;
        world.start_desktop().await?;
        Ok(world)
    }

    fn named(prefix: &str) -> Result<Self> {
        let number = WORLDS.fetch_add(1, Ordering::Relaxed);
        let instance = format!("{prefix}{}-{number}", std::process::id());
        let scratch = tempfile::Builder::new().prefix("countersign-world-").tempdir()?;
        Ok(Self { instance, desktop: None, has_phone: false, scratch })
    }

    /// The command that starts this world's desktop.
    #[must_use]
    pub fn up(&self) -> Command {
        let mut command = Command::new(program("countersign"));
        command.args(["up", "--instance", &self.instance, "--json"]);
        if self.instance.starts_with("demo") {
            command.arg("--demo");
        }
        command
    }

    /// Ends the desktop as Ctrl-C does, and waits until it is gone.
    pub async fn stop_desktop(&mut self) -> Result<()> {
        let mut desktop = self.desktop.take().context("the desktop is not running")?;
        desktop.terminate()?;
        let (code, _) = desktop.ends(BOUND).await?;
        ensure!(code == Some(0), "the desktop ended with {code:?}");
        Ok(())
    }

    /// Waits until the desktop ends by itself.
    pub async fn desktop_ends(&mut self) -> Result<(Option<i32>, String)> {
        let mut desktop = self.desktop.take().context("the desktop is not running")?;
        desktop.ends(BOUND).await
    }

    /// Waits until the desktop has started its relay again, and gives its pid. The list of a process's children may
    /// miss one while threads come and go, so one look is not enough to say that there is none.
    pub async fn relay_returns(&mut self, bound: Duration) -> Result<i32> {
        let returned = async {
            loop {
                if let Ok(pid) = self.relay_pid() {
                    return pid;
                }
                // Nobody tells of a process that begins.
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(bound, returned).await.context("the relay does not come back")
    }

    /// Where everything lasting of this desktop is.
    pub fn state_folder(&self) -> Result<PathBuf> {
        Ok(place::state(&self.parsed()?)?)
    }

    /// The desktop's database.
    pub fn database(&self) -> Result<PathBuf> {
        Ok(self.state_folder()?.join("countersign.db"))
    }

    /// The socket that hooks speak to.
    pub fn hook_socket(&self) -> Result<PathBuf> {
        Ok(place::hook_socket(&self.parsed()?)?)
    }

    /// The socket that people's programs speak to.
    pub fn control_socket(&self) -> Result<PathBuf> {
        Ok(place::control_socket(&self.parsed()?)?)
    }

    fn parsed(&self) -> Result<Instance> {
        self.instance.parse().context("an instance's name")
    }

    /// A surface that watches from now on.
    pub async fn surface(&self) -> Result<Surface> {
        Surface::open(&self.control_socket()?).await
    }

    /// A command of the CLI as a process, to be talked to.
    pub fn cli_process(&self, arguments: &[&str]) -> Result<Process> {
        let mut command = Command::new(program("countersign"));
        command.args(["--instance", &self.instance]).args(arguments);
        Process::spawn(&format!("countersign {arguments:?}"), command)
    }

    /// Runs a command that prints one JSON object a line.
    pub async fn cli_lines(&self, arguments: &[&str]) -> Result<Vec<Value>> {
        let output = self.cli_output(arguments).await?;
        let text = String::from_utf8(output.stdout)?;
        if !output.status.success() {
            bail!("countersign {arguments:?} failed: {text} {}", String::from_utf8_lossy(&output.stderr));
        }
        let parse = |line| {
            serde_json::from_str(line).with_context(|| format!("countersign {arguments:?} said {line:?}"))
        };
        text.lines().map(parse).collect()
    }

    /// The cards that wait.
    pub async fn pending(&self) -> Result<Vec<Value>> {
        let pending = self.cli(&["pending", "--json"]).await?;
        Ok(pending["cards"].as_array().context("`pending` lists cards")?.clone())
    }

    /// The log's entries, oldest first.
    pub async fn log(&self) -> Result<Vec<Value>> {
        self.cli_lines(&["log", "--json"]).await
    }

    /// What happened to the calls of one session, in order.
    pub async fn story(&self, session: &str) -> Result<Vec<String>> {
        let entries = self.log().await?;
        let own = |entry: &&Value| entry["session"] == session;
        let requests: Vec<&Value> = entries.iter().filter(own).map(|entry| &entry["request_id"]).collect();
        let of_them = entries.iter().filter(|entry| {
            entry["session"] == session
                || (!entry["request_id"].is_null() && requests.contains(&&entry["request_id"]))
        });
        Ok(of_them.filter_map(|entry| entry["kind"].as_str().map(str::to_owned)).collect())
    }

    /// Checks the log, which must be whole.
    pub async fn assert_log_is_whole(&self) -> Result<Value> {
        let report = self.cli(&["log", "verify", "--json"]).await?;
        let is_whole = report["problems"].as_array().is_some_and(Vec::is_empty);
        ensure!(is_whole, "the log is not whole: {report}");
        Ok(report)
    }

    /// An event of the agent's, other than its question, about a call that it asked about.
    #[must_use]
    pub fn observes(&self, name: &str, asked: &Value) -> Value {
        let mut event = asked.clone();
        event["hook_event_name"] = name.into();
        event
    }

    /// A hook that waits for its event on standard input.
    pub fn hook_process(&self, event: &str, limit: Duration) -> Result<Process> {
        let mut command = Command::new(program("countersign-hook"));
        command.args(["--agent", "claude", "--instance", &self.instance]);
        command.args(["--limit", &limit.as_secs().to_string(), event]);
        Process::spawn("the hook", command)
    }

    /// A hook with just these arguments, to its end.
    pub async fn bare_hook(&self, arguments: &[&str], input: &str) -> Result<(Option<i32>, String)> {
        let mut command = Command::new(program("countersign-hook"));
        command.args(arguments);
        let mut hook = Process::spawn("the hook", command)?;
        // It may not care for its input.
        let _ = hook.say(input).await;
        hook.close_input();
        hook.ends(BOUND).await
    }

    /// The ticket that a demo shows by itself; it can be used all the same.
    pub async fn ticket(&mut self) -> Result<Value> {
        let desktop = self.desktop()?;
        desktop.see("a ticket", |line| line["type"] == "ticket", BOUND).await
    }

    /// A hook that is waited for to its end: what it printed. It always exits with 0.
    pub async fn hook_says(&self, event: &Value) -> Result<String> {
        let mut hook = self.hook(event, Duration::from_secs(125)).await?;
        let (code, said) = hook.ends(BOUND).await?;
        ensure!(code == Some(0), "a hook exits with 0, not {code:?}");
        Ok(said)
    }
}
