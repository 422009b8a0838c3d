//! The phone's session with one desktop: it starts a handshake at every connect, whenever the desktop comes (back), by
//! age, and when the desktop falls silent; never more often than the desktop would answer.

use std::collections::VecDeque;

use countersign_proto::{
    limits,
    message::{Message, Ping},
    refusal::Refusal,
    session::{PairRecord, PhoneEnd, Received},
};

use crate::clock::{Fresh, Now, millis};

/// How long a handshake or a greeting may stay unanswered at first, in ms; it doubles up to [`PATIENCE_MOST_MS`].
const PATIENCE_MS: u64 = 5_000;
const PATIENCE_MOST_MS: u64 = 60_000;
/// After so long a silence in a session the desktop is asked whether it is there, and has so long to answer, in ms.
const QUIET_MS: u64 = 50_000;
const PONG_MS: u64 = 10_000;
/// Over which time the desktop counts a burst of handshakes, in ms.
const BURST_MS: u64 = 60_000 * limits::HANDSHAKE_BURST as u64 / limits::HANDSHAKES_A_MINUTE as u64;

/// One end of a pair's sessions, with its timers.
#[derive(Debug)]
pub(crate) struct Link {
    end: PhoneEnd,
    reach: Reach,
    state: State,
    live_since_ms: u64,
    quiet: Quiet,
    /// When the last handshakes were started, at most a burst of them.
    starts: VecDeque<u64>,
    /// Handshakes without a `Welcome` since the last one.
    unanswered: u32,
}

/// Whether the desktop could hear us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// No relay.
    None,
    /// A relay, but the desktop is not there.
    Relay,
    /// Both.
    Desktop,
}

/// When the desktop was last heard of in this session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quiet {
    /// It spoke.
    Since { ms: u64 },
    /// It was asked.
    Asked { ms: u64 },
}

/// What a link has to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Due {
    /// A handshake, as `first`.
    Handshake(Vec<u8>),
    /// A message in the live session.
    Message(Message),
}

/// Where the session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing can be sent.
    Down,
    /// A handshake is to start, not before this time.
    Wanted { at_ms: u64 },
    /// A handshake or our `Hello` waits for its answer until this time.
    Shaking { until_ms: u64 },
    /// `Welcome` came.
    Up,
}

impl Link {
    pub(crate) fn new(pair: PairRecord) -> Self {
        Self {
            end: PhoneEnd::new(pair),
            reach: Reach::None,
            state: State::Down,
            live_since_ms: 0,
            quiet: Quiet::Since { ms: 0 },
            starts: VecDeque::new(),
            unanswered: 0,
        }
    }

    /// Whether the desktop welcomed us and messages can be sent.
    pub(crate) fn is_up(&self) -> bool {
        self.state == State::Up
    }

    /// The relay took our claim.
    pub(crate) fn connected(&mut self) {
        self.reach = Reach::Relay;
        self.state = State::Down;
        self.unanswered = 0;
    }

    /// The relay is gone.
    pub(crate) fn lost(&mut self) {
        self.reach = Reach::None;
        self.state = State::Down;
    }

    /// The desktop came to the relay, or left it.
    pub(crate) fn peer(&mut self, online: bool, now: Now) {
        match (self.reach, online) {
            (Reach::None, _) => {}
            (Reach::Relay | Reach::Desktop, true) => {
                self.reach = Reach::Desktop;
                self.want(now);
            }
            (Reach::Relay | Reach::Desktop, false) => self.connected(),
        }
    }

    /// The desktop should have answered by now: a new session, in case it lost this one.
    pub(crate) fn doubt(&mut self, now: Now) {
        if self.is_up() {
            self.want(now);
        }
    }

    /// What is due now.
    pub(crate) fn tick(&mut self, fresh: Fresh, now: Now) -> Option<Due> {
        if self.next_ms()? > now.boot_ms {
            return None;
        }
        match (self.state, self.quiet) {
            (State::Down, _) => None,
            (State::Up, Quiet::Since { .. }) if self.renewal_ms() > now.boot_ms => {
                self.quiet = Quiet::Asked { ms: now.boot_ms };
                Some(Due::Message(Message::Ping(Ping { nonce: now.boot_ms, pong: false })))
            }
            (State::Wanted { .. } | State::Shaking { .. } | State::Up, _) => self.shake(fresh, now),
        }
    }

    /// Starts a handshake, or waits until the desktop would answer one.
    fn shake(&mut self, fresh: Fresh, now: Now) -> Option<Due> {
        let at_ms = self.earliest(now);
        if at_ms > now.boot_ms {
            self.state = State::Wanted { at_ms };
            return None;
        }
        self.starts.push_back(now.boot_ms);
        if self.starts.len() > limits::HANDSHAKE_BURST as usize {
            self.starts.pop_front();
        }
        self.state = State::Shaking { until_ms: now.boot_ms.saturating_add(self.patience_ms()) };
        self.unanswered = self.unanswered.saturating_add(1);
        self.end.start(fresh.take()).ok().map(Due::Handshake)
    }

    /// When [`Self::tick`] has something to do.
    pub(crate) fn next_ms(&self) -> Option<u64> {
        match self.state {
            State::Down => None,
            State::Wanted { at_ms } => Some(at_ms),
            State::Shaking { until_ms } => Some(until_ms),
            State::Up => Some(self.renewal_ms().min(match self.quiet {
                Quiet::Since { ms } => ms.saturating_add(QUIET_MS),
                Quiet::Asked { ms } => ms.saturating_add(PONG_MS),
            })),
        }
    }

    fn renewal_ms(&self) -> u64 {
        self.live_since_ms.saturating_add(millis(limits::SESSION_AGE))
    }

    /// Takes an envelope.
    pub(crate) fn receive(&mut self, envelope: &[u8], now: Now) -> Result<Received, Refusal> {
        let received = self.end.receive(envelope, now.boot_ms)?;
        self.quiet = Quiet::Since { ms: now.boot_ms };
        if matches!(received, Received::Live(_)) {
            self.live_since_ms = now.boot_ms;
            // From here the patience is for `Welcome`.
            if self.reach == Reach::Desktop {
                self.state = State::Shaking { until_ms: now.boot_ms.saturating_add(self.patience_ms()) };
            }
        }
        if self.is_up() && self.end.needs_renewal(now.boot_ms) {
            self.want(now);
        }
        Ok(received)
    }

    /// `Welcome` came in the live session.
    pub(crate) fn welcomed(&mut self) {
        if self.reach == Reach::Desktop {
            self.state = State::Up;
            self.unanswered = 0;
        }
    }

    /// Seals a message in the live session.
    pub(crate) fn seal(&mut self, message: &Message, now: Now) -> Result<Vec<Vec<u8>>, Refusal> {
        let (kind, body) = message.encode();
        self.end.seal(kind, body, now.boot_ms)
    }

    fn want(&mut self, now: Now) {
        self.state = State::Wanted { at_ms: self.earliest(now) };
    }

    /// When the next handshake would still be within the desktop's allowance.
    fn earliest(&self, now: Now) -> u64 {
        let full = self.starts.len() >= limits::HANDSHAKE_BURST as usize;
        match self.starts.front() {
            Some(first) if full => now.boot_ms.max(first.saturating_add(BURST_MS)),
            Some(_) | None => now.boot_ms,
        }
    }

    fn patience_ms(&self) -> u64 {
        PATIENCE_MS.saturating_mul(1 << self.unanswered.min(4)).min(PATIENCE_MOST_MS)
    }
}
