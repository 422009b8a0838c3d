//! From a person's choice to a signed reply: the counter is stored first, then the finger asked for where one is needed,
//! then signed. Whatever ends in between leaves the card waiting and nothing signed.

use countersign_proto::{
    id::OfferId,
    message::Lock,
    refusal::Refusal,
    reply::{Decision, Reply, SignedReply},
    text::Shown,
};

use super::{
    io::{Alarm, Command, Event, StoreId},
    paired::{Finger, Paired},
};
use crate::{
    choice::{CannotAnswer, Choice},
    clock::Now,
    inbox::Turned,
    signer::{Pending, Subject, Unsigned},
    signing::{Next, Signed, Work},
    vault::Part,
};

impl Paired {
    pub(super) fn decide(&mut self, offer_id: OfferId, choice: &Choice, now: Now) {
        match self.try_decide(offer_id, choice, now) {
            Ok(reply) => self.signing.push(Work::Reply(reply)),
            Err(why) => self.show(Event::NotTaken(offer_id, why)),
        }
    }

    fn try_decide(&mut self, offer_id: OfferId, choice: &Choice, now: Now) -> Result<Reply, CannotAnswer> {
        if self.is_locking() {
            return Err(CannotAnswer::Locked);
        }
        if choice.decision().needs_bio() && self.finger == Finger::Gone {
            return Err(CannotAnswer::KeyGone);
        }
        let desktop = &self.pair.desktop;
        self.inbox.decide(offer_id, choice, desktop.desktop_id, desktop.device_id, now)
    }

    /// Everything else on its way to a signature gives way: the lock denies it all.
    pub(super) fn lock(&mut self) {
        if self.is_locking() {
            return;
        }
        if self.signing.clear() {
            self.commands.push_back(Command::CancelBio);
        }
        self.inbox.undecide_all();
        let desktop = &self.pair.desktop;
        let (desktop_id, device_id) = (desktop.desktop_id, desktop.device_id);
        self.signing.push(Work::Lock(Lock { v: 1, desktop_id, device_id, counter: 0 }));
    }

    fn is_locking(&self) -> bool {
        self.signing.is_locking() || self.sent.is_locking()
    }

    pub(super) fn start_signing(&mut self) {
        loop {
            let store = self.next_store();
            let Some(started) = self.signing.start(&mut self.counter, store) else { return };
            match started {
                Ok(counter) => {
                    self.store(Part::Counter, counter.to_bytes());
                }
                Err(work) => self.not_signed(work),
            }
        }
    }

    pub(super) fn stored(&mut self, store: StoreId, now: Now) {
        match self.signing.stored(store, &self.pair.device) {
            Next::Nothing => {}
            Next::Ask(unsigned) => {
                let pending = self.pending(&unsigned);
                self.commands.push_back(Command::AskBio(pending));
            }
            Next::Signed(Signed::Reply(reply, signed)) => self.reply_signed(&reply, signed, now),
            Next::Signed(Signed::Lock(lock, signed)) => {
                self.sent.push_lock(lock.counter, signed);
                self.show(Event::Locking);
            }
        }
    }

    pub(super) fn store_failed(&mut self, store: StoreId) {
        if let Some(work) = self.signing.store_failed(store) {
            self.not_signed(work);
        }
    }

    fn not_signed(&mut self, work: Work) {
        match work {
            Work::Reply(reply) => {
                self.inbox.undecide(reply.offer_id, None);
                self.show(Event::NotTaken(reply.offer_id, CannotAnswer::StoreFailed));
            }
            Work::Lock(_) => self.show(Event::NotLocked(Turned(Some(Refusal::StoreFailed)))),
        }
    }

    pub(super) fn bio_signed(&mut self, prompt: u64, der: Vec<u8>, now: Now) {
        let Some((reply, signed)) =
            self.signing.bio_signed(prompt, der, &self.pair.device, &self.pair.desktop.bio)
        else {
            return;
        };
        match signed {
            Ok(signed) => self.reply_signed(&reply, signed, now),
            Err(_) => {
                self.inbox.undecide(reply.offer_id, None);
                self.alarm(Alarm::BadBioSignature);
            }
        }
    }

    pub(super) fn bio_cancelled(&mut self, prompt: u64) {
        if let Some(reply) = self.signing.bio_ended(prompt) {
            self.inbox.undecide(reply.offer_id, None);
            self.show(Event::BioCancelled(reply.offer_id));
        }
    }

    pub(super) fn bio_invalidated(&mut self, prompt: u64) {
        if let Some(reply) = self.signing.bio_ended(prompt) {
            self.finger = Finger::Gone;
            self.inbox.undecide(reply.offer_id, None);
            self.alarm(Alarm::KeyGone);
        }
    }

    fn reply_signed(&mut self, reply: &Reply, signed: SignedReply, now: Now) {
        let Some(deadline_ms) = self.inbox.signed(reply.offer_id, reply.decision, now) else { return };
        self.sent.push_reply(reply, signed, deadline_ms);
        self.show(Event::Sent(reply.offer_id, reply.decision));
    }

    fn pending(&self, unsigned: &Unsigned) -> Pending {
        let reply = &unsigned.reply;
        let headline = self.inbox.get(reply.offer_id).map(|entry| entry.card().headline.to_string());
        let title = format!("{}: {}", words(reply.decision), headline.unwrap_or_default());
        Pending {
            prompt: reply.counter,
            subject: Subject::Offer(reply.offer_id),
            title: Shown::line(&title),
            bytes: unsigned.bio_bytes(),
        }
    }
}

/// What a prompt says a decision does.
const fn words(decision: Decision) -> &'static str {
    match decision {
        Decision::Deny => "Deny",
        Decision::Dismiss => "Hide",
        Decision::DenyWithNote => "Deny with a note",
        Decision::ApproveOnce => "Allow",
        Decision::ApproveAlways => "Always allow",
        Decision::Answer => "Answer",
        Decision::HandOff => "Hand off to the terminal",
        Decision::Grant => "Allow one retry",
        Decision::ServiceAction => "Confirm",
    }
}
