//! Variables that a text sets to plain words and uses again: `x=rm; $x -rf build`. Their values are tried in addition;
//! what the words say as written counts all the same.

use std::collections::BTreeMap;

use crate::classify::{shell::part::Part, word::Word};

/// How many values of a variable, and so how many readings of a command, are tried.
const MOST_VALUES: usize = 8;
/// The longest word that is made by putting values in.
const MOST_BYTES: usize = 1024;

/// The values that variables are set to somewhere in a text.
#[derive(Debug, Default)]
pub(super) struct Values(BTreeMap<String, Vec<String>>);

impl Values {
    pub(super) fn of(parts: &[Part]) -> Self {
        let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for part in parts {
            let set =
                part.assigned.iter().flat_map(|set| set.values.iter().map(move |value| (&set.name, value)));
            // `export x=rm`, `declare x=rm`, and `read x <<< rm`.
            let declared = part.words.iter().skip(1).filter_map(super::super::scan::assignment);
            for (name, value) in set {
                add(&mut values, name, value);
            }
            for set in declared {
                set.values.iter().for_each(|value| add(&mut values, &set.name, value));
            }
        }
        Self(values)
    }

    /// A command's words with values put in, once for each value.
    pub(super) fn alternatives(&self, words: &[Word]) -> Vec<Vec<Word>> {
        if self.0.is_empty() || words.iter().all(|word| word.is_known) {
            return Vec::new();
        }
        let mut all: Vec<Vec<Word>> = Vec::new();
        for turn in 0..MOST_VALUES {
            let mut changed = false;
            let filled: Vec<Word> =
                words.iter().flat_map(|word| self.fill(word, turn, &mut changed)).collect();
            if !changed || all.contains(&filled) {
                break;
            }
            all.push(filled);
        }
        all
    }

    /// A word with the values of its variables, those of this turn.
    fn fill(&self, word: &Word, turn: usize, changed: &mut bool) -> Vec<Word> {
        if word.is_known || word.text.len() > MOST_BYTES {
            return vec![word.clone()];
        }
        let mut out = String::new();
        let mut is_known = true;
        let mut rest = word.text.as_str();
        while let Some((before, behind)) = rest.split_once('$') {
            out.push_str(before);
            let (name, after) = name(behind);
            match self.0.get(name) {
                Some(values) if !name.is_empty() => {
                    let value = values.get(turn).or(values.last()).map_or("", String::as_str);
                    out.push_str(value);
                    *changed = true;
                    rest = after;
                }
                _ => {
                    is_known = false;
                    out.push('$');
                    rest = behind;
                }
            }
            if out.len() > MOST_BYTES {
                return vec![word.clone()];
            }
        }
        out.push_str(rest);
        let filled = |text: &str| Word { text: text.to_owned(), is_known, ..word.clone() };
        if word.is_quoted {
            return vec![filled(&out)];
        }
        out.split_whitespace().map(filled).collect()
    }
}

fn add(values: &mut BTreeMap<String, Vec<String>>, name: &str, value: &Word) {
    if name.is_empty() || !value.is_known || value.text.len() > MOST_BYTES {
        return;
    }
    let all = values.entry(name.to_owned()).or_default();
    if all.len() < MOST_VALUES && !all.contains(&value.text) {
        all.push(value.text.clone());
    }
}

/// The name behind a `$`, and what follows it.
fn name(behind: &str) -> (&str, &str) {
    let (text, is_braced) = behind.strip_prefix('{').map_or((behind, false), |text| (text, true));
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let (name, after) = text.split_at_checked(end).unwrap_or((text, ""));
    if !is_braced {
        return (name, after);
    }
    // `${x}`, `${x[0]}`, `${x[@]}`; whatever else is done to it is left alone.
    let after = after
        .strip_prefix("[@]")
        .or_else(|| after.strip_prefix("[*]"))
        .or_else(|| after.strip_prefix("[0]"))
        .unwrap_or(after);
    after.strip_prefix('}').map_or(("", behind), |after| (name, after))
}
