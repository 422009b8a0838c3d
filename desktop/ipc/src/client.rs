//! Connecting to a daemon's socket, which is used only when it, its folder and the process behind it are ours.

use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with, sockopt};

use crate::{account, folder};

/// Why there is no daemon to talk to.
#[derive(Debug, thiserror::Error)]
pub enum NoDaemon {
    /// Nothing is there, or nobody listens.
    #[error("no daemon listens at `{}`: start it with `countersign up`", .0.display())]
    Away(PathBuf),
    /// So many are waiting that the daemon seems stuck.
    #[error("the daemon at `{}` takes no more connections", .0.display())]
    Busy(PathBuf),
    /// The socket or its folder can't be trusted.
    #[error(transparent)]
    NotPrivate(#[from] folder::NotPrivate),
    /// Another user's process listens.
    #[error("a process of user id {0} listens on your socket; nothing was sent to it")]
    Foreign(u32),
    /// What the system said.
    #[error("`{}`: {}", .0.display(), .1)]
    Failed(PathBuf, std::io::Error),
}

/// Connects without ever waiting; the stream is non-blocking.
///
/// # Errors
/// [`NoDaemon`].
pub fn open(socket: &Path) -> Result<UnixStream, NoDaemon> {
    match folder::check_socket(socket) {
        Ok(()) => {}
        Err(folder::NotPrivate::Unreachable { why, .. }) if why.kind() == std::io::ErrorKind::NotFound => {
            return Err(NoDaemon::Away(socket.to_owned()));
        }
        Err(error) => return Err(error.into()),
    }
    let failed = |errno: Errno| match errno {
        Errno::CONNREFUSED | Errno::NOENT => NoDaemon::Away(socket.to_owned()),
        Errno::AGAIN => NoDaemon::Busy(socket.to_owned()),
        other => NoDaemon::Failed(socket.to_owned(), other.into()),
    };
    let address = SocketAddrUnix::new(socket).map_err(failed)?;
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let stream = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).map_err(failed)?;
    connect(&stream, &address).map_err(failed)?;
    // On a listening socket these are the credentials of whoever called listen.
    let listener = sockopt::socket_peercred(&stream).map_err(failed)?.uid.as_raw();
    if listener == account::uid() { Ok(stream.into()) } else { Err(NoDaemon::Foreign(listener)) }
}
