//! A phone's reply: checked in the order of protocol.md §7.4, settled at most once, and receipted.

use countersign_proto::{
    Refusal, domain,
    id::{DeviceId, OfferId, RequestId},
    message::{Closed, Message},
    receipt::{Outcome, Receipt},
    reply::{Decision, Payload, Reply, SignedReply, UnverifiedReply, Verified},
    text::{Foreign, Shown},
};

use super::{
    Core, Wait,
    end::{Decided, Winner},
    phone::check_counter,
    transaction::Then,
};
use crate::{
    answer::Answer,
    approver::{Approver, Standing},
    audit::{Body, Event},
    authority::{Authority, ClickRefusal, SignedYes},
    clock::Now,
    command::{Command, Report, Source, Verdict, Write},
    draft::Draft,
    input::Recall,
    ledger::{Ended, Ending},
    rule::Scope,
};

/// An allow that waits for its facts to be derived again: the authority, the reply it came in, and what is to be
/// remembered with it.
#[derive(Debug)]
pub(super) struct Settling {
    authority: Authority,
    reply: Option<Accepted>,
    remember: Option<Scope>,
}

impl Settling {
    /// By a click.
    pub(super) const fn click(authority: Authority, remember: Option<Scope>) -> Self {
        Self { authority, reply: None, remember }
    }

    /// By what the person decided before.
    pub(super) const fn standing(authority: Authority) -> Self {
        Self { authority, reply: None, remember: None }
    }
}

/// A decision on its way into the store.
struct Settled {
    answer: Answer,
    verdict: Verdict,
    /// Whose word, and in which words, where it is no phone's.
    otherwise: (Source, Shown),
    reply: Option<Accepted>,
    note: Option<Foreign>,
    remember: Option<Scope>,
}

/// A reply that passed every check but the deadline's last look.
#[derive(Debug)]
struct Accepted {
    winner: Winner,
    signed: SignedReply,
}

/// What a refused reply is told.
enum Refused {
    /// A code.
    With(Refusal),
    /// The receipt these bytes got before.
    Again(Box<countersign_proto::receipt::SignedReceipt>),
    /// Its receipt is on its way.
    Underway,
    /// Another answer was first.
    Settled(Shown),
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self::With(refusal)
    }
}

impl Core {
    pub(super) fn reply(&mut self, device: DeviceId, signed: SignedReply, recall: Recall, now: Now) {
        let bytes = signed.bytes.clone();
        let unverified = match UnverifiedReply::of(signed) {
            Ok(unverified) => unverified,
            Err(refusal) => return self.refuse_reply(device, None, &bytes, refusal, now),
        };
        let offer = unverified.claims().offer_id;
        match self.check(device, unverified, recall, now) {
            Ok((verified, request)) => self.accept(&verified, request, now),
            Err(Refused::With(refusal)) => self.refuse_reply(device, Some(offer), &bytes, refusal, now),
            Err(Refused::Again(receipt)) => self.send(device, Message::Receipt(*receipt)),
            Err(Refused::Underway) => {}
            Err(Refused::Settled(by)) => {
                let outcome = Outcome::AlreadySettled(by.into());
                let receipt = self.receipt(device, Some(offer), Receipt::reply_hash(&bytes), outcome, now);
                self.send(device, Message::Receipt(receipt));
                self.complain(device, Refusal::OfferClosed, Some(offer), now);
            }
        }
    }

    /// The check order of protocol.md §7.4: the first failure wins.
    fn check(
        &self,
        device: DeviceId,
        unverified: UnverifiedReply,
        recall: Recall,
        now: Now,
    ) -> Result<(Verified<Reply>, RequestId), Refused> {
        let approver = self.approvers.get(&device).ok_or(Refusal::WrongDevice)?;
        let said = unverified.claims().clone();
        if said.desktop_id != self.desktop_id {
            return Err(Refusal::WrongDesktop.into());
        }
        if said.device_id != device {
            return Err(Refusal::WrongDevice.into());
        }
        self.check_standing(approver, said.decision)?;
        if let Some(receipt) = recall.receipt {
            return Err(Refused::Again(Box::new(receipt)));
        }
        let hash = Receipt::reply_hash(unverified.bytes());
        if self.releasing.values().any(|releasing| releasing.is_of(hash)) {
            return Err(Refused::Underway);
        }
        let Some(offer) = self.ledger.offer(said.offer_id).filter(|offer| offer.device == device) else {
            return Err(self.why_not_open(device, said.offer_id, &recall));
        };
        if said.offer_hash != offer.hash {
            return Err(Refusal::HashMismatch.into());
        }
        self.check_offered(&said, offer)?;
        check_counter(approver.counter, said.counter)?;
        let verified = unverified.verify(&approver.who.device_key, &approver.who.bio_key)?;
        let pending = self.ledger.get(offer.request).ok_or(Refusal::OfferClosed)?;
        if now.boot_ms >= pending.deadline_boot_ms {
            return Err(Refusal::TooLate.into());
        }
        Ok((verified, offer.request))
    }

    /// A revoked phone says nothing; a suspended one, or a locked desktop, takes only what can't let anything pass.
    fn check_standing(&self, approver: &Approver, decision: Decision) -> Result<(), Refusal> {
        match approver.standing {
            Standing::Revoked => Err(Refusal::Revoked),
            Standing::Suspended(_) if decision.is_widening() => Err(Refusal::Suspended),
            Standing::Active | Standing::Suspended(_) if self.locked && decision.is_widening() => {
                Err(Refusal::Suspended)
            }
            Standing::Active | Standing::Suspended(_) => Ok(()),
        }
    }

    fn check_offered(&self, said: &Reply, offer: &crate::ledger::OpenOffer) -> Result<(), Refusal> {
        if !offer.allowed.contains(said.decision) {
            let class = self.ledger.get(offer.request).map(|pending| pending.request.judgement.class);
            let is_destructive = class == Some(countersign_proto::request::Class::Destructive);
            return Err(if is_destructive && said.decision == Decision::ApproveAlways {
                Refusal::DestructiveNoAlways
            } else {
                Refusal::NotOffered
            });
        }
        said.check_payload()?;
        // An *Always* names the very text that its request offers (protocol.md §7.3).
        if let Some(Payload::Always(index, hash)) = &said.payload {
            let pending = self.ledger.get(offer.request).ok_or(Refusal::OfferClosed)?;
            let offered = pending.request.always.get(usize::from(*index));
            let is_it = offered.is_some_and(|always| {
                domain::hash(domain::OFFERED_TEXT, &[always.text.raw().as_bytes()]) == *hash
            });
            return if is_it { Ok(()) } else { Err(Refusal::PayloadMismatch) };
        }
        Ok(())
    }

    fn why_not_open(&self, device: DeviceId, offer: OfferId, recall: &Recall) -> Refused {
        match self.ledger.ended(offer) {
            Some(Ended { device: of, how, by }) if *of == device => match how {
                Ending::Decided(closed) => {
                    Refused::Settled(Shown::line(&format!("{}, {by}", closed_words(*closed))))
                }
                Ending::Expired => Refusal::TooLate.into(),
                Ending::Withdrawn(_) => Refusal::OfferClosed.into(),
            },
            _ => match recall.offer_run {
                Some(run) if run != self.run_id => Refusal::WrongRun.into(),
                Some(_) => Refusal::OfferClosed.into(),
                None => Refusal::UnknownOffer.into(),
            },
        }
    }

    fn accept(&mut self, verified: &Verified<Reply>, request: RequestId, now: Now) {
        let said = verified.get();
        let winner = Winner {
            device: said.device_id,
            offer: said.offer_id,
            reply: Receipt::reply_hash(&verified.signed().bytes),
            counter: said.counter,
            decision: said.decision,
        };
        let accepted = Accepted { winner, signed: verified.signed().clone() };
        match said.decision {
            Decision::ApproveOnce | Decision::ApproveAlways => {
                let remember = match &said.payload {
                    Some(Payload::Always(index, _)) => {
                        self.ledger.get(request).and_then(|pending| Self::scope_at(pending, *index))
                    }
                    _ => None,
                };
                let offered = self.ledger.offer(said.offer_id).and_then(|offer| self.ledger.offered(offer));
                let Some(yes) = offered.and_then(|offered| SignedYes::check(verified, offered)) else {
                    return;
                };
                let authority = Authority::Phone(yes);
                self.rederive(Settling { authority, reply: Some(accepted), remember });
            }
            Decision::Deny => self.narrow(accepted, request, Verdict::Deny, None, now),
            Decision::DenyWithNote => {
                let note = match &said.payload {
                    Some(Payload::Note(note)) => Some(note.shown()),
                    _ => None,
                };
                self.narrow(accepted, request, Verdict::Deny, note, now);
            }
            Decision::HandOff => self.narrow(accepted, request, Verdict::Abstain, None, now),
            Decision::Dismiss => self.dismiss(accepted, request, now),
            // Never among an offer's allowed replies in this version, so refused before they get here.
            Decision::Answer | Decision::Grant | Decision::ServiceAction => {}
        }
    }

    fn narrow(
        &mut self,
        accepted: Accepted,
        request: RequestId,
        verdict: Verdict,
        note: Option<Shown>,
        now: Now,
    ) {
        let answer = match verdict {
            Verdict::Deny => Answer::deny(note.as_ref().map(Shown::as_str)),
            Verdict::Abstain | Verdict::Allow => Answer::abstain(),
        };
        let settled = Settled {
            answer,
            verdict,
            otherwise: (Source::Click, Shown::default()),
            reply: Some(accepted),
            note: note.map(Foreign::from),
            remember: None,
        };
        self.settle(request, settled, now);
    }

    /// Commits a decision that rests on a reply, a click, or what was decided before.
    fn settle(&mut self, request: RequestId, settled: Settled, now: Now) {
        let Settled { answer, verdict, otherwise, reply: accepted, note, remember } = settled;
        let mut tx = self.begin(now);
        let (source, by, winner) = match &accepted {
            Some(Accepted { winner, .. }) => {
                let source = Source::Phone {
                    device: winner.device,
                    counter: winner.counter,
                    decision: winner.decision,
                };
                (source, self.phone_words(winner.device), Some(*winner))
            }
            None => (otherwise.0, otherwise.1, None),
        };
        if let Some(Accepted { winner, signed }) = accepted {
            tx.write(Write::Reply {
                device: winner.device,
                counter: winner.counter,
                offer: Some(winner.offer),
                hash: winner.reply,
                signed: Some(signed),
            });
        }
        let is_reported = source == Source::Click;
        let decided = Decided { answer, verdict, source, by, winner, note, is_reported };
        let partings = self.decide(&mut tx, request, decided).into_iter().collect();
        let rule = remember.and_then(|scope| self.record_rule(&mut tx, request, scope, source, now));
        self.propose(tx, Then::End(partings, rule.map(Box::new)));
    }

    /// Hides a card on one phone: recorded, and the request waits on.
    fn dismiss(&mut self, accepted: Accepted, request: RequestId, now: Now) {
        let Accepted { winner, signed } = accepted;
        let mut tx = self.begin(now);
        tx.write(Write::Reply {
            device: winner.device,
            counter: winner.counter,
            offer: None,
            hash: winner.reply,
            signed: Some(signed),
        });
        tx.record(Body {
            request: Some(request),
            source: Some(Foreign::new("phone")),
            device: Some(winner.device),
            counter: Some(winner.counter),
            offer: Some(winner.offer),
            reply: Some(winner.reply),
            ..Body::of(Event::Dismissed)
        });
        let receipt = |outcome| self.receipt(winner.device, Some(winner.offer), winner.reply, outcome, now);
        let done = receipt(Outcome::Dismissed);
        let lost = receipt(Outcome::refused(Refusal::StoreFailed));
        tx.write(Write::Receipt { reply: winner.reply, signed: done.clone() });
        let (message, otherwise) = (Box::new(Message::Receipt(done)), Box::new(Message::Receipt(lost)));
        self.propose(
            tx,
            Then::Tell { device: winner.device, message, otherwise, counter: Some(winner.counter) },
        );
    }

    /// Before a release the facts are derived again (WHO-7).
    pub(super) fn rederive(&mut self, settling: Settling) {
        let request = settling.authority.request();
        self.wait = Some(Wait::Facts { request, settling: Box::new(settling) });
        self.commands.push_back(Command::Rederive(request));
    }

    pub(super) fn rederived(
        &mut self,
        request: RequestId,
        draft: Option<Draft>,
        request_id: RequestId,
        seed: [u8; 32],
        now: Now,
    ) {
        let settling = match self.wait.take() {
            Some(Wait::Facts { request: of, settling }) if of == request => settling,
            other => {
                self.wait = other;
                return;
            }
        };
        let Some(pending) = self.ledger.get(request) else { return };
        let Settling { authority, reply, remember } = *settling;
        let is_same = draft.as_ref().is_some_and(|draft| draft.shows_the_same_as(&pending.draft));
        let is_late = now.boot_ms >= pending.deadline_boot_ms;
        let is_ours = authority.request() == request && authority.binding() == pending.binding;
        match draft {
            _ if is_late => self.too_late(&authority, reply.as_ref(), now),
            Some(_) if is_same && is_ours => {
                let otherwise = (authority.source(), Self::by_words(&authority));
                let answer = Answer::allow(authority);
                let settled =
                    Settled { answer, verdict: Verdict::Allow, otherwise, reply, note: None, remember };
                self.settle(request, settled, now);
            }
            draft => {
                let is_clicked = matches!(authority, Authority::Click(_));
                self.replace(request, draft, reply.as_ref(), is_clicked, (request_id, seed), now);
            }
        }
    }

    fn by_words(authority: &Authority) -> Shown {
        Shown::line(match authority {
            Authority::Click(_) => "on the desktop",
            Authority::Phone(_) => "by a phone",
            Authority::Standing(yes) => yes.words(),
        })
    }

    /// The deadline's own tick tells the agent; whoever answered hears it now.
    fn too_late(&mut self, authority: &Authority, reply: Option<&Accepted>, now: Now) {
        match (reply, authority) {
            (Some(Accepted { winner, signed }), _) => {
                self.refuse_reply(winner.device, Some(winner.offer), &signed.bytes, Refusal::TooLate, now);
            }
            (None, Authority::Click(_)) => self.report(Report::Click(ClickRefusal::TooLate)),
            (None, Authority::Standing(_) | Authority::Phone(_)) => {}
        }
    }

    /// The facts changed: the card is withdrawn and a new one made; where they can't be told, the agent asks.
    fn replace(
        &mut self,
        request: RequestId,
        draft: Option<Draft>,
        reply: Option<&Accepted>,
        is_clicked: bool,
        (request_id, seed): (RequestId, [u8; 32]),
        now: Now,
    ) {
        let mut tx = self.begin(now);
        let then = match draft {
            Some(draft) => {
                let Some(parting) = self.superseding(&mut tx, request, is_clicked) else { return };
                let Some(old) = self.ledger.get(request) else { return };
                let (pending, offers) = self.ask_again(&mut tx, old, draft, request_id, seed);
                Then::Open { pending: Box::new(pending), offers, replaced: Some(Box::new(parting)) }
            }
            None => {
                let words = "what the call would do can't be told any more";
                Then::End(self.withdrawal(&mut tx, request, words, true).into_iter().collect(), None)
            }
        };
        if let Some(Accepted { winner, signed }) = reply {
            let hash = Receipt::reply_hash(&signed.bytes);
            let outcome = Outcome::refused(Refusal::OfferClosed);
            let receipt = self.receipt(winner.device, Some(winner.offer), hash, outcome, now);
            self.send(winner.device, Message::Receipt(receipt));
        }
        self.propose(tx, then);
    }

    /// Refuses a reply: the phone gets a receipt with the code, the log its entry, and nothing else changes.
    pub(super) fn refuse_reply(
        &mut self,
        device: DeviceId,
        offer: Option<OfferId>,
        bytes: &[u8],
        refusal: Refusal,
        now: Now,
    ) {
        let hash = Receipt::reply_hash(bytes);
        let receipt = self.receipt(device, offer, hash, Outcome::refused(refusal), now);
        self.send(device, Message::Receipt(receipt));
        self.complain(device, refusal, offer, now);
    }

    fn phone_words(&self, device: DeviceId) -> Shown {
        match self.approvers.get(&device) {
            Some(approver) => Shown::line(&format!("by {}", approver.who.name.shown())),
            None => Shown::line("by a phone"),
        }
    }
}

const fn closed_words(closed: Closed) -> &'static str {
    match closed {
        Closed::Allowed => "allowed",
        Closed::Denied => "denied",
        Closed::HandedBack => "handed back to the terminal",
        Closed::Withdrawn => "withdrawn",
        Closed::Superseded => "replaced",
        Closed::Locked => "locked",
    }
}
