//! A terminal for a program under test: a pty, a screen that follows every byte, keys typed into it. Waiting
//! looks again only when output arrives.

use std::{
    io::{Read, Write},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use tokio::{sync::watch, time::timeout};

/// Rows and columns: wide enough that no line under test is broken.
const SIZE: PtySize = PtySize { rows: 50, cols: 150, pixel_width: 0, pixel_height: 0 };

/// The escape key.
pub const ESC: &str = "\x1b";
/// The enter key.
pub const ENTER: &str = "\r";

/// A program running in a terminal of its own.
pub struct Terminal {
    screen: Arc<Mutex<vt100::Parser>>,
    output: watch::Receiver<Output>,
    exit: watch::Receiver<Option<ExitStatus>>,
    keyboard: Mutex<Keyboard>,
    process: rustix::fd::OwnedFd,
}

struct Keyboard {
    keys: Box<dyn Write + Send>,
    // Closing it hangs the terminal up.
    _master: Box<dyn MasterPty + Send>,
}

#[derive(Clone, Copy, PartialEq)]
enum Output {
    Bytes(u64),
    Over,
}

impl Terminal {
    /// Starts a program in a new terminal and a new session.
    pub fn start(command: CommandBuilder) -> Result<Self> {
        let pair = native_pty_system().openpty(SIZE)?;
        let child = pair.slave.spawn_command(command).context("the program does not start")?;
        drop(pair.slave);
        let process = pidfd(child.as_ref())?;
        let reader = pair.master.try_clone_reader()?;
        let keyboard = Keyboard { keys: pair.master.take_writer()?, _master: pair.master };
        let screen = Arc::new(Mutex::new(vt100::Parser::new(SIZE.rows, SIZE.cols, 0)));
        let (output, exit) = (watch::Sender::new(Output::Bytes(0)), watch::Sender::new(None));
        let (output_seen, exit_seen) = (output.subscribe(), exit.subscribe());
        let drawn = screen.clone();
        thread::spawn(move || follow(reader, &drawn, &output));
        thread::spawn(move || reap(child, &exit));
        Ok(Self { screen, output: output_seen, exit: exit_seen, keyboard: Mutex::new(keyboard), process })
    }

    /// The text on the screen now.
    pub fn text(&self) -> String {
        lock(&self.screen).screen().contents()
    }

    /// Waits until the screen's text satisfies a condition, and returns it.
    pub async fn wait_screen(&self, ready: impl Fn(&str) -> bool, bound: Duration) -> Result<String> {
        let mut output = self.output.clone();
        let wait = async {
            loop {
                let over = *output.borrow_and_update() == Output::Over;
                let text = self.text();
                if ready(&text) {
                    return Ok(text);
                }
                if over {
                    bail!("the program ended before the awaited text came; its last screen:\n{text}");
                }
                output.changed().await?;
            }
        };
        match timeout(bound, wait).await {
            Ok(found) => found,
            Err(_) => bail!("the awaited text did not come within {bound:?}; the screen:\n{}", self.text()),
        }
    }

    /// Types keys.
    pub fn send_keys(&self, keys: &str) -> Result<()> {
        let mut keyboard = lock(&self.keyboard);
        keyboard.keys.write_all(keys.as_bytes())?;
        Ok(keyboard.keys.flush()?)
    }

    /// Sends the program a signal; one that has ended is left alone.
    pub fn signal(&self, signal: Signal) -> Result<()> {
        match pidfd_send_signal(&self.process, signal) {
            Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
            Err(error) => Err(error).context("the program cannot be signalled"),
        }
    }

    /// Waits until the program has ended.
    pub async fn wait_exit(&self, bound: Duration) -> Result<ExitStatus> {
        let mut exit = self.exit.clone();
        match timeout(bound, exit.wait_for(Option::is_some)).await {
            Ok(status) => status?.clone().context("the program's end is known"),
            Err(_) => bail!("the program still runs after {bound:?}; the screen:\n{}", self.text()),
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A failure leaves nothing more to try: the hang-up that follows reaches the program too.
        let _ = self.signal(Signal::KILL);
    }
}

/// Held from the start, so that a signal never reaches another program that got the same number later.
fn pidfd(child: &dyn Child) -> Result<rustix::fd::OwnedFd> {
    let pid = child.process_id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    Ok(pidfd_open(pid.context("the program has no process id")?, PidfdFlags::empty())?)
}

fn follow(mut reader: Box<dyn Read + Send>, screen: &Mutex<vt100::Parser>, output: &watch::Sender<Output>) {
    let mut buffer = [0; 8192];
    let mut total = 0;
    while let Ok(count @ 1..) = reader.read(&mut buffer) {
        lock(screen).process(buffer.get(..count).unwrap_or_default());
        total += count as u64;
        output.send_replace(Output::Bytes(total));
    }
    output.send_replace(Output::Over);
}

fn reap(mut child: Box<dyn Child + Send + Sync>, exit: &watch::Sender<Option<ExitStatus>>) {
    exit.send_replace(Some(child.wait().unwrap_or_else(|_| ExitStatus::with_exit_code(255))));
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
