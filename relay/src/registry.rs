//! The registry: which channels exist and whose keys claim their ends. Envelopes are never here. Every implementation
//! passes the one suite in `conformance`.

use countersign_proto::{claim::End, id::ChannelId, key::VerifyingKey, limits};
use futures_util::future::BoxFuture;

#[cfg(test)]
mod conformance;
mod memory;
mod sqlite;

pub use memory::MemoryRegistry;
pub use sqlite::{OpenError, SqliteRegistry};

/// A channel as it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Channel {
    pub id: ChannelId,
    pub keys: Keys,
    /// Seconds since 1970; without it the channel ends when no end used it for [`limits::CHANNEL_IDLE`].
    pub ends_at: Option<u64>,
}

/// The keys that claim a channel's ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keys {
    pub desktop: VerifyingKey,
    pub phone: VerifyingKey,
}

impl Keys {
    pub fn of(&self, end: End) -> &VerifyingKey {
        match end {
            End::Desktop => &self.desktop,
            End::Phone => &self.phone,
        }
    }
}

/// What became of making a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    /// It is new.
    New,
    /// It was there already, with the same keys.
    Same,
    /// The id belongs to a channel with other keys.
    Taken,
}

/// The registry did not do its work. The text is for the log: it names no channel and no key.
#[derive(Debug, thiserror::Error)]
#[error("the registry failed: {0}")]
pub struct RegistryError(pub(crate) String);

pub type Answer<'a, T> = BoxFuture<'a, Result<T, RegistryError>>;

/// Where channels are kept. Time is seconds since 1970. A channel that is over counts as absent at once, whether or not
/// it was removed yet.
pub trait Registry: Send + Sync {
    /// Makes a channel.
    fn make(&self, channel: Channel, now: u64) -> Answer<'_, Made>;

    /// The keys of a channel.
    fn keys(&self, id: ChannelId, now: u64) -> Answer<'_, Option<Keys>>;

    /// Notes that a channel is in use, and says whether it is there. What is in use is not idle, however long ago the
    /// last note was: the clock may have jumped.
    fn touch(&self, id: ChannelId, now: u64) -> Answer<'_, bool>;

    /// Removes a channel, and says whether it was there.
    fn delete(&self, id: ChannelId) -> Answer<'_, bool>;

    /// Removes every channel that is over, and names them.
    fn remove_over(&self, now: u64) -> Answer<'_, Vec<ChannelId>>;
}

/// The day of a time, in days since 1970.
fn day(now: u64) -> u64 {
    now / (24 * 60 * 60)
}

/// Channels last used before this day are over.
fn oldest_day(now: u64) -> u64 {
    day(now).saturating_sub(day(limits::CHANNEL_IDLE.as_secs()))
}
