//! Which folders a command may run in, after the `cd`s before it.

use super::part::Joint;
use crate::classify::{scene::Scene, word::Word};

/// How many folders are kept; past it the folder is unknown.
const MOST: usize = 4;

/// The folders that a command may run in; the likeliest first. `None` is one that can't be told.
#[derive(Debug, Clone)]
pub(super) struct Folders {
    now: Vec<Option<String>>,
    /// Where it stays if a `cd` failed.
    behind: Vec<Option<String>>,
}

impl Folders {
    pub(super) fn at(folder: Option<String>) -> Self {
        Self { now: vec![folder], behind: Vec::new() }
    }

    /// The likeliest.
    pub(super) fn likeliest(&self) -> Option<String> {
        self.now.first().cloned().flatten()
    }

    /// All of them.
    pub(super) fn all(&self) -> &[Option<String>] {
        &self.now
    }

    /// Goes on to the next command: only behind `&&` is it sure that a `cd` was successful.
    pub(super) fn go_on(&mut self, joint: Joint) {
        if matches!(joint, Joint::And | Joint::Pipe | Joint::Start) {
            return;
        }
        let behind = core::mem::take(&mut self.behind);
        self.add(behind);
    }

    /// Changes the folder as a command's words say, which begin with `cd` or one of its kin.
    pub(super) fn change(&mut self, words: &[Word], is_apart: bool, scene: &Scene<'_>) {
        let mut operands = words.iter().skip(1).filter(|word| !is_option(word));
        let to = operands.next();
        let is_plain = words.first().is_some_and(|word| word.text == "cd" || word.text == "pushd");
        let there: Vec<Option<String>> = self
            .now
            .iter()
            .map(|from| match to {
                _ if !is_plain => None,
                None => Some(scene.call.home.to_owned()).filter(|home| !home.is_empty()),
                Some(word) if !is_certain(word) => None,
                Some(word) => absolute(scene, from.as_deref()?, &word.text),
            })
            .collect();
        if is_apart {
            self.add(there);
            return;
        }
        let before = core::mem::replace(&mut self.now, there);
        self.behind.extend(before);
        self.behind.truncate(MOST);
    }

    fn add(&mut self, folders: Vec<Option<String>>) {
        for folder in folders {
            if !self.now.contains(&folder) {
                self.now.push(folder);
            }
        }
        if self.now.len() > MOST {
            self.now.truncate(MOST - 1);
            self.now.push(None);
        }
    }
}

fn is_option(word: &Word) -> bool {
    matches!(word.text.as_str(), "-L" | "-P" | "-e" | "--" | "-@" | "-n" | "-q" | "-s")
}

/// Whether a folder is named to the letter.
fn is_certain(word: &Word) -> bool {
    let is_home = word.text.starts_with('~') && !word.is_quoted;
    word.is_known
        && !word.is_glob
        && !word.text.is_empty()
        && word.text != "-"
        && (!is_home || word.text == "~" || word.text.starts_with("~/"))
}

/// An absolute path without `.` and `..` parts, seen from a folder.
pub(in crate::classify) fn absolute(scene: &Scene<'_>, from: &str, path: &str) -> Option<String> {
    let home = scene.call.home;
    let whole = if path.starts_with('/') {
        path.to_owned()
    } else if path == "~" || path.starts_with("~/") {
        format!("{home}{}", path.get(1..).unwrap_or_default())
    } else {
        format!("{from}/{path}")
    };
    if !whole.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    Some(format!("/{}", parts.join("/")))
}
