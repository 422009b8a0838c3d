//! The phone's cards: waiting first, then missed, then history. An offer id makes one card, ever; a card that is over,
//! or whose bytes changed, can't be answered; nothing here says "Allowed" before a verified receipt does (PH-4).

use std::collections::BTreeMap;

use countersign_proto::{
    id::{DesktopId, DeviceId, OfferId},
    limits,
    message::{Closed, OpenOffer},
    offer::OpenedOffer,
    receipt::Outcome,
    refusal::Refusal,
    reply::{Decision, Reply},
    text::Shown,
};

use crate::{
    card::Card,
    choice::{self, CannotAnswer, Choice, Terms},
    clock::{Now, millis},
};

/// Cards that are over and still shown.
const KEPT: usize = 64;
/// How long the id of an offer that is over is remembered, in ms: longer than any copy of it can travel.
const REMEMBERED_MS: u64 = 600_000;

/// One card and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    card: Card,
    terms: Terms,
    place: u64,
    arrived: Now,
    deadline_ms: u64,
    fronted: bool,
    unfolded: bool,
    seen: bool,
    stage: Stage,
}

/// Where a card stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// Nobody decided yet; with the refusal of an earlier reply, if there was one.
    Waiting(Option<Turned>),
    /// Decided here; the counter is being stored, or a finger is asked for.
    Deciding(Decision),
    /// Signed: sent, not confirmed.
    Sent(Decision),
    /// Over.
    Over(End),
}

/// What the desktop said when it turned a reply down: a refusal, or only that it refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turned(pub Option<Refusal>);

/// How a card ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// Our reply settled it and the agent was told; a verified receipt says so.
    Released(Decision),
    /// Our reply settled it, but the hook was gone; a verified receipt says so.
    Unreleased(Decision),
    /// Hidden here at our word.
    Dismissed,
    /// Another answer was first; a verified receipt says so.
    AlreadySettled(Shown),
    /// Our reply was refused for good.
    Refused(Turned),
    /// The desktop closed it: how, and by whom.
    Closed(Closed, Shown),
    /// Its time was over and nobody here had answered.
    Expired,
    /// Our reply was sent, but no receipt ever came.
    Unconfirmed(Decision),
    /// The desktop no longer has it open.
    Gone,
    /// The same id came with other bytes.
    Changed,
}

/// Where a card is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// Something is still to be done or confirmed.
    Waiting,
    /// Nobody answered.
    Missed,
    /// Answered or withdrawn.
    History,
}

impl End {
    const fn section(&self) -> Section {
        match self {
            Self::Expired | Self::Gone | Self::Closed(Closed::HandedBack, _) => Section::Missed,
            Self::Released(_)
            | Self::Unreleased(_)
            | Self::Dismissed
            | Self::AlreadySettled(_)
            | Self::Refused(_)
            | Self::Closed(..)
            | Self::Unconfirmed(_)
            | Self::Changed => Section::History,
        }
    }

    /// The end that a verified receipt of our own reply means.
    pub(crate) fn of_receipt(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Released(decision) => Self::Released(*decision),
            Outcome::Unreleased(decision) => Self::Unreleased(*decision),
            Outcome::Dismissed => Self::Dismissed,
            Outcome::AlreadySettled(by) => Self::AlreadySettled(by.shown()),
            Outcome::Refused(code) => Self::Refused(Turned(Refusal::from_code(*code))),
        }
    }
}

impl Entry {
    /// The card.
    #[must_use]
    pub const fn card(&self) -> &Card {
        &self.card
    }

    /// Where it stands.
    #[must_use]
    pub const fn stage(&self) -> &Stage {
        &self.stage
    }

    /// When it arrived here.
    #[must_use]
    pub const fn arrived(&self) -> Now {
        self.arrived
    }

    /// Time left by the desktop's clock, in ms.
    #[must_use]
    pub const fn left_ms(&self, now: Now) -> u64 {
        self.deadline_ms.saturating_sub(now.boot_ms)
    }

    /// Whether its card is in front on the desktop.
    #[must_use]
    pub const fn is_fronted(&self) -> bool {
        self.fronted
    }

    /// Whether secrets are still folded in it.
    #[must_use]
    pub const fn is_folded(&self) -> bool {
        self.card.secrets > 0 && !self.unfolded
    }

    /// Whether its end was on the screen, with nothing folded any more.
    #[must_use]
    pub const fn is_seen(&self) -> bool {
        self.seen
    }

    /// Where it is listed.
    #[must_use]
    pub const fn section(&self) -> Section {
        match &self.stage {
            Stage::Waiting(_) | Stage::Deciding(_) | Stage::Sent(_) => Section::Waiting,
            Stage::Over(end) => end.section(),
        }
    }

    const fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Over(_))
    }
}

/// What an arriving offer did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// A new card.
    New,
    /// The card is here already; its time left or its place in front may have changed.
    Known,
    /// The same id with other bytes: the card must not be answered any more.
    Changed,
    /// It is over, late, or one too many.
    Ignored,
}

/// The cards of one desktop.
#[derive(Debug, Default)]
pub struct Inbox {
    entries: BTreeMap<OfferId, Entry>,
    /// Ids that must make no card any more, with the boot time at which they may be forgotten.
    over: BTreeMap<OfferId, u64>,
    places: u64,
}

impl Inbox {
    /// All cards: waiting by time left, then missed and history, newest first.
    #[must_use]
    pub fn list(&self) -> Vec<&Entry> {
        let mut list: Vec<&Entry> = self.entries.values().collect();
        list.sort_by_key(|entry| match entry.section() {
            Section::Waiting => (Section::Waiting, entry.deadline_ms, entry.place),
            section @ (Section::Missed | Section::History) => (section, u64::MAX - entry.place, 0),
        });
        list
    }

    /// One card.
    #[must_use]
    pub fn get(&self, offer_id: OfferId) -> Option<&Entry> {
        self.entries.get(&offer_id)
    }

    /// Takes a verified offer.
    pub(crate) fn offer(&mut self, opened: &OpenedOffer, left_ms: u64, fronted: bool, now: Now) -> Arrival {
        let offer_id = opened.offer().offer_id;
        let most = opened.offer().ttl_ms.min(millis(limits::REPLY_TTL));
        let deadline_ms = now.boot_ms.saturating_add(left_ms.min(most));
        if let Some(entry) = self.entries.get_mut(&offer_id) {
            if entry.is_over() {
                return Arrival::Ignored;
            }
            if entry.card.offer_hash != opened.hash() {
                return Arrival::Changed;
            }
            entry.touch(deadline_ms, fronted);
            return Arrival::Known;
        }
        let is_full = self.open().count() >= limits::OPEN_REQUESTS;
        if self.is_over(offer_id) || deadline_ms <= now.boot_ms || is_full {
            return Arrival::Ignored;
        }
        let place = self.places;
        self.places += 1;
        let (card, terms) = (Card::new(opened), Terms::new(opened.request()));
        let stage = Stage::Waiting(None);
        let entry = Entry {
            card,
            terms,
            place,
            arrived: now,
            deadline_ms,
            fronted,
            unfolded: false,
            seen: false,
            stage,
        };
        self.entries.insert(offer_id, entry);
        Arrival::New
    }

    /// What a `Welcome` says of an open offer. Says whether its bytes are to be pulled.
    pub(crate) fn announced(&mut self, open: &OpenOffer, left_ms: u64, now: Now) -> Arrival {
        let Some(entry) = self.entries.get_mut(&open.offer_id) else {
            return if self.is_over(open.offer_id) || left_ms == 0 { Arrival::Ignored } else { Arrival::New };
        };
        if entry.is_over() {
            return Arrival::Ignored;
        }
        if entry.card.offer_hash != open.offer_hash {
            return Arrival::Changed;
        }
        entry.touch(now.boot_ms.saturating_add(left_ms), open.fronted);
        Arrival::Known
    }

    /// The card's end was on the screen. While secrets are folded that is not all of it.
    pub(crate) fn seen_to_end(&mut self, offer_id: OfferId) {
        if let Some(entry) = self.entries.get_mut(&offer_id) {
            entry.seen = !entry.is_folded();
        }
    }

    /// The person unfolded the card's secrets. It is to be seen to its end from now on. False where nothing was folded.
    pub(crate) fn unfold(&mut self, offer_id: OfferId) -> bool {
        match self.entries.get_mut(&offer_id) {
            Some(entry) if entry.is_folded() && !entry.is_over() => {
                entry.unfolded = true;
                entry.seen = false;
                true
            }
            Some(_) | None => false,
        }
    }

    /// Takes a choice, if the card can still take one: the reply to be signed, its counter not yet set. The card is
    /// being decided from here on.
    pub(crate) fn decide(
        &mut self,
        offer_id: OfferId,
        choice: &Choice,
        desktop_id: DesktopId,
        device_id: DeviceId,
        now: Now,
    ) -> Result<Reply, CannotAnswer> {
        let entry = self.entries.get_mut(&offer_id).ok_or(CannotAnswer::Unknown)?;
        let decision = choice.decision();
        match entry.stage {
            Stage::Over(_) => return Err(CannotAnswer::Over),
            Stage::Deciding(_) | Stage::Sent(_) => return Err(CannotAnswer::Answered),
            Stage::Waiting(_) if entry.left_ms(now) == 0 => return Err(CannotAnswer::Over),
            Stage::Waiting(_) if !entry.card.allows(decision) => return Err(CannotAnswer::NotOffered),
            Stage::Waiting(_) if decision.is_widening() && entry.is_folded() => {
                return Err(CannotAnswer::Folded);
            }
            Stage::Waiting(_) if decision.is_widening() && !entry.seen => return Err(CannotAnswer::NotSeen),
            Stage::Waiting(_) => {}
        }
        let reply = Reply {
            v: Reply::VERSION,
            desktop_id,
            device_id,
            offer_id,
            offer_hash: entry.card.offer_hash,
            decision,
            counter: 0,
            payload: entry.terms.payload(choice)?,
            phone_time: now.wall_ms,
        };
        choice::check(&reply)?;
        entry.stage = Stage::Deciding(decision);
        Ok(reply)
    }

    /// The decision was not signed after all: the card waits again.
    pub(crate) fn undecide(&mut self, offer_id: OfferId, turned: Option<Turned>) {
        if let Some(entry) = self.entries.get_mut(&offer_id).filter(|entry| !entry.is_over()) {
            entry.stage = Stage::Waiting(turned);
        }
    }

    /// No decision was signed: all cards wait again.
    pub(crate) fn undecide_all(&mut self) {
        for entry in self.entries.values_mut() {
            if matches!(entry.stage, Stage::Deciding(_)) {
                entry.stage = Stage::Waiting(None);
            }
        }
    }

    /// The reply is signed: the card's deadline. `None` where the card is over meanwhile: then it must not leave.
    pub(crate) fn signed(&mut self, offer_id: OfferId, decision: Decision, now: Now) -> Option<u64> {
        let entry = self.entries.get_mut(&offer_id)?;
        if entry.stage != Stage::Deciding(decision) || entry.left_ms(now) == 0 {
            return None;
        }
        entry.stage = Stage::Sent(decision);
        Some(entry.deadline_ms)
    }

    /// Ends a card for good. False where it was over, or is none of ours.
    pub(crate) fn end(&mut self, offer_id: OfferId, end: End, now: Now) -> bool {
        self.forget_old(now);
        self.over.insert(offer_id, now.boot_ms.saturating_add(REMEMBERED_MS));
        match self.entries.get_mut(&offer_id) {
            Some(entry) if !entry.is_over() => {
                entry.stage = Stage::Over(end);
                self.keep_few();
                true
            }
            Some(_) | None => false,
        }
    }

    /// Cards on which nobody here has signed anything and whose time is over.
    pub(crate) fn due(&self, now: Now) -> Vec<OfferId> {
        self.unsigned().filter(|entry| entry.left_ms(now) == 0).map(|entry| entry.card.offer_id).collect()
    }

    /// When the next card's time is over.
    pub(crate) fn next_deadline(&self) -> Option<u64> {
        self.unsigned().map(|entry| entry.deadline_ms).min()
    }

    /// Cards on which nothing was signed yet.
    pub(crate) fn unsigned(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values().filter(|entry| matches!(entry.stage, Stage::Waiting(_) | Stage::Deciding(_)))
    }

    /// Whether a card is here on which nothing was signed yet.
    pub(crate) fn is_unsigned(&self, offer_id: OfferId) -> bool {
        self.unsigned().any(|entry| entry.card.offer_id == offer_id)
    }

    /// Cards that are not over.
    pub(crate) fn open(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values().filter(|entry| !entry.is_over())
    }

    fn is_over(&self, offer_id: OfferId) -> bool {
        self.over.contains_key(&offer_id)
    }

    fn forget_old(&mut self, now: Now) {
        self.over.retain(|_, until| *until > now.boot_ms);
    }

    /// Drops the oldest cards that are over beyond [`KEPT`].
    fn keep_few(&mut self) {
        let mut over: Vec<(u64, OfferId)> = self
            .entries
            .iter()
            .filter(|(_, entry)| entry.is_over())
            .map(|(id, entry)| (entry.place, *id))
            .collect();
        over.sort_unstable();
        let surplus = over.len().saturating_sub(KEPT);
        for (_, id) in over.into_iter().take(surplus) {
            self.entries.remove(&id);
        }
    }
}

impl Entry {
    /// A later copy can only show that less time is left: what a relay held back never gives more.
    fn touch(&mut self, deadline_ms: u64, fronted: bool) {
        self.deadline_ms = self.deadline_ms.min(deadline_ms);
        self.fronted = fronted;
    }
}
