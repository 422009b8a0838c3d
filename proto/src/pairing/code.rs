//! The commitment and the six-digit code (protocol.md §4.3, §4.4). The phone commits to its keys before it learns the
//! desktop's nonce and reveals after, so neither side can search for a code that matches.

use core::fmt;

use crate::{
    domain,
    id::Hash,
    key::{AgreementPublic, Secret32, VerifyingKey},
};

const DIGITS: usize = 6;
const CODES: u64 = 1_000_000;

/// A typed text that is no code. It costs no try.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the code has six digits; it is on the phone")]
pub struct BadCode;

/// Six decimal digits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Code(u32);

impl Code {
    /// Reads what a person typed: six digits, blanks and dashes between them ignored.
    ///
    /// # Errors
    /// [`BadCode`].
    pub fn parse(text: &str) -> Result<Self, BadCode> {
        let digits: String = text.chars().filter(|c| !matches!(c, ' ' | '\t' | '\n' | '\r' | '-')).collect();
        if digits.len() != DIGITS || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(BadCode);
        }
        digits.parse().map(Self).map_err(|_| BadCode)
    }
}

/// Always six digits.
impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:06}", self.0)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code(…)")
    }
}

/// The keys that a code vouches for.
#[derive(Debug, Clone, Copy)]
pub struct CodeKeys<'a> {
    /// `P_x.pub`.
    pub phone: &'a AgreementPublic,
    /// `P_sig.pub`.
    pub device: &'a VerifyingKey,
    /// `D_x.pub`.
    pub desktop: &'a AgreementPublic,
}

/// `H("countersign/1/sas-commit", n_p ‖ P_x.pub ‖ P_sig.pub)`.
#[must_use]
pub fn commit(phone_nonce: &Secret32, phone: &AgreementPublic, device: &VerifyingKey) -> Hash {
    domain::hash(domain::SAS_COMMIT, &[phone_nonce.expose(), phone.as_bytes(), device.as_bytes()])
}

/// `HKDF(ikm = n_p ‖ n_d, salt = h2, info = "countersign/1/sas" ‖ 0 ‖ P_x.pub ‖ P_sig.pub ‖ D_x.pub)`: eight bytes as a
/// big-endian number, mod 10^6.
#[must_use]
pub fn derive_code(phone_nonce: &Secret32, desktop_nonce: &Secret32, h2: &Hash, keys: CodeKeys<'_>) -> Code {
    let mut ikm = zeroize::Zeroizing::new([0; 64]);
    for (to, from) in ikm.iter_mut().zip(phone_nonce.expose().iter().chain(desktop_nonce.expose())) {
        *to = *from;
    }
    let context: [&[u8]; 3] = [keys.phone.as_bytes(), keys.device.as_bytes(), keys.desktop.as_bytes()];
    let bytes = domain::derive(domain::SAS, ikm.as_ref(), h2.as_bytes(), &context);
    let number = u64::from_be_bytes(bytes) % CODES;
    Code(u32::try_from(number).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_always_shown_with_six_digits_and_read_as_people_type_it() {
        assert_eq!(Code(42).to_string(), "000042");
        for text in ["000042", " 000 042\n", "000-042"] {
            assert_eq!(Code::parse(text), Ok(Code(42)), "{text:?}");
        }
        for text in ["", "42", "0000042", "00004x", "０00042", "+00042"] {
            assert_eq!(Code::parse(text), Err(BadCode), "{text:?}");
        }
    }

    #[test]
    fn debug_does_not_show_a_code() {
        assert!(!format!("{:?}", Code(123_456)).contains("123"));
    }
}
