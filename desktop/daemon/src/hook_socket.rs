//! The hooks' socket: ask, withdraw, observed, and nothing else (REF-4). A hook sends one frame and, where it asks,
//! waits; whatever goes wrong it hears silence, and the agent asks for itself, or a denial where the agent would take
//! silence for a yes (WHO-4).

mod before;
mod conversation;
mod life;
mod note;

use std::{sync::Arc, time::Duration};

use countersign_agents::{Adapter, Event, adapter};
use countersign_core::{
    draft::{Observed, SessionKey},
    input::Input,
};
use countersign_ipc::frame::{self, Call, HEAD, Head, Kind};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::UnixStream,
};
use tokio_util::task::TaskTracker;

use self::note::Notes;
use crate::{
    agents::{AgentProcess, Agents},
    clock,
    eventloop::Handle,
    peer::Peer,
    sight::User,
    socket::{Connection, Socket},
    whereabouts,
};

/// Hooks that may be connected at once.
pub const SEATS: usize = 256;
/// How long a hook may take to send its frame.
const FRAME: Duration = Duration::from_secs(5);

/// What every conversation needs.
#[derive(Debug)]
pub struct Hooks {
    home: String,
    user: User,
    handle: Handle,
    agents: Arc<Agents>,
    notes: Notes,
    is_demo: bool,
}

impl Hooks {
    /// The hooks' side of a daemon.
    #[must_use]
    pub fn new(handle: Handle, agents: Arc<Agents>, is_demo: bool) -> Self {
        Self {
            home: whereabouts::home(),
            user: User::own(),
            notes: Notes::new(handle.clone()),
            handle,
            agents,
            is_demo,
        }
    }

    /// Serves hooks until the future is dropped; conversations that were begun go on in the tracker.
    pub async fn serve(self: Arc<Self>, socket: Socket, tasks: TaskTracker) {
        loop {
            let Connection { stream, peer, seat } = socket.accept().await;
            let this = Arc::clone(&self);
            tasks.spawn(async move {
                this.receive(stream, peer).await;
                drop(seat);
            });
        }
    }

    async fn receive(&self, mut stream: UnixStream, peer: Peer) {
        let arrived_boot_ms = clock::boot_ms();
        let frame = tokio::time::timeout(FRAME, read_frame(&mut stream));
        let (agent, frame) = tokio::join!(self.note_hook(&peer), frame);
        let (kind, call) = match frame {
            Ok(Ok(frame)) => frame,
            Ok(Err(error)) => return self.refuse(stream, &peer, &error.to_string()).await,
            Err(_) => return self.refuse(stream, &peer, "it took too long to send its frame").await,
        };
        let Some(adapter) = adapter(&call.agent) else {
            return self.refuse(stream, &peer, "no adapter has this name").await;
        };
        let risky = call.environment.risky.iter().map(|name| String::from_utf8_lossy(name).into_owned());
        let caller = Caller {
            adapter,
            agent,
            pid: peer.pid,
            limit_ms: call.limit_ms,
            arrived_boot_ms,
            // A PATH that is no text names nothing for certain.
            path: String::from_utf8(call.environment.path.clone()).ok().filter(|path| !path.is_empty()),
            risky: risky.collect(),
        };
        match ((adapter.read)(&call.input), kind) {
            (Event::Ask(asked), Kind::Ask) => {
                self.agents.note_session(asked.session(), clock::wall_ms());
                self.converse(stream, *asked, caller).await;
            }
            (Event::Before(next), Kind::Ask) => {
                self.agents.note_session(next.session(), clock::wall_ms());
                self.answer_before(stream, *next, caller).await;
            }
            // Nobody waits for this answer.
            (Event::Ask(_) | Event::Before(_), Kind::Observed) => {}
            (Event::Observed { session, what }, _) => {
                // What the agent did is known before it goes on.
                self.observed(session, what).await;
                silence(stream).await;
            }
            (Event::Ignored(why), _) => {
                tracing::debug!(agent = adapter.id, event = %event_name(&call), %why, "a hook's call is not for us");
                silence(stream).await;
            }
        }
    }

    /// Looks at many processes, so not on a thread that others wait for.
    async fn note_hook(&self, peer: &Peer) -> Option<AgentProcess> {
        let lineage = peer.lineage.clone().ok()?;
        let agents = Arc::clone(&self.agents);
        tokio::task::spawn_blocking(move || agents.note_hook(&lineage, clock::wall_ms())).await.ok()?
    }

    async fn observed(&self, session: SessionKey, what: Observed) {
        match what {
            Observed::SessionOver => self.agents.forget_session(&session),
            Observed::Started { ref folder } => {
                self.agents.note_session(&session, clock::wall_ms());
                self.agents.note_start(&session, folder);
            }
            _ => self.agents.note_session(&session, clock::wall_ms()),
        }
        // Where the loop is over there is nothing left to withdraw.
        let _ = self.handle.tell(Input::Observed { session, what }).await;
    }

    async fn refuse(&self, stream: UnixStream, peer: &Peer, why: &str) {
        tracing::warn!(pid = peer.pid, why, "a hook was not understood; it hears nothing");
        silence(stream).await;
    }
}

/// Who asks, and since when.
#[derive(Debug)]
struct Caller {
    adapter: &'static Adapter,
    agent: Option<AgentProcess>,
    pid: u32,
    limit_ms: u32,
    arrived_boot_ms: u64,
    /// The agent's PATH, where it is known.
    path: Option<String>,
    /// Names of risky variables that it has set (REQ-5).
    risky: Vec<String>,
}

/// Why there is no frame.
#[derive(Debug, thiserror::Error)]
enum NoFrame {
    #[error(transparent)]
    Bad(#[from] frame::BadFrame),
    #[error("the hook's frame was cut off: {0}")]
    Io(#[from] std::io::Error),
}

async fn read_frame(stream: &mut UnixStream) -> Result<(Kind, Call), NoFrame> {
    let mut head = [0; HEAD];
    stream.read_exact(&mut head).await?;
    let head = Head::decode(head)?;
    // As it arrives, so that a length alone takes no memory.
    let mut body = Vec::new();
    stream.take(head.length as u64).read_to_end(&mut body).await?;
    if body.len() < head.length {
        return Err(frame::BadFrame::Length.into());
    }
    Ok((head.kind, frame::decode_body(&body)?))
}

/// Tells the hook to say nothing. It may be gone, which is as good.
async fn silence(mut stream: UnixStream) {
    if let Ok(reply) = frame::encode_reply(&[]) {
        let _ = tokio::time::timeout(FRAME, stream.write_all(&reply)).await;
    }
}

/// The event's name as the installed command has it, which is ours; nothing of the agent's goes to the log.
fn event_name(call: &Call) -> String {
    call.event.chars().filter(char::is_ascii_alphanumeric).collect()
}
