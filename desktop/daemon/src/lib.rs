//! The shell around the core: clocks, keys, the store, two sockets, and the one task that owns `Core`. It carries out
//! what the core commands and decides nothing; whatever fails in it ends as silence, and the agent asks for itself.

pub mod agents;
pub mod card;
pub mod carrier;
pub mod clock;
pub mod control_socket;
pub mod courier;
pub mod daemon;
pub mod derive;
pub mod doctor;
pub mod errand;
pub mod eventloop;
pub mod hook_socket;
pub mod keys;
pub mod log;
pub mod managed;
pub mod pairing;
pub mod peer;
pub mod phones;
pub mod place;
pub mod readiness;
pub mod relay_child;
mod replay;
pub mod resolver;
pub mod sight;
pub mod socket;
pub mod status;
pub mod store;
pub mod timer;
pub mod whereabouts;
