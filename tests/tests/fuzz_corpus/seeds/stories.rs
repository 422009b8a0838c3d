//! Seeds by hand: stories for the targets that read steps, lines and frames for the sockets, settings files.

use countersign_agents::{
    claude,
    setup::{Entry, LIMIT_SECS},
};
use countersign_ipc::{
    control::{
        ControlReply, ControlRequest, Decision, Ending, ErrorCode, Failure, LogFilter, Outcome, PairEvent,
        WatchEvent, encode_reply, encode_request,
    },
    environment::Environment,
    frame::{self, Call, Kind},
};

use super::{Seed, bytes, seed, vectors};

/// Two edits of one file, one of them everywhere; then the file.
pub const MANY_EDITS: &[u8] =
    b"{\"session_id\":\"s\",\"cwd\":\"/w\",\"hook_event_name\":\"PermissionRequest\",\
\"tool_name\":\"MultiEdit\",\"tool_input\":{\"file_path\":\"a/../b\",\"edits\":[{\"old_string\":\"x\",\
\"new_string\":\"y\\r\\n\",\"replace_all\":true},{\"old_string\":\"\",\"new_string\":\"z\"}]}}\0x\nx\n";
/// A change of a notebook's cell; then the notebook.
pub const CELL: &[u8] = b"{\"session_id\":\"s\",\"cwd\":\"/w\",\"hook_event_name\":\"PermissionRequest\",\
\"tool_name\":\"NotebookEdit\",\"tool_input\":{\"notebook_path\":\"/w/n.ipynb\",\"cell_id\":\"cell-0\",\
\"edit_mode\":\"replace\",\"new_source\":\"1\"}}\0{\"cells\":[{\"id\":\"a\",\"source\":[\"0\\n\",\"1\"]}]}";
/// Half characters in a command and a folder.
pub const HALF: &[u8] = b"{\"session_id\":\"s\",\"cwd\":\"/\\ud800\",\"hook_event_name\":\"PermissionRequest\",\
\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"a\\udc00 \\ud83d\\ude00\",\"n\":1e999,\"\\u202e\":[[{}]]}}";

pub fn typed() -> Vec<Seed> {
    let of = |kind: u8, text: &str| seed(&format!("{kind} {text}"), [&[kind], text.as_bytes()].concat());
    vec![
        of(0, "relay.example.org:8443"),
        of(0, "[::ffff:127.0.0.1]:80"),
        of(0, "127.1"),
        of(1, "Relay.Example.org"),
        of(2, "123 456"),
        of(3, &"0f".repeat(16)),
        of(5, &"ab".repeat(32)),
        of(6, "demo-2"),
        of(6, "../demo"),
    ]
}

/// Steps: time in tenths of a second, message, part, parts, type, the body's byte, its length in 128 bytes.
pub fn assembler() -> Vec<Seed> {
    vec![
        seed("one part", [0, 1, 0, 1, 16, 97, 1]),
        seed(
            "three parts in no order",
            [[0, 1, 2, 3, 16, 97, 1], [0, 1, 0, 3, 16, 98, 1], [0, 1, 1, 3, 16, 99, 1]].concat(),
        ),
        seed(
            "a part twice",
            [[0, 1, 0, 2, 16, 97, 1], [0, 1, 0, 2, 16, 97, 1], [0, 1, 1, 2, 16, 97, 1]].concat(),
        ),
        seed(
            "a part that changed",
            [[0, 1, 0, 2, 16, 97, 1], [0, 1, 0, 2, 16, 98, 1], [0, 1, 1, 2, 16, 97, 1]].concat(),
        ),
        seed("too late", [[0, 1, 0, 2, 16, 97, 1], [100, 1, 1, 2, 16, 97, 1]].concat()),
        seed(
            "three at once",
            [
                [0, 1, 0, 2, 16, 97, 1],
                [0, 2, 0, 2, 16, 97, 1],
                [0, 3, 0, 2, 16, 97, 1],
                [0, 3, 1, 2, 16, 97, 1],
            ]
            .concat(),
        ),
        seed("too much in all", (0..9).flat_map(|part| [0, 1, part, 9, 16, 97, 255]).collect::<Vec<u8>>()),
    ]
}

/// Steps as `Line::step` numbers them.
pub fn session() -> Vec<Seed> {
    vec![
        seed("welcome", [2, 0, 2, 7, 97, 3, 3]),
        seed("three in reverse", [1, 0, 17, 1, 97, 1, 0, 17, 2, 98, 1, 0, 17, 3, 99, 3, 5, 3, 4, 3, 3, 3, 3]),
        seed("a message of many envelopes", [2, 0, 16, 255, 97, 3, 3, 3, 4, 3, 5, 3, 6]),
        seed("a new session", [0, 3, 3, 3, 4, 1, 0, 1, 5, 97, 3, 5, 3, 0, 3, 2]),
        seed("a flipped bit", [1, 0, 17, 1, 97, 5, 3, 0, 200, 5, 0, 0, 77, 3, 3]),
        seed("made up", [6, 1, 0, 0, 9, 0, 0, 4, 1, 2, 3, 4, 7, 3, 3, 0, 1, 7, 0, 0, 2, 9, 9]),
        seed("a day later", [8, 26, 8, 26, 1, 0, 1, 1, 1, 0, 3, 3, 3, 4]),
    ]
}

/// Which end, which messages are honest, then the lies.
pub fn pairing() -> Vec<Seed> {
    let lie = |lie: &[u8]| [&u16::try_from(lie.len()).unwrap().to_be_bytes(), lie].concat();
    let opening = [&[0xa2, 0x00, 0x81, 0x01, 0x01, 0x58, 0x20][..], &[5; 32]].concat();
    let terms = [
        &[0xa4, 0x00, 0x01, 0x01, 0x58, 0x20][..],
        &[0x13; 32],
        &[0x02, 0x58, 0x20],
        &[0x14; 32],
        &[0x03, 0x01],
    ]
    .concat();
    vec![
        seed("an honest phone", [0, 7]),
        seed("an honest desktop", [1, 7]),
        seed("a phone that proves nothing", [0, 3, 0, 1, 0xa0, 0, 5]),
        seed("a phone that breaks its word", [&[0, 6][..], &lie(&opening)].concat()),
        seed("a phone that says nothing", [0, 0]),
        seed("a desktop with other terms", [&[1, 6][..], &lie(&terms)].concat()),
        seed("a desktop that proves nothing", [1, 1, 0, 1, 0xa0, 0, 4]),
        seed("a desktop without a last word", [1, 3, 0, 1, 0xa0, 0, 6]),
    ]
}

/// Steps as `World::step` numbers them, after a `Welcome`.
pub fn phone() -> Vec<Seed> {
    let says = |kind: u8, body: &[u8]| {
        let length = u16::try_from(body.len()).unwrap().to_be_bytes();
        [&[0, 0, kind], &length[..], body, &[0]].concat()
    };
    let after_welcome = |name: &str, steps: &[&[u8]]| {
        let welcome = says(2, &[0xa2, 0x00, 0x00, 0x02, 0x80]);
        seed(name, [&welcome[..], &steps.concat()].concat())
    };
    let offer: &[u8] = &[2, 0, 0, 0, 0, 0];
    let [revoked, _] = vectors("revoked.json");
    vec![
        after_welcome("nobody decides", &[offer, &[7, 0], &[10, 17]]),
        after_welcome("a yes", &[offer, &[7, 0], &[5, 0, 6], &[8, 0], &[9, 0, 3], &[4, 0]]),
        after_welcome(
            "a no that is lost and sent again",
            &[offer, &[5, 0, 0], &[8, 0], &[10, 12], &[10, 13]],
        ),
        after_welcome(
            "the offer changes under the finger",
            &[offer, &[7, 0], &[5, 0, 6], &[8, 0], &[2, 0, 1, 9, 0, 0], &[9, 0, 3]],
        ),
        after_welcome(
            "a counter that fell",
            &[offer, &says(2, &[0xa2, 0x00, 0x18, 0x63, 0x02, 0x80]), &[5, 0, 2], &[8, 0], &[8, 0]],
        ),
        after_welcome(
            "revoked while deciding",
            &[offer, &[5, 0, 4], &[8, 0], &says(0x7f, &bytes(&revoked[0])), &[9, 0, 3]],
        ),
        after_welcome("the disk is full", &[offer, &[5, 0, 0], &[8, 1]]),
    ]
}

pub fn hook_frame() -> Vec<Seed> {
    let call = Call {
        agent: "claude".into(),
        event: "PermissionRequest".into(),
        limit_ms: 125_000,
        cwd: b"/home/dev/\xff".to_vec(),
        environment: Environment {
            path: b"/usr/bin".to_vec(),
            risky: vec![b"LD_PRELOAD".to_vec()],
            passed: vec![(b"CLAUDE_PID".to_vec(), b"42".to_vec())],
        },
        input: b"{}".to_vec(),
    };
    let whole = frame::encode(Kind::Ask, &call).unwrap();
    let bare = frame::encode(Kind::Observed, &Call::default()).unwrap();
    vec![
        seed("a call", whole.clone()),
        seed("nothing in it", bare),
        seed("cut off", &whole[..whole.len() - 1]),
        seed("a byte more", [&whole[..], &[0]].concat()),
        seed("four gigabytes", [b"CS\x01\x01".as_slice(), &[0xff; 12]].concat()),
        seed("another version", b"CS\x02\x01\0\0\0\0".as_slice()),
    ]
}

pub fn control_line() -> Vec<Seed> {
    let id = || "ab".repeat(16);
    let click = ControlRequest::Click {
        request_id: id(),
        binding: "cd".repeat(32),
        decision: Decision::DenyWithNote,
        note: Some("no, \"thanks\"\n\u{202e}".into()),
    };
    let ending = Ending {
        request_id: id(),
        outcome: Outcome::Allowed,
        by: "x".into(),
        text: "y".into(),
        delivered: true,
    };
    let failure = Failure { code: ErrorCode::StaleCard, text: "changed".into(), hint: String::new() };
    let filter = LogFilter { newest: Some(5), ..LogFilter::default() };
    let asks = |request: &ControlRequest| encode_request(7, request).unwrap();
    let says = |reply: &ControlReply| encode_reply(7, reply).unwrap();
    vec![
        seed("status", asks(&ControlRequest::Status {})),
        seed("a click", asks(&click)),
        seed("the log", asks(&ControlRequest::LogList { filter })),
        seed(
            "a pairing",
            asks(&ControlRequest::PairStart { relay: Some("relay.example".into()), invite: None }),
        ),
        seed("done", says(&ControlReply::Done {})),
        seed("failed", says(&ControlReply::Failed(failure))),
        seed("closed", says(&ControlReply::Watch { event: WatchEvent::Closed { ending } })),
        seed(
            "a ticket",
            says(&ControlReply::Pair {
                event: PairEvent::Ticket { text: "CSGN1:AB".into(), expires_in_ms: 1 },
            }),
        ),
        seed("another version", br#"{"v":2,"id":1,"request":{"type":"status"}}"#.as_slice()),
        seed("a member more", br#"{"v":1,"id":1,"request":{"type":"status","allow":true}}"#.as_slice()),
    ]
}

pub fn settings() -> Vec<Seed> {
    let entry = |hook: &str, limit| Entry::new(hook, None, limit).unwrap();
    let ours = entry("/usr/lib/countersign/countersign-hook", LIMIT_SECS);
    let installed = claude::install(Some("{\n\t\"model\": \"x\"\n}\n"), &ours).unwrap().after.unwrap();
    let outdated = claude::install(None, &entry("/opt/x/countersign-hook", 30)).unwrap().after.unwrap();
    vec![
        seed("nothing in it", "{}"),
        seed("blanks in it", " {\r\n\r\n } \n"),
        seed("one member", "{\"model\":\"}]\\\"\"}"),
        seed("empty lists", "{\"hooks\": {\"Stop\": [ ], \"PermissionRequest\": [\n]}, \"z\": [1,\n2]}"),
        seed(
            "another's hook",
            "{\"hooks\":{\"PermissionRequest\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]}}",
        ),
        seed("ours is there", installed),
        seed("ours is outdated", outdated),
        seed("a comment", "{} // end"),
        seed("a list", "[]"),
        seed("hooks twice", "{\"hooks\":{},\"hooks\":{}}"),
    ]
}
