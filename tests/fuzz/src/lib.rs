//! What is promised of every parser of foreign bytes, as plain functions: each takes any bytes, panics where a promise
//! does not hold, and tells whether the parser took the bytes for something. The fuzz targets and the replay of their
//! committed inputs (`tests/tests/fuzz_corpus`, which includes this file by its path) call the same functions.

pub mod agent;
pub mod card;
pub mod envelope;
pub mod fixed;
mod form;
pub mod judge;
pub mod key;
pub mod object;
pub mod pairing;
pub mod phone;
pub mod policy;
pub mod relay;
mod script;
pub mod session;
pub mod socket;
pub mod typed;

/// The promises of one parser.
pub type Body = fn(&[u8]) -> bool;

/// Every target, by the name of its binary and of its folder in `corpus`.
pub const TARGETS: &[(&str, Body)] = &[
    ("ticket", typed::ticket),
    ("typed", typed::typed),
    ("relay_frame", relay::relay_frame),
    ("envelope", envelope::envelope),
    ("assembler", envelope::assembler),
    ("session", session::session),
    ("pairing", pairing::pairing),
    ("phone", phone::phone),
    ("canonical", object::canonical),
    ("signed", object::signed),
    ("message", object::message),
    ("phone_record", object::phone_record),
    ("enrolment", key::enrolment),
    ("keys", key::keys),
    ("request", card::request),
    ("text", card::text),
    ("hook_frame", socket::hook_frame),
    ("control_line", socket::control_line),
    ("claude_event", agent::claude_event),
    ("settings", agent::settings),
    ("classify", judge::classify),
    ("policy_lines", policy::policy_lines),
    ("permission_json", policy::permission_json),
    ("display", card::display),
];
