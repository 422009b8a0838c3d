//! Where a path leads, one part at a time: links followed, every folder on the way remembered.

use std::{
    fs::{self, Metadata},
    io::ErrorKind,
};

use super::Untold;

/// Most links on one way, as in the kernel.
const MOST_LINKS: usize = 40;
/// Longest path.
const LONGEST: usize = 4096;

/// A way that was followed.
#[derive(Debug)]
pub(super) struct Trail {
    /// Where it ends: absolute, without links. What does not exist there stands as written.
    pub(super) end: String,
    /// What is at its end; `None` where nothing is.
    pub(super) found: Option<Metadata>,
    /// Every folder that had a say in it: who can write one of them decides where the way leads.
    pub(super) folders: Vec<(String, Metadata)>,
}

/// Follows an absolute path.
pub(super) fn follow(path: &str) -> Result<Trail, Untold> {
    if !path.starts_with('/') || path.contains('\0') || path.len() > LONGEST {
        return Err(Untold);
    }
    let root = fs::symlink_metadata("/").map_err(|_| Untold)?;
    let mut way = Way { at: String::new(), left: Vec::new(), links: 0 };
    way.go_on_by(path);
    let mut folders = vec![("/".to_owned(), root.clone())];
    let mut found = Some(root);
    while let Some(part) = way.next_part() {
        if part == ".." {
            way.up();
            found = fs::symlink_metadata(way.here()).ok();
            continue;
        }
        let next = format!("{}/{part}", way.at);
        if next.len() > LONGEST {
            return Err(Untold);
        }
        let met = match fs::symlink_metadata(&next) {
            Ok(met) => met,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return way.nothing_at(next).map(|end| Trail { end, found: None, folders });
            }
            Err(_) => return Err(Untold),
        };
        if met.is_symlink() {
            way.link(&next)?;
            found = fs::symlink_metadata(way.here()).ok();
            continue;
        }
        way.at = next;
        if met.is_dir() {
            folders.push((way.at.clone(), met.clone()));
        } else if way.left.iter().any(|part| part != "." && !part.is_empty()) {
            // A file with parts behind it: there is nothing.
            let here = way.at.clone();
            return way.nothing_at(here).map(|end| Trail { end, found: None, folders });
        }
        found = Some(met);
    }
    Ok(Trail { end: way.here().to_owned(), found, folders })
}

/// A way that is not at its end.
struct Way {
    /// Where it stands, without links; empty for the root.
    at: String,
    /// Parts that are left, the next one last.
    left: Vec<String>,
    links: usize,
}

impl Way {
    fn here(&self) -> &str {
        if self.at.is_empty() { "/" } else { &self.at }
    }

    fn go_on_by(&mut self, path: &str) {
        self.left.extend(path.split('/').rev().map(str::to_owned));
    }

    fn next_part(&mut self) -> Option<String> {
        loop {
            let part = self.left.pop()?;
            if !part.is_empty() && part != "." {
                return Some(part);
            }
        }
    }

    fn up(&mut self) {
        let end = self.at.rfind('/').unwrap_or(0);
        self.at.truncate(end);
    }

    fn link(&mut self, link: &str) -> Result<(), Untold> {
        self.links += 1;
        // What stands under /proc is this process's own there, never the agent's.
        if self.links > MOST_LINKS || self.at == "/proc" || self.at.starts_with("/proc/") {
            return Err(Untold);
        }
        let target = fs::read_link(link).map_err(|_| Untold)?;
        let target = target.to_str().filter(|target| !target.is_empty()).ok_or(Untold)?;
        if target.starts_with('/') {
            self.at.clear();
        }
        self.go_on_by(target);
        Ok(())
    }

    /// The end of a way that goes on where nothing is.
    fn nothing_at(mut self, at: String) -> Result<String, Untold> {
        self.at = at;
        while let Some(part) = self.next_part() {
            if part == ".." {
                return Err(Untold);
            }
            self.at = format!("{}/{part}", self.at);
        }
        if self.at.len() > LONGEST { Err(Untold) } else { Ok(self.at) }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A folder without links on the way to it.
    fn folder() -> (tempfile::TempDir, String) {
        let tmp = tempfile::tempdir().unwrap();
        let real = tmp.path().canonicalize().unwrap().to_str().unwrap().to_owned();
        (tmp, real)
    }

    fn end(path: &str) -> Option<String> {
        follow(path).ok().map(|trail| trail.end)
    }

    #[test]
    fn links_lead_where_they_lead_and_what_is_missing_stands_as_written() {
        let (_tmp, at) = folder();
        fs::create_dir_all(format!("{at}/a/b")).unwrap();
        fs::write(format!("{at}/a/file"), "").unwrap();
        symlink("a/b", format!("{at}/inner")).unwrap();
        symlink("/etc", format!("{at}/etc")).unwrap();
        symlink(format!("{at}/gone/far"), format!("{at}/dangling")).unwrap();
        symlink("..", format!("{at}/a/up")).unwrap();
        assert_eq!(end(&format!("{at}/inner/new/x")), Some(format!("{at}/a/b/new/x")));
        assert_eq!(end(&format!("{at}/etc/nothing-here")), Some("/etc/nothing-here".into()));
        assert_eq!(end(&format!("{at}/dangling")), Some(format!("{at}/gone/far")));
        assert_eq!(end(&format!("{at}/a/up/a/up/x")), Some(format!("{at}/x")));
        assert_eq!(end(&format!("{at}/a/file/x")), Some(format!("{at}/a/file/x")));
        assert_eq!(end(&format!("{at}//a/./b/")), Some(format!("{at}/a/b")));
        assert_eq!(
            end(&format!("{at}/inner/../file")),
            Some(format!("{at}/a/file")),
            "as the kernel goes up"
        );
        assert_eq!(end("/"), Some("/".into()));
    }

    #[test]
    fn what_can_t_be_told_is_not_told() {
        let (_tmp, at) = folder();
        symlink("loop-b", format!("{at}/loop-a")).unwrap();
        symlink("loop-a", format!("{at}/loop-b")).unwrap();
        symlink("missing/../x", format!("{at}/over-nothing")).unwrap();
        symlink("/proc/self/root", format!("{at}/magic")).unwrap();
        let long = format!("{at}/{}", "x/".repeat(3_000));
        let named_long = format!("{at}/{}", "x".repeat(300));
        for path in [
            "",
            "relative",
            "/a\0b",
            &long,
            &named_long,
            &format!("{at}/loop-a/x"),
            &format!("{at}/over-nothing"),
            &format!("{at}/magic/etc"),
            "/proc/self/cwd/x",
        ] {
            assert_eq!(end(path), None, "{path:.80}");
        }
    }

    #[test]
    fn a_name_that_is_no_utf_8_can_t_be_told() {
        use std::os::unix::ffi::OsStrExt as _;
        let (_tmp, at) = folder();
        symlink(std::ffi::OsStr::from_bytes(b"/tmp/\xff"), format!("{at}/odd")).unwrap();
        assert_eq!(end(&format!("{at}/odd")), None);
    }

    #[test]
    fn every_folder_on_the_way_is_met_also_those_behind_links() {
        let (_tmp, at) = folder();
        fs::create_dir_all(format!("{at}/a/b")).unwrap();
        symlink("a/b", format!("{at}/link")).unwrap();
        let folders: Vec<String> =
            follow(&format!("{at}/link/x")).unwrap().folders.into_iter().map(|(path, _)| path).collect();
        for met in ["/", at.as_str(), &format!("{at}/a"), &format!("{at}/a/b")] {
            assert!(folders.iter().any(|folder| folder == met), "{met} of {folders:?}");
        }
    }
}
