//! The hook as an agent starts it: real processes, real sockets, no daemon but the tests' own.
#![expect(clippy::unwrap_used, reason = "a stage that can't be set ends its test")]

mod conversation;
mod silence;
mod stage;
