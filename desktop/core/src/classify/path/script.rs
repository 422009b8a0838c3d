//! Paths in the small languages that a command line carries: sed scripts, and code whose string literals name files.

use super::evident;

/// The files that a sed script reads or writes: the names behind `r`, `R`, `w` and `W`. Whole scripts are not parsed:
/// `s/a/b/` holds no blank before a path, and without a blank only what plainly begins as a path counts.
pub(super) fn sed(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut before: Option<char> = None;
    let mut before_that: Option<char> = None;
    for (at, c) in text.char_indices() {
        if let Some(rest) = text.get(at..) {
            let is_file = match before {
                // `w /x`: any name, for the blank says that it is one.
                Some(blank) if blank.is_whitespace() => {
                    let takes_file = before_that.is_some_and(|c| "rRwW".contains(c));
                    evident::begins(rest) || (takes_file && !c.is_whitespace() && !"}{".contains(c))
                }
                Some('w' | 'W') => evident::begins(rest),
                Some('r' | 'R') => {
                    evident::begins(rest) && before_that.is_none_or(|c| !c.is_ascii_alphabetic())
                }
                _ => false,
            };
            if is_file {
                found.push(rest.split(['\n', ';', '}', '"', '\'']).next().unwrap_or(rest).trim_end());
            }
        }
        // A run of blanks is one.
        if !(c.is_whitespace() && before.is_some_and(char::is_whitespace)) {
            before_that = before;
        }
        before = Some(c);
    }
    found
}

/// The paths that an awk script names: in its string literals, for `/home/` is a pattern there; behind a redirect any.
pub(super) fn awk(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut pieces = text.split('"');
    let mut before = pieces.next().unwrap_or_default();
    while let Some(literal) = pieces.next() {
        if before.trim_end().ends_with(['>', '<']) {
            found.push(literal);
        } else {
            found.extend(evident::scan(literal));
        }
        before = pieces.next().unwrap_or_default();
    }
    found
}

/// The paths that code names: any that plainly begins as one, and any string literal that a redirect stands before.
pub(super) fn code(text: &str) -> Vec<&str> {
    let mut found = evident::scan(text);
    found.extend(awk(text));
    found
}
