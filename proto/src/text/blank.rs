//! Runs of blanks and of blank lines, which would push the rest out of sight, are shown as their count.

/// Runs of blanks of at least this length are shown as a count.
const BLANKS: usize = 32;
/// Runs of blank lines of at least this length are shown as a count.
const BLANK_LINES: usize = 4;

/// The text with long runs of blank lines, and long runs of blanks in the other lines, shown as counts.
pub(super) fn collapse(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut out: Vec<String> = Vec::with_capacity(lines.len());
    for run in lines.chunk_by(|a, b| is_blank(a) && is_blank(b)) {
        if run.len() >= BLANK_LINES {
            out.push(format!("⟨{} blank lines⟩", run.len()));
        } else {
            out.extend(run.iter().map(|line| collapse_blanks(line)));
        }
    }
    out.join("\n")
}

/// The lines of a change, each with its sign in front: long runs of blank ones with the same sign are shown as counts.
pub(super) fn collapse_change(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut out: Vec<String> = Vec::with_capacity(lines.len());
    for run in lines.chunk_by(|a, b| sign_of_blank(a).is_some() && sign_of_blank(a) == sign_of_blank(b)) {
        match run.first().and_then(|line| sign_of_blank(line)) {
            Some(sign) if run.len() >= BLANK_LINES => out.push(format!("{sign}⟨{} blank lines⟩", run.len())),
            Some(_) | None => out.extend(run.iter().map(|line| (*line).to_owned())),
        }
    }
    out.join("\n")
}

/// The sign of a line of a change that has nothing else.
fn sign_of_blank(line: &str) -> Option<char> {
    let mut chars = line.chars();
    let sign = chars.next().filter(|sign| matches!(sign, '+' | '-' | ' '))?;
    is_blank(chars.as_str()).then_some(sign)
}

/// One line with its long runs of spaces and tabs shown as counts.
fn collapse_blanks(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut run = String::new();
    for c in line.chars() {
        if matches!(c, ' ' | '\t') {
            run.push(c);
        } else {
            flush(&mut out, &mut run);
            out.push(c);
        }
    }
    flush(&mut out, &mut run);
    out
}

fn is_blank(line: &str) -> bool {
    line.chars().all(|c| matches!(c, ' ' | '\t' | '\r'))
}

fn flush(out: &mut String, run: &mut String) {
    // Spaces and tabs are one byte each.
    if run.len() >= BLANKS {
        out.push_str(&format!(" ⟨{} blanks⟩ ", run.len()));
    } else {
        out.push_str(run);
    }
    run.clear();
}
