//! The shape of the lists of paths that are more than files: closed ones, Countersign's own, guarded ones.

use std::collections::BTreeMap;

use super::glob::{has_pattern, may_be};

/// One line of a list: a path and everything below it.
#[derive(Debug)]
pub(super) struct Listed {
    /// Where it is found.
    pub(super) at: At,
    /// Its parts, separated by `/`; each may hold `*`.
    pub(super) path: &'static str,
    /// Why it stands here, for the card: "holds SSH keys".
    pub(super) why: &'static str,
    /// Whether `path` holds a `*`.
    is_pattern: bool,
}

/// Where a listed path is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    /// In anybody's home; and, for it is told from nothing else by its name, below any folder outside the project and
    /// in any text that a shell or an interpreter gets.
    Home,
    /// In anybody's home only: files of the same name lie in projects too.
    HomeOnly,
    /// From the root.
    Root,
    /// Below any folder, the project included.
    Anywhere,
    /// Below any folder, as that name itself: what lies below is not meant.
    AnywhereItself,
    /// The name of a file outside the project, in any folder.
    OutsideName,
}

/// A path's parts and what is known of where they begin.
#[derive(Debug, Clone)]
pub(super) struct Parts<'a> {
    /// Without empty ones, `.` and `..`.
    pub(super) names: Vec<&'a str>,
    /// What they begin at.
    pub(super) from: From,
    /// How many of them lead to a home, where it lies below one.
    home: Option<usize>,
    /// Whether one of them holds a pattern.
    is_pattern: bool,
}

/// Where a path begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum From {
    /// The root.
    Root {
        /// Whether the path lies in the project.
        is_inside: bool,
    },
    /// Somebody's home.
    Home,
    /// A folder that nobody can tell.
    Untold,
    /// The middle of some text.
    Text,
}

impl<'a> Parts<'a> {
    /// Parts from the root, beside a home's.
    pub(super) fn from_root(names: Vec<&'a str>, home: &[&str], is_inside: bool) -> Self {
        Self { home: below_a_home(&names, home), ..Self::new(names, From::Root { is_inside }) }
    }

    /// Parts that begin anywhere else.
    pub(super) fn new(names: Vec<&'a str>, from: From) -> Self {
        let home = (from == From::Home).then_some(0);
        let is_pattern = names.iter().any(|name| has_pattern(name));
        Self { names, from, home, is_pattern }
    }

    /// The parts below a home.
    fn at_home(&self) -> Option<&[&'a str]> {
        self.names.get(self.home?..)
    }
}

impl Listed {
    const fn new(at: At, path: &'static str, why: &'static str) -> Self {
        Self { at, path, why, is_pattern: has_star(path) }
    }

    /// In anybody's home, and told by its name elsewhere.
    pub(super) const fn home(path: &'static str, why: &'static str) -> Self {
        Self::new(At::Home, path, why)
    }

    /// In anybody's home only.
    pub(super) const fn home_only(path: &'static str, why: &'static str) -> Self {
        Self::new(At::HomeOnly, path, why)
    }

    /// From the root.
    pub(super) const fn root(path: &'static str, why: &'static str) -> Self {
        Self::new(At::Root, path, why)
    }

    /// Below any folder.
    pub(super) const fn anywhere(path: &'static str, why: &'static str) -> Self {
        Self::new(At::Anywhere, path, why)
    }

    /// Below any folder, without what lies below it.
    pub(super) const fn itself(path: &'static str, why: &'static str) -> Self {
        Self::new(At::AnywhereItself, path, why)
    }

    /// A file's name outside the project.
    pub(super) const fn outside(path: &'static str, why: &'static str) -> Self {
        Self::new(At::OutsideName, path, why)
    }

    /// Whether a path is this one or lies below it.
    pub(super) fn holds(&self, parts: &Parts<'_>) -> bool {
        let names = parts.names.as_slice();
        let is_at_home = || parts.at_home().is_some_and(|rest| self.begins(rest, parts.is_pattern));
        let is_root = matches!(parts.from, From::Root { .. });
        let is_inside = parts.from == From::Root { is_inside: true };
        match self.at {
            At::Home => is_at_home() || (!is_inside && self.stands_in(parts)),
            At::HomeOnly => is_at_home(),
            At::Root => is_root && self.begins(names, parts.is_pattern),
            At::Anywhere => self.stands_in(parts),
            At::AnywhereItself => self.ends(parts),
            At::OutsideName => !is_inside && parts.from != From::Text && self.ends(parts),
        }
    }

    /// Whether names begin with this path's.
    fn begins(&self, names: &[&str], is_pattern: bool) -> bool {
        let is_exact = !self.is_pattern && !is_pattern;
        // Nearly every line ends here: a whole list is walked for each path of a call.
        let may_begin = |name: &&str| {
            self.path
                .as_bytes()
                .get(..name.len())
                .is_some_and(|path| path.eq_ignore_ascii_case(name.as_bytes()))
        };
        if is_exact && !names.first().is_some_and(may_begin) {
            return false;
        }
        let mut names = names.iter();
        self.path.split('/').all(|listed| {
            let Some(name) = names.next() else { return false };
            if is_exact { listed.eq_ignore_ascii_case(name) } else { may_be(listed, name) }
        })
    }

    /// Whether this path stands anywhere in them.
    fn stands_in(&self, parts: &Parts<'_>) -> bool {
        let names = parts.names.as_slice();
        (0..names.len())
            .any(|start| names.get(start..).is_some_and(|rest| self.begins(rest, parts.is_pattern)))
    }

    /// Whether names end with this path.
    fn ends(&self, parts: &Parts<'_>) -> bool {
        let names = parts.names.as_slice();
        let start = names.len().checked_sub(self.path.split('/').count());
        start.and_then(|start| names.get(start..)).is_some_and(|rest| self.begins(rest, parts.is_pattern))
    }
}

const fn has_star(path: &str) -> bool {
    let mut rest = path.as_bytes();
    while let [first, behind @ ..] = rest {
        if *first == b'*' {
            return true;
        }
        rest = behind;
    }
    false
}

/// How many parts lead to a home that the rest lies below: the user's own, or any other person's.
fn below_a_home(names: &[&str], home: &[&str]) -> Option<usize> {
    if !home.is_empty() && names.len() > home.len() && names.iter().zip(home).all(|(a, b)| a == b) {
        return Some(home.len());
    }
    match names {
        ["home" | "Users", _, _, ..] => Some(2),
        ["var", "home", _, _, ..] => Some(3),
        ["root", _, ..] => Some(1),
        _ => None,
    }
}

/// Lists by the first part of their paths: most paths have no part that any listed one begins with.
#[derive(Debug)]
pub(super) struct Index {
    by_first: BTreeMap<String, Vec<&'static Listed>>,
    /// Those that begin with a pattern.
    others: Vec<&'static Listed>,
}

impl Index {
    pub(super) fn of(lists: &[&'static [Listed]]) -> Self {
        let mut index = Self { by_first: BTreeMap::new(), others: Vec::new() };
        for listed in lists.iter().flat_map(|list| *list) {
            let first = listed.path.split('/').next().unwrap_or_default();
            if first.contains('*') {
                index.others.push(listed);
            } else {
                index.by_first.entry(first.to_ascii_lowercase()).or_default().push(listed);
            }
        }
        index
    }

    /// A line that holds a path.
    pub(super) fn find(&self, parts: &Parts<'_>) -> Option<&'static Listed> {
        let holds = |listed: &&&'static Listed| listed.holds(parts);
        let named = |name: &&str| {
            let has_upper = name.contains(|c: char| c.is_ascii_uppercase());
            let found = if has_upper {
                self.by_first.get(&name.to_ascii_lowercase())
            } else {
                self.by_first.get(*name)
            };
            found.and_then(|lines| lines.iter().find(holds))
        };
        if parts.is_pattern {
            let all = self.by_first.values().flatten();
            return all.chain(&self.others).find(holds).copied();
        }
        parts.names.iter().find_map(named).or_else(|| self.others.iter().find(holds)).copied()
    }
}
