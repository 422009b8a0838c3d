//! The port at which paired phones look for this computer's relay, in one small file of the state folder.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    net::SocketAddr,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use countersign_ipc::folder;

const FILE: &str = "relay.address";
const NEW: &str = "relay.address.new";

#[derive(Debug)]
pub(super) struct Memory {
    file: PathBuf,
    new: PathBuf,
    address: Mutex<Option<SocketAddr>>,
}

impl Memory {
    /// A file that holds no address on loopback is as good as none.
    pub(super) fn open(state_folder: &Path) -> Self {
        let file = state_folder.join(FILE);
        let text = fs::read_to_string(&file).unwrap_or_default();
        let address = text.trim().parse().ok().filter(|address: &SocketAddr| address.ip().is_loopback());
        Self { file, new: state_folder.join(NEW), address: Mutex::new(address) }
    }

    pub(super) fn address(&self) -> Option<SocketAddr> {
        *self.address.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn remember(&self, address: SocketAddr) {
        let mut remembered = self.address.lock().unwrap_or_else(PoisonError::into_inner);
        if remembered.replace(address) != Some(address)
            && let Err(error) = self.write(address)
        {
            // It serves on; phones that are paired now might miss it after the next start.
            tracing::error!(%error, file = %self.file.display(), "the relay's port could not be written down");
        }
    }

    fn write(&self, address: SocketAddr) -> io::Result<()> {
        let mut out = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(folder::FILE_MODE)
            .open(&self.new)?;
        writeln!(out, "{address}")?;
        out.sync_all()?;
        fs::rename(&self.new, &self.file)
    }
}
