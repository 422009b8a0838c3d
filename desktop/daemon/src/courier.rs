//! The couriers: one for each paired phone, between the event loop and the phone's relay. They carry; they decide nothing.
//! Nothing is dialled before a phone is paired, and a revoked phone's connection closes at once (PH-7).

mod address;
mod backoff;
mod channel;
mod dial;
mod erase;
mod outbox;
mod pin;
mod reach;
mod session;
mod socket;
mod talk;
mod task;
mod wake;

#[cfg(test)]
pub(crate) mod stage;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use countersign_ipc::control::RelayState;
use countersign_proto::id::{ChannelId, DeviceId};
use tokio::{
    sync::{mpsc, oneshot, watch},
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub(crate) use self::outbox::Outbox;
pub use self::{
    address::{Address, BadAddress},
    channel::{BadInvite, Invite, Made, NewChannel, NotMade, make},
    dial::Trouble,
    reach::{Reach, Way, Ways, summary},
    socket::{Claimed, Heard, Socket},
};
use self::{
    erase::erase,
    reach::Board,
    task::{Courier, Order, Parting},
};
use crate::{
    errand::Errand,
    eventloop::Handle,
    relay_child::LocalRelay,
    store::{ChannelEnd, Pairing, Store, StoreError},
};

/// How long couriers may take for their last words.
const PARTING: Duration = Duration::from_secs(4);

/// All couriers.
#[derive(Debug, Clone)]
pub struct Couriers(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    store: Arc<Store>,
    handle: Handle,
    relay: LocalRelay,
    orders: Mutex<BTreeMap<DeviceId, mpsc::UnboundedSender<Order>>>,
    /// Channels whose deletion is under way.
    erasing: Mutex<BTreeSet<ChannelId>>,
    board: Arc<Board>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

/// The phone did not answer the test request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the phone is not paired any more")]
pub struct NotPaired;

impl Couriers {
    /// No courier yet.
    #[must_use]
    pub fn new(store: Arc<Store>, handle: Handle, relay: LocalRelay) -> Self {
        Self(Arc::new(Shared {
            store,
            handle,
            relay,
            orders: Mutex::default(),
            erasing: Mutex::default(),
            board: Arc::new(Board::new()),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
        }))
    }

    /// Sends a courier for each paired phone, and goes on with deletions that an earlier run could not finish.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn take_up(&self) -> Result<(), StoreError> {
        for pairing in self.0.store.pairings().await? {
            self.meet(pairing);
        }
        self.resume_deletions().await
    }

    /// Runs errands until there are none to come.
    pub async fn run(self, mut errands: mpsc::UnboundedReceiver<Errand>) {
        while let Some(errand) = errands.recv().await {
            match errand {
                Errand::Send { device, message, ttl_ms } => {
                    self.order(device, Order::Send { message, ttl_ms })
                }
                Errand::Wake(device) => self.order(device, Order::Wake),
                Errand::Meet(pairing) => self.meet(*pairing),
                Errand::Forget(device) => self.forget(device).await,
            }
        }
        self.orders().clear();
    }

    /// How each phone's relay is reached.
    #[must_use]
    pub fn ways(&self) -> Ways {
        self.0.board.watch().borrow().clone()
    }

    /// Tells whenever [`Self::ways`] changes.
    #[must_use]
    pub fn watch(&self) -> watch::Receiver<Ways> {
        self.0.board.watch()
    }

    /// All of it in one word.
    #[must_use]
    pub fn relay_state(&self) -> RelayState {
        summary(&self.0.board.watch().borrow())
    }

    /// Sends a phone a test request as soon as its session is live, and says how long the answer took.
    ///
    /// # Errors
    /// [`NotPaired`].
    pub async fn test(&self, device: DeviceId) -> Result<Duration, NotPaired> {
        let mut ways = self.watch();
        ways.wait_for(|ways| ways.contains_key(&device)).await.map_err(|_| NotPaired)?;
        let (answer, answered) = oneshot::channel();
        let sent = self.orders().get(&device).map(|orders| orders.send(Order::Test(answer)));
        match sent {
            Some(Ok(())) => answered.await.map_err(|_| NotPaired),
            Some(Err(_)) | None => Err(NotPaired),
        }
    }

    /// Deletes a channel that no phone will use, until its relay confirms it.
    pub fn delete(&self, end: ChannelEnd) {
        let is_new = self.erasing().insert(end.channel);
        if is_new {
            self.0.tasks.spawn(erase(self.0.clone(), end));
        }
    }

    /// Waits for every courier to leave, once no errand is to come. Deletions go on with the next start.
    pub async fn stop(&self) {
        self.0.stop.cancel();
        self.0.tasks.close();
        if timeout(PARTING, self.0.tasks.wait()).await.is_err() {
            tracing::warn!("a courier did not leave in time");
        }
    }

    fn order(&self, device: DeviceId, order: Order) {
        if let Some(orders) = self.orders().get(&device) {
            // A courier that has ended belonged to a phone that was revoked.
            let _ = orders.send(order);
        }
    }

    fn meet(&self, pairing: Pairing) {
        let device = pairing.record.device_id;
        let end = ChannelEnd {
            channel: pairing.record.channel,
            relay: pairing.relay.clone(),
            relay_key: pairing.relay_key.clone(),
        };
        let (sender, orders) = mpsc::unbounded_channel();
        let shared = &self.0;
        let courier =
            Courier::new(pairing, shared.handle.clone(), orders, shared.board.clone(), &shared.relay);
        match courier {
            Ok(courier) => {
                self.orders().insert(device, sender);
                self.0.tasks.spawn(self.clone().accompany(courier, end));
            }
            Err(trouble) => tracing::error!(%trouble, "a paired phone can't be reached"),
        }
    }

    async fn accompany(self, courier: Courier, end: ChannelEnd) {
        let device = courier.device();
        let parting = courier.run().await;
        self.0.board.remove(device);
        match parting {
            Parting::Stopped => {}
            Parting::Forgotten { is_deleted: true } => self.0.deleted(end.channel).await,
            Parting::Forgotten { is_deleted: false } => self.delete(end),
        }
    }

    async fn forget(&self, device: DeviceId) {
        let orders = self.orders().remove(&device);
        if let Some(orders) = orders {
            let _ = orders.send(Order::Forget);
        } else if let Err(error) = self.resume_deletions().await {
            tracing::error!(%error, "a revoked phone's channel is deleted only after the next start");
        }
    }

    async fn resume_deletions(&self) -> Result<(), StoreError> {
        for end in self.0.store.channel_ends().await? {
            self.delete(end);
        }
        Ok(())
    }

    fn orders(&self) -> MutexGuard<'_, BTreeMap<DeviceId, mpsc::UnboundedSender<Order>>> {
        self.0.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn erasing(&self) -> MutexGuard<'_, BTreeSet<ChannelId>> {
        self.0.erasing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    /// A relay confirmed that a channel is gone.
    async fn deleted(&self, channel: ChannelId) {
        if let Err(error) = self.store.channel_ended(channel).await {
            tracing::warn!(%error, "a deleted channel is deleted once more after the next start");
        }
        self.erasing.lock().unwrap_or_else(PoisonError::into_inner).remove(&channel);
    }
}
