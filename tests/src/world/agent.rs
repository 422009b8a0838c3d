//! Something that looks like a coding agent: a shell whose file has the agent's name. It starts hooks and runs what it is
//! told, line by line.

use std::{path::Path, process::Stdio, time::Duration};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use tokio::process::Command;

use super::{BOUND, Process, World, program};

/// A hook is the shell's own child, and is waited for by `call` only; everything else is run, and how it ended is said.
const SCRIPT: &str = r#"
cli() { "$CLI" --instance "$INSTANCE" "$@"; }
me() { "$ME" "$@"; }
echo '{"at":"work"}'
while read -r verb line; do
    if [ "$verb" = hook ]; then
        "$HOOK" --agent claude --instance "$INSTANCE" $line < "$EVENT" &
        continue
    fi
    if [ "$verb" = call ]; then
        said=$("$HOOK" --agent claude --instance "$INSTANCE" $line < "$EVENT")
        printf '{"answered":%s}\n' "${said:-null}"
        continue
    fi
    ( eval "$line" ) </dev/null
    code=$?
    printf '\n{"ran":"%s","code":%d}\n' "$line" "$code"
done
"#;

/// How variables begin that make programs unreliable.
const RISKY: [&str; 11] = [
    "LD_",
    "BASH_ENV",
    "ENV",
    "GIT_",
    "PAGER",
    "LESSOPEN",
    "NODE_OPTIONS",
    "PYTHON",
    "PERL5",
    "RUBYOPT",
    "GCONV_PATH",
];

/// An agent at work.
pub struct Agent(Process);

impl World {
    /// Starts a shell whose executable is called so, and waits until it works. There `cli` is our CLI with this world's
    /// instance, `me` the program that this is, and `$CONTROL` names the control socket.
    pub async fn agent(&self, name: &str) -> Result<Agent> {
        let folder = self.scratch().join(format!("bin-{name}"));
        std::fs::create_dir_all(&folder)?;
        let shell = folder.join(name);
        copy(Path::new("/bin/sh"), &shell).await?;
        let mut command = Command::new(shell);
        command.args(["-c", SCRIPT]).current_dir(self.scratch());
        command.env("HOOK", program("countersign-hook")).env("CLI", program("countersign"));
        command.env("ME", std::env::current_exe()?).env("CONTROL", self.control_socket()?);
        // What this test was started with must not decide what its agent's calls are worth (REQ-5).
        for name in std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()) {
            if RISKY.iter().any(|start| name.starts_with(start)) || name.ends_with("_CONFIG_PATH") {
                command.env_remove(name);
            }
        }
        command.env("INSTANCE", self.instance()).env("EVENT", self.scratch().join("event.json"));
        let mut agent = Process::spawn(name, command)?;
        agent.take("that it works", |line| line["at"] == "work", BOUND).await?;
        Ok(Agent(agent))
    }
}

/// Copied by another process: a descriptor open for writing here could leak into a child and keep the copy from running.
pub async fn copy(from: &Path, to: &Path) -> Result<()> {
    let copied = Command::new("cp").arg(from).arg(to).stdin(Stdio::null()).status().await?;
    ensure!(copied.success(), "{} can't be copied", from.display());
    Ok(())
}

impl Agent {
    /// Has it run a line of shell without quotes in it, and gives the exit code.
    pub async fn run(&mut self, line: &str) -> Result<i64> {
        self.0.say(&format!("run {line}")).await?;
        let ran = self.0.take(line, |told| told["ran"] == line, BOUND).await?;
        ran["code"].as_i64().context("a code")
    }

    /// Has it start a hook that it does not wait for. What the hook prints becomes this agent's output.
    pub async fn ask(&mut self, world: &World, event: &Value, limit: Duration) -> Result<()> {
        std::fs::write(world.scratch().join("event.json"), event.to_string())?;
        let name = event["hook_event_name"].as_str().context("an event has a name")?;
        self.0.say(&format!("hook --limit {} {name}", limit.as_secs())).await
    }

    /// Has it start a hook that it waits for: [`Self::answer`] gives what that printed.
    pub async fn call(&mut self, world: &World, event: &Value) -> Result<()> {
        std::fs::write(world.scratch().join("event.json"), event.to_string())?;
        let name = event["hook_event_name"].as_str().context("an event has a name")?;
        self.0.say(&format!("call --limit 125 {name}")).await
    }

    /// What the hook of the last call printed, once it is over; null where it printed nothing.
    pub async fn answer(&mut self) -> Result<Value> {
        let is_answer = |line: &Value| line.get("answered").is_some();
        Ok(self.0.take("an answer to its call", is_answer, BOUND).await?["answered"].clone())
    }

    /// Tells that a session of its own starts in this world's project.
    pub async fn starts(&mut self, world: &World, session: &str) -> Result<()> {
        self.call(world, &world.observes("SessionStart", &world.asks(session, ""))).await?;
        self.answer().await.map(drop)
    }

    /// The process.
    pub fn process(&mut self) -> &mut Process {
        &mut self.0
    }
}
