//! The envelope: all a relay ever holds (protocol.md §6). A clear header of 18 bytes that selects exactly one key and
//! nonce, then a Noise message whose plaintext is `len u32 ‖ content ‖ zeros`, the whole padded to one of five sizes.
//! The content is a [`Part`] of a message, in handshakes their payload.

mod assembler;
mod part;

pub use self::{
    assembler::Assembler,
    part::{Part, RawMessage, split},
};
use crate::{id::SessionTag, limits, refusal::Refusal};

/// The one version there is.
pub const VERSION: u8 = 1;
/// Length of the header.
pub const HEADER: usize = 18;
/// Length of what comes before the content in a plaintext.
pub(crate) const LENGTH: usize = 4;

/// What an envelope carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// A handshake message of a pairing.
    Pair = 1,
    /// The first handshake message of a session.
    Hs1 = 2,
    /// The second one.
    Hs2 = 3,
    /// A part of a message.
    Data = 4,
}

impl Kind {
    const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            1 => Some(Self::Pair),
            2 => Some(Self::Hs1),
            3 => Some(Self::Hs2),
            4 => Some(Self::Data),
            _ => None,
        }
    }
}

/// An envelope's clear header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// What the envelope carries.
    pub kind: Kind,
    /// Which key.
    pub tag: SessionTag,
    /// The nonce of [`Kind::Data`]; zero otherwise.
    pub counter: u64,
}

impl Header {
    /// A handshake's header.
    #[must_use]
    pub const fn handshake(kind: Kind, tag: SessionTag) -> Self {
        Self { kind, tag, counter: 0 }
    }

    /// The header in front of a Noise message.
    #[must_use]
    pub fn join(&self, noise: &[u8]) -> Vec<u8> {
        let mut envelope = Vec::with_capacity(HEADER + noise.len());
        envelope.push(VERSION);
        envelope.push(self.kind as u8);
        envelope.extend_from_slice(self.tag.as_bytes());
        envelope.extend_from_slice(&self.counter.to_be_bytes());
        envelope.extend_from_slice(noise);
        envelope
    }

    /// Splits an envelope into its header and its Noise message.
    ///
    /// # Errors
    /// [`Refusal::TooBig`] beyond the largest size; [`Refusal::Malformed`] for a length that is none of the five sizes,
    /// another version or kind, or a counter where there is none.
    pub fn split(envelope: &[u8]) -> Result<(Self, &[u8]), Refusal> {
        if envelope.len() > limits::ENVELOPE {
            return Err(Refusal::TooBig);
        }
        if !limits::BUCKETS.contains(&envelope.len()) {
            return Err(Refusal::Malformed);
        }
        let (version, rest) = take::<1>(envelope)?;
        let (kind, rest) = take::<1>(rest)?;
        let (tag, rest) = take(rest)?;
        let (counter, noise) = take(rest)?;
        let [kind] = kind;
        let kind = Kind::from_byte(kind).ok_or(Refusal::Malformed)?;
        let header = Self { kind, tag: SessionTag::new(tag), counter: u64::from_be_bytes(counter) };
        let bare = kind == Kind::Data || header.counter == 0;
        if version == [VERSION] && bare { Ok((header, noise)) } else { Err(Refusal::Malformed) }
    }
}

/// The plaintext for a content: as long as the smallest envelope that holds it allows, where the Noise message adds
/// `overhead` bytes.
///
/// # Errors
/// [`Refusal::TooBig`] where no envelope holds it.
pub fn pad(content: &[u8], overhead: usize) -> Result<Vec<u8>, Refusal> {
    let needed = HEADER + overhead + LENGTH + content.len();
    let size = limits::BUCKETS.into_iter().find(|size| *size >= needed).ok_or(Refusal::TooBig)?;
    let length = u32::try_from(content.len()).map_err(|_| Refusal::TooBig)?;
    let mut plaintext = Vec::with_capacity(size);
    plaintext.extend_from_slice(&length.to_be_bytes());
    plaintext.extend_from_slice(content);
    plaintext.resize(size - HEADER - overhead, 0);
    Ok(plaintext)
}

/// The content of a plaintext.
///
/// # Errors
/// [`Refusal::Malformed`] where the length points beyond the end or the padding is not all zeros.
pub fn unpad(plaintext: &[u8]) -> Result<&[u8], Refusal> {
    let (length, rest) = take(plaintext)?;
    let length = usize::try_from(u32::from_be_bytes(length)).map_err(|_| Refusal::Malformed)?;
    let (content, padding) = rest.split_at_checked(length).ok_or(Refusal::Malformed)?;
    if padding.iter().all(|byte| *byte == 0) { Ok(content) } else { Err(Refusal::Malformed) }
}

/// Takes the first `N` bytes.
fn take<const N: usize>(bytes: &[u8]) -> Result<([u8; N], &[u8]), Refusal> {
    bytes.split_first_chunk().map(|(head, rest)| (*head, rest)).ok_or(Refusal::Malformed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TAG: SessionTag = SessionTag::new([9; 8]);

    #[test]
    fn an_envelope_has_one_of_five_sizes_and_the_smallest_that_fits() {
        for (content, size) in [(0, 256), (218, 256), (219, 1_024), (16_346, 16_384), (32_730, 32_768)] {
            let plaintext = pad(&vec![7; content], 16).unwrap();
            assert_eq!(HEADER + plaintext.len() + 16, size, "{content}");
        }
        assert_eq!(pad(&vec![7; 32_731], 16), Err(Refusal::TooBig));
    }

    #[test]
    fn a_handshake_never_carries_a_counter() {
        let noise = [0; 256 - HEADER];
        for kind in [Kind::Pair, Kind::Hs1, Kind::Hs2] {
            let envelope = Header { kind, tag: TAG, counter: 1 }.join(&noise);
            assert_eq!(Header::split(&envelope), Err(Refusal::Malformed), "{kind:?}");
        }
        let data = Header { kind: Kind::Data, tag: TAG, counter: 1 };
        assert_eq!(Header::split(&data.join(&noise)), Ok((data, &noise[..])));
    }

    #[test]
    fn no_single_bit_turns_one_kind_into_data() {
        for kind in [Kind::Pair, Kind::Hs1, Kind::Hs2, Kind::Data] {
            for bit in 0..8 {
                let other = Kind::from_byte(kind as u8 ^ (1 << bit));
                assert!(kind != Kind::Data || other.is_none());
                assert_ne!(other, Some(Kind::Data));
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_padded_comes_back_and_a_stray_byte_after_it_is_refused(
            content in proptest::collection::vec(any::<u8>(), 0..2_000),
            stray: prop::sample::Index,
        ) {
            let mut plaintext = pad(&content, 16).unwrap();
            prop_assert_eq!(unpad(&plaintext), Ok(&content[..]));
            let padding = LENGTH + content.len()..plaintext.len();
            if !padding.is_empty() {
                plaintext[padding.start + stray.index(padding.len())] = 1;
                prop_assert_eq!(unpad(&plaintext), Err(Refusal::Malformed));
            }
        }

        #[test]
        fn any_bytes_are_split_or_refused_and_what_splits_joins_again(
            bytes in proptest::collection::vec(any::<u8>(), 0..300),
            size in prop::sample::select(vec![0usize, 17, 18, 255, 256, 1_024, 32_768, 32_769]),
            version in 0u8..3,
            kind in 0u8..6,
        ) {
            let mut envelope = bytes;
            envelope.resize(size, 0);
            if size > 1 {
                envelope[0] = version;
                envelope[1] = kind;
            }
            if let Ok((header, noise)) = Header::split(&envelope) {
                prop_assert_eq!(&header.join(noise), &envelope);
            }
            let _ = unpad(&envelope);
            if let Ok(part) = Part::parse(&envelope) {
                prop_assert_eq!(&part.encode(), &envelope);
            }
        }
    }
}
