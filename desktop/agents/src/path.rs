//! Paths by their words alone: no link is followed and no file is looked at here.

use std::path::PathBuf;

/// The absolute path that an agent means by `path` in `folder`; `None` where that isn't certain: relative to no known
/// folder, `~`, blanks at an end that an agent may trim, or a NUL that no file system takes.
pub(crate) fn resolve(folder: &str, path: &str) -> Option<PathBuf> {
    if path.is_empty() || path.starts_with('~') || path.trim() != path || path.contains('\0') {
        return None;
    }
    let base = if path.starts_with('/') { "" } else { folder };
    if !path.starts_with('/') && !folder.starts_with('/') {
        return None;
    }
    let mut parts = Vec::new();
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    Some(PathBuf::from(format!("/{}", parts.join("/"))))
}

/// A path as a headline names it: relative to `folder` where it is inside.
pub(crate) fn named<'a>(folder: &str, path: &'a str) -> &'a str {
    let inside = path.strip_prefix(folder.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'));
    inside.filter(|rest| !rest.is_empty() && !folder.is_empty()).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_resolved_by_words() {
        let resolve = |path| resolve("/home/dev/site", path).map(|path| path.to_str().unwrap().to_owned());
        assert_eq!(resolve("src/../a.txt").as_deref(), Some("/home/dev/site/a.txt"));
        assert_eq!(resolve("/etc//./passwd").as_deref(), Some("/etc/passwd"));
        assert_eq!(resolve("../../../../x").as_deref(), Some("/x"));
        for uncertain in ["", "~/x", "~", " a", "a ", "a\0b"] {
            assert_eq!(resolve(uncertain), None, "{uncertain:?}");
        }
        assert_eq!(super::resolve("site", "a"), None);
        assert_eq!(super::resolve("", "/a"), Some("/a".into()));
    }

    #[test]
    fn a_headline_names_a_path_from_its_folder() {
        assert_eq!(named("/home/dev/site", "/home/dev/site/src/main.rs"), "src/main.rs");
        assert_eq!(named("/home/dev/site/", "/home/dev/site/a"), "a");
        assert_eq!(named("/home/dev/site", "/home/dev/site2/a"), "/home/dev/site2/a");
        assert_eq!(named("/", "/etc/passwd"), "etc/passwd");
        assert_eq!(named("", "/etc/passwd"), "/etc/passwd");
    }
}
