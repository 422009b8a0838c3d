//! Where a relay is and how it is reached. Plain connections exist on this machine only, whatever a record says.

use countersign_proto::{
    claim::Origin,
    pairing::{Link, RelayHost},
    text::Shown,
};

use crate::store::Relay;

/// A relay that can't be dialled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadAddress {
    /// A text that names no relay.
    #[error("`{0}` is no relay address: write HOST, HOST:PORT, or an IPv6 address in brackets")]
    NoRelay(Shown),
    /// No TLS, to another machine.
    #[error("`{0}` is on another machine, and a connection without TLS stays on this one")]
    PlainBeyondLoopback(String),
}

/// A relay's address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    host: RelayHost,
    link: Link,
    origin: Origin,
}

impl Address {
    /// The address of a host over a link.
    ///
    /// # Errors
    /// [`BadAddress`].
    pub fn new(host: RelayHost, link: Link) -> Result<Self, BadAddress> {
        if link == Link::Plain && !host.is_loopback() {
            return Err(BadAddress::PlainBeyondLoopback(host.to_string()));
        }
        let origin = host.origin(link.usual_port());
        let origin = origin.map_err(|_| no_relay(&host.to_string()))?;
        Ok(Self { host, link, origin })
    }

    /// What a person typed: TLS, unless it is this machine.
    ///
    /// # Errors
    /// [`BadAddress`].
    pub fn typed(text: &str) -> Result<Self, BadAddress> {
        let host = RelayHost::parse(text).map_err(|_| no_relay(text))?;
        let link = if host.is_loopback() { Link::Plain } else { Link::Tls };
        Self::new(host, link)
    }

    /// As a pairing's record has it.
    ///
    /// # Errors
    /// [`BadAddress`].
    pub fn recorded(relay: &Relay) -> Result<Self, BadAddress> {
        let host = RelayHost::parse(&relay.host).map_err(|_| no_relay(&relay.host))?;
        let link = match relay.pin {
            _ if relay.plain => Link::Plain,
            Some(pin) => Link::Pinned(pin),
            None => Link::Tls,
        };
        Self::new(host, link)
    }

    /// For a pairing's record.
    #[must_use]
    pub fn to_record(&self) -> Relay {
        let pin = match &self.link {
            Link::Pinned(pin) => Some(*pin),
            Link::Tls | Link::Plain => None,
        };
        Relay { host: self.host.to_string(), pin, plain: self.link == Link::Plain }
    }

    /// The host, as tickets write it.
    #[must_use]
    pub const fn host(&self) -> &RelayHost {
        &self.host
    }

    /// How it is reached.
    #[must_use]
    pub const fn link(&self) -> &Link {
        &self.link
    }

    /// What a claim there signs.
    #[must_use]
    pub const fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The port that is dialled.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.host.port().unwrap_or_else(|| self.link.usual_port())
    }

    /// Whether it is on this machine.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        self.host.is_loopback()
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.host.fmt(f)
    }
}

fn no_relay(text: &str) -> BadAddress {
    BadAddress::NoRelay(Shown::line(&text.chars().take(80).collect::<String>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_dialled_plain_and_every_other_with_tls() {
        let here = Address::typed("127.0.0.1:7700").unwrap();
        assert_eq!(
            (here.link(), here.port(), here.origin().as_str()),
            (&Link::Plain, 7700, "127.0.0.1:7700")
        );
        let there = Address::typed("Relay.Example").unwrap();
        assert_eq!(
            (there.link(), there.port(), there.origin().as_str()),
            (&Link::Tls, 443, "relay.example:443")
        );
    }

    #[test]
    fn a_record_reads_back_and_one_that_says_plain_beyond_this_machine_is_refused() {
        let host = RelayHost::parse("192.168.7.1:8443").unwrap();
        for address in [
            Address::typed("[::1]:7700").unwrap(),
            Address::typed("relay.example:8443").unwrap(),
            Address::new(host.clone(), Link::Pinned([7; 32])).unwrap(),
        ] {
            assert_eq!(Address::recorded(&address.to_record()), Ok(address));
        }
        assert!(matches!(Address::new(host, Link::Plain), Err(BadAddress::PlainBeyondLoopback(_))));
        let forged = Relay { host: "relay.example".into(), pin: None, plain: true };
        assert!(matches!(Address::recorded(&forged), Err(BadAddress::PlainBeyondLoopback(_))));
    }

    #[test]
    fn what_is_no_address_is_named_with_what_would_be() {
        let error = Address::typed("wss://relay\u{1b}").unwrap_err().to_string();
        assert!(error.contains(r"`wss://relay\u{1b}`") && error.contains("HOST:PORT"), "{error}");
    }
}
