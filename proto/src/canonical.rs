//! Canonical CBOR (RFC 8949 §4.2, narrowed by protocol.md §1): the one byte form of everything signed or hashed.
//! Decoding re-encodes and compares, so unknown, duplicate or unordered keys, explicit nulls, long integers and
//! indefinite lengths are refused without naming them one by one.

use minicbor::{Decode, Decoder, Encode, data::Type};

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
/// [`Refusal::TooBig`], [`Refusal::Malformed`] (also where something is left over), or [`Refusal::NotCanonical`] for
/// floats, tags and indefinite lengths, which no message of ours holds.
pub fn decode_unsigned<T: for<'b> Decode<'b, ()>>(bytes: &[u8], max: usize) -> Result<T, Refusal> {
    if bytes.len() > max {
        return Err(Refusal::TooBig);
    }
    check_depth(bytes)?;
    let mut decoder = Decoder::new(bytes);
    let value = decoder.decode().map_err(|_| Refusal::Malformed)?;
    if decoder.position() == bytes.len() { Ok(value) } else { Err(Refusal::Malformed) }
}

/// Reads a list of at most `N` items, for a field's `decode_with`: a longer one is refused by its length alone.
pub(crate) fn at_most<'b, const N: usize, T: Decode<'b, C>, C>(
    decoder: &mut Decoder<'b>,
    context: &mut C,
) -> Result<Vec<T>, minicbor::decode::Error> {
    let at = decoder.position();
    match decoder.array()? {
        Some(items) if items <= N as u64 => (0..items).map(|_| decoder.decode_with(context)).collect(),
        _ => Err(minicbor::decode::Error::message("more items than allowed").at(at)),
    }
}

/// Refuses nesting beyond [`limits::CBOR_DEPTH`] and lengths that promise more than there is, before any decoder
/// allocates for them. Looks at every item once and holds one number for each open level.
fn check_depth(bytes: &[u8]) -> Result<(), Refusal> {
    let mut decoder = Decoder::new(bytes);
    // Items still to come: of the whole, then of each open level.
    let mut open: Vec<u64> = vec![1];
    while let Some(left) = open.last_mut() {
        if *left == 0 {
            open.pop();
            continue;
        }
        *left -= 1;
        if let Some(items) = enter(&mut decoder)? {
            if open.len() > limits::CBOR_DEPTH {
                return Err(Refusal::Malformed);
            }
            open.push(items);
        }
    }
    Ok(())
}

/// Steps into a list or map and tells how many items follow, or steps over anything else.
fn enter(decoder: &mut Decoder<'_>) -> Result<Option<u64>, Refusal> {
    let malformed = |_| Refusal::Malformed;
    match decoder.datatype().map_err(malformed)? {
        Type::Array => decoder.array().map_err(malformed),
        Type::Map => {
            let pairs = decoder.map().map_err(malformed)?;
            Ok(Some(pairs.unwrap_or(u64::MAX).checked_mul(2).ok_or(Refusal::Malformed)?))
        }
        Type::Tag | Type::F16 | Type::F32 | Type::F64 => Err(Refusal::NotCanonical),
        Type::ArrayIndef | Type::MapIndef | Type::BytesIndef | Type::StringIndef => {
            Err(Refusal::NotCanonical)
        }
        Type::Break | Type::Unknown(_) => Err(Refusal::Malformed),
        Type::Bool | Type::Null | Type::Undefined | Type::Simple | Type::Bytes | Type::String => {
            skip(decoder)
        }
        Type::U8 | Type::U16 | Type::U32 | Type::U64 => skip(decoder),
        Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Int => skip(decoder),
    }
}

fn skip(decoder: &mut Decoder<'_>) -> Result<Option<u64>, Refusal> {
    decoder.skip().map(|()| None).map_err(|_| Refusal::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_levels_are_read_and_a_ninth_is_refused() {
        let nested = |levels: usize| [vec![0x81; levels], vec![0x00]].concat();
        assert_eq!(check_depth(&nested(8)), Ok(()));
        assert_eq!(check_depth(&nested(9)), Err(Refusal::Malformed));
        assert_eq!(check_depth(&[vec![0x81; 8], vec![0x80]].concat()), Err(Refusal::Malformed));
    }

    #[test]
    fn a_length_that_promises_more_than_there_is_is_refused_at_once() {
        for bytes in [&[0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff][..], &[0xbb; 9], &[0x82, 0x00]]
        {
            assert_eq!(check_depth(bytes), Err(Refusal::Malformed), "{bytes:02x?}");
        }
        assert_eq!(
            check_depth(&[0xbb, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
            Err(Refusal::Malformed)
        );
    }

    #[test]
    fn a_break_outside_an_indefinite_length_is_no_item() {
        assert_eq!(check_depth(&[0xff]), Err(Refusal::Malformed));
        assert_eq!(check_depth(&[0xa1, 0x09, 0xff]), Err(Refusal::Malformed));
    }

    #[test]
    fn half_a_megabyte_of_nesting_is_refused_without_recursion() {
        assert_eq!(check_depth(&vec![0x81; 524_288]), Err(Refusal::Malformed));
        assert_eq!(decode::<u64>(&vec![0x81; limits::MESSAGE], limits::MESSAGE), Err(Refusal::Malformed));
    }

    #[test]
    fn leftovers_long_integers_and_floats_have_their_refusals() {
        let read = |bytes: &[u8]| decode::<u64>(bytes, 16);
        assert_eq!(read(&[0x18, 0x18]), Ok(24));
        assert_eq!(read(&[0x18, 0x17]), Err(Refusal::NotCanonical));
        assert_eq!(read(&[0x17, 0x00]), Err(Refusal::NotCanonical));
        assert_eq!(read(&[0xf9, 0x3c, 0x00]), Err(Refusal::NotCanonical));
        assert_eq!(read(&[]), Err(Refusal::Malformed));
        assert_eq!(read(&[0x00; 17]), Err(Refusal::TooBig));
        assert_eq!(decode_unsigned::<u64>(&[0x18, 0x17], 16), Ok(23));
        assert_eq!(decode_unsigned::<u64>(&[0x17, 0x00], 16), Err(Refusal::Malformed));
    }
}
