//! Both sockets' common part: a bounded number of connections, of nobody but this user.

use std::{io, os::unix::net::UnixListener as Bound, sync::Arc, time::Duration};

use tokio::{
    net::{UnixListener, UnixStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};

use crate::{agents::Machine, peer::Peer};

/// Pause after the system could not accept a connection.
const PAUSE: Duration = Duration::from_millis(100);

/// A listening socket.
pub struct Socket {
    listener: UnixListener,
    seats: Arc<Semaphore>,
    machine: Machine,
}

/// An accepted connection.
#[derive(Debug)]
pub struct Connection {
    /// The stream.
    pub stream: UnixStream,
    /// Who is at the other end.
    pub peer: Peer,
    /// Its place among the connections at once; held until it ends.
    pub seat: OwnedSemaphorePermit,
}

impl Socket {
    /// Takes a socket that was bound in a private folder; it must be non-blocking.
    ///
    /// # Errors
    /// The system's.
    pub fn new(bound: Bound, seats: usize, machine: Machine) -> io::Result<Self> {
        Ok(Self { listener: UnixListener::from_std(bound)?, seats: Arc::new(Semaphore::new(seats)), machine })
    }

    /// The next connection of this user's. Others, and those beyond the number of seats, are closed without a word.
    pub async fn accept(&self) -> Connection {
        loop {
            let stream = match self.listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            };
            // Looked at now: a hook that only tells is soon gone.
            let peer = match Peer::of(&stream, &*self.machine) {
                Ok(peer) => peer,
                Err(refused) => {
                    tracing::warn!(%refused, "a connection was closed");
                    continue;
                }
            };
            match Arc::clone(&self.seats).try_acquire_owned() {
                Ok(seat) => return Connection { stream, peer, seat },
                Err(_) => tracing::warn!(pid = peer.pid, "too many connections at once; one was closed"),
            }
        }
    }
}
