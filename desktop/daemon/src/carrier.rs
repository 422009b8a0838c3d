//! Everything beyond this machine, while a daemon runs: its relay on loopback, a courier for each phone, and pairings one
//! at a time.

#[cfg(test)]
mod tests;

use std::{path::PathBuf, time::Duration};

use countersign_ipc::control::RelayState;
use tokio::{
    sync::{mpsc, watch},
    task::JoinHandle,
};

use crate::{
    control_socket::PairOrder,
    courier::{Couriers, Ways, summary},
    daemon::Way,
    pairing::Pairings,
    relay_child::{LocalRelay, PROGRAM, Port},
};

/// Carries until the daemon ends, with the relay beside this program.
pub async fn carry(way: Way) {
    // A program that can't be found is named where it is missed.
    let program = LocalRelay::beside_this_program().unwrap_or_else(|_| PathBuf::from(PROGRAM));
    carry_with(program, way).await;
}

/// Carries until the daemon ends.
pub async fn carry_with(program: PathBuf, way: Way) {
    let Way { handle, store, about, errands, pairings, relay: told, shutdown } = way;
    let (relay, keeping) = LocalRelay::new(program, &about.state);
    let couriers = Couriers::new(store.clone(), handle.clone(), relay.clone());
    if let Err(error) = couriers.take_up().await {
        tracing::error!(%error, "the paired phones could not be looked up and are not reached in this run");
    }
    // A demo is all about the phone; its relay is there from the start.
    let lease = about.demo.then(|| relay.lease(Port::Any));
    let carrying = tokio::spawn(couriers.clone().run(errands));
    let telling = tokio::spawn(tell(couriers.watch(), told));
    let (is_demo, ticket_age) = (about.demo, Duration::ZERO);
    let pairer =
        Pairings { handle, store, couriers: couriers.clone(), relay: relay.clone(), is_demo, ticket_age };
    tokio::select! {
        () = pair(pairer, pairings) => shutdown.cancelled().await,
        () = shutdown.cancelled() => {}
    }
    // The event loop has ended, and with it the errands.
    let _ = carrying.await;
    couriers.stop().await;
    telling.abort();
    drop(lease);
    relay.stop();
    let _ = keeping.await;
}

async fn pair(pairings: Pairings, mut orders: mpsc::Receiver<PairOrder>) {
    let mut running: Option<JoinHandle<()>> = None;
    while let Some(order) = orders.recv().await {
        if running.as_ref().is_some_and(|running| !running.is_finished()) {
            Pairings::turn_away(order).await;
            continue;
        }
        let pairings = pairings.clone();
        running = Some(tokio::spawn(async move { pairings.pair(order).await }));
    }
}

async fn tell(mut ways: watch::Receiver<Ways>, told: watch::Sender<RelayState>) {
    loop {
        let now = summary(&ways.borrow_and_update());
        told.send_if_modified(|state| std::mem::replace(state, now.clone()) != now);
        if ways.changed().await.is_err() {
            return;
        }
    }
}
