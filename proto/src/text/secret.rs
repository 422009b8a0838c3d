//! Finds what is secret in a text that is shown: tokens by their form, keys by their armour, passwords by the name, the
//! option or the address they stand in (CARD-2). A pure function in linear time. It errs towards folding what has a
//! secret's name, and takes nothing for a secret because it looks random alone: hashes, ids and images do, too.

mod address;
mod armour;
mod format;
mod name;
mod named;
mod option;
mod scan;
mod value;

use core::ops::Range;

/// Shorter texts hold no secret that could be told from a word.
const SHORTEST: usize = 8;

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// What it is: `GitHub token`, `password` …
    pub kind: &'static str,
}

/// Every secret in a text, in order; none touches another.
#[must_use]
pub fn find(text: &str) -> Vec<Secret> {
    if text.len() < SHORTEST {
        return Vec::new();
    }
    // What says most about a secret comes first: its kind is told where several find the same.
    let mut found = armour::find(text);
    found.extend(format::find(text));
    found.extend(address::find(text));
    found.extend(named::find(text));
    found.extend(option::find(text));
    joined(text, found)
}

/// Overlapping ones become one, of the kind that was found first.
fn joined(text: &str, found: Vec<Secret>) -> Vec<Secret> {
    let mut ranked: Vec<(usize, Secret)> = found.into_iter().enumerate().collect();
    ranked.sort_by_key(|(rank, secret)| (secret.range.start, *rank));
    let mut joined: Vec<(usize, Secret)> = Vec::new();
    for (rank, secret) in ranked {
        if secret.range.is_empty() || text.get(secret.range.clone()).is_none() {
            continue;
        }
        match joined.last_mut() {
            Some((first, last)) if secret.range.start < last.range.end => {
                last.range.end = last.range.end.max(secret.range.end);
                if rank < *first {
                    *first = rank;
                    last.kind = secret.kind;
                }
            }
            _ => joined.push((rank, secret)),
        }
    }
    joined.into_iter().map(|(_, secret)| secret).collect()
}

#[cfg(test)]
mod tests;
