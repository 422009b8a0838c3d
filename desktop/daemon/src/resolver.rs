//! Reads the files that a card is made from. Nothing but plain files, never more than a card could show, and never
//! waiting for a device, a pipe or a network folder that does not answer.

use std::{
    fs::File,
    io::{self, Read as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use countersign_agents::{FileSeen, Seen};
use rustix::fs::{Mode, OFlags, PROC_SUPER_MAGIC, fstatfs, open};

/// Largest file that is read.
const LARGEST: u64 = 1 << 20;
/// How long all files of one call may take together.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is in these files now.
pub async fn look(paths: Vec<PathBuf>) -> Seen {
    if paths.is_empty() {
        return Seen::new();
    }
    let wanted = paths.clone();
    let reading = tokio::task::spawn_blocking(move || {
        paths.into_iter().map(|path| (path.clone(), see(&path))).collect::<Seen>()
    });
    match tokio::time::timeout(PATIENCE, reading).await {
        Ok(Ok(seen)) => seen,
        Ok(Err(_)) | Err(_) => {
            let slow = || FileSeen::Unreadable("it takes too long to read".to_owned());
            wanted.into_iter().map(|path| (path, slow())).collect()
        }
    }
}

/// What is in one file now.
pub(crate) fn see(path: &Path) -> FileSeen {
    match read(path) {
        Ok(seen) => seen,
        Err(error) if error.kind() == io::ErrorKind::NotFound => FileSeen::Absent,
        Err(error) => FileSeen::Unreadable(plain(&error).to_owned()),
    }
}

fn read(path: &Path) -> io::Result<FileSeen> {
    // Opening must not wait for the other end of a pipe, nor make a terminal ours.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(open(path, flags, Mode::empty())?);
    let found = file.metadata()?;
    // What stands under `/proc/self` is this daemon's own there, never the agent's.
    if !found.is_file() || fstatfs(&file)?.f_type == PROC_SUPER_MAGIC {
        return Ok(FileSeen::Unreadable("it is no plain file".to_owned()));
    }
    if found.size() > LARGEST {
        return Ok(FileSeen::TooBig(found.size()));
    }
    let mut content = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut content)?;
    let size = content.len() as u64;
    Ok(if size > LARGEST { FileSeen::TooBig(size) } else { FileSeen::Content(content) })
}

/// The few words that fit on a card.
fn plain(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "it may not be read",
        io::ErrorKind::IsADirectory => "it is a folder",
        io::ErrorKind::NotADirectory => "a part of its path is no folder",
        _ => "it can't be read",
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    async fn seen(path: &Path) -> FileSeen {
        look(vec![path.to_owned()]).await.remove(path).unwrap()
    }

    #[tokio::test]
    async fn a_plain_file_is_read_through_links_and_what_is_missing_is_absent() {
        let tmp = tempfile::tempdir().unwrap();
        fs::write(tmp.path().join("a"), "content").unwrap();
        symlink("a", tmp.path().join("link")).unwrap();
        assert_eq!(seen(&tmp.path().join("link")).await, FileSeen::Content(b"content".to_vec()));
        assert_eq!(seen(&tmp.path().join("b")).await, FileSeen::Absent);
        assert!(look(Vec::new()).await.is_empty());
    }

    #[tokio::test]
    async fn nothing_but_a_plain_file_is_read_and_nothing_is_waited_for() {
        let tmp = tempfile::tempdir().unwrap();
        let pipe = tmp.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, Mode::RWXU, 0).unwrap();
        for path in [&pipe, Path::new("/dev/zero"), tmp.path(), Path::new("/proc/self/environ")] {
            assert!(matches!(seen(path).await, FileSeen::Unreadable(_)), "{path:?}");
        }
    }

    #[tokio::test]
    async fn a_file_beyond_the_limit_is_named_with_its_size() {
        let tmp = tempfile::tempdir().unwrap();
        let file = File::create(tmp.path().join("large")).unwrap();
        file.set_len(LARGEST + 1).unwrap();
        assert_eq!(seen(&tmp.path().join("large")).await, FileSeen::TooBig(LARGEST + 1));
    }
}
