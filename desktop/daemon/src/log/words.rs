//! One entry in a line of plain words, its secrets masked: also those of entries that an earlier version wrote (CARD-2).

use countersign_core::audit::{Body, Entry, Event};
use countersign_ipc::control::LogEntry;
use countersign_proto::{Refusal, canonical, limits, text::Foreign};

use crate::{clock, store::LogRow};

/// An entry for people and scripts; one whose bytes can't be read says so.
#[must_use]
pub fn describe(row: &LogRow) -> LogEntry {
    let hash = row.hash.to_string();
    let Ok(entry) = canonical::decode::<Entry>(&row.bytes, limits::MESSAGE) else {
        return LogEntry {
            seq: row.seq,
            hash,
            time: clock::rfc3339(0),
            kind: "unreadable".to_owned(),
            text: "this entry can't be read".to_owned(),
            request_id: None,
            device_id: None,
            session: None,
            source: None,
            basis: None,
            line: None,
        };
    };
    LogEntry {
        seq: row.seq,
        hash,
        time: clock::rfc3339(entry.wall_ms),
        kind: entry.body.event.name().to_owned(),
        text: text(&entry.body),
        request_id: entry.body.request.map(|id| id.to_string()),
        device_id: entry.body.device.map(|id| id.to_string()),
        session: entry.body.session.as_ref().map(line),
        source: entry.body.source.as_ref().map(line),
        basis: entry.body.basis.map(hex),
        line: entry.body.line.as_ref().map(line),
    }
}

fn text(body: &Body) -> String {
    let mut text = happened(body.event).to_owned();
    let mut add = |part: String| {
        text.push_str(": ");
        text.push_str(&part);
    };
    if let Some(headline) = &body.headline {
        add(line(headline));
    }
    if let Some(refusal) = body.refusal.and_then(Refusal::from_code) {
        add(refusal.to_string());
    }
    if let Some(note) = &body.note {
        add(line(note));
    }
    if let Some(said) = &body.line {
        add(line(said));
    }
    let source = body.source.as_ref().map(line);
    let basis = body.basis.map(|basis| short(&hex(basis)).to_owned());
    match (source, basis) {
        (Some(source), Some(basis)) => text.push_str(&format!(" ({source} {basis})")),
        (Some(one), None) | (None, Some(one)) => text.push_str(&format!(" ({one})")),
        (None, None) => {}
    }
    if let Some(count) = body.count.filter(|count| *count > 1) {
        text.push_str(&format!(" × {count}"));
    }
    text
}

fn line(text: &Foreign) -> String {
    text.masked().into()
}

/// A rule's or consent's id as everywhere else.
pub(super) fn hex(id: [u8; 16]) -> String {
    format!("{:032x}", u128::from_be_bytes(id))
}

/// As much of an id as lists show.
fn short(id: &str) -> &str {
    id.get(..8).unwrap_or(id)
}

const fn happened(event: Event) -> &'static str {
    match event {
        Event::Started => "the daemon started",
        Event::Stopped => "the daemon ended",
        Event::Asked => "asked",
        Event::TurnedAway => "could not wait, went back to the terminal",
        Event::Allowed => "allowed",
        Event::Denied => "denied",
        Event::HandedBack => "handed back to the terminal",
        Event::Released => "the agent was told",
        Event::Unreleased => "the agent was gone before it could be told",
        Event::Unknown => "the agent may have been told before the daemon died",
        Event::Expired => "nobody answered in time",
        Event::Withdrawn => "withdrawn",
        Event::Changed => "what the call would do changed, a new card took its place",
        Event::Dismissed => "hidden on a phone",
        Event::ReplyRefused => "a phone's words were refused",
        Event::ClickRefused => "a click was refused",
        Event::Paired => "a phone was paired",
        Event::PairingFailed => "a pairing failed",
        Event::Revoked => "a phone was revoked",
        Event::Suspended => "a phone was suspended",
        Event::Unsuspended => "a phone's suspension was lifted",
        Event::Locked => "locked",
        Event::Unlocked => "unlocked",
        Event::AskedFirst => "the agent was told to ask first",
        Event::RuleSaved => "always allowed from now on",
        Event::RuleRemoved => "a rule was taken out",
        Event::RuleSuspended => "answers nothing any more, its phone was revoked",
        Event::RuleResumed => "a rule answers again",
        Event::Accepted => "accepted",
        Event::ConsentEnded => "no longer accepted",
        Event::Managed => "what root wrote down was read",
        Event::Tainted => "the session read content from outside",
        Event::Differed => "what ran is not what was answered",
        Event::Setting => "a setting changed",
    }
}
