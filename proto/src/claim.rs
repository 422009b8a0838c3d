//! How an end of a channel proves itself to a relay (protocol.md §3.2): the relay's nonce, signed together with the
//! address that was dialled, so that one relay cannot use a client as an oracle at another.
//!
//! A channel is made by `POST /v1/channels` with the JSON object `{"id", "key0", "key1", "ttl"[, "invite"]}`: id (16
//! bytes), keys (32 bytes each, in the order of [`End`]) and invite (16 bytes) in base64url without padding; `ttl` in
//! seconds, after which the channel ends whatever happens, or 0 for one that ends only when it was idle for long.

use core::{fmt, net::Ipv6Addr};

use crate::{
    domain,
    id::ChannelId,
    key::{Signature, SigningKey, VerifyingKey},
    refusal::Refusal,
    text::Shown,
};

/// Where channels are made.
pub const CHANNELS_PATH: &str = "/v1/channels";
/// Length of a relay's nonce, in bytes.
pub const NONCE: usize = 32;

/// One of a channel's two ends. By convention the desktop, which makes the channel, is end 0; a relay does not care.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum End {
    /// End 0, claimed by `key0`.
    Desktop = 0,
    /// End 1, claimed by `key1`.
    Phone = 1,
}

impl End {
    /// The number on the wire.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The end of a number on the wire.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            0 => Some(Self::Desktop),
            1 => Some(Self::Phone),
            _ => None,
        }
    }

    /// The other end.
    #[must_use]
    pub const fn peer(self) -> Self {
        match self {
            Self::Desktop => Self::Phone,
            Self::Phone => Self::Desktop,
        }
    }
}

/// A text that names no relay.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no relay address; write HOST or HOST:PORT, an IPv6 address in brackets")]
pub struct BadOrigin {
    text: Shown,
}

/// The host and port a client dialled, in the one form both sides sign: lower case, always with its port, an IPv6
/// address in brackets and shortest form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin(String);

impl Origin {
    /// Reads `HOST` or `HOST:PORT`; where the port is left out, `default_port` is meant (443 for TLS, 80 without).
    ///
    /// # Errors
    /// [`BadOrigin`] where this is neither.
    pub fn parse(text: &str, default_port: u16) -> Result<Self, BadOrigin> {
        let bad = || BadOrigin { text: Shown::line(&text.chars().take(80).collect::<String>()) };
        Self::read(text, default_port).ok_or_else(bad)
    }

    fn read(text: &str, default_port: u16) -> Option<Self> {
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (address, port) = rest.split_once(']')?;
                let address: Ipv6Addr = address.parse().ok()?;
                (format!("[{address}]"), if port.is_empty() { None } else { Some(port.strip_prefix(':')?) })
            }
            None => {
                let (host, port) =
                    text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port)));
                (name(host)?, port)
            }
        };
        let port = port.map_or(Some(default_port), number)?;
        Some(Self(format!("{host}:{port}")))
    }

    /// The text that is signed.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A host name or IPv4 address in lower case.
fn name(host: &str) -> Option<String> {
    let fits = (1..=253).contains(&host.len());
    let plain = host.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_'));
    (fits && plain).then(|| host.to_ascii_lowercase())
}

/// A port written with digits only.
fn number(port: &str) -> Option<u16> {
    let digits = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| port.parse().ok()).flatten().filter(|port| *port != 0)
}

/// What an end signs to claim its mailbox.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    /// The host and port that was dialled.
    pub origin: &'a Origin,
    /// The relay's nonce of this socket.
    pub nonce: &'a [u8; NONCE],
    /// The channel.
    pub channel: ChannelId,
    /// The end that is claimed.
    pub end: End,
}

impl Claim<'_> {
    /// `origin_len u16 ‖ origin ‖ nonce ‖ channel ‖ end`: what is signed under [`domain::RELAY_AUTH`].
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let origin = self.origin.as_str().as_bytes();
        // A host has at most 253 bytes and a port five.
        let length = u16::try_from(origin.len()).unwrap_or(u16::MAX);
        let mut bytes = Vec::with_capacity(2 + origin.len() + NONCE + ChannelId::LEN + 1);
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(origin);
        bytes.extend_from_slice(self.nonce);
        bytes.extend_from_slice(self.channel.as_bytes());
        bytes.push(self.end.number());
        bytes
    }

    /// Signs with this end's relay key (`R_d`, `R_p` or a rendezvous key).
    #[must_use]
    pub fn sign(&self, key: &SigningKey) -> Signature {
        key.sign(domain::RELAY_AUTH, &[&self.bytes()])
    }

    /// Verifies with the key that the channel has for this end.
    ///
    /// # Errors
    /// [`Refusal::BadDeviceSignature`].
    pub fn verify(&self, key: &VerifyingKey, signature: &Signature) -> Result<(), Refusal> {
        key.verify(domain::RELAY_AUTH, &[&self.bytes()], signature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(text: &str) -> Origin {
        Origin::parse(text, 443).unwrap()
    }

    #[test]
    fn an_origin_has_one_form_however_it_was_typed() {
        for (typed, form) in [
            ("Relay.Example", "relay.example:443"),
            ("relay.example:8443", "relay.example:8443"),
            ("relay.example:08443", "relay.example:8443"),
            ("127.0.0.1:7171", "127.0.0.1:7171"),
            ("[::1]:7171", "[::1]:7171"),
            ("[2001:DB8:0:0::1]", "[2001:db8::1]:443"),
        ] {
            assert_eq!(origin(typed).as_str(), form);
        }
    }

    #[test]
    fn what_names_no_relay_is_refused_with_what_would() {
        let long = "a".repeat(254);
        for text in [
            "",
            ":443",
            "host:",
            "host:0",
            "host:65536",
            "host:+1",
            "a:b:c",
            "::1",
            "[::1",
            "[::1]x",
            "[::1]:",
            "https://host",
            "host/path",
            "user@host",
            "h ost",
            "höst",
            &long,
        ] {
            assert!(Origin::parse(text, 443).is_err(), "{text}");
        }
        let error = Origin::parse("wss://x", 443).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`wss://x` is no relay address; write HOST or HOST:PORT, an IPv6 address in brackets"
        );
    }

    #[test]
    fn the_signed_bytes_are_those_of_the_document() {
        let origin = origin("r:1");
        let claim = Claim {
            origin: &origin,
            nonce: &[0xaa; 32],
            channel: ChannelId::new([0xbb; 16]),
            end: End::Phone,
        };
        let mut expected = vec![0, 3, b'r', b':', b'1'];
        expected.extend([0xaa; 32]);
        expected.extend([0xbb; 16]);
        expected.push(1);
        assert_eq!(claim.bytes(), expected);
    }

    #[test]
    fn a_claim_holds_for_its_own_origin_nonce_channel_end_and_key_only() {
        let (here, there) = (origin("here:1"), origin("there:1"));
        let key = SigningKey::from_seed(&[1; 32]);
        let claim =
            Claim { origin: &here, nonce: &[2; 32], channel: ChannelId::new([3; 16]), end: End::Desktop };
        let signature = claim.sign(&key);
        assert_eq!(claim.verify(&key.public(), &signature), Ok(()));

        for other in [
            Claim { origin: &there, ..claim },
            Claim { nonce: &[4; 32], ..claim },
            Claim { channel: ChannelId::new([5; 16]), ..claim },
            Claim { end: End::Phone, ..claim },
        ] {
            assert_eq!(other.verify(&key.public(), &signature), Err(Refusal::BadDeviceSignature));
        }
        let stranger = SigningKey::from_seed(&[6; 32]).public();
        assert_eq!(claim.verify(&stranger, &signature), Err(Refusal::BadDeviceSignature));
    }

    #[test]
    fn the_origin_cannot_run_into_the_nonce() {
        let (short, long) = (origin("h:1"), origin("h:11"));
        let channel = ChannelId::new([0; 16]);
        let mut nonce = [0x31; 32];
        nonce[31] = 0;
        let one = Claim { origin: &short, nonce: &[0x31; 32], channel, end: End::Desktop };
        let two = Claim { origin: &long, nonce: &nonce, channel, end: End::Desktop };
        assert_ne!(one.bytes().get(..8), two.bytes().get(..8));
    }
}
