//! Whether what is kept of a call or of a reply holds a secret. What can't be read counts as holding one.

use countersign_proto::{
    canonical,
    offer::{Offer, SignedOffer},
    reply::{Payload, Reply, SignedReply},
    request::Request,
    text::{Foreign, Shown},
};

use crate::store::RequestRow;

pub(super) fn in_request(row: &RequestRow) -> bool {
    let in_bytes = row.bytes.as_deref().is_some_and(in_encoded);
    in_bytes || row.raw.as_deref().is_some_and(in_input)
}

pub(super) fn in_offer(signed: &SignedOffer) -> bool {
    canonical::decode::<Offer>(&signed.bytes, usize::MAX).map_or(true, |offer| in_encoded(&offer.request))
}

/// A person's own words may quote one.
pub(super) fn in_reply(signed: &SignedReply) -> bool {
    let Ok(reply) = canonical::decode::<Reply>(&signed.bytes, usize::MAX) else { return true };
    match reply.payload {
        Some(Payload::Note(note)) => has_secret(&note),
        Some(Payload::Answers(answers)) => answers.iter().filter_map(|a| a.text.as_ref()).any(has_secret),
        Some(Payload::Always(..) | Payload::Offered(_)) | None => false,
    }
}

/// Whole requests may be larger than what a phone is sent.
fn in_encoded(bytes: &[u8]) -> bool {
    canonical::decode::<Request>(bytes, usize::MAX).map_or(true, |request| request.secrets() > 0)
}

/// The tool input: as it stands, since it need not be well-formed, and every string that is in it.
fn in_input(raw: &[u8]) -> bool {
    let text = String::from_utf8_lossy(raw);
    let parsed = serde_json::from_slice::<serde_json::Value>(raw);
    Shown::lines(&text).secrets() > 0 || parsed.is_ok_and(|value| in_strings(&value))
}

fn in_strings(value: &serde_json::Value) -> bool {
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        match value {
            serde_json::Value::String(text) if Shown::lines(text).secrets() > 0 => return true,
            serde_json::Value::Array(items) => rest.extend(items),
            serde_json::Value::Object(fields) => rest.extend(fields.values()),
            serde_json::Value::String(_)
            | serde_json::Value::Null
            | serde_json::Value::Bool(_)
            | serde_json::Value::Number(_) => {}
        }
    }
    false
}

fn has_secret(text: &Foreign) -> bool {
    text.shown_lines().secrets() > 0
}
