//! A request comes in: it gets its bytes, its deadline and an offer for every approver, and waits; or it can't wait
//! and goes back to the terminal.

use std::collections::BTreeMap;

use countersign_proto::{
    canonical, domain,
    id::{DeviceId, OfferId, RequestId},
    limits,
    message::{Message, OfferMessage},
    offer::Offer,
    reply::{Decision, Replies},
    request::{self, Agent, Always, Block, Judgement, Kind, Labelled, Request, Session},
    text::{Foreign, Shown},
};

use super::{
    Core,
    judge::Ground,
    sessions::{CallTold, Seen},
    transaction::{Then, Tx},
};
use crate::{
    answer::Answer,
    approver::{Approver, KeyStrength, Standing},
    audit::{Body, Event},
    clock::Now,
    command::{Change, Command, Source, Write},
    draft::Draft,
    input::{Ask, HookId},
    ledger::{OpenOffer, Pending},
    order::{Step, Why},
    policy::LineRef,
    rule::{Rule, Scope},
};

/// Replies that fit every tool call.
const TOOL_REPLIES: Replies = Replies::of(&[
    Decision::Deny,
    Decision::Dismiss,
    Decision::DenyWithNote,
    Decision::ApproveOnce,
    Decision::HandOff,
]);
/// Replies that fit one that may be remembered.
const ALWAYS_REPLIES: Replies = Replies::of(&[
    Decision::Deny,
    Decision::Dismiss,
    Decision::DenyWithNote,
    Decision::ApproveOnce,
    Decision::ApproveAlways,
    Decision::HandOff,
]);
/// Programs of a command that the log names.
const RECORDED_PROGRAMS: usize = 3;
/// Replies left where a phone can't show the whole request, or is suspended.
const NARROW_REPLIES: Replies = Replies::of(&[Decision::Deny, Decision::Dismiss]);

/// What makes a request out of a draft: when, for whom, under which ids.
pub(super) struct Arrival {
    hook: HookId,
    limit_ms: u64,
    arrived_boot_ms: u64,
    deadline_boot_ms: u64,
    id: RequestId,
    seed: [u8; 32],
}

impl Core {
    pub(super) fn ask(&mut self, ask: Ask, now: Now) {
        let Ask { hook, draft, arrived_boot_ms, limit_ms, request_id, seed } = ask;
        let deadline_boot_ms = arrived_boot_ms.saturating_add(self.settings.ttl_ms(limit_ms));
        let mut tx = self.begin(now);
        if now.boot_ms >= deadline_boot_ms || !self.ledger.has_room(&draft.session) {
            let why =
                if now.boot_ms >= deadline_boot_ms { "no time left to ask" } else { "too many are open" };
            tx.record(Body { note: Some(Foreign::new(why)), ..about(Event::TurnedAway, &draft) });
            self.propose(tx, Then::TurnAway(hook));
            return;
        }
        let arrival = Arrival { hook, limit_ms, arrived_boot_ms, deadline_boot_ms, id: request_id, seed };
        let repeats = self.sessions.note_call(&draft, Seen::Asking);
        match self.step(&draft, repeats) {
            Step::Refuse(refused) => {
                let ground = Ground { source: Source::Refused, words: refused.words, line: None };
                self.deny_at_once(draft, &arrival, ground, now);
            }
            Step::Deny(line) => {
                let source = Source::Policy { origin: line.origin, line: line.number };
                let words = Shown::line(&format!("a policy of its person says: {}", line.text));
                self.deny_at_once(draft, &arrival, Ground { source, words, line: Some(line) }, now);
            }
            Step::Abstain => {
                self.sessions.note_told(&draft, CallTold::Nothing);
                let mut tx = self.begin(now);
                tx.record(Body { note: Some(Foreign::new("paused")), ..about(Event::TurnedAway, &draft) });
                self.propose(tx, Then::TurnAway(hook));
            }
            Step::Allow(door) => self.allow_at_once(draft, &arrival, &door, now),
            Step::Card(why) => {
                let mut tx = self.begin(now);
                let (pending, offers) = self.make(&mut tx, draft, &arrival, &why);
                self.propose(tx, Then::Open { pending: Box::new(pending), offers, replaced: None });
            }
        }
    }

    /// The same call with other facts: a new request for the same hook and deadline (WHO-7).
    pub(super) fn ask_again(
        &self,
        tx: &mut Tx,
        old: &Pending,
        draft: Draft,
        id: RequestId,
        seed: [u8; 32],
    ) -> (Pending, Vec<OpenOffer>) {
        let arrival = Arrival {
            hook: old.hook,
            limit_ms: old.limit_ms,
            arrived_boot_ms: old.arrived_boot_ms,
            deadline_boot_ms: old.deadline_boot_ms,
            id,
            seed,
        };
        // It asks, whatever would have let it through: what it does changed while it was being answered.
        let why = match self.step(&draft, 1) {
            Step::Card(why) => why,
            Step::Refuse(_) | Step::Deny(_) | Step::Allow(_) | Step::Abstain => Why {
                step: 9,
                words: Shown::line("What it does changed while it was being answered"),
                line: None,
                may_offer: false,
            },
        };
        self.make(tx, draft, &arrival, &why)
    }

    /// A waiting request in the making, and what writes it down.
    pub(super) fn pend(&self, draft: Draft, arrival: &Arrival, why: &Why, now: Now) -> (Pending, Write) {
        let request = self.request(&draft, arrival, why, now);
        let bytes = request.encode();
        let binding = Request::binding(&bytes);
        let write = Write::Request {
            id: request.id,
            run: self.run_id,
            binding,
            bytes: bytes.clone(),
            raw: draft.raw.clone(),
            raw_hash: request.raw,
        };
        let offered =
            if fits_a_phone(&request, &bytes) { bytes } else { short_form(&request, bytes.len()).encode() };
        let pending = Pending {
            request,
            binding,
            offered,
            draft,
            hook: arrival.hook,
            limit_ms: arrival.limit_ms,
            arrived_boot_ms: arrival.arrived_boot_ms,
            deadline_boot_ms: arrival.deadline_boot_ms,
            fronts: BTreeMap::new(),
            offers: BTreeMap::new(),
            unwritten: None,
        };
        (pending, write)
    }

    fn make(&self, tx: &mut Tx, draft: Draft, arrival: &Arrival, why: &Why) -> (Pending, Vec<OpenOffer>) {
        let (pending, write) = self.pend(draft, arrival, why, tx.now());
        tx.write(write);
        let (request, draft) = (&pending.request, &pending.draft);
        tx.record(Body {
            request: Some(request.id),
            binding: Some(pending.binding),
            class: Some(request.judgement.class),
            level: Some(request.judgement.level),
            line: why.line.as_ref().map(line_words),
            ..about(Event::Asked, draft)
        });
        let offers = self
            .approvers
            .values()
            .filter(|approver| self.may_be_asked(approver))
            .map(|approver| self.offer(tx, &pending, approver, arrival.seed, 1))
            .collect();
        (pending, offers)
    }

    fn request(&self, draft: &Draft, arrival: &Arrival, why: &Why, now: Now) -> Request {
        let always = if why.may_offer { self.offered_always(draft) } else { Vec::new() };
        let marks = self.sessions.marks(&draft.session);
        Request {
            v: Request::VERSION,
            id: arrival.id,
            kind: Kind::Tool,
            agent: Agent {
                id: Foreign::new(draft.session.agent.clone()),
                version: draft.agent_version.shown().into(),
                adapter: draft.adapter,
            },
            session: Session { id: draft.session.session.shown().into(), title: draft.title.clone().into() },
            folder: draft.folder.clone(),
            tool: draft.tool.shown().into(),
            raw: draft.raw_hash(),
            view_version: draft.view_version,
            view: draft.view.clone(),
            judgement: Judgement {
                class: draft.facts.class(),
                level: draft.facts.level(),
                reasons: reasons(draft),
                headline: draft.headline.clone().into(),
            },
            why: request::Why {
                step: why.step,
                text: why.words.clone().into(),
                line: why.line.as_ref().map(line_words),
            },
            taint: marks.is_tainted || draft.start_folder.is_none(),
            place: self.settings.place.clone(),
            wall_ms: now.wall_ms,
            ttl_ms: arrival.deadline_boot_ms.saturating_sub(arrival.arrived_boot_ms),
            replies: if always.is_empty() { TOOL_REPLIES } else { ALWAYS_REPLIES },
            always,
            subagent: draft.subagent.clone(),
            mode: draft.mode.shown().into(),
            start_folder: draft.start_folder.clone(),
            words: draft.words.shown_lines().into(),
            whole: draft.whole,
            depends: draft.depends.clone(),
        }
    }

    /// The scopes of *Always* that a card may offer, each with the text that would be matched (RULE-3).
    fn offered_always(&self, draft: &Draft) -> Vec<Always> {
        let is_strict = self.is_strict(draft);
        self.scopes(draft)
            .into_iter()
            .filter(|scope| Rule::offerable(draft, scope).is_ok())
            .filter(|scope| !(is_strict && *scope == Scope::Project))
            .map(|scope| Always { scope: Foreign::new(scope.name()), text: draft.rule_text.clone().into() })
            .collect()
    }

    fn scopes(&self, draft: &Draft) -> [Scope; 2] {
        [Scope::Session(draft.session.clone()), Scope::Project]
    }

    /// The scope that an index on a request's card stands for.
    pub(super) fn scope_at(pending: &Pending, index: u8) -> Option<Scope> {
        match pending.request.always.get(usize::from(index))?.scope.raw() {
            "session" => Some(Scope::Session(pending.draft.session.clone())),
            "project" => Some(Scope::Project),
            _ => None,
        }
    }

    /// Whether a phone gets offers: not revoked, and of keys that count in this daemon.
    pub(super) fn may_be_asked(&self, approver: &Approver) -> bool {
        approver.standing != Standing::Revoked && self.counts(approver.who.strength)
    }

    /// Whether keys of this strength count: software keys only in demo mode (PH-8).
    pub(super) const fn counts(&self, strength: KeyStrength) -> bool {
        match strength {
            KeyStrength::Demo => self.settings.demo,
            KeyStrength::Tee | KeyStrength::StrongBox => !self.settings.demo,
        }
    }

    /// Makes and records one phone's offer of a request, the `nth` new one of this transaction.
    pub(super) fn offer(
        &self,
        tx: &mut Tx,
        pending: &Pending,
        approver: &Approver,
        seed: [u8; 32],
        nth: u64,
    ) -> OpenOffer {
        let device = approver.who.device_id;
        let request = pending.request.id;
        let id =
            OfferId::new(domain::derive(domain::OFFER_ID, &seed, request.as_bytes(), &[device.as_bytes()]));
        let is_whole = Request::binding(&pending.offered) == pending.binding;
        let allowed = if is_whole && approver.standing == Standing::Active {
            pending.request.replies
        } else {
            NARROW_REPLIES
        };
        let seq = approver.offer_seq + nth;
        let offer = Offer {
            v: Offer::VERSION,
            offer_id: id,
            desktop_id: self.desktop_id,
            device_id: device,
            offer_seq: seq,
            run_id: self.run_id,
            request: pending.offered.clone(),
            ttl_ms: pending.request.ttl_ms,
            allowed,
        };
        let signed = offer.sign(&self.desktop);
        let hash = signed.hash();
        tx.write(Write::Offer { id, request, device, run: self.run_id, seq, hash, signed: signed.clone() });
        OpenOffer { id, device, request, allowed, signed, hash, seq }
    }

    pub(super) fn open(&mut self, pending: Pending, offers: Vec<OpenOffer>, now: Now) {
        let id = pending.request.id;
        let left_ms = pending.left_ms(now.boot_ms);
        for offer in &offers {
            self.send_offer(offer.device, offer.signed.clone(), offer.seq, left_ms);
        }
        self.ledger.open(pending, offers);
        self.changed(Change::Opened(id));
    }

    pub(super) fn send_offer(
        &mut self,
        device: DeviceId,
        signed: countersign_proto::offer::SignedOffer,
        seq: u64,
        left_ms: u64,
    ) {
        let Some(approver) = self.approvers.get_mut(&device) else { return };
        approver.offer_seq = approver.offer_seq.max(seq);
        if approver.is_live {
            let message = Message::Offer(OfferMessage { signed, left_ms, fronted: false });
            self.commands.push_back(Command::Send { device, message, ttl_ms: left_ms });
        } else {
            self.commands.push_back(Command::Wake(device));
        }
    }

    pub(super) fn abstain(&mut self, hook: HookId) {
        // Silence is never late, so it has no deadline.
        self.commands.push_back(Command::Answer {
            hook,
            answer: Answer::abstain(),
            deadline_boot_ms: u64::MAX,
        });
    }
}

/// The reasons on a card: what the classifier saw, then what the adapter saw.
fn reasons(draft: &Draft) -> Vec<Foreign> {
    draft.facts.reasons().iter().chain(&draft.reasons).cloned().map(Foreign::from).collect()
}

/// A line as a record shows it.
pub(super) fn line_words(line: &LineRef) -> Foreign {
    Shown::line(&format!("line {}: {}", line.number, line.text)).into()
}

/// An entry about a draft's call.
pub(super) fn about(event: Event, draft: &Draft) -> Body {
    Body {
        raw: Some(draft.raw_hash()),
        agent: Some(Foreign::new(draft.session.agent.clone())),
        session: Some(draft.session.session.shown().into()),
        tool: Some(draft.tool.shown().into()),
        headline: Some(recorded_headline(draft)),
        ..Body::of(event)
    }
}

/// What the log keeps of a headline for good: of a command only its programs, since whatever stands behind them may be
/// secret, and is kept with the request for 30 days only (AUD-1).
fn recorded_headline(draft: &Draft) -> Foreign {
    let Some(shell) = draft.facts.shell() else { return draft.headline.clone().into() };
    let mut programs: Vec<&str> = Vec::new();
    for name in shell.ran.iter().filter_map(|ran| ran.words.first()) {
        let name = name.rsplit('/').next().unwrap_or(name);
        if !programs.contains(&name) {
            programs.push(name);
        }
    }
    let words = match programs.as_slice() {
        [] => "Wants to run a command".to_owned(),
        few if few.len() <= RECORDED_PROGRAMS => format!("Wants to run {}", few.join(", ")),
        few => {
            let more = few.len() - RECORDED_PROGRAMS;
            let few: Vec<&str> = few.iter().copied().take(RECORDED_PROGRAMS).collect();
            format!("Wants to run {} and {more} more", few.join(", "))
        }
    };
    Shown::line(&words).into()
}

fn fits_a_phone(request: &Request, bytes: &[u8]) -> bool {
    bytes.len() <= limits::REQUEST && request.view.len() <= limits::VIEW_BLOCKS
}

/// What phones get of a request that is too large for them: it can be denied or dismissed only.
fn short_form(request: &Request, len: usize) -> Request {
    let label = Foreign::new("review on the computer");
    let text = Shown::line(&format!("this request takes {len} bytes, more than a phone is sent"));
    let mut short = Request {
        view: vec![Block::Text(Labelled { label, text: text.into() })],
        words: Foreign::default(),
        depends: Vec::new(),
        replies: NARROW_REPLIES,
        ..request.clone()
    };
    // A tool name or folder alone can be too large as well; then not even they travel.
    if canonical::encode(&short).len() > limits::REQUEST {
        short.folder = Vec::new();
        short.start_folder = None;
        short.tool = Foreign::new("…");
        short.session.title = Foreign::default();
        short.judgement.reasons = Vec::new();
        short.judgement.headline = Foreign::new("Wants to do something too large to show here");
    }
    short
}
