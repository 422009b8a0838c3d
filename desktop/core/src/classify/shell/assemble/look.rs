//! Looks around a command: its paths, its program, its repository.

use countersign_proto::request::{Class, Level};

use super::{Around, Judge};
use crate::classify::{
    facts::{PathFact, Place, ProgramFact, Reach},
    finding::Finding,
    path,
    program::entry::UNKNOWN,
    resolver::Program,
    shell::folders,
    word::{Command, Word},
};

/// Commands of the shell itself: no file is started.
const BUILTINS: &[&str] = &[
    ".",
    ":",
    "[",
    "[[",
    "]]",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "cd",
    "command",
    "compgen",
    "complete",
    "continue",
    "declare",
    "dirs",
    "disown",
    "echo",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "setopt",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "time",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "unsetopt",
    "wait",
];

/// How many paths, programs and hosts are kept for the card.
const MOST_KEPT: usize = 256;

/// Yellow, for a reason that says nothing of the class.
fn asks(reach: Reach, words: &str) -> Finding {
    Finding::of(Class::Read, Level::Yellow, reach).because(words)
}

impl Judge<'_> {
    /// What a command's surroundings make of it.
    pub(super) fn looks(&mut self, command: &Command, class: Class, around: &Around) -> Finding {
        let mut finding = path::nothing();
        let own = core::iter::once(command.folder.clone());
        let others = around.folders.all().iter().filter(|folder| **folder != command.folder).cloned();
        for folder in own.chain(others) {
            let size: usize = command.words.iter().map(|word| word.text.len()).sum();
            if !self.spend(size) {
                return super::too_deep();
            }
            let (paths, facts) = path::of_command(&Command { folder, ..command.clone() }, self.scene, class);
            finding.worsen(paths);
            facts.into_iter().for_each(|fact| self.note_path(fact));
        }
        if command.arguments().iter().any(|word| !word.is_known) {
            finding.worsen(asks(Reach::Never, "Not all of its words can be told beforehand."));
        }
        finding.worsen(self.program(command, around));
        let folder = around.folders.likeliest();
        if command.name() == "git"
            && folder.as_deref().is_none_or(|folder| self.scene.world.git_starts_programs(folder))
        {
            finding.worsen(asks(Reach::Never, "This repository's Git configuration starts programs."));
        }
        finding.worsen(self.private(command, around));
        finding
    }

    /// What the paths in a word make of it.
    pub(super) fn word_paths(&mut self, word: &Word, class: Class, around: &Around) -> Finding {
        let mut finding = path::nothing();
        let is_changed = !matches!(class, Class::Read | Class::ReadExternal);
        for token in path::tokens(word) {
            if !self.spend(token.len()) {
                return super::too_deep();
            }
            for folder in around.folders.all() {
                let fact = path::locate(self.scene, folder.as_deref(), &token, is_changed);
                finding.worsen(path::weigh(&fact, class));
                self.note_path(fact);
            }
        }
        finding
    }

    pub(super) fn note_path(&mut self, fact: PathFact) {
        if self.paths.len() < MOST_KEPT && !self.paths.contains(&fact) {
            self.paths.push(fact);
        }
    }

    /// Whether a command's name starts what it says (REQ-5).
    fn program(&mut self, command: &Command, around: &Around) -> Finding {
        let mut finding = path::nothing();
        let written = command.written();
        if command.words.first().is_none_or(|word| !word.is_known || word.is_glob) {
            if let Some(word) = command.words.first() {
                finding.worsen(self.word_paths(word, Class::Read, around));
            }
            return finding;
        }
        if BUILTINS.contains(&written) || self.functions.contains(written) {
            return finding;
        }
        let folder = around.folders.likeliest().unwrap_or_default();
        let program = self.scene.world.program(written, &folder);
        let mut is_in_project = false;
        if written.contains('/') {
            for folder in around.folders.all() {
                let fact = path::locate(self.scene, folder.as_deref(), written, false);
                is_in_project |= matches!(fact.place, Place::Inside | Place::Git | Place::Temporary);
                finding.worsen(path::weigh(&fact, Class::Read));
                self.note_path(fact);
            }
        }
        match &program {
            Program::Trusted(path) | Program::Writable(path) => {
                is_in_project |= self.lies_with_the_user(path);
            }
            Program::Missing | Program::Unknown => {}
        }
        match program {
            Program::Trusted(_) => {}
            Program::Writable(_) => {
                finding.worsen(asks(Reach::Class, "You could change the program that this starts."))
            }
            Program::Missing => finding.worsen(asks(Reach::Never, "No such program is installed.")),
            Program::Unknown => {
                finding.worsen(asks(Reach::Never, "Which program this starts can't be told."))
            }
        }
        if is_in_project {
            finding.worsen(asks(Reach::Never, "Starts a program of the project."));
            finding.worsen(UNKNOWN.finding());
            finding.drivers.push(written.to_owned());
        }
        if self.programs.len() < MOST_KEPT {
            self.programs.push(ProgramFact { name: written.to_owned(), program, is_in_project });
        }
        finding
    }

    /// Whether a program's real path lies in the project or in a temporary folder (REQ-5).
    fn lies_with_the_user(&self, path: &str) -> bool {
        let worktree = self.scene.call.worktree.trim_end_matches('/');
        let is_below = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        (!worktree.is_empty() && is_below(worktree))
            || ["/tmp", "/var/tmp", "/dev/shm"].into_iter().any(is_below)
    }

    /// Whether a read goes over a tree, or names that a pattern matches, where private files lie (LVL-1).
    fn private(&self, command: &Command, around: &Around) -> Finding {
        let clean = path::nothing();
        let is_recursive = match command.name() {
            "rg" | "ag" | "ack" => true,
            "grep" | "egrep" | "fgrep" | "diff" => command.arguments().iter().any(|word| {
                let cluster = word.text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
                cluster.is_some_and(|cluster| cluster.contains(['r', 'R']))
                    || matches!(word.text.as_str(), "--recursive" | "--dereference-recursive")
            }),
            _ => false,
        };
        let Some(from) = around.folders.likeliest() else { return clean };
        let operands = command.arguments().iter().filter(|word| !word.text.starts_with('-'));
        let mut trees: Vec<String> = Vec::new();
        if is_recursive {
            let named =
                operands.clone().skip(1).filter_map(|word| folders::absolute(self.scene, &from, &word.text));
            trees.extend(named);
            if trees.is_empty() {
                trees.push(from.clone());
            }
        }
        for word in operands.filter(|word| word.is_glob) {
            let fixed = word.text.split(['*', '?', '[']).next().unwrap_or_default();
            let parent = fixed.rsplit_once('/').map_or("", |(parent, _)| parent);
            trees.extend(folders::absolute(self.scene, &from, parent));
        }
        if trees.iter().any(|tree| self.scene.world.holds_private(tree)) {
            return asks(Reach::Never, "Reads over a folder that holds private files.");
        }
        clean
    }

    /// Where the call's own folder lies: in the project, and the project where a project can be.
    pub(in crate::classify::shell) fn session_folder(
        &mut self,
        written: Option<&str>,
        folder: Option<&str>,
    ) -> Finding {
        let mut finding = path::nothing();
        let call = &self.scene.call;
        let worktree = call.worktree;
        if !worktree.starts_with('/')
            || worktree == "/"
            || worktree.trim_end_matches('/') == call.home.trim_end_matches('/')
        {
            finding.worsen(asks(
                Reach::Never,
                "There is no project folder: it is unknown, the home folder or everything.",
            ));
        }
        let Some(folder) = folder else {
            finding.worsen(asks(Reach::Never, "The folder it runs in is not known."));
            return finding;
        };
        let fact = path::locate(self.scene, None, folder, false);
        if !matches!(fact.place, Place::Inside) || written.is_some() {
            finding.worsen(path::weigh(&PathFact { written: folder.to_owned(), ..fact }, Class::Read));
        }
        finding
    }

    /// Whether the shell that an agent sends its text to is the system's (REQ-5).
    pub(in crate::classify::shell) fn shell_program(&mut self, words: &[String], around: &Around) -> Finding {
        let words = words.iter().map(|word| Word::plain(word)).take(1).collect();
        self.program(&crate::classify::shell::command(words, around.folders.likeliest()), around)
    }
}
