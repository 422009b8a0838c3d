//! One waiting call: handed in, waited for, answered. The answer is written only while its deadline has not passed by
//! the clock read just before; silence is never late.

use std::{path::Path, sync::Arc, time::Duration};

use countersign_agents::{Call, setup::LIMIT_SECS};
use countersign_core::{
    answer::Answer,
    input::{Ask, HookGone, HookId, Input},
};
use countersign_ipc::frame;
use countersign_proto::{id::RequestId, text::Shown};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::UnixStream,
    sync::oneshot,
};

use super::{Caller, Hooks, life, silence};
use crate::{
    clock,
    derive::{Viewpoint, derive},
    eventloop::{Answered, Waiting},
    keys::random,
    sight::Sight,
};

/// How long a hook may take to accept an answer that fits into its socket at once.
const WRITE: Duration = Duration::from_secs(1);
/// How long a hook may take to print what it was given. One that is still there then has it in its hands, so that it
/// must be taken to have been told.
const PRINT: Duration = Duration::from_secs(5);
/// Where a demo daemon's projects must lie (PH-8).
const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];

/// How a wait ended.
enum End {
    Answer(Answered),
    /// Nobody will answer.
    Dropped,
    Gone(HookGone),
}

impl Hooks {
    pub(super) async fn converse(&self, mut stream: UnixStream, call: Call, caller: Caller) {
        let hook = HookId(self.handle.next_id());
        let (answer, answered) = oneshot::channel();
        let waiting = self.waiting(call, &caller, caller.adapter.render, answer).await;
        let draft = derive(Arc::clone(&waiting.call), waiting.from.clone()).await;
        if !self.answers_in(&draft.folder).await {
            return silence(stream).await;
        }
        let _watch = self.notes.watch(waiting.call.session(), caller.adapter, caller.agent.as_ref());
        let Some((request_id, seed)) = fresh_ids() else { return silence(stream).await };
        let ask = Ask {
            hook,
            draft,
            arrived_boot_ms: caller.arrived_boot_ms,
            limit_ms: limit_ms(caller.limit_ms),
            request_id,
            seed,
        };
        if self.handle.ask(Box::new(ask), waiting).await.is_err() {
            return silence(stream).await;
        }
        match wait(&mut stream, answered, &caller).await {
            End::Answer(answer) => {
                let written = deliver(&mut stream, &answer).await;
                let _ = self.handle.delivered(hook, written).await;
            }
            End::Dropped => silence(stream).await,
            End::Gone(why) => {
                let _ = self.handle.tell(Input::HookGone { hook, why }).await;
            }
        }
    }
}

impl Hooks {
    /// Whether this daemon answers for a project in this folder: one of a demo only below a temporary folder (PH-8).
    pub(super) async fn answers_in(&self, folder: &[u8]) -> bool {
        let answers = !self.is_demo || is_temporary(folder).await;
        if !answers {
            tracing::warn!("a demo daemon answers only for projects below /tmp; the agent asks for itself");
        }
        answers
    }
}

impl Hooks {
    /// A call whose hook does not stand below its agent's process is shown with who asked instead, and never counts as
    /// whole. Demonstrations and tests ask from a plain shell.
    pub(super) async fn waiting(
        &self,
        call: Call,
        caller: &Caller,
        render: fn(&Answer) -> Vec<u8>,
        answer: oneshot::Sender<Answered>,
    ) -> Waiting {
        let executable = caller.agent.as_ref().and_then(|agent| agent.executable.as_deref());
        let version = executable.and_then(|path| (caller.adapter.version_of)(path));
        let call = match version {
            Some(version) => call.with_version(&version),
            None => call,
        };
        let asked_by = match &caller.agent {
            Some(_) => None,
            None => Some(Shown::line(&format!(
                "asked by process {}, which no process of {} started",
                caller.pid, caller.adapter.name
            ))),
        };
        let start_folder = self.agents.start_folder(call.session());
        let start = start_folder.clone();
        let look =
            self.handle.look(move |view| (view.core.protected(), view.core.env_is_lifted(start.as_deref())));
        // Where the loop is over nothing is answered any more.
        let settings = look.await.unwrap_or_default();
        let worktree = start_folder.clone().unwrap_or_else(|| call.folder().as_bytes().to_vec());
        let from = Viewpoint {
            sight: Sight {
                path: caller.path.clone(),
                home: self.home.clone(),
                worktree: String::from_utf8_lossy(&worktree).into_owned(),
                temporary: None,
                user: self.user.clone(),
            },
            start_folder,
            risky: caller.risky.clone(),
            project_files: caller.adapter.project_files,
            protected: settings.0,
            env_is_lifted: settings.1,
            asked_by,
        };
        Waiting { render, call: Arc::new(call), from, answer }
    }
}

fn fresh_ids() -> Option<(RequestId, [u8; 32])> {
    let fresh = random::<{ RequestId::LEN }>().and_then(|id| Ok((RequestId::new(*id), *random::<32>()?)));
    fresh.inspect_err(|error| tracing::error!(%error, "the system gives no random bytes")).ok()
}

/// A hook that was installed without its agent's limit has the one that setup writes.
fn limit_ms(told: u32) -> u64 {
    if told == 0 { u64::from(LIMIT_SECS) * 1_000 } else { told.into() }
}

async fn is_temporary(folder: &[u8]) -> bool {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = Path::new(std::ffi::OsStr::from_bytes(folder));
    let Ok(real) = tokio::fs::canonicalize(folder).await else { return false };
    for temporary in TEMPORARY {
        if let Ok(temporary) = tokio::fs::canonicalize(temporary).await
            && real.starts_with(&temporary)
            && real != temporary
        {
            return true;
        }
    }
    false
}

async fn wait(stream: &mut UnixStream, answered: oneshot::Receiver<Answered>, caller: &Caller) -> End {
    let mut byte = [0];
    tokio::select! {
        biased;
        answer = answered => answer.map_or(End::Dropped, End::Answer),
        // A hook that waits has nothing to say: whatever comes, it is no hook of ours any more.
        _ = stream.read(&mut byte) => End::Gone(HookGone::Closed),
        () = life::ended(caller.agent.as_ref().map(|agent| agent.id)) => End::Gone(HookGone::AgentGone),
    }
}

/// Writes an answer and waits until the hook printed it. False where the agent was not told.
pub(super) async fn deliver(stream: &mut UnixStream, answer: &Answered) -> bool {
    let is_late = || clock::boot_ms() >= answer.deadline_boot_ms;
    let Ok(reply) = frame::encode_reply(&answer.bytes) else {
        tracing::error!("an answer is too large for its hook; the agent asks for itself");
        return false;
    };
    let reply = if is_late() { frame::encode_reply(&[]).unwrap_or_default() } else { reply };
    let is_silence = reply.len() == 4;
    let written = matches!(tokio::time::timeout(WRITE, stream.write_all(&reply)).await, Ok(Ok(())));
    match (written, is_silence) {
        (true, true) => answer.bytes.is_empty() && !is_late(),
        (true, false) => is_printed(stream).await,
        (false, _) => false,
    }
}

async fn is_printed(stream: &mut UnixStream) -> bool {
    let mut byte = [0];
    match tokio::time::timeout(PRINT, stream.read(&mut byte)).await {
        Ok(Ok(1)) => byte == [frame::PRINTED],
        Ok(_) => false,
        Err(_) => {
            tracing::warn!("a hook took its answer and does not say whether it printed it");
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Delivers an answer to a hook that says `said` and then leaves. Returns what the hook got, too.
    async fn deliver_to(bytes: &[u8], deadline_boot_ms: u64, said: &[u8]) -> (bool, Vec<u8>) {
        let (mut ours, mut hook) = UnixStream::pair().unwrap();
        hook.write_all(said).await.unwrap();
        let answer = Answered { bytes: bytes.to_vec(), deadline_boot_ms };
        let hearing = tokio::spawn(async move {
            let mut reply = vec![0; 4];
            hook.read_exact(&mut reply).await.unwrap();
            let mut output = vec![0; reply[3].into()];
            hook.read_exact(&mut output).await.unwrap();
            output
        });
        let written = deliver(&mut ours, &answer).await;
        (written, hearing.await.unwrap())
    }

    #[tokio::test]
    async fn an_answer_counts_as_told_once_the_hook_printed_it() {
        let later = clock::boot_ms() + 60_000;
        assert_eq!(deliver_to(b"yes", later, &[frame::PRINTED]).await, (true, b"yes".to_vec()));
        assert_eq!(deliver_to(b"yes", later, b"?").await, (false, b"yes".to_vec()));
        assert_eq!(deliver_to(b"yes", later, b"").await, (false, b"yes".to_vec()));
    }

    #[tokio::test]
    async fn at_its_deadline_an_answer_becomes_silence_whatever_it_was() {
        for deadline in [0, clock::boot_ms()] {
            assert_eq!(deliver_to(b"yes", deadline, &[frame::PRINTED]).await, (false, Vec::new()));
        }
        assert_eq!(deliver_to(b"", u64::MAX, b"").await, (true, Vec::new()), "silence is never late");
    }

    #[tokio::test]
    async fn a_hook_that_is_gone_was_not_told() {
        let (mut ours, hook) = UnixStream::pair().unwrap();
        drop(hook);
        let answer = Answered { bytes: b"yes".to_vec(), deadline_boot_ms: u64::MAX };
        assert!(!deliver(&mut ours, &answer).await);
    }
}
