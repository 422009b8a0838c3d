//! Identifiers of fixed length. Each is its own type, so that one can't stand where another belongs.

use core::{fmt, str::FromStr};

use data_encoding::HEXLOWER;

use crate::text::Shown;

/// A text that is no identifier: not lower-case hexadecimal of the right length.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {expected} lower-case hexadecimal digits")]
pub struct BadId {
    text: Shown,
    expected: usize,
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $len:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; $len]);

        impl $name {
            /// Length in bytes.
            pub const LEN: usize = $len;

            /// Takes the bytes as they are.
            #[must_use]
            pub const fn new(bytes: [u8; $len]) -> Self {
                Self(bytes)
            }

            /// The bytes.
            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; $len] {
                &self.0
            }

            /// Takes a slice of exactly the right length.
            #[must_use]
            pub fn from_slice(bytes: &[u8]) -> Option<Self> {
                bytes.try_into().ok().map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&HEXLOWER.encode(&self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        impl FromStr for $name {
            type Err = BadId;

            fn from_str(text: &str) -> Result<Self, BadId> {
                HEXLOWER
                    .decode(text.as_bytes())
                    .ok()
                    .and_then(|bytes| Self::from_slice(&bytes))
                    .ok_or_else(|| BadId {
                        text: Shown::line(&text.chars().take(80).collect::<String>()),
                        expected: 2 * $len,
                    })
            }
        }

        impl<C> minicbor::Encode<C> for $name {
            fn encode<W: minicbor::encode::Write>(
                &self,
                e: &mut minicbor::Encoder<W>,
                _: &mut C,
            ) -> Result<(), minicbor::encode::Error<W::Error>> {
                e.bytes(&self.0)?.ok()
            }
        }

        impl<'b, C> minicbor::Decode<'b, C> for $name {
            fn decode(d: &mut minicbor::Decoder<'b>, _: &mut C) -> Result<Self, minicbor::decode::Error> {
                let at = d.position();
                Self::from_slice(d.bytes()?)
                    .ok_or_else(|| minicbor::decode::Error::message("identifier of the wrong length").at(at))
            }
        }
    };
}

id!(
    /// One tool call awaiting an answer; random, made by the daemon.
    RequestId, 16
);
id!(
    /// One phone's copy of a request; random, used once.
    OfferId, 16
);
id!(
    /// One start of the daemon; random (protocol.md §7.2).
    RunId, 16
);
id!(
    /// One installation: `H("countersign/1/desktop-id", D_sig.pub)` (protocol.md §2).
    DesktopId, 32
);
id!(
    /// One pairing of a phone: the first 16 bytes of `H("countersign/1/device-id", desktop_id ‖ P_sig.pub)`.
    DeviceId, 16
);
id!(
    /// Two mailboxes at a relay (protocol.md §3.1).
    ChannelId, 16
);
id!(
    /// Names the key of an envelope; picked at random by the initiator (protocol.md §6).
    SessionTag, 8
);
id!(
    /// One audit log; random, made with its first entry.
    LogId, 16
);
id!(
    /// A SHA-256 value under a label of [`crate::domain`].
    Hash, 32
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_from_its_own_text() {
        let id = RequestId::new([7; 16]);
        assert_eq!(id.to_string().parse::<RequestId>(), Ok(id));
    }

    #[test]
    fn a_short_or_upper_case_id_is_refused_with_what_would_be_right() {
        let error = "AB".parse::<SessionTag>().unwrap_err();
        assert_eq!(error.to_string(), "`AB` is not 16 lower-case hexadecimal digits");
        assert!("ff".repeat(17).parse::<RequestId>().is_err());
    }
}
