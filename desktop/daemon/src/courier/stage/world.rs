//! A daemon's inner half in a folder of its own: store, core, event loop, couriers and pairings.

use std::{path::Path, sync::Arc, time::Duration};

use countersign_agents::{Event, adapter};
use countersign_core::{
    Core, Start,
    audit::Entry,
    input::{Ask, HookId, Input},
    settings::Settings,
};
use countersign_ipc::{control::PairEvent, folder};
use countersign_proto::{
    canonical,
    id::{DeviceId, RequestId, RunId},
    limits,
    request::Place,
    text::Foreign,
};
use serde_json::json;
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use super::{FakePhone, PATIENCE, phone, relay_program};
use crate::{
    clock,
    control_socket::{PairOrder, TypedCode},
    courier::{Couriers, Reach},
    derive::{Viewpoint, derive},
    errand::Errand,
    eventloop::{Answered, EventLoop, Handle, Waiting},
    keys::random,
    pairing::Pairings,
    relay_child::LocalRelay,
    sight::{Sight, User},
    store::{Search, Store},
};

pub(crate) struct World {
    pub(crate) handle: Handle,
    pub(crate) store: Arc<Store>,
    pub(crate) couriers: Couriers,
    pub(crate) relay: LocalRelay,
    tasks: [JoinHandle<()>; 3],
}

/// A core that runs over a store, and what it wants carried.
pub(crate) struct Inner {
    pub(crate) handle: Handle,
    pub(crate) store: Arc<Store>,
    pub(crate) errands: mpsc::UnboundedReceiver<Errand>,
    pub(crate) looping: JoinHandle<()>,
}

impl Inner {
    pub(crate) async fn start(state: &Path) -> Self {
        folder::make(state).unwrap();
        let store = Arc::new(Store::open(state).await.unwrap());
        let loaded = store.load().await.unwrap();
        let place = Place { host: Foreign::new("desk"), user: Foreign::new("ada") };
        let start = Start {
            run_id: RunId::new(*random().unwrap()),
            desktop: store.desktop().clone(),
            settings: Settings { demo: true, decision_timeout_ms: 115_000, place, home: String::new() },
            head: loaded.head,
            checkpoint: loaded.checkpoint,
            approvers: loaded.approvers,
            locked: loaded.locked,
            unfinished: loaded.unfinished,
            before: loaded.before,
        };
        let (errand, errands) = mpsc::unbounded_channel();
        let core = Core::start(start, clock::now());
        let (eventloop, handle) = EventLoop::new(core, store.clone(), errand).unwrap();
        Self { handle, store, errands, looping: tokio::spawn(eventloop.run()) }
    }
}

impl World {
    pub(crate) async fn start(state: &Path) -> Self {
        let Inner { handle, store, errands, looping } = Inner::start(state).await;
        let (relay, keeping) = LocalRelay::new(relay_program(), state);
        let couriers = Couriers::new(store.clone(), handle.clone(), relay.clone());
        let tasks = [looping, keeping, tokio::spawn(couriers.clone().run(errands))];
        couriers.take_up().await.unwrap();
        Self { handle, store, couriers, relay, tasks }
    }

    /// Ends everything in order.
    pub(crate) async fn stop(self) {
        let [looping, keeping, carrying] = self.tasks;
        self.handle.tell(Input::Shutdown).await.unwrap();
        looping.await.unwrap();
        carrying.await.unwrap();
        self.couriers.stop().await;
        self.relay.stop();
        keeping.await.unwrap();
        self.store.close().await;
    }

    pub(crate) fn pairings(&self) -> Pairings {
        Pairings {
            handle: self.handle.clone(),
            store: self.store.clone(),
            couriers: self.couriers.clone(),
            relay: self.relay.clone(),
            is_demo: true,
            ticket_age: Duration::ZERO,
        }
    }

    /// Starts a pairing at a relay, or at this computer's.
    pub(crate) fn begin_pairing(pairings: Pairings, relay: Option<String>) -> Begun {
        let (begun, order) = Begun::order(relay);
        tokio::spawn(async move { pairings.pair(order).await });
        begun
    }

    /// Pairs a phone and lets it come.
    pub(crate) async fn pair(&self, relay: Option<String>, seed: u8) -> FakePhone {
        let mut begun = Self::begin_pairing(self.pairings(), relay);
        let (code, shown) = oneshot::channel();
        let ticket = begun.ticket().await;
        let pairing = tokio::spawn(async move { phone::pair(&ticket, seed, code).await });
        begun.type_code(&shown.await.unwrap()).await;
        let phone = FakePhone::start(pairing.await.unwrap().unwrap(), seed);
        match begun.last().await {
            PairEvent::Done { round_trip_ms: Some(_), trouble, .. } if trouble.is_empty() => phone,
            other => panic!("{other:?}"),
        }
    }

    /// An agent asks to run a command.
    pub(crate) async fn ask(&self, command: &str) -> Asked {
        let adapter = adapter("claude").unwrap();
        let input = json!({
            "session_id": "s",
            "transcript_path": "/home/dev/.claude/projects/x/y.jsonl",
            "cwd": "/tmp",
            "prompt_id": "p",
            "permission_mode": "default",
            "hook_event_name": "PermissionRequest",
            "tool_name": "Bash",
            "tool_input": {"command": command, "description": "Do it"},
        });
        let Event::Ask(call) = (adapter.read)(input.to_string().as_bytes()) else { panic!("no call") };
        let (answer, answered) = oneshot::channel();
        let from = Viewpoint {
            sight: Sight {
                path: None,
                home: "/home/dev".to_owned(),
                worktree: "/tmp".to_owned(),
                temporary: None,
                user: User::own(),
            },
            start_folder: None,
            risky: Vec::new(),
            project_files: None,
            protected: Vec::new(),
            env_is_lifted: false,
            asked_by: None,
        };
        let waiting = Waiting { render: adapter.render, call: Arc::new(*call), from, answer };
        let hook = HookId(self.handle.next_id());
        let ask = Ask {
            hook,
            draft: derive(Arc::clone(&waiting.call), waiting.from.clone()).await,
            arrived_boot_ms: clock::boot_ms(),
            limit_ms: 125_000,
            request_id: RequestId::new(*random().unwrap()),
            seed: *random().unwrap(),
        };
        self.handle.ask(Box::new(ask), waiting).await.unwrap();
        Asked { hook, answered, handle: self.handle.clone() }
    }

    pub(crate) async fn revoke(&self, device: DeviceId) {
        self.handle.act(Input::Revoke(device)).await.unwrap();
    }

    /// Waits until a phone's relay is reached like that.
    pub(crate) async fn reaches(&self, device: DeviceId, is_so: impl Fn(&Reach) -> bool) -> Reach {
        let mut ways = self.couriers.watch();
        let so = ways.wait_for(|ways| ways.get(&device).is_some_and(|way| is_so(&way.reach)));
        let ways = timeout(PATIENCE, so).await.expect("its relay should have been reached so").unwrap();
        ways[&device].reach.clone()
    }

    /// Waits until no courier runs for a phone.
    pub(crate) async fn leaves(&self, device: DeviceId) {
        let mut ways = self.couriers.watch();
        let gone = ways.wait_for(|ways| !ways.contains_key(&device));
        timeout(PATIENCE, gone).await.expect("its courier should have left").unwrap();
    }

    /// The kinds of all entries of the log.
    pub(crate) async fn log(&self) -> Vec<&'static str> {
        let rows = self.store.search_log(&Search::default()).await.unwrap();
        let kind =
            |bytes: &[u8]| canonical::decode::<Entry>(bytes, limits::MESSAGE).unwrap().body.event.name();
        rows.iter().map(|row| kind(&row.bytes)).collect()
    }

    pub(crate) async fn count_log(&self, kind: &str) -> usize {
        self.log().await.iter().filter(|event| **event == kind).count()
    }

    /// How many phones may decide.
    pub(crate) async fn phones(&self) -> usize {
        let active = self.store.pairings().await.unwrap().len();
        assert_eq!(active, self.couriers.ways().len(), "a courier for each pairing");
        active
    }
}

/// A pairing under way, as its client sees it.
pub(crate) struct Begun {
    steps: mpsc::Receiver<PairEvent>,
    codes: mpsc::Sender<TypedCode>,
    pub(crate) given_up: CancellationToken,
}

impl Begun {
    pub(crate) fn order(relay: Option<String>) -> (Self, PairOrder) {
        let (events, steps) = mpsc::channel(16);
        let (codes, typed) = mpsc::channel(1);
        let given_up = CancellationToken::new();
        let order = PairOrder { relay, invite: None, events, codes: typed, given_up: given_up.clone() };
        (Self { steps, codes, given_up }, order)
    }

    pub(crate) async fn step(&mut self) -> PairEvent {
        timeout(PATIENCE, self.steps.recv())
            .await
            .expect("a step should have come")
            .expect("a last step comes")
    }

    pub(crate) async fn ticket(&mut self) -> String {
        match self.step().await {
            PairEvent::Ticket { text, .. } => text,
            PairEvent::Failed { why, .. } => panic!("{why}"),
            other => panic!("{other:?}"),
        }
    }

    /// Waits for the question and types.
    pub(crate) async fn type_code(&mut self, code: &str) {
        while !matches!(self.step().await, PairEvent::CodeNeeded { .. }) {}
        self.answer(code).await.unwrap();
    }

    pub(crate) async fn answer(&self, code: &str) -> Result<(), countersign_ipc::control::Failure> {
        let (taken, was_taken) = oneshot::channel();
        self.codes.send(TypedCode { code: code.to_owned(), taken }).await.unwrap();
        was_taken.await.unwrap()
    }

    /// How it ended.
    pub(crate) async fn last(&mut self) -> PairEvent {
        loop {
            let step = self.step().await;
            if matches!(step, PairEvent::Done { .. } | PairEvent::Failed { .. }) {
                return step;
            }
        }
    }

    pub(crate) async fn failure(&mut self) -> String {
        match self.last().await {
            PairEvent::Failed { why, .. } => why,
            other => panic!("{other:?}"),
        }
    }
}

/// A hook that waits.
pub(crate) struct Asked {
    hook: HookId,
    answered: oneshot::Receiver<Answered>,
    handle: Handle,
}

impl Asked {
    /// What the agent is told; it is.
    pub(crate) async fn answer(self) -> String {
        let answered = timeout(PATIENCE, self.answered).await.expect("an answer should have come").unwrap();
        self.handle.delivered(self.hook, true).await.unwrap();
        String::from_utf8(answered.bytes).unwrap()
    }
}
