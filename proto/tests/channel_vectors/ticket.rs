//! `vectors/ticket.json`: what a scanner may read, and what it must say about everything else.

use countersign_proto::{
    key::AgreementPublic,
    pairing::{Link, RelayHost, Ticket, TicketSecret},
};
use data_encoding::BASE32_NOPAD;
use serde_json::{Value, json};

use super::{Vectors, hex, name, text};

const SECRET: [u8; 16] = [0x5a; 16];
const DESKTOP: [u8; 32] = [0xd0; 32];
const PIN: [u8; 32] = [0x99; 32];

#[test]
fn tickets_hold() {
    let good = good().iter().map(|(name, text)| describe(name, text)).collect();
    let bad = bad()
        .into_iter()
        .map(|(name, text, refusal)| json!({ "name": name, "text": text, "refusal": refusal }));
    let vectors = Vectors { good, bad: bad.collect() }.pinned(
        "ticket.json",
        "Tickets (protocol.md 4.1) as scanned or pasted. A good one means these fields and is written back as \
         `canonical`; a bad one must be refused for exactly this reason.",
    );
    for vector in &vectors.good {
        assert_eq!(&describe(text(vector, "name"), text(vector, "text")), vector);
    }
    for vector in &vectors.bad {
        let error = Ticket::parse(text(vector, "text")).expect_err(text(vector, "name"));
        assert_eq!(name(&error), text(vector, "refusal"), "{}", text(vector, "name"));
        assert!(!error.to_string().is_empty());
    }
}

/// What a text means, read from it.
fn describe(name: &str, text: &str) -> Value {
    let ticket = Ticket::parse(text).unwrap();
    let (link, pin) = match ticket.link() {
        Link::Tls => ("tls", None),
        Link::Pinned(pin) => ("pinned", Some(hex(pin))),
        Link::Plain => ("plain", None),
    };
    json!({
        "name": name,
        "text": text,
        "canonical": ticket.text().as_str(),
        "desktop": hex(ticket.desktop().as_bytes()),
        "relay": ticket.relay().to_string(),
        "link": link,
        "pin": pin,
        "rendezvous": hex(ticket.rendezvous().as_bytes()),
        "phone_relay_key": hex(ticket.phone_relay_key().public().as_bytes()),
    })
}

fn ticket(relay: &str, link: Link) -> String {
    let relay = RelayHost::parse(relay).unwrap();
    let ticket = Ticket::new(TicketSecret::new(SECRET), AgreementPublic::new(DESKTOP), relay, link).unwrap();
    ticket.text().to_string()
}

fn good() -> Vec<(&'static str, String)> {
    let plain = ticket("127.0.0.1:7171", Link::Plain);
    vec![
        ("a public relay", ticket("relay.example.org", Link::Tls)),
        ("a relay in the house, with its pin", ticket("192.168.7.4:7443", Link::Pinned(PIN))),
        ("a relay on this machine", plain.clone()),
        ("a relay on this machine by IPv6", ticket("[::1]:7171", Link::Plain)),
        ("pasted in lower case with blanks around it", format!(" {}\r\n", plain.to_ascii_lowercase())),
    ]
}

/// A ticket's bytes, put together by hand.
fn raw(version: u8, flags: u8, relay_len: usize, relay: &[u8], rest: &[u8]) -> Vec<u8> {
    let length = u8::try_from(relay_len).unwrap();
    [&[version, flags][..], &SECRET, &DESKTOP, &[length], relay, rest].concat()
}

fn of(bytes: &[u8]) -> String {
    format!("CSGN1:{}", BASE32_NOPAD.encode(bytes))
}

fn with_relay(flags: u8, relay: &str) -> String {
    of(&raw(1, flags, relay.len(), relay.as_bytes(), &[]))
}

fn bad() -> Vec<(&'static str, String, &'static str)> {
    let whole = raw(1, 0, 11, b"relay.local", &[]);
    let text = of(&whole);
    let (cut, _) = whole.split_at(whole.len() - 1);
    let (head, _) = whole.split_at(50);
    let pinned = raw(1, 2, 11, b"relay.local", &PIN);
    let (pin_cut, _) = pinned.split_at(pinned.len() - 1);
    vec![
        ("nothing", String::new(), "not_a_ticket"),
        ("another QR code", "https://example.org/pair".into(), "not_a_ticket"),
        ("no version", text.replacen("CSGN1", "CSGN", 1), "not_a_ticket"),
        ("no colon", text.replacen(':', "", 1), "not_a_ticket"),
        ("a version that is no number", text.replacen("CSGN1", "CSGN1A", 1), "not_a_ticket"),
        ("letters that only look like ours", text.replacen("CSGN", "ＣＳＧＮ", 1), "not_a_ticket"),
        ("a link around it", format!("countersign://{text}"), "not_a_ticket"),
        ("a later version", text.replacen("CSGN1", "CSGN2", 1), "other_version"),
        ("a version with a zero before it", text.replacen("CSGN1", "CSGN01", 1), "other_version"),
        ("a later version inside", of(&raw(2, 0, 11, b"relay.local", &[])), "other_version"),
        ("version 0 inside", of(&raw(0, 0, 11, b"relay.local", &[])), "other_version"),
        ("an unknown flag", of(&raw(1, 4, 11, b"relay.local", &[])), "other_version"),
        ("plain and pinned", of(&raw(1, 3, 9, b"localhost", &PIN)), "bad_flags"),
        ("nothing after the colon", "CSGN1:".into(), "bad_length"),
        ("the last byte missing", of(cut), "bad_length"),
        ("the last letter missing", text.chars().take(text.len() - 1).collect(), "bad_length"),
        ("only its first half", of(head), "bad_length"),
        ("a byte after it", of(&raw(1, 0, 11, b"relay.local", &[0])), "bad_length"),
        ("the pin missing", of(&raw(1, 2, 11, b"relay.local", &[])), "bad_length"),
        ("the pin cut off", of(pin_cut), "bad_length"),
        ("a pin that no flag announces", of(&raw(1, 0, 11, b"relay.local", &PIN)), "bad_length"),
        ("a relay longer than the ticket", of(&raw(1, 0, 12, b"relay.local", &[])), "bad_length"),
        ("far too long", format!("CSGN1:{}", "A".repeat(700)), "bad_length"),
        ("a digit base32 does not have", text.replacen(":A", ":0", 1), "bad_text"),
        ("padding", format!("{text}======"), "bad_text"),
        ("a blank inside", text.replacen(":A", ":A ", 1), "bad_text"),
        ("bits after the last byte", trailing(&text), "bad_text"),
        ("no relay", with_relay(0, ""), "bad_relay"),
        ("a relay in upper case", with_relay(0, "Relay.local"), "bad_relay"),
        ("a relay with a path", with_relay(0, "relay.local/x"), "bad_relay"),
        ("a relay with a user", with_relay(0, "me@relay.local"), "bad_relay"),
        ("a relay with port 0", with_relay(0, "relay.local:0"), "bad_relay"),
        ("an address in a second way to write it", with_relay(1, "127.1"), "bad_relay"),
        ("a relay that is no text", of(&raw(1, 0, 2, &[0xff, 0xfe], &[])), "bad_relay"),
        ("plain to another machine", with_relay(1, "192.168.7.4:7171"), "plain_beyond_loopback"),
        (
            "plain to a name that begins like ours",
            with_relay(1, "localhost.example"),
            "plain_beyond_loopback",
        ),
        (
            "plain to an address that maps to ours",
            with_relay(1, "[::ffff:127.0.0.1]"),
            "plain_beyond_loopback",
        ),
    ]
}

/// The same bytes with a bit set that no byte holds.
fn trailing(text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let last = chars.pop().unwrap();
    // 63 bytes end in a letter of which only the upper three bits count.
    let symbols = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let value = symbols.find(last).unwrap();
    chars.push(symbols.chars().nth(value | 1).unwrap());
    chars.into_iter().collect()
}
