//! The only SQL of the desktop: one SQLite file, one writer. Everything the core wants written goes through
//! [`Store::commit`], a transaction at a time, and is on disk when it returns. What holds people's words or secrets is
//! sealed. A file of another version or program is left untouched.

mod before;
mod blob;
mod fault;
mod load;
mod open;
mod pairing;
mod query;
mod revoked;
mod write;
mod writer;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use countersign_core::{
    approver::Standing,
    command::{Transaction, Write},
};
use countersign_proto::{
    id::{DeviceId, LogId},
    key::SigningKey,
};
use sqlx::{SqliteConnection, SqlitePool};
use tokio::sync::Mutex;

#[cfg(test)]
pub use self::fault::Faults;
#[cfg(test)]
pub(crate) use self::tests::new_approver as test_approver;
pub use self::{
    before::Narrowed,
    load::Loaded,
    open::OpenError,
    pairing::{ChannelEnd, Pairing, Relay},
    query::{CheckpointRow, DecisionRow, LogRow, OfferRow, ReplyRow, RequestRow, Search},
};
use crate::keys::{TableKey, TableKeyError};

/// The daemon's memory on disk.
#[derive(Debug)]
pub struct Store {
    file: PathBuf,
    writer: Mutex<writer::Writer>,
    readers: SqlitePool,
    seals: Seals,
    revoked: revoked::Revoked,
    log_id: LogId,
    desktop: SigningKey,
    faults: fault::Faults,
}

/// The keys of the tables that hold sealed values.
#[derive(Debug)]
struct Seals {
    meta: TableKey,
    blobs: TableKey,
    pairings: TableKey,
    channel_ends: TableKey,
    rules: TableKey,
    consents: TableKey,
}

/// Why something could not be stored or looked up. Nothing of a failed transaction is stored.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite's word.
    #[error("the store failed: {0}")]
    Sql(#[from] sqlx::Error),
    /// A value could not be sealed or opened.
    #[error("the store failed: {0}")]
    Seal(#[from] TableKeyError),
    /// The second file could not be written.
    #[error("the file of revoked phones failed: {0}")]
    Revoked(#[from] std::io::Error),
    /// What is stored is not what was written.
    #[error("the store is damaged: {0}")]
    Damaged(&'static str),
    /// Something that can't be stored.
    #[error("{0} can't be stored")]
    Unstorable(&'static str),
    /// A test wanted it so.
    #[error("a test made the store fail")]
    Fault,
}

impl Store {
    /// This installation's audit log.
    #[must_use]
    pub const fn log_id(&self) -> LogId {
        self.log_id
    }

    /// `D_sig`.
    #[must_use]
    pub const fn desktop(&self) -> &SigningKey {
        &self.desktop
    }

    /// The database file.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Stores a transaction: all of it or nothing. `pairing` holds the secrets of a phone that the transaction makes
    /// an approver; they are stored with it.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is stored, except that a revocation may stand in the second file already: a phone can
    /// lose its right to a failing disk, never regain it.
    pub async fn commit(
        &self,
        transaction: &Transaction,
        pairing: Option<&Pairing>,
        wall_ms: u64,
    ) -> Result<(), StoreError> {
        let revoked: Vec<DeviceId> = transaction.writes.iter().filter_map(revoked_by).collect();
        if let Err(error) = self.revoked.add(&revoked) {
            // The database still takes the revocation; the file is mended from it at the next start.
            tracing::warn!(%error, "a revocation could not be written to its second file");
        }
        let mut writer = self.writer.lock().await;
        self.faults.statement()?;
        let open = writer.begin().await?;
        match self.write_all(open, transaction, pairing, wall_ms).await {
            Ok(()) => writer.commit().await?,
            Err(error) => {
                writer.roll_back().await;
                return Err(error);
            }
        }
        if !revoked.is_empty() {
            self.empty_the_journal(writer.connection()).await;
        }
        Ok(())
    }

    async fn write_all(
        &self,
        open: &mut SqliteConnection,
        transaction: &Transaction,
        pairing: Option<&Pairing>,
        wall_ms: u64,
    ) -> Result<(), StoreError> {
        for write in &transaction.writes {
            write::store(self, open, write, wall_ms).await?;
            if let (Write::Approver(approver), Some(pairing)) = (write, pairing)
                && approver.device_id == pairing.record.device_id
            {
                pairing::store(self, open, pairing).await?;
            }
        }
        self.faults.statement()
    }

    /// Brings the journal into the database file, zeroes what was deleted, and ends all reading. To be called last.
    pub async fn close(&self) {
        self.readers.close().await;
        self.empty_the_journal(self.writer.lock().await.connection()).await;
    }

    /// Deleted secrets would live on in the journal until it is next emptied. A reader may be in the way; then it
    /// happens later.
    async fn empty_the_journal(&self, writer: &mut SqliteConnection) {
        if let Err(error) = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(writer).await {
            tracing::debug!(%error, "the journal will be emptied later");
        }
    }
}

fn revoked_by(write: &Write) -> Option<DeviceId> {
    match write {
        Write::Standing { device, standing: Standing::Revoked } => Some(*device),
        _ => None,
    }
}

/// SQLite's integers are signed.
fn number(value: u64) -> Result<i64, StoreError> {
    i64::try_from(value).map_err(|_| StoreError::Unstorable("a number beyond 2^63"))
}

/// A number that [`number`] stored.
fn unsigned(value: i64) -> Result<u64, StoreError> {
    u64::try_from(value).map_err(|_| StoreError::Damaged("a number is negative"))
}
