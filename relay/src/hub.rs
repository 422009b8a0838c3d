//! Who is attached where: each channel's two mailboxes, and at most one socket for each end. A socket is woken by a
//! signal and then asks for its next step, so nothing queues up for a slow one but its bounded mailbox.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use countersign_proto::{
    claim::End,
    frame::{CloseCode, FromRelay, Outcome},
    id::ChannelId,
};
use tokio::sync::Notify;

use crate::{
    mailbox::{Letter, Mailbox},
    rate::{Allowance, Rate},
};

/// The bounds a hub keeps.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Bytes of all envelopes together. The last eighth is kept for handshakes, so that a full relay locks nobody out.
    pub memory: usize,
    /// What each channel may send.
    pub rate: Allowance,
}

/// All channels in use.
pub struct Hub {
    bounds: Bounds,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    channels: BTreeMap<ChannelId, Channel>,
    bytes: usize,
    attachments: u64,
}

struct Channel {
    desktop: Side,
    phone: Side,
    rate: Rate,
}

struct Side {
    mailbox: Mailbox,
    attached: Option<Attached>,
}

struct Attached {
    number: u64,
    signal: Arc<Notify>,
    /// What this socket was last told about its peer.
    told: Option<bool>,
}

/// What a socket does next.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    Say(FromRelay),
    Leave(CloseCode),
}

impl Hub {
    pub fn new(bounds: Bounds) -> Arc<Self> {
        Arc::new(Self { bounds, state: Mutex::default() })
    }

    /// Attaches a socket to an end it has claimed; one that was there is replaced.
    pub fn attach(self: &Arc<Self>, channel: ChannelId, end: End, now_ms: u64) -> Attachment {
        let mut state = self.lock();
        state.attachments += 1;
        let number = state.attachments;
        let signal = Arc::new(Notify::new());
        let place = state.channels.entry(channel).or_insert_with(|| Channel::new(self.bounds.rate, now_ms));
        let new = Attached { number, signal: signal.clone(), told: None };
        if let Some(old) = place.side(end).attached.replace(new) {
            old.signal.notify_one();
        }
        place.signal(end.peer());
        Attachment { hub: self.clone(), channel, end, number, signal }
    }

    /// Ends a channel: its mailboxes are gone and its sockets are told to leave.
    pub fn end(&self, channel: ChannelId) {
        let mut state = self.lock();
        let Some(mut ended) = state.channels.remove(&channel) else { return };
        state.bytes = state.bytes.saturating_sub(ended.bytes());
        ended.signal(End::Desktop);
        ended.signal(End::Phone);
    }

    /// Forgets envelopes whose time is over, and channels of which nothing is left to know.
    pub fn sweep(&self, now_ms: u64) {
        let mut state = self.lock();
        let rate = self.bounds.rate;
        state.channels.retain(|_, channel| {
            channel.desktop.mailbox.expire(now_ms);
            channel.phone.mailbox.expire(now_ms);
            channel.is_in_use() || !channel.rate.is_full(rate, now_ms)
        });
        state.bytes = state.channels.values().map(Channel::bytes).sum();
    }

    /// The channels that have a socket.
    pub fn attached(&self) -> Vec<ChannelId> {
        let state = self.lock();
        state.channels.iter().filter(|(_, channel)| channel.is_attached()).map(|(id, _)| *id).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Channel {
    fn new(rate: Allowance, now_ms: u64) -> Self {
        let side = || Side { mailbox: Mailbox::new(now_ms), attached: None };
        Self { desktop: side(), phone: side(), rate: Rate::full(rate, now_ms) }
    }

    fn side(&mut self, end: End) -> &mut Side {
        match end {
            End::Desktop => &mut self.desktop,
            End::Phone => &mut self.phone,
        }
    }

    fn signal(&mut self, end: End) {
        if let Some(attached) = &self.side(end).attached {
            attached.signal.notify_one();
        }
    }

    fn bytes(&self) -> usize {
        self.desktop.mailbox.bytes() + self.phone.mailbox.bytes()
    }

    fn is_attached(&self) -> bool {
        self.desktop.attached.is_some() || self.phone.attached.is_some()
    }

    fn is_in_use(&self) -> bool {
        self.is_attached() || !self.desktop.mailbox.is_empty() || !self.phone.mailbox.is_empty()
    }
}

/// A socket's place at one end of a channel; dropping it leaves the place.
pub struct Attachment {
    hub: Arc<Hub>,
    channel: ChannelId,
    end: End,
    number: u64,
    signal: Arc<Notify>,
}

impl Attachment {
    pub fn channel(&self) -> ChannelId {
        self.channel
    }

    /// Waits until there may be a next step.
    pub async fn signalled(&self) {
        self.signal.notified().await;
    }

    /// What to say now, if anything.
    pub fn next(&self, now_ms: u64) -> Option<Step> {
        let mut state = self.hub.lock();
        let Some(channel) = state.channels.get_mut(&self.channel) else {
            return Some(Step::Leave(CloseCode::Ended));
        };
        let online = channel.side(self.end.peer()).attached.is_some();
        let side = channel.side(self.end);
        let attached = match &mut side.attached {
            Some(attached) if attached.number == self.number => attached,
            Some(_) => return Some(Step::Leave(CloseCode::Replaced)),
            None => return Some(Step::Leave(CloseCode::Ended)),
        };
        if attached.told.replace(online) != Some(online) {
            return Some(Step::Say(FromRelay::PeerPresence { online }));
        }
        let before = side.mailbox.bytes();
        let delivery = side.mailbox.next(self.number, now_ms);
        let after = side.mailbox.bytes();
        state.bytes = state.bytes.saturating_sub(before).saturating_add(after);
        delivery.map(Step::Say)
    }

    /// Puts an envelope into the other end's mailbox. `None` where this socket has lost its place.
    pub fn send(&self, letter: Letter, now_ms: u64) -> Option<Outcome> {
        let Bounds { memory, rate } = self.hub.bounds;
        self.at_place(|channel, used| {
            if !channel.rate.take(rate, now_ms) {
                return Outcome::Rate;
            }
            let bound = if letter.first { memory } else { memory - memory / 8 };
            let room = bound.saturating_sub(used);
            let outcome = channel.side(self.end.peer()).mailbox.put(letter, room, now_ms);
            channel.signal(self.end.peer());
            outcome
        })
    }

    /// The delivery with this id arrived.
    pub fn got(&self, id: u32) {
        self.at_place(|channel, _| channel.side(self.end).mailbox.got(id));
    }

    /// Forgets what waits for this end.
    pub fn flush(&self) {
        self.at_place(|channel, _| channel.side(self.end).mailbox.flush());
    }

    /// Does something with the channel, if this socket still has its place there, and counts the bytes anew. `act` is
    /// told how many bytes are used in all.
    fn at_place<T>(&self, act: impl FnOnce(&mut Channel, usize) -> T) -> Option<T> {
        let mut state = self.hub.lock();
        let used = state.bytes;
        let channel = state.channels.get_mut(&self.channel)?;
        channel.side(self.end).attached.as_ref().filter(|attached| attached.number == self.number)?;
        let before = channel.bytes();
        let result = act(channel, used);
        let after = channel.bytes();
        state.bytes = used.saturating_sub(before).saturating_add(after);
        Some(result)
    }
}

impl Drop for Attachment {
    fn drop(&mut self) {
        self.at_place(|channel, _| {
            channel.side(self.end).attached = None;
            channel.signal(self.end.peer());
        });
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const BOUNDS: Bounds = Bounds { memory: 8_000, rate: Allowance { per_second: 20, burst: 60 } };
    const CHANNEL: ChannelId = ChannelId::new([1; 16]);
    const ONLINE: Option<Step> = Some(Step::Say(FromRelay::PeerPresence { online: true }));
    const AWAY: Option<Step> = Some(Step::Say(FromRelay::PeerPresence { online: false }));

    fn letter(size: usize, first: bool) -> Letter {
        Letter { envelope: vec![7; size], first, ttl: Duration::from_secs(60) }
    }

    fn delivered(step: Option<Step>) -> Option<(u32, usize)> {
        match step? {
            Step::Say(FromRelay::Deliver { id, envelope, .. }) => Some((id, envelope.len())),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_end_hears_once_when_the_other_comes_or_goes() {
        let hub = Hub::new(BOUNDS);
        let desktop = hub.attach(CHANNEL, End::Desktop, 0);
        assert_eq!(desktop.next(0), AWAY);
        assert_eq!(desktop.next(0), None);
        let phone = hub.attach(CHANNEL, End::Phone, 0);
        assert_eq!(phone.next(0), ONLINE);
        assert_eq!(desktop.next(0), ONLINE);
        assert_eq!(desktop.next(0), None);
        drop(phone);
        assert_eq!(desktop.next(0), AWAY);
    }

    #[test]
    fn the_newest_socket_of_an_end_replaces_the_older_which_can_do_nothing_more() {
        let hub = Hub::new(BOUNDS);
        let old = hub.attach(CHANNEL, End::Desktop, 0);
        let new = hub.attach(CHANNEL, End::Desktop, 0);
        assert_eq!(old.next(0), Some(Step::Leave(CloseCode::Replaced)));
        assert_eq!(old.send(letter(1, false), 0), None);
        drop(old);
        let phone = hub.attach(CHANNEL, End::Phone, 0);
        assert_eq!(phone.next(0), ONLINE, "an old socket's end does not end the new one");
        assert_eq!(new.send(letter(1, false), 0), Some(Outcome::Held));
    }

    #[test]
    fn what_was_not_got_comes_again_to_the_next_socket() {
        let hub = Hub::new(BOUNDS);
        let desktop = hub.attach(CHANNEL, End::Desktop, 0);
        desktop.send(letter(10, false), 0);
        desktop.send(letter(20, false), 0);
        let phone = hub.attach(CHANNEL, End::Phone, 0);
        assert_eq!(phone.next(0), ONLINE);
        let (first, _) = delivered(phone.next(0)).unwrap();
        let (second, _) = delivered(phone.next(0)).unwrap();
        phone.got(first);
        drop(phone);
        let phone = hub.attach(CHANNEL, End::Phone, 0);
        assert_eq!(phone.next(0), ONLINE);
        assert_eq!(delivered(phone.next(0)), Some((second, 20)));
        assert_eq!(phone.next(0), None);
    }

    #[test]
    fn a_flush_forgets_only_what_waits_for_the_one_who_asks() {
        let hub = Hub::new(BOUNDS);
        let desktop = hub.attach(CHANNEL, End::Desktop, 0);
        let phone = hub.attach(CHANNEL, End::Phone, 0);
        desktop.send(letter(10, false), 0);
        phone.send(letter(20, false), 0);
        desktop.flush();
        assert_eq!((desktop.next(0), phone.next(0)), (ONLINE, ONLINE));
        assert_eq!(desktop.next(0), None);
        assert_eq!(delivered(phone.next(0)).map(|(_, size)| size), Some(10));
    }

    #[test]
    fn an_ended_channel_sends_both_away_and_frees_its_memory() {
        let hub = Hub::new(BOUNDS);
        let desktop = hub.attach(CHANNEL, End::Desktop, 0);
        let phone = hub.attach(CHANNEL, End::Phone, 0);
        desktop.send(letter(7_000, false), 0);
        hub.end(CHANNEL);
        assert_eq!(desktop.next(0), Some(Step::Leave(CloseCode::Ended)));
        assert_eq!(phone.next(0), Some(Step::Leave(CloseCode::Ended)));
        assert_eq!(desktop.send(letter(1, false), 0), None);
        let other = hub.attach(ChannelId::new([2; 16]), End::Desktop, 0);
        assert_eq!(other.send(letter(7_000, false), 0), Some(Outcome::Held));
    }

    #[test]
    fn a_socket_left_from_before_the_end_does_not_enter_a_new_channel_of_the_same_id() {
        let hub = Hub::new(BOUNDS);
        let old = hub.attach(CHANNEL, End::Desktop, 0);
        hub.end(CHANNEL);
        let _phone = hub.attach(CHANNEL, End::Phone, 0);
        assert_eq!(old.next(0), Some(Step::Leave(CloseCode::Ended)));
        assert_eq!(old.send(letter(1, false), 0), None);
    }

    #[test]
    fn memory_is_bounded_over_all_channels_and_a_handshake_still_gets_through() {
        let hub = Hub::new(BOUNDS);
        let one = hub.attach(CHANNEL, End::Desktop, 0);
        let two = hub.attach(ChannelId::new([2; 16]), End::Desktop, 0);
        assert_eq!(one.send(letter(7_000, false), 0), Some(Outcome::Held));
        assert_eq!(two.send(letter(1, false), 0), Some(Outcome::QueueFull));
        assert_eq!(two.send(letter(256, true), 0), Some(Outcome::Held));
        assert_eq!(two.send(letter(1_001, true), 0), Some(Outcome::QueueFull));
        hub.sweep(60_000);
        assert_eq!(two.send(letter(7_000, false), 60_000), Some(Outcome::Held));
    }

    #[test]
    fn a_channel_that_sends_too_often_is_told_so() {
        let hub = Hub::new(BOUNDS);
        let desktop = hub.attach(CHANNEL, End::Desktop, 0);
        let phone = hub.attach(CHANNEL, End::Phone, 0);
        for _ in 0..30 {
            assert_eq!(desktop.send(letter(1, false), 0), Some(Outcome::Held));
            assert_eq!(phone.send(letter(1, false), 0), Some(Outcome::Held));
        }
        assert_eq!(phone.send(letter(1, false), 0), Some(Outcome::Rate));
        assert_eq!(desktop.send(letter(1, true), 49), Some(Outcome::Rate));
        assert_eq!(desktop.send(letter(1, false), 50), Some(Outcome::Held));
    }

    #[test]
    fn a_sweep_keeps_what_is_in_use_and_a_used_up_rate() {
        let hub = Hub::new(BOUNDS);
        let desktop = hub.attach(CHANNEL, End::Desktop, 0);
        desktop.send(letter(1, false), 0);
        hub.sweep(0);
        assert_eq!(hub.attached(), [CHANNEL]);
        drop(desktop);
        hub.sweep(1);
        assert_eq!(hub.lock().channels.len(), 1, "an envelope waits");
        hub.sweep(60_000);
        assert!(hub.lock().channels.is_empty());
    }
}
