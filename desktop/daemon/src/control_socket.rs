//! The control socket: everything a person does at the desktop. Each request is let in by who its caller is: an agent,
//! or anything an agent started, may look, and nothing else (REF-4).

mod act;
mod connection;
mod decided;
mod gate;
mod list;
mod pair;
mod words;

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use self::connection::Connected;
pub use self::pair::{PairOrder, TypedCode};
use crate::{
    socket::{Connection, Socket},
    status::House,
};

/// Clients that may be connected at once.
pub const SEATS: usize = 64;

/// What every connection needs.
#[derive(Debug)]
pub struct Control {
    house: Arc<House>,
    pairings: mpsc::Sender<PairOrder>,
}

impl Control {
    /// The person's side of a daemon. One pairing at a time is taken from `pairings`.
    #[must_use]
    pub const fn new(house: Arc<House>, pairings: mpsc::Sender<PairOrder>) -> Self {
        Self { house, pairings }
    }

    /// Serves clients until the future is dropped; connections that were begun go on in the tracker.
    pub async fn serve(self: Arc<Self>, socket: Socket, tasks: TaskTracker) {
        loop {
            let Connection { stream, peer, seat } = socket.accept().await;
            let this = Arc::clone(&self);
            tasks.spawn(async move {
                Connected::new(this, peer).run(stream).await;
                drop(seat);
            });
        }
    }
}
