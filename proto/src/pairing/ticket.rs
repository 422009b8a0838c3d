//! The ticket: what the QR holds, `CSGN1:` and base32 of `version ‖ flags ‖ S ‖ D_x.pub ‖ relay [‖ pin]`
//! (protocol.md §4.1). It is good for one pairing within two minutes; it is never logged.

use core::fmt;

use data_encoding::{BASE32_NOPAD, DecodeKind};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::{RelayHost, VERSION};
use crate::{
    domain,
    id::ChannelId,
    key::{AgreementPublic, Secret32, SigningKey},
};

const PREFIX: &str = "CSGN";
/// Longer than any ticket.
const TEXT: usize = 600;
const PLAIN: u8 = 1;
const PINNED: u8 = 2;

/// Why a text is no usable ticket, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TicketError {
    /// Something else was scanned or pasted.
    #[error("this is no Countersign ticket: one begins with `CSGN1:`; `countersign pair` shows it")]
    NotATicket,
    /// A ticket of another version, or with a flag this version does not know.
    #[error("this ticket is of another version: update the app and the desktop, then pair again")]
    OtherVersion,
    /// A character that no ticket holds.
    #[error("the ticket holds a character that does not belong there: scan or copy it again")]
    BadText,
    /// Too short or too long for what it says.
    #[error("the ticket is cut off or has something after it: scan or copy it whole")]
    BadLength,
    /// Flags that exclude each other.
    #[error("the ticket contradicts itself: show a new one with `countersign pair`")]
    BadFlags,
    /// The relay's address is none, or not in its one form.
    #[error("the ticket's relay address is none: pair again with `countersign pair --relay HOST[:PORT]`")]
    BadRelay,
    /// A connection without TLS to another machine.
    #[error(
        "the ticket asks for an unencrypted connection to `{0}`: only a relay on the same machine may be plain"
    )]
    PlainBeyondLoopback(String),
}

/// `S`: the ticket's one-time secret.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct TicketSecret([u8; 16]);

impl TicketSecret {
    /// Takes 16 random bytes.
    #[must_use]
    pub const fn new(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The bytes, for the one who must use them.
    #[must_use]
    pub const fn expose(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Debug for TicketSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TicketSecret(…)")
    }
}

/// How the relay is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link {
    /// TLS, with a certificate the platform trusts.
    Tls,
    /// TLS, with the certificate whose SPKI has this SHA-256 (a LAN relay).
    Pinned([u8; 32]),
    /// Plain WebSocket, on this machine only.
    Plain,
}

impl Link {
    /// The port that is meant where none is written.
    #[must_use]
    pub const fn usual_port(&self) -> u16 {
        match self {
            Self::Tls | Self::Pinned(_) => 443,
            Self::Plain => 80,
        }
    }

    const fn flags(&self) -> u8 {
        match self {
            Self::Tls => 0,
            Self::Pinned(_) => PINNED,
            Self::Plain => PLAIN,
        }
    }
}

/// A ticket. Its secret is wiped when it is dropped and never shown by `Debug`.
#[derive(Debug, Clone)]
pub struct Ticket {
    secret: TicketSecret,
    desktop: AgreementPublic,
    relay: RelayHost,
    link: Link,
}

impl Ticket {
    /// A ticket for one pairing.
    ///
    /// # Errors
    /// [`TicketError::PlainBeyondLoopback`].
    pub fn new(
        secret: TicketSecret,
        desktop: AgreementPublic,
        relay: RelayHost,
        link: Link,
    ) -> Result<Self, TicketError> {
        if link == Link::Plain && !relay.is_loopback() {
            return Err(TicketError::PlainBeyondLoopback(relay.to_string()));
        }
        Ok(Self { secret, desktop, relay, link })
    }

    /// Reads a scanned or pasted ticket; blanks around it and lower case are taken as typed.
    ///
    /// # Errors
    /// What is wrong, in words for the person.
    pub fn parse(text: &str) -> Result<Self, TicketError> {
        let text = text.trim_matches(|c: char| c.is_ascii_whitespace());
        let mut upper = Zeroizing::new(String::with_capacity(4 * (TEXT + 1)));
        upper.extend(text.chars().take(TEXT + 1).map(|c| c.to_ascii_uppercase()));
        let (version, body) = split_prefix(&upper)?;
        if upper.len() > TEXT {
            return Err(TicketError::BadLength);
        }
        if version != "1" {
            return Err(TicketError::OtherVersion);
        }
        let bytes = BASE32_NOPAD.decode(body.as_bytes()).map_err(|error| match error.kind {
            DecodeKind::Length => TicketError::BadLength,
            DecodeKind::Symbol | DecodeKind::Trailing | DecodeKind::Padding => TicketError::BadText,
        })?;
        Self::from_bytes(&Zeroizing::new(bytes))
    }

    /// The text for the QR: upper-case letters, digits and a colon.
    #[must_use]
    pub fn text(&self) -> Zeroizing<String> {
        let relay = self.relay.to_string();
        let mut bytes = Zeroizing::new(Vec::with_capacity(1 + 1 + 16 + 32 + 1 + relay.len() + 32));
        bytes.extend_from_slice(&[VERSION, self.link.flags()]);
        bytes.extend_from_slice(self.secret.expose());
        bytes.extend_from_slice(self.desktop.as_bytes());
        // A host has at most 253 bytes, or 47 in brackets with a port.
        bytes.push(u8::try_from(relay.len()).unwrap_or(u8::MAX));
        bytes.extend_from_slice(relay.as_bytes());
        if let Link::Pinned(pin) = &self.link {
            bytes.extend_from_slice(pin);
        }
        let body = Zeroizing::new(BASE32_NOPAD.encode(&bytes));
        Zeroizing::new([PREFIX, "1:", &body].concat())
    }

    /// `D_x.pub`, the desktop's key for this pairing.
    #[must_use]
    pub const fn desktop(&self) -> AgreementPublic {
        self.desktop
    }

    /// Where the relay is.
    #[must_use]
    pub const fn relay(&self) -> &RelayHost {
        &self.relay
    }

    /// How it is reached.
    #[must_use]
    pub const fn link(&self) -> &Link {
        &self.link
    }

    /// The rendezvous channel both meet on.
    #[must_use]
    pub fn rendezvous(&self) -> ChannelId {
        ChannelId::new(domain::derive(domain::RV_ID, self.secret.expose(), &[], &[]))
    }

    /// The phone's relay key on the rendezvous channel. The desktop makes a random one for its own end.
    #[must_use]
    pub fn phone_relay_key(&self) -> SigningKey {
        let seed = Zeroizing::new(domain::derive(domain::RV_PHONE, self.secret.expose(), &[], &[]));
        SigningKey::from_seed(&seed)
    }

    pub(super) fn psk(&self) -> Secret32 {
        Secret32::new(domain::derive(domain::PAIR_PSK0, self.secret.expose(), &[], &[]))
    }

    pub(super) const fn secret(&self) -> &TicketSecret {
        &self.secret
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, TicketError> {
        let (&[version], rest) = bytes.split_first_chunk().ok_or(TicketError::BadLength)?;
        let (&[flags], rest) = rest.split_first_chunk().ok_or(TicketError::BadLength)?;
        if version != VERSION || flags & !(PLAIN | PINNED) != 0 {
            return Err(TicketError::OtherVersion);
        }
        let (secret, rest) = rest.split_first_chunk().ok_or(TicketError::BadLength)?;
        let (desktop, rest) = rest.split_first_chunk().ok_or(TicketError::BadLength)?;
        let (&[length], rest) = rest.split_first_chunk().ok_or(TicketError::BadLength)?;
        let (relay, pin) = rest.split_at_checked(usize::from(length)).ok_or(TicketError::BadLength)?;
        let relay = read_relay(relay)?;
        let link = read_link(flags, pin)?;
        Self::new(TicketSecret::new(*secret), AgreementPublic::new(*desktop), relay, link)
    }
}

/// Splits `CSGN<version>:` off.
fn split_prefix(text: &str) -> Result<(&str, &str), TicketError> {
    let rest = text.strip_prefix(PREFIX).ok_or(TicketError::NotATicket)?;
    let (version, body) = rest.split_once(':').ok_or(TicketError::NotATicket)?;
    let is_number = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { Ok((version, body)) } else { Err(TicketError::NotATicket) }
}

fn read_relay(bytes: &[u8]) -> Result<RelayHost, TicketError> {
    let text = str::from_utf8(bytes).map_err(|_| TicketError::BadRelay)?;
    let relay = RelayHost::parse(text).map_err(|_| TicketError::BadRelay)?;
    if relay.to_string() == text { Ok(relay) } else { Err(TicketError::BadRelay) }
}

fn read_link(flags: u8, pin: &[u8]) -> Result<Link, TicketError> {
    match (flags & PLAIN != 0, flags & PINNED != 0) {
        (true, true) => Err(TicketError::BadFlags),
        (false, true) => pin.try_into().map(Link::Pinned).map_err(|_| TicketError::BadLength),
        (plain, false) if pin.is_empty() => Ok(if plain { Link::Plain } else { Link::Tls }),
        (_, false) => Err(TicketError::BadLength),
    }
}
