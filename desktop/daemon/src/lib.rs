//! The shell around the core: clocks, keys, the store, two sockets, and the one task that owns `Core`. It carries out
//! what the core commands and decides nothing; whatever fails in it ends as silence, and the agent asks for itself.

pub mod clock;
pub mod keys;
pub mod store;
