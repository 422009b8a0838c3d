//! `make corpus`: judges the labelled requests and prints how many verdicts are right, per field and per kind, and every one
//! that is not. `corpus [--json] [FILE]`.

use std::{path::PathBuf, process::ExitCode};

use countersign_tests::corpus;

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_json = arguments.iter().any(|argument| argument == "--json");
    arguments.retain(|argument| argument != "--json");
    let file = arguments.first().map_or_else(|| corpus::file("dev.jsonl"), PathBuf::from);
    let score = corpus::score(&corpus::cases(&file));
    if is_json {
        println!("{}", corpus::to_json(&score));
    } else {
        print!("{}", corpus::print("requests", &score));
    }
    ExitCode::SUCCESS
}
