//! The installation's master key, and what keeps it and everything sealed with it out of other processes' reach.
//! The key lives in one file of the state folder, for its owner only; each table's key is derived from it.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use countersign_ipc::folder::{self, NotPrivate};
use countersign_proto::{
    key::Secret32,
    seal::{NONCE, SealError, SealKey},
};
use rustix::{
    mm::{MlockAllFlags, mlockall},
    process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit},
};
use zeroize::Zeroizing;

const FILE: &str = "master.key";
const NEW: &str = "master.key.new";

/// Why the master key can't be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file can't be trusted.
    #[error(transparent)]
    NotPrivate(#[from] NotPrivate),
    /// It can't be read or made.
    #[error("the key file `{}` can't be read or written: {source}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It does not hold 32 bytes.
    #[error(
        "the key file `{}` does not hold a key: put it back from a backup, or move the whole folder away to begin \
         anew (phones must be paired again)",
        .0.display()
    )]
    Damaged(PathBuf),
    /// There is a store but no key for it.
    #[error(
        "the key file `{}` is missing, and without it the store beside it can't be opened: put it back from a \
         backup, or move the whole folder away to begin anew (phones must be paired again)",
        .0.display()
    )]
    Missing(PathBuf),
    /// The system gives no random bytes.
    #[error("the system gives no random bytes: {0}")]
    Random(#[from] getrandom::Error),
}

/// The installation's master key.
#[derive(Debug)]
pub struct Keys {
    master: Secret32,
}

impl Keys {
    /// Reads the master key of a state folder, or makes one where `is_first` says that nothing is sealed yet.
    ///
    /// # Errors
    /// [`KeyError`].
    pub fn open(state: &Path, is_first: bool) -> Result<Self, KeyError> {
        let file = state.join(FILE);
        match fs::symlink_metadata(&file) {
            Ok(_) => Self::read(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound && is_first => Self::make(state, file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(KeyError::Missing(file)),
            Err(source) => Err(KeyError::Io { file, source }),
        }
    }

    /// The key of one table.
    #[must_use]
    pub fn table(&self, name: &str) -> TableKey {
        TableKey(SealKey::derive(&self.master, name))
    }

    fn read(file: PathBuf) -> Result<Self, KeyError> {
        folder::check_file(&file)?;
        let bytes = fs::read(&file).map(Zeroizing::new);
        let bytes = bytes.map_err(|source| KeyError::Io { file: file.clone(), source })?;
        let key: [u8; 32] = bytes.as_slice().try_into().map_err(|_| KeyError::Damaged(file))?;
        Ok(Self { master: Secret32::new(key) })
    }

    /// Written beside its place, synced and moved there, so that a crash leaves either no key or a whole one.
    fn make(state: &Path, file: PathBuf) -> Result<Self, KeyError> {
        let master = Secret32::new(*random::<32>()?);
        let failed = |source| KeyError::Io { file: file.clone(), source };
        let new = state.join(NEW);
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let mut out = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(folder::FILE_MODE)
            .open(&new)
            .map_err(failed)?;
        out.write_all(master.expose()).and_then(|()| out.sync_all()).map_err(failed)?;
        fs::rename(&new, &file).map_err(failed)?;
        File::open(state).and_then(|folder| folder.sync_all()).map_err(failed)?;
        Ok(Self { master })
    }
}

/// Why a value could not be sealed or opened.
#[derive(Debug, thiserror::Error)]
pub enum TableKeyError {
    /// The value.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The system gives no random bytes.
    #[error("the system gives no random bytes: {0}")]
    Random(#[from] getrandom::Error),
}

/// The key of one table. A value opens only in the row it was sealed for.
#[derive(Debug, Clone)]
pub struct TableKey(SealKey);

impl TableKey {
    /// Seals a value for its place, `table/row/version`, under a fresh nonce.
    ///
    /// # Errors
    /// [`TableKeyError`].
    pub fn seal(&self, place: &str, value: &[u8]) -> Result<Vec<u8>, TableKeyError> {
        Ok(self.0.seal(&*random::<NONCE>()?, place.as_bytes(), value)?)
    }

    /// Opens a value in the place it was sealed for.
    ///
    /// # Errors
    /// [`TableKeyError::Seal`].
    pub fn open(&self, place: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, TableKeyError> {
        Ok(self.0.open(place.as_bytes(), sealed)?)
    }
}

/// Fresh random bytes from the system, wiped on drop.
///
/// # Errors
/// The system's; whatever needed the bytes is to be given up.
pub fn random<const N: usize>() -> Result<Zeroizing<[u8; N]>, getrandom::Error> {
    let mut bytes = Zeroizing::new([0; N]);
    getrandom::fill(bytes.as_mut_slice())?;
    Ok(bytes)
}

/// How far this process's memory is kept to itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Protection {
    /// Other processes of the same user can't read it, and it leaves no core file.
    pub is_closed: bool,
    /// It is not written to swap.
    pub is_kept_in_memory: bool,
}

/// Keeps this process's memory from other processes, core files and, where the system lets it, swap.
#[must_use]
pub fn protect_process() -> Protection {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    let is_closed = set_dumpable_behavior(DumpableBehavior::NotDumpable).is_ok();
    let has_no_core = setrlimit(Resource::Core, none).is_ok();
    // Pages that come later are left out on purpose: beyond the limit for locked memory they could not be had at all.
    let is_kept_in_memory = mlockall(MlockAllFlags::CURRENT | MlockAllFlags::ONFAULT).is_ok();
    Protection { is_closed: is_closed && has_no_core, is_kept_in_memory }
}

#[cfg(test)]
mod tests {
    use std::{fs::Permissions, os::unix::fs::PermissionsExt as _};

    use super::*;

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let tmp = tempfile::tempdir().unwrap();
        let state = tmp.path().join("state");
        folder::make(&state).unwrap();
        (tmp, state)
    }

    #[test]
    fn the_key_is_made_once_for_its_owner_only_and_read_back() {
        let (_tmp, state) = folder();
        let first = Keys::open(&state, true).unwrap();
        assert_eq!(fs::metadata(state.join(FILE)).unwrap().permissions().mode() & 0o7777, 0o600);
        let again = Keys::open(&state, false).unwrap();
        let sealed = first.table("meta").seal("meta/a/1", b"value").unwrap();
        assert_eq!(again.table("meta").open("meta/a/1", &sealed).unwrap().as_slice(), b"value");
        assert!(again.table("meta").open("meta/b/1", &sealed).is_err());
        assert!(again.table("blobs").open("meta/a/1", &sealed).is_err());
    }

    #[test]
    fn a_store_without_its_key_is_not_given_a_new_one() {
        let (_tmp, state) = folder();
        let error = Keys::open(&state, false).unwrap_err();
        assert!(matches!(error, KeyError::Missing(_)), "{error}");
        assert!(error.to_string().contains("backup"), "{error}");
        assert!(!state.join(FILE).exists());
    }

    #[test]
    fn a_key_file_that_others_could_read_or_that_is_cut_off_is_refused() {
        let (_tmp, state) = folder();
        let _ = Keys::open(&state, true).unwrap();
        fs::set_permissions(state.join(FILE), Permissions::from_mode(0o640)).unwrap();
        assert!(matches!(Keys::open(&state, false), Err(KeyError::NotPrivate(NotPrivate::Mode { .. }))));
        fs::set_permissions(state.join(FILE), Permissions::from_mode(0o600)).unwrap();
        fs::write(state.join(FILE), [1; 31]).unwrap();
        assert!(matches!(Keys::open(&state, true), Err(KeyError::Damaged(_))));
    }

    #[test]
    fn a_symlink_in_the_keys_place_is_not_followed() {
        let (_tmp, state) = folder();
        let _ = Keys::open(&state, true).unwrap();
        fs::rename(state.join(FILE), state.join("elsewhere")).unwrap();
        std::os::unix::fs::symlink(state.join("elsewhere"), state.join(FILE)).unwrap();
        assert!(matches!(Keys::open(&state, false), Err(KeyError::NotPrivate(NotPrivate::Kind { .. }))));
    }
}
