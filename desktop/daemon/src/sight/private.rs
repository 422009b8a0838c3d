//! Whether a tree holds what a search should not read: `.env` files, keys and other closed files (LVL-1).

use std::{fs, path::Path};

use countersign_core::classify::is_private;

use super::trail;

/// Most entries of a tree that are looked at; a larger one can't be told.
const MOST: usize = 50_000;

/// Whether a closed or `.env` file lies in a folder or below, or it can't be told.
pub(super) fn is_below(folder: &str, home: &str) -> bool {
    // Both without links, so that they can be compared.
    let (Ok(trail), Ok(home)) = (trail::follow(folder), trail::follow(home)) else { return true };
    let is_itself = is_private(&trail.end, &home.end);
    match trail.found {
        Some(found) if found.is_dir() => is_itself || walk(Path::new(&trail.end), &home.end, MOST),
        Some(_) => is_itself,
        // What is not there yet holds nothing.
        None => false,
    }
}

fn walk(folder: &Path, home: &str, most: usize) -> bool {
    let (mut open, mut left) = (vec![folder.to_owned()], most);
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { return true };
        for entry in entries {
            let Some(rest) = left.checked_sub(1) else { return true };
            left = rest;
            let Ok(entry) = entry else { return true };
            let path = entry.path();
            // A name that is no text is none of those that are known.
            if path.to_str().is_some_and(|path| is_private(path, home)) {
                return true;
            }
            let Ok(kind) = entry.file_type() else { return true };
            // Searches don't follow links below the folder they are given, and Git's own folder holds no files of the
            // project.
            if kind.is_dir() && entry.file_name() != ".git" {
                open.push(path);
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    const HOME: &str = "/home/ada";

    #[test]
    fn a_home_and_what_holds_one_are_private() {
        let tmp = tempfile::tempdir().unwrap();
        let at = tmp.path().canonicalize().unwrap();
        let holds =
            |folder: &str| is_below(at.join(folder).to_str().unwrap(), at.join("ada").to_str().unwrap());
        fs::create_dir_all(at.join("ada/site/.ssh-examples")).unwrap();
        fs::create_dir_all(at.join("ada/site/.ssh")).unwrap();
        fs::create_dir(at.join("ada/.ssh")).unwrap();
        assert!(holds("ada") && holds("") && holds("ada/.ssh"));
        assert!(!holds("ada/site"), "a project's own folder of that name is no store");
    }

    #[test]
    fn an_env_file_anywhere_below_is_found() {
        let tmp = tempfile::tempdir().unwrap();
        let at = tmp.path().canonicalize().unwrap();
        let holds = || is_below(at.to_str().unwrap(), HOME);
        fs::create_dir_all(at.join("a/b/.git")).unwrap();
        fs::write(at.join("a/b/.env.example"), "").unwrap();
        fs::write(at.join("a/environment.ts"), "").unwrap();
        fs::write(at.join("a/b/.git/.env"), "").unwrap();
        symlink("/", at.join("root")).unwrap();
        symlink("..", at.join("a/up")).unwrap();
        assert!(!holds());
        for name in [".env", ".ENV", "prod.env", ".env.local", "x.env.bak"] {
            let path = at.join("a/b").join(name);
            fs::write(&path, "").unwrap();
            assert!(holds(), "{name}");
            assert!(is_below(path.to_str().unwrap(), HOME), "{name}");
            fs::remove_file(path).unwrap();
        }
        assert!(!is_below(at.join("not/there").to_str().unwrap(), HOME));
        assert!(!is_below(at.join("a/environment.ts").to_str().unwrap(), HOME));
    }

    #[test]
    fn a_tree_beyond_the_bound_and_what_can_t_be_looked_at_count_as_private() {
        let tmp = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            fs::create_dir(tmp.path().join(name)).unwrap();
        }
        assert!(!walk(tmp.path(), HOME, 3) && walk(tmp.path(), HOME, 2));
        symlink("loop", tmp.path().join("loop")).unwrap();
        assert!(is_below(tmp.path().join("loop").to_str().unwrap(), HOME) && is_below("relative", HOME));
    }

    #[test]
    fn a_folder_that_may_not_be_read_counts_as_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let tmp = tempfile::tempdir().unwrap();
        let shut = tmp.path().join("shut");
        fs::create_dir(&shut).unwrap();
        fs::set_permissions(&shut, fs::Permissions::from_mode(0o000)).unwrap();
        // Root may read everything.
        let expected = !rustix::process::geteuid().is_root();
        assert_eq!(is_below(tmp.path().to_str().unwrap(), HOME), expected);
        fs::set_permissions(&shut, fs::Permissions::from_mode(0o700)).unwrap();
    }
}
