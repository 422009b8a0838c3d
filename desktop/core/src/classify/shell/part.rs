//! One command of a text, as the lexer and the scanner cut it out, before anything is opened or judged.

use std::rc::Rc;

use crate::classify::word::Word;

/// A text, cut into commands.
#[derive(Debug, Clone, Default)]
pub(super) struct Cut {
    /// Every command, those inside substitutions included.
    pub(super) parts: Vec<Part>,
    /// Names of functions that the text defines.
    pub(super) functions: Vec<String>,
    /// Something in it is no shell grammar, or is read differently by different shells.
    pub(super) is_odd: bool,
    /// It nests deeper than anybody reads.
    pub(super) is_deep: bool,
    /// It computes text that the shell reads again: `${x@P}`, `${!x}`.
    pub(super) transforms: bool,
}

/// How a command follows the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    /// First, or first in a substitution.
    Start,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `;` or a line break.
    Then,
    /// `|`
    Pipe,
    /// `&`
    Beside,
}

/// What comes in on standard input.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Feed {
    /// What the shell itself got.
    #[default]
    Nothing,
    /// The output of the command before it, or of one before its group.
    Pipe,
    /// This text, to the letter.
    Text(Rc<str>),
    /// A text in which something is expanded; as written.
    Expanded(Rc<str>),
    /// A file.
    File,
}

impl Feed {
    /// This feed with a text more. Of several texts a shell reads the last alone, and another one may read all: each counts.
    pub(super) fn with_text(self, text: &str, is_known: bool) -> Self {
        let (joined, was_known) = match self {
            Self::Text(before) => (format!("{before}\n{text}"), true),
            Self::Expanded(before) => (format!("{before}\n{text}"), false),
            Self::Nothing | Self::Pipe | Self::File => (text.to_owned(), true),
        };
        if is_known && was_known { Self::Text(joined.into()) } else { Self::Expanded(joined.into()) }
    }
}

/// A variable that is set.
#[derive(Debug, Clone)]
pub(super) struct Assigned {
    pub(super) name: String,
    /// Its value; a loop's variable and an array have several.
    pub(super) values: Vec<Word>,
}

/// What a redirect does to its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// `<`
    Read,
    /// `>`, `>|`, `>!`, `&>`
    Over,
    /// `>>`, `&>>`
    Append,
    /// `<>`
    Both,
}

/// A redirect to or from a file.
#[derive(Debug, Clone)]
pub(super) struct Redirect {
    pub(super) how: How,
    pub(super) target: Word,
}

/// One command.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// Program and arguments; empty where only variables are set or files redirected.
    pub(super) words: Vec<Word>,
    pub(super) assigned: Vec<Assigned>,
    pub(super) redirects: Vec<Redirect>,
    pub(super) feed: Feed,
    pub(super) joint: Joint,
    /// How many substitutions it stands in.
    pub(super) nest: u8,
    /// Whether it is perhaps no command at all (arithmetic, a test, an unreadable text): it counts only where it is red.
    pub(super) is_doubtful: bool,
    /// Whether it runs in a shell of its own, so that its `cd` ends with it.
    pub(super) is_apart: bool,
}

impl Part {
    /// Nothing yet.
    pub(super) const fn new(joint: Joint, nest: u8) -> Self {
        Self {
            words: Vec::new(),
            assigned: Vec::new(),
            redirects: Vec::new(),
            feed: Feed::Nothing,
            joint,
            nest,
            is_doubtful: false,
            is_apart: false,
        }
    }

    /// Whether it does nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.assigned.is_empty() && self.redirects.is_empty()
    }
}
