//! What the desktop says, message by message. Whatever does not verify, or is a phone's own kind of message, changes
//! nothing.

use std::collections::BTreeSet;

use countersign_proto::{
    checkpoint::SignedCheckpoint,
    id::OfferId,
    message::{Closed, Message, NoticeCode, OfferClosed, OfferMessage, Ping, Revoked, Welcome},
    receipt::{Outcome, SignedReceipt},
    refusal::Refusal,
    session::Received,
};

use super::{
    io::{Alarm, Event},
    paired::{After, MESSAGE_TTL_S, Paired},
};
use crate::{
    clock::Now,
    inbox::{Arrival, End, Stage, Turned},
    vault::Part,
};

impl Paired {
    /// Takes an envelope that the relay held for `age_ms`.
    pub(super) fn deliver(&mut self, envelope: &[u8], age_ms: u32, now: Now) -> After {
        match self.link.receive(envelope, now) {
            Ok(Received::Live(_)) => self.greet(now),
            Ok(Received::Message(raw)) => {
                if let Ok(message) = Message::decode(raw.kind, &raw.body) {
                    return self.take(message, u64::from(age_ms), now);
                }
            }
            Ok(Received::Nothing | Received::Reply(_)) | Err(_) => {}
        }
        After::Paired
    }

    fn take(&mut self, message: Message, age_ms: u64, now: Now) -> After {
        match message {
            Message::Welcome(welcome) => self.welcomed(&welcome, age_ms, now),
            Message::Offer(offer) => self.offered(&offer, age_ms, now),
            Message::OfferClosed(closed) => self.closed(&closed, now),
            Message::Receipt(receipt) => self.receipt(&receipt, now),
            Message::AuditHead(signed) => self.look_at(&signed),
            Message::Notice(notice) => {
                if notice.code == NoticeCode::Locked {
                    self.sent.locked();
                }
                self.show(Event::Notice(notice.code, notice.text.shown_lines()));
            }
            Message::Ping(Ping { nonce, pong: false }) => {
                self.send(&Message::Ping(Ping { nonce, pong: true }), MESSAGE_TTL_S, now);
            }
            Message::Revoked(signed) => {
                let desktop = &self.pair.desktop;
                let (id, device) = (&desktop.desktop_id, &desktop.device_id);
                if Revoked::open(&signed, &desktop.desktop, id, device).is_ok() {
                    return After::Revoked;
                }
            }
            Message::Ping(Ping { pong: true, .. })
            | Message::Hello(_)
            | Message::Reply(_)
            | Message::GetOffer(_)
            | Message::RequestOffer(_)
            | Message::Lock(_) => {}
        }
        After::Paired
    }

    fn welcomed(&mut self, welcome: &Welcome, age_ms: u64, now: Now) {
        self.link.welcomed();
        if self.link.is_up() {
            self.tell_here();
        }
        let ours = self.counter.last();
        if self.counter.catch_up(welcome.counter) {
            self.store(Part::Counter, self.counter.to_bytes());
            self.alarm(Alarm::CounterBehind { ours, known: welcome.counter });
        }
        self.sent.known(welcome.counter);
        if let Some(signed) = &welcome.checkpoint {
            self.look_at(signed);
        }
        let open: BTreeSet<OfferId> = welcome.open.iter().map(|open| open.offer_id).collect();
        for offer_id in core::mem::take(&mut self.unsure).difference(&open) {
            if self.inbox.is_unsigned(*offer_id) {
                self.withdraw(*offer_id, End::Gone, now);
            }
        }
        for open in &welcome.open {
            let left_ms = open.left_ms.saturating_sub(age_ms);
            let arrival = self.inbox.announced(open, left_ms, now);
            if arrival == Arrival::New {
                self.pulls.want(open.offer_id, open.offer_hash, left_ms, now);
            }
            self.arrived(open.offer_id, arrival, now);
        }
        self.sent.again(now);
    }

    fn offered(&mut self, message: &OfferMessage, age_ms: u64, now: Now) {
        let desktop = &self.pair.desktop;
        let Ok(opened) = message.signed.open(&desktop.desktop, &desktop.desktop_id, &desktop.device_id)
        else {
            return;
        };
        let offer_id = opened.offer().offer_id;
        if self.pulls.expects_other(offer_id, opened.hash()) {
            return self.arrived(offer_id, Arrival::Changed, now);
        }
        self.pulls.drop_offer(offer_id);
        let left_ms = message.left_ms.saturating_sub(age_ms);
        match self.inbox.offer(&opened, left_ms, message.fronted, now) {
            Arrival::New => self.show(Event::Card(offer_id)),
            arrival @ (Arrival::Known | Arrival::Changed | Arrival::Ignored) => {
                self.arrived(offer_id, arrival, now);
            }
        }
    }

    fn arrived(&mut self, offer_id: OfferId, arrival: Arrival, now: Now) {
        match arrival {
            Arrival::Known => self.show(Event::Touched(offer_id)),
            Arrival::Changed => {
                self.alarm(Alarm::OfferChanged);
                if !self.is_sent(offer_id) {
                    self.withdraw(offer_id, End::Changed, now);
                }
            }
            Arrival::New | Arrival::Ignored => {}
        }
    }

    fn closed(&mut self, closed: &OfferClosed, now: Now) {
        if closed.how == Closed::Locked {
            self.sent.locked();
        }
        // A reply that is on its way gets its own receipt, which says more and is signed.
        if !self.is_sent(closed.offer_id) {
            self.withdraw(closed.offer_id, End::Closed(closed.how, closed.by.shown()), now);
        }
    }

    fn is_sent(&self, offer_id: OfferId) -> bool {
        self.inbox.get(offer_id).is_some_and(|entry| matches!(entry.stage(), Stage::Sent(_)))
    }

    fn receipt(&mut self, signed: &SignedReceipt, now: Now) {
        let desktop = &self.pair.desktop;
        let Ok(receipt) = signed.open(&desktop.desktop, &desktop.desktop_id, &desktop.device_id) else {
            return;
        };
        if self.sent.confirm_lock(receipt.reply) {
            if let Outcome::Refused(code) = receipt.outcome {
                self.show(Event::NotLocked(Turned(Refusal::from_code(code))));
            }
            return;
        }
        let Some(offer_id) = self.sent.confirm(receipt.reply) else { return };
        match receipt.outcome {
            Outcome::Refused(code) if may_try_again(code) => {
                let turned = Turned(Refusal::from_code(code));
                self.inbox.undecide(offer_id, Some(turned));
                self.show(Event::Turned(offer_id, turned));
                // Where its time is over meanwhile, it is missed now.
                self.let_expire(now);
            }
            outcome => self.withdraw(offer_id, End::of_receipt(&outcome), now),
        }
    }

    fn look_at(&mut self, signed: &SignedCheckpoint) {
        let Ok(checkpoint) = signed.open(&self.pair.desktop.desktop) else { return };
        match self.witness.look(checkpoint, signed) {
            Ok(true) => {
                if let Some(bytes) = self.witness.to_bytes() {
                    self.store(Part::Head, bytes);
                }
            }
            Ok(false) => {}
            Err(alarm) => self.alarm(Alarm::Log(alarm)),
        }
    }
}

/// Whether the person may answer the card again after this refusal: those that say the offer is over are final. A
/// decision that could not be stored has sent its call back to the terminal.
fn may_try_again(code: u16) -> bool {
    match Refusal::from_code(code) {
        Some(
            Refusal::WrongDesktop
            | Refusal::WrongDevice
            | Refusal::WrongRun
            | Refusal::Revoked
            | Refusal::UnknownOffer
            | Refusal::OfferClosed
            | Refusal::HashMismatch
            | Refusal::TooLate
            | Refusal::StoreFailed,
        ) => false,
        Some(
            Refusal::Malformed
            | Refusal::NotCanonical
            | Refusal::TooBig
            | Refusal::NoSession
            | Refusal::NotOffered
            | Refusal::CounterReplayed
            | Refusal::CounterRegressed
            | Refusal::BadDeviceSignature
            | Refusal::BioMissing
            | Refusal::BadBioSignature
            | Refusal::BioKeyNotStrong
            | Refusal::Suspended
            | Refusal::NoteNeedsBio
            | Refusal::PayloadMismatch
            | Refusal::DestructiveNoAlways,
        )
        | None => true,
    }
}
