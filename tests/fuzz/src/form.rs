//! A second reader of protocol.md §1's one byte form, written from the document alone: it knows no type of ours, only
//! what no canonical object may look like.

/// Asserts that bytes are one item in canonical form: shortest integers and lengths, definite lengths, map keys that are
/// integers in ascending order, UTF-8, no tags, no floats, no nulls, nothing left over.
pub fn assert_canonical(bytes: &[u8]) {
    let rest = item(bytes, 0);
    assert!(rest.is_empty(), "{} bytes are left over", rest.len());
}

fn item(bytes: &[u8], depth: usize) -> &[u8] {
    assert!(depth <= 8, "deeper than eight levels");
    let (major, value, rest) = head(bytes);
    match major {
        0 | 1 => rest,
        2 => split(rest, value).1,
        3 => {
            let (text, rest) = split(rest, value);
            assert!(core::str::from_utf8(text).is_ok(), "text that is no UTF-8");
            rest
        }
        4 => (0..value).fold(rest, |rest, _| item(rest, depth + 1)),
        5 => map(rest, value, depth),
        6 => panic!("a tag"),
        _ => {
            assert!(matches!(value, 20 | 21), "neither false nor true: {value}");
            rest
        }
    }
}

fn map(mut rest: &[u8], pairs: u64, depth: usize) -> &[u8] {
    let mut last = None;
    for _ in 0..pairs {
        let (major, key, after) = head(rest);
        assert!(major == 0, "a key that is no number");
        assert!(last.is_none_or(|last| last < key), "keys out of order, or one twice");
        last = Some(key);
        rest = item(after, depth + 1);
    }
    rest
}

fn head(bytes: &[u8]) -> (u8, u64, &[u8]) {
    let (first, rest) = bytes.split_first().expect("an item");
    let (major, short) = (first >> 5, first & 0x1f);
    if short < 24 {
        return (major, u64::from(short), rest);
    }
    assert!(short < 28 && major != 7, "an indefinite length, a float or a long simple value");
    let (long, rest) = rest.split_at(1 << (short - 24));
    let value = long.iter().fold(0, |value, byte| value << 8 | u64::from(*byte));
    let least = [24, 1 << 8, 1 << 16, 1 << 32][usize::from(short - 24)];
    assert!(value >= least, "{value} could be shorter");
    (major, value, rest)
}

fn split(bytes: &[u8], length: u64) -> (&[u8], &[u8]) {
    bytes.split_at(usize::try_from(length).expect("a length"))
}
