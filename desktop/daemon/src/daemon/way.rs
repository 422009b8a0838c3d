//! The way out of this machine: what couriers and pairings are given, and what the house keeps of it.

use std::sync::Arc;

use countersign_ipc::control::RelayState;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::{control_socket::PairOrder, errand::Errand, eventloop::Handle, status::About, store::Store};

/// Everything that whoever carries messages needs.
#[derive(Debug)]
pub struct Way {
    /// Where phones' words and pairings go in.
    pub handle: Handle,
    /// Pairings and channel deletions.
    pub store: Arc<Store>,
    /// What the daemon is.
    pub about: About,
    /// What the loop wants carried. It ends when the loop does.
    pub errands: mpsc::UnboundedReceiver<Errand>,
    /// Pairings that a person starts, one at a time.
    pub pairings: mpsc::Receiver<PairOrder>,
    /// Where it is told how the way to the phones is.
    pub relay: watch::Sender<RelayState>,
    /// Cancelled once the last words of the loop were handed over: send what is left and end.
    pub shutdown: CancellationToken,
}

/// The house's ends of it.
pub(super) struct Home {
    pub(super) pairings: mpsc::Sender<PairOrder>,
    pub(super) relay: watch::Receiver<RelayState>,
}

impl Way {
    pub(super) fn open(
        handle: Handle,
        errands: mpsc::UnboundedReceiver<Errand>,
        store: Arc<Store>,
        about: &About,
    ) -> (Self, Home) {
        let (order, pairings) = mpsc::channel(1);
        let (relay, relay_now) = watch::channel(RelayState::Off {});
        let shutdown = CancellationToken::new();
        let way = Self { handle, store, about: about.clone(), errands, pairings, relay, shutdown };
        (way, Home { pairings: order, relay: relay_now })
    }
}

/// Carries nothing: the phone is switched off, nothing dials anywhere (PH-7), and nothing can be paired.
pub async fn stay_home(way: Way) {
    let Way { mut errands, pairings, .. } = way;
    drop(pairings);
    while errands.recv().await.is_some() {}
}
