//! A settings file of another program: read whole, written in one step with its mode and owner kept, the file behind a
//! link rather than the link, and never over a change that somebody else made meanwhile.

use std::{
    fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions},
    io::{self, Read as _, Write as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, fchown},
    path::{Path, PathBuf},
};

use countersign_agents::setup::Change;
use countersign_ipc::folder;

use crate::trouble::Trouble;

/// No settings file of a person is longer.
const LONGEST: u64 = 4 << 20;
const BACKUP: &str = ".countersign-backup";
const NEW: &str = ".countersign-new";

/// A settings file as it was read.
#[derive(Debug)]
pub struct SettingsFile {
    named: PathBuf,
    real: PathBuf,
    found: Option<(String, Metadata)>,
}

impl SettingsFile {
    /// Reads the file; one that isn't there reads as none.
    pub fn read(path: &Path) -> Result<Self, Trouble> {
        let named = std::path::absolute(path).map_err(|error| Trouble::file(path, error))?;
        match named.canonicalize() {
            Ok(real) => {
                let found = Some(read(&real)?);
                Ok(Self { named, real, found })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && !named.is_symlink() => {
                Ok(Self { real: named.clone(), named, found: None })
            }
            Err(error) => Err(Trouble::file(named, error)),
        }
    }

    /// Its text, where it is there.
    pub fn text(&self) -> Option<&str> {
        self.found.as_ref().map(|(text, _)| text.as_str())
    }

    /// The path it was asked for by.
    pub fn named(&self) -> &Path {
        &self.named
    }

    /// The file itself, where a link leads to it.
    pub fn target(&self) -> Option<&Path> {
        (self.real != self.named).then_some(self.real.as_path())
    }

    /// Carries a change out. Returns the backup that holds what was there before, where there is one.
    /// `keeps_backup`: makes one, unless the file holds something of ours and there is one already. Otherwise the one
    /// that is no longer needed is removed.
    pub fn write(
        &self,
        change: &Change,
        keeps_backup: bool,
        is_ours: bool,
    ) -> Result<Option<PathBuf>, Trouble> {
        if Self::read(&self.named)?.text() != change.before.as_deref() {
            return Err(Trouble::said(
                format!(
                    "`{}` was changed by another program meanwhile. Nothing was written.",
                    self.named.display()
                ),
                "Run the same command again.",
            ));
        }
        let backup = beside(&self.real, BACKUP);
        if keeps_backup
            && let Some(before) = &change.before
            && !(is_ours && backup.is_file())
        {
            self.replace(&backup, before)?;
        }
        match &change.after {
            Some(after) => self.replace(&self.real, after)?,
            None => fs::remove_file(&self.real).map_err(|error| Trouble::file(&self.real, error))?,
        }
        if !keeps_backup && read(&backup).ok().map(|(text, _)| text) == change.after {
            let _ = fs::remove_file(&backup);
        }
        Ok(Some(backup).filter(|backup| backup.is_file()))
    }

    /// Writes a new file beside `path` and moves it into its place.
    fn replace(&self, path: &Path, text: &str) -> Result<(), Trouble> {
        let failed = |error| Trouble::file(path, error);
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(folder::FOLDER_MODE).create(folder).map_err(failed)?;
        }
        let new = beside(path, NEW);
        // What an interrupted run left behind.
        let _ = fs::remove_file(&new);
        let written = self.write_new(&new, text).and_then(|()| fs::rename(&new, path));
        if written.is_err() {
            let _ = fs::remove_file(&new);
        }
        written.map_err(failed)?;
        // The move itself is on disk once the folder is.
        path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all()).map_err(failed)
    }

    fn write_new(&self, new: &Path, text: &str) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(folder::FILE_MODE).open(new)?;
        if let Some((_, found)) = &self.found {
            let made = file.metadata()?;
            if (made.uid(), made.gid()) != (found.uid(), found.gid()) {
                fchown(&file, Some(found.uid()), Some(found.gid()))?;
            }
            file.set_permissions(Permissions::from_mode(found.mode() & 0o7777))?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn read(path: &Path) -> Result<(String, Metadata), Trouble> {
    let failed = |error| Trouble::file(path, error);
    let metadata = path.metadata().map_err(failed)?;
    if !metadata.is_file() || metadata.len() > LONGEST {
        return Err(Trouble::said(
            format!("`{}` is no settings file. Nothing was written.", path.display()),
            "",
        ));
    }
    let mut text = String::new();
    File::open(path).and_then(|file| file.take(LONGEST).read_to_string(&mut text)).map_err(failed)?;
    Ok((text, metadata))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn change(before: Option<&str>, after: Option<&str>) -> Change {
        Change {
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
            diff: Default::default(),
        }
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn the_file_behind_a_link_changes_and_keeps_its_mode() {
        let tmp = tempfile::tempdir().unwrap();
        let (real, link) = (tmp.path().join("real.json"), tmp.path().join("settings.json"));
        fs::write(&real, "{}").unwrap();
        fs::set_permissions(&real, Permissions::from_mode(0o640)).unwrap();
        symlink(&real, &link).unwrap();
        let file = SettingsFile::read(&link).unwrap();
        assert_eq!(file.target(), Some(real.canonicalize().unwrap().as_path()));
        let backup = file.write(&change(Some("{}"), Some("{\"a\":1}")), true, false).unwrap().unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "{\"a\":1}");
        assert_eq!(fs::read_to_string(&backup).unwrap(), "{}");
        assert_eq!((mode(&real), mode(&backup)), (0o640, 0o640));
        assert_eq!(fs::read_dir(tmp.path()).unwrap().count(), 3, "nothing else is left behind");
    }

    #[test]
    fn what_another_program_wrote_meanwhile_is_not_overwritten() {
        let tmp = tempfile::tempdir().unwrap();
        let path = tmp.path().join("settings.json");
        fs::write(&path, "{}").unwrap();
        let file = SettingsFile::read(&path).unwrap();
        fs::write(&path, "{\"theirs\":1}").unwrap();
        let error = file.write(&change(Some("{}"), Some("ours")), true, false).unwrap_err();
        assert!(error.to_string().contains("Nothing was written"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "{\"theirs\":1}");
    }

    #[test]
    fn a_missing_file_is_made_for_its_owner_only_and_removed_again() {
        let tmp = tempfile::tempdir().unwrap();
        let path = tmp.path().join(".agent/settings.json");
        let file = SettingsFile::read(&path).unwrap();
        assert_eq!(file.write(&change(None, Some("{}")), true, false).unwrap(), None);
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        let file = SettingsFile::read(&path).unwrap();
        file.write(&change(Some("{}"), None), false, true).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn an_update_keeps_the_backup_of_what_was_there_before_us() {
        let tmp = tempfile::tempdir().unwrap();
        let path = tmp.path().join("settings.json");
        fs::write(&path, "mine").unwrap();
        let write = |before: &str, after: &str, keeps, is_ours| {
            SettingsFile::read(&path)
                .unwrap()
                .write(&change(Some(before), Some(after)), keeps, is_ours)
                .unwrap()
        };
        let backup = write("mine", "mine + ours", true, false).unwrap();
        write("mine + ours", "mine + newer ours", true, true);
        assert_eq!(fs::read_to_string(&backup).unwrap(), "mine");
        assert_eq!(write("mine + newer ours", "mine", false, true), None);
        assert!(!backup.exists(), "a backup that says the same is no longer needed");
    }

    #[test]
    fn a_folder_and_a_link_to_nothing_are_refused() {
        let tmp = tempfile::tempdir().unwrap();
        assert!(SettingsFile::read(tmp.path()).is_err());
        let link = tmp.path().join("settings.json");
        symlink(tmp.path().join("nothing"), &link).unwrap();
        assert!(SettingsFile::read(&link).is_err());
    }
}
