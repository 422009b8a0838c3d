//! The hooks that wait: how to reach each, and the call from which its facts are derived again (WHO-7).

use std::{collections::BTreeMap, sync::Arc};

use countersign_agents::Call;
use countersign_core::{answer::Answer, input::HookId};
use tokio::sync::oneshot;

use crate::derive::Viewpoint;

/// A waiting hook.
#[derive(Debug)]
pub struct Waiting {
    /// Writes an answer as its agent reads it from this hook.
    pub render: fn(&Answer) -> Vec<u8>,
    /// The call.
    pub call: Arc<Call>,
    /// From where it is looked at.
    pub from: Viewpoint,
    /// Where its answer goes. Dropped: say nothing.
    pub answer: oneshot::Sender<Answered>,
}

/// What a hook is to be told.
#[derive(Debug)]
pub struct Answered {
    /// The agent's own bytes; empty for silence, which is never late.
    pub bytes: Vec<u8>,
    /// Boot time from which on only silence may be written.
    pub deadline_boot_ms: u64,
}

/// Every hook that waits for its answer.
#[derive(Debug, Default)]
pub(super) struct Hooks(BTreeMap<HookId, Waiting>);

impl Hooks {
    pub(super) fn add(&mut self, hook: HookId, waiting: Waiting) {
        self.0.insert(hook, waiting);
    }

    pub(super) fn get(&self, hook: HookId) -> Option<&Waiting> {
        self.0.get(&hook)
    }

    /// The hook is gone, or will get nothing more.
    pub(super) fn remove(&mut self, hook: HookId) {
        self.0.remove(&hook);
    }

    /// Hands an answer to the hook's connection; false where that is gone.
    pub(super) fn answer(&mut self, hook: HookId, answer: &Answer, deadline_boot_ms: u64) -> bool {
        let Some(waiting) = self.0.remove(&hook) else { return false };
        let bytes = (waiting.render)(answer);
        waiting.answer.send(Answered { bytes, deadline_boot_ms }).is_ok()
    }

    /// Silence for everybody.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
