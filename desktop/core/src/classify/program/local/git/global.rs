//! Options in front of Git's sub-command: where it works, and settings for this once.

use super::settings::is_harmless;
use crate::classify::{
    facts::Reach,
    finding::Finding,
    program::{
        entry::{Fixed, READ, UNKNOWN_RED},
        folder,
    },
    word::{Command, Word},
};
use countersign_proto::request::{Class, Level};

/// What stood in front of the sub-command.
pub(super) struct Globals<'c> {
    /// What these options do by themselves.
    pub(super) finding: Finding,
    /// Where Git then works.
    pub(super) folder: Option<String>,
    /// The sub-command and what follows.
    pub(super) rest: &'c [Word],
}

/// Harmless, but not the one option that keeps a command green.
const ODD: Fixed = Fixed::of(Class::Read, Level::Yellow, Reach::Never);

impl<'c> Globals<'c> {
    pub(super) fn of(command: &'c Command) -> Self {
        let mut globals =
            Self { finding: READ.finding(), folder: command.folder.clone(), rest: command.arguments() };
        while let Some((word, behind)) = globals.rest.split_first() {
            if !word.text.starts_with('-') {
                break;
            }
            globals.rest = behind;
            globals.option(word);
        }
        globals
    }

    fn option(&mut self, word: &Word) {
        let (name, glued) = match word.text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word.text.as_str(), None),
        };
        if !word.is_known {
            return self.runs("Its options can't be told beforehand.");
        }
        match name {
            "--no-pager" => {}
            "-C" => {
                let target = self.value(None);
                self.folder = match (&self.folder, target) {
                    (Some(folder), Some(target)) => Some(folder::join(folder, &target)),
                    _ => None,
                };
                self.odd("Works in another folder.");
            }
            "-c" => {
                let setting = self.value(glued.map(|value| format!("{name}={value}")));
                if setting.is_some_and(|setting| is_harmless(&setting)) {
                    self.odd("Changes a setting of Git for this once.");
                } else {
                    self.runs("Changes a setting of Git that can start programs or say where a push goes.");
                }
            }
            "--git-dir" | "--work-tree" | "--namespace" | "--attr-source" => {
                self.value(glued);
                // Its configuration is another one, which nobody has looked at.
                self.folder = None;
                self.odd("Works on another repository.");
            }
            "-p"
            | "--paginate"
            | "-P"
            | "--no-replace-objects"
            | "--no-lazy-fetch"
            | "--no-optional-locks"
            | "--bare"
            | "--no-advice"
            | "--literal-pathspecs"
            | "--glob-pathspecs"
            | "--noglob-pathspecs"
            | "--icase-pathspecs"
            | "-v"
            | "--version"
            | "-h"
            | "--help"
            | "--html-path"
            | "--man-path"
            | "--info-path" => {
                self.odd("Has options in front of Git's command.");
            }
            "--list-cmds" => self.odd("Has options in front of Git's command."),
            "--exec-path" if glued.is_none() => self.odd("Has options in front of Git's command."),
            _ => self.runs("Has an option of Git that can start programs."),
        }
    }

    /// The value of an option: glued, or the next word.
    fn value(&mut self, glued: Option<String>) -> Option<String> {
        if glued.is_some() {
            return glued;
        }
        let (word, behind) = self.rest.split_first()?;
        self.rest = behind;
        (word.is_known && !word.is_glob).then(|| word.text.clone())
    }

    fn odd(&mut self, words: &'static str) {
        self.finding.worsen(ODD.because(words).finding());
    }

    fn runs(&mut self, words: &'static str) {
        self.finding.worsen(UNKNOWN_RED.because(words).finding());
    }
}
