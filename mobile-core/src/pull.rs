//! Offers that a `Welcome` announced and whose bytes are still to come: asked for again until they are here or over.

use std::collections::BTreeMap;

use countersign_proto::id::{Hash, OfferId};

use crate::clock::Now;

/// When to ask again, in ms.
const AGAIN_MS: u64 = 5_000;

/// What is asked for.
#[derive(Debug, Default)]
pub(crate) struct Pulls(BTreeMap<OfferId, Pull>);

#[derive(Debug)]
struct Pull {
    hash: Hash,
    until_ms: u64,
    again_ms: u64,
}

impl Pulls {
    /// An offer was announced that is not here.
    pub(crate) fn want(&mut self, offer_id: OfferId, hash: Hash, left_ms: u64, now: Now) {
        let until_ms = now.boot_ms.saturating_add(left_ms);
        self.0.insert(offer_id, Pull { hash, until_ms, again_ms: now.boot_ms });
    }

    /// Whether an offer was announced with another hash than this one.
    pub(crate) fn expects_other(&self, offer_id: OfferId, hash: Hash) -> bool {
        self.0.get(&offer_id).is_some_and(|pull| pull.hash != hash)
    }

    /// It is here, or over.
    pub(crate) fn drop_offer(&mut self, offer_id: OfferId) {
        self.0.remove(&offer_id);
    }

    /// Forgets what is over by now.
    pub(crate) fn let_expire(&mut self, now: Now) {
        self.0.retain(|_, pull| pull.until_ms > now.boot_ms);
    }

    /// What to ask for now.
    pub(crate) fn due(&mut self, now: Now) -> Vec<OfferId> {
        let due = self.0.iter_mut().filter(|(_, pull)| pull.again_ms <= now.boot_ms);
        due.map(|(offer_id, pull)| {
            pull.again_ms = now.boot_ms.saturating_add(AGAIN_MS);
            *offer_id
        })
        .collect()
    }

    /// When to ask again.
    pub(crate) fn next_ms(&self) -> Option<u64> {
        self.0.values().map(|pull| pull.again_ms).min()
    }
}
