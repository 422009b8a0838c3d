//! What a daemon knows of itself, and how it is now.

use std::{path::PathBuf, sync::Arc};

use countersign_core::{
    Core,
    approver::Standing,
    policy::{ConsentState, TextKind},
};
use countersign_ipc::control::{Card, DecidedCounts, Phone, RelayState, Status, WatchEvent};
use countersign_proto::{
    id::{DeviceId, RequestId, RunId},
    text::Shown,
};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::{
    agents::Agents,
    card, clock,
    eventloop::{Ended, Handle, View},
    keys::Protection,
    phones,
    store::{Narrowed, Store},
};

/// What does not change while a daemon runs.
#[derive(Debug, Clone)]
pub struct About {
    /// Its instance's name.
    pub instance: Option<String>,
    /// Whether it is in demo mode.
    pub demo: bool,
    /// This start's random id.
    pub run_id: RunId,
    /// When it started.
    pub started_wall_ms: u64,
    /// The folder of its sockets.
    pub sockets: PathBuf,
    /// The folder of its state.
    pub state: PathBuf,
    /// How far its memory is kept to itself.
    pub protection: Protection,
}

/// Everything a client of the control socket can get at.
#[derive(Debug)]
pub struct House {
    /// What does not change.
    pub about: About,
    /// The event loop.
    pub handle: Handle,
    /// The store, for lookups.
    pub store: Arc<Store>,
    /// The agents.
    pub agents: Arc<Agents>,
    /// How the way to the phones is.
    pub relay: watch::Receiver<RelayState>,
    /// Ends the daemon.
    pub shutdown: CancellationToken,
}

/// What of the core goes into a status.
struct Counts {
    decided: DecidedCounts,
    locked: bool,
    pending: u32,
    phones: u32,
    phones_connected: u32,
}

impl Counts {
    fn of(view: View<'_>) -> Self {
        let active = || view.core.approvers().into_iter().filter(|a| a.standing != Standing::Revoked);
        Self {
            decided: decided(view.core),
            locked: view.core.is_locked(),
            pending: count(view.core.cards().len()),
            phones: count(active().count()),
            phones_connected: count(active().filter(|approver| approver.is_live).count()),
        }
    }
}

impl House {
    /// How the daemon is.
    ///
    /// # Errors
    /// [`Ended`].
    pub async fn status(&self) -> Result<Status, Ended> {
        let counts = self.handle.look(Counts::of).await?;
        Ok(self.status_of(counts, self.narrowed().await))
    }

    /// Status and cards of one moment.
    ///
    /// # Errors
    /// [`Ended`].
    pub async fn snapshot(&self) -> Result<WatchEvent, Ended> {
        let (counts, cards) = self.handle.look(|view| (Counts::of(view), draw_all(view))).await?;
        let status = Box::new(self.status_of(counts, self.narrowed().await));
        Ok(WatchEvent::Snapshot { status, cards })
    }

    /// Every waiting card, in order.
    ///
    /// # Errors
    /// [`Ended`].
    pub async fn cards(&self) -> Result<Vec<Card>, Ended> {
        self.handle.look(draw_all).await
    }

    /// One waiting card.
    ///
    /// # Errors
    /// [`Ended`].
    pub async fn card(&self, request: RequestId) -> Result<Option<Card>, Ended> {
        let look = move |view: View<'_>| {
            view.core.card(request).map(|waiting| card::draw(&waiting, clock::boot_ms()))
        };
        self.handle.look(look).await
    }

    /// Every phone, revoked ones too.
    ///
    /// # Errors
    /// [`Ended`].
    pub async fn phones(&self) -> Result<Vec<Phone>, Ended> {
        let look = |view: View<'_>| {
            let seen = |device| view.last_seen.get(&device).copied();
            let approvers = view.core.approvers();
            approvers
                .into_iter()
                .map(|approver| phones::draw(approver, seen(approver.who.device_id)))
                .collect()
        };
        self.handle.look(look).await
    }

    /// The ids of the phones that are not revoked.
    ///
    /// # Errors
    /// [`Ended`].
    pub async fn active_phones(&self) -> Result<Vec<DeviceId>, Ended> {
        let look = |view: View<'_>| {
            let approvers = view.core.approvers();
            let active = approvers.into_iter().filter(|approver| approver.standing != Standing::Revoked);
            active.map(|approver| approver.who.device_id).collect()
        };
        self.handle.look(look).await
    }

    /// Where the store can't be read nothing is released either, so that nothing passes: that is what is told.
    async fn narrowed(&self) -> Narrowed {
        self.store.narrowed().await.unwrap_or_else(|error| {
            tracing::error!(%error, "what was set can't be read");
            Narrowed { is_paused: true, ..Narrowed::default() }
        })
    }

    fn status_of(&self, counts: Counts, narrowed: Narrowed) -> Status {
        let (sessions, last_call) = self.agents.seen();
        Status {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instance: self.about.instance.clone(),
            demo: self.about.demo,
            pid: std::process::id(),
            run_id: self.about.run_id.to_string(),
            started: clock::rfc3339(self.about.started_wall_ms),
            locked: counts.locked,
            pending: counts.pending,
            relay: self.relay.borrow().clone(),
            phones: counts.phones,
            phones_connected: counts.phones_connected,
            sessions: count(sessions),
            last_hook_call: last_call.map(clock::rfc3339),
            sockets: self.about.sockets.display().to_string(),
            state: self.about.state.display().to_string(),
            paused: narrowed.is_paused,
            strict: narrowed.strict.iter().map(|what| Shown::line(what).to_string()).collect(),
            decided: counts.decided,
        }
    }
}

fn decided(core: &Core) -> DecidedCounts {
    let rules = core.rules();
    let consents = core.consents();
    let texts = |kind, state| {
        count(consents.iter().filter(|consent| consent.kind == kind && consent.state == state).count())
    };
    let accepted = |kind| texts(kind, ConsentState::Accepted);
    let is_green = |kind| consents.iter().any(|consent| consent.kind == kind && consent.is_in_force());
    let suspended = consents.iter().filter(|consent| consent.state == ConsentState::Suspended);
    let of_rules =
        |is_suspended| count(rules.iter().filter(|rule| rule.is_suspended == is_suspended).count());
    DecidedCounts {
        rules: of_rules(false),
        rules_suspended: of_rules(true),
        policies: accepted(TextKind::Lines),
        permission_files: accepted(TextKind::Permission),
        texts_suspended: count(suspended.count()),
        green_reads: is_green(TextKind::GreenReads),
        green_writes: is_green(TextKind::GreenWrites),
    }
}

fn draw_all(view: View<'_>) -> Vec<Card> {
    let boot_ms = clock::boot_ms();
    view.core.cards().iter().map(|waiting| card::draw(waiting, boot_ms)).collect()
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
