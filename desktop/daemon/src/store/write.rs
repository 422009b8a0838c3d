//! One write of a transaction each. Every id and hash goes in as it is; what must not happen twice, go back or be
//! changed is refused by the schema, and the whole transaction with it.

use countersign_core::{
    approver::{NewApprover, Standing, Suspicion},
    audit::Entry,
    command::{EntryRow, Source, Write},
};
use countersign_proto::{
    canonical,
    id::{DeviceId, Hash, OfferId, RequestId, RunId},
    limits,
    reply::SignedReply,
};
use sqlx::{Sqlite, SqliteConnection, query::Query, sqlite::SqliteArguments};

use super::{Store, StoreError, before, blob, number, pairing};

/// Stores one write inside an open transaction.
pub(super) async fn store(
    store: &Store,
    open: &mut SqliteConnection,
    write: &Write,
    wall_ms: u64,
) -> Result<(), StoreError> {
    store.faults.statement()?;
    match write {
        Write::Entry(row) => entry(open, row).await,
        Write::Checkpoint { seq, signed } => {
            let insert = sqlx::query("INSERT INTO checkpoints (seq, signed) VALUES (?, ?)");
            one(open, insert.bind(number(*seq)?).bind(canonical::encode(signed))).await
        }
        Write::Request { id, run, binding, bytes, raw, raw_hash } => {
            blob::store(store, open, blob::Kind::Request, binding, bytes, wall_ms).await?;
            blob::store(store, open, blob::Kind::Raw, raw_hash, raw, wall_ms).await?;
            request(open, id, run, binding, raw_hash).await
        }
        Write::RequestState { id, state } => {
            let update = sqlx::query("UPDATE requests SET state = ? WHERE request_id = ?");
            one(open, update.bind(state.name()).bind(id.as_bytes().as_slice())).await
        }
        Write::Offer { id, request, device, run, hash, seq, signed } => {
            blob::store(store, open, blob::Kind::Offer, hash, &canonical::encode(signed), wall_ms).await?;
            offer(open, (id, request, device, run), hash, *seq).await
        }
        Write::OfferState { id, state } => {
            let update = sqlx::query("UPDATE offers SET state = ? WHERE offer_id = ?");
            one(open, update.bind(state.name()).bind(id.as_bytes().as_slice())).await
        }
        Write::Decision { request, answer, source } => decision(open, request, answer.name(), *source).await,
        Write::Reply { device, counter, offer, hash, signed } => {
            if let Some(signed) = signed {
                keep_reply(store, open, hash, signed, wall_ms).await?;
            }
            reply(open, device, *counter, offer.as_ref(), hash).await
        }
        Write::Receipt { reply, signed } => {
            let insert = sqlx::query("INSERT INTO receipts (reply_hash, signed) VALUES (?, ?)");
            one(open, insert.bind(reply.as_bytes().as_slice()).bind(canonical::encode(signed))).await
        }
        Write::Approver(new) => approver(open, new).await,
        Write::Standing { device, standing } => {
            let update = sqlx::query("UPDATE approvers SET standing = ? WHERE device_id = ?");
            one(open, update.bind(standing_name(*standing)).bind(device.as_bytes().as_slice())).await?;
            match standing {
                Standing::Revoked => pairing::end(store, open, device, wall_ms).await,
                Standing::Active | Standing::Suspended(_) => Ok(()),
            }
        }
        Write::Locked(locked) => {
            let upsert = sqlx::query("INSERT OR REPLACE INTO meta (name, value) VALUES ('locked', ?)");
            one(open, upsert.bind(vec![u8::from(*locked)])).await
        }
        Write::Rule(rule) => before::rule(store, open, rule).await,
        Write::RuleRemoved(id) => {
            one(open, sqlx::query("DELETE FROM rules WHERE rule_id = ?").bind(id.0.as_slice())).await
        }
        Write::RuleSuspended { id, is_suspended } => {
            let update = sqlx::query("UPDATE rules SET is_suspended = ? WHERE rule_id = ?");
            one(open, update.bind(*is_suspended).bind(id.0.as_slice())).await
        }
        Write::Consent(consent) => before::consent(store, open, consent).await,
        Write::Marks { session, is_tainted, off } => {
            before::marks(open, session, *is_tainted, off.as_ref()).await
        }
        Write::Setting { name, value } => before::setting(open, name, value).await,
    }
}

/// The name of a standing in the store.
pub(super) const fn standing_name(standing: Standing) -> &'static str {
    match standing {
        Standing::Active => "active",
        Standing::Suspended(Suspicion::BadSignatures) => "bad_signatures",
        Standing::Suspended(Suspicion::CounterFell) => "counter_fell",
        Standing::Revoked => "revoked",
    }
}

/// Runs a statement that must touch exactly one row: a state of something that isn't there is a mistake, and the
/// transaction with it.
pub(super) async fn one(
    open: &mut SqliteConnection,
    query: Query<'_, Sqlite, SqliteArguments>,
) -> Result<(), StoreError> {
    match query.execute(open).await?.rows_affected() {
        1 => Ok(()),
        _ => Err(StoreError::Unstorable("a change of something that was never stored")),
    }
}

async fn entry(open: &mut SqliteConnection, row: &EntryRow) -> Result<(), StoreError> {
    let entry: Entry = canonical::decode(&row.bytes, limits::MESSAGE)
        .map_err(|_| StoreError::Unstorable("an audit entry that can't be read"))?;
    let insert = sqlx::query(
        "INSERT INTO audit (seq, hash, bytes, wall_ms, event, request_id, device_id, session)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(number(row.seq)?)
    .bind(row.hash.as_bytes().as_slice())
    .bind(row.bytes.as_slice())
    .bind(number(entry.wall_ms)?)
    .bind(entry.body.event.name())
    .bind(entry.body.request.as_ref().map(|id| id.as_bytes().as_slice()))
    .bind(entry.body.device.as_ref().map(|id| id.as_bytes().as_slice()))
    .bind(entry.body.session.as_ref().map(|session| session.raw()));
    one(open, insert).await
}

async fn request(
    open: &mut SqliteConnection,
    id: &RequestId,
    run: &RunId,
    binding: &Hash,
    raw_hash: &Hash,
) -> Result<(), StoreError> {
    let insert = sqlx::query(
        "INSERT INTO requests (request_id, run_id, binding, raw_hash, state) VALUES (?, ?, ?, ?, 'pending')",
    )
    .bind(id.as_bytes().as_slice())
    .bind(run.as_bytes().as_slice())
    .bind(binding.as_bytes().as_slice())
    .bind(raw_hash.as_bytes().as_slice());
    one(open, insert).await
}

async fn offer(
    open: &mut SqliteConnection,
    (id, request, device, run): (&OfferId, &RequestId, &DeviceId, &RunId),
    hash: &Hash,
    seq: u64,
) -> Result<(), StoreError> {
    let insert = sqlx::query(
        "INSERT INTO offers (offer_id, request_id, device_id, run_id, hash, seq, state)
         VALUES (?, ?, ?, ?, ?, ?, 'open')",
    )
    .bind(id.as_bytes().as_slice())
    .bind(request.as_bytes().as_slice())
    .bind(device.as_bytes().as_slice())
    .bind(run.as_bytes().as_slice())
    .bind(hash.as_bytes().as_slice())
    .bind(number(seq)?);
    one(open, insert).await
}

async fn decision(
    open: &mut SqliteConnection,
    request: &RequestId,
    answer: &'static str,
    source: Source,
) -> Result<(), StoreError> {
    let phone = match source {
        Source::Phone { device, counter, decision } => Some((device, counter, decision)),
        Source::Click
        | Source::Terminal
        | Source::Lock
        | Source::Green(_)
        | Source::Rule(_)
        | Source::Policy { .. }
        | Source::Refused
        | Source::Before => None,
    };
    let basis = source.basis();
    let counter = phone.map(|(_, counter, _)| number(counter)).transpose()?;
    let insert = sqlx::query(
        "INSERT INTO decisions (request_id, answer, source, device_id, counter, decision, basis)
         VALUES (?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(request.as_bytes().as_slice())
    .bind(answer)
    .bind(source.name())
    .bind(phone.as_ref().map(|(device, ..)| device.as_bytes().as_slice()))
    .bind(counter)
    .bind(phone.map(|(.., decision)| decision.name()))
    .bind(basis.as_ref().map(<[u8; 16]>::as_slice));
    one(open, insert).await
}

async fn keep_reply(
    store: &Store,
    open: &mut SqliteConnection,
    hash: &Hash,
    signed: &SignedReply,
    wall_ms: u64,
) -> Result<(), StoreError> {
    blob::store(store, open, blob::Kind::Reply, hash, &canonical::encode(signed), wall_ms).await
}

/// An accepted reply moves its phone's counter on.
async fn reply(
    open: &mut SqliteConnection,
    device: &DeviceId,
    counter: u64,
    offer: Option<&OfferId>,
    hash: &Hash,
) -> Result<(), StoreError> {
    let counter = number(counter)?;
    let insert = sqlx::query("INSERT INTO replies (device_id, counter, offer_id, hash) VALUES (?, ?, ?, ?)")
        .bind(device.as_bytes().as_slice())
        .bind(counter)
        .bind(offer.map(|id| id.as_bytes().as_slice()))
        .bind(hash.as_bytes().as_slice());
    one(open, insert).await?;
    let update = sqlx::query("UPDATE approvers SET counter = ? WHERE device_id = ?");
    one(open, update.bind(counter).bind(device.as_bytes().as_slice())).await
}

async fn approver(open: &mut SqliteConnection, new: &NewApprover) -> Result<(), StoreError> {
    let insert = sqlx::query(
        "INSERT INTO approvers (device_id, name, model, device_key, bio_key, strength, paired_ms, standing)
         VALUES (?, ?, ?, ?, ?, ?, ?, 'active')",
    )
    .bind(new.device_id.as_bytes().as_slice())
    .bind(new.name.raw())
    .bind(new.model.raw())
    .bind(new.device_key.as_bytes().as_slice())
    .bind(new.bio_key.spki_der())
    .bind(new.strength.name())
    .bind(number(new.paired_wall_ms)?);
    one(open, insert).await?;
    for (position, der) in (0_i64..).zip(&new.chain) {
        let insert = sqlx::query("INSERT INTO certificates (device_id, position, der) VALUES (?, ?, ?)")
            .bind(new.device_id.as_bytes().as_slice())
            .bind(position)
            .bind(der.as_slice());
        one(open, insert).await?;
    }
    Ok(())
}
