//! Real agents, driven on this machine against a scripted model: first the proof that the harness itself tells
//! the truth, then what Countersign promises.

mod harness;

use std::process::ExitCode;

fn main() -> ExitCode {
    countersign_tests::live::runner::main(harness::scenarios())
}
