//! From decision to signature, one at a time: counter stored, then the finger where one is needed, then signed. What is
//! dropped on the way leaves no signature behind, and its counter is never used again.

use std::collections::VecDeque;

use countersign_proto::{
    id::OfferId,
    key::{BioKey, SigningKey},
    message::{Lock, SignedBytes},
    refusal::Refusal,
    reply::{Reply, SignedReply},
};

use crate::{counter::Counter, phone::StoreId, signer::Unsigned};

/// What is on its way to being signed.
#[derive(Debug, Default)]
pub(crate) struct Signing {
    waiting: VecDeque<Work>,
    busy: Busy,
}

#[derive(Debug, Default)]
enum Busy {
    #[default]
    No,
    /// The counter is being stored; an offer that ended meanwhile leaves `None`.
    Storing { store: StoreId, work: Option<Work> },
    /// A finger is asked for.
    Asking { prompt: u64, unsigned: Unsigned },
}

/// Something to be signed.
#[derive(Debug, Clone)]
pub(crate) enum Work {
    Reply(Reply),
    Lock(Lock),
}

/// What has been signed.
#[derive(Debug)]
pub(crate) enum Signed {
    Reply(Reply, SignedReply),
    Lock(Lock, SignedBytes),
}

/// What becomes of the work whose counter is stored.
#[derive(Debug)]
pub(crate) enum Next {
    Nothing,
    Ask(Unsigned),
    Signed(Signed),
}

impl Signing {
    /// Takes work; [`Self::start`] begins it when its turn comes.
    pub(crate) fn push(&mut self, work: Work) {
        self.waiting.push_back(work);
    }

    /// Begins the next work: its counter, now to be stored under `store`. `Err` gives work back for which there is no
    /// counter any more.
    pub(crate) fn start(&mut self, counter: &mut Counter, store: StoreId) -> Option<Result<Counter, Work>> {
        if !matches!(self.busy, Busy::No) {
            return None;
        }
        let mut work = self.waiting.pop_front()?;
        let Some(value) = counter.next() else { return Some(Err(work)) };
        match &mut work {
            Work::Reply(reply) => reply.counter = value,
            Work::Lock(lock) => lock.counter = value,
        }
        self.busy = Busy::Storing { store, work: Some(work) };
        Some(Ok(*counter))
    }

    /// The counter is stored: sign, or ask for the finger.
    pub(crate) fn stored(&mut self, store: StoreId, device: &SigningKey) -> Next {
        match self.take_stored(store) {
            Some(Work::Reply(reply)) if reply.decision.needs_bio() => {
                let (prompt, unsigned) = (reply.counter, Unsigned::new(reply));
                self.busy = Busy::Asking { prompt, unsigned: unsigned.clone() };
                Next::Ask(unsigned)
            }
            Some(Work::Reply(reply)) => {
                let signed = Unsigned::new(reply.clone()).sign(device);
                Next::Signed(Signed::Reply(reply, signed))
            }
            Some(Work::Lock(lock)) => Next::Signed(Signed::Lock(lock, lock.sign(device))),
            None => Next::Nothing,
        }
    }

    /// The counter could not be stored: the work that must not be signed.
    pub(crate) fn store_failed(&mut self, store: StoreId) -> Option<Work> {
        self.take_stored(store)
    }

    /// The finger's signature is here.
    pub(crate) fn bio_signed(
        &mut self,
        prompt: u64,
        der: Vec<u8>,
        device: &SigningKey,
        bio: &BioKey,
    ) -> Option<(Reply, Result<SignedReply, Refusal>)> {
        let unsigned = self.take_asked(prompt)?;
        Some((unsigned.reply.clone(), unsigned.sign_with_bio(device, bio, der)))
    }

    /// The finger did not come: the reply that stays unsigned.
    pub(crate) fn bio_ended(&mut self, prompt: u64) -> Option<Reply> {
        self.take_asked(prompt).map(|unsigned| unsigned.reply)
    }

    /// Drops what was to be signed for an offer. True where its prompt is up and must come down.
    pub(crate) fn drop_offer(&mut self, offer_id: OfferId) -> bool {
        self.waiting.retain(|work| !work.is_for(offer_id));
        match &mut self.busy {
            Busy::Storing { work, .. } if work.as_ref().is_some_and(|work| work.is_for(offer_id)) => {
                *work = None;
                false
            }
            Busy::Asking { unsigned, .. } if unsigned.reply.offer_id == offer_id => {
                self.busy = Busy::No;
                true
            }
            Busy::No | Busy::Storing { .. } | Busy::Asking { .. } => false,
        }
    }

    /// Whether a lock is on its way to being signed.
    pub(crate) fn is_locking(&self) -> bool {
        let busy = match &self.busy {
            Busy::Storing { work, .. } => work.as_ref(),
            Busy::No | Busy::Asking { .. } => None,
        };
        self.waiting.iter().chain(busy).any(|work| matches!(work, Work::Lock(_)))
    }

    /// Drops everything. True where a prompt is up and must come down.
    pub(crate) fn clear(&mut self) -> bool {
        self.waiting.clear();
        matches!(core::mem::take(&mut self.busy), Busy::Asking { .. })
    }

    fn take_stored(&mut self, store: StoreId) -> Option<Work> {
        match core::mem::take(&mut self.busy) {
            Busy::Storing { store: expected, work } if expected == store => work,
            other => {
                self.busy = other;
                None
            }
        }
    }

    fn take_asked(&mut self, prompt: u64) -> Option<Unsigned> {
        match core::mem::take(&mut self.busy) {
            Busy::Asking { prompt: expected, unsigned } if expected == prompt => Some(unsigned),
            other => {
                self.busy = other;
                None
            }
        }
    }
}

impl Work {
    fn is_for(&self, offer_id: OfferId) -> bool {
        match self {
            Self::Reply(reply) => reply.offer_id == offer_id,
            Self::Lock(_) => false,
        }
    }
}
