//! Tests of the hooks' frames.

use proptest::prelude::*;

use super::*;

fn call() -> Call {
    Call {
        agent: "claude".into(),
        event: "PermissionRequest".into(),
        limit_ms: 125_000,
        cwd: b"/home/ann/\xff".to_vec(),
        environment: Environment {
            path: b"/usr/bin:/bin".to_vec(),
            risky: vec![b"GIT_DIR".to_vec(), b"LD_PRELOAD".to_vec()],
            passed: vec![(b"CLAUDE_PID".to_vec(), b"42".to_vec())],
        },
        input: br#"{"tool_name":"Bash"}"#.to_vec(),
    }
}

fn with_byte(at: usize, value: u8) -> Vec<u8> {
    let mut bytes = encode(Kind::Ask, &call()).unwrap();
    bytes[at] = value;
    bytes
}

#[test]
fn a_call_reads_back_as_it_was_sent() {
    for kind in [Kind::Ask, Kind::Observed] {
        assert_eq!(decode(&encode(kind, &call()).unwrap()), Ok((kind, call())));
    }
}

#[test]
fn the_bytes_of_a_frame_are_pinned() {
    let small = Call { agent: "a".into(), input: b"{}".to_vec(), ..Call::default() };
    let expected = [
        b"CS\x01\x01".as_slice(),
        &[0, 0, 0, 35],
        &[0, 0, 0, 1, b'a'],
        &[0; 4],
        &[0; 4],
        &[0; 4],
        &[0; 4],
        &[0; 4],
        &[0; 4],
        &[0, 0, 0, 2, b'{', b'}'],
    ]
    .concat();
    assert_eq!(encode(Kind::Ask, &small).unwrap(), expected);
}

#[test]
fn every_cut_and_every_longer_frame_is_refused() {
    let bytes = encode(Kind::Ask, &call()).unwrap();
    for end in 0..bytes.len() {
        assert!(decode(&bytes[..end]).is_err(), "{end}");
        // The body alone is strict too: a head that lies about its length gains nothing.
        assert!(end < HEAD || decode_body(&bytes[HEAD..end]).is_err(), "{end}");
    }
    assert_eq!(decode(&[bytes.as_slice(), b"x"].concat()), Err(BadFrame::Length));
    assert_eq!(decode_body(&[&bytes[HEAD..], b"x"].concat()), Err(BadFrame::Length));
}

#[test]
fn foreign_bytes_other_versions_and_unknown_kinds_are_told_apart() {
    assert_eq!(decode(&with_byte(0, b'G')), Err(BadFrame::Foreign));
    assert_eq!(decode(&with_byte(2, 2)), Err(BadFrame::Version(2)));
    assert_eq!(decode(&with_byte(3, 0)), Err(BadFrame::Kind(0)));
    assert_eq!(decode(&with_byte(3, 3)), Err(BadFrame::Kind(3)));
    assert_eq!(decode(&with_byte(HEAD + 4, 0xff)), Err(BadFrame::Text("agent")));
}

#[test]
fn a_head_that_promises_too_much_is_refused_before_its_body() {
    let head = [b'C', b'S', 1, 1, 0xff, 0xff, 0xff, 0xff];
    assert_eq!(Head::decode(head), Err(BadFrame::TooBig("frame")));
}

#[test]
fn a_list_that_promises_too_much_is_refused_before_it_is_read() {
    let body = [[0u8; 20].as_slice(), &[0xff; 4]].concat();
    assert_eq!(decode_body(&body), Err(BadFrame::TooBig("list of variables")));
}

#[test]
fn each_field_has_a_limit_on_both_sides() {
    let fits = Call { input: vec![b' '; INPUT], ..call() };
    assert_eq!(decode(&encode(Kind::Ask, &fits).unwrap()), Ok((Kind::Ask, fits)));
    for large in [
        Call { input: vec![b' '; INPUT + 1], ..call() },
        Call { agent: "a".repeat(33), ..call() },
        Call { event: "e".repeat(65), ..call() },
        Call { cwd: vec![b'/'; 9000], ..call() },
        Call { environment: Environment { path: vec![b'/'; 70_000], ..Environment::default() }, ..call() },
        Call {
            environment: Environment { risky: vec![Vec::new(); 257], ..Environment::default() },
            ..call()
        },
    ] {
        assert!(matches!(encode(Kind::Ask, &large), Err(BadFrame::TooBig(_))));
    }
}

#[test]
fn only_hooks_that_come_before_a_call_wait() {
    for event in ["PermissionRequest", "permissionRequest", "PreToolUse", "preToolUse", ""] {
        assert_eq!(Kind::of_event(event), Kind::Ask, "{event}");
    }
    for event in ["PostToolUse", "PostToolBatch", "Stop", "SessionStart", "SessionEnd", "UserPromptSubmit"] {
        assert_eq!(Kind::of_event(event), Kind::Observed, "{event}");
    }
}

#[test]
fn a_reply_reads_back_and_a_garbage_length_is_refused() {
    let reply = encode_reply(b"{}").unwrap();
    assert_eq!(reply, b"\0\0\0\x02{}");
    assert_eq!(decode_reply_length([0, 0, 0, 2]), Ok(2));
    assert_eq!(encode_reply(b"").unwrap(), [0; 4]);
    assert_eq!(decode_reply_length(*b"HTTP"), Err(BadFrame::TooBig("reply")));
    assert!(encode_reply(&vec![b'x'; REPLY + 1]).is_err());
}

prop_compose! {
    fn any_call()(
        agent in "[a-z]{0,32}",
        event in "\\PC{0,16}",
        limit_ms: u32,
        cwd in prop::collection::vec(any::<u8>(), 0..64),
        path in prop::collection::vec(any::<u8>(), 0..64),
        risky in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..16), 0..8),
        passed in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..8), prop::collection::vec(any::<u8>(), 0..8)), 0..4),
        input in prop::collection::vec(any::<u8>(), 0..256),
    ) -> Call {
        Call { agent, event, limit_ms, cwd, environment: Environment { path, risky, passed }, input }
    }
}

proptest! {
    #[test]
    fn any_call_reads_back(call in any_call()) {
        prop_assert_eq!(decode(&encode(Kind::Observed, &call).unwrap()), Ok((Kind::Observed, call)));
    }

    #[test]
    fn any_bytes_are_read_without_a_panic_and_mean_only_what_encodes_back(
        bytes in prop::collection::vec(any::<u8>(), 0..512),
    ) {
        if let Ok(call) = decode_body(&bytes) {
            prop_assert_eq!(&encode(Kind::Ask, &call).unwrap()[HEAD..], bytes.as_slice());
        }
        let _ = decode(&bytes);
    }

    #[test]
    fn a_changed_byte_never_panics_and_never_reads_as_the_same_call(at in 0usize..200, flip in 1u8..) {
        let call = call();
        let mut bytes = encode(Kind::Ask, &call).unwrap();
        let at = at % bytes.len();
        bytes[at] ^= flip;
        prop_assert_ne!(decode(&bytes), Ok((Kind::Ask, call)));
    }
}
