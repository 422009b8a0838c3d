//! What two machines say to each other: canonical bytes, labels, keys, pairing, sessions, envelopes and relay frames.
//! Pure: no clock, file, socket, environment or randomness of its own; time and random bytes come in as arguments.

pub mod canonical;
pub mod checkpoint;
pub mod claim;
pub mod domain;
pub mod envelope;
pub mod frame;
pub mod id;
pub mod key;
pub mod limits;
pub mod message;
pub mod noise;
pub mod offer;
pub mod pairing;
pub mod receipt;
pub mod refusal;
pub mod reply;
pub mod request;
pub mod seal;
pub mod session;
pub mod text;

pub use refusal::Refusal;
