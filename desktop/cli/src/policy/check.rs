//! `policy check`: what is wrong with a text, or how wide it is.

use std::process::ExitCode;

use countersign_core::policy::{
    TextKind,
    diff::{Review, review},
    trouble::ParseError,
};
use countersign_proto::text::Shown;
use serde_json::{Value, json};

use super::{Check, home, kind_of, text_of};
use crate::{
    output,
    trouble::{FAILED, Trouble},
};

/// `policy check`
pub fn run(check: &Check) -> Result<ExitCode, Trouble> {
    let text = text_of(&check.file)?;
    let kind = kind_of(&check.file, check.permission);
    let reviewed = review(kind, None, &text, &home()?);
    let code = if reviewed.is_ok() { ExitCode::SUCCESS } else { ExitCode::from(FAILED) };
    if check.format.json {
        output::print_json(&as_json(&reviewed))?;
    } else {
        output::print(&as_text(&check.file.display().to_string(), kind, &reviewed))?;
    }
    Ok(code)
}

fn as_json(reviewed: &Result<Review, Vec<ParseError>>) -> Value {
    match reviewed {
        Ok(review) => {
            let lines =
                review.widths.iter().map(|(line, words)| json!({ "line": line, "means": words.as_str() }));
            json!({
                "ok": true,
                "lines": lines.collect::<Vec<_>>(),
                "warnings": review.warnings.iter().map(Shown::as_str).collect::<Vec<_>>(),
            })
        }
        Err(errors) => {
            let error = |error: &ParseError| json!({ "line": error.line, "column": error.column, "what": error.what, "fix": error.fix });
            json!({ "ok": false, "errors": errors.iter().map(error).collect::<Vec<_>>() })
        }
    }
}

fn as_text(file: &str, kind: TextKind, reviewed: &Result<Review, Vec<ParseError>>) -> String {
    let file = Shown::line(file);
    match reviewed {
        Ok(review) => {
            let mut text =
                format!("{file}: a {} without errors. It holds nowhere until you accept it.\n", kind.name());
            for (line, words) in &review.widths {
                text.push_str(&format!("  line {line}: {words}\n"));
            }
            for warning in &review.warnings {
                text.push_str(&format!("! {warning}\n"));
            }
            text
        }
        Err(errors) => {
            let error = |error: &ParseError| {
                format!("{file}:{}:{}: {}. {}\n", error.line, error.column, error.what, error.fix)
            };
            errors.iter().map(error).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        as_text("x.policy", TextKind::Lines, &review(TextKind::Lines, None, text, "/home/ann"))
    }

    #[test]
    fn errors_name_file_line_and_column_and_what_would_be_right() {
        let told = told("allow read\nallow reads\ndeny\n");
        assert!(told.starts_with("x.policy:2:7: `reads` is no class. Did you mean `read`?"), "{told}");
        assert_eq!(told.lines().count(), 2);
    }

    #[test]
    fn a_good_text_says_what_its_lines_mean_and_that_it_does_not_hold_yet() {
        let told = told("allow write\n");
        assert!(told.contains("until you accept it") && told.contains("line 1: lets known writes"), "{told}");
    }

    #[test]
    fn programs_get_the_same_as_json() {
        let good = as_json(&review(TextKind::Lines, None, "deny external", "/home/ann"));
        assert_eq!((&good["ok"], &good["lines"][0]["line"]), (&json!(true), &json!(1)));
        let bad = as_json(&review(TextKind::Permission, None, "[]", "/home/ann"));
        assert_eq!((&bad["ok"], &bad["errors"][0]["column"]), (&json!(false), &json!(1)));
    }
}
