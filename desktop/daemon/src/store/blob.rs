//! Bytes kept for a while: calls, requests, offers and replies, each sealed under the hash by which the log names it.
//! When they are pruned the hash remains.

use countersign_proto::id::Hash;
use sqlx::SqliteConnection;

use super::{Store, StoreError, number};

/// How long they are kept.
const KEPT_MS: u64 = 30 * 24 * 60 * 60 * 1000;

/// What a blob is; hashes of different kinds are under different labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Raw,
    Request,
    Offer,
    Reply,
}

impl Kind {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Request => "request",
            Self::Offer => "offer",
            Self::Reply => "reply",
        }
    }

    fn place(self, hash: &Hash) -> String {
        format!("blobs/{}/{hash}/1", self.name())
    }
}

/// Keeps bytes; bytes that are kept already are kept from now on.
pub(super) async fn store(
    store: &Store,
    open: &mut SqliteConnection,
    kind: Kind,
    hash: &Hash,
    bytes: &[u8],
    wall_ms: u64,
) -> Result<(), StoreError> {
    store.faults.statement()?;
    let sealed = store.seals.blobs.seal(&kind.place(hash), bytes)?;
    sqlx::query(
        "INSERT INTO blobs (kind, hash, seen_ms, sealed) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (kind, hash) DO UPDATE SET seen_ms = max(seen_ms, ?3)",
    )
    .bind(kind.name())
    .bind(hash.as_bytes().as_slice())
    .bind(number(wall_ms)?)
    .bind(sealed)
    .execute(open)
    .await?;
    Ok(())
}

/// Bytes as they were given; `None` where they are no longer kept.
pub(super) async fn load(store: &Store, kind: Kind, hash: &Hash) -> Result<Option<Vec<u8>>, StoreError> {
    let sealed: Option<Vec<u8>> = sqlx::query_scalar("SELECT sealed FROM blobs WHERE kind = ? AND hash = ?")
        .bind(kind.name())
        .bind(hash.as_bytes().as_slice())
        .fetch_optional(&store.readers)
        .await?;
    match sealed {
        None => Ok(None),
        Some(sealed) => Ok(Some(store.seals.blobs.open(&kind.place(hash), &sealed)?.to_vec())),
    }
}

impl Store {
    /// Forgets bytes that were kept for 30 days, and says how many. Those of requests that are not over stay.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn prune(&self, wall_ms: u64) -> Result<u64, StoreError> {
        let before = number(wall_ms.saturating_sub(KEPT_MS))?;
        let mut writer = self.writer.lock().await;
        let pruned = sqlx::query(
            "DELETE FROM blobs WHERE seen_ms < ? AND hash NOT IN (
                 SELECT binding FROM requests WHERE state IN ('pending', 'releasing')
                 UNION ALL SELECT raw_hash FROM requests WHERE state IN ('pending', 'releasing')
                 UNION ALL SELECT hash FROM offers WHERE state = 'open')",
        )
        .bind(before)
        .execute(writer.connection())
        .await?
        .rows_affected();
        if pruned > 0 {
            self.empty_the_journal(writer.connection()).await;
        }
        Ok(pruned)
    }
}
