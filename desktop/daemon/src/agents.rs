//! What the daemon has seen of agents: their process trees, which decide who may decide (REF-4), their sessions, and
//! when a hook last called.

use std::{
    collections::BTreeMap,
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use countersign_agents::{ADAPTERS, Adapter};
use countersign_core::draft::SessionKey;

use crate::peer::{AgentTrees, Caller, Lineage, Peer, Process, ProcessId, Processes};

/// Sessions that are remembered; the longest silent are forgotten beyond this.
const SESSIONS: usize = 1_024;

/// The processes of this machine, or those that a test makes up.
pub type Machine = Arc<dyn Processes + Send + Sync>;

/// The agents' doings.
pub struct Agents {
    machine: Machine,
    trees: Mutex<AgentTrees>,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    last_call_wall_ms: Option<u64>,
    sessions: BTreeMap<SessionKey, u64>,
    /// Where sessions were seen to start, in this run of the daemon.
    starts: BTreeMap<SessionKey, Vec<u8>>,
}

/// The agent's process above a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentProcess {
    /// Which process.
    pub id: ProcessId,
    /// The file it runs.
    pub executable: Option<PathBuf>,
}

impl Agents {
    /// No agent was seen yet.
    #[must_use]
    pub fn new(machine: Machine) -> Self {
        Self { machine, trees: Mutex::default(), seen: Mutex::default() }
    }

    /// The processes of this machine.
    #[must_use]
    pub const fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Notes the agent above a hook: the nearest ancestor whose executable is that of an agent.
    pub fn note_hook(&self, hook: &Lineage, wall_ms: u64) -> Option<AgentProcess> {
        lock(&self.seen).last_call_wall_ms = Some(wall_ms);
        let id = lock(&self.trees).record(hook, &which_agent, &*self.machine)?;
        let process = hook.ancestors().iter().find(|process| process.id == id)?;
        Some(AgentProcess { id, executable: process.executable.clone() })
    }

    /// Who is calling. What can't be told is never taken for a person.
    #[must_use]
    pub fn caller(&self, peer: &Peer) -> Caller {
        match &peer.lineage {
            Ok(lineage) => lock(&self.trees).caller(lineage, &which_agent),
            Err(unclear) => Caller::Agent(format!("something unknown ({unclear})")),
        }
    }

    /// Notes that a session said something.
    pub fn note_session(&self, session: &SessionKey, wall_ms: u64) {
        let mut seen = lock(&self.seen);
        seen.sessions.insert(session.clone(), wall_ms);
        if seen.sessions.len() > SESSIONS {
            let oldest = seen.sessions.iter().min_by_key(|(_, at)| **at).map(|(session, _)| session.clone());
            if let Some(oldest) = oldest {
                seen.sessions.remove(&oldest);
                seen.starts.remove(&oldest);
            }
        }
    }

    /// Notes where a session was seen to start.
    pub fn note_start(&self, session: &SessionKey, folder: &[u8]) {
        lock(&self.seen).starts.insert(session.clone(), folder.to_vec());
    }

    /// Where a session was seen to start, in this run of the daemon.
    #[must_use]
    pub fn start_folder(&self, session: &SessionKey) -> Option<Vec<u8>> {
        lock(&self.seen).starts.get(session).cloned()
    }

    /// A session is over.
    pub fn forget_session(&self, session: &SessionKey) {
        let mut seen = lock(&self.seen);
        seen.sessions.remove(session);
        seen.starts.remove(session);
    }

    /// How many sessions are seen now, and when a hook last called.
    #[must_use]
    pub fn seen(&self) -> (usize, Option<u64>) {
        let seen = lock(&self.seen);
        (seen.sessions.len(), seen.last_call_wall_ms)
    }
}

impl fmt::Debug for Agents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agents").finish_non_exhaustive()
    }
}

/// Which agent a process is, as the adapters know it.
fn which_agent(process: &Process) -> Option<String> {
    let executable = process.executable.as_deref()?;
    let is_it = |adapter: &&&Adapter| (adapter.is_executable)(executable, &process.arguments);
    ADAPTERS.iter().find(is_it).map(|adapter| adapter.id.to_owned())
}

/// A panic elsewhere leaves nothing half done here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
