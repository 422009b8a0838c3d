//! A call that an agent is about to make, whether or not it would ask about it: told to deny, to ask, or nothing, within
//! a second (REQ-4). Nobody waits for a person here, and nothing here can say yes.

use std::{sync::Arc, time::Duration};

use countersign_agents::Call;
use countersign_core::{
    answer::Answer,
    input::{Before, HookGone, HookId, Input},
};
use countersign_proto::text::Shown;
use tokio::{net::UnixStream, sync::oneshot, time::timeout};

use super::{Caller, Hooks, conversation::deliver, silence};
use crate::{clock, derive::derive, eventloop::Answered};

/// How long after its arrival a call is answered at the latest; its hook gives up a second after its own start.
const BEFORE: Duration = Duration::from_millis(800);
/// What an agent is told that would run a call because nobody told it anything in time.
const TOO_SLOW: &str = "it could not be judged in time, and here it would run without being asked about. Try it again in \
                        a moment.";

/// What became of a call that was handed in.
enum End {
    Answer(Answered),
    /// Not a project of this daemon's.
    NotOurs,
    /// It took too long, or the daemon is ending.
    Unjudged,
}

impl Hooks {
    pub(super) async fn answer_before(&self, mut stream: UnixStream, call: Call, caller: Caller) {
        let hook = HookId(self.handle.next_id());
        let silence_runs = (caller.adapter.silence_runs)(call.mode().raw());
        let end = match left(caller.arrived_boot_ms) {
            Duration::ZERO => End::Unjudged,
            left => {
                timeout(left, self.judge(hook, call, silence_runs, &caller)).await.unwrap_or(End::Unjudged)
            }
        };
        match end {
            End::Answer(answer) => {
                let written = deliver(&mut stream, &answer).await;
                let _ = self.handle.delivered(hook, written).await;
            }
            End::NotOurs => silence(stream).await,
            // Silence would be a yes, so the daemon says no while it can (WHO-4). What it would have said comes too late.
            End::Unjudged => {
                if silence_runs {
                    tracing::warn!(pid = caller.pid, "a call could not be judged in time and is denied");
                    let denial = (caller.adapter.render_before)(&Answer::refuse(Shown::line(TOO_SLOW)));
                    deliver(&mut stream, &never_late(denial)).await;
                } else {
                    tracing::warn!(
                        pid = caller.pid,
                        "a call could not be judged in time; the agent asks for itself"
                    );
                    silence(stream).await;
                }
                let _ = self.handle.tell(Input::HookGone { hook, why: HookGone::Closed }).await;
            }
        }
    }

    async fn judge(&self, hook: HookId, call: Call, silence_runs: bool, caller: &Caller) -> End {
        let (answer, answered) = oneshot::channel();
        let waiting = self.waiting(call, caller, caller.adapter.render_before, answer).await;
        let draft = derive(Arc::clone(&waiting.call), waiting.from.clone()).await;
        if !self.answers_in(&draft.folder).await {
            return End::NotOurs;
        }
        let before = Before { hook, draft, silence_runs, arrived_boot_ms: caller.arrived_boot_ms };
        if self.handle.before(Box::new(before), waiting).await.is_err() {
            return End::Unjudged;
        }
        // A late denial or question harms nobody: a hook that gave up is gone.
        answered.await.map_or(End::Unjudged, |answer| End::Answer(never_late(answer.bytes)))
    }
}

const fn never_late(bytes: Vec<u8>) -> Answered {
    Answered { bytes, deadline_boot_ms: u64::MAX }
}

/// The time that is left for a call which arrived then.
fn left(arrived_boot_ms: u64) -> Duration {
    BEFORE.saturating_sub(Duration::from_millis(clock::boot_ms().saturating_sub(arrived_boot_ms)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use countersign_agents::{Event, adapter};
    use countersign_ipc::frame;
    use serde_json::json;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;
    use crate::{agents::Agents, courier::stage::Inner, peer::Proc};

    /// What the hook of a call in this mode hears, of a daemon that arrived at it then.
    async fn heard(hooks: &Hooks, mode: &str, arrived_boot_ms: u64) -> String {
        let adapter = adapter("claude").unwrap();
        let input = json!({
            "session_id": "s", "cwd": "/tmp/x", "permission_mode": mode, "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1",
        });
        let Event::Before(call) = (adapter.read)(input.to_string().as_bytes()) else { panic!("no call") };
        let caller = Caller {
            adapter,
            agent: None,
            pid: 7,
            limit_ms: 6_000,
            arrived_boot_ms,
            path: None,
            risky: Vec::new(),
        };
        let (ours, mut hook) = UnixStream::pair().unwrap();
        let hearing = tokio::spawn(async move {
            let mut length = [0; 4];
            hook.read_exact(&mut length).await.unwrap();
            let mut said = vec![0; frame::decode_reply_length(length).unwrap()];
            hook.read_exact(&mut said).await.unwrap();
            if !said.is_empty() {
                hook.write_all(&[frame::PRINTED]).await.unwrap();
            }
            String::from_utf8(said).unwrap()
        });
        hooks.answer_before(ours, *call, caller).await;
        hearing.await.unwrap()
    }

    fn hooks(handle: &crate::eventloop::Handle) -> Hooks {
        Hooks::new(handle.clone(), Arc::new(Agents::new(Arc::new(Proc))), false)
    }

    #[tokio::test]
    async fn a_call_that_needs_no_word_gets_none_in_any_mode() {
        let folder = tempfile::tempdir().unwrap();
        let inner = Inner::start(&folder.path().join("state")).await;
        for mode in ["default", "bypassPermissions"] {
            assert_eq!(heard(&hooks(&inner.handle), mode, clock::boot_ms()).await, "", "{mode}");
        }
        inner.handle.tell(Input::Shutdown).await.unwrap();
        inner.looping.await.unwrap();
    }

    /// An arrival long ago leaves no time, as a machine does that is too slow.
    #[tokio::test]
    async fn without_time_to_judge_a_call_is_denied_only_where_silence_would_run_it() {
        let folder = tempfile::tempdir().unwrap();
        let inner = Inner::start(&folder.path().join("state")).await;
        let hooks = hooks(&inner.handle);
        for mode in ["auto", "acceptEdits", "bypassPermissions", "plan", "a new one"] {
            let said = heard(&hooks, mode, 0).await;
            assert!(
                said.contains("\"permissionDecision\":\"deny\"") && said.contains("in time"),
                "{mode}: {said}"
            );
        }
        for mode in ["default", "dontAsk"] {
            assert_eq!(heard(&hooks, mode, 0).await, "", "{mode}");
        }
        inner.handle.tell(Input::Shutdown).await.unwrap();
        inner.looping.await.unwrap();
        let said = heard(&hooks, "auto", clock::boot_ms()).await;
        assert!(said.contains("\"deny\""), "a daemon that is ending does not let it run: {said}");
        assert_eq!(heard(&hooks, "default", clock::boot_ms()).await, "");
    }
}
