//! Envelopes without their cipher: the header, the padding, the parts of messages.

use std::collections::BTreeMap;

use countersign_proto::{
    Refusal,
    envelope::{Assembler, HEADER, Header, Part, pad, split, unpad},
    limits,
};

use super::{fixed::TAG, script::Script};

/// Header, padding and part: what is read is written back to the same bytes. The first byte picks a size, which zeros
/// fill up, so that small inputs make large envelopes.
pub fn envelope(bytes: &[u8]) -> bool {
    let mut script = Script::new(bytes);
    let size = limits::BUCKETS.get(usize::from(script.byte())).copied();
    let mut envelope = script.take(bytes.len()).to_vec();
    envelope.resize(size.unwrap_or(envelope.len()), 0);
    let header = Header::split(&envelope);
    if let Ok((header, noise)) = &header {
        assert_eq!(header.join(noise), envelope);
    }
    let part = Part::parse(&envelope);
    if let Ok(part) = &part {
        assert_eq!(part.encode(), envelope);
        assert!(part.part < part.parts && part.parts <= limits::PARTS);
    }
    let is_plaintext = plaintext(&envelope);
    header.is_ok() || part.is_ok() || is_plaintext
}

/// Padding comes off as it was put on, for plaintexts of the lengths that envelopes have.
fn plaintext(bytes: &[u8]) -> bool {
    let Ok(content) = unpad(bytes) else { return false };
    assert!(content.len() + 4 <= bytes.len());
    if let Ok(again) = pad(content, TAG) {
        assert!(limits::BUCKETS.contains(&(HEADER + again.len() + TAG)));
        assert_eq!(unpad(&again), Ok(content));
        let shared = again.len().min(bytes.len());
        assert_eq!(again[..shared], bytes[..shared]);
    }
    true
}

/// Parts in any order, of any messages: what comes out is what the newest parts of that message hold, within limits.
pub fn assembler(bytes: &[u8]) -> bool {
    let mut script = Script::new(bytes);
    let (mut assembler, mut newest, mut now) = (Assembler::default(), BTreeMap::new(), 0);
    let mut is_understood = false;
    while !script.is_over() {
        now += u64::from(script.byte()) * 100;
        let Some(part) = part(&mut script) else { continue };
        newest.insert((part.msg, part.part), part.clone());
        match assembler.push(part.clone(), now) {
            Ok(None) => assert!(part.parts > 1),
            Ok(Some(message)) => {
                is_understood = true;
                let all = (0..part.parts).map(|at| newest.get(&(part.msg, at)).expect("a part that came"));
                assert!(all.clone().all(|other| (other.parts, other.kind) == (part.parts, part.kind)));
                assert_eq!(message.body, all.flat_map(|part| part.body.clone()).collect::<Vec<u8>>());
                assert_eq!(message.kind, part.kind);
                assert!(split(0, &message).is_ok(), "larger than a message");
            }
            Err(refusal) => assert!(matches!(refusal, Refusal::Malformed | Refusal::TooBig)),
        }
    }
    is_understood
}

/// A part as it would come out of an envelope; its body is one byte many times.
fn part(script: &mut Script<'_>) -> Option<Part> {
    let [msg, part, parts, kind] = [(); 4].map(|()| script.byte());
    let body = vec![script.byte(); usize::from(script.byte()) * 128];
    let (part, parts, kind) = (u16::from(part), u16::from(parts), u16::from(kind));
    Part::parse(&Part { msg: u64::from(msg), part, parts, kind, body }.encode()).ok()
}
