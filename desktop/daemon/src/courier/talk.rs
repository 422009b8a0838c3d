//! One connection's conversation: frames both ways, orders in between, signs of life, until one side leaves.

use std::{convert::Infallible, time::Duration};

use countersign_proto::{
    frame::{FromClient, FromRelay, NoticeCode},
    message::Message,
};
use tokio::time::Instant;

use super::{
    dial::Trouble,
    reach::Reach,
    session::Asked,
    socket::{Heard, Socket},
    task::{Courier, Leave, Order, Parting},
};
use crate::{clock, keys::random};

/// Most messages that wait to be sealed; whatever is dropped beyond is offered again.
const MESSAGES: usize = 256;
/// How long a handshake is worth delivering.
const HANDSHAKE_MS: u64 = 30_000;
/// After a handshake data waits so long for the phone's first word in the new session.
const NEW_SESSION_MS: u64 = 2_000;
/// Boot time runs on in suspend and the steady clock does not; so far apart, this computer was asleep.
const SLEPT: Duration = Duration::from_secs(10);

/// What one connection knows.
struct Talk {
    is_online: bool,
    /// Until when nothing but handshakes is sent.
    hold_until_ms: u64,
    pulse: Pulse,
}

impl Courier {
    /// Talks until there is a reason to leave.
    pub(super) async fn talk(&mut self, socket: &mut Socket, is_online: bool) -> Result<Infallible, Leave> {
        self.reach(Reach::Online { phone: is_online });
        let mut talk = Talk { is_online, hold_until_ms: 0, pulse: Pulse::start()? };
        loop {
            self.send_due(socket, &mut talk).await?;
            let due = [
                self.outbox.due_ms(),
                self.wake_due_ms(&talk),
                self.hold_due_ms(&talk),
                Some(talk.pulse.due_ms),
            ];
            tokio::select! {
                heard = socket.hear() => {
                    talk.pulse.heard();
                    if let Heard::Frame(frame) = heard? {
                        self.hear(frame, socket, &mut talk).await?;
                    }
                }
                order = self.orders.recv() => self.take(order, &talk)?,
                rang = self.timer.until(due.into_iter().flatten().min()) => {
                    rang.map_err(Trouble::Timer)?;
                    if self.session.is_spent() {
                        self.session.over().await?;
                    }
                    talk.pulse.beat(socket).await?;
                }
            }
        }
    }

    /// Sends what was ordered before the end, and hears only whether it arrived.
    pub(super) async fn finish(&mut self, socket: &mut Socket) -> Result<(), Leave> {
        let mut talk = Talk { is_online: true, hold_until_ms: 0, pulse: Pulse::start()? };
        loop {
            self.send_due(socket, &mut talk).await?;
            if self.outbox.is_empty() && self.messages.is_empty() {
                return Ok(());
            }
            match socket.hear().await? {
                Heard::Frame(FromRelay::Ack { seq, outcome }) => {
                    self.outbox.acknowledge(seq, outcome, clock::boot_ms());
                }
                Heard::Frame(FromRelay::PeerPresence { online: false }) => return Ok(()),
                Heard::Frame(_) | Heard::Alive => {}
            }
        }
    }

    fn take(&mut self, order: Option<Order>, talk: &Talk) -> Result<(), Leave> {
        match order {
            Some(Order::Send { message, ttl_ms }) => {
                let can_hear = talk.is_online && self.session.is_live() && self.messages.len() < MESSAGES;
                if can_hear {
                    self.messages.push_back((message, clock::boot_ms().saturating_add(ttl_ms)));
                } else {
                    self.wake.missed(&message);
                }
            }
            Some(Order::Wake) => self.wake.want(),
            Some(Order::Test(answer)) => self.session.test(answer)?,
            Some(Order::Forget) => return Err(Leave::Over(Parting::Forgotten { is_deleted: false })),
            None => return Err(Leave::Over(Parting::Stopped)),
        }
        Ok(())
    }

    async fn hear(&mut self, frame: FromRelay, socket: &mut Socket, talk: &mut Talk) -> Result<(), Leave> {
        match frame {
            FromRelay::Deliver { id, age_ms: _, envelope } => {
                let asked = self.session.receive(&envelope).await?;
                socket.send(&FromClient::Got { id }).await?;
                match asked {
                    Asked::Nothing => {}
                    Asked::Live => talk.hold_until_ms = 0,
                    Asked::Reply(envelope) => self.shake(envelope, talk),
                }
                if !talk.is_online {
                    // A word that was still on its way: it counts, but nothing can be said in return.
                    self.session.over().await?;
                }
            }
            FromRelay::Ack { seq, outcome } => {
                if !self.outbox.acknowledge(seq, outcome, clock::boot_ms()) {
                    tracing::warn!("the relay takes no envelope of this size; a message is lost");
                }
            }
            FromRelay::PeerPresence { online } => {
                talk.is_online = online;
                self.reach(Reach::Online { phone: online });
                if online {
                    self.wake.came();
                } else {
                    self.outbox.clear();
                    self.messages.clear();
                    self.session.over().await?;
                }
            }
            FromRelay::Notice { code: NoticeCode::Drain | NoticeCode::GoingDown, retry_after } => {
                self.announced = Some(Duration::from_secs(retry_after.into()));
            }
            FromRelay::Notice { code, retry_after: _ } => tracing::debug!(?code, "a relay's notice"),
            FromRelay::Challenge { .. } => {
                return Err(Trouble::NoRelay("a second challenge came".to_owned()).into());
            }
        }
        Ok(())
    }

    /// Answers a handshake. The phone has left its old session, so nothing of it is worth sending any more.
    fn shake(&mut self, envelope: Vec<u8>, talk: &mut Talk) {
        if talk.is_online {
            let now_ms = clock::boot_ms();
            self.outbox.push_first(envelope, now_ms.saturating_add(HANDSHAKE_MS));
            talk.hold_until_ms = now_ms.saturating_add(NEW_SESSION_MS);
        }
    }

    async fn send_due(&mut self, socket: &mut Socket, talk: &mut Talk) -> Result<(), Leave> {
        let now_ms = clock::boot_ms();
        if !talk.is_online {
            if self.wake.take(now_ms) {
                socket.send(&FromClient::Wake).await?;
            }
            return Ok(());
        }
        loop {
            while let Some(frame) = self.outbox.next(now_ms) {
                socket.send(&frame).await?;
            }
            if !self.outbox.has_room() || now_ms < talk.hold_until_ms || !self.seal_next(now_ms).await? {
                return Ok(());
            }
        }
    }

    /// Seals the next message that is still worth it; false where there is none.
    async fn seal_next(&mut self, now_ms: u64) -> Result<bool, Leave> {
        if let Some(test) = self.session.due_test() {
            let over_ms = now_ms.saturating_add(HANDSHAKE_MS);
            self.messages.extend(test.map(|message| (Box::new(message), over_ms)));
        }
        let Some((message, over_ms)) = self.messages.pop_front() else { return Ok(false) };
        if over_ms > now_ms {
            self.seal(&message, over_ms).await?;
        }
        Ok(true)
    }

    async fn seal(&mut self, message: &Message, over_ms: u64) -> Result<(), Leave> {
        match self.session.seal(message) {
            Some(envelopes) => envelopes.into_iter().for_each(|envelope| self.outbox.push(envelope, over_ms)),
            None => {
                self.messages.clear();
                self.session.over().await?;
            }
        }
        Ok(())
    }

    fn wake_due_ms(&self, talk: &Talk) -> Option<u64> {
        if talk.is_online { None } else { self.wake.due_ms() }
    }

    fn hold_due_ms(&self, talk: &Talk) -> Option<u64> {
        (!self.messages.is_empty() && self.outbox.has_room()).then_some(talk.hold_until_ms)
    }
}

/// Signs of life: a ping every 25 to 30 s, and two that nothing followed end the connection.
struct Pulse {
    due_ms: u64,
    unanswered: u32,
    boot_ms: u64,
    steady: Instant,
}

impl Pulse {
    const MOST: u32 = 2;

    fn start() -> Result<Self, getrandom::Error> {
        let boot_ms = clock::boot_ms();
        let due_ms = boot_ms.saturating_add(interval_ms()?);
        Ok(Self { due_ms, unanswered: 0, boot_ms, steady: Instant::now() })
    }

    fn heard(&mut self) {
        self.unanswered = 0;
    }

    /// Called whenever the timer rings, which it does at resume.
    async fn beat(&mut self, socket: &mut Socket) -> Result<(), Leave> {
        let now_ms = clock::boot_ms();
        let by_boot = Duration::from_millis(now_ms.saturating_sub(self.boot_ms));
        if by_boot.saturating_sub(self.steady.elapsed()) >= SLEPT {
            return Err(Trouble::Slept.into());
        }
        if now_ms < self.due_ms {
            return Ok(());
        }
        if self.unanswered >= Self::MOST {
            return Err(Trouble::Silent.into());
        }
        self.unanswered += 1;
        self.due_ms = now_ms.saturating_add(interval_ms()?);
        Ok(socket.ping().await?)
    }
}

fn interval_ms() -> Result<u64, getrandom::Error> {
    Ok(25_000 + u64::from(u16::from_be_bytes(*random::<2>()?)) % 5_001)
}
