//! `request.json`: requests in bytes with their bindings, and what is no request.

use countersign_proto::{
    Refusal, limits,
    request::{Block, Request},
};
use serde_json::{Value, json};

use super::{VectorFile, bad, bytes, case, hex};
use crate::{
    samples::{self, text},
    tree::Item,
};

#[test]
fn requests() {
    VectorFile {
        name: "request.json",
        about: "Requests (protocol.md 7.1): `bytes` (hex, then `zeros` zero bytes) and their `binding`, with some of what \
                they say.",
        keys: json!({}),
        good: good(),
        bad: bad_ones(),
    }
    .holds(check);
}

fn check(_: &Value, case: &Value) -> Result<(), Refusal> {
    let bytes = bytes(case);
    let request = Request::decode(&bytes)?;
    assert_eq!(request.encode(), bytes);
    assert_eq!(Request::binding(&bytes).to_string(), case["binding"], "{}", case["name"]);
    assert_eq!(request.id.to_string(), case["request_id"]);
    assert_eq!(request.tool.raw(), case["tool"]);
    assert_eq!(request.view.len() as u64, case["blocks"]);
    Ok(())
}

fn good() -> Vec<Value> {
    let of = |name, request: &Request| {
        let bytes = request.encode();
        let fields = json!({
            "bytes": hex(&bytes),
            "binding": Request::binding(&bytes).to_string(),
            "request_id": request.id.to_string(),
            "tool": request.tool.raw(),
            "blocks": request.view.len(),
        });
        case(name, fields)
    };
    let full = samples::full_request();
    let most =
        Request { view: vec![Block::Command(text("true")); limits::VIEW_BLOCKS], ..samples::request() };
    let mut asks = samples::question();
    asks.options = vec![text("yes"); limits::OPTIONS];
    let questions = Request { view: vec![Block::Question(asks); limits::QUESTIONS], ..samples::request() };
    let folder = Request { folder: vec![b'/', 0xff, 0xfe], start_folder: None, ..samples::request() };
    vec![
        of("a shell command", &samples::request()),
        of("every field and every block", &full),
        of("a folder that is no UTF-8", &folder),
        of("as many blocks as there may be", &most),
        of("as many questions and options as there may be", &questions),
    ]
}

fn bad_ones() -> Vec<Value> {
    use Refusal::{Malformed, NotCanonical};

    let request = Item::of(&samples::request().encode());
    let of = |name: &str, refusal, item: &Item| bad(name, refusal, json!({ "bytes": hex(&item.write()) }));
    let set = |name: &str, refusal, key, value| of(name, refusal, &request.with(key, Some(value)));
    let block = |number, fields| Item::Array(vec![Item::Uint(number), Item::Array(fields)]);
    let command = block(1, vec![Item::Text(b"true".to_vec())]);
    let question = |options: usize| {
        let options = Item::Array(vec![Item::Text(b"yes".to_vec()); options]);
        Item::of(&[0xa0])
            .with(0, Some(word()))
            .with(1, Some(word()))
            .with(2, Some(options))
            .with(3, Some(FALSE))
    };
    let questions = |n: usize, options| Item::Array(vec![block(6, vec![question(options)]); n]);
    let judgement = |key, value| field(&request, 10).with(key, Some(value));
    vec![
        set("another version", Malformed, 0, Item::Uint(2)),
        set("version 0", Malformed, 0, Item::Uint(0)),
        set("the reserved kind", Malformed, 2, Item::Uint(5)),
        set("a class that does not exist", Malformed, 10, judgement(0, Item::Uint(9))),
        set("a level that does not exist", Malformed, 10, judgement(1, Item::Uint(4))),
        set("a block too many", Malformed, 9, Item::Array(vec![command; limits::VIEW_BLOCKS + 1])),
        set("a block that does not exist", Malformed, 9, Item::Array(vec![block(7, vec![word()])])),
        set("a block without its field", Malformed, 9, Item::Array(vec![block(1, vec![])])),
        set("a question too many", Malformed, 9, questions(limits::QUESTIONS + 1, 2)),
        set("an option too many", Malformed, 9, questions(1, limits::OPTIONS + 1)),
        set("the bit of no reply", Malformed, 17, Item::Uint(1)),
        set("a bit above the last reply", Malformed, 17, Item::Uint(1 << 10)),
        set("a start folder of null", NotCanonical, 20, Item::Simple(0x16)),
        set("a folder as text", Malformed, 5, word()),
        set("a key of a later version", NotCanonical, 24, Item::Uint(1)),
        of("nothing said on whether it is whole", Malformed, &request.with(22, None)),
        of("no replies", Malformed, &request.with(17, None)),
        bad(
            "larger than a message",
            Refusal::TooBig,
            json!({ "bytes": hex(&request.write()), "zeros": limits::MESSAGE }),
        ),
    ]
}

const FALSE: Item = Item::Simple(0x14);

fn word() -> Item {
    Item::Text(b"x".to_vec())
}

fn field(item: &Item, key: u64) -> Item {
    item.field(key).clone()
}
