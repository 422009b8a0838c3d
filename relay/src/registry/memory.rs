//! The registry in memory: for tests, and for a relay that should forget its channels with its end.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    future::ready,
    sync::{Mutex, MutexGuard, PoisonError},
};

use countersign_proto::id::ChannelId;

use super::{Answer, Channel, Keys, Made, Registry, day, oldest_day};

#[derive(Default)]
pub struct MemoryRegistry {
    channels: Mutex<BTreeMap<ChannelId, Row>>,
}

struct Row {
    keys: Keys,
    ends_at: Option<u64>,
    last_used_day: u64,
}

impl MemoryRegistry {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<ChannelId, Row>> {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Row {
    fn is_over(&self, now: u64) -> bool {
        self.has_ended(now) || self.last_used_day < oldest_day(now)
    }

    fn has_ended(&self, now: u64) -> bool {
        self.ends_at.is_some_and(|ends_at| ends_at <= now)
    }
}

impl Registry for MemoryRegistry {
    fn make(&self, channel: Channel, now: u64) -> Answer<'_, Made> {
        let row = Row { keys: channel.keys, ends_at: channel.ends_at, last_used_day: day(now) };
        let made = match self.lock().entry(channel.id) {
            Entry::Vacant(place) => {
                place.insert(row);
                Made::New
            }
            Entry::Occupied(mut place) if place.get().is_over(now) => {
                place.insert(row);
                Made::New
            }
            Entry::Occupied(place) if place.get().keys == channel.keys => Made::Same,
            Entry::Occupied(_) => Made::Taken,
        };
        Box::pin(ready(Ok(made)))
    }

    fn keys(&self, id: ChannelId, now: u64) -> Answer<'_, Option<Keys>> {
        let keys = self.lock().get(&id).filter(|row| !row.is_over(now)).map(|row| row.keys);
        Box::pin(ready(Ok(keys)))
    }

    fn touch(&self, id: ChannelId, now: u64) -> Answer<'_, bool> {
        let mut channels = self.lock();
        let row = channels.get_mut(&id).filter(|row| !row.has_ended(now));
        let there = row.map(|row| row.last_used_day = day(now)).is_some();
        Box::pin(ready(Ok(there)))
    }

    fn delete(&self, id: ChannelId) -> Answer<'_, bool> {
        let there = self.lock().remove(&id).is_some();
        Box::pin(ready(Ok(there)))
    }

    fn remove_over(&self, now: u64) -> Answer<'_, Vec<ChannelId>> {
        let mut removed = Vec::new();
        self.lock().retain(|id, row| {
            let over = row.is_over(now);
            removed.extend(over.then_some(*id));
            !over
        });
        Box::pin(ready(Ok(removed)))
    }
}
