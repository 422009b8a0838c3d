//! What replacing text in a file would leave, as Claude Code 2.1.332 does it: on `\n` lines, given back the file's own
//! line breaks. Where its rules leave a doubt (it also tries straight for curly quotes and `\u` escapes), the edit has
//! no place here and is shown without one.

/// One replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    /// The text to replace; empty to fill an empty or new file.
    pub(crate) old: String,
    /// What takes its place.
    pub(crate) new: String,
    /// Whether every occurrence is replaced.
    pub(crate) everywhere: bool,
}

/// How much of a file decides which line breaks it has.
const LOOKED_AT: usize = 4096;

/// The file after the edits, or why that can't be told.
pub(crate) fn apply(base: &str, edits: &[Edit]) -> Result<String, String> {
    let mut text = base.replace("\r\n", "\n");
    for (at, edit) in edits.iter().enumerate() {
        text = replace(&text, edit).map_err(|why| match edits.len() {
            1 => why,
            of => format!("{why} (edit {} of {of})", at + 1),
        })?;
    }
    Ok(if has_crlf(base) { text.replace("\r\n", "\n").replace('\n', "\r\n") } else { text })
}

fn replace(text: &str, edit: &Edit) -> Result<String, String> {
    if edit.old.is_empty() {
        return if text.trim().is_empty() {
            Ok(edit.new.clone())
        } else {
            Err("the file is not empty, and the edit does not say which text it replaces".to_owned())
        };
    }
    let line = format!("{}\n", edit.old);
    // A text that is deleted takes its line break along.
    let takes_line = edit.new.is_empty() && !edit.old.ends_with('\n') && text.contains(&line);
    let old = if takes_line { &line } else { &edit.old };
    match text.matches(&edit.old).count() {
        0 => Err("the text to replace is not in the file".to_owned()),
        1 => Ok(text.replacen(old, &edit.new, 1)),
        _ if edit.everywhere => Ok(text.replace(old, &edit.new)),
        times => Err(format!(
            "the text to replace is in the file {times} times, and the edit does not say which is meant"
        )),
    }
}

/// Whether most line breaks at the start of a text are `\r\n`.
fn has_crlf(text: &str) -> bool {
    let start: String = text.chars().take(LOOKED_AT).collect();
    let crlf = start.matches("\r\n").count();
    crlf > start.matches('\n').count() - crlf
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(old: &str, new: &str, everywhere: bool) -> Edit {
        Edit { old: old.into(), new: new.into(), everywhere }
    }

    #[test]
    fn one_occurrence_is_replaced_and_several_only_when_the_edit_says_so() {
        assert_eq!(apply("alpha\nbeta\n", &[edit("beta", "B\nC", false)]).unwrap(), "alpha\nB\nC\n");
        assert_eq!(apply("a a a", &[edit("a", "b", true)]).unwrap(), "b b b");
        let why = apply("a a a", &[edit("a", "b", false)]).unwrap_err();
        assert_eq!(
            why,
            "the text to replace is in the file 3 times, and the edit does not say which is meant"
        );
        assert!(apply("a", &[edit("x", "y", false)]).is_err());
    }

    #[test]
    fn edits_build_on_each_other() {
        assert_eq!(apply("a", &[edit("a", "b", false), edit("b", "c", false)]).unwrap(), "c");
        let why = apply("a", &[edit("a", "b", false), edit("a", "c", false)]).unwrap_err();
        assert_eq!(why, "the text to replace is not in the file (edit 2 of 2)");
    }

    #[test]
    fn a_file_keeps_the_line_breaks_that_most_of_it_has() {
        assert_eq!(apply("a\r\nb\r\n", &[edit("a\nb", "x\ny", false)]).unwrap(), "x\r\ny\r\n");
        assert_eq!(apply("a\nb\r\nc\n", &[edit("a", "x", false)]).unwrap(), "x\nb\nc\n");
        assert_eq!(apply("a\r\nb\n", &[edit("a", "x", false)]).unwrap(), "x\nb\n");
    }

    #[test]
    fn a_deleted_text_takes_its_line_break_along() {
        assert_eq!(apply("a\nb\nc\n", &[edit("b", "", false)]).unwrap(), "a\nc\n");
        assert_eq!(apply("ab\n", &[edit("a", "", false)]).unwrap(), "b\n");
    }

    #[test]
    fn only_an_empty_file_can_be_filled() {
        assert_eq!(apply(" \n", &[edit("", "x", false)]).unwrap(), "x");
        assert!(apply("a", &[edit("", "x", false)]).is_err());
    }
}
