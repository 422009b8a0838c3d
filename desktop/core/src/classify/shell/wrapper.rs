//! Programs that start another one: where the inner command begins. Most are rows of a table; a few need code.

mod containers;
mod table;
mod textual;

use std::collections::BTreeSet;

use self::table::{Inner, TABLE, Wrapper};
use crate::classify::{
    facts::Reach,
    finding::Finding,
    program::entry::{Options, UNKNOWN_RED},
    word::{Command, Word},
};
use countersign_proto::request::{Class, Level};

/// What stands inside a wrapper.
#[derive(Debug, Clone)]
pub(super) enum Inside {
    /// A command's words.
    Words {
        words: Vec<Word>,
        /// Whether it runs once for each of many names that nobody sees.
        many: bool,
        /// Names of variables set for it.
        assigned: Vec<String>,
    },
    /// A text for a shell; not known where something is expanded in it.
    Text { text: String, is_known: bool },
}

impl Inside {
    /// A command that runs once, as it stands.
    fn words(words: &[Word]) -> Self {
        Self::Words { words: words.to_vec(), many: false, assigned: Vec::new() }
    }

    /// A command that runs for each of many names.
    fn many(words: &[Word]) -> Self {
        Self::Words { words: words.to_vec(), many: true, assigned: Vec::new() }
    }

    /// A text for a shell that stands in one word.
    pub(super) fn text(word: &Word) -> Self {
        Self::Text { text: word.text.clone(), is_known: word.is_known }
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Words { words, .. } => words.is_empty(),
            Self::Text { text, .. } => text.trim().is_empty(),
        }
    }
}

/// A wrapper, opened.
#[derive(Debug)]
pub(super) struct Opened {
    /// What it does by itself; `None` where the lists say that.
    pub(super) base: Option<Finding>,
    pub(super) inside: Vec<Inside>,
    /// Whether its own words could be read. If not, the inner command may begin at any of them.
    pub(super) is_read: bool,
    /// Its own words, where the lists are to see no more than these.
    pub(super) own: Option<Vec<Word>>,
}

impl Opened {
    /// The command without the words of what it starts, as far as those can be told apart.
    pub(super) fn own(&self, command: &Command) -> Command {
        if let Some(own) = &self.own {
            return Command { words: own.clone(), ..command.clone() };
        }
        if !self.is_read {
            return command.clone();
        }
        let mut theirs: BTreeSet<&str> = BTreeSet::new();
        for inside in &self.inside {
            match inside {
                Inside::Words { words, .. } => theirs.extend(words.iter().map(|word| word.text.as_str())),
                Inside::Text { text, .. } => {
                    theirs.extend(core::iter::once(text.as_str()).chain(text.split(' ')))
                }
            }
        }
        let mut own = command.clone();
        let mut is_program = true;
        own.words.retain(|word| core::mem::take(&mut is_program) || !theirs.contains(word.text.as_str()));
        own
    }
}

/// Opens a command that starts others; `None` where it is no wrapper, or starts nothing.
pub(super) fn open(command: &Command) -> Option<Opened> {
    let name = command.name();
    if let Some(opened) = textual::open(name, command).or_else(|| containers::open(name, command)) {
        return Some(opened);
    }
    let looks_up = |word: &Word| word.text.starts_with('-') && word.text.contains(['v', 'V']);
    if name == "command" && command.arguments().first().is_some_and(looks_up) {
        return None;
    }
    let wrapper = TABLE.iter().find(|wrapper| wrapper.names.contains(&name))?;
    wrapper.open(command)
}

impl Wrapper {
    fn open(&self, command: &Command) -> Option<Opened> {
        let mut words = command.arguments();
        for sub in self.sub {
            words = skip_to_sub(words, sub)?;
        }
        let walk = walk(words, &self.options);
        let mut inner = words.get(walk.first..).unwrap_or_default();
        let base = self.base.map(|base| base.finding());
        let mut inside = Vec::new();
        for (option, value) in &walk.values {
            if self.texts.contains(&option.as_str()) {
                inside.push(Inside::text(value));
            }
        }
        inner = inner.get(usize::from(self.operands)..).unwrap_or_default();
        // `flock FILE -c TEXT`, `timeout 5 -- rm`.
        if let [first, text, ..] = inner
            && self.texts.contains(&first.text.trim_start_matches('-'))
            && first.text.starts_with('-')
        {
            inside.push(Inside::text(text));
            inner = &[];
        }
        if inner.first().is_some_and(|word| word.text == "--") {
            inner = inner.get(1..).unwrap_or_default();
        }
        if !inner.is_empty() {
            inside.push(self.inner(inner));
        }
        if inside.is_empty() && base.as_ref().is_none_or(|base| base.level != Level::Red) {
            return None;
        }
        Some(Opened { base, inside, is_read: walk.is_read, own: None })
    }

    fn inner(&self, words: &[Word]) -> Inside {
        // Only some take variables here; to all others that is the name of a program that nobody has.
        let (assigned, behind) = split_assignments(words);
        match self.inner {
            Inner::Words => Inside::Words { words: behind.to_vec(), many: false, assigned },
            Inner::Many => Inside::Words { words: behind.to_vec(), many: true, assigned },
            Inner::Text => text(words),
        }
    }
}

/// Names that `NAME=value` words at the front set, and the words behind them.
fn split_assignments(words: &[Word]) -> (Vec<String>, &[Word]) {
    let names: Vec<String> =
        words.iter().map_while(|word| super::scan::assignment(word).map(|assigned| assigned.name)).collect();
    let rest = words.get(names.len()..).unwrap_or_default();
    (names, rest)
}

/// Words joined to a text, as programs do that hand their arguments to a shell.
pub(super) fn text(words: &[Word]) -> Inside {
    let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    Inside::Text { text, is_known: words.iter().all(|word| word.is_known) }
}

/// The words behind a sub-command, options before it skipped.
fn skip_to_sub<'w>(words: &'w [Word], sub: &str) -> Option<&'w [Word]> {
    let at = words.iter().position(|word| word.text == sub)?;
    words.get(at + 1..)
}

/// A wrapper's own options, walked through.
pub(super) struct Walk {
    /// The first word that is no option and no option's value.
    pub(super) first: usize,
    /// Options with a value, without dashes.
    pub(super) values: Vec<(String, Word)>,
    /// Options without a value.
    pub(super) letters: String,
    /// Whether every option was known.
    pub(super) is_read: bool,
}

/// Walks through the options at the front of words.
pub(super) fn walk(words: &[Word], options: &Options) -> Walk {
    let mut walk = Walk { first: 0, values: Vec::new(), letters: String::new(), is_read: true };
    while let Some(word) = words.get(walk.first) {
        let text = word.text.as_str();
        if !text.starts_with('-') || text == "-" {
            break;
        }
        walk.first += 1;
        if text == "--" {
            break;
        }
        if let Some(long) = text.strip_prefix("--") {
            walk.long(long, word, words, options);
        } else {
            walk.short(text.get(1..).unwrap_or_default(), word, words, options);
        }
    }
    walk
}

impl Walk {
    fn long(&mut self, long: &str, word: &Word, words: &[Word], options: &Options) {
        if let Some((name, value)) = long.split_once('=') {
            self.is_read &= options.long_valued.contains(&name) || options.long.contains(&name);
            self.values.push((name.to_owned(), Word { text: value.to_owned(), ..word.clone() }));
        } else if options.long_valued.contains(&long) {
            self.take_value(long, words);
        } else {
            self.is_read &= options.long.contains(&long);
        }
    }

    fn short(&mut self, cluster: &str, word: &Word, words: &[Word], options: &Options) {
        if options.number && cluster.bytes().all(|b| b.is_ascii_digit()) {
            return;
        }
        let mut rest = cluster.chars();
        while let Some(letter) = rest.next() {
            if options.valued.contains(letter) {
                let glued = rest.as_str();
                if glued.is_empty() {
                    self.take_value(&letter.to_string(), words);
                } else {
                    let glued = Word { text: glued.to_owned(), ..word.clone() };
                    self.values.push((letter.to_string(), glued));
                }
                return;
            }
            if !options.letters.contains(letter) {
                self.is_read = false;
                return;
            }
            self.letters.push(letter);
        }
    }

    fn take_value(&mut self, name: &str, words: &[Word]) {
        if let Some(value) = words.get(self.first) {
            self.values.push((name.to_owned(), value.clone()));
            self.first += 1;
        }
    }
}

/// A wrapper that only passes on: as loud as yellow, and as what it starts.
pub(super) fn passes_on() -> Finding {
    Finding::of(Class::Read, Level::Yellow, Reach::File)
}

/// A wrapper that needs more rights than the project's.
pub(super) fn needs_rights(words: &str) -> Finding {
    UNKNOWN_RED.finding().because(words)
}
