//! The examples of `docs/policies.md`, run: each text is accepted, and every call under it gets the answer that stands there.

use std::path::Path;

use countersign_agents::measure::policies::Case;
use countersign_core::policy::{parse::parse, permission};
use serde_json::{Value, json};

const HOME: &str = "/home/ann";
const PROJECT: &str = "/home/ann/site";

/// A fenced block: its kind and its text.
type Block = (String, String);

fn blocks(book: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for line in book.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(kind), None) => open = Some((kind.to_owned(), String::new())),
            (None, Some((_, text))) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

fn book() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/policies.md");
    std::fs::read_to_string(file).expect("the book")
}

fn outcome(text: &Block, command: &str) -> String {
    let mut case = json!({
        "id": command,
        "kind": "lines",
        "policies": [],
        "request": {"agent": "claude", "tool": "Bash", "input": {"command": command}, "cwd": PROJECT},
        "session": {"folder": PROJECT, "seen_at_start": true, "moved": false, "home": HOME, "presence": "active"},
        "always": [],
    });
    match text.0.as_str() {
        "policy" => case["policies"] = json!([{"text": text.1, "state": "accepted"}]),
        "permission" => {
            let file: Value = serde_json::from_str(&text.1).expect("JSON");
            case["kind"] = json!("json");
            case["permission"] = file["permission"].clone();
        }
        other => panic!("{other}"),
    }
    let case = Case::parse(case.to_string().as_bytes()).expect("a case");
    let evaluated = serde_json::to_value(case.evaluate()).expect("JSON");
    evaluated["outcome"].as_str().expect("an outcome").to_owned()
}

#[test]
fn every_example_answers_as_the_book_says() {
    let mut text: Option<Block> = None;
    let mut answers = 0;
    for block in blocks(&book()) {
        match block.0.as_str() {
            "policy" | "permission" => text = Some(block),
            "answers" => {
                let text = text.as_ref().expect("a text above its answers");
                for line in block.1.lines() {
                    let (expected, command) = line.split_once(':').expect("`answer: command`");
                    assert_eq!(outcome(text, command.trim()), expected, "{}\n{command}", text.1);
                    answers += 1;
                }
            }
            _ => {}
        }
    }
    assert!(answers >= 30, "only {answers} answers");
}

#[test]
fn the_example_with_errors_has_one_on_each_line() {
    let blocks = blocks(&book());
    let (_, text) = blocks.iter().find(|(kind, _)| kind == "policy-with-errors").expect("the example");
    let errors = parse(text, HOME).expect_err("errors");
    let lines: Vec<u32> = errors.iter().map(|error| error.line).collect();
    assert_eq!(lines, (1..=text.lines().count() as u32).collect::<Vec<_>>(), "{errors:?}");
    assert!(errors.iter().all(|error| !error.fix.is_empty() && error.column >= 1));
}

#[test]
fn every_text_of_the_book_parses() {
    for (kind, text) in blocks(&book()) {
        match kind.as_str() {
            "policy" => drop(parse(&text, HOME).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))),
            "permission" => {
                permission::parse(&text, HOME).unwrap_or_else(|error| panic!("{text}: {error}"));
            }
            _ => {}
        }
    }
}
