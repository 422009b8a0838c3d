//! One phone's courier: it dials the phone's relay for as long as the phone is paired, comes back when the connection is
//! lost, makes the channel anew where a relay has forgotten it, and deletes it once the phone is revoked.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use countersign_proto::{claim::End, frame::CloseCode, id::DeviceId, message::Message};
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, timeout},
};

use super::{
    address::Address,
    backoff::{Backoff, Pace},
    channel::{self, Made, NewChannel, NotMade},
    dial::Trouble,
    outbox::Outbox,
    reach::{Board, Reach},
    session::PhoneSession,
    socket::{Claimed, Socket},
    wake::Wake,
};
use crate::{
    clock,
    eventloop::{Ended, Handle},
    keys::random,
    relay_child::{Lease, LocalRelay, Port},
    store::Pairing,
    timer::BootTimer,
};

/// Between two tries where the relay won't have us.
const REFUSED: Duration = Duration::from_secs(60);
/// For what was sent before a revocation, or before the daemon's end, to go out.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// What a courier is asked for.
#[derive(Debug)]
pub(super) enum Order {
    Send { message: Box<Message>, ttl_ms: u64 },
    Wake,
    Test(oneshot::Sender<Duration>),
    Forget,
}

/// How a courier ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parting {
    /// With the daemon.
    Stopped,
    /// Its phone was revoked.
    Forgotten {
        /// Whether the relay confirmed that the channel is gone.
        is_deleted: bool,
    },
}

/// Why a conversation is over.
#[derive(Debug)]
pub(super) enum Leave {
    /// The connection is gone.
    Lost(Trouble),
    /// The relay won't have us: why.
    Refused(String),
    /// For good.
    Over(Parting),
}

impl From<Trouble> for Leave {
    fn from(trouble: Trouble) -> Self {
        Self::Lost(trouble)
    }
}

impl From<getrandom::Error> for Leave {
    fn from(error: getrandom::Error) -> Self {
        Self::Lost(Trouble::Random(error))
    }
}

impl From<Ended> for Leave {
    fn from(_: Ended) -> Self {
        Self::Over(Parting::Stopped)
    }
}

pub(super) struct Courier {
    address: Address,
    claimed: Claimed,
    new_channel: NewChannel,
    pub(super) session: PhoneSession,
    pub(super) orders: mpsc::UnboundedReceiver<Order>,
    pub(super) outbox: Outbox,
    /// Messages that are not sealed yet, with the boot time at which they are worth nothing any more.
    pub(super) messages: VecDeque<(Box<Message>, u64)>,
    pub(super) wake: Wake,
    pub(super) timer: BootTimer,
    /// How long the relay asked us to stay away.
    pub(super) announced: Option<Duration>,
    backoff: Backoff,
    board: Arc<Board>,
    device: DeviceId,
    lease: Option<Arc<Lease>>,
}

impl Courier {
    pub(super) fn new(
        pairing: Pairing,
        handle: Handle,
        orders: mpsc::UnboundedReceiver<Order>,
        board: Arc<Board>,
        relay: &LocalRelay,
    ) -> Result<Self, Trouble> {
        let Pairing { record, relay: recorded, relay_key, phone_relay_key } = pairing;
        let address = Address::recorded(&recorded)?;
        let (device, channel) = (record.device_id, record.channel);
        let pace = if address.is_loopback() { Pace::Loopback } else { Pace::Network };
        Ok(Self {
            new_channel: NewChannel {
                id: channel,
                desktop: relay_key.public(),
                phone: phone_relay_key,
                ttl: Duration::ZERO,
                invite: None,
            },
            claimed: Claimed { channel, end: End::Desktop, key: relay_key },
            session: PhoneSession::new(record, handle),
            orders,
            outbox: Outbox::default(),
            messages: VecDeque::new(),
            wake: Wake::default(),
            timer: BootTimer::new().map_err(Trouble::Timer)?,
            announced: None,
            backoff: Backoff::new(pace),
            board,
            device,
            lease: relay.owns(&address).then(|| Arc::new(relay.lease(Port::Remembered))),
            address,
        })
    }

    pub(super) const fn device(&self) -> DeviceId {
        self.device
    }

    /// Carries until the phone is revoked or the daemon ends.
    pub(super) async fn run(mut self) -> Parting {
        loop {
            self.reach(Reach::Connecting);
            let leave = self.meet().await;
            self.outbox.clear();
            self.messages.clear();
            let over = match leave {
                Leave::Lost(trouble) => self.stay_away(trouble).await,
                Leave::Refused(why) => self.stay_out(why).await,
                Leave::Over(parting) => Some(parting),
            };
            if let Some(parting) = over {
                return parting;
            }
        }
    }

    pub(super) fn reach(&self, reach: Reach) {
        self.board.set(self.device, self.address.host(), reach);
    }

    /// One connection, from dialling to its end.
    async fn meet(&mut self) -> Leave {
        let (mut socket, is_online) = match self.connect().await {
            Ok(met) => met,
            Err(leave) => return leave,
        };
        let began = Instant::now();
        let Err(leave) = self.talk(&mut socket, is_online).await;
        self.backoff.held(began.elapsed());
        match leave {
            Leave::Over(Parting::Forgotten { .. }) => {
                let _ = timeout(LAST_WORDS, self.finish(&mut socket)).await;
                let is_deleted =
                    timeout(LAST_WORDS, socket.delete()).await.is_ok_and(|deleted| deleted.is_ok());
                Leave::Over(Parting::Forgotten { is_deleted })
            }
            Leave::Over(Parting::Stopped) => {
                let _ = timeout(LAST_WORDS, self.finish(&mut socket)).await;
                socket.close().await;
                leave
            }
            Leave::Lost(_) | Leave::Refused(_) => match self.session.over().await {
                Ok(()) => leave,
                Err(ended) => ended.into(),
            },
        }
    }

    async fn connect(&mut self) -> Result<(Socket, bool), Leave> {
        let (address, claimed, lease) = (self.address.clone(), self.claimed.clone(), self.lease.clone());
        let new_channel = self.new_channel.clone();
        tokio::select! {
            met = claim(lease.as_deref(), &address, &claimed, &new_channel) => met,
            parting = idle(&mut self.orders, &mut self.wake, &mut self.session) => Err(Leave::Over(parting)),
        }
    }

    async fn stay_away(&mut self, trouble: Trouble) -> Option<Parting> {
        // Without random bytes the longest wait is the polite one.
        let chance = random::<8>().map_or(u64::MAX, |bytes| u64::from_be_bytes(*bytes));
        let asked = match trouble {
            Trouble::Closed(CloseCode::GoingDown) => Some(self.announced.take().unwrap_or_default()),
            _ => self.announced.take(),
        };
        let wait = match (&trouble, asked) {
            (Trouble::Slept, _) => Duration::ZERO,
            (_, Some(retry_after)) => self.backoff.announced(retry_after, chance),
            (_, None) => self.backoff.next(chance),
        };
        tracing::debug!(%trouble, ?wait, "a relay is away");
        self.reach(Reach::Offline { retry_in: wait, why: trouble.to_string() });
        self.pause(wait).await
    }

    async fn stay_out(&mut self, why: String) -> Option<Parting> {
        tracing::warn!(%why, "a relay won't have a phone's channel");
        self.reach(Reach::Refused { why });
        self.pause(REFUSED).await
    }

    async fn pause(&mut self, wait: Duration) -> Option<Parting> {
        let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        let until_ms = clock::boot_ms().saturating_add(wait_ms);
        tokio::select! {
            // A timer that fails has rung too early: no harm, as the next wait is longer.
            _ = self.timer.until(Some(until_ms)) => None,
            parting = idle(&mut self.orders, &mut self.wake, &mut self.session) => Some(parting),
        }
    }
}

/// Takes orders while there is no connection, until one of them ends this courier.
async fn idle(
    orders: &mut mpsc::UnboundedReceiver<Order>,
    wake: &mut Wake,
    session: &mut PhoneSession,
) -> Parting {
    loop {
        match orders.recv().await {
            None => return Parting::Stopped,
            Some(Order::Forget) => return Parting::Forgotten { is_deleted: false },
            Some(Order::Send { message, .. }) => wake.missed(&message),
            Some(Order::Wake) => wake.want(),
            // Without random bytes the test is given up, and whoever waits hears so.
            Some(Order::Test(answer)) => drop(session.test(answer)),
        }
    }
}

/// Claims the phone's channel, and makes it first where the relay has forgotten it: a registry in memory was restarted,
/// or the channel was idle for too long. Both its keys are ours to name.
async fn claim(
    lease: Option<&Lease>,
    address: &Address,
    claimed: &Claimed,
    new_channel: &NewChannel,
) -> Result<(Socket, bool), Leave> {
    if let Some(lease) = lease {
        lease.ready().await.map_err(Trouble::Child)?;
    }
    match Socket::claim(address, claimed).await {
        Err(Trouble::Refused) => {}
        other => return Ok(other?),
    }
    match channel::make(address, new_channel).await {
        Ok(Made::New) => Ok(Socket::claim(address, claimed).await?),
        Ok(Made::Same) => {
            Err(Leave::Refused("the relay has this phone's channel but won't let us in".into()))
        }
        Err(NotMade::Refused(why)) => {
            Err(Leave::Refused(format!("the relay has forgotten this phone: {why}")))
        }
        Err(NotMade::Trouble(trouble)) => Err(Leave::Lost(trouble)),
    }
}
