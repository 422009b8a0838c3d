//! A child process whose lines are kept: those that are JSON can be waited for, each once.

use std::{
    process::Stdio,
    sync::{Arc, Mutex},
    time::Duration,
};

use anyhow::{Context as _, Result, anyhow, bail};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::OwnedFd,
    process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open},
};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncWriteExt as _, BufReader},
    process::{Child, ChildStdin, Command},
    sync::Notify,
    time::timeout,
};

/// A child process.
pub struct Process {
    name: String,
    child: Child,
    stdin: Option<ChildStdin>,
    heard: Arc<Heard>,
}

#[derive(Default)]
struct Heard {
    said: Mutex<Said>,
    news: Notify,
}

#[derive(Default)]
struct Said {
    lines: Vec<Value>,
    text: String,
    errors: String,
    is_over: bool,
}

impl Process {
    /// Starts a process; it is killed when this is dropped.
    pub fn spawn(name: &str, mut command: Command) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().with_context(|| format!("{name} does not start: {command:?}"))?;
        let heard = Arc::new(Heard::default());
        let stdout = child.stdout.take().context("a piped output")?;
        let stderr = child.stderr.take().context("a piped error output")?;
        tokio::spawn(listen(stdout, Arc::clone(&heard), true));
        tokio::spawn(listen(stderr, Arc::clone(&heard), false));
        Ok(Self { name: name.to_owned(), stdin: child.stdin.take(), child, heard })
    }

    /// Its pid, while it runs.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// Writes a line to its standard input.
    pub async fn say(&mut self, line: &str) -> Result<()> {
        let stdin = self.stdin.as_mut().with_context(|| format!("{} no longer listens", self.name))?;
        stdin.write_all(format!("{line}\n").as_bytes()).await?;
        Ok(stdin.flush().await?)
    }

    /// Ends its standard input.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Waits for a JSON line that fits, and takes it out of what is kept.
    pub async fn take(
        &mut self,
        what: &str,
        fits: impl Fn(&Value) -> bool,
        bound: Duration,
    ) -> Result<Value> {
        let found = timeout(bound, async {
            loop {
                let news = self.heard.news.notified();
                {
                    let mut said = self.heard.said.lock().expect("no one panics while holding it");
                    if let Some(at) = said.lines.iter().position(&fits) {
                        return Some(said.lines.remove(at));
                    }
                    if said.is_over {
                        return None;
                    }
                }
                news.await;
            }
        });
        match found.await {
            Ok(Some(line)) => Ok(line),
            Ok(None) => bail!("{} ended before it said {what}: {}", self.name, self.told()),
            Err(_) => bail!("{} did not say {what} in time: {}", self.name, self.told()),
        }
    }

    /// Waits for a JSON line that fits, and leaves it to be taken.
    pub async fn see(&mut self, what: &str, fits: impl Fn(&Value) -> bool, bound: Duration) -> Result<Value> {
        let line = self.take(what, fits, bound).await?;
        self.heard.said.lock().expect("no one panics while holding it").lines.push(line.clone());
        Ok(line)
    }

    /// Whether a line that fits was said and not yet taken.
    #[must_use]
    pub fn has_said(&self, fits: impl Fn(&Value) -> bool) -> bool {
        self.heard.said.lock().expect("no one panics while holding it").lines.iter().any(fits)
    }

    /// The JSON lines that nobody took yet.
    #[must_use]
    pub fn lines(&self) -> Vec<Value> {
        self.heard.said.lock().expect("no one panics while holding it").lines.clone()
    }

    /// Everything it said on its error output so far.
    #[must_use]
    pub fn complaint(&self) -> String {
        self.heard.said.lock().expect("no one panics while holding it").errors.clone()
    }

    /// Waits until it has printed anything.
    pub async fn prints(&mut self, bound: Duration) -> Result<()> {
        let printed = timeout(bound, async {
            loop {
                let news = self.heard.news.notified();
                if !self.heard.said.lock().expect("no one panics while holding it").text.is_empty() {
                    return;
                }
                news.await;
            }
        });
        printed.await.map_err(|_| anyhow!("{} printed nothing in time: {}", self.name, self.told()))
    }

    /// Waits until it ends; gives its exit code and everything it printed.
    pub async fn ends(&mut self, bound: Duration) -> Result<(Option<i32>, String)> {
        let status = timeout(bound, self.child.wait()).await;
        let status = status.map_err(|_| anyhow!("{} did not end in time: {}", self.name, self.told()))??;
        timeout(bound, async {
            loop {
                let news = self.heard.news.notified();
                if self.heard.said.lock().expect("no one panics while holding it").is_over {
                    return;
                }
                news.await;
            }
        })
        .await
        .map_err(|_| anyhow!("the output of {} stays open", self.name))?;
        let text = self.heard.said.lock().expect("no one panics while holding it").text.clone();
        Ok((status.code(), text))
    }

    /// Sends SIGTERM.
    pub fn terminate(&self) -> Result<()> {
        self.signal(Signal::TERM)
    }

    /// Sends a signal.
    pub fn signal(&self, signal: Signal) -> Result<()> {
        let pid = self.pid().and_then(|pid| i32::try_from(pid).ok()).context("it runs")?;
        Ok(kill_process(Pid::from_raw(pid).context("a pid")?, signal)?)
    }

    /// Kills it and waits until it is gone.
    pub async fn kill(&mut self) -> Result<()> {
        self.child.start_kill()?;
        self.child.wait().await?;
        Ok(())
    }

    /// Kills it, and waits until it and what it started are gone: what they hold may be removed then. Its children end
    /// with it by themselves.
    pub fn end_with_its_children(self) {
        let own = self.pid().and_then(|pid| i32::try_from(pid).ok());
        let children = self.pid().and_then(|pid| children(pid).ok()).unwrap_or_default();
        let ends: Vec<_> = own.into_iter().chain(children).filter_map(|pid| Ended::of(pid).ok()).collect();
        drop(self);
        for end in ends {
            // One that stays is left behind; there is nobody to tell.
            let _ = end.wait();
        }
    }

    fn told(&self) -> String {
        let said = self.heard.said.lock().expect("no one panics while holding it");
        let tail = |text: &str| {
            text.chars().rev().take(3_000).collect::<Vec<_>>().into_iter().rev().collect::<String>()
        };
        format!("it printed {:?}, and as errors {:?}", tail(&said.text), tail(&said.errors))
    }
}

/// The processes that a process started.
pub fn children(pid: u32) -> Result<Vec<i32>> {
    let mut found = Vec::new();
    for task in std::fs::read_dir(format!("/proc/{pid}/task"))? {
        let list = std::fs::read_to_string(task?.path().join("children")).unwrap_or_default();
        found.extend(list.split_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
    }
    Ok(found)
}

/// The end of a process, this one and no later one of the same number.
pub struct Ended(OwnedFd);

impl Ended {
    /// Of a process that runs now.
    pub fn of(pid: i32) -> Result<Self> {
        Ok(Self(pidfd_open(Pid::from_raw(pid).context("a pid")?, PidfdFlags::empty())?))
    }

    /// Waits for it; not for long.
    pub fn wait(&self) -> Result<()> {
        let mut wait = [PollFd::new(&self.0, PollFlags::IN)];
        let ended = poll(&mut wait, Some(&Timespec { tv_sec: 10, tv_nsec: 0 }))?;
        if ended == 0 { bail!("a process still runs") } else { Ok(()) }
    }
}

async fn listen(stream: impl AsyncRead + Unpin, heard: Arc<Heard>, is_output: bool) {
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    loop {
        line.clear();
        let is_over = !matches!(reader.read_until(b'\n', &mut line).await, Ok(n) if n > 0);
        let text = String::from_utf8_lossy(&line);
        {
            let mut said = heard.said.lock().expect("no one panics while holding it");
            if is_output {
                said.text.push_str(&text);
                said.lines.extend(serde_json::from_str::<Value>(text.trim()).ok());
                said.is_over |= is_over;
            } else {
                said.errors.push_str(&text);
            }
        }
        heard.news.notify_waiters();
        if is_over {
            return;
        }
    }
}
