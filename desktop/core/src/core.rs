//! The core: one struct that owns every waiting request. `handle` takes what happened, `poll_command` gives what must
//! be done, `poll_timeout` says when to come back.

mod ask;
mod click;
mod complaint;
mod end;
mod judge;
mod observed;
mod phone;
mod policies;
mod precedent;
mod reply;
mod saved;
mod sessions;
mod standing;
mod transaction;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use countersign_proto::{
    checkpoint::SignedCheckpoint,
    domain,
    id::{DesktopId, DeviceId, Hash, OfferId, RequestId, RunId},
    key::SigningKey,
    request::Request,
    text::Foreign,
};

use self::{
    complaint::Complaints,
    end::Releasing,
    policies::Policies,
    reply::Settling,
    saved::SavedRules,
    sessions::Sessions,
    transaction::{Then, Tx},
};
use crate::{
    approver::Approver,
    audit::{self, Body, Event, Head},
    clock::Now,
    command::{Command, OfferState, RequestState, Write},
    draft::SessionKey,
    input::{HookId, Input, TxId},
    ledger::Ledger,
    policy::Consent,
    rule::Rule,
    settings::{Settings, Strict},
};

pub use self::{precedent::Review, sessions::Marks};

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
    /// The newest checkpoint in the store.
    pub checkpoint: Option<SignedCheckpoint>,
    /// Approvers in the store, revoked ones included.
    pub approvers: Vec<Approver>,
    /// Whether every door but deny is closed.
    pub locked: bool,
    /// What an earlier run left behind.
    pub unfinished: Vec<Unfinished>,
    /// What the person decided before.
    pub before: DecidedBefore,
}

/// What the store remembers of a person's lasting decisions, and of sessions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DecidedBefore {
    /// Rules for projects.
    pub rules: Vec<Rule>,
    /// Consents, ended ones included.
    pub consents: Vec<Consent>,
    /// Sessions' marks.
    pub marks: Vec<(SessionKey, Marks)>,
    /// What is strict.
    pub strict: BTreeSet<Strict>,
    /// Whether Countersign is paused.
    pub is_paused: bool,
    /// Branches that no agent pushes to, besides the built-in ones (REF-1).
    pub protected: BTreeSet<String>,
    /// Projects whose `.env` files may be read (REF-2).
    pub env_lifted: BTreeSet<String>,
    /// Risks of project settings that the person accepted, as [`crate::draft::Draft::risky`] names them (REQ-5).
    pub settings_accepted: BTreeSet<String>,
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

/// What the core waits for before it takes anything else.
#[derive(Debug)]
enum Wait {
    Commit { tx: TxId, head: Head, checkpoint: Option<SignedCheckpoint>, then: Box<Then> },
    Facts { request: RequestId, settling: Box<Settling> },
}

/// Decides. Inputs in, commands out.
#[derive(Debug)]
pub struct Core {
    run_id: RunId,
    desktop: SigningKey,
    desktop_id: DesktopId,
    settings: Settings,
    head: Head,
    checkpoint: Option<SignedCheckpoint>,
    /// Boot time of the first change since the newest checkpoint.
    changed_boot_ms: Option<u64>,
    locked: bool,
    approvers: BTreeMap<DeviceId, Approver>,
    ledger: Ledger,
    sessions: Sessions,
    rules: SavedRules,
    policies: Policies,
    strict: BTreeSet<Strict>,
    is_paused: bool,
    settings_accepted: BTreeSet<String>,
    protected: BTreeSet<String>,
    env_lifted: BTreeSet<String>,
    /// Waiting requests that a rule saved just now may answer.
    twins: VecDeque<RequestId>,
    complaints: Complaints,
    releasing: BTreeMap<HookId, Releasing>,
    wait: Option<Wait>,
    backlog: VecDeque<Input>,
    commands: VecDeque<Command>,
    next_tx: u64,
}

impl Core {
    /// Begins a run: its first command commits what an earlier run left unfinished (pending → cancelled,
    /// releasing → unknown) and that this run started.
    #[must_use]
    pub fn start(start: Start, now: Now) -> Self {
        let Start { run_id, desktop, settings, head, checkpoint, approvers, locked, unfinished, before } =
            start;
        let desktop_id =
            DesktopId::new(*domain::hash(domain::DESKTOP_ID, &[desktop.public().as_bytes()]).as_bytes());
        let policies = Policies::load(before.consents, &settings.home);
        let mut core = Self {
            run_id,
            desktop,
            desktop_id,
            settings,
            head,
            checkpoint,
            changed_boot_ms: None,
            locked,
            approvers: approvers.into_iter().map(|approver| (approver.who.device_id, approver)).collect(),
            ledger: Ledger::default(),
            sessions: Sessions::load(before.marks),
            rules: before.rules.into_iter().collect(),
            policies,
            strict: before.strict,
            is_paused: before.is_paused,
            settings_accepted: before.settings_accepted,
            protected: before.protected,
            env_lifted: before.env_lifted,
            twins: VecDeque::new(),
            complaints: Complaints::default(),
            releasing: BTreeMap::new(),
            wait: None,
            backlog: VecDeque::new(),
            commands: VecDeque::new(),
            next_tx: 1,
        };
        let mut tx = core.begin(now);
        tx.record(Body::of(Event::Started));
        for left in unfinished {
            Self::finish_after_crash(&mut tx, left);
        }
        // A phone that comes in this run has something to hold against a log that is cut later.
        tx.checkpoint();
        core.propose(tx, Then::Nothing);
        core
    }

    /// An earlier run's request is never released again: its hook's socket is gone (protocol.md §9).
    fn finish_after_crash(tx: &mut Tx, left: Unfinished) {
        let (state, event) = match left.state {
            RequestState::Releasing => (RequestState::Unknown, Event::Unknown),
            _ => (RequestState::Cancelled, Event::Withdrawn),
        };
        tx.write(Write::RequestState { id: left.request, state });
        for offer in left.offers {
            tx.write(Write::OfferState { id: offer, state: OfferState::Cancelled });
        }
        let note = Some(Foreign::new("the daemon was restarted"));
        tx.record(Body { request: Some(left.request), note, ..Body::of(event) });
    }

    /// Takes something that happened. While a commit or a derivation is awaited, everything but its result waits in
    /// order.
    pub fn handle(&mut self, input: Input, now: Now) {
        if self.wait.is_some() && !self.is_awaited(&input) {
            self.backlog.push_back(input);
            return;
        }
        self.dispatch(input, now);
        while self.wait.is_none() {
            if let Some(twin) = self.twins.pop_front() {
                self.answer_twin(twin);
                continue;
            }
            let Some(next) = self.backlog.pop_front() else { break };
            self.dispatch(next, now);
        }
    }

    fn is_awaited(&self, input: &Input) -> bool {
        match (&self.wait, input) {
            (Some(Wait::Commit { tx, .. }), Input::Committed(done) | Input::CommitFailed(done)) => tx == done,
            (Some(Wait::Facts { request, .. }), Input::Rederived { request: of, .. }) => request == of,
            _ => false,
        }
    }

    fn dispatch(&mut self, input: Input, now: Now) {
        match input {
            Input::Ask(ask) => self.ask(*ask, now),
            Input::Before(before) => self.before(*before, now),
            Input::HookGone { hook, why } => self.hook_gone(hook, why, now),
            Input::Observed { session, what } => self.observed(session, what, now),
            Input::Fronted { surface, request, binding, seen_to_end } => {
                self.fronted(surface, request, binding, seen_to_end, now);
            }
            Input::SurfaceGone(surface) => self.ledger.clear_fronts(surface, None),
            Input::Click(click) => self.click(click, now),
            Input::Deny(which) => self.deny(which, now),
            Input::Release(which) => self.release(which, now),
            Input::Lock => self.lock(None, now),
            Input::Unlock => self.unlock(now),
            Input::Phone { device, message, recall } => self.phone(device, message, recall, now),
            Input::PhoneGarbage { device } => {
                self.complain(device, countersign_proto::Refusal::Malformed, None, now);
            }
            Input::SessionLive(device) => self.session(device, true),
            Input::SessionOver(device) => self.session(device, false),
            Input::Paired { approver, seed } => self.paired(*approver, seed, now),
            Input::PairingFailed { why } => self.pairing_failed(why, now),
            Input::Revoke(device) => self.revoke(device, now),
            Input::Unsuspend(device) => self.unsuspend(device, now),
            Input::RemoveRule(id) => self.remove_rule(id, now),
            Input::ResumeRule(id) => self.resume_rule(id, now),
            Input::Accept(accept) => self.accept_text(*accept, now),
            Input::RevokeConsent(id) => self.revoke_consent(id, now),
            Input::Managed(managed) => self.managed(*managed, now),
            Input::Strict { what, is_strict } => self.set_strict(what, is_strict, now),
            Input::Pause(is_paused) => self.pause(is_paused, now),
            Input::Protect { branch, is_protected } => self.protect(branch, is_protected, now),
            Input::LiftEnv { project, is_lifted } => self.lift_env(project, is_lifted, now),
            Input::AcceptRisk(risk) => self.accept_risk(risk, now),
            Input::Committed(tx) => self.committed(tx, now),
            Input::CommitFailed(tx) => self.commit_failed(tx, now),
            Input::Rederived { request, draft, request_id, seed } => {
                self.rederived(request, draft.map(|draft| *draft), request_id, seed, now);
            }
            Input::Delivered { hook, written } => self.delivered(hook, written, now),
            Input::Tick => self.tick(now),
            Input::Shutdown => self.shutdown(now),
        }
    }

    /// The next thing to do.
    pub fn poll_command(&mut self) -> Option<Command> {
        self.commands.pop_front()
    }

    /// Boot time in ms at which to hand in [`Input::Tick`]; `None` where nothing is due.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<u64> {
        let deadline = self.ledger.waiting().map(|pending| pending.deadline_boot_ms).min();
        let checkpoint = self.changed_boot_ms.map(|at| at.saturating_add(audit::CHECKPOINT_MS));
        [deadline, checkpoint, self.complaints.due_boot_ms()].into_iter().flatten().min()
    }

    /// The waiting requests in the order they came.
    #[must_use]
    pub fn cards(&self) -> Vec<Card<'_>> {
        let shown = || self.ledger.waiting().filter(|pending| !pending.is_quiet());
        let of = shown().count();
        let cards = (1..).zip(shown());
        cards
            .map(|(position, pending)| Card {
                request: &pending.request,
                binding: pending.binding,
                deadline_boot_ms: pending.deadline_boot_ms,
                hook: pending.hook,
                position,
                of,
            })
            .collect()
    }

    /// One waiting request.
    #[must_use]
    pub fn card(&self, request: RequestId) -> Option<Card<'_>> {
        self.cards().into_iter().find(|card| card.request.id == request)
    }

    /// The hook of a waiting request, those included that never were a card.
    #[must_use]
    pub fn hook(&self, request: RequestId) -> Option<HookId> {
        self.ledger.get(request).map(|pending| pending.hook)
    }

    /// Every approver, revoked ones included.
    #[must_use]
    pub fn approvers(&self) -> Vec<&Approver> {
        self.approvers.values().collect()
    }

    /// Whether every door but deny is closed.
    #[must_use]
    pub const fn is_locked(&self) -> bool {
        self.locked
    }

    /// Where the audit log stands.
    #[must_use]
    pub const fn head(&self) -> Head {
        self.head
    }

    /// This installation's id.
    #[must_use]
    pub const fn desktop_id(&self) -> DesktopId {
        self.desktop_id
    }

    fn tick(&mut self, now: Now) {
        let over: Vec<RequestId> = self
            .ledger
            .waiting()
            .filter(|pending| now.boot_ms >= pending.deadline_boot_ms)
            .map(|pending| pending.request.id)
            .collect();
        if !over.is_empty() {
            self.expire(&over, now);
        } else if self.complaints.is_due(now.boot_ms) {
            self.flush_complaints(now);
        } else if self
            .changed_boot_ms
            .is_some_and(|at| now.boot_ms >= at.saturating_add(audit::CHECKPOINT_MS))
        {
            let mut tx = self.begin(now);
            tx.checkpoint();
            self.propose(tx, Then::Nothing);
        }
    }

    fn shutdown(&mut self, now: Now) {
        let mut tx = self.begin(now);
        let waiting: Vec<RequestId> = self.ledger.waiting().map(|pending| pending.request.id).collect();
        let endings = waiting
            .into_iter()
            .filter_map(|id| self.withdrawal(&mut tx, id, "the daemon is ending", true))
            .collect();
        for body in self.complaints.flush(None) {
            tx.record(body);
        }
        tx.record(Body::of(Event::Stopped));
        tx.checkpoint();
        self.propose(tx, Then::End(endings, None));
    }
}
