//! The demo phone's vault: a folder that only its owner can read, each record sealed under a key beside them, or memory
//! alone. A real phone's key is in its hardware; this one's is a file, and everything here says so.

use std::{
    collections::BTreeMap,
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use countersign_mobile_core::vault::{Vault, VaultError};
use countersign_proto::{
    key::Secret32,
    seal::{NONCE, SealKey},
};
use data_encoding::HEXLOWER;
use zeroize::Zeroizing;

use crate::clock;

/// The file of the key that seals all others.
const KEY: &str = "software.key";

/// Where records are.
pub enum DemoVault {
    /// Gone with the process.
    Memory(BTreeMap<String, Zeroizing<Vec<u8>>>),
    /// Sealed in a folder.
    Folder(Folder),
}

/// A folder of sealed records.
pub struct Folder {
    path: PathBuf,
    key: SealKey,
}

impl DemoVault {
    /// A vault in memory.
    pub const fn memory() -> Self {
        Self::Memory(BTreeMap::new())
    }

    /// A vault in a folder, made where there is none.
    ///
    /// # Errors
    /// The folder belongs to another user or can be read by others, or its key can't be read.
    pub fn folder(path: &Path) -> anyhow::Result<Self> {
        let named = || format!("cannot keep the demo phone's state in `{}`", path.display());
        DirBuilder::new().mode(0o700).recursive(true).create(path).with_context(named)?;
        let meta = fs::symlink_metadata(path).with_context(named)?;
        let is_own = meta.uid() == rustix::process::geteuid().as_raw();
        if !meta.is_dir() || !is_own || meta.mode() & 0o077 != 0 {
            bail!("`{}` must be a folder of yours that nobody else can read (mode 0700)", path.display());
        }
        let key = key(&path.join(KEY)).with_context(named)?;
        Ok(Self::Folder(Folder { path: path.to_path_buf(), key }))
    }
}

impl Vault for DemoVault {
    fn get(&self, name: &str) -> Result<Option<Zeroizing<Vec<u8>>>, VaultError> {
        match self {
            Self::Memory(records) => Ok(records.get(name).cloned()),
            Self::Folder(folder) => folder.get(name),
        }
    }

    fn put(&mut self, name: &str, bytes: &[u8]) -> Result<(), VaultError> {
        match self {
            Self::Memory(records) => {
                records.insert(name.to_owned(), Zeroizing::new(bytes.to_vec()));
                Ok(())
            }
            Self::Folder(folder) => folder.put(name, bytes),
        }
    }

    fn delete(&mut self, name: &str) -> Result<(), VaultError> {
        match self {
            Self::Memory(records) => {
                records.remove(name);
                Ok(())
            }
            Self::Folder(folder) => match fs::remove_file(folder.file(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(&error)),
                Ok(()) | Err(_) => folder.sync().map_err(|error| failed(&error)),
            },
        }
    }

    fn names(&self) -> Result<Vec<String>, VaultError> {
        match self {
            Self::Memory(records) => Ok(records.keys().cloned().collect()),
            Self::Folder(folder) => folder.names().map_err(|error| failed(&error)),
        }
    }
}

impl Folder {
    fn get(&self, name: &str) -> Result<Option<Zeroizing<Vec<u8>>>, VaultError> {
        let sealed = match fs::read(self.file(name)) {
            Ok(sealed) => sealed,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(&error)),
        };
        let opened = self.key.open(name.as_bytes(), &sealed);
        opened.map(Some).map_err(|_| VaultError::Damaged(name.to_owned()))
    }

    /// Writes beside the old record and renames over it, so that a crash leaves one or the other.
    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), VaultError> {
        let nonce = clock::random::<NONCE>().map_err(|error| VaultError::Failed(error.to_string()))?;
        let sealed = self.key.seal(&nonce, name.as_bytes(), bytes);
        let sealed = sealed.map_err(|error| VaultError::Failed(error.to_string()))?;
        let write = || {
            let (file, fresh) = (self.file(name), self.file(&format!("{name}/new")));
            write_synced(OpenOptions::new().create(true).truncate(true), &fresh, &sealed)?;
            fs::rename(fresh, file)?;
            self.sync()
        };
        write().map_err(|error| failed(&error))
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let file = entry?.file_name();
            let name = file.to_str().and_then(|file| file.strip_suffix(".record"));
            let name = name.and_then(|hex| HEXLOWER.decode(hex.as_bytes()).ok());
            names.extend(name.and_then(|name| String::from_utf8(name).ok()));
        }
        names.retain(|name| !name.ends_with("/new"));
        Ok(names)
    }

    /// Names hold a `/`, so files are named by their hexadecimal.
    fn file(&self, name: &str) -> PathBuf {
        self.path.join(format!("{}.record", HEXLOWER.encode(name.as_bytes())))
    }

    fn sync(&self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()
    }
}

fn key(path: &Path) -> anyhow::Result<SealKey> {
    let secret = match fs::read(path) {
        Ok(bytes) => {
            let bytes = Zeroizing::new(bytes);
            <[u8; 32]>::try_from(bytes.as_slice()).context("the key file has another length than 32 bytes")?
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let fresh = clock::random()?;
            write_synced(OpenOptions::new().create_new(true), path, &fresh)?;
            fresh
        }
        Err(error) => return Err(error.into()),
    };
    Ok(SealKey::derive(&Secret32::new(secret), "demo-phone"))
}

fn write_synced(options: &mut OpenOptions, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = options.write(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn failed(error: &io::Error) -> VaultError {
    VaultError::Failed(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_comes_back_after_a_restart_and_not_under_another_name_or_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        DemoVault::folder(&path).unwrap().put("ab/counter", b"secret words").unwrap();

        let mut vault = DemoVault::folder(&path).unwrap();
        assert_eq!(vault.get("ab/counter").unwrap().unwrap().as_slice(), b"secret words");
        assert_eq!(vault.names().unwrap(), ["ab/counter"]);
        let DemoVault::Folder(files) = &vault else { panic!("not a folder") };
        let file = files.file("ab/counter");
        let mut sealed = fs::read(&file).unwrap();
        assert!(!sealed.windows(6).any(|window| window == b"secret"));
        fs::copy(&file, files.file("cd/counter")).unwrap();
        sealed[30] ^= 1;
        fs::write(&file, sealed).unwrap();
        for name in ["ab/counter", "cd/counter"] {
            assert_eq!(vault.get(name).unwrap_err(), VaultError::Damaged(name.to_owned()));
        }
        vault.delete("ab/counter").unwrap();
        vault.delete("ab/counter").unwrap();
        assert_eq!(vault.get("ab/counter").unwrap(), None);
    }

    #[test]
    fn a_folder_others_can_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("open");
        DirBuilder::new().mode(0o755).create(&path).unwrap();
        assert!(DemoVault::folder(&path).err().unwrap().to_string().contains("0700"));
    }
}
