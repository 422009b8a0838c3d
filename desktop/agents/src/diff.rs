//! The lines of a change: `+`, `-`, ` ` or `@` in front of each, three lines of context, every changed line there.

use std::ops::Range;

use similar::{Algorithm, DiffOp, DiffTag, capture_diff, group_diff_ops};

use crate::edit::Edit;

/// Lines shown around a change.
const CONTEXT: usize = 3;
/// Up to this product of old and new lines a change is aligned line by line; beyond it, all old lines stand before all
/// new ones, so that no call can keep the daemon busy.
const ALIGNED: usize = 16_000_000;

/// A change, drawn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Drawn {
    /// Lines added.
    pub(crate) added: u32,
    /// Lines removed.
    pub(crate) removed: u32,
    /// The lines, without a line break at the end.
    pub(crate) lines: String,
}

impl Drawn {
    fn push(&mut self, sign: char, line: &str) {
        match sign {
            '+' => self.added = self.added.saturating_add(1),
            '-' => self.removed = self.removed.saturating_add(1),
            _ => {}
        }
        if !self.lines.is_empty() {
            self.lines.push('\n');
        }
        self.lines.push(sign);
        self.lines.push_str(line);
    }

    /// A remark of ours between the lines.
    pub(crate) fn remark(&mut self, words: &str) {
        self.push('@', &format!(" {words}"));
    }

    /// A line of a text, with a remark where it doesn't end in a line break.
    fn piece(&mut self, sign: char, piece: &str) {
        match piece.strip_suffix('\n') {
            Some(line) => self.push(sign, line),
            None => {
                self.push(sign, piece);
                self.remark("no line break at the end");
            }
        }
    }
}

/// The change from one text to another.
pub(crate) fn between(old: &str, new: &str) -> Drawn {
    let mut drawn = Drawn::default();
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    for group in group_diff_ops(operations(&old, &new), CONTEXT) {
        let (from, to) = (span(&group, DiffOp::old_range), span(&group, DiffOp::new_range));
        drawn.push('@', &format!("@ -{} +{} @@", place(&from), place(&to)));
        for op in group {
            let (tag, from, to) = op.as_tag_tuple();
            let (removed, added) = (lines(&old, from), lines(&new, to));
            match tag {
                DiffTag::Equal => removed.for_each(|line| drawn.piece(' ', line)),
                DiffTag::Delete | DiffTag::Insert | DiffTag::Replace => {
                    removed.for_each(|line| drawn.piece('-', line));
                    added.for_each(|line| drawn.piece('+', line));
                }
            }
        }
    }
    if drawn.lines.is_empty() {
        drawn.remark(if new.is_empty() { "an empty file" } else { "nothing changes" });
    }
    drawn
}

/// A text of which every line is new.
pub(crate) fn added(new: &str) -> Drawn {
    between("", new)
}

/// Replacements whose place is not known: each old text, then the new one, whole.
pub(crate) fn unplaced(edits: &[Edit]) -> Drawn {
    let mut drawn = Drawn::default();
    for (at, edit) in edits.iter().enumerate() {
        let which = if edits.len() == 1 { String::new() } else { format!("{} of {}: ", at + 1, edits.len()) };
        let every = if edit.everywhere { "every occurrence of the text below" } else { "the text below" };
        drawn.remark(&format!("{which}replaces {every}, wherever it stands"));
        edit.old.split('\n').filter(|_| !edit.old.is_empty()).for_each(|line| drawn.push('-', line));
        edit.new.split('\n').filter(|_| !edit.new.is_empty()).for_each(|line| drawn.push('+', line));
    }
    drawn
}

fn operations(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let before = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let shorter = old.len().min(new.len());
    let after =
        old.iter().rev().zip(new.iter().rev()).take(shorter - before).take_while(|(a, b)| a == b).count();
    let (from, to) = (before..old.len() - after, before..new.len() - after);
    if from.len().saturating_mul(to.len()) <= ALIGNED {
        return capture_diff(Algorithm::Myers, old, 0..old.len(), new, 0..new.len());
    }
    vec![
        DiffOp::Equal { old_index: 0, new_index: 0, len: before },
        DiffOp::Replace {
            old_index: from.start,
            old_len: from.len(),
            new_index: to.start,
            new_len: to.len(),
        },
        DiffOp::Equal { old_index: from.end, new_index: to.end, len: after },
    ]
}

fn lines<'a, 'b>(text: &'b [&'a str], range: Range<usize>) -> impl Iterator<Item = &'a str> + use<'a, 'b> {
    text.get(range).unwrap_or_default().iter().copied()
}

fn span(group: &[DiffOp], range: impl Fn(&DiffOp) -> Range<usize>) -> Range<usize> {
    let start = group.first().map_or(0, |op| range(op).start);
    let end = group.last().map_or(0, |op| range(op).end);
    start..end
}

/// First line and number of lines, as unified diffs write them.
fn place(range: &Range<usize>) -> String {
    let start = if range.is_empty() { range.start } else { range.start + 1 };
    format!("{start},{}", range.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_change_stands_between_three_lines_of_context() {
        let old: String = (1..=20).map(|n| format!("line {n}\n")).collect();
        let new = old.replace("line 10\n", "ten\nand more\n");
        let expected = "@@ -7,7 +7,8 @@\n line 7\n line 8\n line 9\n-line 10\n+ten\n+and more\n line 11\n line 12\n line 13";
        assert_eq!(between(&old, &new), Drawn { added: 2, removed: 1, lines: expected.into() });
    }

    #[test]
    fn line_breaks_at_the_end_are_not_swallowed() {
        assert_eq!(between("a", "a\n").lines, "@@ -1,1 +1,1 @@\n-a\n@ no line break at the end\n+a");
        assert_eq!(between("a\r\n", "a\n").lines, "@@ -1,1 +1,1 @@\n-a\r\n+a");
    }

    #[test]
    fn a_change_of_nothing_is_never_blank() {
        assert_eq!(between("a\n", "a\n").lines, "@ nothing changes");
        assert_eq!(added("").lines, "@ an empty file");
    }

    #[test]
    fn a_huge_rewrite_is_shown_whole_without_being_aligned() {
        let lines = |word: &str| (0..3_000).map(|n| format!("{word} {n}\n}}\n")).collect::<String>();
        let drawn =
            between(&format!("head\n{}tail\n", lines("old")), &format!("head\n{}tail\n", lines("new")));
        // The brackets that both have would be context if the lines were aligned.
        assert_eq!((drawn.added, drawn.removed), (5_999, 5_999));
        assert!(
            drawn.lines.starts_with("@@ -1,6002 +1,6002 @@\n head\n-old 0\n-}\n"),
            "{:.100}",
            drawn.lines
        );
        assert!(drawn.lines.ends_with("+new 2999\n }\n tail"));
    }

    fn some_lines() -> impl Strategy<Value = String> {
        proptest::collection::vec("[ab]{0,2}(\n|\r\n)", 0..20).prop_map(|lines| lines.concat())
    }

    proptest! {
        #[test]
        fn the_drawn_lines_lead_from_the_old_text_to_the_new(old in some_lines(), new in some_lines()) {
            let drawn = between(&old, &new);
            let count = |sign| drawn.lines.split('\n').filter(|line| line.starts_with(sign)).count() as u32;
            prop_assert_eq!((count('+'), count('-')), (drawn.added, drawn.removed));
            let change = i64::from(drawn.added) - i64::from(drawn.removed);
            prop_assert_eq!(change, new.lines().count() as i64 - old.lines().count() as i64);
            let kept: Vec<&str> = drawn.lines.split('\n').filter_map(|line| line.strip_prefix('+')).collect();
            for line in kept {
                prop_assert!(new.split('\n').any(|there| there == line));
            }
        }
    }
}
