//! Folders and paths as texts name them: absolute, `/`-separated, compared part by part, so that `~/site2` is not in
//! `~/site`. Nothing here looks at a disk; links are the resolver's.

/// A path without empty and `.` parts and without a trailing `/`; `None` where it is not absolute or climbs with `..`.
pub(crate) fn plain(path: &str) -> Option<String> {
    let rest = path.strip_prefix('/')?;
    let mut out = String::new();
    for part in rest.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            return None;
        }
        out.push('/');
        out.push_str(part);
    }
    if out.is_empty() {
        out.push('/');
    }
    Some(out)
}

/// A path as written, made absolute from a folder, `..` taken back lexically; `None` where that can't be told.
pub(crate) fn absolute(written: &str, folder: &str, home: &str) -> Option<String> {
    let whole = match at_home(written, home) {
        Some(path) => path,
        None if written.starts_with('/') => written.to_owned(),
        None if folder.starts_with('/') => format!("{folder}/{written}"),
        None => return None,
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    Some(format!("/{}", parts.join("/")))
}

/// `~`, `~/x`, `$HOME` and `$HOME/x` with the home folder put in; `None` where it begins with none of these or no home
/// folder is known.
pub(crate) fn at_home(written: &str, home: &str) -> Option<String> {
    let rest = written.strip_prefix('~').or_else(|| written.strip_prefix("$HOME"))?;
    if !home.starts_with('/') || !(rest.is_empty() || rest.starts_with('/')) {
        return None;
    }
    Some(format!("{}{rest}", home.trim_end_matches('/')))
}

/// Whether a path is a folder or lies below it. Both plain.
pub(crate) fn is_within(path: &str, folder: &str) -> bool {
    folder == "/" || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What follows a folder in a path below it: `src/a.rs`; empty for the folder itself.
pub(crate) fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(folder)?;
    if folder == "/" || rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_whose_name_only_begins_the_same_is_another_folder() {
        assert!(is_within("/home/u/site", "/home/u/site") && is_within("/home/u/site/a", "/home/u/site"));
        assert!(!is_within("/home/u/site2", "/home/u/site") && !is_within("/home/u", "/home/u/site"));
        assert_eq!(below("/home/u/site/a/b", "/home/u/site"), Some("a/b"));
        assert_eq!(below("/home/u/site2", "/home/u/site"), None);
    }

    #[test]
    fn paths_are_compared_without_their_decoration() {
        assert_eq!(plain("/home//u/./site/").as_deref(), Some("/home/u/site"));
        assert_eq!(plain("//").as_deref(), Some("/"));
        assert_eq!(plain("/home/u/.."), None);
        assert_eq!(plain("site"), None);
        assert_eq!(absolute("../x", "/home/u/proj", "/home/u").as_deref(), Some("/home/u/x"));
        assert_eq!(absolute("~/x", "/home/u/proj", "/home/u").as_deref(), Some("/home/u/x"));
        assert_eq!(absolute("x", "", "/home/u"), None);
    }

    #[test]
    fn the_home_of_another_user_is_not_ours() {
        assert_eq!(at_home("~/a", "/home/u/").as_deref(), Some("/home/u/a"));
        assert_eq!(at_home("$HOME/a", "/home/u").as_deref(), Some("/home/u/a"));
        assert_eq!(at_home("~bob/a", "/home/u"), None);
        assert_eq!(at_home("$HOMEX", "/home/u"), None);
        assert_eq!(at_home("~/a", ""), None);
    }
}
