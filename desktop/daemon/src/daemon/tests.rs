//! A whole daemon in a folder of its own, spoken to over its real sockets.

mod agent;
mod asking;
mod beginning;
mod ending;
mod gate;
mod phone;
mod stage;
mod watching;
