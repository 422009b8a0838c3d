//! Who may decide: phones come, go, and are suspended; doors close and open.

use countersign_proto::{
    Refusal,
    id::{DeviceId, Hash},
    limits,
    message::{Message, NoticeCode, Revoked},
    text::{Foreign, Shown},
};

use super::{
    Core,
    end::Parting,
    transaction::{Then, Tx},
};
use crate::{
    approver::{Approver, NewApprover, Standing},
    audit::{Body, Event},
    clock::Now,
    command::{Change, Command, OfferState, Report, Write},
    ledger::OpenOffer,
};

impl Core {
    pub(super) fn paired(&mut self, new: NewApprover, seed: [u8; 32], now: Now) {
        let active = self.active_phones();
        let is_known = self.approvers.values().any(|approver| {
            approver.who.device_id == new.device_id
                || approver.who.device_key == new.device_key
                || approver.who.bio_key == new.bio_key
        });
        let refusal = match () {
            () if !self.counts(new.strength) => {
                Some((Refusal::BioKeyNotStrong, "its approval key does not count here"))
            }
            () if is_known => Some((Refusal::PayloadMismatch, "one of its keys is registered already")),
            () if active >= limits::PHONES => Some((Refusal::TooBig, "too many phones are paired")),
            () if self.locked => Some((Refusal::Suspended, "the desktop is locked")),
            () => None,
        };
        let mut tx = self.begin(now);
        if let Some((refusal, why)) = refusal {
            tx.record(Body {
                device: Some(new.device_id),
                refusal: Some(refusal.code()),
                note: Some(Foreign::new(why)),
                ..Body::of(Event::PairingFailed)
            });
            self.propose(tx, Then::Say(Report::Pairing(refusal)));
            return;
        }
        tx.write(Write::Approver(Box::new(new.clone())));
        tx.record(Body {
            device: Some(new.device_id),
            device_key: Some(new.device_key.as_bytes().to_vec()),
            bio_key: Some(new.bio_key.spki_der().to_vec()),
            note: Some(Foreign::from(Shown::line(&format!(
                "{} ({})",
                new.name.shown(),
                new.strength.name()
            )))),
            ..Body::of(Event::Paired)
        });
        let offers = self.offers_for_newcomer(&mut tx, &new, seed);
        self.propose(tx, Then::Paired { approver: Box::new(new), offers });
    }

    fn active_phones(&self) -> usize {
        self.approvers.values().filter(|approver| approver.standing != Standing::Revoked).count()
    }

    /// What waits already is offered to a phone that has just come.
    fn offers_for_newcomer(&self, tx: &mut Tx, new: &NewApprover, seed: [u8; 32]) -> Vec<OpenOffer> {
        let approver = Approver::load(new.clone(), Standing::Active, 0, 0);
        (1..)
            .zip(self.ledger.waiting())
            .map(|(nth, pending)| self.offer(tx, pending, &approver, seed, nth))
            .collect()
    }

    pub(super) fn welcome_approver(&mut self, new: NewApprover, offers: Vec<OpenOffer>, now: Now) {
        let device = new.device_id;
        let text = format!("{} was paired with this desktop", new.name.shown());
        self.approvers.insert(device, Approver::load(new, Standing::Active, 0, 0));
        self.notice(NoticeCode::Paired, &text, Some(device));
        for offer in offers {
            let left_ms = self.ledger.get(offer.request).map_or(0, |pending| pending.left_ms(now.boot_ms));
            self.send_offer(device, offer.signed.clone(), offer.seq, left_ms);
            self.ledger.add_offer(offer);
        }
        self.changed(Change::Phones);
        self.report(Report::Done);
    }

    pub(super) fn pairing_failed(&mut self, why: &'static str, now: Now) {
        let mut tx = self.begin(now);
        tx.record(Body { note: Some(Foreign::new(why)), ..Body::of(Event::PairingFailed) });
        self.propose(tx, Then::Nothing);
    }

    pub(super) fn revoke(&mut self, device: DeviceId, now: Now) {
        let standing = self.approvers.get(&device).map(|approver| approver.standing);
        if standing.is_none_or(|standing| standing == Standing::Revoked) {
            self.report(Report::Nothing);
            return;
        }
        let mut tx = self.begin(now);
        tx.write(Write::Standing { device, standing: Standing::Revoked });
        for offer in self.ledger.offers_of(device) {
            tx.write(Write::OfferState { id: offer.id, state: OfferState::Revoked });
        }
        self.suspend_word_of(&mut tx, device);
        // Without a phone nothing is dialled any more (PH-7).
        let is_last = self.active_phones() == 1;
        let note = is_last.then(|| Foreign::new("the last one; the phone is off from now on"));
        tx.record(Body { device: Some(device), note, ..Body::of(Event::Revoked) });
        self.propose(tx, Then::Stand { device, standing: Standing::Revoked });
    }

    pub(super) fn unsuspend(&mut self, device: DeviceId, now: Now) {
        let standing = self.approvers.get(&device).map(|approver| approver.standing);
        if !matches!(standing, Some(Standing::Suspended(_))) {
            self.report(Report::Nothing);
            return;
        }
        let mut tx = self.begin(now);
        tx.write(Write::Standing { device, standing: Standing::Active });
        tx.record(Body { device: Some(device), ..Body::of(Event::Unsuspended) });
        self.propose(tx, Then::Stand { device, standing: Standing::Active });
    }

    pub(super) fn stand(&mut self, device: DeviceId, standing: Standing, report: Report) {
        let was_live = self.approvers.get(&device).is_some_and(|approver| approver.is_live);
        if standing == Standing::Revoked {
            if was_live {
                let revoked = Revoked { v: 1, desktop_id: self.desktop_id, device_id: device };
                self.send(device, Message::Revoked(revoked.sign(&self.desktop)));
            }
            self.suspended_word_of(device);
            self.ledger.drop_offers_of(device, &Shown::line("this phone was revoked"));
            self.commands.push_back(Command::Forget(device));
        }
        if let Some(approver) = self.approvers.get_mut(&device) {
            approver.standing = standing;
            approver.is_live &= standing != Standing::Revoked;
            approver.bad_signatures.clear();
        }
        self.changed(Change::Phones);
        // A suspension follows from a phone's own words; nobody at the desktop waits to hear of it.
        if !matches!(standing, Standing::Suspended(_)) {
            self.report(report);
        }
    }

    /// Denies what waits and closes every door but deny; from the desktop or on a phone's device key alone.
    pub(super) fn lock(&mut self, phone: Option<(DeviceId, u64, Hash)>, now: Now) {
        let mut tx = self.begin(now);
        if let Some((device, counter, hash)) = phone {
            tx.write(Write::Reply { device, counter, offer: None, hash, signed: None });
        }
        tx.write(Write::Locked(true));
        tx.record(Body {
            source: Some(Foreign::new(if phone.is_some() { "phone" } else { "terminal" })),
            device: phone.map(|(device, ..)| device),
            counter: phone.map(|(_, counter, _)| counter),
            ..Body::of(Event::Locked)
        });
        let partings = self.deny_all(&mut tx, &Shown::line("everything was locked"));
        let counter = phone.map(|(device, counter, _)| (device, counter));
        self.propose(tx, Then::Lock { locked: true, partings, counter });
    }

    pub(super) fn unlock(&mut self, now: Now) {
        if !self.locked {
            self.report(Report::Nothing);
            return;
        }
        let mut tx = self.begin(now);
        tx.write(Write::Locked(false));
        tx.record(Body { source: Some(Foreign::new("terminal")), ..Body::of(Event::Unlocked) });
        self.propose(tx, Then::Lock { locked: false, partings: Vec::new(), counter: None });
    }

    pub(super) fn set_locked(
        &mut self,
        locked: bool,
        partings: Vec<Parting>,
        counter: Option<(DeviceId, u64)>,
        now: Now,
        is_stored: bool,
    ) {
        self.locked = locked;
        if let (true, Some((device, counter))) = (is_stored, counter)
            && let Some(approver) = self.approvers.get_mut(&device)
        {
            approver.counter = approver.counter.max(counter);
        }
        for parting in partings {
            self.part(parting, now, is_stored);
        }
        let (code, text) = if locked {
            (NoticeCode::Locked, "the desktop is locked: only denying works until someone there unlocks it")
        } else {
            (NoticeCode::Unlocked, "the desktop is unlocked")
        };
        self.notice(code, text, None);
        self.changed(Change::Lock(locked));
        if counter.is_none() {
            self.report(if is_stored { Report::Done } else { Report::NotStored });
        }
    }
}
