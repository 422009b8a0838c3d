//! How requests end: decided, expired, withdrawn, handed back. Every end is recorded before anybody hears of it; a
//! decided one is then released, and what became of that is recorded too.

use countersign_proto::{
    id::{DeviceId, Hash, OfferId, RequestId},
    message::{Closed, Message, OfferClosed},
    receipt::{Outcome, Receipt, SignedReceipt},
    reply::Decision,
    text::{Foreign, Shown},
};

use super::{
    Core,
    ask::about,
    sessions::{CallTold, Marks},
    transaction::{Then, Tx},
};
use crate::{
    answer::Answer,
    audit::{Body, Event},
    clock::Now,
    command::{Change, Command, OfferState, Report, RequestState, Source, Verdict, Write},
    input::{HookId, Which},
    ledger::{Ending, Pending},
};

/// The phone whose reply ends a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Winner {
    pub(super) device: DeviceId,
    pub(super) offer: OfferId,
    pub(super) reply: Hash,
    pub(super) counter: u64,
    pub(super) decision: Decision,
}

/// A request's end in the making: what surfaces hear and the hook is told once it is stored.
#[derive(Debug)]
pub(super) struct Parting {
    request: RequestId,
    how: Ending,
    by: Shown,
    /// Absent where the hook is gone.
    answer: Option<Answer>,
    /// Whether a person decided it, so that its release is recorded.
    verdict: Option<Verdict>,
    winner: Option<Winner>,
    /// Whoever clicked is told.
    is_reported: bool,
}

/// A decided request whose hook is being told.
#[derive(Debug)]
pub(super) struct Releasing {
    request: RequestId,
    verdict: Verdict,
    winner: Option<Winner>,
}

impl Releasing {
    /// Whether these are the reply bytes whose receipt is on its way.
    pub(super) fn is_of(&self, reply: Hash) -> bool {
        self.winner.is_some_and(|winner| winner.reply == reply)
    }
}

/// A person's decision on one request, before it is recorded.
#[derive(Debug)]
pub(super) struct Decided {
    pub(super) answer: Answer,
    pub(super) verdict: Verdict,
    pub(super) source: Source,
    pub(super) by: Shown,
    pub(super) winner: Option<Winner>,
    pub(super) note: Option<Foreign>,
    pub(super) is_reported: bool,
}

impl Core {
    /// Records a decision: its one row, the state before release, the audit entry, the ends of its offers.
    pub(super) fn decide(&self, tx: &mut Tx, request: RequestId, decided: Decided) -> Option<Parting> {
        let pending = self.ledger.get(request)?;
        Self::write_down(tx, pending);
        let Decided { answer, verdict, source, by, winner, note, is_reported } = decided;
        let (event, closed) = match verdict {
            Verdict::Allow => (Event::Allowed, Closed::Allowed),
            Verdict::Deny => (Event::Denied, Closed::Denied),
            Verdict::Abstain => (Event::HandedBack, Closed::HandedBack),
        };
        tx.write(Write::Decision { request, answer: verdict, source });
        tx.write(Write::RequestState { id: request, state: RequestState::Releasing });
        self.end_offers(tx, pending, winner.map(|winner| winner.offer), OfferState::Superseded);
        let (device, counter) = match source {
            Source::Phone { device, counter, decision: _ } => (Some(device), Some(counter)),
            Source::Click
            | Source::Terminal
            | Source::Lock
            | Source::Green(_)
            | Source::Rule(_)
            | Source::Policy { .. }
            | Source::Refused
            | Source::Before => (None, None),
        };
        tx.record(Body {
            request: Some(request),
            binding: Some(pending.binding),
            class: Some(pending.request.judgement.class),
            level: Some(pending.request.judgement.level),
            source: Some(Foreign::new(source.name())),
            basis: source.basis(),
            device,
            counter,
            offer: winner.map(|winner| winner.offer),
            reply: winner.map(|winner| winner.reply),
            note,
            ..about(event, &pending.draft)
        });
        if verdict == Verdict::Allow && pending.draft.facts.brings_in() {
            let session = &pending.draft.session;
            let before = self.sessions.marks(session);
            let after = Marks { is_tainted: true, ..before.clone() };
            // In memory it is marked as the answer is released.
            drop(self.marked(tx, session, &before, after));
        }
        let answer = Some(answer);
        Some(Parting {
            request,
            how: Ending::Decided(closed),
            by,
            answer,
            verdict: Some(verdict),
            winner,
            is_reported,
        })
    }

    /// Records that a request is over without a decision: the agent moved on, or something took its place.
    pub(super) fn withdrawal(
        &self,
        tx: &mut Tx,
        request: RequestId,
        words: &str,
        is_waiting: bool,
    ) -> Option<Parting> {
        let pending = self.ledger.get(request)?;
        Self::write_down(tx, pending);
        tx.write(Write::RequestState { id: request, state: RequestState::Cancelled });
        self.end_offers(tx, pending, None, OfferState::Cancelled);
        let note = Some(Foreign::new(words));
        let binding = Some(pending.binding);
        tx.record(Body { request: Some(request), binding, note, ..about(Event::Withdrawn, &pending.draft) });
        Some(Parting {
            request,
            how: Ending::Withdrawn(Closed::Withdrawn),
            by: Shown::line(words),
            answer: is_waiting.then(Answer::abstain),
            verdict: None,
            winner: None,
            is_reported: false,
        })
    }

    /// Records that a call's facts changed: its card gives way to a new one, and its hook waits on (WHO-7).
    pub(super) fn superseding(&self, tx: &mut Tx, request: RequestId, is_reported: bool) -> Option<Parting> {
        let pending = self.ledger.get(request)?;
        Self::write_down(tx, pending);
        tx.write(Write::RequestState { id: request, state: RequestState::Cancelled });
        self.end_offers(tx, pending, None, OfferState::Superseded);
        let binding = Some(pending.binding);
        tx.record(Body { request: Some(request), binding, ..about(Event::Changed, &pending.draft) });
        Some(Parting {
            request,
            how: Ending::Withdrawn(Closed::Superseded),
            by: Shown::line("what the call would do changed"),
            answer: None,
            verdict: None,
            winner: None,
            is_reported,
        })
    }

    pub(super) fn expire(&mut self, over: &[RequestId], now: Now) {
        let mut tx = self.begin(now);
        let mut partings = Vec::new();
        for request in over {
            let Some(pending) = self.ledger.get(*request) else { continue };
            Self::write_down(&mut tx, pending);
            tx.write(Write::RequestState { id: *request, state: RequestState::Expired });
            self.end_offers(&mut tx, pending, None, OfferState::Expired);
            let binding = Some(pending.binding);
            tx.record(Body { request: Some(*request), binding, ..about(Event::Expired, &pending.draft) });
            partings.push(Parting {
                request: *request,
                how: Ending::Expired,
                by: Shown::line("nobody answered in time"),
                answer: Some(Answer::abstain()),
                verdict: None,
                winner: None,
                is_reported: false,
            });
        }
        self.propose(tx, Then::End(partings, None));
    }

    /// A request that was answered without a card is written together with its end.
    fn write_down(tx: &mut Tx, pending: &Pending) {
        if let Some(write) = &pending.unwritten {
            tx.write(write.clone());
        }
    }

    fn end_offers(&self, tx: &mut Tx, pending: &Pending, answered: Option<OfferId>, others: OfferState) {
        for id in pending.offers.values() {
            let state = if Some(*id) == answered { OfferState::Answered } else { others };
            tx.write(Write::OfferState { id: *id, state });
        }
    }

    /// The end is stored, or could not be: the request leaves the book, everybody hears of it, and its hook is
    /// answered. What was not stored is not released: the hook hears nothing.
    pub(super) fn part(&mut self, parting: Parting, now: Now, is_stored: bool) {
        let Parting { request, how, by, answer, verdict, winner, is_reported } = parting;
        let (how, by) = if is_stored {
            (how, by)
        } else {
            (Ending::Withdrawn(Closed::HandedBack), Shown::line("the decision could not be stored"))
        };
        let Some((pending, offers)) = self.ledger.end(request, how, &by) else { return };
        for offer in offers {
            if winner.is_none_or(|winner| winner.offer != offer.id) {
                let closed = OfferClosed { offer_id: offer.id, how: how.closed(), by: by.clone().into() };
                self.send(offer.device, Message::OfferClosed(closed));
            }
        }
        if pending.is_quiet() {
            let headline = pending.draft.headline.clone();
            self.changed(Change::Passed { request, headline, how: how.closed(), by });
        } else {
            self.changed(Change::Closed { request, how: how.closed(), by });
        }
        self.tell_clicker(is_reported, how, is_stored);
        match (answer, verdict) {
            (Some(answer), Some(verdict)) if is_stored => {
                self.release_one(&pending, answer, verdict, winner, now)
            }
            (Some(_), _) => {
                self.abstain(pending.hook);
                if let (Some(winner), false) = (winner, is_stored) {
                    let outcome = Outcome::refused(countersign_proto::Refusal::StoreFailed);
                    let receipt = self.receipt(winner.device, Some(winner.offer), winner.reply, outcome, now);
                    self.send(winner.device, Message::Receipt(receipt));
                }
            }
            (None, _) => {}
        }
    }

    fn tell_clicker(&mut self, is_reported: bool, how: Ending, is_stored: bool) {
        if is_reported {
            self.report(match (is_stored, how) {
                (false, _) => Report::NotStored,
                (true, Ending::Withdrawn(Closed::Superseded)) => {
                    Report::Click(crate::authority::ClickRefusal::Changed)
                }
                (true, _) => Report::Done,
            });
        }
    }

    fn release_one(
        &mut self,
        pending: &Pending,
        answer: Answer,
        verdict: Verdict,
        winner: Option<Winner>,
        now: Now,
    ) {
        if let Some(winner) = winner
            && let Some(approver) = self.approvers.get_mut(&winner.device)
        {
            approver.counter = winner.counter;
        }
        self.sessions.note_answer(&pending.draft.session, now.boot_ms);
        let told = match verdict {
            Verdict::Allow => CallTold::Allowed,
            Verdict::Deny => CallTold::Denied,
            Verdict::Abstain => CallTold::Nothing,
        };
        self.sessions.note_told(&pending.draft, told);
        if verdict == Verdict::Allow && pending.draft.facts.brings_in() {
            self.sessions.mark(&pending.draft.session, &Marks { is_tainted: true, off: None });
        }
        self.releasing.insert(pending.hook, Releasing { request: pending.request.id, verdict, winner });
        // The deadline may have passed while the decision was being stored; the shell looks once more as it writes.
        let answer = if now.boot_ms < pending.deadline_boot_ms { answer } else { Answer::abstain() };
        let deadline_boot_ms = pending.deadline_boot_ms;
        self.commands.push_back(Command::Answer { hook: pending.hook, answer, deadline_boot_ms });
    }

    /// The hook was told, or was gone: recorded, and the phone that decided gets its receipt.
    pub(super) fn delivered(&mut self, hook: HookId, written: bool, now: Now) {
        let Some(Releasing { request, verdict, winner }) = self.releasing.remove(&hook) else { return };
        let (state, event) = if written {
            (RequestState::Released, Event::Released)
        } else {
            (RequestState::Unreleased, Event::Unreleased)
        };
        let mut tx = self.begin(now);
        tx.write(Write::RequestState { id: request, state });
        let note = Some(Foreign::new(verdict.name()));
        tx.record(Body { request: Some(request), note, ..Body::of(event) });
        let Some(winner) = winner else {
            self.propose(tx, Then::Nothing);
            return;
        };
        let outcome =
            if written { Outcome::Released(winner.decision) } else { Outcome::Unreleased(winner.decision) };
        let receipt = self.receipt(winner.device, Some(winner.offer), winner.reply, outcome, now);
        tx.write(Write::Receipt { reply: winner.reply, signed: receipt.clone() });
        let message = Box::new(Message::Receipt(receipt));
        // A receipt says what happened to the agent, and that has happened whether or not this was stored.
        let otherwise = message.clone();
        self.propose(tx, Then::Tell { device: winner.device, message, otherwise, counter: None });
    }

    pub(super) fn receipt(
        &self,
        device: DeviceId,
        offer: Option<OfferId>,
        reply: Hash,
        outcome: Outcome,
        now: Now,
    ) -> SignedReceipt {
        Receipt {
            v: Receipt::VERSION,
            desktop_id: self.desktop_id,
            device_id: device,
            offer_id: offer,
            reply,
            outcome,
            wall_ms: now.wall_ms,
        }
        .sign(&self.desktop)
    }

    /// `countersign deny`: needs the id alone (WHO-6).
    pub(super) fn deny(&mut self, which: Which, now: Now) {
        self.decide_from_terminal(which, Verdict::Deny, now);
    }

    /// `countersign release`: hands waiting cards back to the terminal at once (WAIT-2).
    pub(super) fn release(&mut self, which: Which, now: Now) {
        self.decide_from_terminal(which, Verdict::Abstain, now);
    }

    fn decide_from_terminal(&mut self, which: Which, verdict: Verdict, now: Now) {
        let ids = self.waiting_ids(which);
        if ids.is_empty() {
            self.report(Report::Nothing);
            return;
        }
        let mut tx = self.begin(now);
        let last = ids.last().copied();
        let mut partings = Vec::new();
        for id in ids {
            let decided = Decided {
                answer: if verdict == Verdict::Deny { Answer::deny(None) } else { Answer::abstain() },
                verdict,
                source: Source::Terminal,
                by: Shown::line("from a terminal on the desktop"),
                winner: None,
                note: None,
                is_reported: Some(id) == last,
            };
            partings.extend(self.decide(&mut tx, id, decided));
        }
        self.propose(tx, Then::End(partings, None));
    }

    /// Denies everything that waits, as part of a lock.
    pub(super) fn deny_all(&self, tx: &mut Tx, by: &Shown) -> Vec<Parting> {
        let ids = self.waiting_ids(Which::All);
        let decided = || Decided {
            answer: Answer::deny(Some("Countersign was locked")),
            verdict: Verdict::Deny,
            source: Source::Lock,
            by: by.clone(),
            winner: None,
            note: None,
            is_reported: false,
        };
        ids.into_iter().filter_map(|id| self.decide(tx, id, decided())).collect()
    }

    fn waiting_ids(&self, which: Which) -> Vec<RequestId> {
        match which {
            Which::All => self.ledger.waiting().map(|pending| pending.request.id).collect(),
            Which::One(id) => self.ledger.get(id).map(|pending| pending.request.id).into_iter().collect(),
        }
    }
}
