//! `make corpus`: judges the labelled requests, evaluates the labelled policies, and prints how much is right, per field and
//! per kind, and everything that is not. `corpus [--json] [REQUESTS POLICIES]`.

use std::{path::PathBuf, process::ExitCode};

use countersign_tests::corpus;
use serde_json::json;

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_json = arguments.iter().any(|argument| argument == "--json");
    arguments.retain(|argument| argument != "--json");
    let (requests, policies) = match arguments.as_slice() {
        [] => (corpus::file("dev.jsonl"), corpus::file("policies_dev.jsonl")),
        [requests, policies] => (PathBuf::from(requests), PathBuf::from(policies)),
        _ => {
            eprintln!("usage: corpus [--json] [REQUESTS POLICIES]");
            return ExitCode::from(2);
        }
    };
    let (requests, policies) = (corpus::requests(&requests), corpus::policies(&policies));
    if is_json {
        println!(
            "{}",
            json!({"requests": corpus::to_json(&requests), "policies": corpus::to_json(&policies)})
        );
    } else {
        println!("{}\n{}", corpus::print("requests", &requests), corpus::print("policies", &policies));
    }
    ExitCode::SUCCESS
}
