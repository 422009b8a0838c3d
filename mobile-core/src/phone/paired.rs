//! A desktop that has not revoked this phone: decisions on their way to a signature, and what leaves for the relay.
//! Refuses to sign without a stored counter, for a card that is over, or anything but the bytes it showed.

use std::collections::{BTreeSet, VecDeque};

use countersign_proto::{
    id::{DesktopId, OfferId},
    limits,
    message::{GetOffer, Hello, Message},
    text::Foreign,
};
use zeroize::Zeroizing;

use super::io::{Alarm, Command, Event, Input, StoreId};
use crate::{
    clock::{Fresh, Now},
    counter::Counter,
    inbox::{End, Inbox},
    link::{Due, Link},
    pair::Pair,
    pull::Pulls,
    sent::Sent,
    signing::Signing,
    vault::{Change, Part, Record, Vault, VaultError},
    witness::Witness,
};

/// How long a handshake is good for, in s.
const HANDSHAKE_TTL_S: u16 = 30;
/// How long anything is good for that has no deadline of its own, in s.
pub(super) const MESSAGE_TTL_S: u16 = 60;

#[derive(Debug)]
pub(super) struct Paired {
    pub(super) pair: Pair,
    app: Foreign,
    pub(super) counter: Counter,
    pub(super) witness: Witness,
    pub(super) link: Link,
    pub(super) inbox: Inbox,
    pub(super) signing: Signing,
    pub(super) sent: Sent,
    pub(super) pulls: Pulls,
    /// Cards that were here when the live session began; its `Welcome` says which of them are still open.
    pub(super) unsure: BTreeSet<OfferId>,
    pub(super) finger: Finger,
    desktop: Desktop,
    stores: u64,
    pub(super) commands: VecDeque<Command>,
}

/// Whether the approval key still exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finger {
    Ready,
    Gone,
}

/// What the person was last told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Desktop {
    Away,
    Here,
}

/// What an input made of the pairing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    Paired,
    Revoked,
}

impl Paired {
    pub(super) fn new(pair: Pair, app: Foreign) -> Self {
        Self::with(pair, app, Counter::new(0), Witness::default())
    }

    pub(super) fn load(
        vault: &dyn Vault,
        desktop: DesktopId,
        app: Foreign,
    ) -> Result<Option<Self>, VaultError> {
        let get = |part| {
            let name = Record { desktop, part }.to_string();
            let damaged = VaultError::Damaged(name.clone());
            vault.get(&name).map(|bytes| (bytes, damaged))
        };
        let (Some(pair), damaged) = get(Part::Pair)? else { return Ok(None) };
        let pair = Pair::from_bytes(&pair).map_err(|_| damaged)?;
        let (counter, damaged) = get(Part::Counter)?;
        let counter = counter.and_then(|bytes| Counter::from_bytes(&bytes)).ok_or(damaged)?;
        let witness = match get(Part::Head)? {
            (Some(bytes), damaged) => {
                Witness::from_bytes(&bytes, &pair.desktop.desktop).map_err(|_| damaged)?
            }
            (None, _) => Witness::default(),
        };
        Ok(Some(Self::with(pair, app, counter, witness)))
    }

    fn with(pair: Pair, app: Foreign, counter: Counter, witness: Witness) -> Self {
        Self {
            link: Link::new(pair.desktop.record()),
            pair,
            app,
            counter,
            witness,
            inbox: Inbox::default(),
            signing: Signing::default(),
            sent: Sent::default(),
            pulls: Pulls::default(),
            unsure: BTreeSet::new(),
            finger: Finger::Ready,
            desktop: Desktop::Away,
            stores: 0,
            commands: VecDeque::new(),
        }
    }

    pub(super) const fn pair(&self) -> &Pair {
        &self.pair
    }

    pub(super) const fn inbox(&self) -> &Inbox {
        &self.inbox
    }

    /// What stays of a revoked pairing.
    pub(super) fn take_remains(&mut self) -> (Inbox, VecDeque<Command>) {
        (core::mem::take(&mut self.inbox), core::mem::take(&mut self.commands))
    }

    pub(super) fn handle(&mut self, input: Input, fresh: Fresh, now: Now) -> After {
        self.let_expire(now);
        match input {
            Input::Connected => self.link.connected(),
            Input::Disconnected => {
                self.link.lost();
                self.tell_away();
            }
            Input::Peer { online } => {
                self.link.peer(online, now);
                if !online {
                    self.tell_away();
                }
            }
            Input::Delivered { envelope, age_ms } => {
                if self.deliver(&envelope, age_ms, now) == After::Revoked {
                    return self.revoke(now);
                }
            }
            Input::SeenToEnd { offer_id } => self.inbox.seen_to_end(offer_id),
            Input::Unfold { offer_id } => {
                if self.inbox.unfold(offer_id) {
                    self.show(Event::Unfolded(offer_id));
                }
            }
            Input::Decide { offer_id, choice } => self.decide(offer_id, &choice, now),
            Input::Lock => self.lock(),
            Input::Stored(store) => self.stored(store, now),
            Input::StoreFailed(store) => self.store_failed(store),
            Input::BioSigned { prompt, signature } => self.bio_signed(prompt, signature, now),
            Input::BioCancelled { prompt } => self.bio_cancelled(prompt),
            Input::BioInvalidated { prompt } => self.bio_invalidated(prompt),
            Input::Tick => {}
        }
        self.start_signing();
        self.send_due(fresh, now);
        After::Paired
    }

    pub(super) fn next_ms(&self) -> Option<u64> {
        let always = [self.inbox.next_deadline(), self.sent.next_give_up(), self.link.next_ms()];
        let in_session = [self.sent.next_again(), self.pulls.next_ms()].into_iter().flatten();
        let in_session = in_session.filter(|_| self.link.is_up());
        always.into_iter().flatten().chain(in_session).min()
    }

    pub(super) fn show(&mut self, event: Event) {
        self.commands.push_back(Command::Show(event));
    }

    pub(super) fn alarm(&mut self, alarm: Alarm) {
        self.show(Event::Alarm(alarm));
    }

    /// The name of what is stored next.
    pub(super) const fn next_store(&self) -> StoreId {
        StoreId(self.stores)
    }

    pub(super) fn store(&mut self, part: Part, bytes: Vec<u8>) -> StoreId {
        let store = self.next_store();
        self.stores += 1;
        let record = Record { desktop: self.pair.desktop.desktop_id, part };
        let change = Change { record, bytes: Zeroizing::new(bytes) };
        self.commands.push_back(Command::Store { store, change });
        store
    }

    /// Ends a card; whatever was about to be signed for it is dropped and its prompt comes down.
    pub(super) fn withdraw(&mut self, offer_id: OfferId, end: End, now: Now) {
        if self.signing.drop_offer(offer_id) {
            self.commands.push_back(Command::CancelBio);
        }
        self.pulls.drop_offer(offer_id);
        if self.inbox.end(offer_id, end.clone(), now) {
            self.show(Event::Ended(offer_id, end));
        }
    }

    pub(super) fn send(&mut self, message: &Message, ttl_s: u16, now: Now) {
        let Ok(envelopes) = self.link.seal(message, now) else { return };
        let sends = envelopes.into_iter().map(|envelope| Command::Send { envelope, ttl_s, first: false });
        self.commands.extend(sends);
    }

    /// The first words of a new session.
    pub(super) fn greet(&mut self, now: Now) {
        self.witness.rebase();
        self.unsure = self.inbox.unsigned().map(|entry| entry.card().offer_id).collect();
        let hello = Hello {
            app: self.app.clone(),
            versions: vec![1],
            counter: self.counter.last(),
            head: self.witness.head(),
        };
        self.send(&Message::Hello(hello), MESSAGE_TTL_S, now);
    }

    pub(super) fn tell_here(&mut self) {
        if self.desktop == Desktop::Away {
            self.desktop = Desktop::Here;
            self.show(Event::Up);
        }
    }

    fn tell_away(&mut self) {
        if self.desktop == Desktop::Here {
            self.desktop = Desktop::Away;
            self.show(Event::Down);
        }
    }

    pub(super) fn let_expire(&mut self, now: Now) {
        for offer_id in self.inbox.due(now) {
            self.withdraw(offer_id, End::Expired, now);
        }
        for (offer_id, decision) in self.sent.given_up(now) {
            self.withdraw(offer_id, End::Unconfirmed(decision), now);
        }
        self.pulls.let_expire(now);
    }

    fn send_due(&mut self, fresh: Fresh, now: Now) {
        match self.link.tick(fresh, now) {
            Some(Due::Handshake(envelope)) => {
                self.commands.push_back(Command::Send { envelope, ttl_s: HANDSHAKE_TTL_S, first: true });
            }
            Some(Due::Message(message)) => self.send(&message, MESSAGE_TTL_S, now),
            None => {}
        }
        if !self.link.is_up() {
            return;
        }
        for offer_id in self.pulls.due(now) {
            self.send(&Message::GetOffer(GetOffer { offer_id }), MESSAGE_TTL_S, now);
        }
        let due = self.sent.due(now);
        for (message, deadline_ms) in due.messages {
            self.send(&message, ttl_s(deadline_ms, now), now);
        }
        if due.doubt {
            self.link.doubt(now);
        }
    }

    fn revoke(&mut self, now: Now) -> After {
        if self.signing.clear() {
            self.commands.push_back(Command::CancelBio);
        }
        let open: Vec<OfferId> = self.inbox.open().map(|entry| entry.card().offer_id).collect();
        for offer_id in open {
            self.withdraw(offer_id, End::Gone, now);
        }
        self.commands.retain(|command| !matches!(command, Command::Send { .. } | Command::Store { .. }));
        self.commands.push_back(Command::Wipe);
        self.show(Event::Revoked);
        After::Revoked
    }
}

/// How long a message is good for at the relay: until its deadline, where that is to come.
fn ttl_s(deadline_ms: Option<u64>, now: Now) -> u16 {
    let most = u16::try_from(limits::ENVELOPE_TTL.as_secs()).unwrap_or(u16::MAX);
    let left_s = deadline_ms.map(|deadline| deadline.saturating_sub(now.boot_ms).div_ceil(1_000));
    match left_s {
        Some(left_s) if left_s > 0 => u16::try_from(left_s).unwrap_or(u16::MAX).min(most),
        Some(_) | None => MESSAGE_TTL_S,
    }
}
