//! Paths in the middle of a text that is more than a path: a script, a pattern, a sentence. There a `/` is more often
//! something else, so only what plainly begins as a path counts: a folder that every system has, a home, `..`.

use super::{place, start};

/// The folders at a root, of all systems.
const AT_ROOT: &[&str] = &[
    "etc",
    "home",
    "root",
    "usr",
    "var",
    "proc",
    "sys",
    "dev",
    "opt",
    "srv",
    "mnt",
    "media",
    "tmp",
    "run",
    "boot",
    "bin",
    "sbin",
    "lib",
    "lib32",
    "lib64",
    "libx32",
    "snap",
    "nix",
    "data",
    "lost+found",
    "cdrom",
    "vol",
    "Users",
    "System",
    "Library",
    "Applications",
    "Volumes",
    "private",
    "cores",
    "Network",
];

/// Whether a text begins with what is plainly a path.
pub(in crate::classify) fn begins(text: &str) -> bool {
    if let Some(rest) = text.strip_prefix('/') {
        let rest = rest.trim_start_matches('/');
        let end =
            rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+_-.*?[".contains(c)).unwrap_or(rest.len());
        let name = rest.get(..end).unwrap_or(rest);
        return AT_ROOT.contains(&name)
            || super::glob::has_pattern(name) && AT_ROOT.iter().any(|root| super::glob::may_be(root, name));
    }
    text.starts_with("~/")
        || text == "~"
        || text == ".."
        || text.starts_with("../")
        || text.starts_with("..\\")
        || text.starts_with("~\\")
        || (text.starts_with('$') && start::is_known_variable(text))
        || start::is_windows(text)
}

/// Whether a path that begins with something unknown tells by its end where it leads: it climbs, or ends in the names
/// of a store or of a file for secrets.
pub(super) fn tells_by_its_end(text: &str) -> bool {
    let names: Vec<&str> = text.split(['/', '\\']).filter(|name| !name.is_empty()).collect();
    names.contains(&"..")
        || names.last().is_some_and(|name| place::is_env(name))
        || place::is_named_store(&names)
}

/// The paths that a text plainly names.
pub(in crate::classify) fn scan(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut before = None;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        let may_begin = matches!(c, '/' | '~' | '$' | '.' | '%')
            || (c.is_ascii_alphabetic() && text.get(at + 1..).is_some_and(|rest| rest.starts_with(":\\")));
        if may_begin
            && (c == '$' || before.is_none_or(is_edge))
            && let Some(rest) = text.get(at..)
            && begins(rest)
        {
            let token = run(rest);
            found.push(token);
            // On behind it; each character is looked at once.
            let end = at + token.len();
            before = token.chars().last();
            while chars.clone().next().is_some_and(|(next, _)| next < end) {
                chars.next();
            }
            continue;
        }
        before = Some(c);
    }
    found
}

/// Whether a path may begin behind a character.
fn is_edge(c: char) -> bool {
    c.is_whitespace() || "\"'`()[]{}<>=,:;|&@!+".contains(c)
}

/// A path's characters at the beginning of a text.
fn run(text: &str) -> &str {
    let is_end = |c: char| c.is_whitespace() || "\"'`;|&<>()[]{},".contains(c);
    // `${HOME}` is the one form whose braces belong to it.
    let skipped = if text.starts_with("${") { text.find('}').map_or(0, |at| at + 1) } else { 0 };
    let rest = text.get(skipped..).unwrap_or_default();
    let end = rest.find(is_end).map_or(text.len(), |at| skipped + at);
    let token = text.get(..end).unwrap_or(text).trim_end_matches([':', '!']);
    // A full stop ends the sentence, two are a part of the path.
    token.strip_suffix('.').filter(|token| !token.ends_with('.')).unwrap_or(token)
}
