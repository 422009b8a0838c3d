//! Pairings (PH-1): one at a time, from the ticket on the screen to the test request that the new phone answers. Only a
//! person at the desktop starts one, and nothing stays of one that did not end well.

mod ceremony;
mod failure;
mod judge;
mod name;
mod rendezvous;

#[cfg(test)]
mod tests;

use std::{sync::Arc, time::Duration};

use countersign_core::{approver::Standing, command::Report, input::Input};
use countersign_ipc::control::{PairEvent, Phone};
use countersign_proto::{
    claim::End,
    id::{ChannelId, DeviceId},
    key::{AgreementKey, SigningKey},
    limits,
    pairing::{AboutDesktop, AttestationPolicy, DesktopPairing, Ticket, TicketSecret},
    text::Foreign,
};
use tokio::{sync::mpsc, time::timeout};
use tokio_util::sync::CancellationToken;

use self::{
    ceremony::{Candidate, Ceremony, Proven},
    failure::NoPhone,
    rendezvous::Rendezvous,
};
use crate::{
    clock,
    control_socket::PairOrder,
    courier::{Address, Claimed, Couriers, Invite, NewChannel, Reach, make},
    eventloop::{Handle, View},
    keys::random,
    phones,
    relay_child::{Lease, LocalRelay, Port},
    store::{ChannelEnd, Pairing, Store},
    timer::BootTimer,
    whereabouts,
};

/// For the new phone to come to its own channel and answer the test request.
const TEST: Duration = Duration::from_secs(20);

/// What pairings are made with.
#[derive(Debug, Clone)]
pub struct Pairings {
    /// Where a phone becomes an approver.
    pub handle: Handle,
    /// `D_sig`.
    pub store: Arc<Store>,
    /// Who carries to the new phone.
    pub couriers: Couriers,
    /// This computer's relay.
    pub relay: LocalRelay,
    /// Whether software keys count (PH-8).
    pub is_demo: bool,
    /// How old tickets are when they are shown: none, except where a test has no two minutes.
    pub ticket_age: Duration,
}

/// Where and how a pairing goes on once it is stored.
struct Meeting {
    address: Address,
    invite: Option<Invite>,
    /// Boot time at which the ticket's time is over.
    ticket_over_ms: u64,
    /// Keeps this computer's relay running until the new phone's courier does.
    _lease: Option<Lease>,
}

impl Pairings {
    /// Carries one pairing out, to its `Done` or `Failed`.
    pub async fn pair(&self, order: PairOrder) {
        let PairOrder { relay, invite, events, codes, given_up } = order;
        let told = events.clone();
        if let Err(no_phone) = self.try_to_pair(relay, invite, events, codes, &given_up).await {
            tracing::info!(%no_phone, "no phone was paired");
            if let Some(why) = no_phone.record() {
                // At the daemon's end there is nobody left to record it.
                let _ = self.handle.act(Input::PairingFailed { why }).await;
            }
            let _ = told.send(no_phone.event()).await;
        }
    }

    /// Turns a pairing away because another one runs.
    pub async fn turn_away(order: PairOrder) {
        let _ = order.events.send(NoPhone::Busy.event()).await;
    }

    async fn try_to_pair(
        &self,
        relay: Option<String>,
        invite: Option<String>,
        events: mpsc::Sender<PairEvent>,
        codes: mpsc::Receiver<crate::control_socket::TypedCode>,
        given_up: &CancellationToken,
    ) -> Result<(), NoPhone> {
        self.may_pair().await?;
        let (ceremony, meeting) = tokio::select! {
            begun = self.begin(relay, invite, events, codes) => begun?,
            () = given_up.cancelled() => return Err(NoPhone::GivenUp),
        };
        self.go_on(ceremony, meeting, given_up).await
    }

    /// What is known to be in vain is not begun.
    async fn may_pair(&self) -> Result<(), NoPhone> {
        if !self.is_demo {
            return Err(NoPhone::NotYet);
        }
        let look = |view: View<'_>| {
            let approvers = view.core.approvers();
            let active = approvers.iter().filter(|approver| approver.standing != Standing::Revoked).count();
            (view.core.is_locked(), active)
        };
        match self.handle.look(look).await? {
            (true, _) => Err(NoPhone::Locked),
            (false, active) if active >= limits::PHONES => Err(NoPhone::TooMany),
            (false, _) => Ok(()),
        }
    }

    /// Makes the ticket, opens its rendezvous, and only then shows it.
    async fn begin(
        &self,
        relay: Option<String>,
        invite: Option<String>,
        events: mpsc::Sender<PairEvent>,
        codes: mpsc::Receiver<crate::control_socket::TypedCode>,
    ) -> Result<(Ceremony, Meeting), NoPhone> {
        let invite = invite.map(|invite| Invite::parse(&invite)).transpose()?;
        let (address, lease) = self.find(relay).await?;
        let own = AgreementKey::from_bytes(*random()?);
        let secret = TicketSecret::new(*random()?);
        let ticket = Ticket::new(secret, own.public(), address.host().clone(), address.link().clone())?;
        let key = SigningKey::from_seed(&*random()?);
        let channel = NewChannel {
            id: ticket.rendezvous(),
            desktop: key.public(),
            phone: ticket.phone_relay_key().public(),
            ttl: limits::RENDEZVOUS,
            invite: invite.clone(),
        };
        let claimed = Claimed { channel: channel.id, end: End::Desktop, key };
        let rendezvous = Rendezvous::open(address.clone(), claimed, channel).await?;
        let text = ticket.text().to_string();
        let born_ms = clock::boot_ms().saturating_sub(millis(self.ticket_age));
        let machine = DesktopPairing::start(ticket, own, about(), born_ms);
        let ticket_over_ms = machine.poll_timeout().unwrap_or(born_ms);
        let expires_in_ms = ticket_over_ms.saturating_sub(clock::boot_ms());
        // A client that is gone gives the pairing up.
        let _ = events.send(PairEvent::Ticket { text, expires_in_ms }).await;
        let ceremony = Ceremony {
            machine,
            rendezvous,
            events,
            codes,
            handle: self.handle.clone(),
            key: self.store.desktop().clone(),
            is_demo: self.is_demo,
            timer: BootTimer::new().map_err(NoPhone::Timer)?,
            candidate: Candidate::Nobody,
        };
        Ok((ceremony, Meeting { address, invite, ticket_over_ms, _lease: lease }))
    }

    async fn find(&self, relay: Option<String>) -> Result<(Address, Option<Lease>), NoPhone> {
        match relay {
            Some(text) => Ok((Address::typed(&text)?, None)),
            None => {
                let lease = self.relay.lease(Port::Any);
                Ok((lease.ready().await?, Some(lease)))
            }
        }
    }

    async fn go_on(
        &self,
        mut ceremony: Ceremony,
        meeting: Meeting,
        given_up: &CancellationToken,
    ) -> Result<(), NoPhone> {
        let proven = ceremony.run(given_up).await?;
        // From here on it is done or undone as a whole, whoever gives up.
        let words = name::words(&proven.approver.bio_key);
        let (device, channel) = (proven.phone.device_id, ChannelId::new(*random()?));
        self.store(proven, channel, &meeting).await?;
        let untold = ceremony.stored(channel).err();
        let Ceremony { rendezvous, events, .. } = ceremony;
        let test = self.test(device).await;
        let (round_trip_ms, trouble) = match (&test, untold) {
            (Ok(time), _) => (Some(millis(*time)), String::new()),
            (Err(_), Some(untold)) => {
                (None, format!("the phone could not be told that it is paired: {untold}"))
            }
            (Err(trouble), None) => (None, trouble.clone()),
        };
        let phone = self.draw(device).await?.ok_or(NoPhone::NotStored)?;
        let _ = events.send(PairEvent::Done { phone, words, round_trip_ms, trouble }).await;
        if test.is_err() {
            // The phone may still be fetching its last word.
            tokio::spawn(linger(rendezvous, self.couriers.clone(), device, meeting.ticket_over_ms));
        }
        Ok(())
    }

    /// Makes the pair's channel, then the phone an approver with its secrets in one transaction; if either fails nothing
    /// stays.
    async fn store(&self, proven: Proven, channel: ChannelId, meeting: &Meeting) -> Result<(), NoPhone> {
        let Proven { phone, approver } = proven;
        let relay_key = SigningKey::from_seed(&*random()?);
        let seed = *random()?;
        let phone_relay_key = phone.claims.relay;
        let new = NewChannel {
            id: channel,
            desktop: relay_key.public(),
            phone: phone_relay_key,
            ttl: Duration::ZERO,
            invite: meeting.invite.clone(),
        };
        make(&meeting.address, &new).await?;
        let relay = meeting.address.to_record();
        let end = ChannelEnd { channel, relay: relay.clone(), relay_key: relay_key.clone() };
        let pairing = Pairing { record: phone.record(channel), relay, relay_key, phone_relay_key };
        let report = self.handle.pair(approver, seed, Box::new(pairing)).await?.report;
        if report == Some(Report::Done) {
            return Ok(());
        }
        self.couriers.delete(end);
        match report {
            Some(Report::Pairing(refusal)) => Err(NoPhone::NotTaken(refusal)),
            _ => Err(NoPhone::NotStored),
        }
    }

    async fn test(&self, device: DeviceId) -> Result<Duration, String> {
        match timeout(TEST, self.couriers.test(device)).await {
            Ok(answered) => answered.map_err(|not_paired| not_paired.to_string()),
            Err(_) => {
                Err("the phone has not answered yet; `countersign phones list` shows when it is there".into())
            }
        }
    }

    async fn draw(&self, device: DeviceId) -> Result<Option<Phone>, NoPhone> {
        let look = move |view: View<'_>| {
            let approvers = view.core.approvers();
            let approver = approvers.into_iter().find(|approver| approver.who.device_id == device)?;
            Some(phones::draw(approver, view.last_seen.get(&device).copied()))
        };
        Ok(self.handle.look(look).await?)
    }
}

/// Keeps the rendezvous until the phone was seen on its own channel, or the ticket's time is over (protocol.md §4.6).
async fn linger(rendezvous: Rendezvous, couriers: Couriers, device: DeviceId, until_ms: u64) {
    let mut ways = couriers.watch();
    let is_there = |reach: &Reach| matches!(reach, Reach::Online { phone: true });
    let came = ways.wait_for(|ways| ways.get(&device).is_none_or(|way| is_there(&way.reach)));
    if let Ok(mut timer) = BootTimer::new() {
        tokio::select! {
            _ = came => {}
            _ = timer.until(Some(until_ms)) => {}
        }
    }
    drop(rendezvous);
}

fn about() -> AboutDesktop {
    let place = whereabouts::place();
    let short = |text: &str| Foreign::new(text.chars().take(limits::NAME_CHARS).collect::<String>());
    AboutDesktop {
        name: short(place.host.raw()),
        account: short(&format!("{}@{}", place.user.raw(), place.host.raw())),
        policy: AttestationPolicy::Demo,
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
