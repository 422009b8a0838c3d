//! What a person scans, pastes or types: tickets, addresses, codes, names.

use countersign_ipc::Instance;
use countersign_proto::{
    claim::Origin,
    id::{DeviceId, Hash, RequestId},
    pairing::{Code, Link, RelayHost, Ticket},
};

use super::script::Script;

/// A ticket's text: read in its one form or refused, never plain beyond this machine, its secret never in an error.
pub fn ticket(bytes: &[u8]) -> bool {
    let Ok(text) = core::str::from_utf8(bytes) else { return false };
    let ticket = match Ticket::parse(text) {
        Ok(ticket) => ticket,
        Err(error) => {
            assert!(!error.to_string().contains(char::is_control), "{error}");
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
        2 => reads_back(text, |text| Code::parse(text).ok()),
        3 => reads_back(text, |text| text.parse::<RequestId>().ok()),
        4 => reads_back(text, |text| text.parse::<DeviceId>().ok()),
        5 => reads_back(text, |text| text.parse::<Hash>().ok()),
        _ => instance(text),
    }
}

fn relay_host(text: &str) -> bool {
    let Ok(host) = RelayHost::parse(text) else { return false };
    assert_eq!(RelayHost::parse(&host.to_string()).as_ref(), Ok(&host));
    let origin = host.origin(443).expect("every relay host is an origin");
    assert_eq!(Origin::parse(origin.as_str(), 1), Ok(origin));
    assert!(!host.host().contains(['/', '@', '[', ' ']), "{host}");
    true
}

fn origin(text: &str) -> bool {
    let Ok(origin) = Origin::parse(text, 443) else { return false };
    assert_eq!(Origin::parse(origin.as_str(), 1).as_ref(), Ok(&origin));
    true
}

fn instance(text: &str) -> bool {
    let Ok(instance) = text.parse::<Instance>() else { return false };
    assert_eq!(instance.name(), Some(text));
    assert!(!instance.folder().contains(['/', '.']), "{instance}");
    true
}

fn reads_back<T: PartialEq + ToString>(text: &str, read: impl Fn(&str) -> Option<T>) -> bool {
    let Some(value) = read(text) else { return false };
    assert!(read(&value.to_string()) == Some(value), "{text:?} does not read back");
    true
}
