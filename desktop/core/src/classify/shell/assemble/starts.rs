//! What a command starts: wrappers and shells opened, builtins that read text as commands, what is fed to them, and
//! where none of that can be read, guesses.

use countersign_proto::request::{Class, Level};

use super::{Around, Judge, not_simple};
use crate::classify::{
    finding::{Finding, rank},
    path::{self, nothing},
    program::{
        self,
        entry::{RUNS_CODE, UNKNOWN, UNKNOWN_RED},
    },
    shell::{
        command,
        part::Feed,
        shells::{self, Told},
        wrapper::{Inside, Opened},
    },
    word::{Command, Word},
};

/// How many places of a wrapper that can't be read are tried as its inner command.
const MOST_TRIED: usize = 12;

impl Judge<'_> {
    /// What a command starts, and what of the text that it is fed or given runs.
    pub(super) fn starts(
        &mut self,
        command: &Command,
        opened: Option<Opened>,
        is_unknown: bool,
        feed: (&Feed, Option<&str>),
        around: &Around,
    ) -> Finding {
        let (feed, printed) = feed;
        let name = command.name();
        let mut finding = nothing();
        if command.words.first().is_none_or(|word| !word.is_known || word.is_glob) {
            return self.later_words(command, around);
        }
        if shells::is_shell(name) {
            finding.worsen(self.shell(command, feed, printed, around));
        } else if let Some(inside) = shells::builtin_text(command) {
            finding.worsen(self.builtin(command, inside, around));
        } else if matches!(name, "source" | ".") {
            finding.worsen(self.fed(true, feed, printed, around));
            finding.worsen(self.later_words(command, around));
        } else if let Some(opened) = opened {
            finding.worsen(not_simple());
            for inside in &opened.inside {
                finding.worsen(self.inside(inside, feed, printed, around));
            }
            if !opened.is_read {
                finding.worsen(UNKNOWN.because("Has options that are not known.").finding());
                finding.worsen(self.later_words(command, around));
            }
        } else if is_unknown {
            finding.worsen(self.hidden_command(command, around));
        }
        if shells::is_interpreter(name) {
            finding.worsen(self.interpreter(command, feed));
        }
        finding
    }

    /// A command or text inside a wrapper.
    fn inside(&mut self, inside: &Inside, feed: &Feed, printed: Option<&str>, around: &Around) -> Finding {
        match inside {
            Inside::Words { words, many, assigned } => {
                let around = around.inside(*many);
                let mut inner = command(words.clone(), around.folders.likeliest());
                inner.assigned.clone_from(assigned);
                inner.is_fed = *feed != Feed::Nothing;
                let is_told =
                    |word: &Word| shells::is_shell(word.text.rsplit('/').next().unwrap_or_default());
                if *many && words.first().is_some_and(is_told) {
                    // What is appended to its words is text that nobody sees.
                    let mut finding =
                        UNKNOWN_RED.because("Gives a shell text that comes from elsewhere.").finding();
                    finding.worsen(self.command(&inner, feed, printed, &around));
                    return finding;
                }
                self.command(&inner, feed, printed, &around)
            }
            Inside::Text { text, is_known } => {
                let mut finding = not_simple();
                if !is_known {
                    finding.worsen(UNKNOWN_RED.because("Runs text that is computed.").finding());
                }
                finding.worsen(self.text(text, &around.inside(false)));
                finding
            }
        }
    }

    /// A shell: the text it is told, the file, or what it is fed.
    fn shell(&mut self, command: &Command, feed: &Feed, printed: Option<&str>, around: &Around) -> Finding {
        let (told, reads_more) = shells::told(command);
        let mut finding = not_simple();
        for name in &command.assigned {
            finding.worsen(program::variable::judge(name));
        }
        if reads_more {
            finding.worsen(RUNS_CODE.because("Reads a start-up file.").finding());
        }
        match &told {
            Told::Text(word) => {
                finding.worsen(self.inside(&Inside::text(word), &Feed::Nothing, None, around))
            }
            Told::File(word) if is_stream(&word.text) => {
                finding.worsen(UNKNOWN.because("Starts a shell.").finding())
            }
            Told::File(word) if word.is_known => {
                let mut runs = RUNS_CODE.because("Runs a script.").finding();
                runs.drivers.push(word.text.clone());
                finding.worsen(runs);
            }
            Told::File(_) => {
                finding.worsen(UNKNOWN_RED.because("Runs a script that can't be told.").finding())
            }
            Told::Input => finding.worsen(UNKNOWN.because("Starts a shell.").finding()),
        }
        let reads_it = match &told {
            Told::Input => true,
            Told::File(word) => is_stream(&word.text),
            Told::Text(_) => false,
        };
        finding.worsen(self.fed(reads_it, feed, printed, around));
        finding
    }

    /// What is fed to a shell.
    fn fed(&mut self, reads_it: bool, feed: &Feed, printed: Option<&str>, around: &Around) -> Finding {
        let around = around.inside(false);
        match feed {
            Feed::Nothing => nothing(),
            Feed::Text(text) => self.text(text, &around),
            Feed::Expanded(text) => {
                let mut finding = UNKNOWN_RED.because("Feeds a shell text that is computed.").finding();
                finding.worsen(self.text(text, &around));
                if let Some(text) = printed {
                    finding.worsen(self.text(text, &around));
                }
                finding
            }
            Feed::Pipe => {
                let mut finding = UNKNOWN_RED.because("Pipes something into a shell.").finding();
                if let Some(text) = printed {
                    finding.worsen(self.text(text, &around));
                }
                finding
            }
            Feed::File if reads_it => UNKNOWN_RED.because("Feeds a file to a shell.").finding(),
            Feed::File => not_simple(),
        }
    }

    /// A builtin that reads text as commands, or keeps it for later.
    fn builtin(&mut self, command: &Command, inside: Vec<Inside>, around: &Around) -> Finding {
        let mut finding = not_simple();
        if command.name() == "eval" {
            finding.worsen(UNKNOWN.because("Runs text as commands.").finding());
        }
        let runs_all = matches!(command.name(), "eval" | "trap" | "alias");
        for inside in inside {
            let inner = self.inside(&inside, &Feed::Nothing, None, around);
            // Names of functions and keys are no commands; only what is red in them counts.
            if runs_all || (inner.level == Level::Red && inner.class != Class::Unknown) {
                finding.worsen(inner);
            }
        }
        finding
    }

    /// An interpreter: paths anywhere in its words and in what it is fed, and whether that is a pipe.
    fn interpreter(&mut self, command: &Command, feed: &Feed) -> Finding {
        let mut finding = nothing();
        for word in command.arguments() {
            finding.worsen(path::mentions(&word.text, self.scene));
            // A word with brackets or quotes is code; others are operands, which are judged as paths.
            if word.text.contains(['(', '"', '\'']) {
                finding.worsen(path::names_guarded(&word.text));
            }
        }
        match feed {
            Feed::Text(text) | Feed::Expanded(text) => {
                finding.worsen(path::mentions(text, self.scene));
                finding.worsen(path::names_guarded(text));
            }
            Feed::Pipe | Feed::File if shells::runs_what_it_is_piped(command.name()) => {
                finding.worsen(UNKNOWN_RED.because("Pipes something into an interpreter.").finding());
            }
            Feed::Nothing | Feed::Pipe | Feed::File => {}
        }
        let is_computed =
            |word: &Word| !word.is_known && (word.text.starts_with("<(") || word.text.starts_with("$("));
        if command.arguments().iter().any(is_computed) {
            finding.worsen(UNKNOWN_RED.because("Runs text that is computed.").finding());
        }
        finding
    }

    /// Words behind the first as if the inner command began at each of them; only what is worse than unknown counts.
    fn later_words(&mut self, command: &Command, around: &Around) -> Finding {
        let mut finding = UNKNOWN.finding();
        if around.is_guess {
            return finding;
        }
        let around = &Around { is_guess: true, ..around.clone() };
        for first in 1..command.words.len().min(MOST_TRIED + 1) {
            let words = command.words.get(first..).unwrap_or_default();
            if words.first().is_some_and(|word| word.is_known && !word.is_glob && !word.text.starts_with('-'))
            {
                finding.worsen(self.inside(
                    &Inside::Words { words: words.to_vec(), many: false, assigned: Vec::new() },
                    &Feed::Nothing,
                    None,
                    around,
                ));
            }
        }
        finding
    }

    /// A dangerous command behind a program that nobody knows, which may well be a wrapper.
    fn hidden_command(&mut self, command: &Command, around: &Around) -> Finding {
        const WATCHED: &[&str] = &[
            "rm", "sudo", "doas", "dd", "shred", "git", "bash", "sh", "zsh", "dash", "eval", "mkfs", "wipefs",
        ];
        let mut finding = nothing();
        if around.is_guess {
            return finding;
        }
        let around = &Around { is_guess: true, ..around.clone() };
        let found = command.words.iter().enumerate().skip(1).take(MOST_TRIED);
        for (at, _) in
            found.filter(|(_, word)| WATCHED.contains(&word.text.rsplit('/').next().unwrap_or_default()))
        {
            let words = command.words.get(at..).unwrap_or_default().to_vec();
            let inside = Inside::Words { words, many: false, assigned: Vec::new() };
            let inner = self.inside(&inside, &Feed::Nothing, None, around);
            if inner.level == Level::Red && rank(inner.class) >= rank(Class::External) {
                finding.worsen(inner);
            }
        }
        finding
    }
}

/// `source file`
pub(super) fn source(command: &Command) -> Finding {
    let mut finding = RUNS_CODE.because("Runs a script in this shell.").finding();
    match command.arguments().first() {
        Some(word) if word.is_known && !is_stream(&word.text) => finding.drivers.push(word.text.clone()),
        Some(_) => finding.worsen(UNKNOWN_RED.because("Runs text that comes from elsewhere.").finding()),
        None => {}
    }
    finding
}

/// Whether a file's name is another name for standard input.
fn is_stream(path: &str) -> bool {
    matches!(path, "/dev/stdin" | "-" | "/dev/fd/0" | "/proc/self/fd/0" | "/dev/fd/63")
}
