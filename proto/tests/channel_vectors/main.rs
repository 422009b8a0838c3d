//! The golden vectors of the secure channel, good and bad: tickets, envelopes, sessions and pairings. Each file holds
//! exactly what is generated here, and what it holds is then replayed from the file alone.
//! `COUNTERSIGN_WRITE_VECTORS=1` writes the files anew.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "test code; the vectors are files of these tests"
)]

mod envelope;
mod pairing;

mod session;
mod ticket;

use std::{fmt::Debug, path::Path};

use data_encoding::HEXLOWER;
use serde_json::{Value, json};

/// One file: what it is about, and its vectors.
struct Vectors {
    good: Vec<Value>,
    bad: Vec<Value>,
}

impl Vectors {
    /// Compares with the file (or writes it) and gives what it holds.
    fn pinned(self, file: &str, about: &str) -> Self {
        assert!(self.bad.len() >= 2 * self.good.len(), "{file}: two thirds are wrong on purpose");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors").join(file);
        let vectors = json!({ "about": about, "good": self.good, "bad": self.bad });
        let text = format!("{}\n", serde_json::to_string_pretty(&vectors).unwrap());
        if std::env::var_os("COUNTERSIGN_WRITE_VECTORS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let stored = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(stored == text, "{file} differs: run with COUNTERSIGN_WRITE_VECTORS=1 if that is meant");
        let Value::Object(mut stored) = serde_json::from_str(&stored).unwrap() else {
            panic!("{file}: no object")
        };
        let mut take = |key| match stored.remove(key) {
            Some(Value::Array(vectors)) => vectors,
            _ => panic!("{file}: no {key} vectors"),
        };
        Self { good: take("good"), bad: take("bad") }
    }
}

fn hex(bytes: impl AsRef<[u8]>) -> String {
    HEXLOWER.encode(bytes.as_ref())
}

/// The bytes of a hex field.
fn bytes(vector: &Value, key: &str) -> Vec<u8> {
    HEXLOWER.decode(text(vector, key).as_bytes()).unwrap()
}

fn text<'a>(vector: &'a Value, key: &str) -> &'a str {
    vector.get(key).and_then(Value::as_str).unwrap_or_else(|| panic!("no text `{key}` in {vector}"))
}

fn number(vector: &Value, key: &str) -> u64 {
    vector.get(key).and_then(Value::as_u64).unwrap_or_else(|| panic!("no number `{key}` in {vector}"))
}

fn list<'a>(vector: &'a Value, key: &str) -> &'a [Value] {
    vector.get(key).and_then(Value::as_array).unwrap_or_else(|| panic!("no list `{key}` in {vector}"))
}

/// The name of an error: its variant in lower case with underscores.
fn name(error: impl Debug) -> String {
    let variant = format!("{error:?}");
    let variant = variant.split(['(', ' ', '{']).next().unwrap();
    let mut name = String::new();
    for c in variant.chars() {
        if c.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

/// Bytes with one bit flipped.
fn flip(bytes: &[u8], at: usize) -> Vec<u8> {
    bytes.iter().enumerate().map(|(n, byte)| if n == at { byte ^ 1 } else { *byte }).collect()
}
