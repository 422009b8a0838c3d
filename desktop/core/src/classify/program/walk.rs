//! Takes a program's words apart. [`operands`] knows the options and refuses every other; [`Looks`] knows none, takes
//! everything for an option that could be one, and so only ever finds more danger.

use super::entry::Options;
use crate::classify::word::Word;

/// The operands behind known options, or nothing where a word could be an option that no list holds.
pub(crate) fn operands<'c>(lists: &[&Options], arguments: &'c [Word]) -> Option<Vec<&'c Word>> {
    let mut found = Vec::new();
    let mut rest = arguments;
    while let Some((word, behind)) = rest.split_first() {
        if word.text == "--" {
            found.extend(behind);
            return Some(found);
        }
        if is_operand(word) {
            found.push(word);
            rest = behind;
        } else {
            rest = behind.get(option(lists, word, behind.first())?..)?;
        }
    }
    Some(found)
}

/// Whether a word is none by its looks: `-` is the standard input.
fn is_operand(word: &Word) -> bool {
    !word.text.starts_with('-') || word.text == "-"
}

/// How many words behind a known option belong to it; nothing where it is not known.
fn option(lists: &[&Options], word: &Word, next: Option<&Word>) -> Option<usize> {
    if !word.is_known {
        return None;
    }
    let text = word.text.strip_prefix('-')?;
    match text.strip_prefix('-') {
        Some(long) => long_option(lists, long, next),
        None => cluster(lists, text, next),
    }
}

fn long_option(lists: &[&Options], long: &str, next: Option<&Word>) -> Option<usize> {
    let is_in = |choose: fn(&Options) -> &'static [&'static str], name: &str| {
        lists.iter().any(|list| choose(list).contains(&name))
    };
    if let Some((name, _)) = long.split_once('=') {
        return is_in(|list| list.long_valued, name).then_some(0);
    }
    if is_in(|list| list.long, long) {
        return Some(0);
    }
    (is_in(|list| list.long_valued, long) && next.is_some_and(is_value)).then_some(1)
}

fn cluster(lists: &[&Options], text: &str, next: Option<&Word>) -> Option<usize> {
    if text.chars().all(|c| c.is_ascii_digit()) && lists.iter().any(|list| list.number) {
        return Some(0);
    }
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if lists.iter().any(|list| list.letters.contains(letter)) {
            continue;
        }
        if !lists.iter().any(|list| list.valued.contains(letter)) {
            return None;
        }
        let is_glued = !letters.as_str().is_empty();
        return if is_glued { Some(0) } else { next.is_some_and(is_value).then_some(1) };
    }
    Some(0)
}

/// Whether a word behind an option can only be its value, whichever way the program reads it.
fn is_value(word: &Word) -> bool {
    let text = word.text.as_str();
    let is_number = text.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    word.is_known && (!text.starts_with('-') || text == "-" || is_number)
}

/// Whether a word in front of `--` may turn out to be an option: a pattern can match a file called `-o…`, and a word that
/// can't be known may be anything.
pub(crate) fn may_hide_option(arguments: &[Word]) -> bool {
    arguments.iter().take_while(|word| word.text != "--").any(may_be_option)
}

/// Whether a pattern or a word that can't be known may turn out to be an option.
pub(crate) fn may_be_option(word: &Word) -> bool {
    let text = word.text.as_str();
    let is_anchored = text.starts_with(|c: char| matches!(c, '.' | '/' | '~') || c.is_alphanumeric());
    (word.is_glob && text.starts_with(['*', '?', '['])) || (!word.is_known && !is_anchored)
}

/// A program's words by their looks alone.
pub(crate) struct Looks<'c> {
    /// What begins with a dash, in front of `--`.
    pub(crate) options: Vec<&'c str>,
    /// The rest; values of options among them.
    pub(crate) operands: Vec<&'c Word>,
    /// Whether every word is known and none is a pattern.
    pub(crate) is_certain: bool,
}

impl<'c> Looks<'c> {
    /// Looks at a program's arguments.
    pub(crate) fn of(arguments: &'c [Word]) -> Self {
        let mut looks = Self { options: Vec::new(), operands: Vec::new(), is_certain: true };
        let mut is_over = false;
        for word in arguments {
            looks.is_certain &= word.is_known && !word.is_glob;
            if is_over || is_operand(word) {
                looks.operands.push(word);
            } else if word.text == "--" {
                is_over = true;
            } else {
                looks.options.push(&word.text);
            }
        }
        looks
    }

    /// Whether one of these letters stands in any cluster, or one of these long options is given, shortened or not.
    pub(crate) fn has(&self, letters: &str, long: &[&str]) -> bool {
        self.options.iter().any(|option| match option.strip_prefix("--") {
            Some(given) => {
                let name = given.split('=').next().unwrap_or(given);
                !name.is_empty() && long.iter().any(|long| long.starts_with(name))
            }
            None => option.chars().skip(1).any(|c| letters.contains(c)),
        })
    }

    /// Whether a word is given exactly like this, as an option.
    pub(crate) fn has_exactly(&self, option: &str) -> bool {
        self.options.contains(&option)
    }

    /// The operands' texts.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &'c str> {
        self.operands.iter().map(|word| word.text.as_str())
    }
}
