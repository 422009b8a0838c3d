//! The log as JSON Lines that stand by themselves: the desktop's key, every phone's keys and chain, entries and
//! checkpoints as they are hashed and signed, requests, offers and replies. Redacted, what the calls said is left out:
//! the hashes remain, so that the chain and every reply's signatures still verify. What holds a secret is always left out
//! so: bytes that are hashed or signed can't be masked (CARD-2).

use countersign_core::approver::Approver;
use countersign_proto::{canonical, pairing::derive_desktop_id};
use data_encoding::BASE64;
use serde_json::{Value, json};

use super::{secret, words};
use crate::{
    clock, phones,
    store::{CheckpointRow, LogRow, OfferRow, ReplyRow, RequestRow, Store, StoreError},
};

/// The version of the export's form.
const VERSION: u32 = 1;

/// An export under way, a page at a time.
#[derive(Debug)]
pub struct Export<'a> {
    store: &'a Store,
    redact: bool,
    at: At,
}

#[derive(Debug, Clone, Copy)]
enum At {
    Start,
    Entries(u64),
    Checkpoints,
    Requests(i64),
    Offers(i64),
    Replies(i64),
    End,
}

impl<'a> Export<'a> {
    /// Starts before the first line.
    #[must_use]
    pub const fn new(store: &'a Store, redact: bool) -> Self {
        Self { store, redact, at: At::Start }
    }

    /// The next lines; `None` at the end.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn next(&mut self) -> Result<Option<Vec<Value>>, StoreError> {
        let (lines, next) = match self.at {
            At::Start => (self.head().await?, At::Entries(0)),
            At::Entries(seq) => {
                let page = self.store.log_after(seq).await?;
                let next = page.last().map_or(At::Checkpoints, |row| At::Entries(row.seq));
                (page.iter().map(entry).collect(), next)
            }
            At::Checkpoints => {
                (self.store.checkpoints().await?.iter().map(checkpoint).collect(), At::Requests(0))
            }
            At::Requests(row) => {
                let page = self.store.requests_after(row).await?;
                let next = page.last().map_or(At::Offers(0), |row| At::Requests(row.row));
                (page.iter().map(|row| self.request(row)).collect(), next)
            }
            At::Offers(row) => {
                let page = self.store.offers_after(row).await?;
                let next = page.last().map_or(At::Replies(0), |row| At::Offers(row.row));
                (page.iter().map(|row| self.offer(row)).collect(), next)
            }
            At::Replies(row) => {
                let page = self.store.replies_after(row).await?;
                let next = page.last().map_or(At::End, |row| At::Replies(row.row));
                (page.iter().map(Self::reply).collect(), next)
            }
            At::End => return Ok(None),
        };
        self.at = next;
        Ok(Some(lines))
    }

    async fn head(&self) -> Result<Vec<Value>, StoreError> {
        let desktop = self.store.desktop().public();
        let mut lines = vec![json!({
            "type": "log",
            "v": VERSION,
            "log_id": self.store.log_id().to_string(),
            "desktop_id": derive_desktop_id(&desktop).to_string(),
            "desktop_key": BASE64.encode(desktop.as_bytes()),
            "redacted": self.redact,
        })];
        lines.extend(self.store.approvers().await?.iter().map(phone));
        Ok(lines)
    }

    fn request(&self, row: &RequestRow) -> Value {
        let withheld = secret::in_request(row);
        json!({
            "type": "request",
            "request_id": row.id.to_string(),
            "binding": row.binding.to_string(),
            "raw_hash": row.raw_hash.to_string(),
            "state": row.state,
            "withheld": withheld,
            "bytes": self.unless(withheld, row.bytes.as_deref()),
            "raw": self.unless(withheld, row.raw.as_deref()),
        })
    }

    fn offer(&self, row: &OfferRow) -> Value {
        let withheld = row.signed.as_ref().is_some_and(secret::in_offer);
        json!({
            "type": "offer",
            "offer_id": row.id.to_string(),
            "request_id": row.request.to_string(),
            "device_id": row.device.to_string(),
            "hash": row.hash.to_string(),
            "state": row.state,
            "withheld": withheld,
            "signed": self.unless(withheld, row.signed.as_ref().map(canonical::encode).as_deref()),
        })
    }

    /// A reply holds no word of the call; its own note, if it has one, is the person's and is signed.
    fn reply(row: &ReplyRow) -> Value {
        let withheld = row.signed.as_ref().is_some_and(secret::in_reply);
        let signed = row.signed.as_ref().filter(|_| !withheld);
        json!({
            "type": "reply",
            "device_id": row.device.to_string(),
            "counter": row.counter,
            "offer_id": row.offer.map(|id| id.to_string()),
            "hash": row.hash.to_string(),
            "withheld": withheld,
            "signed": signed.map(|signed| BASE64.encode(&canonical::encode(signed))),
            "receipt": row.receipt.as_ref().map(|signed| BASE64.encode(&canonical::encode(signed))),
        })
    }

    fn unless(&self, withheld: bool, bytes: Option<&[u8]>) -> Option<String> {
        bytes.filter(|_| !self.redact && !withheld).map(|bytes| BASE64.encode(bytes))
    }
}

fn phone(approver: &Approver) -> Value {
    let who = &approver.who;
    json!({
        "type": "phone",
        "device_id": who.device_id.to_string(),
        "name": who.name.masked().as_str(),
        "model": who.model.masked().as_str(),
        "device_key": BASE64.encode(who.device_key.as_bytes()),
        "approval_key": BASE64.encode(who.bio_key.spki_der()),
        "security": phones::security(who.strength),
        "chain": who.chain.iter().map(|der| BASE64.encode(der)).collect::<Vec<_>>(),
        "paired": clock::rfc3339(who.paired_wall_ms),
    })
}

fn entry(row: &LogRow) -> Value {
    let said = words::describe(row);
    json!({
        "type": "entry",
        "seq": row.seq,
        "hash": row.hash.to_string(),
        "time": said.time,
        "kind": said.kind,
        "text": said.text,
        "request_id": said.request_id,
        "device_id": said.device_id,
        "session": said.session,
        "source": said.source,
        "basis": said.basis,
        "line": said.line,
        "bytes": BASE64.encode(&row.bytes),
    })
}

fn checkpoint(row: &CheckpointRow) -> Value {
    json!({
        "type": "checkpoint",
        "seq": row.seq,
        "signed": BASE64.encode(&canonical::encode(&row.signed)),
    })
}
