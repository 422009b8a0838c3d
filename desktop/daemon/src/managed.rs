//! What root wrote down for this machine (PERM-5): read before anybody can ask, and again whenever it changes. A file that
//! somebody else could have written is handed on as such; the core ignores it and says so.

use std::{fs, io::Read as _, os::unix::fs::MetadataExt as _, path::Path, time::Duration};

use countersign_core::{
    input::Input,
    policy::{ManagedFile, ManagedText, managed},
};
use countersign_proto::text::Shown;

use crate::{eventloop::Handle, whereabouts};

/// Largest file that is read; a text longer than a policy may be is wrong anyway.
const LARGEST: u64 = 1 << 20;
/// How often a change is looked for.
const PAUSE: Duration = Duration::from_secs(10);
/// Bits by which others than the owner may write.
const WRITABLE: u32 = 0o022;

/// What is there now, for whoever only looks.
pub async fn now() -> ManagedText {
    ManagedText::of(look().await, &whereabouts::home())
}

/// Brings in what is there now, and says what it was.
pub async fn bring_in(handle: &Handle) -> Vec<ManagedFile> {
    let files = look().await;
    if !files.is_empty() {
        tell(handle, files.clone()).await;
    }
    files
}

/// Brings in whatever changes, as long as it is polled.
pub async fn watch(handle: Handle, mut known: Vec<ManagedFile>) {
    loop {
        tokio::time::sleep(PAUSE).await;
        let files = look().await;
        if files != known {
            tell(&handle, files.clone()).await;
            known = files;
        }
    }
}

async fn tell(handle: &Handle, files: Vec<ManagedFile>) {
    let text = ManagedText::of(files, &whereabouts::home());
    // Where the loop is over nobody is answered any more.
    let _ = handle.tell(Input::Managed(Box::new(text))).await;
}

async fn look() -> Vec<ManagedFile> {
    let files = tokio::task::spawn_blocking(|| {
        [managed::POLICY, managed::PERMISSION].into_iter().filter_map(|path| see(Path::new(path))).collect()
    });
    files.await.unwrap_or_default()
}

/// One file, and who could have written it.
fn see(path: &Path) -> Option<ManagedFile> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => return Some(unread(path, &error.to_string())),
    };
    let above: Vec<fs::Metadata> =
        path.ancestors().skip(1).filter_map(|folder| fs::symlink_metadata(folder).ok()).collect();
    let all = || above.iter().chain([&found]);
    let is_roots = all().all(|one| one.uid() == 0) && found.is_file();
    let is_open = all().any(|one| one.mode() & WRITABLE != 0);
    let text = read(path).map_err(|error| Shown::line(&error.to_string()));
    Some(ManagedFile { path: path.display().to_string(), text, is_roots, is_open })
}

fn read(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    fs::File::open(path)?.take(LARGEST).read_to_string(&mut text)?;
    Ok(text)
}

/// It is there and can't be looked at: whoever put it there meant something by it.
fn unread(path: &Path, why: &str) -> ManagedFile {
    ManagedFile {
        path: path.display().to_string(),
        text: Err(Shown::line(why)),
        is_roots: true,
        is_open: false,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn a_file_that_others_may_write_or_replace_is_told_as_such() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("managed.policy");
        assert_eq!(see(&file), None);
        fs::write(&file, "deny external\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
        let seen = see(&file).unwrap();
        assert!(seen.is_open);
        assert_eq!(seen.text.as_deref(), Ok("deny external\n"));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        // Temporary folders are open to all, so that anybody could put another file in its place.
        assert!(see(&file).unwrap().is_open);
    }

    #[test]
    fn a_link_is_no_file_of_roots() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "deny external\n").unwrap();
        let link = folder.path().join("managed.policy");
        symlink("a", &link).unwrap();
        assert!(!see(&link).unwrap().is_roots);
    }

    #[test]
    fn what_is_no_text_is_told_with_why() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("managed.json");
        fs::write(&file, [0xff]).unwrap();
        assert!(see(&file).unwrap().text.is_err());
    }
}
