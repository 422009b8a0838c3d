//! The relay as it runs: the built binary, over loopback, with real WebSocket clients.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "everything here is a test, also outside the test functions"
)]

mod blind;
mod claim;
mod mail;
mod party;
mod process;
mod refuse;
