//! What two machines say to each other: canonical bytes, labels, keys, pairing, sessions, envelopes and relay frames.
//! Pure: no clock, file, socket, environment or randomness of its own; time and random bytes come in as arguments.
//!
//! A question's way, and where its parts live:
//!
//! - [`request`] holds what an agent wants to do, [`offer`] one phone's signed copy of it, [`reply`] what the phone says
//!   to it (read as [`reply::UnverifiedReply`], believed only as [`reply::Verified`]), [`receipt`] what became of that.
//! - [`message`] is everything a session carries, [`checkpoint`] what a phone remembers of the audit log.
//! - [`canonical`] makes and reads the one byte form of all these; [`domain`] labels what is hashed, derived or signed;
//!   [`key`] signs and verifies, always under a label; [`id`] keeps identifiers apart.
//! - [`text`] shows what others wrote so that nothing hides in it; [`refusal`] names every reason to say no;
//!   [`limits`] holds every number that both sides must agree on.
//! - [`pairing`] makes a phone an approver, [`session`] connects the two, [`envelope`] is all a relay holds of it; under
//!   them [`noise`]. [`seal`] is for data at rest.
//! - [`frame`] and [`claim`] are the relay's own protocol, and with [`id`] and [`limits`] all that a relay may use.
//!
//! `vectors/` pins all of it as data, for other implementations too.

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
