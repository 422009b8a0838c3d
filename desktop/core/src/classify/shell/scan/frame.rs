//! The commands of one substitution while they are cut: the word, the command and the groups that are open.

use core::ops::Range;

use super::assignment;
use crate::classify::{
    shell::part::{Assigned, Cut, Feed, How, Joint, Part, Redirect},
    word::Word,
};

/// How many groups may be open in one substitution.
const MOST_GROUPS: usize = 64;

/// What is open within a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// `"…`; silent where a brace around it gives the word its text.
    Double { is_silent: bool },
    /// `${…`, from its `$`; without one where another brace around it gives the word its text.
    Brace { start: Option<usize> },
    /// A here-document's body, in which only expansions count.
    Body,
}

/// A word in the making.
#[derive(Debug, Clone)]
pub(super) struct Built {
    pub(super) word: Word,
    /// Byte offsets of unquoted `{`, `,` and `}`.
    pub(super) braces: Vec<usize>,
}

impl Built {
    pub(super) fn quote(&mut self) {
        self.word.is_quoted = true;
    }

    pub(super) fn push(&mut self, c: char) {
        match c {
            '*' | '?' | '[' => self.word.is_glob = true,
            '{' | ',' | '}' => self.braces.push(self.word.text.len()),
            _ => {}
        }
        self.word.text.push(c);
    }

    pub(super) fn push_quoted(&mut self, c: char) {
        self.word.is_quoted = true;
        self.word.text.push(c);
    }

    pub(super) fn push_unknown<'c>(&mut self, written: impl Iterator<Item = &'c char>) {
        self.word.is_known = false;
        self.word.text.extend(written);
    }
}

/// A here-document that was announced and whose body comes after the line.
#[derive(Debug, Clone)]
pub(super) struct Here {
    /// Its delimiter; `None` while that is being read.
    pub(super) delimiter: Option<String>,
    pub(super) is_literal: bool,
    pub(super) is_indented: bool,
    /// Which commands read it, once they are cut.
    pub(super) readers: Option<Range<usize>>,
}

/// What the next finished word is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A command's word.
    Word,
    /// The target of a redirect.
    Target(How),
    /// The name of another stream: nothing.
    Stream,
    /// A here-string.
    HereString,
    /// The delimiter of the here-document announced last.
    Delimiter,
    /// A function's name.
    Function,
    /// A loop's variable.
    Variable,
    /// A loop's words.
    Items,
    /// The word that a `case` looks at.
    Subject,
}

/// A group or loop that is open.
#[derive(Debug, Clone)]
struct Group {
    feed: Feed,
    first: usize,
    is_apart: bool,
}

/// The commands of one substitution while they are cut.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) nest: u8,
    /// Where its opening began in the text.
    pub(super) start: usize,
    pub(super) word: Option<Built>,
    pub(super) part: Part,
    pub(super) wanted: Wanted,
    pub(super) here: Vec<Here>,
    /// Whether a `[[` is open.
    pub(super) is_test: bool,
    /// Open parentheses, each with whether it is perhaps arithmetic.
    pub(super) parens: Vec<bool>,
    /// Open `case`s, and whether a pattern comes next.
    pub(super) cases: usize,
    pub(super) is_pattern: bool,
    /// Whether an array's parentheses are open.
    pub(super) is_array: bool,
    is_doubtful: bool,
    groups: Vec<Group>,
    /// The commands of the group that was just closed: redirects behind it are theirs.
    closed: Option<Range<usize>>,
    /// Whether a keyword or operator waits for a command.
    waits: bool,
}

impl Frame {
    pub(super) fn new(nest: u8, start: usize, is_doubtful: bool) -> Self {
        Self {
            nest,
            start,
            word: None,
            part: Part::new(Joint::Start, nest),
            wanted: Wanted::Word,
            here: Vec::new(),
            is_test: false,
            parens: Vec::new(),
            cases: 0,
            is_pattern: false,
            is_array: false,
            is_doubtful,
            groups: Vec::new(),
            closed: None,
            waits: false,
        }
    }

    /// Whether its text ended in the middle of something.
    pub(super) fn is_unfinished(&self) -> bool {
        self.waits
            || self.is_test
            || self.cases > 0
            || !self.groups.is_empty()
            || !self.parens.is_empty()
            || matches!(self.part.joint, Joint::And | Joint::Or | Joint::Pipe)
    }

    /// Whether more groups are open than anybody reads.
    pub(super) fn is_deep(&self) -> bool {
        self.groups.len() > MOST_GROUPS || self.parens.len() > MOST_GROUPS
    }

    pub(super) fn is_doubtful(&self) -> bool {
        self.is_doubtful || self.is_test || self.parens.iter().any(|&is_arithmetic| is_arithmetic)
    }

    pub(super) fn word_mut(&mut self) -> &mut Built {
        self.word.get_or_insert_with(|| Built { word: Word::plain(""), braces: Vec::new() })
    }

    /// Puts a finished word where it belongs.
    pub(super) fn take_word(&mut self, word: Word, out: &mut Cut) {
        let wanted = core::mem::replace(&mut self.wanted, Wanted::Word);
        match wanted {
            Wanted::Word if self.is_array => self.array_word(word),
            Wanted::Word if self.is_pattern => self.pattern_word(&word),
            Wanted::Word => self.command_word(word, out),
            Wanted::Target(how) => {
                if matches!(how, How::Read | How::Both) {
                    self.part.feed = Feed::File;
                }
                self.part.redirects.push(Redirect { how, target: word });
            }
            Wanted::Stream => {}
            Wanted::HereString => {
                // Some shells feed both where two are given.
                let before = match &self.part.feed {
                    Feed::Text(text) | Feed::Expanded(text) => format!("{text}\n"),
                    Feed::Nothing | Feed::Pipe | Feed::File => String::new(),
                };
                let is_known = word.is_known && !matches!(self.part.feed, Feed::Expanded(_));
                let word = Word { text: before + &word.text, ..word };
                self.part.feed =
                    if is_known { Feed::Text(word.text.into()) } else { Feed::Expanded(word.text.into()) };
            }
            Wanted::Delimiter => {
                if let Some(here) = self.here.last_mut() {
                    here.is_literal = word.is_quoted;
                    here.delimiter = Some(word.text);
                }
                // An expansion in a delimiter is not expanded, and no two shells read it alike.
                out.is_odd |= !word.is_known;
            }
            Wanted::Function => out.functions.push(word.text),
            Wanted::Variable => {
                self.part.assigned.push(Assigned { name: word.text, values: Vec::new() });
                self.wanted = Wanted::Items;
            }
            Wanted::Items => {
                self.wanted = Wanted::Items;
                let is_in = word.text == "in" && !word.is_quoted;
                if let Some(variable) = self.part.assigned.last_mut()
                    && !(is_in && variable.values.is_empty())
                {
                    variable.values.push(word);
                }
            }
            Wanted::Subject => {
                if word.text == "in" && !word.is_quoted {
                    self.is_pattern = true;
                    self.waits = false;
                } else {
                    self.wanted = Wanted::Subject;
                    self.part.assigned.push(Assigned { name: String::new(), values: vec![word] });
                }
            }
        }
    }

    fn array_word(&mut self, word: Word) {
        if let Some(array) = self.part.assigned.last_mut() {
            array.values.push(word);
        }
    }

    fn pattern_word(&mut self, word: &Word) {
        if word.text == "esac" && !word.is_quoted {
            self.is_pattern = false;
            self.close_group();
            self.cases = self.cases.saturating_sub(1);
        }
    }

    fn command_word(&mut self, word: Word, out: &mut Cut) {
        if self.is_test && word.text == "]]" {
            self.is_test = false;
        }
        if !self.part.words.is_empty() {
            self.part.words.push(word);
            return;
        }
        let is_literal = !word.is_quoted && word.is_known;
        let word = Word { is_glob: word.is_glob && !matches!(word.text.as_str(), "[" | "[["), ..word };
        if is_literal && self.keyword(&word.text, out) {
            return;
        }
        // A quoted `=` sets nothing, but then the word is a program that nobody knows anyway.
        if let Some(assigned) = assignment(&word) {
            self.part.assigned.push(assigned);
            return;
        }
        self.part.is_doubtful |= self.is_test;
        let is_first = self.part.assigned.is_empty() && self.part.redirects.is_empty();
        self.is_test |= is_literal && is_first && word.text == "[[";
        self.waits = false;
        self.part.words.push(word);
    }

    /// Takes a word that is grammar and no command.
    fn keyword(&mut self, text: &str, out: &mut Cut) -> bool {
        let is_closing = matches!(text, "}" | "fi" | "done" | "esac");
        // Nothing is open that it could close: the group began where the shell sees none.
        out.is_odd |= is_closing && self.groups.is_empty();
        match text {
            "{" | "if" | "while" | "until" => {
                self.open_group(false);
                self.waits = true;
            }
            "then" | "elif" | "else" | "do" | "!" | "time" | "coproc" | "noglob" | "nocorrect" => {
                self.waits = true
            }
            "}" | "fi" | "done" => self.close_group(),
            "esac" => {
                self.close_group();
                self.cases = self.cases.saturating_sub(1);
            }
            "for" | "select" | "foreach" => {
                self.open_group(false);
                self.wanted = Wanted::Variable;
            }
            "case" => {
                self.open_group(false);
                self.cases += 1;
                self.wanted = Wanted::Subject;
                self.waits = true;
            }
            "function" => self.wanted = Wanted::Function,
            // `time -p`, and what stands between `time` and its command.
            "-p" | "--" if self.waits => {}
            _ => return false,
        }
        true
    }

    /// Enters a group; what is fed to it is fed to each of its commands.
    pub(super) fn open_group(&mut self, is_apart: bool) {
        let is_piped = self.part.joint == Joint::Pipe;
        let around = self.groups.last().map_or(Feed::Nothing, |group| group.feed.clone());
        let feed = if is_piped { Feed::Pipe } else { around };
        // The first command's own number is not known yet; those before it are.
        self.groups.push(Group { feed, first: usize::MAX, is_apart: is_apart || is_piped });
        self.closed = None;
    }

    /// Leaves a group: redirects that follow are all its commands'.
    pub(super) fn close_group(&mut self) {
        self.waits = false;
        if let Some(group) = self.groups.pop() {
            self.closed = Some(group.first..usize::MAX);
        }
    }

    /// Ends the command; `next` is how another one follows, if one does.
    pub(super) fn end_part(&mut self, next: Option<Joint>, out: &mut Cut) {
        if self.wanted == Wanted::Delimiter || matches!(self.wanted, Wanted::Target(_) | Wanted::HereString) {
            out.is_odd = true;
        }
        self.wanted = if self.wanted == Wanted::Subject { Wanted::Subject } else { Wanted::Word };
        let joint = next.unwrap_or(Joint::Start);
        let mut part = core::mem::replace(&mut self.part, Part::new(joint, self.nest));
        let index = out.parts.len();
        for group in &mut self.groups {
            group.first = group.first.min(index);
        }
        let readers = match &self.closed {
            Some(closed) if part.words.is_empty() => closed.start.min(index)..index,
            _ => index..index + 1,
        };
        for here in self.here.iter_mut().filter(|here| here.readers.is_none()) {
            here.readers = Some(readers.clone());
        }
        if part.is_empty() && part.feed == Feed::Nothing {
            let was_closed = self.closed.is_some();
            // `&& ;`: an operator where a command should stand.
            if !was_closed
                && matches!(next, Some(Joint::And | Joint::Or | Joint::Pipe | Joint::Beside))
                && !self.waits
            {
                out.is_odd = true;
            }
            if matches!(next, Some(Joint::Then) | None) && !was_closed && !self.waits {
                // A blank line: what waits for its right side goes on behind it.
                self.part.joint = part.joint;
            }
            if was_closed && matches!(next, Some(Joint::Then | Joint::And | Joint::Or | Joint::Beside)) {
                self.closed = None;
            }
            return;
        }
        self.waits &= part.words.is_empty() && part.redirects.is_empty();
        self.settle_feed(&mut part, readers, out);
        part.is_doubtful |= self.is_doubtful();
        part.is_apart = self.groups.iter().any(|group| group.is_apart)
            || part.joint == Joint::Pipe
            || matches!(next, Some(Joint::Pipe | Joint::Beside));
        self.closed = None;
        out.parts.push(part);
    }

    /// Settles what comes in: its own redirect, the pipe before it, or what its group is fed.
    fn settle_feed(&self, part: &mut Part, readers: Range<usize>, out: &mut Cut) {
        if part.feed == Feed::Nothing {
            let around = self.groups.last().map_or(Feed::Nothing, |group| group.feed.clone());
            part.feed = if part.joint == Joint::Pipe { Feed::Pipe } else { around };
        } else if let (Joint::Pipe, Feed::Text(text)) = (part.joint, &part.feed) {
            // Piped into and given a text: some shells feed both.
            part.feed = Feed::Expanded(text.clone());
        } else if part.words.is_empty() {
            feed_all(out, readers, &part.feed);
        }
    }
}

/// Gives commands what their group is fed, where they are fed nothing of their own.
pub(super) fn feed_all(out: &mut Cut, readers: Range<usize>, feed: &Feed) {
    for part in out.parts.get_mut(readers).unwrap_or_default() {
        if part.feed == Feed::Nothing {
            part.feed = feed.clone();
        }
    }
}
