//! What every captured event becomes, and what no event can do.

use std::{collections::BTreeMap, path::Path};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{
    call::Seen,
    claude::{self, sample},
};

/// Captured events as the agent wrote them: on one line.
#[expect(clippy::disallowed_methods, reason = "the captured events are listed, so that none is forgotten")]
fn captured() -> BTreeMap<String, Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/claude/2.1.332");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            let file: Value = serde_json::from_str(&text).unwrap();
            (
                path.file_stem().unwrap().to_str().unwrap().to_owned(),
                serde_json::to_vec(&file["stdin"]).unwrap(),
            )
        })
        .collect()
}

fn told(event: &Event) -> String {
    match event {
        Event::Ask(call) => format!("ask{}", shown(call)),
        Event::Before(call) => format!("before {}{}", call.id().map_or("?", Foreign::raw), shown(call)),
        Event::Observed { what, .. } => match what {
            Observed::Started { folder } => format!("started in {}", String::from_utf8_lossy(folder)),
            Observed::Ended { calls, subagent } => {
                let names: Vec<&str> = calls.iter().map(|call| call.tool.raw()).collect();
                let by = subagent.as_ref().map(|id| format!(" by {}", id.raw())).unwrap_or_default();
                assert!(calls.iter().all(|call| call.id.is_some()));
                let how = if calls.iter().all(|call| call.ran) { "ran" } else { "ended" };
                format!("{how}{by}: {}", names.join(", "))
            }
            Observed::MovedOn => "moved on".to_owned(),
            Observed::AnsweredInTerminal => "answered".to_owned(),
            Observed::SessionOver => "over".to_owned(),
        },
        Event::Ignored(why) => format!("{why:?}"),
    }
}

fn shown(call: &Call) -> String {
    let draft = call.draft(&Seen::new(), &crate::claude::sample::given());
    assert!(draft.whole && !draft.view.is_empty());
    let by = draft.subagent.map(|subagent| format!(" by {}", subagent.kind.raw())).unwrap_or_default();
    format!("{by}: {}", draft.headline)
}

#[test]
fn every_captured_event_means_what_it_should() {
    let expected = [
        ("Notification.agent_needs_input", "NoConcern"),
        ("Notification.permission_prompt", "NoConcern"),
        ("PermissionRequest.AskUserQuestion", "Terminal"),
        ("PermissionRequest.AskUserQuestion.mode-auto", "Terminal"),
        ("PermissionRequest.Bash", "ask: Wants to run echo"),
        ("PermissionRequest.Bash.mode-auto", "ask: Wants to delete build and everything in it"),
        ("PermissionRequest.Bash.subagent", "ask by general-purpose: Wants to run echo"),
        ("PermissionRequest.Bash.mode-acceptEdits", "ask: Wants to delete build and everything in it"),
        ("PermissionRequest.Bash.mode-bypassPermissions", "ask: Wants to delete build and everything in it"),
        ("PermissionRequest.Bash.mode-dontAsk", "ask: Wants to delete build and everything in it"),
        ("PermissionRequest.Bash.mode-plan", "ask: Wants to delete build and everything in it"),
        ("PermissionRequest.Edit", "ask: Wants to change hello.txt"),
        ("PermissionRequest.ExitPlanMode.mode-plan", "Terminal"),
        ("PermissionRequest.WebFetch", "ask: Wants to read a web page at 127.0.0.1:8080"),
        ("PermissionRequest.Write", "ask: Wants to change ran.txt"),
        ("PermissionRequest.mcp__mock__echo", "ask: Wants to use mock's echo"),
        ("PostToolBatch", "ended: Bash"),
        ("PostToolBatch.Edit", "ended: Edit"),
        ("PostToolBatch.asked-in-print", "ended: Bash"),
        ("PostToolBatch.denied", "ended: Bash"),
        ("PostToolBatch.denied-before", "ended: Bash"),
        ("PostToolBatch.subagent", "ended by a924ebb3af6f2d1a9: Bash"),
        ("PostToolUse.Agent", "ran: Agent"),
        ("PostToolUse.AskUserQuestion", "ran: AskUserQuestion"),
        ("PostToolUse.Bash", "ran: Bash"),
        ("PostToolUse.Bash.subagent", "ran by a924ebb3af6f2d1a9: Bash"),
        ("PostToolUse.Edit", "ran: Edit"),
        ("PostToolUse.Read", "ran: Read"),
        ("PostToolUse.Write", "ran: Write"),
        ("PostToolUse.mcp__mock__echo", "ran: mcp__mock__echo"),
        ("PostToolUseFailure.Bash", "ran: Bash"),
        ("PostToolUseFailure.WebFetch", "ran: WebFetch"),
        ("PreToolUse.Agent", "before toolu_001_0: Wants to use Agent"),
        ("PreToolUse.AskUserQuestion", "Terminal"),
        ("PreToolUse.AskUserQuestion.mode-auto", "Terminal"),
        ("PreToolUse.Bash", "before toolu_001_0: Wants to run echo"),
        ("PreToolUse.Bash.mode-acceptEdits", "before toolu_001_0: Wants to run echo"),
        ("PreToolUse.Bash.mode-auto", "before toolu_001_0: Wants to run echo"),
        (
            "PreToolUse.Bash.mode-bypassPermissions",
            "before toolu_001_0: Wants to delete build and everything in it",
        ),
        ("PreToolUse.Bash.mode-dontAsk", "before toolu_001_0: Wants to run echo"),
        ("PreToolUse.Bash.mode-plan", "before toolu_001_0: Wants to run echo"),
        ("PreToolUse.Bash.subagent", "before toolu_003_0 by general-purpose: Wants to run echo"),
        (
            "PreToolUse.Bash.mode-auto.deletion",
            "before toolu_001_0: Wants to delete build and everything in it",
        ),
        ("PreToolUse.Edit", "before toolu_002_0: Wants to change hello.txt"),
        ("PreToolUse.ExitPlanMode.mode-plan", "Terminal"),
        ("PreToolUse.Read", "before toolu_001_0: Wants to read hello.txt"),
        ("PreToolUse.WebFetch", "before toolu_001_0: Wants to read a web page at 127.0.0.1:8080"),
        ("PreToolUse.WebFetch.mode-auto", "before toolu_001_0: Wants to read a web page at 127.0.0.1:8080"),
        ("PreToolUse.Write", "before toolu_001_0: Wants to change ran.txt"),
        ("PreToolUse.mcp__mock__echo", "before toolu_001_0: Wants to use mock's echo"),
        ("SessionEnd.other", "over"),
        ("SessionStart.startup", "started in /home/dev/site"),
        ("Stop", "moved on"),
        ("SubagentStart.subagent", "NoConcern"),
        ("SubagentStop.subagent", "NoConcern"),
        ("UserPromptSubmit", "moved on"),
    ];
    let captured = captured();
    let told: BTreeMap<&str, String> =
        captured.iter().map(|(name, bytes)| (name.as_str(), told(&claude::read(bytes)))).collect();
    assert_eq!(told, expected.into_iter().map(|(name, told)| (name, told.to_owned())).collect());
}

#[test]
fn what_ended_is_byte_for_byte_what_was_asked() {
    let captured = captured();
    for (asked, ended) in [
        ("PreToolUse.Bash.mode-auto", "PostToolUse.Bash"),
        ("PreToolUse.Edit", "PostToolUse.Edit"),
        ("PreToolUse.Read", "PostToolUse.Read"),
        ("PreToolUse.Write", "PostToolUse.Write"),
        ("PreToolUse.mcp__mock__echo", "PostToolUse.mcp__mock__echo"),
        ("PermissionRequest.Bash.subagent", "PostToolUse.Bash.subagent"),
        ("PermissionRequest.Bash.subagent", "PostToolBatch.subagent"),
        ("PermissionRequest.Edit", "PostToolUse.Edit"),
        ("PermissionRequest.Write", "PostToolUse.Write"),
        ("PermissionRequest.WebFetch", "PostToolUseFailure.WebFetch"),
        ("PermissionRequest.mcp__mock__echo", "PostToolUse.mcp__mock__echo"),
    ] {
        let (Event::Ask(call) | Event::Before(call)) = claude::read(&captured[asked]) else {
            panic!("{asked}")
        };
        let Event::Observed { what: Observed::Ended { calls, subagent }, session } =
            claude::read(&captured[ended])
        else {
            panic!("{ended}")
        };
        let ended_calls: Vec<_> = calls.iter().map(|call| (&call.tool, &call.raw)).collect();
        assert_eq!(ended_calls, [(&call.tool, &call.raw)], "{ended}");
        assert_eq!(subagent, call.subagent.map(|subagent| subagent.id));
        assert_eq!(session, call.session);
    }
}

/// Why a batch alone can miss a card: the events of the single calls, which come first, never do.
#[test]
fn a_batch_may_name_the_same_input_in_another_order() {
    let captured = captured();
    let Event::Ask(call) = claude::read(&captured["PermissionRequest.Edit"]) else { panic!() };
    let Event::Observed { what: Observed::Ended { calls, .. }, .. } =
        claude::read(&captured["PostToolBatch.Edit"])
    else {
        panic!()
    };
    let json = |raw: &[u8]| serde_json::from_slice::<Value>(raw).unwrap();
    assert_eq!(json(&calls[0].raw), json(&call.raw));
    assert_ne!(calls[0].raw, call.raw);
}

#[test]
fn a_subagent_is_named_with_its_session_and_its_whole_command() {
    let Event::Ask(call) = claude::read(&captured()["PermissionRequest.Bash.subagent"]) else { panic!() };
    let draft = call.draft(&Seen::new(), &crate::claude::sample::given());
    let subagent = draft.subagent.unwrap();
    assert_eq!(subagent.id.raw(), "a924ebb3af6f2d1a9");
    assert_eq!(subagent.kind.raw(), "general-purpose");
    assert_eq!(subagent.parent, draft.session.session);
    assert!(sample::command(&draft.view).contains("echo ran > ran.txt"));
}

fn ask(changes: &[(&str, Value)]) -> Vec<u8> {
    let mut event = json!({
        "session_id": "s-1", "cwd": "/home/dev/site", "permission_mode": "default",
        "hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "ls"},
    });
    for (name, value) in changes {
        if value.is_null() {
            event.as_object_mut().unwrap().remove(*name);
        } else {
            event[*name] = value.clone();
        }
    }
    serde_json::to_vec(&event).unwrap()
}

fn why(bytes: &[u8]) -> Option<Ignored> {
    match claude::read(bytes) {
        Event::Ignored(why) => Some(why),
        Event::Ask(_) | Event::Before(_) | Event::Observed { .. } => None,
    }
}

#[test]
fn an_unknown_shape_gets_no_decision() {
    assert_eq!(why(&ask(&[])), None);
    for (changes, expected) in [
        (vec![("session_id", Value::Null)], Ignored::Malformed),
        (vec![("session_id", json!(""))], Ignored::Malformed),
        (vec![("session_id", json!(7))], Ignored::Malformed),
        (vec![("tool_name", Value::Null)], Ignored::Malformed),
        (vec![("tool_input", Value::Null)], Ignored::Malformed),
        (vec![("tool_input", json!(["ls"]))], Ignored::Malformed),
        (vec![("tool_input", json!("ls"))], Ignored::Malformed),
        (vec![("cwd", Value::Null)], Ignored::Malformed),
        (vec![("agent_id", json!({}))], Ignored::Malformed),
        (vec![("permission_mode", json!(1))], Ignored::Malformed),
        (vec![("hook_event_name", Value::Null)], Ignored::Malformed),
        (vec![("hook_event_name", json!("PermissionRequest2"))], Ignored::UnknownEvent),
        (vec![("hookName", json!("permissionRequest"))], Ignored::OtherAgent),
    ] {
        assert_eq!(why(&ask(&changes)), Some(expected), "{changes:?}");
    }
    for text in ["", "null", "[]", "{", "{} {}", "\u{feff}{}"] {
        assert_eq!(why(text.as_bytes()), Some(Ignored::Malformed), "{text:?}");
    }
    assert_eq!(why(b"{\"a\":\"\xff\"}"), Some(Ignored::Malformed));
}

#[test]
fn a_copilot_payload_gets_no_decision() {
    let copilot = json!({
        "hookName": "permissionRequest", "sessionId": "s", "timestamp": 1, "cwd": "/home/dev/site",
        "toolName": "bash", "toolInput": {"command": "ls"}, "permissionSuggestions": [],
    });
    assert_eq!(why(&serde_json::to_vec(&copilot).unwrap()), Some(Ignored::OtherAgent));
}

#[test]
fn a_name_that_is_there_twice_gets_no_decision() {
    let event = String::from_utf8(ask(&[])).unwrap();
    for (from, to) in [
        ("{\"command\":\"ls\"}", "{\"command\":\"ls\",\"command\":\"rm -rf .\"}"),
        ("{\"command\":\"ls\"}", "{\"command\":\"ls\",\"x\":[{\"y\":1,\"y\":2}]}"),
        ("\"tool_name\":\"Bash\"", "\"tool_name\":\"Bash\",\"tool_name\":\"Read\""),
        ("\"tool_name\":\"Bash\"", "\"tool_name\":\"Bash\",\"tool\\u005fname\":\"Read\""),
    ] {
        let twice = event.replacen(from, to, 1);
        assert_ne!(twice, event);
        assert_eq!(why(twice.as_bytes()), Some(Ignored::Twice), "{twice}");
    }
}

#[test]
fn an_input_beyond_the_limit_gets_no_decision() {
    let of =
        |len: usize| ask(&[("tool_input", json!({"command": "x".repeat(len - "{\"command\":\"\"}".len())}))]);
    assert_eq!(why(&of(limits::RAW)), None);
    assert_eq!(why(&of(limits::RAW + 1)), Some(Ignored::TooBig));
}

#[test]
fn a_session_starts_where_it_starts_and_nowhere_else() {
    let start = |source: &str, cwd: Value| {
        let bytes = json!({
            "session_id": "s", "cwd": cwd, "hook_event_name": "SessionStart", "source": source,
        });
        told(&claude::read(&serde_json::to_vec(&bytes).unwrap()))
    };
    assert_eq!(start("resume", json!("/home/dev")), "started in /home/dev");
    assert_eq!(start("compact", json!("/tmp")), "NoConcern");
    assert_eq!(start("startup", json!("dev")), "Malformed");
}

#[test]
fn the_end_of_a_subagent_withdraws_nothing_of_its_session() {
    let stop = |more: &str| format!(r#"{{"session_id":"s","hook_event_name":"Stop"{more}}}"#);
    assert_eq!(told(&claude::read(stop("").as_bytes())), "moved on");
    assert_eq!(told(&claude::read(stop(r#","agent_id":"a1""#).as_bytes())), "NoConcern");
}

fn any_json() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        Just("PermissionRequest".to_owned()),
        Just("Bash".to_owned()),
        Just("/home".to_owned()),
        any::<String>()
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        word.prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        let name = prop_oneof![
            Just("tool_input"),
            Just("command"),
            Just("tool_calls"),
            Just("file_path"),
            Just("edits"),
            Just("url")
        ];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::btree_map(name, inner, 0..6)
                .prop_map(|map| map.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
        ]
    })
}

fn any_event() -> impl Strategy<Value = Vec<u8>> {
    let field = prop_oneof![
        Just("hook_event_name"),
        Just("session_id"),
        Just("cwd"),
        Just("tool_name"),
        Just("tool_input"),
        Just("agent_id"),
        Just("mcp_server"),
        Just("tool_calls"),
        Just("permission_mode")
    ];
    proptest::collection::vec((field, any_json()), 0..4).prop_map(|changes| {
        ask(&changes.iter().map(|(name, value)| (*name, value.clone())).collect::<Vec<_>>())
    })
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in any::<Vec<u8>>()) {
        let _ = claude::read(&bytes);
    }

    #[test]
    fn whatever_is_asked_about_carries_its_exact_input_and_is_never_blank(bytes in any_event()) {
        let Event::Ask(call) = claude::read(&bytes) else { return Ok(()) };
        let event: Value = serde_json::from_slice(&bytes).unwrap();
        prop_assert_eq!(&event["hook_event_name"], "PermissionRequest");
        prop_assert!(event["tool_input"].is_object() && event["tool_name"].is_string() && event["cwd"].is_string());
        prop_assert_eq!(call.raw(), serde_json::to_vec(&event["tool_input"]).unwrap());
        let draft = call.draft(&Seen::new(), &crate::claude::sample::given());
        prop_assert!(!sample::words(&draft.view).trim().is_empty());
        prop_assert!(draft.view.len() <= limits::VIEW_BLOCKS);
        prop_assert_eq!(draft.view_version, 1);
    }

    #[test]
    fn the_view_holds_the_whole_command(command in any::<String>().prop_filter("blank", |text| !text.trim().is_empty())) {
        let Event::Ask(call) = claude::read(&ask(&[("tool_input", json!({"command": command}))])) else { panic!() };
        let draft = call.draft(&Seen::new(), &crate::claude::sample::given());
        let shown = Shown::lines(&command);
        prop_assert_eq!(sample::command(&draft.view), shown.as_str());
        prop_assert!(draft.whole);
    }
}
