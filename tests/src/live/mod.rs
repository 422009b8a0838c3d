//! Drives real agents on this machine, with no account: the agent's own program in a terminal or in print mode,
//! a scripted model on loopback, and folders of its own. Fetching a missing program is the only use of a network.

pub mod claude;
pub mod conversation;
pub mod install;
mod message;
pub mod model;
pub mod place;
pub mod runner;
pub mod script;
pub mod terminal;
