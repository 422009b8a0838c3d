//! A relay's `host[:port]` as tickets and settings write it: one form, lower case, nothing that could be a path, a user
//! or a second way to write the same address.

use core::{
    fmt,
    net::{Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

use crate::{claim::Origin, text::Shown};

/// Longest name of a host (RFC 1035).
const NAME: usize = 253;
/// Longest part of one.
const LABEL: usize = 63;

/// A text that names no relay.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no relay address: write HOST, HOST:PORT, or an IPv6 address in brackets")]
pub struct BadRelayHost {
    text: Shown,
}

/// Where a relay is reached: a host and, where it is not the usual one, a port.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RelayHost {
    host: Host,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Host {
    Name(String),
    V4(Ipv4Addr),
    V6(Ipv6Addr),
}

impl RelayHost {
    /// Reads `HOST[:PORT]`; upper case is taken for lower case.
    ///
    /// # Errors
    /// [`BadRelayHost`].
    pub fn parse(text: &str) -> Result<Self, BadRelayHost> {
        let bad = || BadRelayHost { text: Shown::line(&text.chars().take(80).collect::<String>()) };
        read(text).ok_or_else(bad)
    }

    /// Whether this is the same machine: 127.0.0.0/8, `::1` or `localhost`. Only there a connection may be plain.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        match &self.host {
            Host::Name(name) => name == "localhost",
            Host::V4(address) => address.is_loopback(),
            Host::V6(address) => address.is_loopback(),
        }
    }

    /// The port, unless it is the usual one.
    #[must_use]
    pub const fn port(&self) -> Option<u16> {
        self.port
    }

    /// The host alone, an IPv6 address without brackets: what a socket is opened to and a certificate is checked for.
    #[must_use]
    pub fn host(&self) -> String {
        match &self.host {
            Host::Name(name) => name.clone(),
            Host::V4(address) => address.to_string(),
            Host::V6(address) => address.to_string(),
        }
    }

    /// The origin that a claim at this relay signs, with the port that is usual for the link.
    ///
    /// # Errors
    /// None: every relay host is an origin.
    pub fn origin(&self, usual_port: u16) -> Result<Origin, crate::claim::BadOrigin> {
        Origin::parse(&self.to_string(), usual_port)
    }
}

impl fmt::Display for RelayHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Name(name) => f.write_str(name)?,
            Host::V4(address) => write!(f, "{address}")?,
            Host::V6(address) => write!(f, "[{address}]")?,
        }
        match self.port {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

impl FromStr for RelayHost {
    type Err = BadRelayHost;

    fn from_str(text: &str) -> Result<Self, BadRelayHost> {
        Self::parse(text)
    }
}

fn read(text: &str) -> Option<RelayHost> {
    if let Some(rest) = text.strip_prefix('[') {
        let (address, rest) = rest.split_once(']')?;
        let port = if rest.is_empty() { None } else { Some(read_port(rest.strip_prefix(':')?)?) };
        return Some(RelayHost { host: Host::V6(address.parse().ok()?), port });
    }
    let (host, port) = match text.split_once(':') {
        Some((host, port)) => (host, Some(read_port(port)?)),
        None => (text, None),
    };
    Some(RelayHost { host: read_host(host)?, port })
}

fn read_port(text: &str) -> Option<u16> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    if plain { text.parse().ok() } else { None }
}

fn read_host(text: &str) -> Option<Host> {
    let labels_hold = text.split('.').all(|label| {
        (1..=LABEL).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    });
    if !labels_hold || text.len() > NAME {
        return None;
    }
    // Whatever ends in a number would be taken for an address by some resolver: `127.1`, `0x7f.1`.
    let last = text.rsplit('.').next()?;
    if last.starts_with(|c: char| c.is_ascii_digit()) {
        return text.parse().ok().map(Host::V4);
    }
    Some(Host::Name(text.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_written_back_in_its_one_form() {
        for (typed, form) in [
            ("Relay.Example.org", "relay.example.org"),
            ("relay.example.org:8443", "relay.example.org:8443"),
            ("192.168.7.1:443", "192.168.7.1:443"),
            ("[2001:DB8:0::1]:7443", "[2001:db8::1]:7443"),
            ("a-1.b2", "a-1.b2"),
        ] {
            assert_eq!(RelayHost::parse(typed).unwrap().to_string(), form);
        }
    }

    #[test]
    fn only_this_machine_is_loopback() {
        for text in ["localhost", "LOCALHOST:1", "127.0.0.1", "127.255.0.9:80", "[::1]", "[0:0::1]:9"] {
            assert!(RelayHost::parse(text).unwrap().is_loopback(), "{text}");
        }
        for text in ["localhost.example", "128.0.0.1", "10.0.0.1", "[::2]", "[::ffff:127.0.0.1]", "0.0.0.0"] {
            assert!(!RelayHost::parse(text).unwrap().is_loopback(), "{text}");
        }
    }

    #[test]
    fn what_is_no_host_is_refused_and_named() {
        for text in [
            "",
            ":443",
            "host:",
            "host:0",
            "host:00443",
            "host:65536",
            "host:+1",
            "a..b",
            ".a",
            "a.",
            "-a",
            "a-",
            "a_b",
            "127.1",
            "0x7f.1",
            "0x7f000001",
            "127.0.0.01",
            "1.2.3.4.5",
            "::1",
            "[::1",
            "[::1]x",
            "[127.0.0.1]",
            "user@host",
            "host/path",
            "host?x",
            "wss://host",
            "ho st",
            "hóst",
            "host\n",
        ] {
            assert!(RelayHost::parse(text).is_err(), "{text:?}");
        }
        let error = RelayHost::parse("wss://relay").unwrap_err().to_string();
        assert_eq!(
            error,
            "`wss://relay` is no relay address: write HOST, HOST:PORT, or an IPv6 address in brackets"
        );
        let error = RelayHost::parse("\u{1b}[2Jrelay").unwrap_err().to_string();
        assert!(error.starts_with("`\\u{1b}[2Jrelay`"), "{error}");
    }

    #[test]
    fn every_host_is_an_origin() {
        for (text, origin) in [("relay.example", "relay.example:443"), ("[::1]:80", "[::1]:80")] {
            assert_eq!(RelayHost::parse(text).unwrap().origin(443).unwrap().as_str(), origin);
        }
    }
}
