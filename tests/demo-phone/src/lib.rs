//! The demo phone: the phone's core with software keys, for demos and tests. It pairs only with a daemon in demo mode
//! and ends with it (PH-8). [`DemoPhone`] runs in any tokio runtime; the binary puts a terminal around it.

mod ceremony;
pub mod certificate;
mod clock;
mod duty;
pub mod finger;
mod hostile;
pub mod keys;
pub mod order;
pub mod picture;
mod relay;
pub mod report;
pub mod settings;
pub mod vault;

use anyhow::{Context, bail};
use countersign_mobile_core::{
    drive::Driver,
    phone::Phone,
    vault::{Record, Vault},
};
use countersign_proto::{id::DesktopId, pairing::Ticket, text::Foreign};
use tokio::{sync::mpsc, task::JoinHandle};

use crate::{
    duty::Duty, finger::Finger, order::Order, relay::Mailbox, report::Report, settings::Settings,
    vault::DemoVault,
};

/// Reports and orders that may wait.
const QUEUE: usize = 256;

/// How a demo phone begins.
pub enum Start {
    /// With a ticket.
    Pair(Ticket),
    /// With what its vault holds of an earlier pairing.
    Resume,
}

/// A running demo phone.
pub struct DemoPhone {
    /// Takes orders; dropped, the phone ends.
    pub orders: mpsc::Sender<Order>,
    /// Gives reports; they must be taken, or the phone waits.
    pub reports: mpsc::Receiver<Report>,
    /// Ends with the reason, in words.
    pub task: JoinHandle<anyhow::Result<String>>,
}

impl DemoPhone {
    /// Starts one.
    #[must_use]
    pub fn start(start: Start, vault: DemoVault, settings: Settings) -> Self {
        let (orders, mut ordered) = mpsc::channel(QUEUE);
        let (telling, reports) = mpsc::channel(QUEUE);
        let task = tokio::spawn(async move {
            let ended = run(start, vault, settings, &mut ordered, &telling).await;
            let words = ended.as_ref().map_or_else(|error| format!("{error:#}"), Clone::clone);
            // Where nobody listens any more, nobody need be told.
            let _ = telling.send(Report::Bye(words)).await;
            ended
        });
        Self { orders, reports, task }
    }
}

async fn run(
    start: Start,
    mut vault: DemoVault,
    settings: Settings,
    orders: &mut mpsc::Receiver<Order>,
    reports: &mpsc::Sender<Report>,
) -> anyhow::Result<String> {
    let app = Foreign::new(concat!("countersign demo phone ", env!("CARGO_PKG_VERSION")));
    let (phone, finger) = match start {
        Start::Pair(ticket) => {
            let (pair, finger) = ceremony::pair(ticket, &settings, &mut vault, orders, reports).await?;
            let desktop = &pair.desktop;
            let paired = Report::Paired {
                desktop: desktop.desktop_id.to_string(),
                device: desktop.device_id.to_string(),
                name: desktop.name.shown(),
                account: desktop.account.shown(),
            };
            reports.send(paired).await?;
            (Phone::new(pair, app), finger)
        }
        Start::Resume => load(&vault, app)?,
    };
    let pair = phone.pair().context("this phone was revoked")?;
    let desktop = pair.desktop.desktop_id;
    let mailbox = Mailbox { origin: pair.origin()?, channel: pair.desktop.channel, key: pair.relay.clone() };
    let driver = Driver::new(phone, desktop, vault, finger);
    Duty::new(driver, desktop, mailbox, settings, reports.clone()).serve(orders).await
}

fn load(vault: &DemoVault, app: Foreign) -> anyhow::Result<(Phone, Finger)> {
    let desktop = paired_desktop(vault)?;
    let phone = Phone::load(vault, desktop, app)?.context("this phone is paired with no desktop")?;
    let secret = vault.get(&Finger::record(desktop))?.context("this phone's approval key is gone")?;
    let finger = secret.as_slice().try_into().ok().and_then(Finger::new);
    Ok((phone, finger.context("this phone's approval key can't be read")?))
}

fn paired_desktop(vault: &DemoVault) -> anyhow::Result<DesktopId> {
    let names = vault.names()?;
    let mut desktops = names.iter().filter_map(|name| Record::pair_of(name));
    match (desktops.next(), desktops.next()) {
        (Some(desktop), None) => Ok(desktop),
        (None, _) => bail!("there is no pairing in this folder: pair first"),
        (Some(_), Some(_)) => bail!("there is more than one pairing in this folder: give each its own"),
    }
}
