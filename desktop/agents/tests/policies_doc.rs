//! Every example of `docs/policies.md`, run: a block of calls says what comes of each under the texts above it.

use countersign_agents::{measure::Given, tools};
use countersign_core::{
    classify::{Call, classify},
    policy::{
        Asked, ConsentId, InForce, Origin, SessionView,
        eval::{Decided, evaluate_case},
        parse::parse,
        permission,
    },
};
use serde_json::{Value, json};

const DOC: &str = include_str!("../../../docs/policies.md");
const HOME: &str = "/home/ann";
const PROJECT: &str = "/home/ann/site";

/// A fenced block: what stands behind the fence, its text, and its line.
struct Block {
    kind: String,
    text: String,
    line: usize,
}

fn blocks() -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in (1..).zip(DOC.lines()) {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(kind)) => {
                open = Some(Block { kind: kind.to_owned(), text: String::new(), line: number })
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => block.text.push_str(&format!("{line}\n")),
            (None, None) => {}
        }
    }
    blocks
}

/// `codex: ls`, `Read src/a.rs` or a command of Claude Code's.
fn request(words: &str) -> (&str, String, Value) {
    let (agent, words) =
        words.split_once(": ").filter(|(agent, _)| *agent == "codex").unwrap_or(("claude", words));
    let (first, rest) = words.split_once(' ').unwrap_or((words, ""));
    let path = match rest.strip_prefix("~/") {
        Some(rest) => format!("{HOME}/{rest}"),
        None => format!("{PROJECT}/{rest}"),
    };
    let (tool, input) = match first {
        "Read" => ("Read", json!({ "file_path": path })),
        "Write" if agent == "codex" => (
            "apply_patch",
            json!({ "input": format!("*** Begin Patch\n*** Add File: {rest}\n+x\n*** End Patch\n") }),
        ),
        "Write" => ("Write", json!({ "file_path": path, "content": "x" })),
        "Edit" => ("Edit", json!({ "file_path": path, "old_string": "a", "new_string": "b" })),
        "WebFetch" => ("WebFetch", json!({ "url": rest, "prompt": "x" })),
        tool if tool.starts_with("mcp__") => (tool, json!({ "text": rest })),
        _ => ("Bash", json!({ "command": words })),
    };
    (agent, tool.to_owned(), input)
}

fn outcome(words: &str, texts: &[InForce], decided: Decided) -> &'static str {
    let (agent, tool, input) = request(words);
    let action = tools::action(agent, &tool, &input);
    let takes_allow_lines = tools::takes_allow_lines(agent);
    let call = Call {
        agent,
        tool: &tool,
        action: &action,
        folder: PROJECT,
        worktree: PROJECT,
        home: HOME,
        takes_allow_lines,
        protected: &[],
        env_is_lifted: false,
    };
    let facts = classify(&call, &Given::default().around(PROJECT));
    let session = SessionView { start_folder: Some(PROJECT), moved: false, is_tainted: false, repeats: 1 };
    let asked = Asked {
        agent,
        profile: None,
        tool: &tool,
        action: &action,
        facts: &facts,
        folder: PROJECT,
        home: HOME,
        is_whole: true,
        takes_allow_lines,
        session,
    };
    evaluate_case(&asked, texts, decided).0.name()
}

#[test]
fn every_call_of_the_page_gets_the_answer_that_stands_beside_it() {
    let (mut texts, mut managed) = (Vec::new(), Vec::new());
    let (mut calls, mut wrong) = (0, Vec::new());
    for block in blocks() {
        let text = &block.text;
        match block.kind.as_str() {
            "policy" => {
                let policy =
                    parse(text, HOME).unwrap_or_else(|errors| panic!("line {}: {errors:?}", block.line));
                texts = std::mem::take(&mut managed);
                texts.push(InForce::lines(Origin::Person(ConsentId([1; 16])), text, policy));
            }
            "managed" => managed.push(InForce::lines(Origin::Managed, text, parse(text, HOME).unwrap())),
            "json" => {
                let file = permission::parse(text, HOME)
                    .unwrap_or_else(|error| panic!("line {}: {error}", block.line));
                texts = vec![InForce::permissions(Origin::Person(ConsentId([1; 16])), text, file, None)];
            }
            "calls" | "calls green reads" | "calls green writes" => {
                let decided = Decided {
                    green_reads: block.kind.ends_with("reads"),
                    green_writes: block.kind.ends_with("writes"),
                    ..Decided::default()
                };
                for (number, line) in (block.line + 1..).zip(text.lines()) {
                    let (expected, words) = line.split_once(' ').unwrap();
                    let got = outcome(words.trim(), &texts, decided);
                    calls += 1;
                    if got != expected {
                        wrong.push(format!("line {number}: {line}: got {got}"));
                    }
                }
            }
            "wrong" | "errors" => {}
            other => panic!("line {}: nothing runs a block of `{other}`", block.line),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(calls > 70, "only {calls} calls were found");
}

#[test]
fn every_error_of_the_page_is_the_one_that_is_given() {
    let blocks = blocks();
    let mut seen = 0;
    for pair in blocks.windows(2).filter(|pair| pair[0].kind == "wrong") {
        let errors = parse(&pair[0].text, HOME).unwrap_err();
        let told: Vec<String> =
            errors.iter().map(|error| format!("{}:{} {}", error.line, error.column, error.what)).collect();
        assert_eq!(told.join("\n"), pair[1].text.trim_end());
        seen += told.len();
    }
    assert!(seen > 3);
}
