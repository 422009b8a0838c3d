//! Canonical CBOR (RFC 8949 §4.2, narrowed by protocol.md §1): the one byte form of everything signed or hashed.
//! Decoding re-encodes and compares, so unknown, duplicate or unordered keys, explicit nulls, long integers and
//! indefinite lengths are refused without naming them one by one.

use minicbor::{Decode, Encode, data::Type};

use crate::{limits, refusal::Refusal};

/// The canonical bytes of a value. Made once, by the sender; everybody else keeps those bytes.
#[must_use]
pub fn encode<T: Encode<()>>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    let written = minicbor::encode(value, &mut bytes);
    debug_assert!(written.is_ok(), "a vector takes any number of bytes");
    bytes
}

/// Reads a value of at most `max` bytes from its canonical form.
///
/// # Errors
/// [`Refusal::TooBig`], [`Refusal::Malformed`], or [`Refusal::NotCanonical`] where the bytes mean this value but are
/// not its one form (or something is left over).
pub fn decode<T: for<'b> Decode<'b, ()> + Encode<()>>(bytes: &[u8], max: usize) -> Result<T, Refusal> {
    if bytes.len() > max {
        return Err(Refusal::TooBig);
    }
    check_depth(bytes)?;
    let value: T = minicbor::decode(bytes).map_err(|_| Refusal::Malformed)?;
    if encode(&value) == bytes { Ok(value) } else { Err(Refusal::NotCanonical) }
}

/// Reads an unsigned control message: unknown keys are ignored, everything else is as strict as its decoder.
///
/// # Errors
/// [`Refusal::TooBig`] or [`Refusal::Malformed`].
pub fn decode_unsigned<T: for<'b> Decode<'b, ()>>(bytes: &[u8], max: usize) -> Result<T, Refusal> {
    if bytes.len() > max {
        return Err(Refusal::TooBig);
    }
    check_depth(bytes)?;
    let mut decoder = minicbor::Decoder::new(bytes);
    let value = decoder.decode().map_err(|_| Refusal::Malformed)?;
    if decoder.position() == bytes.len() { Ok(value) } else { Err(Refusal::Malformed) }
}

/// Refuses nesting beyond [`limits::CBOR_DEPTH`], and lengths that promise more items than bytes are left, before any
/// decoder allocates for them.
fn check_depth(bytes: &[u8]) -> Result<(), Refusal> {
    let mut decoder = minicbor::Decoder::new(bytes);
    // Items still to come at each open level.
    let mut open: Vec<u64> = vec![1];
    while let Some(left) = open.last_mut() {
        if *left == 0 {
            open.pop();
            continue;
        }
        *left -= 1;
        let items = match decoder.datatype().map_err(|_| Refusal::Malformed)? {
            Type::Array => decoder.array().map_err(|_| Refusal::Malformed)?.ok_or(Refusal::NotCanonical)?,
            Type::Map => {
                let pairs = decoder.map().map_err(|_| Refusal::Malformed)?.ok_or(Refusal::NotCanonical)?;
                pairs.checked_mul(2).ok_or(Refusal::Malformed)?
            }
            Type::Tag | Type::F16 | Type::F32 | Type::F64 => return Err(Refusal::NotCanonical),
            Type::ArrayIndef | Type::MapIndef | Type::BytesIndef | Type::StringIndef => {
                return Err(Refusal::NotCanonical);
            }
            _ => {
                decoder.skip().map_err(|_| Refusal::Malformed)?;
                continue;
            }
        };
        let left_over = bytes.len().saturating_sub(decoder.position());
        if items > left_over as u64 {
            return Err(Refusal::Malformed);
        }
        if open.len() >= limits::CBOR_DEPTH {
            return Err(Refusal::Malformed);
        }
        open.push(items);
    }
    Ok(())
}
