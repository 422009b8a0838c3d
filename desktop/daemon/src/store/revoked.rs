//! The second record of revocations: one device id a line, appended and synced before the database takes it. A database
//! put back from a backup does not know a later revocation; this file does (protocol.md §4.8). Each line begins with
//! its line feed, so that one that a full disk cut off spoils no other.

use std::{
    collections::BTreeSet,
    fs::{File, OpenOptions},
    io::{self, Read as _, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::Mutex,
};

use countersign_ipc::folder;
use countersign_proto::id::DeviceId;

use super::OpenError;

const FILE: &str = "revoked";

#[derive(Debug)]
pub(super) struct Revoked {
    path: PathBuf,
    listed: Mutex<BTreeSet<DeviceId>>,
}

impl Revoked {
    /// Reads the file, or makes an empty one.
    pub(super) fn open(state: &Path) -> Result<Self, OpenError> {
        let path = state.join(FILE);
        let failed = |source| OpenError::Io { path: path.clone(), source };
        let mut text = String::new();
        let mut file = append(&path).map_err(failed)?;
        folder::check_file(&path)?;
        file.read_to_string(&mut text).map_err(failed)?;
        // A line that was cut off is of a revocation that the database has, or that was never told as done.
        let listed = text.lines().filter_map(|line| line.parse().ok()).collect();
        File::open(state).and_then(|folder| folder.sync_all()).map_err(failed)?;
        Ok(Self { path, listed: Mutex::new(listed) })
    }

    pub(super) fn listed(&self) -> BTreeSet<DeviceId> {
        self.lock().clone()
    }

    /// Appends what is not listed yet; it is on disk when this returns.
    pub(super) fn add(&self, devices: &[DeviceId]) -> io::Result<()> {
        let mut listed = self.lock();
        let new: Vec<&DeviceId> = devices.iter().filter(|device| !listed.contains(device)).collect();
        if new.is_empty() {
            return Ok(());
        }
        let lines: String = new.iter().map(|device| format!("\n{device}")).collect();
        let mut file = append(&self.path)?;
        file.write_all(lines.as_bytes())?;
        file.sync_all()?;
        listed.extend(new);
        Ok(())
    }

    /// A panic elsewhere can't leave the set half changed.
    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeSet<DeviceId>> {
        self.listed.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .mode(folder::FILE_MODE)
        .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
        .open(path)
}
