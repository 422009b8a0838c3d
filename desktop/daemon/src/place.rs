//! The daemon's own two folders and the sockets in one of them: made private, held by one daemon at a time, and
//! cleared of what a killed one left behind.

use std::fs::{File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use countersign_ipc::folder::{self, NotPrivate};
use countersign_ipc::{Instance, place};

const LOCK: &str = "daemon.lock";

/// The folders of one running daemon. Its sockets vanish with it.
#[derive(Debug)]
pub struct Place {
    sockets: PathBuf,
    state: PathBuf,
    bound: Vec<PathBuf>,
    /// Locked as long as it is open, and by the kernel no longer than this process lives.
    lock: File,
}

/// Why a daemon can't settle here.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// The home is unknown.
    #[error(transparent)]
    NoHome(#[from] place::NoHome),
    /// A folder can't be trusted.
    #[error(transparent)]
    NotPrivate(#[from] NotPrivate),
    /// Another daemon is here.
    #[error(
        "a daemon already runs here (process {pid}): `countersign status` asks it, Ctrl-C in its terminal ends it"
    )]
    Taken {
        /// Its process, as it wrote it down.
        pid: String,
    },
    /// Something that is no socket is in a socket's place.
    #[error("`{}` is no socket: move it away and start again", .0.display())]
    InTheWay(PathBuf),
    /// What the system said.
    #[error("`{}`: {}", .0.display(), .1)]
    Failed(PathBuf, io::Error),
}

impl Place {
    /// Settles an instance's daemon where hooks and clients look for it.
    ///
    /// # Errors
    /// [`PlaceError`].
    pub fn open(instance: &Instance) -> Result<Self, PlaceError> {
        Self::at(place::sockets(instance)?, place::state(instance)?)
    }

    /// Settles a daemon in these folders.
    ///
    /// # Errors
    /// [`PlaceError`].
    pub fn at(sockets: PathBuf, state: PathBuf) -> Result<Self, PlaceError> {
        folder::make(&state)?;
        let lock = lock(&state.join(LOCK))?;
        folder::make(&sockets)?;
        Ok(Self { sockets, state, bound: Vec::new(), lock })
    }

    /// The folder of the sockets.
    #[must_use]
    pub fn sockets(&self) -> &Path {
        &self.sockets
    }

    /// The folder of all that lasts.
    #[must_use]
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// Listens at the hooks' socket; non-blocking.
    ///
    /// # Errors
    /// [`PlaceError`].
    pub fn bind_hook_socket(&mut self) -> Result<UnixListener, PlaceError> {
        self.bind(place::HOOK_SOCKET)
    }

    /// Listens at the control socket; non-blocking.
    ///
    /// # Errors
    /// [`PlaceError`].
    pub fn bind_control_socket(&mut self) -> Result<UnixListener, PlaceError> {
        self.bind(place::CONTROL_SOCKET)
    }

    fn bind(&mut self, name: &str) -> Result<UnixListener, PlaceError> {
        let path = self.sockets.join(name);
        clear(&path)?;
        // The folder lets nobody else in, so the socket's own mode may follow a moment later.
        let listener = UnixListener::bind(&path).map_err(|why| PlaceError::Failed(path.clone(), why))?;
        self.bound.push(path.clone());
        std::fs::set_permissions(&path, Permissions::from_mode(folder::FILE_MODE))
            .and_then(|()| listener.set_nonblocking(true))
            .map_err(|why| PlaceError::Failed(path.clone(), why))?;
        folder::check_socket(&path)?;
        Ok(listener)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        for socket in &self.bound {
            // One that is gone already needs no removing, and one that stays is cleared by the next daemon.
            let _ = std::fs::remove_file(socket);
        }
        // Closing would do, but for a child that was just being started and still holds a copy.
        let _ = self.lock.unlock();
    }
}

fn lock(path: &Path) -> Result<File, PlaceError> {
    let failed = |why| PlaceError::Failed(path.to_owned(), why);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(folder::FILE_MODE);
    let no_follow = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or_default();
    let mut file = options.custom_flags(no_follow).open(path).map_err(failed)?;
    folder::check_file(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut pid = String::new();
            file.take(16).read_to_string(&mut pid).map_err(failed)?;
            let digits = !pid.is_empty() && pid.bytes().all(|b| b.is_ascii_digit());
            return Err(PlaceError::Taken { pid: if digits { pid } else { "unknown".to_owned() } });
        }
        Err(TryLockError::Error(why)) => return Err(failed(why)),
    }
    file.set_len(0)
        .and_then(|()| file.rewind())
        .and_then(|()| write!(file, "{}", std::process::id()))
        .map_err(failed)?;
    Ok(file)
}

/// Removes the socket of a daemon that was killed: none lives here but us, who hold the lock.
fn clear(path: &Path) -> Result<(), PlaceError> {
    match path.symlink_metadata() {
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(why) => Err(PlaceError::Failed(path.to_owned(), why)),
        Ok(found) if found.file_type().is_socket() => {
            std::fs::remove_file(path).map_err(|why| PlaceError::Failed(path.to_owned(), why))
        }
        Ok(_) => Err(PlaceError::InTheWay(path.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn at(tmp: &Path) -> Result<Place, PlaceError> {
        Place::at(tmp.join("run"), tmp.join("state"))
    }

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn folders_sockets_and_lock_are_private_and_a_client_accepts_them() {
        let tmp = tempfile::tempdir().unwrap();
        let mut place = at(tmp.path()).unwrap();
        let _hooks = place.bind_hook_socket().unwrap();
        let _control = place.bind_control_socket().unwrap();
        assert_eq!((mode(place.sockets()), mode(place.state())), (0o700, 0o700));
        assert_eq!(mode(&place.sockets().join("hook.sock")), 0o600);
        assert_eq!(mode(&place.state().join(LOCK)), 0o600);
        countersign_ipc::client::open(&place.sockets().join("hook.sock")).unwrap();
        countersign_ipc::client::open(&place.sockets().join("control.sock")).unwrap();
    }

    #[test]
    fn a_second_daemon_is_told_which_one_is_there() {
        let tmp = tempfile::tempdir().unwrap();
        let first = at(tmp.path()).unwrap();
        let error = at(tmp.path()).unwrap_err();
        assert!(
            matches!(&error, PlaceError::Taken { pid } if *pid == std::process::id().to_string()),
            "{error}"
        );
        drop(first);
        at(tmp.path()).unwrap();
    }

    #[test]
    fn the_socket_of_a_killed_daemon_is_cleared_and_nothing_else_is() {
        let tmp = tempfile::tempdir().unwrap();
        let mut place = at(tmp.path()).unwrap();
        let path = place.sockets().join("hook.sock");
        drop(UnixListener::bind(&path).unwrap());
        place.bind_hook_socket().unwrap();
        fs::remove_file(&path).unwrap();
        fs::write(&path, "mine").unwrap();
        assert!(matches!(place.bind_hook_socket(), Err(PlaceError::InTheWay(_))));
        assert_eq!(fs::read(&path).unwrap(), b"mine");
    }

    #[test]
    fn the_sockets_vanish_with_the_daemon() {
        let tmp = tempfile::tempdir().unwrap();
        let mut place = at(tmp.path()).unwrap();
        place.bind_hook_socket().unwrap();
        drop(place);
        assert!(!tmp.path().join("run/hook.sock").exists());
    }

    #[test]
    fn a_folder_or_lock_that_others_can_reach_keeps_the_daemon_from_starting() {
        let tmp = tempfile::tempdir().unwrap();
        drop(at(tmp.path()).unwrap());
        let lock = tmp.path().join("state").join(LOCK);
        fs::set_permissions(&lock, Permissions::from_mode(0o666)).unwrap();
        assert!(matches!(at(tmp.path()), Err(PlaceError::NotPrivate(_))));
        fs::remove_file(&lock).unwrap();
        std::os::unix::fs::symlink(tmp.path().join("elsewhere"), &lock).unwrap();
        assert!(at(tmp.path()).is_err());
        assert!(!tmp.path().join("elsewhere").exists());
        fs::remove_file(&lock).unwrap();
        fs::set_permissions(tmp.path().join("run"), Permissions::from_mode(0o755)).unwrap();
        assert!(matches!(at(tmp.path()), Err(PlaceError::NotPrivate(NotPrivate::Mode { .. }))));
    }
}
