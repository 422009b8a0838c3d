//! Decides, and is the only place that can allow. One struct: inputs in, commands out, time and randomness as
//! arguments. Pure: no clock, file, socket, environment, randomness or thread of its own.

pub mod answer;
pub mod approver;
pub mod audit;
pub mod authority;
pub mod classify;
pub mod clock;
pub mod command;
pub mod core;
pub mod draft;
pub mod input;
mod ledger;
pub mod order;
pub mod policy;
pub mod rule;
pub mod settings;

pub use self::core::{Card, Core, DecidedBefore, Marks, Start, Unfinished};
