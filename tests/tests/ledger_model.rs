//! The ledger of protocol.md §9 as an exhaustive model in a small scope: two requests, two runs, an honest phone, a
//! phone whose device key was stolen, a network that repeats and reorders, a person at the desk, a disk that fails.
//! Every guard is then removed in turn, and the model must notice.

use std::collections::BTreeSet;

use stateright::{Checker, Model, Property};

/// Boot time at which a request is over.
const DEADLINE: u8 = 1;
/// Replies on the network at most.
const MESSAGES: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Stand {
    Absent,
    Pending,
    Releasing,
    Released,
    Unreleased,
    Unknown,
    Expired,
    Cancelled,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Choice {
    Allow,
    Deny,
}

/// A phone's signed reply on the network. It stays there: any number of copies may be delivered at any time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Reply {
    device: u8,
    /// The request whose offer it names.
    request: u8,
    /// The request whose offer was hashed and signed.
    signed: u8,
    /// The run of that offer.
    run: u8,
    choice: Choice,
    bio: bool,
    counter: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Who {
    Phone(Reply),
    /// A click with the binding of this request's card, in this run.
    Click {
        binding: u8,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Decided {
    who: Who,
    choice: Choice,
    tick: u8,
    run: u8,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct State {
    tick: u8,
    run: u8,
    stand: [Stand; 2],
    decided: [Option<Decided>; 2],
    /// Audit entries of a decision, per request of this run.
    audited: [u8; 2],
    released: [u8; 2],
    stored: [u8; 2],
    signed: [u8; 2],
    revoked: [bool; 2],
    net: BTreeSet<Reply>,
    /// Replies that were accepted, as (device, counter).
    accepted: BTreeSet<(u8, u8)>,
    /// What a person really approved, as (device, request, run).
    meant: BTreeSet<(u8, u8, u8)>,
    wrong: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Ask(u8),
    Sign { device: u8, request: u8, choice: Choice },
    Steal { request: u8, bio_of_other: bool },
    Clone { request: u8 },
    Deliver { reply: Reply, disk_fails: bool },
    Click { request: u8, binding: u8 },
    Release { request: u8, hook_is_there: bool },
    Tick,
    Expire(u8),
    Cancel(u8),
    Revoke(u8),
    Crash,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Guard {
    Single,
    Bio,
    Hash,
    Deadline,
    Revocation,
    Counter,
    Run,
    Binding,
    CommitBeforeRelease,
    FailedCommitIsSilence,
    ReleaseOnce,
    NoReleaseAfterCrash,
    NoRevivalAfterCrash,
    AuditWithDecision,
    CounterWithDecision,
}

const GUARDS: [Guard; 15] = [
    Guard::Single,
    Guard::Bio,
    Guard::Hash,
    Guard::Deadline,
    Guard::Revocation,
    Guard::Counter,
    Guard::Run,
    Guard::Binding,
    Guard::CommitBeforeRelease,
    Guard::FailedCommitIsSilence,
    Guard::ReleaseOnce,
    Guard::NoReleaseAfterCrash,
    Guard::NoRevivalAfterCrash,
    Guard::AuditWithDecision,
    Guard::CounterWithDecision,
];

struct Ledger {
    removed: Option<Guard>,
}

impl Ledger {
    fn holds(&self, guard: Guard) -> bool {
        self.removed != Some(guard)
    }

    /// Whether the ledger takes a reply, guard by guard.
    fn takes(&self, state: &State, reply: &Reply) -> bool {
        let request = usize::from(reply.request);
        let device = usize::from(reply.device);
        let is_open = state.stand[request] == Stand::Pending
            || !self.holds(Guard::Single) && state.audited[request] > 0;
        is_open
            && (!state.revoked[device] || !self.holds(Guard::Revocation))
            && (reply.run == state.run || !self.holds(Guard::Run))
            && (reply.signed == reply.request || !self.holds(Guard::Hash))
            && (reply.counter > state.stored[device] || !self.holds(Guard::Counter))
            && (reply.choice == Choice::Deny || reply.bio || !self.holds(Guard::Bio))
            && (state.tick < DEADLINE || !self.holds(Guard::Deadline))
    }

    /// Settles a reply: decision, counter and audit entry in one transaction, or nothing and silence.
    fn settle(&self, state: &mut State, reply: Reply, disk_fails: bool) {
        let request = usize::from(reply.request);
        let device = usize::from(reply.device);
        if disk_fails {
            state.stand[request] = Stand::Cancelled;
            if !self.holds(Guard::FailedCommitIsSilence) {
                let who = Who::Phone(reply);
                state.decided[request] =
                    Some(Decided { who, choice: reply.choice, tick: state.tick, run: state.run });
                self.release(state, request);
            }
            return;
        }
        self.judge(state, &reply);
        if state.decided[request].is_some() && state.audited[request] > 0 {
            state.wrong = Some("7: a request was decided twice");
        }
        self.record(state, request, Who::Phone(reply), reply.choice);
        if !state.accepted.insert((reply.device, reply.counter)) {
            state.wrong = Some("6: two accepted replies share device and counter");
        }
        if self.holds(Guard::CounterWithDecision) {
            if reply.counter < state.stored[device] {
                state.wrong = Some("6: the stored counter fell");
            }
            state.stored[device] = reply.counter;
        }
    }

    /// What only somebody who sees everything knows about an accepted reply.
    fn judge(&self, state: &mut State, reply: &Reply) {
        if state.revoked[usize::from(reply.device)] {
            state.wrong = Some("5: a revoked phone's reply changed state");
        }
        if reply.run != state.run {
            state.wrong = Some("5: an earlier run's reply changed state");
        }
        let is_meant = state.meant.contains(&(reply.device, reply.request, reply.run));
        if reply.choice == Choice::Allow && !is_meant {
            state.wrong = Some("3: an allow that no person gave on that phone for that request");
        }
        if reply.choice == Choice::Allow && state.tick >= DEADLINE {
            state.wrong = Some("4: an allow committed at or after the deadline");
        }
    }

    fn record(&self, state: &mut State, request: usize, who: Who, choice: Choice) {
        state.decided[request] = Some(Decided { who, choice, tick: state.tick, run: state.run });
        state.stand[request] = Stand::Releasing;
        if self.holds(Guard::AuditWithDecision) {
            state.audited[request] += 1;
        }
        if !self.holds(Guard::CommitBeforeRelease) {
            // Tells the hook before the transaction is stored; a crash between the two forgets the record.
            state.audited[request] = state.audited[request].saturating_sub(1);
            self.release(state, request);
        }
    }

    fn release(&self, state: &mut State, request: usize) {
        state.released[request] += 1;
        if state.released[request] > 1 {
            state.wrong = Some("1: released twice");
        }
        match state.decided[request] {
            Some(decided) if decided.run != state.run => {
                state.wrong = Some("1: released in another run than decided");
            }
            Some(_) if state.audited[request] == 0 => {
                state.wrong = Some("2: released without a committed record");
            }
            Some(_) => {}
            None => state.wrong = Some("2: released without a decision"),
        }
        state.stand[request] = Stand::Released;
    }

    fn crash(&self, state: &mut State) {
        state.run += 1;
        for request in 0..2 {
            state.stand[request] = match state.stand[request] {
                Stand::Pending if self.holds(Guard::NoRevivalAfterCrash) => Stand::Cancelled,
                Stand::Pending => {
                    // The row is taken for a live request: its hook's socket is gone, so nobody may answer it.
                    state.wrong = Some("1: a request outlived the run it waited in");
                    Stand::Pending
                }
                Stand::Releasing if self.holds(Guard::NoReleaseAfterCrash) => Stand::Unknown,
                other => other,
            };
        }
    }
}

impl Model for Ledger {
    type State = State;
    type Action = Act;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            tick: 0,
            run: 0,
            stand: [Stand::Absent; 2],
            decided: [None; 2],
            audited: [0; 2],
            released: [0; 2],
            stored: [0; 2],
            signed: [0; 2],
            revoked: [false; 2],
            net: BTreeSet::new(),
            accepted: BTreeSet::new(),
            meant: BTreeSet::new(),
            wrong: None,
        }]
    }

    fn actions(&self, state: &State, acts: &mut Vec<Act>) {
        if state.wrong.is_some() {
            return;
        }
        for request in 0..2u8 {
            let stand = state.stand[usize::from(request)];
            match stand {
                // The first request waits from the start; the second comes when it likes, the first again after a crash.
                Stand::Absent => acts.push(Act::Ask(request)),
                Stand::Cancelled | Stand::Unknown
                    if state.run == 1 && request == 0 && state.audited[0] == 0 =>
                {
                    acts.push(Act::Ask(request));
                }
                Stand::Pending => {
                    acts.extend([Act::Cancel(request), Act::Click { request, binding: request }]);
                    acts.push(Act::Click { request, binding: 1 - request });
                    if state.tick >= DEADLINE {
                        acts.push(Act::Expire(request));
                    }
                }
                Stand::Releasing => {
                    acts.extend([true, false].map(|hook_is_there| Act::Release { request, hook_is_there }))
                }
                Stand::Released if !self.holds(Guard::ReleaseOnce) => {
                    acts.push(Act::Release { request, hook_is_there: true });
                }
                _ => {}
            }
            if stand == Stand::Pending {
                self.signatures(state, request, acts);
            }
        }
        for reply in &state.net {
            if self.takes(state, reply) {
                acts.extend([false, true].map(|disk_fails| Act::Deliver { reply: *reply, disk_fails }));
            }
        }
        if state.tick < DEADLINE {
            acts.push(Act::Tick);
        }
        if state.run == 0 {
            acts.push(Act::Crash);
        }
        if !state.revoked[0] {
            acts.push(Act::Revoke(0));
        }
    }

    fn next_state(&self, last: &State, act: Act) -> Option<State> {
        let mut state = last.clone();
        match act {
            Act::Ask(request) => {
                state.stand[usize::from(request)] = Stand::Pending;
                state.decided[usize::from(request)] = None;
            }
            Act::Sign { device, request, choice } => {
                state.signed[usize::from(device)] += 1;
                if choice == Choice::Allow {
                    state.meant.insert((device, request, state.run));
                }
                let counter = state.signed[usize::from(device)];
                let bio = choice == Choice::Allow;
                state.net.insert(Reply {
                    device,
                    request,
                    signed: request,
                    run: state.run,
                    choice,
                    bio,
                    counter,
                });
            }
            Act::Steal { request, bio_of_other } => {
                let counter = state.signed[1] + 1;
                let signed = if bio_of_other { 1 - request } else { request };
                let (run, choice) = (state.run, Choice::Allow);
                state.net.insert(Reply {
                    device: 1,
                    request,
                    signed,
                    run,
                    choice,
                    bio: bio_of_other,
                    counter,
                });
            }
            Act::Clone { request } => {
                let (run, choice) = (state.run, Choice::Deny);
                state.net.insert(Reply {
                    device: 0,
                    request,
                    signed: request,
                    run,
                    choice,
                    bio: false,
                    counter: 1,
                });
            }
            Act::Deliver { reply, disk_fails } => self.settle(&mut state, reply, disk_fails),
            Act::Click { request, binding } => self.clicked(&mut state, request, binding),
            Act::Release { request, hook_is_there: true } => self.release(&mut state, usize::from(request)),
            Act::Release { request, hook_is_there: false } => {
                state.stand[usize::from(request)] = Stand::Unreleased;
            }
            Act::Tick => state.tick += 1,
            Act::Expire(request) => state.stand[usize::from(request)] = Stand::Expired,
            Act::Cancel(request) => state.stand[usize::from(request)] = Stand::Cancelled,
            Act::Revoke(device) => state.revoked[usize::from(device)] = true,
            Act::Crash => self.crash(&mut state),
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("every invariant holds", |_, state: &State| state.wrong.is_none()),
            Property::sometimes("a phone's allow is released", |_, state: &State| {
                (0..2).any(|request| {
                    state.stand[request] == Stand::Released
                        && matches!(
                            state.decided[request],
                            Some(Decided { who: Who::Phone(_), choice: Choice::Allow, .. })
                        )
                })
            }),
            Property::sometimes("a click's allow is released", |_, state: &State| {
                (0..2).any(|request| {
                    state.stand[request] == Stand::Released
                        && matches!(state.decided[request], Some(Decided { who: Who::Click { .. }, .. }))
                })
            }),
            Property::sometimes("both requests are answered", |_, state: &State| {
                state.stand == [Stand::Released; 2]
            }),
        ]
    }
}

impl Ledger {
    fn signatures(&self, state: &State, request: u8, acts: &mut Vec<Act>) {
        if state.signed[0] < 2 && state.net.len() < MESSAGES {
            acts.extend([Choice::Allow, Choice::Deny].map(|choice| Act::Sign { device: 0, request, choice }));
        }
        // A clone and a thief add to the network only what the model does not hold yet, and not without bound.
        if state.net.len() < MESSAGES {
            if state.signed[0] > 0 {
                acts.push(Act::Clone { request });
            }
            acts.extend([true, false].map(|bio_of_other| Act::Steal { request, bio_of_other }));
        }
    }

    fn clicked(&self, state: &mut State, request: u8, binding: u8) {
        let at = usize::from(request);
        let is_taken = (binding == request || !self.holds(Guard::Binding))
            && (state.tick < DEADLINE || !self.holds(Guard::Deadline));
        if !is_taken {
            return;
        }
        if binding != request {
            state.wrong = Some("3: a click on another card allowed");
        }
        if state.tick >= DEADLINE {
            state.wrong = Some("4: an allow committed at or after the deadline");
        }
        self.record(state, at, Who::Click { binding }, Choice::Allow);
    }
}

#[test]
fn the_ledger_keeps_every_invariant_in_every_order_of_events() {
    let checker = Ledger { removed: None }.checker().threads(2).spawn_bfs().join();
    println!("ledger model: {} states", checker.unique_state_count());
    checker.assert_properties();
}

#[test]
fn every_removed_guard_is_noticed() {
    for guard in GUARDS {
        let checker = Ledger { removed: Some(guard) }
            .checker()
            .threads(2)
            .finish_when(stateright::HasDiscoveries::AnyOf(
                BTreeSet::from(["every invariant holds"]).into_iter().collect(),
            ))
            .spawn_bfs()
            .join();
        let path = checker.discovery("every invariant holds");
        let path = path.unwrap_or_else(|| panic!("nothing noticed that {guard:?} is gone"));
        println!(
            "without {guard:?}: {} after {} steps",
            path.last_state().wrong.expect("a violation"),
            path.into_actions().len()
        );
    }
}
