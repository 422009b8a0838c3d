//! Puts a text's commands together: folders, pipes, wrappers, redirects, paths and programs, each a finding, the worst
//! of which holds. Bounded in depth and in work; past a bound everything is red and unknown.

mod alternatives;
mod look;
mod redirect;
mod starts;

use std::collections::BTreeSet;

use countersign_proto::request::{Class, Level};

use self::{alternatives::Values, starts::source};
use super::{
    command, finder,
    folders::Folders,
    lexer, literal,
    part::{Cut, Feed, Joint, Part},
    shells,
    wrapper::{self, Opened},
};
use crate::classify::{
    facts::{PathFact, ProgramFact, Ran, Reach},
    finding::Finding,
    path::{self, nothing},
    program::{
        self,
        entry::{DESTRUCTIVE, UNKNOWN, UNKNOWN_RED},
    },
    scene::Scene,
    word::{Command, Word},
};

/// How many wrappers and texts may stand in each other.
const MOST_DEEP: u8 = 8;
/// Work that a call may cost, for each byte of it and in any case: a step is a command, or a byte that is cut or looked at.
const STEPS_A_BYTE: usize = 64;
const STEPS_ANYWAY: usize = 64 * 1024;

/// Where a command stands.
#[derive(Debug, Clone)]
pub(super) struct Around {
    folders: Folders,
    depth: u8,
    /// Whether its words are exactly known: nothing is wrapped around it.
    is_plain: bool,
    /// Whether it runs for many names that nobody sees.
    many: bool,
    /// Whether it is a guess that a command begins here: no guesses are made inside of guesses.
    is_guess: bool,
}

impl Around {
    pub(super) fn outermost(folder: Option<String>) -> Self {
        Self { folders: Folders::at(folder), depth: 0, is_plain: true, many: false, is_guess: false }
    }

    /// The same, with the words of its commands known or not.
    pub(super) fn with_plain(self, is_plain: bool) -> Self {
        Self { is_plain, ..self }
    }

    fn inside(&self, many: bool) -> Self {
        Self { depth: self.depth + 1, is_plain: false, many: self.many || many, ..self.clone() }
    }
}

/// Judges one call's commands, and collects what it saw.
pub(super) struct Judge<'a> {
    scene: &'a Scene<'a>,
    steps: usize,
    most_steps: usize,
    functions: BTreeSet<String>,
    pub(super) ran: Vec<Ran>,
    pub(super) paths: Vec<PathFact>,
    pub(super) programs: Vec<ProgramFact>,
}

/// The least a text that is not simple amounts to.
fn not_simple() -> Finding {
    Finding::of(Class::Read, Level::Yellow, Reach::Never)
}

/// What can't be followed any further.
fn too_deep() -> Finding {
    UNKNOWN_RED.because("Nests deeper, or is longer, than can be followed.").finding()
}

impl<'a> Judge<'a> {
    /// For a call of `size` bytes.
    pub(super) fn new(scene: &'a Scene<'a>, size: usize) -> Self {
        Self {
            scene,
            steps: 0,
            most_steps: size.saturating_mul(STEPS_A_BYTE).saturating_add(STEPS_ANYWAY),
            functions: BTreeSet::new(),
            ran: Vec::new(),
            paths: Vec::new(),
            programs: Vec::new(),
        }
    }

    /// Whether there is work left for something of this size.
    fn spend(&mut self, size: usize) -> bool {
        self.steps = self.steps.saturating_add(size + 1);
        self.steps <= self.most_steps
    }

    /// Judges words that are given to the system as they are.
    pub(super) fn words(&mut self, words: &[String], around: &Around, is_plain: bool) -> Finding {
        if words.first().is_none_or(String::is_empty) {
            return UNKNOWN.because("Runs nothing.").finding();
        }
        let words = words.iter().map(|word| Word { is_quoted: true, ..Word::plain(word) }).collect();
        let around = Around { is_plain, ..around.clone() };
        self.command(&command(words, around.folders.likeliest()), &Feed::Nothing, None, &around)
    }

    /// Judges a text of the restricted grammar, or else what the finder sees in it.
    fn text(&mut self, text: &str, around: &Around) -> Finding {
        if around.depth > MOST_DEEP || !self.spend(text.len()) {
            return too_deep();
        }
        let mut finding = match lexer::lex(text) {
            Some(cut) => self.cut(&cut, around),
            None => self.found(text, around),
        };
        finding.worsen(path::mentions(text, self.scene));
        finding
    }

    /// Judges what the finder sees in a text.
    pub(super) fn found(&mut self, text: &str, around: &Around) -> Finding {
        if !self.spend(text.len().saturating_mul(4)) {
            return too_deep();
        }
        let found = finder::find(text, around.depth);
        let mut finding = not_simple();
        if found.cut.is_deep {
            finding.worsen(too_deep());
        }
        if !found.is_read {
            finding.worsen(UNKNOWN.because("Can't be read as a shell command.").finding());
        }
        if found.cut.transforms {
            finding.worsen(UNKNOWN_RED.because("Computes text that the shell reads as commands.").finding());
        }
        let around = Around { is_plain: false, ..around.clone() };
        finding.worsen(self.cut(&found.cut, &around));
        finding
    }

    /// Judges a text that was cut into commands.
    pub(super) fn cut(&mut self, cut: &Cut, around: &Around) -> Finding {
        let mut finding = nothing();
        if !cut.functions.is_empty() {
            finding.worsen(UNKNOWN.because("Defines functions.").finding());
            self.functions.extend(cut.functions.iter().cloned());
        }
        let values = Values::of(&cut.parts);
        let mut folders = around.folders.clone();
        let mut before: Option<&Part> = None;
        for part in &cut.parts {
            folders.go_on(part.joint);
            let here =
                Around { folders: folders.clone(), depth: around.depth.max(part.nest), ..around.clone() };
            let printed = before.filter(|_| part.joint == Joint::Pipe).and_then(literal::printed);
            let mut one = self.part(part, printed.as_deref(), &here);
            for words in values.alternatives(&part.words) {
                let other = Part { words, ..part.clone() };
                one.worsen(self.part(&other, printed.as_deref(), &here));
            }
            if let Some(before) = before
                && self.is_fork_bomb(before, part)
            {
                one.worsen(DESTRUCTIVE.because("Starts itself over and over.").finding());
            }
            if !part.is_doubtful || one.level == Level::Red {
                finding.worsen(one);
            }
            if part
                .words
                .first()
                .is_some_and(|word| matches!(word.text.as_str(), "cd" | "pushd" | "popd" | "chdir"))
            {
                folders.change(&part.words, part.is_apart || part.nest > 0, self.scene);
            }
            before = Some(part);
        }
        finding
    }

    fn is_fork_bomb(&self, before: &Part, part: &Part) -> bool {
        let name = |part: &Part| part.words.first().map(|word| word.text.clone());
        part.joint == Joint::Pipe
            && name(before) == name(part)
            && name(part).is_some_and(|name| self.functions.contains(&name))
    }

    /// Judges one command with its redirects and variables.
    fn part(&mut self, part: &Part, printed: Option<&str>, around: &Around) -> Finding {
        let size: usize = part.words.iter().map(|word| word.text.len() + 1).sum();
        if around.depth > MOST_DEEP || !self.spend(size) {
            return too_deep();
        }
        let mut finding = nothing();
        finding.worsen(self.redirects(part, around));
        let mut assigned = Vec::new();
        for set in &part.assigned {
            if part.words.is_empty() {
                finding.worsen(program::variable::judge(&set.name));
            } else if !set.name.is_empty() {
                assigned.push(set.name.clone());
            }
            for value in &set.values {
                finding.worsen(self.word_paths(value, Class::Read, around));
            }
        }
        if part.words.is_empty() {
            return finding;
        }
        let fed_text = match &part.feed {
            Feed::Text(text) => Some(text.to_string()),
            Feed::Pipe => printed.map(str::to_owned),
            Feed::Nothing | Feed::Expanded(_) | Feed::File => None,
        };
        let command = Command {
            words: part.words.clone(),
            assigned,
            is_fed: part.feed != Feed::Nothing,
            fed_text,
            folder: around.folders.likeliest(),
        };
        finding.worsen(self.command(&command, &part.feed, printed, around));
        finding
    }

    /// Judges one command: by itself, its paths, its program, and what it starts.
    fn command(&mut self, command: &Command, feed: &Feed, printed: Option<&str>, around: &Around) -> Finding {
        if around.depth > MOST_DEEP || !self.spend(command.words.len()) {
            return too_deep();
        }
        let place = self.ran.len();
        self.ran.push(Ran {
            words: command.words.iter().map(|word| word.text.clone()).collect(),
            class: Class::Unknown,
            level: Level::Red,
            reach: Reach::Never,
            is_plain: around.is_plain
                && command.assigned.is_empty()
                && command.words.iter().all(|word| word.is_known && !word.is_glob),
        });
        let opened = wrapper::open(command);
        let own = opened.as_ref().map_or_else(|| command.clone(), |opened| opened.own(command));
        let mut finding = self.by_itself(command, opened.as_ref());
        let is_unknown = finding.class == Class::Unknown && finding.level != Level::Red;
        finding.worsen(self.looks(&own, finding.class, around));
        finding.worsen(self.starts(command, opened, is_unknown, (feed, printed), around));
        if around.many && finding.class == Class::Destructive {
            finding.worsen(DESTRUCTIVE.because("Deletes or overwrites files that are not named.").finding());
        }
        if let Some(ran) = self.ran.get_mut(place) {
            (ran.class, ran.level, ran.reach) = (finding.class, finding.level, finding.reach);
        }
        finding
    }

    /// What a command does, apart from what it starts.
    fn by_itself(&self, command: &Command, opened: Option<&Opened>) -> Finding {
        let name = command.name();
        if command.words.first().is_none_or(|word| !word.is_known || word.is_glob) {
            return UNKNOWN_RED.because("What it starts can't be told beforehand.").finding();
        }
        if self.functions.contains(command.written()) {
            return UNKNOWN.because("Runs a function that the text defines.").finding();
        }
        if shells::is_shell(name) {
            return not_simple();
        }
        if matches!(name, "source" | ".") {
            return source(command);
        }
        match opened {
            Some(Opened { base: Some(base), .. }) => base.clone(),
            Some(opened @ Opened { base: None, own: Some(_), .. }) => {
                program::judge(&opened.own(command), self.scene)
            }
            Some(Opened { base: None, own: None, .. }) | None => program::judge(command, self.scene),
        }
    }
}
