//! What a person scans, pastes or types: tickets, addresses, codes, names.

use countersign_ipc::Instance;
use countersign_proto::{
    claim::Origin,
    id::{DeviceId, Hash, RequestId},
    pairing::{Code, Link, RelayHost, Ticket},
};

use super::{fixed::assert_told, script::Script};

/// A ticket's text: read in its one form or refused, never plain beyond this machine, its secret never in an error.
pub fn ticket(bytes: &[u8]) -> bool {
    let Ok(text) = core::str::from_utf8(bytes) else { return false };
    let ticket = match Ticket::parse(text) {
        Ok(ticket) => ticket,
        Err(error) => {
            assert_told(&error);
            return false;
        }
    };
    let again = ticket.text();
    assert_eq!(text.trim_matches(|c: char| c.is_ascii_whitespace()).to_ascii_uppercase(), *again);
    let read = Ticket::parse(&again).expect("its own text");
    assert_eq!(
        (read.relay(), read.link(), read.desktop()),
        (ticket.relay(), ticket.link(), ticket.desktop())
    );
    assert_eq!(read.rendezvous(), ticket.rendezvous());
    assert!(*ticket.link() != Link::Plain || ticket.relay().is_loopback());
    ticket.relay().origin(ticket.link().usual_port()).expect("every relay host is an origin");
    true
}

/// Addresses, codes, ids and names, by the first byte: each has one form that reads back.
pub fn typed(bytes: &[u8]) -> bool {
    let mut script = Script::new(bytes);
    let kind = script.byte();
    let Ok(text) = core::str::from_utf8(script.take(bytes.len())) else { return false };
    match kind % 7 {
        0 => relay_host(text),
        1 => origin(text),
        2 => reads_back(text, Code::parse),
        3 => reads_back(text, str::parse::<RequestId>),
        4 => reads_back(text, str::parse::<DeviceId>),
        5 => reads_back(text, str::parse::<Hash>),
        _ => instance(text),
    }
}

fn relay_host(text: &str) -> bool {
    if !reads_back(text, RelayHost::parse) {
        return false;
    }
    let host = RelayHost::parse(text).expect("it was read");
    let origin = host.origin(443).expect("every relay host is an origin");
    assert_eq!(Origin::parse(origin.as_str(), 1), Ok(origin));
    assert!(!host.host().contains(['/', '@', '[', ' ']), "{host}");
    true
}

fn origin(text: &str) -> bool {
    reads_back(text, |text| Origin::parse(text, 443))
}

fn instance(text: &str) -> bool {
    let Ok(instance) = text.parse::<Instance>() else { return false };
    assert_eq!(instance.name(), Some(text));
    assert!(!instance.folder().contains(['/', '.']), "{instance}");
    true
}

fn reads_back<T: PartialEq + ToString, E: ToString>(text: &str, read: impl Fn(&str) -> Result<T, E>) -> bool {
    match read(text) {
        Ok(value) => {
            let again = read(&value.to_string());
            assert!(again.is_ok_and(|again| again == value), "{text:?} does not read back");
            true
        }
        Err(error) => {
            assert_told(&error);
            false
        }
    }
}
