//! How requests ended, as surfaces hear it (CARD-7): from what was stored about each, held back for a moment until it
//! is known whether the agent's hook took the answer.

use std::collections::BTreeMap;

use countersign_core::{
    command::{Report, RequestState, Source, Transaction, Verdict, Write},
    draft::Observed,
    input::{HookGone, HookId, Input},
};
use countersign_ipc::control::{Ending, Outcome as End};
use countersign_proto::{
    id::{DeviceId, RequestId},
    message::Closed,
    text::Shown,
};
use tokio::sync::oneshot;

use super::handle::Outcome;

/// How long an ending waits for its hook before surfaces hear of it all the same.
const HELD_MS: u64 = 500;

/// What was stored of a request that ends.
#[derive(Debug, Clone, Copy)]
enum Fate {
    Decided(Verdict, Source),
    Expired,
    Withdrawn,
    NotStored,
}

/// An ending that waits for its hook.
#[derive(Debug)]
struct Held {
    ending: Ending,
    due_boot_ms: u64,
    act: Option<u64>,
}

/// An act whose outcome is not complete yet.
#[derive(Debug)]
struct Act {
    reply: oneshot::Sender<Outcome>,
    outcome: Outcome,
    missing: usize,
}

/// Endings in the making.
#[derive(Debug, Default)]
pub(super) struct Endings {
    hooks: BTreeMap<RequestId, HookId>,
    held: BTreeMap<HookId, Held>,
    acts: BTreeMap<u64, Act>,
    next: u64,
}

/// What one input brought about, gathered while its commands are carried out.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    fates: BTreeMap<RequestId, Fate>,
    closed: Vec<(RequestId, Ending)>,
    answered: Vec<HookId>,
    pub(super) opened: Vec<RequestId>,
    pub(super) report: Option<Report>,
    is_session_over: bool,
}

impl Gathered {
    pub(super) fn of(input: &Input) -> Self {
        let is_session_over = matches!(
            input,
            Input::HookGone { why: HookGone::AgentGone, .. }
                | Input::Observed { what: Observed::SessionOver, .. }
        );
        Self { is_session_over, ..Self::default() }
    }

    /// Notes what a transaction says of each request's end.
    pub(super) fn note(&mut self, transaction: &Transaction, is_stored: bool) {
        for write in &transaction.writes {
            let (request, fate) = match write {
                Write::Decision { request, answer, source } => (*request, Fate::Decided(*answer, *source)),
                Write::RequestState { id, state: RequestState::Expired } => (*id, Fate::Expired),
                Write::RequestState { id, state: RequestState::Cancelled } => (*id, Fate::Withdrawn),
                _ => continue,
            };
            self.fates.insert(request, if is_stored { fate } else { Fate::NotStored });
        }
    }

    pub(super) fn close(
        &mut self,
        request: RequestId,
        how: Closed,
        by: &Shown,
        name: impl FnOnce(DeviceId) -> Option<Shown>,
    ) {
        let fate = self.fates.get(&request).copied().unwrap_or(Fate::Withdrawn);
        let (outcome, text) = told(fate, how, by, self.is_session_over);
        let whose = match fate {
            Fate::Decided(_, Source::Phone { device, .. }) => name(device).map(|name| name.to_string()),
            Fate::Decided(
                _,
                Source::Click
                | Source::Terminal
                | Source::Lock
                | Source::Green(_)
                | Source::Rule(_)
                | Source::Policy { .. }
                | Source::Refused
                | Source::Before,
            ) => Some("this desktop".to_owned()),
            Fate::Expired | Fate::Withdrawn | Fate::NotStored => None,
        };
        let request_id = request.to_string();
        let by = whose.unwrap_or_default();
        self.closed.push((request, Ending { request_id, outcome, by, text, delivered: false }));
    }

    pub(super) fn answer(&mut self, hook: HookId) {
        self.answered.push(hook);
    }
}

fn told(fate: Fate, how: Closed, by: &Shown, is_session_over: bool) -> (End, String) {
    match (fate, how) {
        (Fate::NotStored, _) => (End::Abstained, format!("Went back to the terminal: {by}")),
        (_, Closed::Superseded) => (End::Withdrawn, format!("A new card took its place: {by}")),
        (Fate::Decided(Verdict::Allow, Source::Rule(_) | Source::Policy { .. } | Source::Green(_)), _) => {
            (End::Allowed, capital(by))
        }
        (Fate::Decided(_, Source::Lock), _) => (End::Denied, format!("Denied: {by}")),
        (Fate::Decided(Verdict::Allow, _), _) => (End::Allowed, format!("Allowed {by}")),
        (Fate::Decided(Verdict::Deny, _), _) => (End::Denied, format!("Denied {by}")),
        (Fate::Decided(Verdict::Abstain, _), _) => {
            (End::HandedOff, format!("Went back to the terminal {by}"))
        }
        (Fate::Expired, _) => (End::Expired, format!("Went back to the terminal: {by}")),
        (Fate::Withdrawn, _) if is_session_over => (End::Cancelled, format!("Cancelled: {by}")),
        (Fate::Withdrawn, _) => (End::Withdrawn, format!("Withdrawn: {by}")),
    }
}

/// "always allowed" as the beginning of a line.
fn capital(by: &Shown) -> String {
    let mut letters = by.as_str().chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

impl Endings {
    /// Remembers which hook waits for which request.
    pub(super) fn open(&mut self, request: RequestId, hook: HookId) {
        self.hooks.insert(request, hook);
    }

    /// Takes in what an input brought about. Returns the endings that need not wait for a hook.
    pub(super) fn take(
        &mut self,
        gathered: Gathered,
        reply: Option<oneshot::Sender<Outcome>>,
        boot_ms: u64,
    ) -> Vec<Ending> {
        let Gathered { closed, answered, report, .. } = gathered;
        let mut ready = Vec::new();
        let mut waits = Vec::new();
        for (request, ending) in closed {
            match self.hooks.remove(&request).filter(|hook| answered.contains(hook)) {
                Some(hook) => waits.push((hook, ending)),
                None => ready.push(ending),
            }
        }
        let act = reply.and_then(|reply| {
            let outcome = Outcome { report, endings: ready.clone() };
            self.begin(Act { reply, outcome, missing: waits.len() })
        });
        let due_boot_ms = boot_ms.saturating_add(HELD_MS);
        self.held.extend(waits.into_iter().map(|(hook, ending)| (hook, Held { ending, due_boot_ms, act })));
        ready
    }

    /// A hook took its answer, or was gone.
    pub(super) fn delivered(&mut self, hook: HookId, written: bool) -> Option<Ending> {
        let held = self.held.remove(&hook)?;
        Some(self.release(held, written))
    }

    /// The endings that waited long enough.
    pub(super) fn overdue(&mut self, boot_ms: u64) -> Vec<Ending> {
        let due: Vec<HookId> =
            self.held.iter().filter(|(_, held)| held.due_boot_ms <= boot_ms).map(|(hook, _)| *hook).collect();
        due.into_iter().filter_map(|hook| self.delivered(hook, false)).collect()
    }

    /// When the next ending is due.
    pub(super) fn due_boot_ms(&self) -> Option<u64> {
        self.held.values().map(|held| held.due_boot_ms).min()
    }

    fn begin(&mut self, act: Act) -> Option<u64> {
        if act.missing == 0 {
            let _ = act.reply.send(act.outcome);
            return None;
        }
        self.next += 1;
        self.acts.insert(self.next, act);
        Some(self.next)
    }

    fn release(&mut self, held: Held, delivered: bool) -> Ending {
        let ending = Ending { delivered, ..held.ending };
        let Some(id) = held.act else { return ending };
        if let Some(act) = self.acts.get_mut(&id) {
            act.outcome.endings.push(ending.clone());
            act.missing -= 1;
        }
        if self.acts.get(&id).is_some_and(|act| act.missing == 0)
            && let Some(act) = self.acts.remove(&id)
        {
            let _ = act.reply.send(act.outcome);
        }
        ending
    }
}
