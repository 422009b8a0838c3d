//! Tests of the control socket's lines.

use serde_json::json;

use super::*;
use crate::control::*;

fn requests() -> Vec<ControlRequest> {
    let id = || "ab".repeat(16);
    vec![
        ControlRequest::Status {},
        ControlRequest::Pending {},
        ControlRequest::Card { request_id: id() },
        ControlRequest::Watch {},
        ControlRequest::Fronted { request_id: id(), binding: id(), seen_to_end: true },
        ControlRequest::Click { request_id: id(), binding: id(), decision: Decision::AllowOnce, note: None },
        ControlRequest::Click {
            request_id: id(),
            binding: id(),
            decision: Decision::DenyWithNote,
            note: Some("no, \"thanks\"\n".into()),
        },
        ControlRequest::Deny { which: DenyWhich::All },
        ControlRequest::Deny { which: DenyWhich::One(id()) },
        ControlRequest::Release { request_id: None },
        ControlRequest::Lock {},
        ControlRequest::Unlock {},
        ControlRequest::PhonesList {},
        ControlRequest::PhonesRevoke { which: PhoneWhich::All },
        ControlRequest::PhonesUnsuspend { device_id: id() },
        ControlRequest::PairStart { relay: Some("relay.example:443".into()), invite: None },
        ControlRequest::PairCode { code: "123456".into() },
        ControlRequest::PairCancel {},
        ControlRequest::LogList { filter: LogFilter { newest: Some(5), ..LogFilter::default() } },
        ControlRequest::LogVerify {},
        ControlRequest::LogExport { redact: true },
        ControlRequest::Doctor {},
        ControlRequest::Stop {},
    ]
}

fn card() -> Card {
    Card {
        request_id: "ab".repeat(16),
        binding: "cd".repeat(32),
        headline: "Wants to run a command".into(),
        agent: Agent { id: "claude".into(), version: "2.1.332".into() },
        session: Session { id: "s".into(), title: String::new() },
        subagent: None,
        tool: "Bash".into(),
        folder: "/w".into(),
        start_folder: None,
        host: "ann@desk".into(),
        permission_mode: "default".into(),
        blocks: vec![
            Block::Command { text: "true\nfalse".into() },
            Block::Diff {
                path: "/w/a".into(),
                new_file: true,
                added: 1,
                removed: 0,
                lines: vec![DiffLine { sign: Sign::Added, text: "x".into() }],
            },
        ],
        class: "unknown".into(),
        level: Level::Yellow,
        reasons: vec![],
        why: "nothing allows it".into(),
        words: Some("Lists files".into()),
        warnings: vec![],
        whole: true,
        deadline_in_ms: 114_000,
        position: Position { index: 1, of: 1 },
        replies: vec![Decision::AllowOnce, Decision::Deny],
        always: Some("cargo test".into()),
        taint: true,
    }
}

#[test]
fn every_request_is_one_line_and_reads_back() {
    for (request, id) in requests().into_iter().zip(1..) {
        let line = encode_request(id, &request).unwrap();
        assert_eq!(line.iter().position(|b| *b == b'\n'), Some(line.len() - 1), "{request:?}");
        assert_eq!(decode_request(&line).unwrap(), (id, request));
    }
}

#[test]
fn replies_read_back() {
    let ending = Ending {
        request_id: "ab".into(),
        outcome: Outcome::Allowed,
        by: "demo phone".into(),
        text: "Allowed by demo phone".into(),
        delivered: true,
    };
    let failure =
        Failure { code: ErrorCode::StaleCard, text: "the card changed".into(), hint: "look again".into() };
    let ticket = PairEvent::Ticket { text: "CSGN1:AB".into(), expires_in_ms: 1 };
    for reply in [
        ControlReply::Done {},
        ControlReply::Failed(failure),
        ControlReply::Card(Box::new(card())),
        ControlReply::Watch { event: WatchEvent::Opened { card: Box::new(card()) } },
        ControlReply::Watch { event: WatchEvent::Closed { ending: ending.clone() } },
        ControlReply::Settled(ending),
        ControlReply::Pair { event: ticket },
    ] {
        let line = encode_reply(9, &reply).unwrap();
        assert_eq!(decode_reply(&line).unwrap(), (9, reply));
    }
}

#[test]
fn the_form_of_a_click_is_pinned() {
    let click = ControlRequest::Click {
        request_id: "ab".into(),
        binding: "cd".into(),
        decision: Decision::AllowOnce,
        note: None,
    };
    let expected = json!({"v": 1, "id": 7, "request":
        {"type": "click", "request_id": "ab", "binding": "cd", "decision": "allow_once"}});
    let line = encode_request(7, &click).unwrap();
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&line).unwrap(), expected);
}

#[test]
fn anything_added_to_any_request_is_refused() {
    for request in requests() {
        let mut line: serde_json::Value =
            serde_json::from_slice(&encode_request(1, &request).unwrap()).unwrap();
        line["request"]["allow"] = json!(true);
        let line = serde_json::to_vec(&line).unwrap();
        assert!(matches!(decode_request(&line), Err(BadLine::Json(_))), "{request:?}");
    }
    assert!(decode_request(br#"{"v":1,"id":1,"request":{"type":"status"},"more":1}"#).is_err());
}

#[test]
fn a_field_that_stands_twice_is_refused() {
    let twice = br#"{"v":1,"id":1,"request":{"type":"card","request_id":"a","request_id":"b"}}"#;
    assert!(decode_request(twice).is_err());
    assert!(decode_request(br#"{"v":1,"v":1,"id":1,"request":{"type":"status"}}"#).is_err());
}

#[test]
fn another_version_is_named_even_when_nothing_else_can_be_read() {
    let error = decode_request(br#"{"v":2,"what":"ever"}"#).unwrap_err();
    assert!(matches!(error, BadLine::Version(2)), "{error}");
    assert!(error.to_string().contains("start the daemon again"));
}

#[test]
fn garbage_and_long_lines_are_refused() {
    for garbage in
        [b"".as_slice(), b"{}", b"[1]", b"GET / HTTP/1.1", b"{\"v\":1}", &[0xff; 9], &[b'['; 60_000]]
    {
        assert!(decode_request(garbage).is_err());
        assert!(decode_reply(garbage).is_err());
    }
    assert!(matches!(decode_request(&vec![b' '; REQUEST_LINE + 1]), Err(BadLine::TooLong(_))));
}

#[test]
fn a_later_error_code_is_read_as_other() {
    let line = br#"{"v":1,"id":1,"reply":{"type":"failed","code":"brand_new","text":"t","hint":""}}"#;
    let (_, reply) = decode_reply(line).unwrap();
    assert!(matches!(reply, ControlReply::Failed(Failure { code: ErrorCode::Other, .. })));
}

#[test]
fn a_ticket_is_not_in_the_debug_text() {
    let ticket = PairEvent::Ticket { text: "CSGN1:SECRET".into(), expires_in_ms: 1 };
    assert!(!format!("{ticket:?}").contains("SECRET"));
}
