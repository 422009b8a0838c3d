//! The book of waiting requests and their offers: what is open, what ended in this run and how. Each offer is settled
//! at most once, because settling takes its request out of the book.

use std::collections::BTreeMap;

use countersign_proto::{
    id::{DeviceId, Hash, OfferId, RequestId},
    limits,
    message::Closed,
    offer::SignedOffer,
    reply::Replies,
    request::Request,
    text::Shown,
};

use crate::{
    authority::{Drawn, Front, Offered},
    command::Write,
    draft::{Draft, SessionKey},
    input::{HookId, SurfaceId},
};

/// Ended offers of this run that are remembered with how they ended; older ones are "no longer open".
const REMEMBERED: usize = 1_024;

/// A waiting request.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) request: Request,
    pub(crate) binding: Hash,
    /// The request bytes that phones get: the same, or a short form where they are too large (protocol.md §7.1).
    pub(crate) offered: Vec<u8>,
    pub(crate) draft: Draft,
    pub(crate) hook: HookId,
    pub(crate) limit_ms: u64,
    pub(crate) arrived_boot_ms: u64,
    pub(crate) deadline_boot_ms: u64,
    pub(crate) fronts: BTreeMap<SurfaceId, Front>,
    pub(crate) offers: BTreeMap<DeviceId, OfferId>,
    /// What writes it down, where that is still to be done: it was answered at once, without a card.
    pub(crate) unwritten: Option<Write>,
}

impl Pending {
    /// Whether it never was a card.
    pub(crate) const fn is_quiet(&self) -> bool {
        self.unwritten.is_some()
    }

    /// What a click on its card is checked against.
    pub(crate) fn drawn(&self, surface: SurfaceId, locked: bool) -> Drawn<'_> {
        Drawn {
            request: self.request.id,
            binding: self.binding,
            front: self.fronts.get(&surface),
            deadline_boot_ms: self.deadline_boot_ms,
            locked,
        }
    }

    /// Whether the call was made by a subagent.
    pub(crate) fn is_of_subagent(&self) -> bool {
        self.draft.subagent.is_some()
    }

    /// Time left in ms.
    pub(crate) fn left_ms(&self, boot_ms: u64) -> u64 {
        self.deadline_boot_ms.saturating_sub(boot_ms)
    }
}

/// An offer that can be answered.
#[derive(Debug)]
pub(crate) struct OpenOffer {
    pub(crate) id: OfferId,
    pub(crate) device: DeviceId,
    pub(crate) request: RequestId,
    pub(crate) allowed: Replies,
    pub(crate) signed: SignedOffer,
    pub(crate) hash: Hash,
    pub(crate) seq: u64,
}

/// How an offer ended.
#[derive(Debug, Clone)]
pub(crate) struct Ended {
    pub(crate) device: DeviceId,
    pub(crate) how: Ending,
    pub(crate) by: Shown,
}

/// How a request ended, as a late reply is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// A person decided it.
    Decided(Closed),
    /// Nobody answered in time.
    Expired,
    /// It was withdrawn or replaced.
    Withdrawn(Closed),
}

impl Ending {
    /// What surfaces and phones are told.
    pub(crate) const fn closed(self) -> Closed {
        match self {
            Self::Decided(closed) | Self::Withdrawn(closed) => closed,
            Self::Expired => Closed::HandedBack,
        }
    }
}

/// The book.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// In the order they came.
    order: Vec<RequestId>,
    pending: BTreeMap<RequestId, Pending>,
    offers: BTreeMap<OfferId, OpenOffer>,
    ended: BTreeMap<OfferId, Ended>,
    ended_order: std::collections::VecDeque<OfferId>,
}

impl Ledger {
    /// Whether another request of this session may wait (protocol.md §9, invariant 15).
    pub(crate) fn has_room(&self, session: &SessionKey) -> bool {
        self.pending.len() < limits::OPEN_REQUESTS
            && self.pending.values().filter(|p| p.draft.session == *session).count()
                < limits::SESSION_REQUESTS
    }

    /// Opens a request with its offers.
    pub(crate) fn open(&mut self, pending: Pending, offers: Vec<OpenOffer>) {
        self.order.push(pending.request.id);
        self.pending.insert(pending.request.id, pending);
        for offer in offers {
            self.add_offer(offer);
        }
    }

    /// Adds an offer of a waiting request.
    pub(crate) fn add_offer(&mut self, offer: OpenOffer) {
        if let Some(pending) = self.pending.get_mut(&offer.request) {
            pending.offers.insert(offer.device, offer.id);
            self.offers.insert(offer.id, offer);
        }
    }

    /// Ends a request: it and all its offers leave the book for good.
    pub(crate) fn end(
        &mut self,
        request: RequestId,
        how: Ending,
        by: &Shown,
    ) -> Option<(Pending, Vec<OpenOffer>)> {
        let pending = self.pending.remove(&request)?;
        self.order.retain(|id| *id != request);
        let offers: Vec<OpenOffer> =
            pending.offers.values().filter_map(|id| self.offers.remove(id)).collect();
        for offer in &offers {
            self.remember(offer.id, Ended { device: offer.device, how, by: by.clone() });
        }
        Some((pending, offers))
    }

    /// Takes a phone's offers out of the book; their requests wait on.
    pub(crate) fn drop_offers_of(&mut self, device: DeviceId, by: &Shown) {
        for pending in self.pending.values_mut() {
            let Some(id) = pending.offers.remove(&device) else { continue };
            self.offers.remove(&id);
            let how = Ending::Withdrawn(Closed::Withdrawn);
            self.ended.insert(id, Ended { device, how, by: by.clone() });
            self.ended_order.push_back(id);
        }
        self.forget_oldest();
    }

    /// The offers that are open for a phone, in the order they were made.
    pub(crate) fn offers_of(&self, device: DeviceId) -> Vec<&OpenOffer> {
        let mut offers: Vec<&OpenOffer> = self.offers.values().filter(|o| o.device == device).collect();
        offers.sort_by_key(|offer| offer.seq);
        offers
    }

    /// An open offer.
    pub(crate) fn offer(&self, id: OfferId) -> Option<&OpenOffer> {
        self.offers.get(&id)
    }

    /// How an offer of this run ended.
    pub(crate) fn ended(&self, id: OfferId) -> Option<&Ended> {
        self.ended.get(&id)
    }

    /// What a reply to an open offer is checked against.
    pub(crate) fn offered(&self, offer: &OpenOffer) -> Option<Offered> {
        let pending = self.pending.get(&offer.request)?;
        Some(Offered {
            offer: offer.id,
            hash: offer.hash,
            request: offer.request,
            binding: pending.binding,
            device: offer.device,
        })
    }

    /// A waiting request.
    pub(crate) fn get(&self, request: RequestId) -> Option<&Pending> {
        self.pending.get(&request)
    }

    /// A waiting request, to note where its card stands.
    pub(crate) fn get_mut(&mut self, request: RequestId) -> Option<&mut Pending> {
        self.pending.get_mut(&request)
    }

    /// The waiting requests in the order they came.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Pending> {
        self.order.iter().filter_map(|id| self.pending.get(id))
    }

    /// Forgets where cards stand on a surface, all or all but one.
    pub(crate) fn clear_fronts(&mut self, surface: SurfaceId, but: Option<RequestId>) {
        for pending in self.pending.values_mut() {
            if Some(pending.request.id) != but {
                pending.fronts.remove(&surface);
            }
        }
    }

    fn remember(&mut self, id: OfferId, ended: Ended) {
        self.ended.insert(id, ended);
        self.ended_order.push_back(id);
        self.forget_oldest();
    }

    fn forget_oldest(&mut self) {
        while self.ended_order.len() > REMEMBERED {
            if let Some(oldest) = self.ended_order.pop_front() {
                self.ended.remove(&oldest);
            }
        }
    }
}
