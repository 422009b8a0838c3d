//! Lookups: what the store remembers of a phone's words, and the log with everything it speaks of, page by page.

use countersign_core::input::Recall;
use countersign_proto::{
    canonical,
    checkpoint::SignedCheckpoint,
    id::{DeviceId, Hash, OfferId, RequestId, RunId},
    limits,
    offer::SignedOffer,
    receipt::SignedReceipt,
    reply::SignedReply,
};

use super::{Store, StoreError, blob, load::hash, number, unsigned};

type RequestColumns = (i64, Vec<u8>, Vec<u8>, Vec<u8>, String);
type OfferColumns = (i64, Vec<u8>, Vec<u8>, Vec<u8>, Vec<u8>, String);
type DecisionColumns = (i64, Vec<u8>, String, String, Option<Vec<u8>>, Option<i64>, Option<String>);
type ReplyColumns = (i64, Vec<u8>, i64, Option<Vec<u8>>, Vec<u8>, Option<Vec<u8>>);

/// Rows read at once, so that no reader holds on to an old state of the database for long.
const PAGE: i64 = 256;

/// Which entries of the log; every part that is set must fit.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// At most so many, the newest.
    pub newest: Option<u32>,
    /// Not before this wall time.
    pub since_ms: Option<u64>,
    /// Of this kind.
    pub event: Option<String>,
    /// About this request.
    pub request: Option<RequestId>,
    /// About this phone.
    pub device: Option<DeviceId>,
    /// About this session.
    pub session: Option<String>,
}

/// An entry of the log as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogRow {
    /// Its number.
    pub seq: u64,
    /// The hash beside it.
    pub hash: Hash,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A checkpoint as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointRow {
    /// The entry it stands at.
    pub seq: u64,
    /// The checkpoint.
    pub signed: SignedCheckpoint,
}

/// A request as it is stored, with what is still kept of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestRow {
    /// Its place in the order they came.
    pub row: i64,
    /// Its id.
    pub id: RequestId,
    /// Its binding.
    pub binding: Hash,
    /// Hash of the tool input.
    pub raw_hash: Hash,
    /// Its state.
    pub state: String,
    /// Its bytes.
    pub bytes: Option<Vec<u8>>,
    /// The tool input.
    pub raw: Option<Vec<u8>>,
}

/// An offer as it is stored, with what is still kept of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferRow {
    /// Its place in the order they were made.
    pub row: i64,
    /// Its id.
    pub id: OfferId,
    /// Its request.
    pub request: RequestId,
    /// Its phone.
    pub device: DeviceId,
    /// The hash of its bytes.
    pub hash: Hash,
    /// Its state.
    pub state: String,
    /// The offer with its signature.
    pub signed: Option<SignedOffer>,
}

/// An accepted reply as it is stored, with what is still kept of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyRow {
    /// Its place in the order they came.
    pub row: i64,
    /// Its phone.
    pub device: DeviceId,
    /// Its counter.
    pub counter: u64,
    /// The offer it settled.
    pub offer: Option<OfferId>,
    /// Its hash.
    pub hash: Hash,
    /// The reply with its signatures; absent for a lock, and where it is no longer kept.
    pub signed: Option<SignedReply>,
    /// The receipt it got.
    pub receipt: Option<SignedReceipt>,
}

/// A decision as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionRow {
    /// Its place in the order they were made.
    pub row: i64,
    /// The request.
    pub request: RequestId,
    /// The verdict's name.
    pub answer: String,
    /// The source's name.
    pub source: String,
    /// The phone whose reply it rests on, the reply's counter, and the name of what it said.
    pub phone: Option<(DeviceId, u64, String)>,
}

impl Store {
    /// What is remembered about the offer to this phone that a reply names, and the receipt that exactly these bytes
    /// got.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn recall(
        &self,
        device: DeviceId,
        offer: Option<OfferId>,
        reply: Hash,
    ) -> Result<Recall, StoreError> {
        let select = sqlx::query_scalar("SELECT run_id FROM offers WHERE offer_id = ? AND device_id = ?");
        let run: Option<Vec<u8>> = select
            .bind(offer.as_ref().map(|id| id.as_bytes().as_slice()))
            .bind(device.as_bytes().as_slice())
            .fetch_optional(&self.readers)
            .await?;
        let offer_run = run.map(|run| RunId::from_slice(&run).ok_or(StoreError::Damaged("a run's id")));
        let receipt: Option<Vec<u8>> = sqlx::query_scalar("SELECT signed FROM receipts WHERE reply_hash = ?")
            .bind(reply.as_bytes().as_slice())
            .fetch_optional(&self.readers)
            .await?;
        Ok(Recall { offer_run: offer_run.transpose()?, receipt: receipt.map(read_receipt).transpose()? })
    }

    /// The entries that fit, in order.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn search_log(&self, search: &Search) -> Result<Vec<LogRow>, StoreError> {
        let rows: Vec<(i64, Vec<u8>, Vec<u8>)> = sqlx::query_as(
            "SELECT seq, hash, bytes FROM audit
             WHERE (?1 IS NULL OR wall_ms >= ?1) AND (?2 IS NULL OR event = ?2)
                 AND (?3 IS NULL OR request_id = ?3) AND (?4 IS NULL OR device_id = ?4)
                 AND (?5 IS NULL OR session = ?5)
             ORDER BY seq DESC LIMIT ?6",
        )
        .bind(search.since_ms.map(number).transpose()?)
        .bind(search.event.as_deref())
        .bind(search.request.as_ref().map(|id| id.as_bytes().as_slice()))
        .bind(search.device.as_ref().map(|id| id.as_bytes().as_slice()))
        .bind(search.session.as_deref())
        .bind(search.newest.map_or(-1, i64::from))
        .fetch_all(&self.readers)
        .await?;
        rows.into_iter().rev().map(log_row).collect()
    }

    /// The next page of the log after an entry; empty at its end.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn log_after(&self, seq: u64) -> Result<Vec<LogRow>, StoreError> {
        let rows: Vec<(i64, Vec<u8>, Vec<u8>)> =
            sqlx::query_as("SELECT seq, hash, bytes FROM audit WHERE seq > ? ORDER BY seq LIMIT ?")
                .bind(number(seq)?)
                .bind(PAGE)
                .fetch_all(&self.readers)
                .await?;
        rows.into_iter().map(log_row).collect()
    }

    /// The place of the newest request; 0 where there is none.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn newest_request(&self) -> Result<i64, StoreError> {
        let newest: Option<i64> =
            sqlx::query_scalar("SELECT max(rowid) FROM requests").fetch_one(&self.readers).await?;
        Ok(newest.unwrap_or(0))
    }

    /// Every checkpoint, in order.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn checkpoints(&self) -> Result<Vec<CheckpointRow>, StoreError> {
        let rows: Vec<(i64, Vec<u8>)> = sqlx::query_as("SELECT seq, signed FROM checkpoints ORDER BY seq")
            .fetch_all(&self.readers)
            .await?;
        let read = |(seq, signed): (i64, Vec<u8>)| {
            let signed = canonical::decode(&signed, limits::MESSAGE);
            Ok(CheckpointRow {
                seq: unsigned(seq)?,
                signed: signed.map_err(|_| StoreError::Damaged("a checkpoint"))?,
            })
        };
        rows.into_iter().map(read).collect()
    }

    /// The next page of requests after a row; empty at the end.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn requests_after(&self, row: i64) -> Result<Vec<RequestRow>, StoreError> {
        let rows: Vec<RequestColumns> = sqlx::query_as(
            "SELECT rowid, request_id, binding, raw_hash, state FROM requests
             WHERE rowid > ? ORDER BY rowid LIMIT ?",
        )
        .bind(row)
        .bind(PAGE)
        .fetch_all(&self.readers)
        .await?;
        let mut requests = Vec::new();
        for (row, id, binding, raw_hash, state) in rows {
            let (binding, raw_hash) = (hash(&binding)?, hash(&raw_hash)?);
            requests.push(RequestRow {
                row,
                id: RequestId::from_slice(&id).ok_or(StoreError::Damaged("a request's id"))?,
                binding,
                raw_hash,
                state,
                bytes: blob::load(self, blob::Kind::Request, &binding).await?,
                raw: blob::load(self, blob::Kind::Raw, &raw_hash).await?,
            });
        }
        Ok(requests)
    }

    /// The next page of offers after a row; empty at the end.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn offers_after(&self, row: i64) -> Result<Vec<OfferRow>, StoreError> {
        let rows: Vec<OfferColumns> = sqlx::query_as(
            "SELECT rowid, offer_id, request_id, device_id, hash, state FROM offers
             WHERE rowid > ? ORDER BY rowid LIMIT ?",
        )
        .bind(row)
        .bind(PAGE)
        .fetch_all(&self.readers)
        .await?;
        let mut offers = Vec::new();
        for (row, id, request, device, offer_hash, state) in rows {
            let hash = hash(&offer_hash)?;
            let kept = blob::load(self, blob::Kind::Offer, &hash).await?;
            let signed = kept.map(|bytes| canonical::decode(&bytes, limits::MESSAGE)).transpose();
            offers.push(OfferRow {
                row,
                id: OfferId::from_slice(&id).ok_or(StoreError::Damaged("an offer's id"))?,
                request: RequestId::from_slice(&request).ok_or(StoreError::Damaged("a request's id"))?,
                device: DeviceId::from_slice(&device).ok_or(StoreError::Damaged("a phone's id"))?,
                hash,
                state,
                signed: signed.map_err(|_| StoreError::Damaged("an offer"))?,
            });
        }
        Ok(offers)
    }

    /// The next page of accepted replies after a row; empty at the end.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn replies_after(&self, row: i64) -> Result<Vec<ReplyRow>, StoreError> {
        let rows: Vec<ReplyColumns> = sqlx::query_as(
            "SELECT replies.rowid, device_id, counter, offer_id, hash, receipts.signed
             FROM replies LEFT JOIN receipts ON receipts.reply_hash = replies.hash
             WHERE replies.rowid > ? ORDER BY replies.rowid LIMIT ?",
        )
        .bind(row)
        .bind(PAGE)
        .fetch_all(&self.readers)
        .await?;
        let mut replies = Vec::new();
        for (row, device, counter, offer, reply_hash, receipt) in rows {
            let hash = hash(&reply_hash)?;
            let kept = blob::load(self, blob::Kind::Reply, &hash).await?;
            let signed = kept.map(|bytes| canonical::decode(&bytes, limits::MESSAGE)).transpose();
            replies.push(ReplyRow {
                row,
                device: DeviceId::from_slice(&device).ok_or(StoreError::Damaged("a phone's id"))?,
                counter: unsigned(counter)?,
                offer: offer
                    .map(|id| OfferId::from_slice(&id).ok_or(StoreError::Damaged("an offer's id")))
                    .transpose()?,
                hash,
                signed: signed.map_err(|_| StoreError::Damaged("a reply"))?,
                receipt: receipt.map(read_receipt).transpose()?,
            });
        }
        Ok(replies)
    }

    /// The next page of decisions after a row; empty at the end.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn decisions_after(&self, row: i64) -> Result<Vec<DecisionRow>, StoreError> {
        let rows: Vec<DecisionColumns> = sqlx::query_as(
            "SELECT rowid, request_id, answer, source, device_id, counter, decision FROM decisions
             WHERE rowid > ? ORDER BY rowid LIMIT ?",
        )
        .bind(row)
        .bind(PAGE)
        .fetch_all(&self.readers)
        .await?;
        rows.into_iter().map(decision).collect()
    }
}

fn log_row((seq, entry_hash, bytes): (i64, Vec<u8>, Vec<u8>)) -> Result<LogRow, StoreError> {
    Ok(LogRow { seq: unsigned(seq)?, hash: hash(&entry_hash)?, bytes })
}

fn read_receipt(bytes: Vec<u8>) -> Result<SignedReceipt, StoreError> {
    canonical::decode(&bytes, limits::MESSAGE).map_err(|_| StoreError::Damaged("a receipt"))
}

fn decision(
    (row, request, answer, source, device, counter, said): DecisionColumns,
) -> Result<DecisionRow, StoreError> {
    let phone = match (device, counter, said) {
        (Some(device), Some(counter), Some(said)) => {
            let device = DeviceId::from_slice(&device).ok_or(StoreError::Damaged("a phone's id"))?;
            Some((device, unsigned(counter)?, said))
        }
        _ => None,
    };
    let request = RequestId::from_slice(&request).ok_or(StoreError::Damaged("a request's id"))?;
    Ok(DecisionRow { row, request, answer, source, phone })
}
