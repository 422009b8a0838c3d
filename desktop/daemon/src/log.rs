//! The audit log as people read it, check it and take it away: listed in words, verified from the first entry on,
//! exported so that a third party can verify it without this machine.

mod export;
mod grounds;
mod secret;
mod verify;
mod words;

pub use self::{export::Export, verify::verify, words::describe};
