//! What being durable costs: one row in one transaction with the settings of the daemon's own store, and one small file
//! replaced as the demo phone replaces its counter. Both are on the disk when they return.

use std::{
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::Result;
use sqlx::{
    ConnectOptions as _, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};

/// A database and a file of its own.
pub struct Disk {
    database: SqliteConnection,
    folder: PathBuf,
}

impl Disk {
    pub async fn open(folder: &Path) -> Result<Self> {
        let options = SqliteConnectOptions::new()
            .filename(folder.join("bench.db"))
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .pragma("secure_delete", "ON")
            .disable_statement_logging();
        let mut database = options.connect().await?;
        sqlx::query("CREATE TABLE kept (bytes BLOB NOT NULL)").execute(&mut database).await?;
        Ok(Self { database, folder: folder.to_owned() })
    }

    pub async fn commit(&mut self) -> Result<Duration> {
        let began = Instant::now();
        sqlx::query("BEGIN IMMEDIATE").execute(&mut self.database).await?;
        sqlx::query("INSERT INTO kept (bytes) VALUES (?)")
            .bind(vec![7; 1_024])
            .execute(&mut self.database)
            .await?;
        sqlx::query("COMMIT").execute(&mut self.database).await?;
        Ok(began.elapsed())
    }

    pub fn replace_a_file(&self) -> Result<Duration> {
        let began = Instant::now();
        let (fresh, kept) = (self.folder.join("bench.new"), self.folder.join("bench.kept"));
        let mut file = File::create(&fresh)?;
        file.write_all(&[7; 48])?;
        file.sync_all()?;
        fs::rename(fresh, kept)?;
        File::open(&self.folder)?.sync_all()?;
        Ok(began.elapsed())
    }
}
