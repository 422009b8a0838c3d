//! A phone's session: what its messages ask for, and what it is sent.

use countersign_proto::{
    Refusal,
    id::{DeviceId, OfferId},
    limits,
    message::{
        Closed, GetOffer, Hello, Lock, Message, Notice, NoticeCode, OfferClosed, OfferMessage, OpenOffer,
        Ping, SignedBytes, Welcome,
    },
    receipt::Receipt,
    text::{Foreign, Shown},
};

use super::{Core, transaction::Then};
use crate::{
    approver::{Standing, Suspicion},
    audit::{Body, Event},
    clock::Now,
    command::{Change, Command, Write},
    input::Recall,
};

impl Core {
    pub(super) fn session(&mut self, device: DeviceId, is_live: bool) {
        if let Some(approver) = self.approvers.get_mut(&device)
            && approver.standing != Standing::Revoked
            && approver.is_live != is_live
        {
            approver.is_live = is_live;
            self.changed(Change::Phones);
        }
    }

    pub(super) fn phone(&mut self, device: DeviceId, message: Message, recall: Recall, now: Now) {
        let refusal = match self.approvers.get(&device) {
            None => Some(Refusal::WrongDevice),
            Some(approver) if approver.standing == Standing::Revoked => Some(Refusal::Revoked),
            Some(approver) if !self.counts(approver.who.strength) => Some(Refusal::BioKeyNotStrong),
            Some(approver) if !approver.is_live => Some(Refusal::NoSession),
            Some(_) => None,
        };
        if let Some(refusal) = refusal {
            if let Message::Reply(signed) = &message {
                self.refuse_reply(device, None, &signed.bytes, refusal, now);
            } else {
                self.complain(device, refusal, None, now);
            }
            return;
        }
        match message {
            Message::Hello(hello) => self.hello(device, &hello, now),
            Message::Ping(ping) if !ping.pong => {
                self.send(device, Message::Ping(Ping { nonce: ping.nonce, pong: true }));
            }
            Message::Ping(_) => {}
            Message::Reply(signed) => self.reply(device, signed, recall, now),
            Message::GetOffer(GetOffer { offer_id }) => self.get_offer(device, offer_id, now),
            Message::RequestOffer(_) => {
                let text = Foreign::new("a missed request can't be granted in this version");
                self.send(device, Message::Notice(Notice { code: NoticeCode::Unavailable, text }));
            }
            Message::Lock(signed) => self.phone_lock(device, &signed, now),
            // Only a desktop says these; from a phone they are nonsense.
            Message::Welcome(_)
            | Message::Offer(_)
            | Message::Receipt(_)
            | Message::OfferClosed(_)
            | Message::AuditHead(_)
            | Message::Notice(_)
            | Message::Revoked(_) => self.complain(device, Refusal::Malformed, None, now),
        }
    }

    fn hello(&mut self, device: DeviceId, hello: &Hello, now: Now) {
        let Some(approver) = self.approvers.get(&device) else { return };
        let open = self
            .ledger
            .offers_of(device)
            .into_iter()
            .map(|offer| OpenOffer {
                offer_id: offer.id,
                offer_hash: offer.hash,
                fronted: self.is_fronted(offer.request),
                left_ms: self.left_ms(offer.request, now),
            })
            .collect();
        let welcome = Welcome { counter: approver.counter, checkpoint: self.checkpoint.clone(), open };
        let has_fallen = hello.counter < approver.counter && approver.standing == Standing::Active;
        self.send(device, Message::Welcome(welcome));
        if !has_fallen {
            return;
        }
        // A restored backup or a clone (protocol.md §7.5): denials work, approvals wait for a person at the desktop.
        let text =
            Foreign::new("this phone's counter came back lower than it was; approvals wait for the desktop");
        self.send(device, Message::Notice(Notice { code: NoticeCode::NeedsALook, text }));
        let standing = Standing::Suspended(Suspicion::CounterFell);
        let mut tx = self.begin(now);
        tx.write(Write::Standing { device, standing });
        tx.record(Body {
            device: Some(device),
            counter: Some(hello.counter),
            note: Some(Foreign::new("its counter came back lower than it was")),
            ..Body::of(Event::Suspended)
        });
        self.propose(tx, Then::Stand { device, standing });
    }

    fn get_offer(&mut self, device: DeviceId, offer_id: OfferId, now: Now) {
        let open = self.ledger.offer(offer_id).filter(|offer| offer.device == device);
        let message = match open {
            Some(offer) => Message::Offer(OfferMessage {
                signed: offer.signed.clone(),
                left_ms: self.left_ms(offer.request, now),
                fronted: self.is_fronted(offer.request),
            }),
            None => {
                let ended = self.ledger.ended(offer_id).filter(|ended| ended.device == device);
                let (how, by) = match ended {
                    Some(ended) => (ended.how.closed(), ended.by.clone()),
                    None => (Closed::Withdrawn, Shown::line("there is no such question any more")),
                };
                Message::OfferClosed(OfferClosed { offer_id, how, by: by.into() })
            }
        };
        self.send(device, message);
    }

    /// Locks on a device key's word alone: it can only narrow (LOCK-1).
    fn phone_lock(&mut self, device: DeviceId, signed: &SignedBytes, now: Now) {
        match self.check_lock(device, signed) {
            Ok(counter) => self.lock(Some((device, counter, Receipt::reply_hash(&signed.bytes))), now),
            Err(refusal) => self.complain(device, refusal, None, now),
        }
    }

    fn check_lock(&self, device: DeviceId, signed: &SignedBytes) -> Result<u64, Refusal> {
        let approver = self.approvers.get(&device).ok_or(Refusal::WrongDevice)?;
        let lock = Lock::claims(signed)?;
        if lock.desktop_id != self.desktop_id {
            return Err(Refusal::WrongDesktop);
        }
        if lock.device_id != device {
            return Err(Refusal::WrongDevice);
        }
        check_counter(approver.counter, lock.counter)?;
        Lock::verify(signed, &approver.who.device_key)?;
        Ok(lock.counter)
    }

    fn is_fronted(&self, request: countersign_proto::id::RequestId) -> bool {
        self.ledger.get(request).is_some_and(|pending| !pending.fronts.is_empty())
    }

    fn left_ms(&self, request: countersign_proto::id::RequestId, now: Now) -> u64 {
        self.ledger.get(request).map_or(0, |pending| pending.left_ms(now.boot_ms))
    }

    /// Sends a message into a phone's live session; without one there is nothing to send it in.
    pub(super) fn send(&mut self, device: DeviceId, message: Message) {
        if self.approvers.get(&device).is_some_and(|approver| approver.is_live) {
            let ttl_ms = limits::ENVELOPE_TTL.as_millis() as u64;
            self.commands.push_back(Command::Send { device, message, ttl_ms });
        }
    }

    /// Sends a message to every live phone, save one.
    pub(super) fn tell_all(&mut self, message: &Message, but: Option<DeviceId>) {
        let live: Vec<DeviceId> =
            self.approvers.values().filter(|a| a.is_live).map(|a| a.who.device_id).collect();
        for device in live {
            if Some(device) != but {
                self.send(device, message.clone());
            }
        }
    }
}

/// Whether a counter follows the last one (protocol.md §7.5).
pub(super) fn check_counter(last: u64, next: u64) -> Result<(), Refusal> {
    match next {
        _ if next == last => Err(Refusal::CounterReplayed),
        _ if next < last || next >= 1 << 63 => Err(Refusal::CounterRegressed),
        _ if next - last > limits::COUNTER_STEP => Err(Refusal::CounterRegressed),
        _ => Ok(()),
    }
}
