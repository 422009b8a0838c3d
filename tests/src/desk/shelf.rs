//! The store as tests see it: a trait, and a simple one in memory that keeps the same promises as the real one.

use std::collections::BTreeMap;

use countersign_core::{
    DecidedBefore, Marks, Unfinished,
    approver::{Approver, Standing},
    audit::Head,
    command::{OfferState, RequestState, Transaction, Verdict, Write},
    input::Recall,
    settings::{Strict, setting},
};
use countersign_proto::{
    checkpoint::SignedCheckpoint,
    id::{DeviceId, Hash, LogId, OfferId, RequestId, RunId},
    key::SigningKey,
    receipt::{Receipt, SignedReceipt},
    reply::Reply,
};

/// What a store gives the core at the start of a run.
#[derive(Default)]
pub struct Loaded {
    /// The log's head.
    pub head: Option<Head>,
    /// The newest checkpoint.
    pub checkpoint: Option<SignedCheckpoint>,
    /// Approvers.
    pub approvers: Vec<Approver>,
    /// Whether it is locked.
    pub locked: bool,
    /// What an earlier run left behind.
    pub unfinished: Vec<Unfinished>,
    /// What was decided before.
    pub before: DecidedBefore,
    /// `D_sig`, where the store has its own.
    pub desktop: Option<SigningKey>,
}

/// The decisions in a transaction.
pub(super) fn verdicts(tx: &Transaction) -> impl Iterator<Item = (RequestId, Verdict)> {
    tx.writes.iter().filter_map(|write| match write {
        Write::Decision { request, answer, source: _ } => Some((*request, *answer)),
        _ => None,
    })
}

/// A store.
pub trait Shelf {
    /// Stores a transaction whole, or nothing of it and says false.
    fn commit(&mut self, tx: &Transaction) -> bool;
    /// What a new run begins with.
    fn load(&mut self) -> Loaded;
    /// What is remembered about reply bytes.
    fn recall(&self, reply: &[u8]) -> Recall;
    /// The audit entries, in order.
    fn entries(&self) -> Vec<(Hash, Vec<u8>)>;
    /// Decisions that are stored.
    fn decisions(&self) -> BTreeMap<RequestId, Verdict>;
    /// Where a request stands.
    fn request_state(&self, id: RequestId) -> Option<RequestState>;
    /// Makes this many commits fail, from the next one on.
    fn fail(&mut self, commits: u32);
}

/// A store in memory.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// Commits that will fail, counted down; `u32::MAX` fails all.
    pub failing: u32,
    entries: Vec<(Hash, Vec<u8>)>,
    checkpoint: Option<SignedCheckpoint>,
    requests: BTreeMap<RequestId, RequestState>,
    offers: BTreeMap<OfferId, (RequestId, DeviceId, RunId, OfferState)>,
    decisions: BTreeMap<RequestId, Verdict>,
    replies: BTreeMap<(DeviceId, u64), Option<OfferId>>,
    receipts: BTreeMap<Hash, SignedReceipt>,
    approvers: BTreeMap<DeviceId, Approver>,
    locked: bool,
    before: DecidedBefore,
}

impl Memory {
    fn put(&mut self, write: &Write) -> bool {
        match write {
            Write::Entry(row) => {
                let is_next = row.seq == self.entries.len() as u64 + 1;
                self.entries.push((row.hash, row.bytes.clone()));
                is_next
            }
            Write::Checkpoint { seq: _, signed } => {
                self.checkpoint = Some(signed.clone());
                true
            }
            Write::Request { id, .. } => self.requests.insert(*id, RequestState::Pending).is_none(),
            Write::RequestState { id, state } => self.requests.insert(*id, *state).is_some(),
            Write::Offer { id, request, device, run, .. } => {
                self.offers.insert(*id, (*request, *device, *run, OfferState::Open)).is_none()
            }
            Write::OfferState { id, state } => match self.offers.get_mut(id) {
                Some(offer) => {
                    offer.3 = *state;
                    true
                }
                None => false,
            },
            Write::Decision { request, answer, source: _ } => {
                self.decisions.insert(*request, *answer).is_none()
            }
            Write::Reply { device, counter, offer, .. } => {
                let is_unused = offer.is_none_or(|offer| !self.replies.values().any(|o| *o == Some(offer)));
                if let Some(approver) = self.approvers.get_mut(device) {
                    approver.counter = approver.counter.max(*counter);
                }
                self.replies.insert((*device, *counter), *offer).is_none() && is_unused
            }
            Write::Receipt { reply, signed } => {
                self.receipts.insert(*reply, signed.clone());
                true
            }
            Write::Approver(new) => self
                .approvers
                .insert(new.device_id, Approver::load((**new).clone(), Standing::Active, 0, 0))
                .is_none(),
            Write::Standing { device, standing } => match self.approvers.get_mut(device) {
                Some(approver) => {
                    approver.standing = *standing;
                    true
                }
                None => false,
            },
            Write::Locked(locked) => {
                self.locked = *locked;
                true
            }
            Write::Rule(rule) => {
                self.before.rules.push((**rule).clone());
                true
            }
            Write::RuleRemoved(id) => {
                let count = self.before.rules.len();
                self.before.rules.retain(|rule| rule.id != *id);
                self.before.rules.len() < count
            }
            Write::RuleSuspended { id, is_suspended } => {
                match self.before.rules.iter_mut().find(|rule| rule.id == *id) {
                    Some(rule) => {
                        rule.is_suspended = *is_suspended;
                        true
                    }
                    None => false,
                }
            }
            Write::Consent(consent) => {
                self.before.consents.retain(|kept| kept.id != consent.id);
                self.before.consents.push((**consent).clone());
                true
            }
            Write::Marks { session, is_tainted, off } => {
                self.before.marks.retain(|(kept, _)| kept != session);
                let marks = Marks { is_tainted: *is_tainted, off: off.clone() };
                self.before.marks.push((session.clone(), marks));
                true
            }
            Write::Setting { name, value } => {
                match *name {
                    setting::STRICT => {
                        self.before.strict = value.iter().filter_map(|text| Strict::read(text)).collect();
                    }
                    setting::PAUSED => self.before.is_paused = value.iter().any(|value| value == "true"),
                    setting::PROTECTED => self.before.protected = value.iter().cloned().collect(),
                    setting::ENV => self.before.env_lifted = value.iter().cloned().collect(),
                    _ => self.before.settings_accepted = value.iter().cloned().collect(),
                }
                true
            }
        }
    }
}

impl Shelf for Memory {
    fn commit(&mut self, tx: &Transaction) -> bool {
        if self.failing > 0 {
            self.failing = if self.failing == u32::MAX { u32::MAX } else { self.failing - 1 };
            return false;
        }
        let before = self.clone();
        let is_done = tx.writes.iter().all(|write| self.put(write));
        if !is_done {
            *self = before;
        }
        is_done
    }

    fn load(&mut self) -> Loaded {
        let head = self.entries.last().map(|(hash, _)| Head {
            log_id: LogId::new([9; 16]),
            seq: self.entries.len() as u64,
            hash: *hash,
        });
        let is_unfinished =
            |state: &RequestState| matches!(state, RequestState::Pending | RequestState::Releasing);
        let unfinished = self
            .requests
            .iter()
            .filter(|(_, state)| is_unfinished(state))
            .map(|(id, state)| Unfinished {
                request: *id,
                state: *state,
                offers: self
                    .offers
                    .iter()
                    .filter(|(_, offer)| offer.0 == *id && offer.3 == OfferState::Open)
                    .map(|(offer, _)| *offer)
                    .collect(),
            })
            .collect();
        let mut approvers: Vec<Approver> = self.approvers.values().cloned().collect();
        for approver in &mut approvers {
            approver.offer_seq =
                self.offers.values().filter(|offer| offer.1 == approver.who.device_id).count() as u64;
        }
        Loaded {
            head,
            checkpoint: self.checkpoint.clone(),
            approvers,
            locked: self.locked,
            before: self.before.clone(),
            unfinished,
            desktop: None,
        }
    }

    fn recall(&self, reply: &[u8]) -> Recall {
        let said: Option<Reply> = countersign_proto::canonical::decode(reply, 1 << 20).ok();
        let offer_run = said
            .and_then(|said| self.offers.get(&said.offer_id).filter(|offer| offer.1 == said.device_id))
            .map(|offer| offer.2);
        Recall { offer_run, receipt: self.receipts.get(&Receipt::reply_hash(reply)).cloned() }
    }

    fn entries(&self) -> Vec<(Hash, Vec<u8>)> {
        self.entries.clone()
    }

    fn decisions(&self) -> BTreeMap<RequestId, Verdict> {
        self.decisions.clone()
    }

    fn request_state(&self, id: RequestId) -> Option<RequestState> {
        self.requests.get(&id).copied()
    }

    fn fail(&mut self, commits: u32) {
        self.failing = commits;
    }
}
