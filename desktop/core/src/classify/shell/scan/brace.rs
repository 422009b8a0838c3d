//! `{rm,-rf,build}`: what the shell makes several words of before it does anything else.

use super::frame::Built;
use crate::classify::word::Word;

/// The most words that one is made into; past it, it stays as written and counts as not known.
const MOST: usize = 64;

/// The words that a word stands for.
pub(super) fn expand(built: Built) -> Vec<Word> {
    let Built { word, braces } = built;
    let text = word.text.as_str();
    let has = |c: char| braces.iter().any(|&at| text.get(at..).is_some_and(|rest| rest.starts_with(c)));
    if braces.len() > MOST {
        return vec![Word { is_known: false, is_glob: true, ..word }];
    }
    if !has('{') || !has('}') {
        return vec![word];
    }
    if !has(',') {
        // `{1..9}`, and `{}` which is nothing special.
        let is_range = text.contains("..");
        return vec![Word { is_known: word.is_known && !is_range, ..word }];
    }
    let mut done: Vec<String> = Vec::new();
    let mut open = vec![(text.to_owned(), braces)];
    while let Some((text, braces)) = open.pop() {
        let Some((first, last, commas)) = group(&text, &braces) else {
            done.push(text);
            continue;
        };
        if open.len() + done.len() + commas.len() > MOST {
            return vec![Word { is_known: false, is_glob: true, ..word }];
        }
        let mut bounds = vec![first];
        bounds.extend(commas);
        bounds.push(last);
        // Pushed from the last to the first, so that the words come out in their order.
        for pair in bounds.windows(2).rev() {
            if let [from, to] = *pair {
                open.push(choice(&text, &braces, (first, last), (from + 1, to)));
            }
        }
    }
    done.into_iter().map(|text| Word { text, ..word.clone() }).collect()
}

/// The first whole group that has a comma of its own: where it opens, where it closes, and its commas.
fn group(text: &str, braces: &[usize]) -> Option<(usize, usize, Vec<usize>)> {
    let sign = |at: usize| text.as_bytes().get(at).copied();
    for (index, &first) in braces.iter().enumerate().filter(|(_, at)| sign(**at) == Some(b'{')) {
        let mut depth = 0_usize;
        let mut commas = Vec::new();
        for &at in braces.get(index..)? {
            match sign(at) {
                Some(b'{') => depth += 1,
                Some(b'}') => {
                    depth -= 1;
                    if depth == 0 {
                        if commas.is_empty() {
                            break;
                        }
                        return Some((first, at, commas));
                    }
                }
                Some(b',') if depth == 1 => commas.push(at),
                _ => {}
            }
        }
    }
    None
}

/// The text with a group replaced by one of its choices, and where the braces then stand.
fn choice(
    text: &str,
    braces: &[usize],
    group: (usize, usize),
    chosen: (usize, usize),
) -> (String, Vec<usize>) {
    let piece = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let (first, last) = group;
    let (from, to) = chosen;
    let mut new = String::from(piece(0, first));
    let mut at = Vec::new();
    at.extend(braces.iter().copied().filter(|&b| b < first));
    at.extend(braces.iter().filter(|&&b| (from..to).contains(&b)).map(|b| b - from + first));
    new.push_str(piece(from, to));
    let behind = new.len();
    new.push_str(piece(last + 1, text.len()));
    at.extend(braces.iter().filter(|&&b| b > last).map(|b| b - last - 1 + behind));
    (new, at)
}
