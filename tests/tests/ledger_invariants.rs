//! The invariants of protocol.md §9 over random histories, against the core with the daemon's real SQLite store (and,
//! for many more histories, with a store in memory): people, phones, thieves, crashes, full disks and clocks.

use std::collections::{BTreeMap, BTreeSet};

use countersign_core::{
    audit::{Flaw, Head, Verifier},
    command::{Change, RequestState, Verdict},
    draft::{Draft, EndedCall, Observed},
    input::{Choice, Click, HookGone, HookId, Input, SurfaceId, Which},
};
use countersign_proto::reply::Decision;
use countersign_proto::{
    id::{Hash, RequestId},
    limits,
    message::Message,
    request::Block,
    text::Shown,
};
use countersign_tests::desk::{Desk, Memory, Pocket, Said, Shelf, Signing, Sqlite, draft};
use proptest::{prelude::*, strategy::ValueTree as _};

/// One thing that happens. Indices are taken modulo what there is.
#[derive(Debug, Clone)]
enum Op {
    Ask { session: u8, command: u8 },
    Reply { phone: u8, request: u8, decision: Decision, how: How },
    Replay(u8),
    Look { surface: u8, request: u8, whole: bool },
    Click { surface: u8, request: u8, choice: u8, right_binding: bool },
    Pass(u32),
    HookGone(u8),
    Observed { session: u8, what: u8 },
    Deny(u8),
    ReleaseAll,
    Lock { by_phone: bool },
    Unlock,
    Revoke(u8),
    Unsuspend(u8),
    Session { phone: u8, live: bool },
    Crash,
    DiskFull(u8),
    SlowDisk(u32),
    FactsChange(u8),
    Deaf(u8),
    Pair,
}

#[derive(Debug, Clone, Copy)]
enum How {
    Honest,
    NoBio,
    ForeignKey,
    OtherOffer,
    OldCounter,
    OtherPhonesSession,
}

fn op() -> impl Strategy<Value = Op> {
    let decision = proptest::sample::select(Decision::ALL.to_vec());
    let how = prop_oneof![
        6 => Just(How::Honest),
        1 => Just(How::NoBio),
        1 => Just(How::ForeignKey),
        1 => Just(How::OtherOffer),
        1 => Just(How::OldCounter),
        1 => Just(How::OtherPhonesSession),
    ];
    let approve = prop_oneof![3 => Just(Decision::ApproveOnce), 4 => decision];
    prop_oneof![
        16 => (any::<u8>(), any::<u8>()).prop_map(|(session, command)| Op::Ask { session, command }),
        24 => (any::<u8>(), any::<u8>(), approve, how)
            .prop_map(|(phone, request, decision, how)| Op::Reply { phone, request, decision, how }),
        2 => any::<u8>().prop_map(Op::Replay),
        6 => (any::<u8>(), any::<u8>(), any::<bool>())
            .prop_map(|(surface, request, whole)| Op::Look { surface, request, whole }),
        8 => (any::<u8>(), any::<u8>(), any::<u8>(), prop_oneof![3 => Just(true), 1 => Just(false)])
            .prop_map(|(surface, request, choice, right_binding)| Op::Click { surface, request, choice, right_binding }),
        6 => prop_oneof![6 => 0..2_000u32, 1 => 100_000..130_000u32].prop_map(Op::Pass),
        1 => any::<u8>().prop_map(Op::HookGone),
        1 => (any::<u8>(), any::<u8>()).prop_map(|(session, what)| Op::Observed { session, what }),
        1 => any::<u8>().prop_map(Op::Deny),
        1 => Just(Op::ReleaseAll),
        1 => any::<bool>().prop_map(|by_phone| Op::Lock { by_phone }),
        4 => Just(Op::Unlock),
        1 => any::<u8>().prop_map(Op::Revoke),
        1 => any::<u8>().prop_map(Op::Unsuspend),
        1 => (any::<u8>(), any::<bool>()).prop_map(|(phone, live)| Op::Session { phone, live }),
        1 => Just(Op::Crash),
        1 => (1..3u8).prop_map(Op::DiskFull),
        1 => prop_oneof![4 => Just(0u32), 1 => Just(120_000u32)].prop_map(Op::SlowDisk),
        1 => any::<u8>().prop_map(Op::FactsChange),
        1 => any::<u8>().prop_map(Op::Deaf),
        1 => Just(Op::Pair),
    ]
}

/// A history and what only its author knows: what was really meant, and what was seen so far.
struct History<S: Shelf> {
    desk: Desk<S>,
    phones: Vec<Pocket>,
    /// Every request that ever came, with its hook and deadline.
    requests: Vec<(RequestId, HookId, u64)>,
    /// Hooks a person really allowed: by both signatures over its own offer, or by a good click.
    meant: BTreeSet<HookId>,
    /// Session and command of each hook's call.
    calls: BTreeMap<HookId, (u8, u8)>,
    /// Calls a person said *Always* to: of one session, or of every one.
    always: BTreeSet<(Option<u8>, u8)>,
    /// Every reply that was ever delivered.
    recorded: Vec<(countersign_proto::id::DeviceId, Message)>,
    counters: BTreeMap<countersign_proto::id::DeviceId, u64>,
    log_len: usize,
    told: usize,
}

/// Everything that a replay must leave as it is.
#[derive(Debug, PartialEq)]
struct State {
    told: usize,
    decisions: BTreeMap<RequestId, Verdict>,
    stands: Vec<Option<RequestState>>,
    counters: Vec<u64>,
    locked: bool,
}

impl<S: Shelf> History<S> {
    fn begin(shelf: S) -> Self {
        let mut desk = Desk::over(shelf);
        let phones = vec![desk.pair("ada's phone"), desk.pair("bob's phone")];
        Self {
            desk,
            phones,
            requests: Vec::new(),
            meant: BTreeSet::new(),
            calls: BTreeMap::new(),
            always: BTreeSet::new(),
            recorded: Vec::new(),
            counters: BTreeMap::new(),
            log_len: 0,
            told: 0,
        }
    }

    fn request(&self, at: u8) -> Option<(RequestId, HookId, u64)> {
        let newest = self.requests.len().saturating_sub(6);
        let recent = &self.requests[newest..];
        recent.get(usize::from(at) % recent.len().max(1)).copied()
    }

    /// New cards that took the place of older ones belong to the same hooks.
    fn note_new_cards(&mut self) {
        for card in self.desk.core.cards() {
            if !self.requests.iter().any(|(id, ..)| *id == card.request.id) {
                self.requests.push((card.request.id, card.hook, card.deadline_boot_ms));
            }
        }
    }

    fn run(&mut self, op: &Op) {
        match op {
            Op::Ask { session, command } => {
                let (hook, request) =
                    self.desk.ask(&format!("s{}", session % 3), &format!("make {}", command % 4));
                self.requests.push((request, hook, self.desk.now.boot_ms + 115_000));
                self.calls.insert(hook, (session % 3, command % 4));
            }
            Op::Reply { phone, request, decision, how } => self.reply(*phone, *request, *decision, *how),
            Op::Replay(at) => {
                if let Some((device, message)) =
                    self.recorded.get(usize::from(*at) % self.recorded.len().max(1))
                {
                    let (device, message) = (*device, message.clone());
                    self.desk.phone_says(device, message);
                }
            }
            Op::Look { surface, request, whole } => {
                let Some((id, ..)) = self.request(*request) else { return };
                let binding = self.desk.core.card(id).map_or(Hash::new([0; 32]), |card| card.binding);
                let surface = SurfaceId(u64::from(surface % 2));
                self.desk.act(Input::Fronted { surface, request: id, binding, seen_to_end: *whole });
            }
            Op::Click { surface, request, choice, right_binding } => {
                self.click(*surface, *request, *choice, *right_binding);
            }
            Op::Pass(ms) => self.desk.pass(u64::from(*ms)),
            Op::HookGone(at) => {
                if let Some((_, hook, _)) = self.request(*at) {
                    self.desk.act(Input::HookGone { hook, why: HookGone::Closed });
                }
            }
            Op::Observed { session, what } => {
                let key = draft(&format!("s{}", session % 3), "x").session;
                let what = match what % 4 {
                    0 => Observed::MovedOn,
                    1 => Observed::AnsweredInTerminal,
                    2 => Observed::SessionOver,
                    _ => Observed::Ended {
                        calls: vec![EndedCall {
                            tool: draft("s", "x").tool,
                            raw: draft("s", &format!("make {}", what % 4)).raw,
                            input_hash: draft("s", &format!("make {}", what % 4)).input_hash,
                            id: None,
                            ran: true,
                        }],
                        subagent: None,
                    },
                };
                self.desk.act(Input::Observed { session: key, what });
            }
            Op::Deny(at) => {
                if let Some((id, ..)) = self.request(*at) {
                    self.desk.act(Input::Deny(Which::One(id)));
                }
            }
            Op::ReleaseAll => self.desk.act(Input::Release(Which::All)),
            Op::Lock { by_phone: true } => {
                let lock = self.phones[0].lock();
                let device = self.phones[0].device;
                self.recorded.push((device, lock.clone()));
                self.desk.phone_says(device, lock);
            }
            Op::Lock { by_phone: false } => self.desk.act(Input::Lock),
            Op::Unlock => self.desk.act(Input::Unlock),
            Op::Revoke(at) => {
                let device = self.phones[usize::from(*at) % self.phones.len()].device;
                self.desk.act(Input::Revoke(device));
            }
            Op::Unsuspend(at) => {
                let device = self.phones[usize::from(*at) % self.phones.len()].device;
                self.desk.act(Input::Unsuspend(device));
            }
            Op::Session { phone, live } => {
                let device = self.phones[usize::from(*phone) % self.phones.len()].device;
                self.desk.act(if *live { Input::SessionLive(device) } else { Input::SessionOver(device) });
            }
            Op::Crash => {
                self.desk.shelf.fail(0);
                self.desk.crash();
                for phone in 0..self.phones.len() {
                    let device = self.phones[phone].device;
                    self.desk.act(Input::SessionLive(device));
                }
            }
            Op::DiskFull(commits) => self.desk.shelf.fail(u32::from(*commits)),
            Op::SlowDisk(ms) => self.desk.commit_takes_ms = u64::from(*ms),
            Op::FactsChange(at) => {
                if let Some((id, ..)) = self.request(*at)
                    && let Some(before) = self.desk.drafts.get(&id)
                {
                    let changed =
                        Draft { view: vec![Block::File(Shown::line("other").into())], ..before.clone() };
                    self.desk.facts.insert(id, Some(changed));
                }
            }
            Op::Deaf(at) => {
                if let Some((_, hook, _)) = self.request(*at) {
                    self.desk.deaf.push(hook);
                }
            }
            Op::Pair => {
                if self.phones.len() < 4 {
                    let name = format!("phone {}", self.phones.len());
                    let phone = self.desk.pair(&name);
                    self.phones.push(phone);
                }
            }
        }
        self.note_new_cards();
    }

    fn reply(&mut self, phone: u8, request: u8, decision: Decision, how: How) {
        let at = usize::from(phone) % self.phones.len();
        let Some((id, hook, _)) = self.request(request) else { return };
        let device = self.phones[at].device;
        let Some(offer) = self.desk.offer(device, id) else { return };
        let mut reply = self.phones[at].reply(&offer.signed, decision);
        let mut session = device;
        let mut signing = Signing::Honest;
        match how {
            How::Honest => {}
            How::NoBio => signing = Signing::DeviceOnly,
            How::ForeignKey => {}
            How::OtherOffer => reply.offer_hash = Hash::new([7; 32]),
            How::OldCounter => reply.counter = 1,
            How::OtherPhonesSession => session = self.phones[(at + 1) % self.phones.len()].device,
        }
        let mut signed = self.phones[at].sign(&reply, signing);
        if matches!(how, How::ForeignKey) {
            signed.sig = self.phones[(at + 1) % self.phones.len()].sign(&reply, signing).sig;
        }
        let is_yes = matches!(decision, Decision::ApproveOnce | Decision::ApproveAlways);
        if is_yes && matches!(how, How::Honest | How::OldCounter) {
            self.meant.insert(hook);
        }
        // An honest phone takes the first scope on offer, that of the session.
        if decision == Decision::ApproveAlways && matches!(how, How::Honest | How::OldCounter) {
            self.always(hook, false);
        }
        let message = Message::Reply(signed);
        self.recorded.push((session, message.clone()));
        self.desk.phone_says(session, message);
    }

    fn click(&mut self, surface: u8, request: u8, choice: u8, right_binding: bool) {
        let Some((id, hook, _)) = self.request(request) else { return };
        let shown = self.desk.core.card(id).map(|card| card.binding);
        let binding = match shown {
            Some(binding) if right_binding => binding,
            _ => Hash::new([1; 32]),
        };
        let choice = match choice % 6 {
            0 => Choice::Deny { note: None },
            1 => Choice::HandOff,
            2 => Choice::Always(0),
            3 => Choice::Always(1),
            _ => Choice::AllowOnce,
        };
        // Whether it was in front long enough is the core's to judge; who_answers.rs pins that. Here: a right binding.
        if choice.is_yes() && right_binding && shown.is_some() {
            self.meant.insert(hook);
            match choice {
                Choice::Always(0) => self.always(hook, false),
                Choice::Always(_) => self.always(hook, true),
                Choice::AllowOnce | Choice::Deny { .. } | Choice::HandOff => {}
            }
        }
        let surface = SurfaceId(u64::from(surface % 2));
        self.desk.act(Input::Click(Click { surface, request: id, binding, choice }));
    }

    fn always(&mut self, hook: HookId, in_the_project: bool) {
        if let Some((session, command)) = self.calls.get(&hook) {
            self.always.insert(((!in_the_project).then_some(*session), *command));
        }
    }

    /// Whether a person allowed it, this once or for good.
    fn is_meant(&self, hook: HookId) -> bool {
        let is_always = self.calls.get(&hook).is_some_and(|(session, command)| {
            self.always.contains(&(Some(*session), *command)) || self.always.contains(&(None, *command))
        });
        self.meant.contains(&hook) || is_always
    }

    fn check(&mut self, op: &Op) {
        self.check_told(op);
        self.check_counters(op);
        self.check_log(op);
        let waiting = self.desk.core.cards().len();
        assert!(waiting <= limits::OPEN_REQUESTS, "15: {waiting} wait");
        for change in std::mem::take(&mut self.desk.changes) {
            if let Change::Closed { request, .. } = change {
                assert!(self.desk.core.card(request).is_none(), "a closed card still waits after {op:?}");
            }
        }
    }

    /// 1, 2, 3, 4, 7, 10: what hooks were told since the last look.
    fn check_told(&mut self, op: &Op) {
        let decisions = self.desk.shelf.decisions();
        for at in self.told..self.desk.told.len() {
            let (hook, said) = self.desk.told[at].clone();
            let times = self.desk.told.iter().filter(|(to, _)| *to == hook).count();
            assert_eq!(times, 1, "1: a hook was told {times} times after {op:?}");
            let decided: Vec<Verdict> = self
                .requests
                .iter()
                .filter(|(_, of, _)| *of == hook)
                .filter_map(|(id, ..)| decisions.get(id).copied())
                .collect();
            match said {
                Said::Allow => {
                    assert_eq!(decided, [Verdict::Allow], "2: an allow without its record after {op:?}");
                    assert!(self.is_meant(hook), "3: nobody meant this allow: {op:?}");
                    let deadline = self.requests.iter().find(|(_, of, _)| *of == hook).map(|found| found.2);
                    assert!(deadline.is_some_and(|at| self.desk.now.boot_ms < at), "4: too late: {op:?}");
                }
                Said::Deny(_) => {
                    assert_eq!(decided, [Verdict::Deny], "2: a denial without its record: {op:?}")
                }
                Said::Ask(_) => panic!("nobody asked to be asked: {op:?}"),
                Said::Silence => assert!(decided.len() <= 1, "7: decided twice: {op:?}"),
            }
        }
        self.told = self.desk.told.len();
    }

    /// 6: stored counters never fall.
    fn check_counters(&mut self, op: &Op) {
        for approver in self.desk.core.approvers() {
            let before = self.counters.insert(approver.who.device_id, approver.counter).unwrap_or(0);
            assert!(approver.counter >= before, "6: a counter fell after {op:?}");
        }
    }

    /// 12: the chain holds, and the log never shrinks.
    fn check_log(&mut self, op: &Op) {
        let entries = self.desk.shelf.entries();
        assert!(entries.len() >= self.log_len, "12: the log shrank after {op:?}");
        self.log_len = entries.len();
        let head = self.desk.core.head();
        let mut verifier = Verifier::new(Head::empty(head.log_id));
        let walk = entries.iter().try_for_each(|(hash, bytes)| verifier.entry(bytes, *hash).map(drop));
        assert_eq!(walk, Ok::<(), Flaw>(()), "12: the chain broke after {op:?}");
        let end = verifier.finish().expect("no witness contradicts");
        assert_eq!(
            (end.seq, end.hash),
            (head.seq, head.hash),
            "12: the core is not where the log is: {op:?}"
        );
    }

    /// 14: everything that was ever sent, again and in any order, changes nothing.
    fn replay_everything(&mut self, rounds: usize) {
        self.desk.commit_takes_ms = 0;
        self.desk.shelf.fail(0);
        // What still waits could be answered for the first time; that would be no replay.
        self.desk.act(Input::Release(Which::All));
        let before = self.state();
        let mut all = self.recorded.clone();
        for _ in 0..rounds {
            all.reverse();
            let third = all.len() / 3;
            all.rotate_left(third);
            for (device, message) in all.clone() {
                if !matches!(message, Message::Lock(_)) {
                    self.desk.phone_says(device, message);
                }
            }
        }
        assert_eq!(self.state(), before, "14: a replay changed something");
        self.told = self.desk.told.len();
    }

    fn state(&self) -> State {
        State {
            told: self.desk.told.len(),
            decisions: self.desk.shelf.decisions(),
            stands: self.requests.iter().map(|(id, ..)| self.desk.shelf.request_state(*id)).collect(),
            counters: self.desk.core.approvers().iter().map(|approver| approver.counter).collect(),
            locked: self.desk.core.is_locked(),
        }
    }
}

fn live<S: Shelf>(shelf: S, ops: &[Op]) {
    let mut history = History::begin(shelf);
    for op in ops {
        history.run(op);
        history.check(op);
    }
    history.replay_everything(2);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn every_history_keeps_the_invariants(ops in proptest::collection::vec(op(), 1..60)) {
        live(Memory::default(), &ops);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn every_history_keeps_the_invariants_over_the_real_store(ops in proptest::collection::vec(op(), 1..40)) {
        live(Sqlite::fresh(), &ops);
    }
}

/// The random histories reach every end: a history that only ever turned requests away would prove nothing.
#[test]
fn the_histories_reach_allows_denials_and_silence() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let histories = proptest::collection::vec(op(), 40..60);
    let (mut allows, mut denials, mut silences) = (0, 0, 0);
    for _ in 0..100 {
        let ops = histories.new_tree(&mut runner).expect("a history").current();
        let mut history = History::begin(Memory::default());
        for op in &ops {
            history.run(op);
        }
        for (_, said) in &history.desk.told {
            match said {
                Said::Allow => allows += 1,
                Said::Deny(_) => denials += 1,
                Said::Ask(_) => panic!("nobody asked to be asked"),
                Said::Silence => silences += 1,
            }
        }
    }
    println!("100 histories: {allows} allows, {denials} denials, {silences} silences");
    assert!(allows > 50 && denials > 50 && silences > 50);
}
