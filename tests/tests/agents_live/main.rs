//! Real agents, driven on this machine against a scripted model: first the proof that the harness itself tells
//! the truth, then what Countersign promises.

mod before;
mod harness;
mod scenarios;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut all = harness::scenarios();
    all.extend(scenarios::scenarios());
    all.extend(before::scenarios());
    countersign_tests::live::runner::main(all)
}
