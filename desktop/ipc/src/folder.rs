//! Private folders and sockets: made by the daemon, checked by everyone before use. What isn't ours alone is refused,
//! never repaired: whoever could reach it may have put something inside.

use std::fs::{DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Mode of a private folder.
pub const FOLDER_MODE: u32 = 0o700;
/// Mode of a private file or socket.
pub const FILE_MODE: u32 = 0o600;

/// A path that can't be trusted, with what would mend it.
#[derive(Debug, thiserror::Error)]
pub enum NotPrivate {
    /// It can't be looked at or made.
    #[error("`{}`: {why}", path.display())]
    Unreachable {
        /// The path.
        path: PathBuf,
        /// What the system said.
        why: io::Error,
    },
    /// It is something else than expected; a symlink too.
    #[error("`{}` is no {expected}: move it away and start again", path.display())]
    Kind {
        /// The path.
        path: PathBuf,
        /// What it should be.
        expected: &'static str,
    },
    /// Another user owns it.
    #[error("`{}` belongs to user id {owner}, not to you: move it away and start again", path.display())]
    Owner {
        /// The path.
        path: PathBuf,
        /// Its owner.
        owner: u32,
    },
    /// Others may use it.
    #[error("`{}` has mode {mode:04o} where {expected:04o} is needed: check what is in it, then `chmod {expected:o}` it",
            path.display())]
    Mode {
        /// The path.
        path: PathBuf,
        /// The mode it has.
        mode: u32,
        /// The mode it should have.
        expected: u32,
    },
    /// A folder above it is open to everyone.
    #[error("`{}` can be written by everyone, so nothing below it is safe", path.display())]
    OpenAbove {
        /// The folder above.
        path: PathBuf,
    },
}

/// Makes a private folder and whatever is missing above it, or checks the one that is there.
///
/// # Errors
/// [`NotPrivate`]: the folder or one above it can't be trusted.
pub fn make(folder: &Path) -> Result<(), NotPrivate> {
    DirBuilder::new()
        .recursive(true)
        .mode(FOLDER_MODE)
        .create(folder)
        .map_err(|why| unreachable_path(folder, why))?;
    check_above(folder)?;
    check(folder)
}

/// Checks that a folder is a real one, ours, and ours alone.
///
/// # Errors
/// [`NotPrivate`].
pub fn check(folder: &Path) -> Result<(), NotPrivate> {
    let found = look(folder)?;
    if !found.is_dir() {
        return Err(NotPrivate::Kind { path: folder.to_owned(), expected: "folder" });
    }
    check_owner_and_mode(folder, &found, FOLDER_MODE)
}

/// Checks that a file is a plain one, ours, and ours alone.
///
/// # Errors
/// [`NotPrivate`].
pub fn check_file(file: &Path) -> Result<(), NotPrivate> {
    let found = look(file)?;
    if !found.is_file() {
        return Err(NotPrivate::Kind { path: file.to_owned(), expected: "plain file" });
    }
    check_owner_and_mode(file, &found, FILE_MODE)
}

/// Checks a socket and the folder it is in.
///
/// # Errors
/// [`NotPrivate`].
pub fn check_socket(socket: &Path) -> Result<(), NotPrivate> {
    if let Some(folder) = socket.parent() {
        check(folder)?;
    }
    let found = look(socket)?;
    if !found.file_type().is_socket() {
        return Err(NotPrivate::Kind { path: socket.to_owned(), expected: "socket" });
    }
    check_owner_and_mode(socket, &found, FILE_MODE)
}

/// Refuses folders above that everyone may write, unless they are sticky as `/tmp` is: there nobody else can rename
/// what is ours. Other owners above don't matter: all they could put in its place is refused by [`check`].
fn check_above(folder: &Path) -> Result<(), NotPrivate> {
    let real = folder.canonicalize().map_err(|why| unreachable_path(folder, why))?;
    for above in real.ancestors().skip(1) {
        let mode = look(above)?.permissions().mode();
        if mode & 0o002 != 0 && mode & 0o1000 == 0 {
            return Err(NotPrivate::OpenAbove { path: above.to_owned() });
        }
    }
    Ok(())
}

fn look(path: &Path) -> Result<Metadata, NotPrivate> {
    path.symlink_metadata().map_err(|why| unreachable_path(path, why))
}

fn check_owner_and_mode(path: &Path, found: &Metadata, expected: u32) -> Result<(), NotPrivate> {
    if found.uid() != crate::account::uid() {
        return Err(NotPrivate::Owner { path: path.to_owned(), owner: found.uid() });
    }
    let mode = found.permissions().mode() & 0o7777;
    if mode != expected {
        return Err(NotPrivate::Mode { path: path.to_owned(), mode, expected });
    }
    Ok(())
}

fn unreachable_path(path: &Path, why: io::Error) -> NotPrivate {
    NotPrivate::Unreachable { path: path.to_owned(), why }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_folder_is_made_private_with_all_that_is_missing_above() {
        let tmp = tempfile::tempdir().unwrap();
        let folder = tmp.path().join("a/b/countersign");
        make(&folder).unwrap();
        make(&folder).unwrap();
        for made in [&folder, &tmp.path().join("a/b"), &tmp.path().join("a")] {
            assert_eq!(fs::metadata(made).unwrap().permissions().mode() & 0o7777, 0o700, "{made:?}");
        }
    }

    #[test]
    fn a_folder_others_may_enter_is_refused_with_what_to_do_and_left_as_it_is() {
        let tmp = tempfile::tempdir().unwrap();
        let folder = tmp.path().join("countersign");
        make(&folder).unwrap();
        for mode in [0o777, 0o755, 0o710, 0o500, 0o1700] {
            set_mode(&folder, mode);
            let error = make(&folder).unwrap_err();
            assert!(matches!(error, NotPrivate::Mode { .. }), "{mode:o}: {error}");
            assert!(error.to_string().contains("chmod 700"), "{error}");
            assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o7777, mode);
        }
    }

    #[test]
    fn a_symlink_to_a_private_folder_is_refused() {
        let tmp = tempfile::tempdir().unwrap();
        make(&tmp.path().join("real")).unwrap();
        symlink(tmp.path().join("real"), tmp.path().join("link")).unwrap();
        assert!(matches!(make(&tmp.path().join("link")), Err(NotPrivate::Kind { .. })));
    }

    #[test]
    fn a_folder_below_one_that_everyone_may_write_is_refused_unless_that_is_sticky() {
        let tmp = tempfile::tempdir().unwrap();
        let open = tmp.path().join("open");
        let folder = open.join("countersign");
        make(&folder).unwrap();
        set_mode(&open, 0o777);
        assert!(matches!(make(&folder), Err(NotPrivate::OpenAbove { path }) if path.ends_with("open")));
        set_mode(&open, 0o1777);
        make(&folder).unwrap();
    }

    #[test]
    fn a_socket_counts_only_with_its_own_mode_and_in_a_private_folder() {
        let tmp = tempfile::tempdir().unwrap();
        let folder = tmp.path().join("countersign");
        make(&folder).unwrap();
        let socket = folder.join("hook.sock");
        assert!(matches!(check_socket(&socket), Err(NotPrivate::Unreachable { .. })));
        let _listener = UnixListener::bind(&socket).unwrap();
        set_mode(&socket, 0o666);
        assert!(matches!(check_socket(&socket), Err(NotPrivate::Mode { .. })));
        set_mode(&socket, 0o600);
        check_socket(&socket).unwrap();
        set_mode(&folder, 0o777);
        assert!(matches!(check_socket(&socket), Err(NotPrivate::Mode { .. })));
    }

    #[test]
    fn a_plain_file_in_a_sockets_place_is_no_socket_and_a_folder_no_file() {
        let tmp = tempfile::tempdir().unwrap();
        let folder = tmp.path().join("countersign");
        make(&folder).unwrap();
        let file = folder.join("hook.sock");
        fs::write(&file, "").unwrap();
        set_mode(&file, 0o600);
        assert!(matches!(check_socket(&file), Err(NotPrivate::Kind { expected: "socket", .. })));
        check_file(&file).unwrap();
        assert!(matches!(check_file(&folder), Err(NotPrivate::Kind { .. })));
    }

    #[test]
    fn what_another_user_owns_is_refused() {
        // `/` is nobody's but root's; root has no other user's file to look at here.
        if crate::account::uid() != 0 {
            assert!(matches!(check(Path::new("/")), Err(NotPrivate::Owner { owner: 0, .. })));
            return;
        }
        let tmp = tempfile::tempdir().unwrap();
        let folder = tmp.path().join("countersign");
        make(&folder).unwrap();
        std::os::unix::fs::chown(&folder, Some(12_345), None).unwrap();
        assert!(matches!(check(&folder), Err(NotPrivate::Owner { owner: 12_345, .. })));
    }
}
