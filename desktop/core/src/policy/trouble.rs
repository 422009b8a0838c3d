//! What is wrong with a text, said to the person who wrote it: where, what, and what would be right. Whatever a text
//! holds is shown escaped, since somebody else may have written it.

use core::fmt;

use countersign_proto::text::Shown;

/// The most errors that one look at a text names; what comes behind them is often a consequence.
pub const MOST: usize = 20;

/// One thing that is wrong with a text, so that it can't be accepted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("line {line}, column {column}: {what}. {fix}")]
pub struct ParseError {
    /// Its line, from 1; blank lines and notes count.
    pub line: u32,
    /// Its column there, from 1, in characters.
    pub column: u32,
    /// What is wrong, without a full stop.
    pub what: String,
    /// What would be right, as a sentence.
    pub fix: String,
}

/// One thing in a text that can be accepted, and is probably not what its writer meant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remark {
    /// Its line, from 1.
    pub line: u32,
    /// What to know about it, as a sentence.
    pub words: String,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.words)
    }
}

/// A text's word as an error quotes it: escaped, and not longer than anyone reads.
pub(crate) fn quoted(word: &str) -> String {
    const LONGEST: usize = 60;
    let head: String = word.chars().take(LONGEST).collect();
    let rest = if head.len() < word.len() { "…" } else { "" };
    format!("`{}{rest}`", Shown::line(&head))
}

/// A list of words as a sentence has it: `a`, `b` or `c`.
pub(crate) fn choice(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => format!("`{one}`"),
        [head @ .., last] => {
            let head: Vec<String> = head.iter().map(|word| format!("`{word}`")).collect();
            format!("{} or `{last}`", head.join(", "))
        }
    }
}
