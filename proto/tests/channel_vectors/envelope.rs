//! `vectors/envelope.json`: headers, plaintexts and parts, before and after any cipher.

use countersign_proto::{
    Refusal,
    envelope::{Assembler, Header, Kind, Part, RawMessage, pad, unpad},
    id::SessionTag,
};
use serde_json::{Value, json};

use super::{Vectors, bytes, hex, list, name, number, text};

const TAG: SessionTag = SessionTag::new([0xa7; 8]);

#[test]
fn envelopes_hold() {
    let vectors = Vectors { good: good(), bad: bad() }.pinned(
        "envelope.json",
        "Envelopes (protocol.md 6) without their cipher. `header`: the whole envelope is `bytes` followed by `zeros` \
         zero bytes. `plaintext`: what a cipher gave, likewise. `parts`: a sequence of [milliseconds, part] of which \
         the last one decides. A bad one must be refused for exactly this reason.",
    );
    for vector in vectors.good.iter().chain(&vectors.bad) {
        let (expected, name) = (vector.get("result"), text(vector, "name"));
        match (run(vector), vector.get("refusal")) {
            (Ok(result), None) => assert_eq!(Some(&result), expected, "{name}"),
            (Err(refusal), Some(expected)) => assert_eq!(&json!(refusal.name()), expected, "{name}"),
            (result, _) => panic!("{name}: {result:?}"),
        }
    }
}

fn run(vector: &Value) -> Result<Value, Refusal> {
    match text(vector, "of") {
        "header" => {
            let envelope = whole(vector);
            let (header, noise) = Header::split(&envelope)?;
            assert_eq!(header.join(noise), envelope);
            let tag = hex(header.tag.as_bytes());
            Ok(json!({ "kind": name(header.kind), "tag": tag, "counter": header.counter }))
        }
        "plaintext" => unpad(&whole(vector)).map(|content| json!({ "content": hex(content) })),
        "parts" => {
            let mut assembler = Assembler::default();
            let mut last = None;
            for step in list(vector, "parts") {
                let part = Part::parse(&bytes(step, "bytes"))?;
                last = assembler.push(part, number(step, "ms"))?;
            }
            Ok(last.map_or(Value::Null, |message| json!({ "type": message.kind, "body": hex(message.body) })))
        }
        other => panic!("{other}"),
    }
}

fn whole(vector: &Value) -> Vec<u8> {
    let mut whole = bytes(vector, "bytes");
    whole.resize(whole.len() + usize::try_from(number(vector, "zeros")).unwrap(), 0);
    whole
}

/// Bytes in which the zeros at the end are only counted.
fn squeezed(of: &str, name: &str, whole: &[u8]) -> Value {
    let zeros = whole.iter().rev().take_while(|byte| **byte == 0).count();
    let (head, _) = whole.split_at(whole.len() - zeros);
    json!({ "of": of, "name": name, "bytes": hex(head), "zeros": zeros })
}

fn accepted(mut vector: Value) -> Value {
    let result = run(&vector).unwrap();
    vector.as_object_mut().unwrap().insert("result".into(), result);
    vector
}

fn refused(mut vector: Value, refusal: Refusal) -> Value {
    vector.as_object_mut().unwrap().insert("refusal".into(), json!(refusal.name()));
    vector
}

fn header(name: &str, kind: Kind, counter: u64, size: usize) -> Value {
    let mut envelope = Header { kind, tag: TAG, counter }.join(&[0xee; 4]);
    envelope.resize(size, 0);
    squeezed("header", name, &envelope)
}

fn plaintext(name: &str, length: u32, content: &[u8], zeros: usize, last: &[u8]) -> Value {
    let whole = [&length.to_be_bytes()[..], content, &vec![0; zeros], last].concat();
    squeezed("plaintext", name, &whole)
}

fn parts(name: &str, parts: &[(u64, Part)]) -> Value {
    let step = |(ms, part): &(u64, Part)| json!({ "ms": ms, "bytes": hex(part.encode()) });
    json!({ "of": "parts", "name": name, "parts": parts.iter().map(step).collect::<Vec<_>>() })
}

fn part(part: u16, parts: u16, body: &str) -> Part {
    Part { msg: 7, part, parts, kind: 0x10, body: body.into() }
}

fn good() -> Vec<Value> {
    let padded = pad(&part(0, 1, "approve").encode(), 16).unwrap();
    let split = countersign_proto::envelope::split(3, &RawMessage::new(0x11, b"one".to_vec())).unwrap();
    let split: Vec<_> = split.into_iter().map(|part| (0, part)).collect();
    let all = [
        header("a pairing message", Kind::Pair, 0, 256),
        header("a first handshake message", Kind::Hs1, 0, 256),
        header("its answer", Kind::Hs2, 0, 1_024),
        header("a message", Kind::Data, 0x0102_0304_0506_0708, 32_768),
        squeezed("plaintext", "a padded part", &padded),
        plaintext("nothing but padding, as in a handshake", 0, &[], 186, &[]),
        parts("a message in one part", &split),
        parts(
            "three parts, last one first",
            &[(0, part(2, 3, "c")), (5, part(0, 3, "a")), (9, part(1, 3, "b"))],
        ),
        parts("a part twice", &[(0, part(0, 2, "a")), (1, part(0, 2, "a")), (2, part(1, 2, "b"))]),
        parts("ten seconds are too long", &[(0, part(0, 2, "a")), (10_000, part(1, 2, "b"))]),
    ];
    all.into_iter().map(accepted).collect()
}

fn bad() -> Vec<Value> {
    let mut all = bad_headers();
    all.extend(bad_plaintexts());
    all.extend(bad_parts());
    all
}

fn bad_headers() -> Vec<Value> {
    let with = |at: usize, byte: u8| {
        let mut envelope = Header::handshake(Kind::Hs1, TAG).join(&[0xee; 238]);
        *envelope.get_mut(at).unwrap() = byte;
        envelope
    };
    let malformed = [
        squeezed("header", "nothing", &[]),
        header("a header alone", Kind::Data, 0, 18),
        header("a byte less than the smallest size", Kind::Data, 0, 255),
        header("a byte more than the smallest size", Kind::Data, 0, 257),
        header("a byte less than the largest size", Kind::Data, 0, 32_767),
        squeezed("header", "version 0", &with(0, 0)),
        squeezed("header", "version 2", &with(0, 2)),
        squeezed("header", "kind 0", &with(1, 0)),
        squeezed("header", "kind 5", &with(1, 5)),
        squeezed("header", "kind 255", &with(1, 255)),
        header("a pairing message with a counter", Kind::Pair, 1, 256),
        header("a first handshake message with a counter", Kind::Hs1, 1 << 63, 256),
        header("its answer with a counter", Kind::Hs2, 256, 256),
    ];
    let mut all: Vec<_> = malformed.into_iter().map(|vector| refused(vector, Refusal::Malformed)).collect();
    all.push(refused(header("a byte more than the largest size", Kind::Data, 0, 32_769), Refusal::TooBig));
    all
}

fn bad_plaintexts() -> Vec<Value> {
    let all = [
        squeezed("plaintext", "nothing", &[]),
        squeezed("plaintext", "half a length", &[0, 0, 1]),
        plaintext("a length one beyond the end", 5, b"four", 0, &[]),
        plaintext("the largest length", u32::MAX, b"four", 0, &[]),
        plaintext("a stray byte right after the content", 3, b"four", 0, &[]),
        plaintext("a stray byte at the very end", 4, b"four", 100, &[1]),
        plaintext("a handshake that says something", 0, b"x", 185, &[]),
    ];
    all.into_iter().map(|vector| refused(vector, Refusal::Malformed)).collect()
}

fn bad_parts() -> Vec<Value> {
    let first = (0, part(0, 2, "a"));
    let mut cut = part(0, 1, "").encode();
    cut.pop();
    let cut = json!({ "of": "parts", "name": "cut off", "parts": [{ "ms": 0, "bytes": hex(cut) }] });
    let malformed = [
        cut,
        parts("no parts at all", &[(0, part(0, 0, "a"))]),
        parts("a part beyond the last", &[(0, part(2, 2, "a"))]),
        parts("an empty part beside others", &[(0, part(0, 2, ""))]),
        parts("another type", &[first.clone(), (1, Part { kind: 0x11, ..part(1, 2, "b") })]),
        parts("another number of parts", &[first.clone(), (1, part(1, 3, "b"))]),
        parts("the same place, other bytes", &[first.clone(), (1, part(0, 2, "b"))]),
        parts("one part where two were promised", &[first, (1, part(0, 1, "b"))]),
    ];
    let mut all: Vec<_> = malformed.into_iter().map(|vector| refused(vector, Refusal::Malformed)).collect();
    all.push(refused(parts("ten parts", &[(0, part(0, 10, "a"))]), Refusal::TooBig));
    all
}
