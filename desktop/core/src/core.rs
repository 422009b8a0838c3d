//! The core: one struct that owns every waiting request. `handle` takes what happened, `poll_command` gives what must
//! be done, `poll_timeout` says when to come back.

use std::collections::VecDeque;

use countersign_proto::{
    id::{Hash, OfferId, RequestId, RunId},
    key::SigningKey,
    request::Request,
};

use crate::{
    approver::Approver,
    audit::Head,
    clock::Now,
    command::{Command, RequestState},
    input::{HookId, Input},
    settings::Settings,
};

/// What an earlier run left unfinished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    /// The request.
    pub request: RequestId,
    /// `Pending` or `Releasing`.
    pub state: RequestState,
    /// Its offers that are still open in the store.
    pub offers: Vec<OfferId>,
}

/// Everything the core needs to begin a run.
#[derive(Debug)]
pub struct Start {
    /// The run's random id.
    pub run_id: RunId,
    /// `D_sig`.
    pub desktop: SigningKey,
    /// Settings.
    pub settings: Settings,
    /// The audit log's head in the store.
    pub head: Head,
    /// Approvers in the store, revoked ones included.
    pub approvers: Vec<Approver>,
    /// Whether every door but deny is closed.
    pub locked: bool,
    /// What an earlier run left behind.
    pub unfinished: Vec<Unfinished>,
}

/// A waiting request as surfaces show it.
#[derive(Debug, Clone, Copy)]
pub struct Card<'a> {
    /// The request, from the bytes that are hashed.
    pub request: &'a Request,
    /// Its binding: what a click must carry.
    pub binding: Hash,
    /// Boot time of its deadline.
    pub deadline_boot_ms: u64,
    /// Its hook.
    pub hook: HookId,
    /// Its place among the waiting, from 1.
    pub position: usize,
    /// How many wait.
    pub of: usize,
}

/// Decides. Inputs in, commands out.
#[derive(Debug)]
pub struct Core {
    commands: VecDeque<Command>,
}

impl Core {
    /// Begins a run: its first command commits what an earlier run left unfinished (pending → cancelled,
    /// releasing → unknown) and that this run started.
    #[must_use]
    pub fn start(start: Start, now: Now) -> Self {
        todo!("{start:?} {now:?}")
    }

    /// Takes something that happened. While a commit or a derivation is awaited, everything but its result waits in
    /// order.
    pub fn handle(&mut self, input: Input, now: Now) {
        todo!("{input:?} {now:?}")
    }

    /// The next thing to do.
    pub fn poll_command(&mut self) -> Option<Command> {
        self.commands.pop_front()
    }

    /// Boot time in ms at which to hand in [`Input::Tick`]; `None` where nothing is due.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<u64> {
        todo!()
    }

    /// The waiting requests in the order they came.
    pub fn cards(&self) -> Vec<Card<'_>> {
        todo!()
    }

    /// One waiting request.
    #[must_use]
    pub fn card(&self, request: RequestId) -> Option<Card<'_>> {
        self.cards().into_iter().find(|card| card.request.id == request)
    }

    /// Every approver, revoked ones included.
    #[must_use]
    pub fn approvers(&self) -> Vec<&Approver> {
        todo!()
    }

    /// Whether every door but deny is closed.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        todo!()
    }

    /// Where the audit log stands.
    #[must_use]
    pub fn head(&self) -> Head {
        todo!()
    }
}
