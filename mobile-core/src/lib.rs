//! The phone's half, without I/O: bytes, time, random bytes and a person's taps go in; envelopes, prompts, records to
//! store and cards to show come out. The shell (Kotlin, or the demo phone) owns sockets, clocks, keys in hardware and
//! the screen; it decides nothing.
//!
//! - [`pairing::Pairing`] turns a ticket into a [`pair::Pair`].
//! - [`phone::Phone`] is one paired desktop: session, inbox, replies, receipts, alarms.
//! - [`drive`] carries out what a phone asks of its [`vault::Vault`] and [`signer::BioSigner`].

pub mod card;
pub mod choice;
pub mod clock;
mod counter;
pub mod drive;
#[cfg(test)]
mod fake_desktop;
pub mod inbox;
mod link;
pub mod pair;
pub mod pairing;
pub mod phone;
mod pull;
mod sent;
pub mod signer;
mod signing;
pub mod vault;
pub mod witness;
