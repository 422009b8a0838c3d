//! A desktop without its shell: the core, a clock that only tests move, a store that can fail, hooks that remember
//! what they were told, and phones that sign whatever a test wants. Commands are carried out at once and in order.

mod pocket;
mod shelf;
mod sight;
mod sqlite;

use std::collections::BTreeMap;

use countersign_agents::{Driver, Event, FileSeen, Given, Seen};
use countersign_core::{
    Core, Start,
    answer::Told,
    approver::Approver,
    audit::{Entry, Head},
    clock::Now,
    command::{Change, Command, Report},
    draft::Draft,
    input::{Ask, HookId, Input, Recall, SurfaceId, TxId},
    rule::FolderId,
    settings::Settings,
};
use countersign_proto::{
    canonical,
    id::{DeviceId, Hash, LogId, OfferId, RequestId, RunId},
    key::SigningKey,
    limits,
    message::{Message, OfferMessage},
    receipt::{Outcome, Receipt},
    request::Place,
    text::Foreign,
};

pub use self::{
    pocket::{Pocket, Signing},
    shelf::{Loaded, Memory, Shelf},
    sight::Plain,
    sqlite::Sqlite,
};

/// What a hook was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// Run the call.
    Allow,
    /// Don't, with these words.
    Deny(String),
    /// Ask the person first, for this reason.
    Ask(String),
    /// Nothing: the agent asks in its terminal.
    Silence,
}

/// The desktop under test.
pub struct Desk<S: Shelf> {
    /// The core.
    pub core: Core,
    /// Its store.
    pub shelf: S,
    /// `D_sig`.
    pub desktop: SigningKey,
    /// The clock.
    pub now: Now,
    /// The run.
    pub run: RunId,
    /// What each hook was told, in order of time.
    pub told: Vec<(HookId, Said)>,
    /// Every message sent to a phone.
    pub sent: Vec<(DeviceId, Message)>,
    /// What surfaces were told.
    pub changes: Vec<Change>,
    /// What whoever acted at the desktop was told.
    pub reports: Vec<Report>,
    /// Phones to be forgotten.
    pub forgotten: Vec<DeviceId>,
    /// Hooks that no longer listen: what they would be told is not written.
    pub deaf: Vec<HookId>,
    /// What the core commanded hooks to be told, before the shell's own last look at the clock.
    pub commanded: Vec<(HookId, Said)>,
    /// Time that passes while a commit is under way, in ms.
    pub commit_takes_ms: u64,
    /// Time that passes while facts are derived again, in ms.
    pub rederive_takes_ms: u64,
    /// What a call looks like when it is looked at again; absent: as before. `Some(None)`: can't be told.
    pub facts: BTreeMap<RequestId, Option<Draft>>,
    /// What the next call that is looked at again looks like then.
    pub next_facts: Option<Draft>,
    /// The calls that wait, by request.
    pub drafts: BTreeMap<RequestId, Draft>,
    serial: u64,
}

/// The desktop's signing key in tests over a store in memory.
#[must_use]
pub fn desktop_key() -> SigningKey {
    SigningKey::from_seed(&[0xd5; 32])
}

/// Settings of a demo daemon.
#[must_use]
pub fn settings() -> Settings {
    Settings {
        demo: true,
        decision_timeout_ms: 115_000,
        place: Place { host: Foreign::new("desk"), user: Foreign::new("ada") },
        home: "/home/ada".to_owned(),
    }
}

impl Desk<Memory> {
    /// A fresh desktop over a store in memory.
    #[must_use]
    pub fn fresh() -> Self {
        Self::over(Memory::default())
    }
}

impl<S: Shelf> Desk<S> {
    /// A desktop over a store, in its first run.
    pub fn over(mut shelf: S) -> Self {
        let now = Now::new(1_000_000, 1_700_000_000_000);
        let loaded = shelf.load();
        let desktop = loaded.desktop.clone().unwrap_or_else(desktop_key);
        let run = RunId::new([1; 16]);
        let core = Core::start(Self::start(loaded, run, &desktop), now);
        let mut desk = Self {
            core,
            shelf,
            desktop,
            now,
            run,
            told: Vec::new(),
            sent: Vec::new(),
            changes: Vec::new(),
            reports: Vec::new(),
            forgotten: Vec::new(),
            deaf: Vec::new(),
            commanded: Vec::new(),
            commit_takes_ms: 0,
            rederive_takes_ms: 0,
            facts: BTreeMap::new(),
            next_facts: None,
            drafts: BTreeMap::new(),
            serial: 0,
        };
        desk.settle();
        desk
    }

    fn start(loaded: Loaded, run_id: RunId, desktop: &SigningKey) -> Start {
        let head = loaded.head.unwrap_or_else(|| Head::empty(LogId::new([9; 16])));
        Start {
            run_id,
            desktop: desktop.clone(),
            settings: settings(),
            head,
            checkpoint: loaded.checkpoint,
            approvers: loaded.approvers,
            locked: loaded.locked,
            unfinished: loaded.unfinished,
            before: loaded.before,
        }
    }

    /// Kills the daemon and starts it again: memory is lost, the store stays, hooks are cut off.
    pub fn crash(&mut self) {
        let mut bytes = *self.run.as_bytes();
        bytes[0] = bytes[0].wrapping_add(1);
        self.run = RunId::new(bytes);
        let loaded = self.shelf.load();
        self.core = Core::start(Self::start(loaded, self.run, &self.desktop), self.now);
        self.drafts.clear();
        self.settle();
    }

    /// Hands in an input and carries out everything that follows.
    pub fn act(&mut self, input: Input) {
        self.core.handle(input, self.now);
        self.settle();
    }

    /// Lets time pass, with every timer on the way.
    pub fn pass(&mut self, ms: u64) {
        let end = self.now.boot_ms + ms;
        while let Some(due) = self.core.poll_timeout().filter(|due| *due <= end) {
            let step = due.saturating_sub(self.now.boot_ms);
            self.move_clock(step);
            self.act(Input::Tick);
        }
        self.move_clock(end.saturating_sub(self.now.boot_ms));
    }

    /// Moves the clock without telling the core.
    pub fn move_clock(&mut self, ms: u64) {
        self.now = Now::new(self.now.boot_ms + ms, self.now.wall_ms + ms);
    }

    /// Carries out commands until there are none.
    pub fn settle(&mut self) {
        while let Some(command) = self.core.poll_command() {
            self.carry_out(command);
        }
    }

    fn carry_out(&mut self, command: Command) {
        match command {
            Command::Commit(tx) => {
                let id: TxId = tx.id;
                let is_stored = self.shelf.commit(&tx);
                self.move_clock(self.commit_takes_ms);
                let result = if is_stored { Input::Committed(id) } else { Input::CommitFailed(id) };
                self.core.handle(result, self.now);
            }
            Command::Rederive(request) => {
                let before = self.drafts.get(&request).cloned();
                let draft = self.facts.get(&request).cloned().unwrap_or(before);
                let draft = self.next_facts.take().or(draft);
                let (request_id, seed) = (self.fresh_request(), self.fresh_seed());
                if let Some(draft) = &draft {
                    self.drafts.insert(request_id, draft.clone());
                }
                let draft = draft.map(Box::new);
                self.move_clock(self.rederive_takes_ms);
                self.core.handle(Input::Rederived { request, draft, request_id, seed }, self.now);
            }
            Command::Answer { hook, answer, deadline_boot_ms } => {
                let said = match answer.told() {
                    Told::Allow(_) => Said::Allow,
                    Told::Deny(denial) => Said::Deny(denial.words()),
                    Told::Ask(why) => Said::Ask(why.to_string()),
                    Told::Abstain => Said::Silence,
                };
                self.commanded.push((hook, said.clone()));
                let is_late = said != Said::Silence && self.now.boot_ms >= deadline_boot_ms;
                let written = !self.deaf.contains(&hook) && !is_late;
                if written {
                    self.told.push((hook, said));
                }
                self.core.handle(Input::Delivered { hook, written }, self.now);
            }
            Command::Send { device, message, ttl_ms: _ } => self.sent.push((device, message)),
            Command::Wake(_) => {}
            Command::Forget(device) => self.forgotten.push(device),
            Command::Changed(change) => self.changes.push(change),
            Command::Report(report) => self.reports.push(report),
        }
    }

    fn next_id(&mut self) -> [u8; 16] {
        self.serial += 1;
        let mut bytes = [0x77; 16];
        bytes[..8].copy_from_slice(&self.serial.to_be_bytes());
        bytes[8] = self.run.as_bytes()[0];
        bytes
    }

    /// A request id never used before.
    pub fn fresh_request(&mut self) -> RequestId {
        RequestId::new(self.next_id())
    }

    /// A seed never used before.
    pub fn fresh_seed(&mut self) -> [u8; 32] {
        let half = self.next_id();
        let mut seed = [0; 32];
        seed[..16].copy_from_slice(&half);
        seed
    }

    /// A hook asks to run a command, in a session.
    pub fn ask(&mut self, session: &str, command: &str) -> (HookId, RequestId) {
        self.ask_draft(draft(session, command), 125_000)
    }

    /// A hook asks, with the agent's own limit for it.
    pub fn ask_draft(&mut self, draft: Draft, limit_ms: u64) -> (HookId, RequestId) {
        let request_id = self.fresh_request();
        let hook = HookId(self.serial);
        let seed = self.fresh_seed();
        self.drafts.insert(request_id, draft.clone());
        let ask = Ask { hook, draft, arrived_boot_ms: self.now.boot_ms, limit_ms, request_id, seed };
        self.act(Input::Ask(Box::new(ask)));
        (hook, request_id)
    }

    /// Pairs a demo phone and makes its session live.
    pub fn pair(&mut self, name: &str) -> Pocket {
        let pocket = Pocket::make(name, &self.desktop);
        let seed = self.fresh_seed();
        self.act(Input::Paired { approver: Box::new(pocket.approver()), seed });
        self.act(Input::SessionLive(pocket.device));
        pocket
    }

    /// Hands in a phone's message with what the store remembers about it.
    pub fn phone_says(&mut self, device: DeviceId, message: Message) {
        let recall = match &message {
            Message::Reply(signed) => self.shelf.recall(&signed.bytes),
            _ => Recall::default(),
        };
        self.act(Input::Phone { device, message, recall });
    }

    /// The newest offer of a request that a phone was sent.
    #[must_use]
    pub fn offer(&self, device: DeviceId, request: RequestId) -> Option<OfferMessage> {
        self.sent.iter().rev().find_map(|(to, message)| match message {
            Message::Offer(offer) if *to == device => {
                let opened =
                    offer.signed.open(&self.desktop.public(), &self.core.desktop_id(), &device).ok()?;
                (opened.request().id == request).then(|| offer.clone())
            }
            _ => None,
        })
    }

    /// The audit log.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        let read = |(_, bytes): (Hash, Vec<u8>)| canonical::decode(&bytes, limits::MESSAGE).ok();
        self.shelf.entries().into_iter().filter_map(read).collect()
    }

    /// What a phone was told in words.
    #[must_use]
    pub fn notices(&self, device: DeviceId) -> Vec<String> {
        let text = |(to, message): &(DeviceId, Message)| match message {
            Message::Notice(notice) if *to == device => Some(notice.text.shown().to_string()),
            _ => None,
        };
        self.sent.iter().filter_map(text).collect()
    }

    /// The newest receipt that a phone got.
    #[must_use]
    pub fn receipt(&self, device: DeviceId) -> Option<Receipt> {
        self.sent.iter().rev().find_map(|(to, message)| match message {
            Message::Receipt(signed) if *to == device => {
                signed.open(&self.desktop.public(), &self.core.desktop_id(), &device).ok()
            }
            _ => None,
        })
    }

    /// The outcome in the newest receipt that a phone got.
    #[must_use]
    pub fn outcome(&self, device: DeviceId) -> Option<Outcome> {
        self.receipt(device).map(|receipt| receipt.outcome)
    }

    /// What a hook was told, if anything yet.
    #[must_use]
    pub fn said(&self, hook: HookId) -> Option<Said> {
        self.told.iter().rev().find(|(to, _)| *to == hook).map(|(_, said)| said.clone())
    }

    /// Whether any hook was ever told to run its call.
    #[must_use]
    pub fn allowed_anything(&self) -> bool {
        self.told.iter().any(|(_, said)| *said == Said::Allow)
    }

    /// Brings a card to the front of a surface, whole, and lets it stand there long enough.
    pub fn look_at(&mut self, surface: SurfaceId, request: RequestId) {
        let Some(binding) = self.core.card(request).map(|card| card.binding) else { return };
        self.act(Input::Fronted { surface, request, binding, seen_to_end: true });
        self.pass(500);
    }

    /// An approver as the core has it.
    #[must_use]
    pub fn approver(&self, device: DeviceId) -> Option<Approver> {
        self.core.approvers().into_iter().find(|a| a.who.device_id == device).cloned()
    }

    /// The id of the offer of a request that a phone was sent.
    #[must_use]
    pub fn offer_id(&self, pocket: &Pocket, request: RequestId) -> Option<OfferId> {
        let offer = self.offer(pocket.device, request)?;
        pocket.open(&offer.signed).map(|opened| opened.offer().offer_id)
    }
}

/// A call that runs a command, as Claude Code would ask for it in a session whose start was seen.
///
/// # Panics
/// The adapter does not understand its own agent's event.
#[must_use]
pub fn draft(session: &str, command: &str) -> Draft {
    draft_of(
        session,
        "Bash",
        &serde_json::json!({"command": command, "description": "the agent's own words"}),
    )
}

/// A call of one of Claude Code's tools in `/home/ada/site`, in a session whose start was seen.
///
/// # Panics
/// The adapter does not understand its own agent's event.
#[must_use]
pub fn draft_of(session: &str, tool: &str, input: &serde_json::Value) -> Draft {
    let event = serde_json::json!({
        "session_id": session,
        "transcript_path": "/dev/null",
        "cwd": "/home/ada/site",
        "permission_mode": "default",
        "hook_event_name": "PermissionRequest",
        "tool_name": tool,
        "tool_input": input,
    });
    let Event::Ask(call) = countersign_agents::claude::read(event.to_string().as_bytes()) else {
        panic!("{tool} {input} is no call that asks");
    };
    let given = Given {
        start_folder: Some(b"/home/ada/site"),
        project: Some(FolderId { device: 1, inode: 2 }),
        home: "/home/ada",
        resolver: &Plain,
        driver: &|_| Driver::Absent,
        risky: &[],
        protected: &[],
        env_is_lifted: false,
    };
    let seen: Seen = call.needs().into_iter().map(|path| (path, FileSeen::Absent)).collect();
    call.with_version("2.1.332").draft(&seen, &given)
}
