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

#[cfg(test)]
mod tests {
    use std::{
        fs::{self, Permissions},
        io::Read as _,
        os::unix::{fs::PermissionsExt as _, net::UnixStream as Client, process::CommandExt as _},
        path::Path,
        process::Command,
    };

    use super::*;
    use crate::peer::Proc;

    /// Names the socket to the test that plays the stranger.
    const SOCKET: &str = "COUNTERSIGN_TEST_SOCKET";
    const NOBODY: u32 = 65_534;

    fn socket(path: &Path, seats: usize) -> Socket {
        let bound = Bound::bind(path).unwrap();
        bound.set_nonblocking(true).unwrap();
        Socket::new(bound, seats, Arc::new(Proc)).unwrap()
    }

    /// Whether the other side closed the connection without a word.
    async fn is_closed(mut client: Client) -> bool {
        tokio::task::spawn_blocking(move || matches!(client.read(&mut [0; 8]), Ok(0))).await.unwrap()
    }

    #[tokio::test]
    async fn connections_beyond_the_seats_are_closed_and_a_seat_that_is_left_is_free_again() {
        let tmp = tempfile::tempdir().unwrap();
        let path = tmp.path().join("s");
        let socket = socket(&path, 1);
        let _first = Client::connect(&path).unwrap();
        let seated = socket.accept().await;
        let turned_away = Client::connect(&path).unwrap();
        let accepting = tokio::spawn(async move { socket.accept().await.peer.pid });
        assert!(is_closed(turned_away).await);
        drop(seated);
        let _second = Client::connect(&path).unwrap();
        assert_eq!(accepting.await.unwrap(), std::process::id());
    }

    /// The folder's mode keeps other users out; this is what happens where it does not.
    #[tokio::test]
    async fn another_users_process_is_closed_without_a_word() {
        if countersign_ipc::account::uid() != 0 {
            // Only root can play somebody else.
            return;
        }
        let tmp = tempfile::tempdir().unwrap();
        let (path, program) = (tmp.path().join("s"), tmp.path().join("stranger"));
        let socket = socket(&path, 8);
        fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
        for (open, mode) in [(tmp.path(), 0o755), (&path, 0o666), (&program, 0o755)] {
            fs::set_permissions(open, Permissions::from_mode(mode)).unwrap();
        }
        let mut stranger = Command::new(program);
        stranger.args(["--exact", "--ignored", "socket::tests::a_stranger"]).env(SOCKET, &path);
        stranger.uid(NOBODY).gid(NOBODY).current_dir("/");
        let accepting = tokio::spawn(async move { socket.accept().await.peer.pid });
        let output = tokio::task::spawn_blocking(move || stranger.output().unwrap()).await.unwrap();
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && told.contains("1 passed"), "{told}");
        assert!(!accepting.is_finished(), "it was not let in");
        let _own = Client::connect(&path).unwrap();
        assert_eq!(accepting.await.unwrap(), std::process::id());
    }

    #[test]
    #[ignore = "started as another user by the test above"]
    fn a_stranger() {
        let Some(path) = std::env::var_os(SOCKET) else { return };
        let mut client = Client::connect(path).unwrap();
        let mut said = Vec::new();
        let _ = client.read_to_end(&mut said);
        assert!(said.is_empty());
    }
}
