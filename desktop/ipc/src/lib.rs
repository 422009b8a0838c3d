//! What the two local sockets carry, and where they are. The hooks' socket takes small binary frames and gives back
//! opaque bytes; the control socket (feature `control`) speaks one JSON object a line.
//! Nothing here decides anything, and no path comes from the environment.

pub mod account;
pub mod client;
#[cfg(feature = "control")]
pub mod control;
pub mod environment;
pub mod folder;
pub mod frame;
pub mod instance;
pub mod place;

pub use instance::Instance;
