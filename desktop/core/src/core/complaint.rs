//! Refused words of phones, audited without letting a phone fill the log: the first of its kind at once, the rest of
//! that minute as one counted entry (protocol.md §7.4).

use std::collections::BTreeMap;

use countersign_proto::{
    Refusal,
    id::{DeviceId, OfferId},
};

use super::{Core, transaction::Then};
use crate::{
    approver::{Standing, Suspicion},
    audit::{Body, Event},
    clock::Now,
    command::Write,
};

/// How long equal complaints are counted together, in ms.
const WINDOW_MS: u64 = 60_000;

/// Complaints that are being counted.
#[derive(Debug, Default)]
pub(super) struct Complaints {
    counted: BTreeMap<(DeviceId, Refusal), Counted>,
}

#[derive(Debug)]
struct Counted {
    since_boot_ms: u64,
    more: u32,
}

impl Complaints {
    /// Counts a complaint; true where it is the first of its minute and so is recorded by itself.
    fn count(&mut self, device: DeviceId, refusal: Refusal, boot_ms: u64) -> bool {
        let mut is_first = false;
        let counted = self.counted.entry((device, refusal)).or_insert_with(|| {
            is_first = true;
            Counted { since_boot_ms: boot_ms, more: 0 }
        });
        if !is_first {
            counted.more = counted.more.saturating_add(1);
        }
        is_first
    }

    /// When the oldest count is over.
    pub(super) fn due_boot_ms(&self) -> Option<u64> {
        self.counted.values().map(|counted| counted.since_boot_ms.saturating_add(WINDOW_MS)).min()
    }

    /// Whether a count is over.
    pub(super) fn is_due(&self, boot_ms: u64) -> bool {
        self.due_boot_ms().is_some_and(|due| boot_ms >= due)
    }

    /// Ends the counts that are over, or all of them, and gives the entries for those that counted anything.
    pub(super) fn flush(&mut self, over_at: Option<u64>) -> Vec<Body> {
        let is_over = |counted: &Counted| {
            over_at.is_none_or(|at| at >= counted.since_boot_ms.saturating_add(WINDOW_MS))
        };
        let bodies = self
            .counted
            .iter()
            .filter(|(_, counted)| is_over(counted) && counted.more > 0)
            .map(|((device, refusal), counted)| Body {
                device: Some(*device),
                refusal: Some(refusal.code()),
                count: Some(counted.more),
                ..Body::of(Event::ReplyRefused)
            })
            .collect();
        self.counted.retain(|_, counted| !is_over(counted));
        bodies
    }
}

impl Core {
    /// Records a refusal of a phone's words; five bad signatures in a minute suspend it.
    pub(super) fn complain(&mut self, device: DeviceId, refusal: Refusal, offer: Option<OfferId>, now: Now) {
        let is_first = self.complaints.count(device, refusal, now.boot_ms);
        let is_bad_signature = matches!(refusal, Refusal::BadDeviceSignature | Refusal::BadBioSignature);
        let is_too_much = is_bad_signature
            && self
                .approvers
                .get_mut(&device)
                .filter(|approver| approver.standing == Standing::Active)
                .is_some_and(|approver| approver.note_bad_signature(now.boot_ms));
        if !is_first && !is_too_much {
            return;
        }
        let mut tx = self.begin(now);
        if is_first {
            tx.record(Body {
                device: Some(device),
                refusal: Some(refusal.code()),
                offer,
                ..Body::of(Event::ReplyRefused)
            });
        }
        if !is_too_much {
            self.propose(tx, Then::Nothing);
            return;
        }
        let standing = Standing::Suspended(Suspicion::BadSignatures);
        tx.write(Write::Standing { device, standing });
        tx.record(Body {
            device: Some(device),
            note: Some(countersign_proto::text::Foreign::new("five bad signatures within a minute")),
            ..Body::of(Event::Suspended)
        });
        self.propose(tx, Then::Stand { device, standing });
    }

    pub(super) fn flush_complaints(&mut self, now: Now) {
        let bodies = self.complaints.flush(Some(now.boot_ms));
        if bodies.is_empty() {
            return;
        }
        let mut tx = self.begin(now);
        for body in bodies {
            tx.record(body);
        }
        self.propose(tx, Then::Nothing);
    }
}
