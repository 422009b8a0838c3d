//! Data at rest: XChaCha20-Poly1305 with a key per file or table and a random nonce per value (protocol.md §1).
//! A sealed value is `nonce 24 ‖ ciphertext ‖ tag 16` and opens only in the place it was sealed for.

use chacha20poly1305::{AeadInOut as _, KeyInit as _, Tag, XChaCha20Poly1305, XNonce};
use zeroize::Zeroizing;

use crate::{domain, key::Secret32};

/// Length of a nonce; it leads the sealed bytes.
pub const NONCE: usize = 24;
const TAG: usize = 16;

/// A stored value that does not open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// Shorter than a nonce and a tag.
    #[error("the sealed value is cut off")]
    Truncated,
    /// Another key, another place, or changed bytes: which one can't be told.
    #[error("the sealed value does not open here: another key or place, or it was changed")]
    DoesNotOpen,
    /// Longer than the cipher can take (256 GiB).
    #[error("the value is too long to be sealed")]
    TooLong,
}

/// The key of one file or table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealKey(Secret32);

impl SealKey {
    /// Derives the key of the file or table `name` from the installation's master key.
    #[must_use]
    pub fn derive(master: &Secret32, name: &str) -> Self {
        Self(Secret32::new(domain::derive(domain::AT_REST, master.expose(), &[], &[name.as_bytes()])))
    }

    /// A key as it is, for vectors.
    #[must_use]
    pub const fn from_secret(key: Secret32) -> Self {
        Self(key)
    }

    /// Seals a value for a place (`table/row/version`) under 24 fresh random bytes.
    ///
    /// # Errors
    /// [`SealError::TooLong`].
    pub fn seal(&self, nonce: &[u8; NONCE], place: &[u8], value: &[u8]) -> Result<Vec<u8>, SealError> {
        let mut sealed = Vec::with_capacity(NONCE + value.len() + TAG);
        sealed.extend_from_slice(nonce);
        sealed.extend_from_slice(value);
        let Some(text) = sealed.get_mut(NONCE..) else { return Err(SealError::TooLong) };
        let tag = self
            .cipher()
            .encrypt_inout_detached(&XNonce::from(*nonce), place, text.into())
            .map_err(|_| SealError::TooLong)?;
        sealed.extend_from_slice(&tag);
        Ok(sealed)
    }

    /// Opens a value in the place it was sealed for.
    ///
    /// # Errors
    /// [`SealError::Truncated`] or [`SealError::DoesNotOpen`].
    pub fn open(&self, place: &[u8], sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, SealError> {
        let (nonce, rest) = sealed.split_first_chunk::<NONCE>().ok_or(SealError::Truncated)?;
        let (text, tag) = rest.split_last_chunk::<TAG>().ok_or(SealError::Truncated)?;
        let mut value = Zeroizing::new(text.to_vec());
        self.cipher()
            .decrypt_inout_detached(
                &XNonce::from(*nonce),
                place,
                value.as_mut_slice().into(),
                &Tag::from(*tag),
            )
            .map_err(|_| SealError::DoesNotOpen)?;
        Ok(value)
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(self.0.expose().into())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(name: &str) -> SealKey {
        SealKey::derive(&Secret32::new([9; 32]), name)
    }

    #[test]
    fn a_value_opens_only_under_its_own_table_and_place() {
        let sealed = key("pairs").seal(&[1; NONCE], b"pairs/7/1", b"psk").unwrap();
        assert_eq!(key("pairs").open(b"pairs/7/1", &sealed).unwrap().as_slice(), b"psk");
        assert_eq!(key("pairs").open(b"pairs/8/1", &sealed), Err(SealError::DoesNotOpen));
        assert_eq!(key("calls").open(b"pairs/7/1", &sealed), Err(SealError::DoesNotOpen));
    }

    /// The key comes from another implementation: Python's `hmac`.
    #[test]
    fn a_tables_key_is_what_the_document_says() {
        let expected = "1034b9e94f29ec2cbef2b803176ab08d3df06b39068a7833ffe73c963f43fd9f";
        assert_eq!(crate::id::Hash::new(*key("pairs").0.expose()).to_string(), expected);
    }

    #[test]
    fn a_short_value_is_called_cut_off() {
        let sealed = key("pairs").seal(&[1; NONCE], b"", b"").unwrap();
        for length in 0..sealed.len() {
            assert_eq!(key("pairs").open(b"", &sealed[..length]), Err(SealError::Truncated), "{length}");
        }
    }

    proptest! {
        #[test]
        fn any_value_comes_back_and_any_flipped_bit_is_refused(
            value in proptest::collection::vec(any::<u8>(), 0..300),
            nonce: [u8; NONCE],
            bit: prop::sample::Index,
        ) {
            let mut sealed = key("pairs").seal(&nonce, b"p", &value).unwrap();
            let opened = key("pairs").open(b"p", &sealed).unwrap();
            prop_assert_eq!(opened.as_slice(), value.as_slice());
            let bit = bit.index(sealed.len() * 8);
            sealed[bit / 8] ^= 1 << (bit % 8);
            prop_assert_eq!(key("pairs").open(b"p", &sealed), Err(SealError::DoesNotOpen));
        }
    }
}
