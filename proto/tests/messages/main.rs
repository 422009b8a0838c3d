//! The signed messages of two machines: golden vectors, and what no byte, label, key or decision may be swapped for.
//! `COUNTERSIGN_WRITE_VECTORS=1` writes the vector files anew.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code; the vectors are files of these tests"
)]

mod bit_flips;
mod cross_use;
mod generators;
mod limits;
mod properties;
mod samples;
mod tree;
mod vectors;
