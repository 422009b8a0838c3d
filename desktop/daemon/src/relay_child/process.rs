//! One process of the relay. It ends with its standard input, so that it never outlives a daemon that was killed.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    process::Stdio,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};
use serde::Deserialize;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader},
    process::{Child, ChildStdin, Command},
    time::timeout,
};

/// For its ready line.
const READY: Duration = Duration::from_secs(10);
/// Longest ready line, in bytes.
const READY_LINE: u64 = 4_096;
/// For its sockets to leave after SIGTERM, and a little more.
const TERM: Duration = Duration::from_secs(6);
/// Its exit code where it can't listen.
const CANNOT_LISTEN: i32 = 3;

#[derive(Debug)]
pub(super) enum SpawnError {
    Missing,
    CannotListen,
    Failed(String),
}

#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    address: SocketAddr,
    /// Closed, it tells the relay to end.
    _stdin: Option<ChildStdin>,
}

#[derive(Deserialize)]
struct Ready {
    listening: SocketAddr,
}

impl Process {
    /// Starts the relay at an address, or at a free port of loopback, and waits until it is ready.
    pub(super) async fn spawn(
        program: &Path,
        data: &Path,
        at: Option<SocketAddr>,
    ) -> Result<Self, SpawnError> {
        let at = at.unwrap_or(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        let mut command = Command::new(program);
        command.args(["--listen", &at.to_string(), "--parent-watch", "--log", "warn", "--data"]).arg(data);
        // Its own group: Ctrl-C in our terminal is for us, who end it last.
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0).kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => SpawnError::Missing,
            _ => SpawnError::Failed(error.to_string()),
        })?;
        let stdin = child.stdin.take();
        match timeout(READY, ready(&mut child)).await {
            Ok(Some(address)) if address.ip().is_loopback() => Ok(Self { child, address, _stdin: stdin }),
            Ok(Some(_)) => Err(SpawnError::Failed("it listens beyond loopback".to_owned())),
            Ok(None) => Err(why_not(&mut child).await),
            Err(_) => Err(SpawnError::Failed("it did not say that it is ready".to_owned())),
        }
    }

    pub(super) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Zero where it has just ended.
    pub(super) fn pid(&self) -> u32 {
        self.child.id().unwrap_or_default()
    }

    /// Waits until it ended by itself, and says how.
    pub(super) async fn ended(&mut self) -> String {
        self.child.wait().await.map_or_else(|error| error.to_string(), |status| status.to_string())
    }

    /// Ends it: asked first, then by force.
    pub(super) async fn end(mut self) {
        let pid = self.child.id().and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
        if let Some(pid) = pid {
            // One that has just ended by itself needs no signal.
            let _ = kill_process(pid, Signal::TERM);
        }
        if timeout(TERM, self.child.wait()).await.is_err()
            && let Err(error) = self.child.kill().await
        {
            tracing::error!(%error, "this computer's relay could not be ended");
        }
    }
}

/// Where it says that it listens; nothing where it ended or said something else.
async fn ready(child: &mut Child) -> Option<SocketAddr> {
    let mut line = String::new();
    let out = child.stdout.take()?;
    BufReader::new(out.take(READY_LINE)).read_line(&mut line).await.ok()?;
    serde_json::from_str(&line).ok().map(|ready: Ready| ready.listening)
}

async fn why_not(child: &mut Child) -> SpawnError {
    match timeout(READY, child.wait()).await {
        Ok(Ok(status)) if status.code() == Some(CANNOT_LISTEN) => SpawnError::CannotListen,
        Ok(Ok(status)) => SpawnError::Failed(format!("it ended at once ({status})")),
        Ok(Err(error)) => SpawnError::Failed(error.to_string()),
        Err(_) => SpawnError::Failed("it said something that is no address".to_owned()),
    }
}
