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
    request::{Agent, Block, Class, Judgement, Kind, Labelled, Level, Request, Session, Why},
    text::{Foreign, Shown},
};

use super::{
    Core,
    transaction::{Then, Tx},
};
use crate::{
    answer::Answer,
    approver::{Approver, KeyStrength, Standing},
    audit::{Body, Event},
    clock::Now,
    command::{Change, Command, Write},
    draft::{Draft, Observed, SessionKey},
    input::{Ask, HookGone, HookId},
    ledger::{OpenOffer, Pending},
};

/// Sessions that are remembered; the oldest are forgotten beyond this.
const SESSIONS: usize = 1_024;
/// A terminal that comes alive this soon after our own answer was woken by it, in ms.
const OWN_ECHO_MS: u64 = 2_000;
/// Replies that fit every tool call.
const TOOL_REPLIES: Replies = Replies::of(&[
    Decision::Deny,
    Decision::Dismiss,
    Decision::DenyWithNote,
    Decision::ApproveOnce,
    Decision::HandOff,
]);
/// Replies left where a phone can't show the whole request, or is suspended.
const NARROW_REPLIES: Replies = Replies::of(&[Decision::Deny, Decision::Dismiss]);

/// What is known of sessions.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    known: BTreeMap<SessionKey, Known>,
    order: std::collections::VecDeque<SessionKey>,
}

#[derive(Debug, Default)]
struct Known {
    start_folder: Option<Vec<u8>>,
    answered_boot_ms: Option<u64>,
}

impl Sessions {
    fn entry(&mut self, key: &SessionKey) -> &mut Known {
        if !self.known.contains_key(key) {
            self.order.push_back(key.clone());
            while self.order.len() > SESSIONS {
                if let Some(oldest) = self.order.pop_front() {
                    self.known.remove(&oldest);
                }
            }
        }
        self.known.entry(key.clone()).or_default()
    }

    fn start_folder(&self, key: &SessionKey) -> Option<Vec<u8>> {
        self.known.get(key).and_then(|known| known.start_folder.clone())
    }

    /// Notes that the daemon itself answered one of this session's hooks.
    pub(super) fn note_answer(&mut self, key: &SessionKey, boot_ms: u64) {
        self.entry(key).answered_boot_ms = Some(boot_ms);
    }

    fn is_own_echo(&self, key: &SessionKey, boot_ms: u64) -> bool {
        self.known
            .get(key)
            .and_then(|known| known.answered_boot_ms)
            .is_some_and(|at| boot_ms.saturating_sub(at) < OWN_ECHO_MS)
    }
}

/// What makes a request out of a draft: when, for whom, under which ids.
struct Arrival {
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
        let (pending, offers) = self.make(&mut tx, draft, &arrival);
        self.propose(tx, Then::Open { pending: Box::new(pending), offers, replaced: None });
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
        self.make(tx, draft, &arrival)
    }

    fn make(&self, tx: &mut Tx, draft: Draft, arrival: &Arrival) -> (Pending, Vec<OpenOffer>) {
        let request = self.request(&draft, arrival, tx.now());
        let bytes = request.encode();
        let binding = Request::binding(&bytes);
        let raw_hash = request.raw;
        tx.write(Write::Request {
            id: request.id,
            run: self.run_id,
            binding,
            bytes: bytes.clone(),
            raw: draft.raw.clone(),
            raw_hash,
        });
        tx.record(Body {
            request: Some(request.id),
            binding: Some(binding),
            class: Some(request.judgement.class),
            level: Some(request.judgement.level),
            ..about(Event::Asked, &draft)
        });
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
        };
        let offers = self
            .approvers
            .values()
            .filter(|approver| self.may_be_asked(approver))
            .map(|approver| self.offer(tx, &pending, approver, arrival.seed, 1))
            .collect();
        (pending, offers)
    }

    /// Until *Judgement* every request that reaches us asks: class unknown, level yellow, step 9, no *Always*.
    fn request(&self, draft: &Draft, arrival: &Arrival, now: Now) -> Request {
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
                class: Class::Unknown,
                level: Level::Yellow,
                reasons: draft.reasons.iter().cloned().map(Foreign::from).collect(),
                headline: draft.headline.clone().into(),
            },
            why: Why { step: 9, text: Foreign::new("Nothing you decided before covers this"), line: None },
            taint: false,
            place: self.settings.place.clone(),
            wall_ms: now.wall_ms,
            ttl_ms: arrival.deadline_boot_ms.saturating_sub(arrival.arrived_boot_ms),
            always: Vec::new(),
            replies: TOOL_REPLIES,
            subagent: draft.subagent.clone(),
            mode: draft.mode.shown().into(),
            start_folder: self.sessions.start_folder(&draft.session),
            words: draft.words.shown_lines().into(),
            whole: draft.whole,
            depends: draft.depends.clone(),
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
        let allowed =
            if is_whole && approver.standing == Standing::Active { TOOL_REPLIES } else { NARROW_REPLIES };
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

    pub(super) fn hook_gone(&mut self, hook: HookId, why: HookGone, now: Now) {
        let found =
            self.ledger.waiting().find(|pending| pending.hook == hook).map(|pending| pending.request.id);
        let words = match why {
            HookGone::Closed => "the agent moved on",
            HookGone::AgentGone => "the agent is gone",
        };
        self.withdraw(found.into_iter().collect(), words, false, now);
    }

    pub(super) fn observed(&mut self, session: SessionKey, what: Observed, now: Now) {
        let ours = |pending: &&Pending| pending.draft.session == session;
        match what {
            Observed::Started { folder } => self.sessions.entry(&session).start_folder = Some(folder),
            Observed::Ended { calls, subagent } => {
                let mut over = Vec::new();
                for call in calls {
                    let same = |pending: &&Pending| {
                        let by = pending.draft.subagent.as_ref().map(|subagent| &subagent.id);
                        by == subagent.as_ref()
                            && pending.draft.tool == call.tool
                            && pending.draft.raw == call.raw
                            && !over.contains(&pending.request.id)
                    };
                    let found =
                        self.ledger.waiting().filter(ours).find(same).map(|pending| pending.request.id);
                    over.extend(found);
                }
                self.withdraw(over, "answered in the terminal", true, now);
            }
            Observed::MovedOn => {
                let over = self.ledger.waiting().filter(ours).filter(|p| !p.is_of_subagent());
                let over = over.map(|pending| pending.request.id).collect();
                self.withdraw(over, "the agent moved on", true, now);
            }
            Observed::AnsweredInTerminal => {
                // Its dialogs come one at a time and oldest first; what our own answer woke is no answer.
                if self.sessions.is_own_echo(&session, now.boot_ms) {
                    return;
                }
                let over = self.ledger.waiting().filter(ours).find(|p| !p.is_of_subagent());
                let over = over.map(|pending| pending.request.id).into_iter().collect();
                self.withdraw(over, "answered in the terminal", true, now);
            }
            Observed::SessionOver => {
                let over = self.ledger.waiting().filter(ours).map(|pending| pending.request.id).collect();
                self.withdraw(over, "the session ended", true, now);
            }
        }
    }

    fn withdraw(&mut self, over: Vec<RequestId>, words: &str, is_waiting: bool, now: Now) {
        if over.is_empty() {
            return;
        }
        let mut tx = self.begin(now);
        let partings =
            over.into_iter().filter_map(|id| self.withdrawal(&mut tx, id, words, is_waiting)).collect();
        self.propose(tx, Then::End(partings));
    }
}

/// An entry about a draft's call.
pub(super) fn about(event: Event, draft: &Draft) -> Body {
    Body {
        raw: Some(draft.raw_hash()),
        agent: Some(Foreign::new(draft.session.agent.clone())),
        session: Some(draft.session.session.shown().into()),
        tool: Some(draft.tool.shown().into()),
        headline: Some(draft.headline.clone().into()),
        ..Body::of(event)
    }
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
