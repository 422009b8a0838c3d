//! What is added comes out again byte for byte, whatever the file looked like.

use proptest::prelude::*;

use super::*;
use crate::{
    claude,
    setup::{LIMIT_SECS, State},
};

fn entry() -> Entry {
    Entry::new("/usr/lib/countersign/countersign-hook", None, LIMIT_SECS).unwrap()
}

fn installed(text: Option<&str>) -> String {
    claude::install(text, &entry()).unwrap().after.unwrap()
}

fn comes_back(text: &str) {
    let with = installed(Some(text));
    assert_eq!(claude::inspect(Some(&with), &entry()).unwrap().state, State::Installed, "{with}");
    assert!(claude::install(Some(&with), &entry()).unwrap().is_none(), "{with}");
    let without = claude::remove(Some(&with)).unwrap();
    assert_eq!(without.after.as_deref(), Some(text), "{with}");
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let mut value = json(&with);
    value.as_object_mut().unwrap().remove("hooks");
    let mut before = json(text);
    before.as_object_mut().unwrap().remove("hooks");
    assert_eq!(value, before);
}

#[test]
fn a_missing_file_is_made_and_goes_again() {
    let change = claude::install(None, &entry()).unwrap();
    let made = change.after.as_deref().unwrap();
    assert_eq!(made, include_str!("../../../fixtures/claude/setup/missing.after.json"));
    assert!(
        change.diff.as_str().starts_with("--- /dev/null\n+++ ~/.claude/settings.json\n"),
        "{}",
        change.diff
    );
    assert_eq!(claude::remove(Some(made)).unwrap().after, None);
    assert_eq!(claude::remove(None).unwrap().after, None);
}

#[test]
fn everything_else_in_the_file_stays_byte_for_byte() {
    let before = include_str!("../../../fixtures/claude/setup/foreign.before.json");
    let change = claude::install(Some(before), &entry()).unwrap();
    assert_eq!(
        change.after.as_deref(),
        Some(include_str!("../../../fixtures/claude/setup/foreign.after.json"))
    );
    let removed =
        change.diff.as_str().lines().filter(|line| line.starts_with('-') && !line.starts_with("---"));
    // A comma is all that is added to lines that were there.
    assert!(removed.clone().count() > 0 && removed.clone().all(|line| line.trim_end().ends_with(['}', ']'])));
    comes_back(before);
}

#[test]
fn files_of_every_layout_come_back_as_they_were() {
    for text in [
        "{}",
        "{}\n",
        "{ }",
        "{\n}\n",
        " {\n\n  }  \n\n",
        "{\"model\":\"x\"}",
        "{\n\t\"model\": \"x\"\n}\n",
        "{\r\n    \"model\": \"x\",\r\n    \"env\": {}\r\n}\r\n",
        "{\"hooks\":{}}",
        "{\n  \"hooks\": {\n  }\n}",
        "{\"hooks\":{\"Stop\":[]}}",
        "{\"hooks\": {\"Stop\": [ ], \"PermissionRequest\": [\n]}}",
        "{\"hooks\": {\"Other\": [{\"hooks\": []}]}, \"z\": [1,\n2]}",
        "{\"hooks\":{\"PermissionRequest\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]}}",
        "{\"a\":1,\"hooks\":{\"SessionEnd\":[{\"hooks\":[]}],\"X\":[]},\"b\":{\"c\":\"}]\"}}",
    ] {
        comes_back(text);
    }
}

#[test]
fn our_entries_take_over_the_indentation_and_line_breaks_of_the_file() {
    let tabs = installed(Some("{\n\t\"model\": \"x\"\n}\n"));
    assert!(tabs.contains("\n\t\"hooks\": {\n\t\t\"SessionStart\": [\n\t\t\t{"), "{tabs}");
    let crlf = installed(Some("{\r\n    \"model\": \"x\"\r\n}\r\n"));
    assert_eq!(crlf.matches('\n').count(), crlf.matches("\r\n").count());
    assert!(crlf.contains("\r\n    \"hooks\": {\r\n        \"SessionStart\""), "{crlf}");
}

#[test]
fn an_outdated_entry_is_replaced_and_nothing_is_left_of_it() {
    let before = "{\n  \"hooks\": {\n    \"Stop\": []\n  },\n  \"a\": 1\n}\n";
    let old = Entry::new("/opt/old place/countersign-hook", Some("demo"), 30).unwrap();
    for before in [Some(before), None] {
        let outdated = claude::install(before, &old).unwrap().after.unwrap();
        let report = claude::inspect(Some(&outdated), &entry()).unwrap();
        assert!(matches!(report.state, State::Outdated(why) if why.len() == 9));
        let updated = claude::install(Some(&outdated), &entry()).unwrap().after.unwrap();
        assert_eq!(updated, installed(before));
        assert_eq!(claude::remove(Some(&updated)).unwrap().after.as_deref(), before);
    }
}

/// What the first release installed, where there was nothing and where there was something.
const FIRST_RELEASE: [(&str, Option<&str>); 2] = [
    (include_str!("../../../fixtures/claude/setup/first-release.json"), None),
    (
        include_str!("../../../fixtures/claude/setup/first-release.foreign.json"),
        Some(include_str!("../../../fixtures/claude/setup/foreign.before.json")),
    ),
];

#[test]
fn an_installation_of_the_first_release_gets_the_hook_before_every_call() {
    for (old, before) in FIRST_RELEASE {
        let report = claude::inspect(Some(old), &entry()).unwrap();
        let State::Outdated(why) = report.state else { panic!("{:?}", report.state) };
        let why: Vec<&str> = why.iter().map(|why| why.as_str()).collect();
        let expected =
            "there is no hook of ours for PreToolUse, so what the agent does not ask about is not checked";
        assert_eq!(why, [expected]);
        let updated = installed(Some(old));
        assert_eq!(updated, installed(before));
        assert!(claude::install(Some(&updated), &entry()).unwrap().is_none());
        for with in [old, &updated] {
            assert_eq!(claude::remove(Some(with)).unwrap().after.as_deref(), before);
        }
    }
}

#[test]
fn one_missing_or_changed_entry_is_noticed_and_repaired() {
    let with = installed(Some("{\"a\": 1}"));
    for (from, to) in [
        ("\"timeout\": 6", "\"timeout\": 600"),
        ("\"PreToolUse\": [", "\"PreToolUse2\": ["),
        ("\"timeout\": 125", "\"timeout\": 60"),
        ("\"Stop\": [", "\"Stopped\": ["),
        ("\"type\": \"command\",", "\"async\": true, \"type\": \"command\","),
        ("Waiting for your answer in Countersign", "Waiting"),
        ("{\n        \"hooks\"", "{\n        \"matcher\": \"Bash\", \"hooks\""),
    ] {
        let changed = with.replacen(from, to, 1);
        assert_ne!(changed, with, "{from}");
        let report = claude::inspect(Some(&changed), &entry()).unwrap();
        assert!(matches!(report.state, State::Outdated(_)), "{to}");
        assert_eq!(installed(Some(&changed)), with);
    }
}

#[test]
fn our_hook_leaves_a_group_that_others_share() {
    let command = entry().command("claude", "Stop", 5);
    let hook = |command: &str| format!("{{\"type\":\"command\",\"command\":{}}}", json::quoted(command));
    let text = |hooks: &str| format!("{{\"hooks\":{{\"Stop\":[{{\"hooks\":[{hooks}]}}]}}}}");
    for ours in [format!("{}, {}", hook(&command), hook("x")), format!("{}, {}", hook("x"), hook(&command))] {
        assert_eq!(claude::remove(Some(&text(&ours))).unwrap().after, Some(text(&hook("x"))));
    }
    let between = format!("{},{},{}", hook("x"), hook(&command), hook("y"));
    let left = format!("{},{}", hook("x"), hook("y"));
    assert_eq!(claude::remove(Some(&text(&between))).unwrap().after, Some(text(&left)));
}

#[test]
fn a_file_that_claude_code_wrote_again_loses_only_our_hooks() {
    let before = "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]},\"a\":1}";
    let value: serde_json::Value = serde_json::from_str(&installed(Some(before))).unwrap();
    let rewritten = serde_json::to_string_pretty(&value).unwrap();
    let without = claude::remove(Some(&rewritten)).unwrap().after.unwrap();
    let before: serde_json::Value = serde_json::from_str(before).unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&without).unwrap(), before);
}

#[test]
fn what_is_no_settings_file_is_left_alone() {
    for text in
        ["", "{", "[]", "{\"hooks\": []}", "{\"hooks\": {\"Stop\": {}}}", "{\"hooks\": null}", "// x\n{}"]
    {
        assert!(claude::install(Some(text), &entry()).is_err(), "{text}");
    }
    let error = claude::remove(Some("{\"hooks\": {\"Stop\": [{\"hooks\": 1}]}}")).unwrap_err();
    assert_eq!(error.to_string(), "`Stop` in the settings file is not a list; nothing was changed");
    let error = claude::remove(Some("{\"hooks\": {\"\\u001b[2J\": 1}}")).unwrap_err();
    assert_eq!(error.to_string(), "`\\u{1b}[2J` in the settings file is not a list; nothing was changed");
}

fn settings() -> impl Strategy<Value = String> {
    let blank = "[ ]{0,2}(\n|\r\n)?[ \t]{0,3}";
    let scalar = prop_oneof![
        Just("1".to_owned()),
        Just("\"a, ]}\"".to_owned()),
        Just("[ ]".to_owned()),
        Just("{\"hooks\":[]}".to_owned())
    ];
    let group = prop_oneof![
        Just("{\"hooks\":[]}".to_owned()),
        Just("{\"matcher\":\"Bash\", \"hooks\" : [{\"type\":\"command\",\n\"command\":\"y\"}]}".to_owned()),
        Just("{\"hooks\": [\n{\"type\":\"http\",\"url\":\"http://x\"} ] }".to_owned()),
    ];
    let list = |item: BoxedStrategy<String>, open: &'static str, close: &'static str| {
        (proptest::collection::vec((blank, item, blank), 0..3), blank).prop_map(move |(items, end)| {
            let items: Vec<String> = items.into_iter().map(|(a, item, b)| format!("{a}{item}{b}")).collect();
            let inner = if items.is_empty() { end } else { items.join(",") };
            format!("{open}{inner}{close}")
        })
    };
    let name = prop_oneof![Just("Stop"), Just("PermissionRequest"), Just("Unknown"), Just("SessionEnd")];
    let event = (name, blank, list(group.boxed(), "[", "]"))
        .prop_map(|(name, blank, groups)| (name, format!("\"{name}\"{blank}:{groups}")));
    let hooks =
        (proptest::collection::vec((blank, event, blank), 0..3), blank).prop_map(|(mut events, end)| {
            let mut seen = std::collections::BTreeSet::new();
            events.retain(|(_, (name, _), _)| seen.insert(*name));
            let events: Vec<String> =
                events.into_iter().map(|(a, (_, event), b)| format!("{a}{event}{b}")).collect();
            format!("{{{}}}", if events.is_empty() { end } else { events.join(",") })
        });
    let others = (scalar.clone(), scalar);
    (proptest::option::of(hooks), others, blank, blank, blank, 0..4_usize).prop_map(
        |(hooks, (first, second), a, b, c, which)| {
            let mut members = Vec::new();
            if which & 1 == 1 {
                members.push(format!("\"first\":{b}{first}"));
            }
            members.extend(hooks.map(|hooks| format!("\"hooks\":{c}{hooks}")));
            if which & 2 == 2 {
                members.push(format!("\"second\": {second}"));
            }
            let members: Vec<String> = members.into_iter().map(|member| format!("{a}{member}{b}")).collect();
            format!("{b}{{{}}}{a}", if members.is_empty() { c } else { members.join(",") })
        },
    )
}

proptest! {
    #[test]
    fn taking_out_what_was_added_restores_every_file(text in settings()) {
        comes_back(&text);
    }

    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        let _ = claude::install(Some(&text), &entry());
        let _ = claude::remove(Some(&text));
        let _ = claude::inspect(Some(&text), &entry());
    }
}
