//! Whether a name could be another one, where either may hold `*`, `?` or `[…]`. Never sees files: a pattern counts
//! as every name that it could become.

/// Whether some name fits both, ASCII case aside: the file systems of other systems fold it, and a list of closed names
/// loses nothing by it. `listed` comes from our lists, `name` from a call; by the shell's rule a pattern reaches a name
/// with a leading dot only with a dot of its own.
pub(super) fn may_be(listed: &str, name: &str) -> bool {
    if !has_pattern(listed) && !has_pattern(name) {
        return listed.eq_ignore_ascii_case(name);
    }
    if listed.starts_with('.') && !name.starts_with('.') {
        return false;
    }
    // `*` fits every name, and would make each `ls ../*` one that reaches for a key.
    if !name.starts_with('.') && has_pattern(name) && name.chars().filter(|c| c.is_alphanumeric()).count() < 3
    {
        return false;
    }
    meet(&parts(listed), &parts(name))
}

/// Whether a name holds a pattern character.
pub(super) fn has_pattern(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

/// A piece of a pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Exactly this character, case folded.
    Just(char),
    /// Any one character; a `[…]` counts as that.
    One,
    /// Any run.
    Run,
}

/// The longest name that is looked at; no file system takes a longer one.
const MAX_NAME: usize = 255;

fn parts(name: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = name.chars().take(MAX_NAME);
    while let Some(c) = rest.next() {
        match c {
            '*' => {
                if parts.last() != Some(&Part::Run) {
                    parts.push(Part::Run);
                }
            }
            '?' => parts.push(Part::One),
            '[' => {
                // A bracket without an end is itself.
                let mut ahead = rest.clone();
                if ahead.by_ref().skip(1).any(|c| c == ']') {
                    rest = ahead;
                    parts.push(Part::One);
                } else {
                    parts.push(Part::Just('['));
                }
            }
            other => parts.push(Part::Just(other.to_ascii_lowercase())),
        }
    }
    parts
}

/// Whether some text fits both patterns. Walks the two together row by row: at most 255 by 255 steps.
fn meet(left: &[Part], right: &[Part]) -> bool {
    // `row[j]`: whether the left parts seen so far and the first j right parts fit some common text.
    let mut row = vec![true];
    for part in right {
        let before = row.last() == Some(&true);
        row.push(before && *part == Part::Run);
    }
    for mine in left {
        let mut next = vec![row.first() == Some(&true) && *mine == Part::Run];
        for (index, theirs) in right.iter().enumerate() {
            let seen = |row: &[bool], index: usize| row.get(index) == Some(&true);
            next.push(match (mine, theirs) {
                // A run takes nothing, or one more part of the other side.
                (Part::Run, _) | (_, Part::Run) => seen(&row, index + 1) || seen(&next, index),
                (Part::One, _) | (_, Part::One) => seen(&row, index),
                (Part::Just(a), Part::Just(b)) => seen(&row, index) && a == b,
            });
        }
        row = next;
    }
    row.last() == Some(&true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_counts_as_every_name_it_could_become() {
        for (listed, name) in [
            (".ssh", ".ssh"),
            (".ssh", ".SSH"),
            (".ssh", ".ss*"),
            (".ssh", ".s?h"),
            (".ssh", ".[s]sh"),
            (".ssh", ".[!a]sh"),
            (".ssh", ".*"),
            ("google-chrome*", "google-chrome-beta"),
            ("google-chrome*", "google-c*"),
            ("settings*.json", "settings.local.json"),
            ("settings*.json", "set*"),
            ("countersign-*", "*-demo"),
        ] {
            assert!(may_be(listed, name), "{listed} {name}");
        }
        for (listed, name) in [
            (".ssh", "*"),
            (".ssh", "?ssh"),
            (".ssh", ".ssh2"),
            (".ssh", ".aws*"),
            (".ssh", ".s?"),
            ("settings*.json", "settings.toml"),
            ("settings*.json", "*.toml"),
            ("[id]", "[id"),
        ] {
            assert!(!may_be(listed, name), "{listed} {name}");
        }
    }

    #[test]
    fn a_name_longer_than_any_file_s_is_cut_before_it_costs_anything() {
        let stars = "*a".repeat(100_000);
        assert!(may_be("*a*a*a*", &stars));
    }
}
