//! A seam for tests: makes a chosen statement of a transaction fail. Outside tests there is nothing to it.

use super::StoreError;

/// Which of the next statements fails.
#[cfg(test)]
#[derive(Debug)]
pub struct Faults(std::sync::atomic::AtomicI64);

#[cfg(test)]
impl Faults {
    pub(super) const fn none() -> Self {
        Self(std::sync::atomic::AtomicI64::new(0))
    }

    /// Makes the `nth` statement from now fail, counted from 1: the first opens a transaction, the last commits it.
    pub fn fail(&self, nth: u32) {
        self.0.store(i64::from(nth), std::sync::atomic::Ordering::SeqCst);
    }

    /// No statement fails any more. True where the chosen one was still to come.
    pub fn clear(&self) -> bool {
        self.0.swap(0, std::sync::atomic::Ordering::SeqCst) > 0
    }

    pub(super) fn statement(&self) -> Result<(), StoreError> {
        match self.0.fetch_sub(1, std::sync::atomic::Ordering::SeqCst) {
            1 => Err(StoreError::Fault),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
impl super::Store {
    /// Where a test chooses what fails.
    #[must_use]
    pub const fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Lets the database grow by so many pages of 4 KiB only: a full disk, as SQLite sees it.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn limit_growth(&self, pages: u32) -> Result<(), StoreError> {
        let mut writer = self.writer.lock().await;
        let used: i64 = sqlx::query_scalar("PRAGMA page_count").fetch_one(writer.connection()).await?;
        let limit = format!("PRAGMA max_page_count = {}", used + i64::from(pages));
        sqlx::query(sqlx::AssertSqlSafe(limit)).execute(writer.connection()).await?;
        Ok(())
    }
}

#[cfg(not(test))]
#[derive(Debug)]
pub(super) struct Faults;

#[cfg(not(test))]
impl Faults {
    pub(super) const fn none() -> Self {
        Self
    }

    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "stands in for the one of tests")]
    pub(super) const fn statement(&self) -> Result<(), StoreError> {
        Ok(())
    }
}
