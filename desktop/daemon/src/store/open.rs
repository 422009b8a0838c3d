//! Opening a store: the file's own checks, the schema brought up to date, and the installation's identity made where
//! there is none yet.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use countersign_ipc::folder::{self, NotPrivate};
use countersign_proto::{id::LogId, key::SigningKey};
use sqlx::{
    ConnectOptions as _, Connection as _, SqlSafeStr as _, SqliteConnection,
    migrate::{MigrateError, Migration, MigrationType, Migrator},
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use tokio::sync::Mutex;

use super::{Seals, Store, StoreError, fault::Faults, revoked, writer::Writer};
use crate::keys::{KeyError, Keys, random};

const DATABASE: &str = "countersign.db";
/// "CSGN", in the file's header.
const APPLICATION: i64 = 0x4353_474e;
const READERS: u32 = 2;
/// How long the only writer waits for readers, which keep it from nothing but emptying the journal.
const JOURNAL: Duration = Duration::from_millis(250);
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Numbered and frozen: a change is a new file with the next number.
const MIGRATIONS: &[(i64, &str, &str)] = &[
    (1, "first", include_str!("../../migrations/0001_first.sql")),
    (2, "decided_before", include_str!("../../migrations/0002_decided_before.sql")),
];

/// Why a store could not be opened. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder or a file in it can't be trusted.
    #[error(transparent)]
    NotPrivate(#[from] NotPrivate),
    /// The master key can't be used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// A newer daemon wrote it.
    #[error(
        "`{}` was written by a newer Countersign (schema {found}, this one knows {known}); nothing was changed. \
         Install the newer version again, or move the whole folder away to begin anew (phones must be paired again)",
        file.display()
    )]
    Newer {
        /// The file.
        file: PathBuf,
        /// Its schema.
        found: i64,
        /// The newest schema known here.
        known: i64,
    },
    /// It is no store of ours.
    #[error("`{}` is not a Countersign store; nothing was changed. Move it away and start again", .0.display())]
    Foreign(PathBuf),
    /// It is one, but broken.
    #[error(
        "`{}` can't be used: {source}. Nothing was allowed and nothing was changed; put the folder back from a \
         backup, or move it away to begin anew (phones must be paired again)",
        file.display()
    )]
    Unusable {
        /// The file.
        file: PathBuf,
        /// Why.
        source: StoreError,
    },
    /// The folder can't be used.
    #[error("`{}`: {source}", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Store {
    /// Opens the store of a state folder, which must be private and is held by one daemon at a time
    /// ([`crate::place::Place`]); makes it where there is none.
    ///
    /// # Errors
    /// [`OpenError`].
    pub async fn open(state: &Path) -> Result<Self, OpenError> {
        folder::check(state)?;
        let file = state.join(DATABASE);
        let is_first = !is_begun(&file)?;
        let keys = Keys::open(state, is_first)?;
        let unusable = |source: StoreError| OpenError::Unusable { file: file.clone(), source };
        check_ours(&file).await?;
        let mut writer =
            options(&file).busy_timeout(JOURNAL).connect().await.map_err(|error| unusable(error.into()))?;
        bring_up_to_date(&mut writer, &file).await?;
        let seals = Seals {
            meta: keys.table("meta"),
            blobs: keys.table("blobs"),
            pairings: keys.table("pairings"),
            channel_ends: keys.table("channel_ends"),
            rules: keys.table("rules"),
            consents: keys.table("consents"),
        };
        let (log_id, desktop) = identity(&mut writer, &seals).await.map_err(unusable)?;
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .connect_lazy_with(options(&file).read_only(true));
        let revoked = revoked::Revoked::open(state)?;
        Ok(Self {
            file,
            writer: Mutex::new(Writer::new(writer)),
            readers,
            seals,
            revoked,
            log_id,
            desktop,
            faults: Faults::none(),
        })
    }
}

/// Opens a file, made for its owner only; one that is there already must be so.
fn private_file(path: &Path) -> Result<File, OpenError> {
    let opened = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(folder::FILE_MODE)
        .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
        .open(path);
    match opened {
        Ok(file) => {
            folder::check_file(path)?;
            Ok(file)
        }
        Err(source) => {
            // A symlink is best told from other failures by the check.
            folder::check_file(path)?;
            Err(OpenError::Io { path: path.to_owned(), source })
        }
    }
}

/// Whether the file holds anything yet. SQLite gives its side files the mode of this one.
fn is_begun(path: &Path) -> Result<bool, OpenError> {
    let mut start = Vec::new();
    private_file(path)?
        .take(MAGIC.len() as u64)
        .read_to_end(&mut start)
        .map_err(|source| OpenError::Io { path: path.to_owned(), source })?;
    match start.as_slice() {
        [] => Ok(false),
        magic if magic == MAGIC => Ok(true),
        _ => Err(OpenError::Foreign(path.to_owned())),
    }
}

fn options(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(false)
        .foreign_keys(true)
        .busy_timeout(Duration::from_secs(5))
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .pragma("secure_delete", "ON")
        .pragma("trusted_schema", "OFF")
        .disable_statement_logging()
}

fn foreign_or(error: sqlx::Error, file: &Path) -> OpenError {
    // 26 is SQLITE_NOTADB.
    let is_foreign =
        error.as_database_error().and_then(|error| error.code()).is_some_and(|code| code == "26");
    if is_foreign {
        OpenError::Foreign(file.to_owned())
    } else {
        OpenError::Unusable { file: file.to_owned(), source: error.into() }
    }
}

/// Looks at the file without changing a byte of it, as opening it for writing would.
async fn check_ours(file: &Path) -> Result<(), OpenError> {
    let failed = |error| foreign_or(error, file);
    let options = SqliteConnectOptions::new().filename(file).read_only(true).disable_statement_logging();
    let mut reader = options.connect().await.map_err(failed)?;
    let application: i64 =
        sqlx::query_scalar("PRAGMA application_id").fetch_one(&mut reader).await.map_err(failed)?;
    let tables: i64 = sqlx::query_scalar("SELECT count(*) FROM sqlite_schema")
        .fetch_one(&mut reader)
        .await
        .map_err(failed)?;
    let is_ours =
        tables == 0 || application == APPLICATION || is_unfinished(&mut reader).await.map_err(failed)?;
    reader.close().await.map_err(failed)?;
    if is_ours { Ok(()) } else { Err(OpenError::Foreign(file.to_owned())) }
}

async fn bring_up_to_date(writer: &mut SqliteConnection, file: &Path) -> Result<(), OpenError> {
    let unusable = |error: sqlx::Error| OpenError::Unusable { file: file.to_owned(), source: error.into() };
    match migrator().run_direct(None, &mut *writer, false).await {
        Ok(()) => Ok(()),
        Err(MigrateError::VersionMissing(found)) => {
            let known = MIGRATIONS.iter().map(|(number, ..)| *number).max().unwrap_or(0);
            Err(OpenError::Newer { file: file.to_owned(), found, known })
        }
        Err(MigrateError::VersionMismatch(_)) => Err(OpenError::Foreign(file.to_owned())),
        Err(MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) => Err(unusable(error)),
        Err(_) => Err(OpenError::Unusable {
            file: file.to_owned(),
            source: StoreError::Damaged("its schema can't be brought up to date"),
        }),
    }
}

/// Whether a first start was cut off before its first migration: nothing but the migrations' own empty table.
async fn is_unfinished(writer: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    let others: i64 =
        sqlx::query_scalar("SELECT count(*) FROM sqlite_schema WHERE tbl_name <> '_sqlx_migrations'")
            .fetch_one(&mut *writer)
            .await?;
    if others > 0 {
        return Ok(false);
    }
    let applied: i64 = sqlx::query_scalar("SELECT count(*) FROM _sqlx_migrations").fetch_one(writer).await?;
    Ok(applied == 0)
}

fn migrator() -> Migrator {
    let numbered = MIGRATIONS.iter().map(|(number, name, sql)| {
        Migration::new(*number, (*name).into(), MigrationType::Simple, (*sql).into_sql_str(), false)
    });
    Migrator::with_migrations(numbered.collect())
}

/// The log's id and the desktop's key, made with the store and never again.
async fn identity(writer: &mut SqliteConnection, seals: &Seals) -> Result<(LogId, SigningKey), StoreError> {
    const PLACE: &str = "meta/desktop_key/1";
    let mut open = writer.begin_with("BEGIN IMMEDIATE").await?;
    let kept: Vec<(String, Vec<u8>)> =
        sqlx::query_as("SELECT name, value FROM meta WHERE name IN ('log_id', 'desktop_key')")
            .fetch_all(&mut *open)
            .await?;
    let named = |name: &str| kept.iter().find(|(of, _)| of == name).map(|(_, value)| value.as_slice());
    match (named("log_id"), named("desktop_key")) {
        (Some(log), Some(sealed)) => {
            let log = LogId::from_slice(log).ok_or(StoreError::Damaged("the log's id"))?;
            let seed = seals.meta.open(PLACE, sealed)?;
            let seed = seed.first_chunk().ok_or(StoreError::Damaged("the desktop's key"))?;
            Ok((log, SigningKey::from_seed(seed)))
        }
        (None, None) => {
            let log = *random::<{ LogId::LEN }>().map_err(crate::keys::TableKeyError::from)?;
            let seed = random::<32>().map_err(crate::keys::TableKeyError::from)?;
            let sealed = seals.meta.seal(PLACE, seed.as_slice())?;
            for (name, value) in [("log_id", log.as_slice()), ("desktop_key", &sealed)] {
                sqlx::query("INSERT INTO meta (name, value) VALUES (?, ?)")
                    .bind(name)
                    .bind(value)
                    .execute(&mut *open)
                    .await?;
            }
            open.commit().await?;
            Ok((LogId::new(log), SigningKey::from_seed(&seed)))
        }
        _ => Err(StoreError::Damaged("half of the installation's identity is missing")),
    }
}
