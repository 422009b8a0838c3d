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
    // On a listening socket these are the credentials of whoever called listen. From outside our process namespace
    // that process has no number and the call fails: no daemon, then.
    let listener = sockopt::socket_peercred(&stream).map_err(failed)?.uid.as_raw();
    if listener == account::uid() { Ok(stream.into()) } else { Err(NoDaemon::Foreign(listener)) }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::net::UnixListener;

    use rustix::net::{bind, listen, socket};

    use super::*;

    fn private(folder: &Path) -> PathBuf {
        let folder = folder.join("countersign");
        folder::make(&folder).unwrap();
        folder.join("hook.sock")
    }

    fn make_private(socket: &Path) {
        fs::set_permissions(socket, Permissions::from_mode(folder::FILE_MODE)).unwrap();
    }

    #[test]
    fn no_socket_and_one_nobody_listens_on_both_mean_that_the_daemon_is_away() {
        let tmp = tempfile::tempdir().unwrap();
        let path = private(tmp.path());
        let error = open(&path).unwrap_err();
        assert!(
            matches!(error, NoDaemon::Away(_)) && error.to_string().contains("countersign up"),
            "{error}"
        );
        drop(UnixListener::bind(&path).unwrap());
        make_private(&path);
        assert!(matches!(open(&path), Err(NoDaemon::Away(_))));
        assert!(matches!(open(&tmp.path().join("none/hook.sock")), Err(NoDaemon::Away(_))));
    }

    #[test]
    fn a_daemon_that_takes_no_connections_holds_nobody_up() {
        let tmp = tempfile::tempdir().unwrap();
        let path = private(tmp.path());
        let stuck = socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
        bind(&stuck, &SocketAddrUnix::new(&path).unwrap()).unwrap();
        listen(&stuck, 0).unwrap();
        make_private(&path);
        let _first = open(&path).unwrap();
        assert!(matches!(open(&path), Err(NoDaemon::Busy(_))));
    }

    #[test]
    fn a_path_too_long_for_a_socket_is_an_error_and_no_panic() {
        let tmp = tempfile::tempdir().unwrap();
        let folder = tmp.path().join("x".repeat(120));
        folder::make(&folder).unwrap();
        assert!(open(&folder.join("hook.sock")).is_err());
    }
}
