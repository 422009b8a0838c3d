//! The built `countersign`, as a person or a script starts it: alone, and against a daemon of its own.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "everything here is a test, also outside the test functions"
)]

mod alone;
mod classify;
mod daemon;
mod demo;
mod setup;
mod stage;
