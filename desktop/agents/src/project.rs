//! A project's own settings of an agent, and what they can do to a session behind its person's back (REQ-5).

use countersign_proto::{
    id::Hash,
    text::{Foreign, Shown},
};

/// Digits of a file's hash that stand in a risk: 64 bits.
const MARK: usize = 16;

/// Tells of a variable's name whether it changes what a program's name starts.
pub type IsRisky<'a> = &'a dyn Fn(&str) -> bool;

/// The settings files of a project, and how they are read.
#[derive(Debug, Clone, Copy)]
pub struct ProjectFiles {
    /// Their paths below the project's folder.
    pub names: &'static [&'static str],
    /// What the text of one of them does, given which variables' names are risky.
    pub risks: fn(&[u8], IsRisky<'_>) -> ProjectRisks,
}

/// What one settings file does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectRisks {
    /// A few words each, that follow the file's name: `sets LD_PRELOAD`. Empty: nothing risky.
    pub found: Vec<Foreign>,
    /// Hash of the file's text, by which a person accepts it.
    pub hash: Hash,
}

impl ProjectRisks {
    /// Each risk of the file with this name as a card shows it and a person accepts it: with the hash of the text, so that
    /// exactly this text is accepted.
    pub fn named(&self, file: &str) -> impl Iterator<Item = Shown> {
        let mark: String = self.hash.to_string().chars().take(MARK).collect();
        self.found.iter().map(move |found| Shown::line(&format!("{file} {} ({mark})", found.raw())))
    }
}
