//! This computer's own relay: `countersign-relay`, a process of its own on loopback, running exactly as long as somebody
//! holds a [`Lease`]. Its port is remembered, so that paired phones find it again; when it dies it is started again.

mod memory;
mod process;

#[cfg(test)]
mod tests;

use std::{
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use countersign_proto::pairing::Link;
use tokio::{sync::watch, task::JoinHandle, time::Instant};
use tokio_util::sync::CancellationToken;

use self::{
    memory::Memory,
    process::{Process, SpawnError},
};
use crate::courier::Address;

/// Its name, beside our own program.
pub const PROGRAM: &str = "countersign-relay";

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// Having run so long, it had started well.
const HEALTHY: Duration = Duration::from_secs(60);

/// Why this computer's relay does not run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChildError {
    /// There is no such program.
    #[error("the program `{}` is missing: it belongs beside `countersign`", .0.display())]
    Missing(PathBuf),
    /// It could not be started.
    #[error("this computer's relay could not be started: {0}")]
    Failed(String),
    /// Somebody else has the port.
    #[error(
        "another program listens at {0}, where the paired phones look for this computer's relay: end that program, \
         or revoke the phones and pair them again"
    )]
    PortTaken(SocketAddr),
    /// The daemon ends.
    #[error("the daemon is ending")]
    Ending,
}

/// How it is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    Off,
    Starting,
    Ready { address: Address, pid: u32 },
    Failed(ChildError),
}

/// Who wants it.
#[derive(Debug, Clone, Copy, Default)]
struct Wanted {
    leases: usize,
    /// How many of them can't do with another port.
    with_its_port: usize,
}

/// Which port will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Port {
    /// The remembered one, or another where that is taken.
    Any,
    /// Only the remembered one: phones are paired there.
    Remembered,
}

/// This computer's relay.
#[derive(Debug, Clone)]
pub struct LocalRelay {
    wanted: Arc<watch::Sender<Wanted>>,
    state: watch::Receiver<State>,
    memory: Arc<Memory>,
    stop: CancellationToken,
}

/// Keeps this computer's relay running.
#[derive(Debug)]
pub struct Lease {
    port: Port,
    relay: LocalRelay,
}

impl LocalRelay {
    /// Looks after the relay `program`, which keeps its registry and its port in the daemon's state folder. It is started
    /// with the first lease. The task ends once [`Self::stop`] was called, with the relay.
    #[must_use]
    pub fn new(program: PathBuf, state_folder: &Path) -> (Self, JoinHandle<()>) {
        let memory = Arc::new(Memory::open(state_folder));
        let wanted = Arc::new(watch::Sender::new(Wanted::default()));
        let (state, heard) = watch::channel(State::Off);
        let stop = CancellationToken::new();
        let keeper = Keeper {
            program,
            data: state_folder.join("relay"),
            memory: memory.clone(),
            wanted: wanted.subscribe(),
            state,
            stop: stop.clone(),
        };
        let this = Self { wanted, state: heard, memory, stop };
        (this, tokio::spawn(keeper.keep()))
    }

    /// Where the relay's program should be.
    ///
    /// # Errors
    /// The system does not say where our own is.
    pub fn beside_this_program() -> io::Result<PathBuf> {
        Ok(std::env::current_exe()?.with_file_name(PROGRAM))
    }

    /// Has it run as long as the lease lives.
    #[must_use]
    pub fn lease(&self, port: Port) -> Lease {
        self.count(port, |count| count.saturating_add(1));
        Lease { port, relay: self.clone() }
    }

    /// Whether an address is this relay's.
    #[must_use]
    pub fn owns(&self, address: &Address) -> bool {
        let own = self.memory.address();
        *address.link() == Link::Plain && own.is_some_and(|own| address.origin().as_str() == own.to_string())
    }

    /// Its process, while it is ready.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        match *self.state.borrow() {
            State::Ready { pid, .. } => Some(pid),
            State::Off | State::Starting | State::Failed(_) => None,
        }
    }

    /// Ends it for good.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    fn count(&self, port: Port, change: impl Fn(usize) -> usize) {
        self.wanted.send_modify(|wanted| {
            wanted.leases = change(wanted.leases);
            if port == Port::Remembered {
                wanted.with_its_port = change(wanted.with_its_port);
            }
        });
    }
}

impl Lease {
    /// Waits until the relay can be dialled, and says where.
    ///
    /// # Errors
    /// [`ChildError`]; it is tried again all the same.
    pub async fn ready(&self) -> Result<Address, ChildError> {
        let mut state = self.relay.state.clone();
        let settled = state.wait_for(|state| matches!(state, State::Ready { .. } | State::Failed(_))).await;
        match settled.as_deref() {
            Ok(State::Ready { address, .. }) => Ok(address.clone()),
            Ok(State::Failed(error)) => Err(error.clone()),
            Ok(State::Off | State::Starting) | Err(_) => Err(ChildError::Ending),
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.relay.count(self.port, |count| count.saturating_sub(1));
    }
}

/// The task that starts, watches and ends the process.
struct Keeper {
    program: PathBuf,
    data: PathBuf,
    memory: Arc<Memory>,
    wanted: watch::Receiver<Wanted>,
    state: watch::Sender<State>,
    stop: CancellationToken,
}

impl Keeper {
    async fn keep(mut self) {
        let mut pause = FIRST_PAUSE;
        while self.until_wanted().await {
            let began = Instant::now();
            let Err(error) = self.run().await else {
                pause = FIRST_PAUSE;
                continue;
            };
            tracing::warn!(%error, "this computer's relay does not run");
            self.state.send_replace(State::Failed(error));
            pause = if began.elapsed() >= HEALTHY { FIRST_PAUSE } else { pause };
            tokio::select! {
                () = tokio::time::sleep(pause) => pause = pause.saturating_mul(2).min(LONGEST_PAUSE),
                () = self.stop.cancelled() => return,
                () = until_unwanted(&mut self.wanted) => pause = FIRST_PAUSE,
            }
        }
    }

    /// False where the daemon ends.
    async fn until_wanted(&mut self) -> bool {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => false,
            wanted = self.wanted.wait_for(|wanted| wanted.leases > 0) => wanted.is_ok(),
        }
    }

    /// Runs the process until nobody wants it, or it ends by itself.
    async fn run(&mut self) -> Result<(), ChildError> {
        self.state.send_replace(State::Starting);
        let mut process = self.spawn().await?;
        self.memory.remember(process.address());
        let address = Address::typed(&process.address().to_string());
        let address = address.map_err(|error| ChildError::Failed(error.to_string()))?;
        tracing::info!(%address, pid = process.pid(), "this computer's relay is ready");
        let ready = State::Ready { address, pid: process.pid() };
        loop {
            self.state.send_replace(ready.clone());
            tokio::select! {
                status = process.ended() => {
                    return Err(ChildError::Failed(format!("it ended by itself ({status})")));
                }
                () = until_unwanted(&mut self.wanted) => {}
                () = self.stop.cancelled() => break,
            }
            // Whoever takes a lease from here on waits for the next process, and whoever took one before is seen now.
            self.state.send_replace(State::Off);
            if self.wanted.borrow().leases == 0 {
                break;
            }
        }
        process.end().await;
        Ok(())
    }

    /// At its remembered port, or at another where that is taken and no phone would miss it.
    async fn spawn(&self) -> Result<Process, ChildError> {
        let remembered = self.memory.address();
        let first = Process::spawn(&self.program, &self.data, remembered).await;
        let can_move = self.wanted.borrow().with_its_port == 0;
        let spawned = match (first, remembered) {
            (Err(SpawnError::CannotListen), Some(_)) if can_move => {
                Process::spawn(&self.program, &self.data, None).await
            }
            (first, _) => first,
        };
        spawned.map_err(|error| match (error, remembered) {
            (SpawnError::CannotListen, Some(address)) => ChildError::PortTaken(address),
            (SpawnError::CannotListen, None) => ChildError::Failed("it can't listen on loopback".to_owned()),
            (SpawnError::Missing, _) => ChildError::Missing(self.program.clone()),
            (SpawnError::Failed(why), _) => ChildError::Failed(why),
        })
    }
}

async fn until_unwanted(wanted: &mut watch::Receiver<Wanted>) {
    // Whoever could want it holds the sender; when that is gone nobody does.
    let _ = wanted.wait_for(|wanted| wanted.leases == 0).await;
}
