//! The demo phone's pairing: meets the desktop on the rendezvous channel, makes its software key, shows the code, and
//! stores what both agreed on.

use std::time::Duration;

use anyhow::{Context, bail};
use countersign_mobile_core::{
    pair::Pair,
    pairing::{Myself, Pairing, PairingCommand, PairingInput, PairingRandom},
    signer::BioSigner,
    vault::Vault,
};
use countersign_proto::{
    pairing::{AttestationPolicy, Link, Outgoing, Ticket},
    text::Foreign,
};
use tokio::{sync::mpsc, time};

use crate::{
    certificate,
    clock::{self, now},
    finger::Finger,
    order::Order,
    relay::{FromSocket, Lost, Mailbox, Socket, ToSocket},
    report::Report,
    settings::{Prompts, Settings},
    vault::DemoVault,
};

/// How long an envelope of a pairing is good for, in s.
const TTL_S: u16 = 60;

/// Pairs with the desktop that shows this ticket.
///
/// # Errors
/// Why not, in words for the person.
pub async fn pair(
    ticket: Ticket,
    settings: &Settings,
    vault: &mut DemoVault,
    orders: &mut mpsc::Receiver<Order>,
    reports: &mpsc::Sender<Report>,
) -> anyhow::Result<(Pair, Finger)> {
    let origin = match ticket.link() {
        Link::Plain => ticket.relay().origin(ticket.link().usual_port())?,
        Link::Tls | Link::Pinned(_) => bail!("the demo phone reaches only a relay on this machine"),
    };
    let myself = Myself {
        model: Foreign::new(settings.name.as_str()),
        app_version: Foreign::new(concat!("demo ", env!("CARGO_PKG_VERSION"))),
    };
    let random = PairingRandom {
        ephemeral: clock::fresh()?,
        agreement: clock::fresh()?,
        device: clock::fresh()?,
        relay: clock::fresh()?,
        nonce: clock::fresh()?,
    };
    let pairing = Pairing::start(ticket, myself, random, now())?;
    let (channel, key) = (pairing.rendezvous(), pairing.rendezvous_key().clone());
    let socket = Socket::open(Mailbox { origin, channel, key });
    let finger = make_finger()?;
    let mut ceremony =
        Ceremony { pairing, socket, line: Line::Down, finger, last: None, settings, vault, reports };
    let pair = ceremony.run(orders).await?;
    Ok((pair, ceremony.finger))
}

fn make_finger() -> anyhow::Result<Finger> {
    loop {
        if let Some(finger) = Finger::new(&clock::random()?) {
            return Ok(finger);
        }
    }
}

struct Ceremony<'a> {
    pairing: Pairing,
    socket: Socket,
    line: Line,
    finger: Finger,
    /// The last envelope; it goes out again after a lost socket, where a repeat changes nothing.
    last: Option<Outgoing>,
    settings: &'a Settings,
    vault: &'a mut DemoVault,
    reports: &'a mpsc::Sender<Report>,
}

#[derive(PartialEq, Eq)]
enum Line {
    Up,
    Down,
}

impl Ceremony<'_> {
    async fn run(&mut self, orders: &mut mpsc::Receiver<Order>) -> anyhow::Result<Pair> {
        loop {
            if let Some(pair) = self.perform().await? {
                return Ok(pair);
            }
            let left_ms = self.pairing.poll_timeout().map_or(1_000, |at| at.saturating_sub(now().boot_ms));
            let input = tokio::select! {
                from = self.socket.next() => self.heard(from)?,
                order = orders.recv() => self.ordered(order)?,
                () = time::sleep(Duration::from_millis(left_ms)) => Some(PairingInput::Tick),
            };
            if let Some(input) = input {
                self.pairing.handle(input, now());
            }
        }
    }

    fn heard(&mut self, from: Option<FromSocket>) -> anyhow::Result<Option<PairingInput>> {
        match from.context("the socket's task ended")? {
            FromSocket::Delivered { envelope, .. } => return Ok(Some(PairingInput::Delivered(envelope))),
            FromSocket::Up { .. } => {
                self.line = Line::Up;
                if let Some(outgoing) = &self.last {
                    self.send(outgoing.clone());
                }
            }
            FromSocket::Down(Lost::Refused | Lost::Ended) => {
                bail!(
                    "this ticket was used, or its two minutes are over: show a new one with `countersign pair`"
                );
            }
            FromSocket::Down(Lost::Replaced) => bail!("someone else is using this ticket: show a new one"),
            FromSocket::Down(Lost::Broken(_)) => self.line = Line::Down,
            FromSocket::Peer { .. } => {}
        }
        Ok(None)
    }

    fn ordered(&mut self, order: Option<Order>) -> anyhow::Result<Option<PairingInput>> {
        match order {
            Some(Order::Touch) => Ok(self.finger.touch().map(|(_, der)| PairingInput::BioSigned(der))),
            Some(Order::Refuse) => Ok(self.finger.refuse().map(|_| PairingInput::BioCancelled)),
            Some(Order::Quit) | None => bail!("stopped before this phone was paired"),
            Some(_) => Ok(None),
        }
    }

    /// Carries out what the pairing asks for, until it has to wait.
    async fn perform(&mut self) -> anyhow::Result<Option<Pair>> {
        while let Some(command) = self.pairing.poll_command() {
            match command {
                PairingCommand::Send(outgoing) => {
                    self.last = Some(outgoing.clone());
                    self.send(outgoing);
                }
                PairingCommand::MakeKey { policy, .. } => {
                    self.check(policy)?;
                    let key = self.finger.key().context("there is no key")?;
                    let certificate = certificate::self_signed(key, clock::wall())?;
                    self.pairing.handle(PairingInput::KeyMade(vec![certificate]), now());
                }
                PairingCommand::ShowCode(code) => self.tell(Report::Code(code.to_string())).await,
                PairingCommand::AskBio(pending) => {
                    self.tell(Report::Prompt(pending.title.clone())).await;
                    self.finger.ask(pending);
                    if self.settings.prompts == Prompts::AtOnce
                        && let Some((_, der)) = self.finger.touch()
                    {
                        self.pairing.handle(PairingInput::BioSigned(der), now());
                    }
                }
                PairingCommand::Store(pair) => {
                    let stored = self.store(&pair);
                    let input = if stored.is_ok() { PairingInput::Stored } else { PairingInput::StoreFailed };
                    self.pairing.handle(input, now());
                }
                PairingCommand::Paired(pair) => return Ok(Some(*pair)),
                PairingCommand::Failed(failure) => return Err(failure.into()),
            }
        }
        Ok(None)
    }

    fn check(&self, policy: AttestationPolicy) -> anyhow::Result<()> {
        match policy {
            AttestationPolicy::Demo => Ok(()),
            AttestationPolicy::Warn | AttestationPolicy::Strict if self.settings.insist => Ok(()),
            AttestationPolicy::Warn | AttestationPolicy::Strict => bail!(
                "this desktop is not in demo mode, so it takes no software keys: start one with `countersign up --demo`"
            ),
        }
    }

    fn store(&mut self, pair: &Pair) -> anyhow::Result<()> {
        let secret = self.finger.secret().context("there is no key")?;
        self.vault.put(&Finger::record(pair.desktop.desktop_id), secret.as_ref())?;
        for record in pair.records() {
            record.apply(self.vault)?;
        }
        Ok(())
    }

    fn send(&self, Outgoing { envelope, first }: Outgoing) {
        if self.line == Line::Up {
            self.socket.send(ToSocket::Send { envelope, ttl_s: TTL_S, first });
        }
    }

    async fn tell(&self, report: Report) {
        // Where nobody listens any more, nobody need be told.
        let _ = self.reports.send(report).await;
    }
}
