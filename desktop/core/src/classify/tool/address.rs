//! Addresses: whose they are, and what they carry. Hosts are told by the library that browsers' rules are written for,
//! so that `https://a.test@evil.test` and `https://a.test\@evil.test` are nobody's guess.

use url::{Host, Url};

use crate::classify::path;

/// The host of an address; an address without a scheme counts as `https`.
pub(super) fn host(address: &str) -> Option<String> {
    let parsed = Url::parse(address).or_else(|_| Url::parse(&format!("https://{address}"))).ok()?;
    match parsed.host()? {
        Host::Domain(name) => Some(name.trim_end_matches('.').to_ascii_lowercase()),
        Host::Ipv4(address) => Some(address.to_string()),
        Host::Ipv6(address) => Some(address.to_string()),
    }
    .filter(|host| !host.is_empty())
}

/// The path of a `file:` address, in any spelling of the scheme.
pub(super) fn file(address: &str) -> Option<String> {
    let parsed = Url::parse(address.trim()).ok().filter(|parsed| parsed.scheme() == "file")?;
    Some(path::unescape(parsed.path()))
}

/// The shortest run that counts as an encoded value.
const LONG: usize = 24;

/// Whether an address carries a run that looks encoded: letters of both cases and digits, or hexadecimal, without a word
/// break.
pub(super) fn hides_data(address: &str) -> bool {
    let behind_host = address.split_once("://").map_or(address, |(_, rest)| rest);
    behind_host.split(|c: char| !c.is_ascii_alphanumeric() && !"+=_".contains(c)).any(|run| {
        let has = |test: fn(&char) -> bool| run.chars().any(|c| test(&c));
        let is_mixed =
            has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase) && has(char::is_ascii_digit);
        let is_hex = has(char::is_ascii_digit) && run.chars().all(|c| c.is_ascii_hexdigit());
        run.len() >= LONG && (is_mixed || is_hex)
    })
}
