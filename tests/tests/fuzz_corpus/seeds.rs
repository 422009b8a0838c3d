//! What fuzzing starts from: the golden vectors, the agent's captured events, and a few stories by hand.

mod judgement;
mod objects;
mod stories;

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::Value;

/// An input and what it is.
pub type Seed = (String, Vec<u8>);

/// Every target's seeds.
pub fn all() -> Vec<(&'static str, Vec<Seed>)> {
    vec![
        ("ticket", ticket()),
        ("typed", stories::typed()),
        ("relay_frame", relay_frame()),
        ("envelope", envelope()),
        ("assembler", stories::assembler()),
        ("session", stories::session()),
        ("pairing", stories::pairing()),
        ("phone", stories::phone()),
        ("canonical", objects::canonical()),
        ("signed", objects::signed()),
        ("message", objects::message()),
        ("phone_record", objects::phone_record()),
        ("enrolment", objects::enrolment()),
        ("keys", objects::keys()),
        ("request", objects::request()),
        ("text", text()),
        ("hook_frame", stories::hook_frame()),
        ("control_line", stories::control_line()),
        ("claude_event", claude_event()),
        ("settings", stories::settings()),
        ("classify", judgement::classify()),
        ("policy_lines", judgement::policy_lines()),
        ("permission_json", judgement::permission_json()),
        ("display", judgement::display()),
    ]
}

/// A file name of what an input is.
pub fn slug(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let words: Vec<&str> = plain.split('-').filter(|word| !word.is_empty()).take(9).collect();
    words.join("-").to_ascii_lowercase()
}

/// A seed by hand.
pub fn seed(name: &str, bytes: impl Into<Vec<u8>>) -> Seed {
    (name.to_owned(), bytes.into())
}

/// The good and the bad cases of a vector file.
pub fn vectors(file: &str) -> [Vec<Value>; 2] {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proto/vectors").join(file);
    let value: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    ["good", "bad"].map(|which| value[which].as_array().unwrap().clone())
}

/// A case's bytes with its zeros.
pub fn bytes(case: &Value) -> Vec<u8> {
    let mut bytes = unhex(&case["bytes"]);
    let zeros = case["zeros"].as_u64().unwrap_or_default();
    bytes.resize(bytes.len() + usize::try_from(zeros).unwrap(), 0);
    bytes
}

pub fn unhex(value: &Value) -> Vec<u8> {
    data_encoding::HEXLOWER.decode(value.as_str().unwrap().as_bytes()).unwrap()
}

pub fn name(case: &Value) -> String {
    case["name"].as_str().unwrap().to_owned()
}

/// One case of each refusal, told apart by a field beside it.
pub fn of_each_refusal<'a>(bad: &'a [Value], beside: &'a str) -> impl Iterator<Item = &'a Value> {
    let mut seen = BTreeSet::new();
    bad.iter().filter(move |case| seen.insert((case["refusal"].to_string(), case[beside].to_string())))
}

fn ticket() -> Vec<Seed> {
    let [good, bad] = vectors("ticket.json");
    let some = good.iter().step_by(2).chain(of_each_refusal(&bad, ""));
    some.map(|case| (name(case), case["text"].as_str().unwrap().as_bytes().to_vec())).collect()
}

/// One good frame of each type, and one wrong one for each reason.
fn relay_frame() -> Vec<Seed> {
    let [good, mut bad] = vectors("frame.json");
    bad.retain(|case| (1..200).contains(&bytes(case).len()));
    let mut seen = BTreeSet::new();
    let good = good.iter().filter(|case| seen.insert(case["frame"]["type"].to_string()));
    good.chain(of_each_refusal(&bad, "")).map(|case| (name(case), bytes(case))).collect()
}

/// A byte for the size, then the bytes before the zeros.
fn envelope() -> Vec<Seed> {
    let mut cases = vectors("envelope.json");
    cases
        .iter_mut()
        .for_each(|cases| cases.retain(|case| case["of"] != "parts" && case["bytes"].is_string()));
    let [good, bad] = cases;
    let some = good.iter().chain(of_each_refusal(&bad, "of"));
    let mut seeds: Vec<Seed> =
        some.map(|case| (name(case), [vec![0], unhex(&case["bytes"])].concat())).collect();
    let part = &good[4];
    seeds.push(seed("a part as it is", [vec![9], unhex(&part["result"]["content"])].concat()));
    let unpadded = [vec![9], bytes(part), vec![1]].concat();
    seeds.push(seed("a plaintext as it is", unpadded[..unpadded.len() - 1].to_vec()));
    seeds.push(seed("padding that is not zero", unpadded));
    seeds.push(seed(
        "a part beyond its message",
        [&[9, 0, 0, 0, 0, 0, 0, 0, 7, 0, 2, 0, 2, 0, 16][..], b"x"].concat(),
    ));
    seeds
}

fn text() -> Vec<Seed> {
    let [good, bad] = vectors("text.json");
    let some = good.iter().step_by(6).chain(bad.iter().step_by(20));
    some.map(|case| (name(case), unhex(&case["input"]))).collect()
}

/// Captured events of every tool, and what stands in the file that a change is made to.
fn claude_event() -> Vec<Seed> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../desktop/agents/fixtures/claude/2.1.332");
    let event = |name: &str| {
        let text = fs::read(folder.join(format!("{name}.json"))).unwrap();
        let case: Value = serde_json::from_slice(&text).unwrap();
        serde_json::to_vec(&case["stdin"]).unwrap()
    };
    let named = [
        "PermissionRequest.Bash",
        "PermissionRequest.WebFetch",
        "PermissionRequest.Write",
        "PermissionRequest.mcp__mock__echo",
        "PermissionRequest.AskUserQuestion",
        "PostToolUse.Edit",
        "PostToolBatch",
        "SessionStart.startup",
    ];
    let mut seeds: Vec<Seed> = named.iter().map(|name| seed(name, event(name))).collect();
    let edit = event("PermissionRequest.Edit");
    seeds.push(seed("an edit of a file", [&edit[..], b"\0alpha\nbeta\ndelta\n"].concat()));
    let twice =
        String::from_utf8(event("PermissionRequest.Bash")).unwrap().replacen('{', "{\"cwd\":\"/\",", 1);
    seeds.push(seed("a member twice", twice));
    seeds.push(seed("many edits", stories::MANY_EDITS));
    seeds.push(seed("a notebook's cell", stories::CELL));
    seeds.push(seed("half characters", stories::HALF));
    seeds
}
