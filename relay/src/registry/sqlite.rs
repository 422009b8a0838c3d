//! The registry in an SQLite file: one folder, one relay. The schema is brought up to date on opening; a file from a
//! newer relay is refused untouched.

use std::{
    fs::{DirBuilder, File, OpenOptions, TryLockError},
    io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::Duration,
};

use countersign_proto::{id::ChannelId, key::VerifyingKey};
use sqlx::{
    ConnectOptions, SqlSafeStr, SqlitePool,
    migrate::{Migration, MigrationType, Migrator},
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

use super::{Answer, Channel, Keys, Made, Registry, RegistryError, day, oldest_day};

const DATABASE: &str = "relay.db";
const LOCK: &str = "relay.lock";

/// Numbered and frozen: a change is a new file with the next number.
const MIGRATIONS: &[(i64, &str, &str)] =
    &[(1, "channels", include_str!("../../migrations/sqlite/0001_channels.sql"))];

/// Why a registry could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("cannot use the folder `{}`: {source}; give another with --data", .folder.display())]
    Folder { folder: PathBuf, source: io::Error },
    #[error("another relay is using the folder `{}`; stop it, or give this one another with --data", .folder.display())]
    InUse { folder: PathBuf },
    #[error(
        "`{}` was written by a newer relay (schema {found}, this one knows {known}); \
         update countersign-relay, or give another folder with --data", .file.display()
    )]
    Newer { file: PathBuf, found: i64, known: i64 },
    #[error("`{}` cannot be used as a registry: {source}; move it away to start with an empty one", .file.display())]
    Unusable { file: PathBuf, source: sqlx::Error },
    #[error("`{}` could not be brought up to date: {source}", .file.display())]
    Migration { file: PathBuf, source: sqlx::migrate::MigrateError },
}

pub struct SqliteRegistry {
    pool: SqlitePool,
    /// Held until the end, so that no second relay opens the same folder.
    _lock: File,
}

impl SqliteRegistry {
    /// Opens the registry of a folder, making both if they are missing.
    pub async fn open(folder: &Path) -> Result<Self, OpenError> {
        let lock = lock(folder)?;
        let file = folder.join(DATABASE);
        private_file(&file).map_err(|source| OpenError::Folder { folder: folder.into(), source })?;
        let unusable = |source| OpenError::Unusable { file: file.clone(), source };
        let pool = connect(&file).await.map_err(unusable)?;
        if let Some(found) = newest_migration(&pool).await.map_err(unusable)? {
            let known = MIGRATIONS.iter().map(|(number, ..)| *number).max().unwrap_or(0);
            if found > known {
                return Err(OpenError::Newer { file, found, known });
            }
        }
        migrator().run(&pool).await.map_err(|source| OpenError::Migration { file, source })?;
        Ok(Self { pool, _lock: lock })
    }
}

/// Makes the folder, for its owner only, and takes its lock; the lock ends with the process, however that ends.
fn lock(folder: &Path) -> Result<File, OpenError> {
    let failed = |source| OpenError::Folder { folder: folder.into(), source };
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    let lock = private_file(&folder.join(LOCK)).map_err(failed)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(OpenError::InUse { folder: folder.into() }),
        Err(TryLockError::Error(source)) => Err(failed(source)),
    }
}

/// Opens a file, made for its owner only; SQLite gives its side files the same mode.
fn private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)
}

async fn connect(file: &Path) -> Result<SqlitePool, sqlx::Error> {
    let options = SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(false)
        .busy_timeout(Duration::from_secs(5))
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .disable_statement_logging();
    SqlitePoolOptions::new().max_connections(1).connect_with(options).await
}

async fn newest_migration(pool: &SqlitePool) -> Result<Option<i64>, sqlx::Error> {
    let tables: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '_sqlx_migrations'",
    )
    .fetch_one(pool)
    .await?;
    if tables == 0 {
        return Ok(None);
    }
    sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations").fetch_one(pool).await
}

fn migrator() -> Migrator {
    let numbered = MIGRATIONS.iter().map(|(number, name, sql)| {
        Migration::new(*number, (*name).into(), MigrationType::Simple, sql.into_sql_str(), false)
    });
    Migrator::with_migrations(numbered.collect())
}

impl Registry for SqliteRegistry {
    fn make(&self, channel: Channel, now: u64) -> Answer<'_, Made> {
        Box::pin(async move {
            let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
            sqlx::query("DELETE FROM channel WHERE id = ? AND (ends_at <= ? OR last_used_day < ?)")
                .bind(channel.id.as_bytes().as_slice())
                .bind(number(now))
                .bind(number(oldest_day(now)))
                .execute(&mut *transaction)
                .await?;
            let inserted = sqlx::query(
                "INSERT INTO channel (id, key0, key1, ends_at, last_used_day) VALUES (?, ?, ?, ?, ?)
                 ON CONFLICT (id) DO NOTHING",
            )
            .bind(channel.id.as_bytes().as_slice())
            .bind(channel.keys.desktop.as_bytes().as_slice())
            .bind(channel.keys.phone.as_bytes().as_slice())
            .bind(channel.ends_at.map(number))
            .bind(number(day(now)))
            .execute(&mut *transaction)
            .await?;
            transaction.commit().await?;
            if inserted.rows_affected() == 1 {
                return Ok(Made::New);
            }
            let keys = self.keys(channel.id, now).await?;
            Ok(if keys == Some(channel.keys) { Made::Same } else { Made::Taken })
        })
    }

    fn keys(&self, id: ChannelId, now: u64) -> Answer<'_, Option<Keys>> {
        Box::pin(async move {
            let row: Option<(Vec<u8>, Vec<u8>)> = sqlx::query_as(
                "SELECT key0, key1 FROM channel
                 WHERE id = ? AND (ends_at IS NULL OR ends_at > ?) AND last_used_day >= ?",
            )
            .bind(id.as_bytes().as_slice())
            .bind(number(now))
            .bind(number(oldest_day(now)))
            .fetch_optional(&self.pool)
            .await?;
            row.map(|(desktop, phone)| Ok(Keys { desktop: key(&desktop)?, phone: key(&phone)? })).transpose()
        })
    }

    fn touch(&self, id: ChannelId, now: u64) -> Answer<'_, bool> {
        Box::pin(async move {
            let there: i64 = sqlx::query_scalar(
                "SELECT count(*) FROM channel WHERE id = ? AND (ends_at IS NULL OR ends_at > ?)",
            )
            .bind(id.as_bytes().as_slice())
            .bind(number(now))
            .fetch_one(&self.pool)
            .await?;
            if there == 0 {
                return Ok(false);
            }
            // Written once a day only.
            sqlx::query("UPDATE channel SET last_used_day = ?1 WHERE id = ?2 AND last_used_day <> ?1")
                .bind(number(day(now)))
                .bind(id.as_bytes().as_slice())
                .execute(&self.pool)
                .await?;
            Ok(true)
        })
    }

    fn delete(&self, id: ChannelId) -> Answer<'_, bool> {
        Box::pin(async move {
            let deleted = sqlx::query("DELETE FROM channel WHERE id = ?")
                .bind(id.as_bytes().as_slice())
                .execute(&self.pool)
                .await?;
            Ok(deleted.rows_affected() == 1)
        })
    }

    fn remove_over(&self, now: u64) -> Answer<'_, Vec<ChannelId>> {
        Box::pin(async move {
            let removed: Vec<Vec<u8>> = sqlx::query_scalar(
                "DELETE FROM channel WHERE ends_at <= ? OR last_used_day < ? RETURNING id",
            )
            .bind(number(now))
            .bind(number(oldest_day(now)))
            .fetch_all(&self.pool)
            .await?;
            Ok(removed.iter().filter_map(|id| ChannelId::from_slice(id)).collect())
        })
    }
}

/// SQLite's integers are signed; times and days are far below their end.
fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn key(bytes: &[u8]) -> Result<VerifyingKey, RegistryError> {
    let bytes = bytes.try_into().ok().and_then(|bytes| VerifyingKey::from_bytes(bytes).ok());
    bytes.ok_or_else(|| RegistryError("a stored key is not acceptable".into()))
}

impl From<sqlx::Error> for RegistryError {
    fn from(error: sqlx::Error) -> Self {
        Self(error.to_string())
    }
}
