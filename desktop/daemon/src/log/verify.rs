//! Checks a log whole: the chain and its numbers, every checkpoint, every accepted reply's signatures over the offer
//! that was made, that what passed without a card rests on something that stood then, and that what is kept of each call
//! is what the log speaks of. Nothing that the database says about
//! itself is believed where the chain can say it.

use std::collections::{BTreeMap, BTreeSet};

use countersign_core::{
    audit::{Body, Event, Flaw, Head, Verifier},
    command::Verdict,
};
use countersign_ipc::control::LogReport;
use countersign_proto::{
    canonical, domain,
    id::{DeviceId, Hash, OfferId, RequestId},
    key::{BioKey, VerifyingKey},
    pairing::derive_desktop_id,
    receipt::Receipt,
    reply::{Decision, UnverifiedReply},
    request::Request,
    text::Foreign,
};

use super::grounds::Grounds;
use crate::store::{DecisionRow, OfferRow, ReplyRow, RequestRow, Store, StoreError};

/// Beyond this many problems, only their number grows.
const PROBLEMS: usize = 100;

/// Checks everything that is stored.
///
/// # Errors
/// [`StoreError`] where it can't be read at all.
pub async fn verify(store: &Store) -> Result<LogReport, StoreError> {
    let mut check = Check::new(store);
    check.chain().await?;
    check.requests().await?;
    check.offers().await?;
    check.replies().await?;
    check.decisions().await?;
    Ok(check.report())
}

/// The keys that an entry says a phone was paired with.
struct Keys {
    device: VerifyingKey,
    bio: BioKey,
}

/// What an entry says of a decision: the verdict, its source, and the reply it rests on.
type Decided = (Verdict, Option<Foreign>, Option<(DeviceId, u64)>);

struct Check<'a> {
    store: &'a Store,
    head: Head,
    entries: u64,
    checkpoints: u64,
    signatures: u64,
    problems: Vec<String>,
    more_problems: usize,
    /// What the chain says.
    keys: BTreeMap<DeviceId, Keys>,
    asked: BTreeMap<RequestId, (Option<Hash>, Option<Hash>)>,
    replied: BTreeSet<(DeviceId, u64)>,
    reply_hashes: BTreeMap<Hash, (DeviceId, u64)>,
    decided: BTreeMap<RequestId, Decided>,
    grounds: Grounds,
    /// What is stored beside it.
    offers: BTreeMap<OfferId, (Hash, RequestId)>,
    said: BTreeMap<(DeviceId, u64), (Decision, RequestId)>,
}

impl<'a> Check<'a> {
    fn new(store: &'a Store) -> Self {
        Self {
            store,
            head: Head::empty(store.log_id()),
            entries: 0,
            checkpoints: 0,
            signatures: 0,
            problems: Vec::new(),
            more_problems: 0,
            keys: BTreeMap::new(),
            asked: BTreeMap::new(),
            replied: BTreeSet::new(),
            reply_hashes: BTreeMap::new(),
            decided: BTreeMap::new(),
            grounds: Grounds::default(),
            offers: BTreeMap::new(),
            said: BTreeMap::new(),
        }
    }

    fn problem(&mut self, text: String) {
        if self.problems.len() < PROBLEMS {
            self.problems.push(text);
        } else {
            self.more_problems += 1;
        }
    }

    fn desktop_key(&self) -> VerifyingKey {
        self.store.desktop().public()
    }

    /// A broken chain is told by its first flaw; what follows it proves nothing.
    async fn chain(&mut self) -> Result<(), StoreError> {
        let mut verifier = Verifier::new(self.head);
        for row in self.store.checkpoints().await? {
            self.checkpoints += 1;
            self.signatures += 1;
            if let Err(flaw) = verifier.witness(row.seq, &row.signed, &self.desktop_key()) {
                self.problem(flaw.to_string());
            }
        }
        loop {
            let page = self.store.log_after(self.entries).await?;
            if page.is_empty() {
                break;
            }
            for row in page {
                match verifier.entry(&row.bytes, row.hash) {
                    Ok(entry) => {
                        self.entries = entry.seq;
                        self.head = Head { seq: entry.seq, hash: row.hash, ..self.head };
                        self.note(entry.body);
                    }
                    Err(flaw) => {
                        self.problem(flaw.to_string());
                        return Ok(());
                    }
                }
            }
        }
        if let Err(flaw @ Flaw::Contradicted { .. }) = verifier.finish() {
            self.problem(flaw.to_string());
        }
        Ok(())
    }

    fn note(&mut self, body: Body) {
        if let Some(problem) = self.grounds.note(&body) {
            self.problem(problem);
        }
        match body.event {
            Event::Paired => self.note_keys(&body),
            Event::Asked => {
                if let Some(request) = body.request {
                    self.asked.insert(request, (body.binding, body.raw));
                }
            }
            Event::Allowed => self.note_decision(Verdict::Allow, &body),
            // Denied before it was made, a call never became a request (REQ-4).
            Event::Denied if is_before(&body) => {}
            Event::Denied => self.note_decision(Verdict::Deny, &body),
            Event::HandedBack => self.note_decision(Verdict::Abstain, &body),
            Event::Changed | Event::Withdrawn | Event::Expired => self.note_request(&body),
            _ => {}
        }
        if let (Some(device), Some(counter)) = (body.device, body.counter) {
            if body.event != Event::Suspended {
                self.replied.insert((device, counter));
            }
            if let Some(reply) = body.reply {
                self.reply_hashes.insert(reply, (device, counter));
            }
        }
    }

    /// A request that never was a card is spoken of by what became of it alone.
    fn note_request(&mut self, body: &Body) {
        if let (Some(request), Some(binding)) = (body.request, body.binding) {
            self.asked.entry(request).or_insert((Some(binding), body.raw));
        }
    }

    fn note_decision(&mut self, verdict: Verdict, body: &Body) {
        self.note_request(body);
        let Some(request) = body.request else {
            return self.problem("an entry of a decision does not say on which request".to_owned());
        };
        // What was answered at once never waited, so that only its answer speaks of it.
        self.asked.entry(request).or_insert((body.binding, body.raw));
        let phone = body.device.zip(body.counter);
        if self.decided.insert(request, (verdict, body.source.clone(), phone)).is_some() {
            self.problem(format!("request {request} was decided twice"));
        }
    }

    fn note_keys(&mut self, body: &Body) {
        let device_key = body.device_key.as_deref().and_then(|key| key.try_into().ok());
        let device_key = device_key.and_then(|key| VerifyingKey::from_bytes(key).ok());
        let bio_key = body.bio_key.as_deref().and_then(|spki| BioKey::from_spki_der(spki).ok());
        match (body.device, device_key, bio_key) {
            (Some(id), Some(device), Some(bio)) => drop(self.keys.insert(id, Keys { device, bio })),
            _ => self.problem("an entry of a pairing does not hold the phone's keys".to_owned()),
        }
    }

    async fn requests(&mut self) -> Result<(), StoreError> {
        let mut row = 0;
        loop {
            let page = self.store.requests_after(row).await?;
            let Some(last) = page.last() else { return Ok(()) };
            row = last.row;
            for request in page {
                self.request(&request);
            }
        }
    }

    fn request(&mut self, row: &RequestRow) {
        let id = row.id;
        if self.asked.get(&id) != Some(&(Some(row.binding), Some(row.raw_hash))) {
            self.problem(format!("the log does not speak of request {id} as it is stored"));
        }
        if let Some(raw) = &row.raw
            && domain::hash(domain::RAW, &[raw]) != row.raw_hash
        {
            self.problem(format!("the tool input kept of request {id} is another one"));
        }
        let Some(bytes) = &row.bytes else { return };
        // Whole requests may be larger than what a phone is sent, so they are read here without that limit.
        let request = canonical::decode::<Request>(bytes, usize::MAX);
        let fits = request.is_ok_and(|request| request.id == id && request.raw == row.raw_hash);
        if !fits || Request::binding(bytes) != row.binding {
            self.problem(format!("what is kept of request {id} is not what was asked"));
        }
    }

    async fn offers(&mut self) -> Result<(), StoreError> {
        let mut row = 0;
        loop {
            let page = self.store.offers_after(row).await?;
            let Some(last) = page.last() else { return Ok(()) };
            row = last.row;
            for offer in page {
                self.offer(&offer);
            }
        }
    }

    fn offer(&mut self, row: &OfferRow) {
        self.offers.insert(row.id, (row.hash, row.request));
        let Some(signed) = &row.signed else { return };
        self.signatures += 1;
        let desktop = self.desktop_key();
        let opened = signed.open(&desktop, &derive_desktop_id(&desktop), &row.device);
        let fits = opened.is_ok_and(|opened| {
            opened.hash() == row.hash
                && opened.offer().offer_id == row.id
                && opened.request().id == row.request
        });
        if !fits {
            self.problem(format!("what is kept of offer {} is not what was offered", row.id));
        }
    }

    async fn replies(&mut self) -> Result<(), StoreError> {
        let mut row = 0;
        loop {
            let page = self.store.replies_after(row).await?;
            let Some(last) = page.last() else { break };
            row = last.row;
            for reply in page {
                self.reply(&reply);
            }
        }
        for (device, counter) in std::mem::take(&mut self.reply_hashes).into_values() {
            self.problem(format!("reply {counter} of phone {device} stands in the log and is not stored"));
        }
        Ok(())
    }

    fn reply(&mut self, row: &ReplyRow) {
        let (device, counter) = (row.device, row.counter);
        if !self.replied.contains(&(device, counter)) {
            self.problem(format!("the log does not speak of reply {counter} of phone {device}"));
        }
        self.reply_hashes.remove(&row.hash);
        if let Some(receipt) = &row.receipt {
            self.signatures += 1;
            let desktop = self.desktop_key();
            let opened = receipt.open(&desktop, &derive_desktop_id(&desktop), &device);
            if !opened.is_ok_and(|receipt| receipt.reply == row.hash) {
                self.problem(format!("the receipt of reply {counter} of phone {device} is not its own"));
            }
        }
        if let Err(why) = self.reply_signatures(row) {
            self.problem(format!("reply {counter} of phone {device}: {why}"));
        }
    }

    fn reply_signatures(&mut self, row: &ReplyRow) -> Result<(), &'static str> {
        let Some(signed) = &row.signed else { return Ok(()) };
        let keys = self.keys.get(&row.device).ok_or("the log holds no keys of this phone")?;
        if Receipt::reply_hash(&signed.bytes) != row.hash {
            return Err("what is kept of it is another one");
        }
        self.signatures += 1 + u64::from(signed.sig_bio.is_some());
        let unverified = UnverifiedReply::read(&canonical::encode(signed)).map_err(|_| "it can't be read")?;
        let verified =
            unverified.verify(&keys.device, &keys.bio).map_err(|_| "its signatures do not verify")?;
        let said = verified.get();
        if said.device_id != row.device || said.counter != row.counter {
            return Err("it is another phone's, or has another counter");
        }
        // A reply that settled nothing names its offer all the same.
        if row.offer.is_some_and(|offer| offer != said.offer_id) {
            return Err("it answers another offer");
        }
        match self.offers.get(&said.offer_id) {
            Some((hash, request)) if *hash == said.offer_hash => {
                self.said.insert((row.device, row.counter), (said.decision, *request));
                Ok(())
            }
            _ => Err("it is bound to other bytes than those that were offered"),
        }
    }

    async fn decisions(&mut self) -> Result<(), StoreError> {
        let mut row = 0;
        loop {
            let page = self.store.decisions_after(row).await?;
            let Some(last) = page.last() else { break };
            row = last.row;
            for decision in page {
                self.decision(&decision);
            }
        }
        for request in std::mem::take(&mut self.decided).into_keys() {
            self.problem(format!("the decision on request {request} stands in the log and is not stored"));
        }
        Ok(())
    }

    fn decision(&mut self, row: &DecisionRow) {
        let request = row.request;
        let phone = row.phone.as_ref().map(|(device, counter, _)| (*device, *counter));
        let fits = self.decided.remove(&request).is_some_and(|(verdict, source, by)| {
            verdict.name() == row.answer
                && source.is_some_and(|source| source.raw() == row.source)
                && by == phone
        });
        if !fits {
            self.problem(format!(
                "the log does not speak of the decision on request {request} as it is stored"
            ));
        }
        // A reply that is no longer kept can't be asked what it said.
        let said = phone.and_then(|phone| self.said.get(&phone));
        if said.is_some_and(|(decision, of)| {
            *of != request || verdict_of(*decision).map(Verdict::name) != Some(&row.answer)
        }) {
            self.problem(format!("the phone's reply on request {request} said something else"));
        }
    }

    fn report(mut self) -> LogReport {
        if self.more_problems > 0 {
            self.problems.push(format!("and {} more", self.more_problems));
        }
        LogReport {
            entries: self.entries,
            head_seq: self.head.seq,
            head: self.head.hash.to_string(),
            checkpoints: self.checkpoints,
            signatures: self.signatures,
            problems: self.problems,
        }
    }
}

/// Whether a denial answered the hook before a call: no person's word, and no request.
fn is_before(body: &Body) -> bool {
    let source = body.source.as_ref().map(Foreign::raw);
    body.request.is_none() && body.device.is_none() && matches!(source, Some("refused" | "policy"))
}

const fn verdict_of(decision: Decision) -> Option<Verdict> {
    match decision {
        Decision::ApproveOnce | Decision::ApproveAlways => Some(Verdict::Allow),
        Decision::Deny | Decision::DenyWithNote => Some(Verdict::Deny),
        Decision::HandOff => Some(Verdict::Abstain),
        Decision::Dismiss | Decision::Answer | Decision::Grant | Decision::ServiceAction => None,
    }
}
