//! `countersign-hook`: what an agent starts before and after a tool call. It hands its standard input to the daemon
//! and prints exactly the bytes that come back, or nothing. It decides nothing, keeps nothing, never fails: whatever
//! goes wrong, it is silent and exits with 0, as if Countersign were not installed (WHO-5).

mod arguments;
mod ask;
mod patience;

use std::process::ExitCode;

fn main() -> ExitCode {
    // Some agents deny a call when its hook dies or writes a stray line, so a panic is as silent as all else.
    std::panic::set_hook(Box::new(|_| {}));
    let _ = std::panic::catch_unwind(|| ask::run(std::env::args_os().skip(1)));
    ExitCode::SUCCESS
}
