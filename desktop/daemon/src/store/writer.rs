//! The one connection that writes. Transactions are opened and closed here by hand: when a disk is full SQLite may have
//! rolled back by itself, and the next transaction must be possible all the same.

use sqlx::SqliteConnection;

#[derive(Debug)]
pub(super) struct Writer {
    connection: SqliteConnection,
    /// Whether a transaction was begun and neither committed nor rolled back: its future was dropped, or closing failed.
    is_open: bool,
}

impl Writer {
    pub(super) const fn new(connection: SqliteConnection) -> Self {
        Self { connection, is_open: false }
    }

    pub(super) async fn begin(&mut self) -> Result<&mut SqliteConnection, sqlx::Error> {
        if self.is_open {
            self.roll_back().await;
        }
        sqlx::query("BEGIN IMMEDIATE").execute(&mut self.connection).await?;
        self.is_open = true;
        Ok(&mut self.connection)
    }

    /// # Errors
    /// The transaction was rolled back.
    pub(super) async fn commit(&mut self) -> Result<(), sqlx::Error> {
        let done = sqlx::query("COMMIT").execute(&mut self.connection).await;
        match done {
            Ok(_) => self.is_open = false,
            Err(_) => self.roll_back().await,
        }
        done.map(drop)
    }

    pub(super) async fn roll_back(&mut self) {
        let done = sqlx::query("ROLLBACK").execute(&mut self.connection).await;
        // "No transaction is active" is as good; anything else shows when the next one begins.
        self.is_open = false;
        if let Err(error) = done {
            tracing::debug!(%error, "nothing was left to roll back");
        }
    }

    /// The connection outside of transactions.
    pub(super) const fn connection(&mut self) -> &mut SqliteConnection {
        &mut self.connection
    }
}
