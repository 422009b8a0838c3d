//! The channel on which phone and desktop meet while they are paired: kept open through a relay's hiccups, deleted as
//! soon as nobody holds it any more.

use std::time::Duration;

use countersign_proto::{
    frame::{FromClient, FromRelay},
    pairing::Outgoing,
};
use tokio::{
    sync::mpsc,
    time::{sleep, timeout},
};

use super::failure::NoPhone;
use crate::{
    clock,
    courier::{Address, Claimed, Heard, NewChannel, Outbox, Socket, Trouble, make},
    timer::BootTimer,
};

/// Between two tries to come back.
const AGAIN: Duration = Duration::from_millis(500);
/// For the relay to confirm the deletion; otherwise the channel ends by itself after three minutes.
const DELETION: Duration = Duration::from_secs(2);
/// Envelopes that nobody has read yet.
const UNREAD: usize = 16;

/// One end of a rendezvous; dropped, the channel is deleted.
#[derive(Debug)]
pub(super) struct Rendezvous {
    outgoing: mpsc::UnboundedSender<(Outgoing, u64)>,
    incoming: mpsc::Receiver<Vec<u8>>,
}

impl Rendezvous {
    /// Makes the channel and claims our end of it.
    pub(super) async fn open(
        address: Address,
        claimed: Claimed,
        channel: NewChannel,
    ) -> Result<Self, NoPhone> {
        make(&address, &channel).await?;
        let (socket, _) = Socket::claim(&address, &claimed).await?;
        let (outgoing, to_send) = mpsc::unbounded_channel();
        let (heard, incoming) = mpsc::channel(UNREAD);
        let timer = BootTimer::new().map_err(NoPhone::Timer)?;
        let keeper = Keeper { address, claimed, channel, to_send, heard, timer, outbox: Outbox::default() };
        tokio::spawn(keeper.keep(socket));
        Ok(Self { outgoing, incoming })
    }

    /// Sends an envelope that is worth something until this boot time.
    pub(super) fn send(&self, outgoing: Outgoing, over_ms: u64) {
        // The keeper ends only after us.
        let _ = self.outgoing.send((outgoing, over_ms));
    }

    /// The next envelope from the phone. May be dropped while it waits.
    pub(super) async fn receive(&mut self) -> Option<Vec<u8>> {
        self.incoming.recv().await
    }
}

/// Nobody holds the rendezvous any more.
struct Dropped;

struct Keeper {
    address: Address,
    claimed: Claimed,
    channel: NewChannel,
    to_send: mpsc::UnboundedReceiver<(Outgoing, u64)>,
    heard: mpsc::Sender<Vec<u8>>,
    timer: BootTimer,
    outbox: Outbox,
}

impl Keeper {
    async fn keep(mut self, mut socket: Socket) {
        loop {
            match self.serve(&mut socket).await {
                Ok(Dropped) => break,
                Err(trouble) => tracing::debug!(%trouble, "the rendezvous lost its relay"),
            }
            self.outbox.reconnect();
            socket = tokio::select! {
                socket = come_back(&self.address, &self.claimed, &self.channel) => socket,
                // What was to be deleted ends by itself.
                () = self.heard.closed() => return,
            };
        }
        if let Ok(Err(trouble)) = timeout(DELETION, socket.delete()).await {
            tracing::debug!(%trouble, "the rendezvous ends by itself");
        }
    }

    async fn serve(&mut self, socket: &mut Socket) -> Result<Dropped, Trouble> {
        loop {
            while let Some(frame) = self.outbox.next(clock::boot_ms()) {
                socket.send(&frame).await?;
            }
            tokio::select! {
                heard = socket.hear() => match heard? {
                    Heard::Frame(FromRelay::Deliver { id, envelope, .. }) => {
                        if self.heard.send(envelope).await.is_err() {
                            return Ok(Dropped);
                        }
                        socket.send(&FromClient::Got { id }).await?;
                    }
                    Heard::Frame(FromRelay::Ack { seq, outcome }) => {
                        self.outbox.acknowledge(seq, outcome, clock::boot_ms());
                    }
                    Heard::Frame(_) | Heard::Alive => {}
                },
                to_send = self.to_send.recv() => match to_send {
                    Some((Outgoing { envelope, first: true }, over_ms)) => self.outbox.push_first(envelope, over_ms),
                    Some((Outgoing { envelope, first: false }, over_ms)) => self.outbox.push(envelope, over_ms),
                    None => return Ok(Dropped),
                },
                rang = self.timer.until(self.outbox.due_ms()) => rang.map_err(Trouble::Timer)?,
            }
        }
    }
}

/// Claims the end again, and makes the channel again where a restarted relay has forgotten it.
async fn come_back(address: &Address, claimed: &Claimed, channel: &NewChannel) -> Socket {
    loop {
        sleep(AGAIN).await;
        match Socket::claim(address, claimed).await {
            Ok((socket, _)) => return socket,
            Err(Trouble::Refused) => {
                if let Err(error) = make(address, channel).await {
                    tracing::debug!(%error, "the rendezvous could not be made again");
                }
            }
            Err(trouble) => tracing::debug!(%trouble, "the rendezvous is still without its relay"),
        }
    }
}
