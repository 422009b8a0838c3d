//! What permission files say, and what they can't say.

use proptest::prelude::*;

use super::*;
use crate::{
    classify::{FileHow, Reach, facts::Place},
    policy::{
        ConsentId, InForce, Origin, Verdict,
        sample::{HOME, PROJECT, Sample, bare, chain, file, managed, person, server},
        verdict,
    },
};
use countersign_proto::request::Class;

fn accepted(value: &str) -> InForce {
    let text = format!("{{\"permission\": {value}}}");
    InForce::permissions(Origin::Person(ConsentId([2; 16])), &text, parse(&text, HOME).unwrap(), None)
}

fn under(sample: &Sample, value: &str) -> Verdict {
    verdict(&sample.asked(), &[accepted(value)])
}

/// What a file says of a call, in a word.
fn says(sample: &Sample, value: &str) -> &'static str {
    let verdict = under(sample, value);
    if verdict.deny.is_some() {
        "deny"
    } else if verdict.soft_ask.is_some() {
        "ask"
    } else if verdict.allow.is_some() {
        "allow"
    } else {
        "nothing"
    }
}

fn git_log() -> Sample {
    bare("git log -1", Class::Read, Reach::Class)
}

#[test]
fn the_last_rule_that_matches_wins() {
    assert_eq!(says(&git_log(), r#"{"bash": {"*": "ask", "git *": "allow"}}"#), "allow");
    assert_eq!(says(&git_log(), r#"{"bash": {"git *": "allow", "*": "ask"}}"#), "ask");
    assert_eq!(says(&git_log(), r#"{"bash": "allow", "*": "deny"}"#), "deny");
    assert_eq!(says(&git_log(), r#"{"*": "deny", "bash": "allow"}"#), "allow");
    assert_eq!(says(&git_log(), r#""allow""#), "allow");
    assert_eq!(says(&git_log(), r#"{"edit": "deny"}"#), "nothing");
    assert_eq!(says(&git_log(), r#"{"Ba*": "deny"}"#), "deny");
}

#[test]
fn a_catch_all_ask_stops_no_green_and_no_rule_but_every_allow() {
    let verdict = under(&git_log(), r#"{"*": "ask"}"#);
    assert_eq!(verdict, Verdict::default());
    let both = super::super::verdict(&git_log().asked(), &[accepted(r#""ask""#), person("allow read")]);
    assert_eq!(both, Verdict::default());
    assert!(under(&git_log(), r#"{"bash": {"*": "ask"}}"#).soft_ask.is_some());
}

#[test]
fn each_part_of_a_command_is_compared_and_must_be_allowed() {
    let parts = [("git status", Class::Read, Reach::Class), ("cargo test", Class::Unknown, Reach::File)];
    let both = chain("git status && cargo test", &parts);
    assert_eq!(says(&both, r#"{"bash": {"git *": "allow", "cargo *": "allow"}}"#), "allow");
    assert_eq!(says(&both, r#"{"bash": {"git *": "allow"}}"#), "nothing");
    assert_eq!(says(&both, r#"{"bash": {"*": "allow", "cargo *": "deny"}}"#), "deny");
    assert_eq!(says(&git_log(), r#"{"bash": {"git log": "allow"}}"#), "nothing");
    let by_path = bare("/usr/bin/rm a", Class::Write, Reach::File);
    assert_eq!(says(&by_path, r#"{"bash": {"*": "allow", "rm *": "deny"}}"#), "deny");
}

#[test]
fn a_file_may_allow_builds_and_other_folders_but_nothing_that_no_text_may() {
    assert_eq!(says(&bare("make", Class::Unknown, Reach::File), r#"{"bash": "allow"}"#), "allow");
    for class in [Class::Destructive, Class::Spend, Class::Guard] {
        assert_eq!(says(&bare("x", class, Reach::Class), r#""allow""#), "nothing", "{class:?}");
    }
    assert_eq!(says(&bare("frob", Class::Unknown, Reach::Never), r#""allow""#), "nothing");
    assert_eq!(says(&server("notes", "search", &[]), r#"{"mcp__notes_*": "allow"}"#), "nothing");
    let spoil: [fn(&mut Sample); 5] = [
        |it| it.is_whole = false,
        |it| it.takes_allow_lines = false,
        |it| it.start = None,
        |it| it.moved = true,
        |it| it.is_tainted = true,
    ];
    for (number, spoil) in spoil.into_iter().enumerate() {
        let mut sample = bare("make", Class::Unknown, Reach::File);
        spoil(&mut sample);
        assert_eq!(says(&sample, r#""allow""#), "nothing", "{number}");
    }
}

#[test]
fn what_can_not_be_told_is_never_allowed() {
    let mut sample = git_log();
    sample.facts =
        crate::classify::Facts::for_test(Class::Read, countersign_proto::request::Level::Green, Reach::Class);
    assert_eq!(says(&sample, r#"{"bash": "allow"}"#), "nothing");
    assert_eq!(says(&sample, r#"{"bash": {"git *": "deny"}}"#), "deny");
}

#[test]
fn paths_are_compared_as_sent_relative_to_the_project_and_where_they_lead() {
    let doc = file("Edit", "/home/u/proj/docs/x/y.md", FileHow::Write, Place::Inside);
    for pattern in ["docs/**/*.md", "/home/u/proj/docs/*", "~/proj/docs/*", "$HOME/proj/*", "docs/?/y.md"] {
        let value = format!(r#"{{"edit": {{"*": "deny", "{pattern}": "allow"}}}}"#);
        assert_eq!(says(&doc, &value), "allow", "{pattern}");
    }
    assert_eq!(says(&doc, r#"{"edit": {"*": "deny", "src/*": "allow"}}"#), "deny");
    let mut link = file("Edit", "/home/u/proj/docs/link.md", FileHow::Write, Place::Inside);
    let mut fact = link.facts.paths()[0].clone();
    fact.real = Some("/home/u/proj/src/a.rs".to_owned());
    link.facts = crate::classify::Facts::for_test(
        Class::Write,
        countersign_proto::request::Level::Green,
        Reach::Class,
    )
    .with_path(fact);
    assert_eq!(says(&link, r#"{"edit": {"*": "allow", "src/*": "deny"}}"#), "deny");
    assert_eq!(says(&link, r#"{"edit": {"docs/*": "allow"}}"#), "nothing");
}

#[test]
fn another_folder_asks_unless_a_rule_of_its_own_allows_it_and_the_tool_is_allowed_too() {
    let outside = file("Read", "/home/u/other/a", FileHow::Read, Place::Outside);
    assert_eq!(says(&outside, r#""allow""#), "nothing");
    assert_eq!(says(&outside, r#"{"read": "allow"}"#), "nothing");
    assert_eq!(says(&outside, r#"{"external_directory": {"~/other/**": "allow"}}"#), "nothing");
    assert_eq!(
        says(&outside, r#"{"external_directory": {"~/other/**": "allow"}, "read": "allow"}"#),
        "allow"
    );
    assert_eq!(
        says(&outside, r#"{"external_directory": {"~/oth/**": "allow"}, "read": "allow"}"#),
        "nothing"
    );
    assert_eq!(says(&outside, r#"{"external_directory": {"~/other/**": "deny"}}"#), "deny");
    assert_eq!(says(&outside, r#"{"external_directory": "ask", "read": "allow"}"#), "ask");
    let edit = file("Edit", "/home/u/other/a", FileHow::Write, Place::Outside);
    let value =
        r#"{"external_directory": {"~/other/**": "allow"}, "read": "allow", "edit": {"~/other/**": "deny"}}"#;
    assert_eq!(says(&edit, value), "deny");
    let folder = file("LS", "/home/u/other", FileHow::List, Place::Outside);
    assert_eq!(says(&folder, r#"{"external_directory": {"~/other/**": "allow"}, "list": "allow"}"#), "allow");
    for place in [Place::Env, Place::Guarded, Place::Closed, Place::Own] {
        let closed = file("Read", "/home/u/other/a", FileHow::Read, place);
        assert_eq!(
            says(&closed, r#"{"external_directory": "allow", "read": "allow"}"#),
            "nothing",
            "{place:?}"
        );
    }
}

#[test]
fn a_reference_may_be_read_and_not_changed() {
    let text = r#"{"permission": {"edit": "allow"}, "references": ["~/docs"]}"#;
    let at = |sample: &Sample, text: &str| {
        let file = parse(text, HOME).unwrap();
        let texts = [InForce::permissions(Origin::Person(ConsentId([2; 16])), text, file, None)];
        verdict(&sample.asked(), &texts).allow.map(|line| line.text)
    };
    let read = |path: &str| file("Read", path, FileHow::Read, Place::Outside);
    assert_eq!(at(&read("/home/u/docs/a"), text).as_deref(), Some("references: \"~/docs\" = allow"));
    assert_eq!(at(&read("/home/u/docs2/a"), text), None);
    assert_eq!(at(&file("Edit", "/home/u/docs/a", FileHow::Write, Place::Outside), text), None);
    assert_eq!(
        at(&read("/home/u/docs/a"), r#"{"permission": {"read": "ask"}, "references": ["~/docs"]}"#),
        None
    );
    for bad in [r#"["~"]"#, r#"["/"]"#, r#"["/home"]"#, r#"["docs"]"#, r#"["~/a/*"]"#, r#""~/a""#, "[1]"] {
        assert!(parse(&format!(r#"{{"permission": {{}}, "references": {bad}}}"#), HOME).is_err(), "{bad}");
    }
}

#[test]
fn the_rules_of_the_agents_own_profile_come_last_and_hold_for_it_alone() {
    let text = r#"{"permission": {"bash": {"git *": "deny"}}, "agent": {"build": {"permission": {"bash": {"git log *": "ask"}}}}}"#;
    let mut sample = git_log();
    let texts =
        [InForce::permissions(Origin::Person(ConsentId([2; 16])), text, parse(text, HOME).unwrap(), None)];
    assert!(verdict(&sample.asked(), &texts).deny.is_some());
    sample.profile = Some("build");
    let verdict = verdict(&sample.asked(), &texts);
    assert!(verdict.deny.is_none() && verdict.soft_ask.is_some());
}

#[test]
fn a_managed_file_narrows_and_opens_nothing() {
    let text = r#"{"permission": {"bash": {"git push *": "deny", "*": "allow"}}}"#;
    let texts = [InForce::permissions(Origin::Managed, text, parse(text, HOME).unwrap(), None)];
    assert_eq!(verdict(&git_log().asked(), &texts), Verdict::default());
    assert_eq!(verdict(&git_log().asked(), &[managed("deny read"), accepted(r#""allow""#)]).allow, None);
}

#[test]
fn the_third_identical_call_in_a_row_asks_unless_the_person_said_otherwise() {
    let mut sample = git_log();
    sample.repeats = 3;
    assert_eq!(verdict(&sample.asked(), &[]).ask.unwrap().origin, Origin::Default);
    assert!(under(&sample, r#""allow""#).ask.is_some());
    assert_eq!(says(&sample, r#"{"doom_loop": "deny"}"#), "deny");
    assert_eq!(says(&sample, r#"{"doom_loop": "allow", "bash": "allow"}"#), "allow");
    sample.repeats = 2;
    assert_eq!(verdict(&sample.asked(), &[]), Verdict::default());
    let (number, words) = LOOP_LINE;
    assert!(DEFAULTS.lines().nth(number as usize - 1).unwrap().contains(words.split(' ').next().unwrap()));
    assert!(parse(DEFAULTS, HOME).is_ok());
}

#[test]
fn a_tool_whose_arguments_say_nothing_is_taken_at_its_strictest() {
    let task = Sample::of("Task", crate::classify::Action::Unknown(Vec::new()), git_log().facts);
    assert_eq!(says(&task, r#"{"task": {"*": "allow", "dangerous": "deny"}}"#), "deny");
    assert_eq!(says(&task, r#"{"task": {"dangerous": "deny", "*": "ask"}}"#), "ask");
    assert_eq!(says(&server("notes", "search", &[]), r#"{"mcp__notes_*": "deny"}"#), "deny");
}

#[test]
fn a_file_that_was_accepted_for_a_folder_holds_there_alone() {
    let text = r#"{"permission": {"bash": "deny"}}"#;
    let at = |folder: &str| {
        let file = parse(text, HOME).unwrap();
        let texts = [InForce::permissions(Origin::Person(ConsentId([2; 16])), text, file, Some(folder))];
        verdict(&git_log().asked(), &texts).deny.is_some()
    };
    assert!(at(PROJECT) && at(HOME) && !at("/home/u/pro") && !at("/home/u/proj/src"));
}

#[test]
fn errors_name_line_and_column_and_what_would_be_right() {
    for (text, line, column) in [
        ("{\n  \"bash\": {\n    \"*\": \"ask\",\n  }\n}", 4, 3),
        ("[]", 1, 1),
        ("", 1, 1),
        ("\"maybe\"", 1, 1),
        ("{\n \"bash\":\n   \"alow\"}", 3, 4),
        ("{\"bash\": {\"git *\": 1}}", 1, 20),
        ("{\"bash\": {\"git *\": {}}}", 1, 20),
        ("{\"bash\": null}", 1, 10),
        ("{\"bash\": [\"allow\"]}", 1, 10),
        ("{\"bash\": \"ask\",\n \"bash\": \"deny\"}", 2, 10),
        ("{\"bash\": {\"a\": \"ask\", \"a\": \"deny\"}}", 1, 28),
        ("{\"\": \"ask\"}", 1, 6),
        ("{\"bash\": \"ask\"", 1, 14),
        ("{'bash': 'ask'}", 1, 2),
        ("{\"bash\": \"ask\"} x", 1, 17),
        ("{\"bash\": \"\\ud800\"}", 1, 17),
    ] {
        let error = parse_value(text, HOME).unwrap_err();
        assert_eq!((error.line, error.column), (line, column), "{text}: {error}");
        assert!(error.fix.ends_with('.') && !error.what.is_empty(), "{error}");
    }
    for text in
        ["[]", "{}", "{\"permissions\": \"ask\"}", "{\"permission\": {}, \"agent\": {\"a\": {\"model\": 1}}}"]
    {
        assert!(parse(text, HOME).is_err(), "{text}");
    }
    assert!(parse_value(&"[".repeat(100_000), HOME).is_err());
    assert!(parse_value(&format!("\"{}\"", "a".repeat(600_000)), HOME).is_err());
}

fn almost() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"bash\"",
        "\"*\"",
        "\"allow\"",
        "\"ask\"",
        "\"permission\"",
        "\"agent\"",
        "\"references\"",
        "1",
        "null",
        "\n",
        "\"~/a\"",
        "\\",
        "\"",
    ]);
    prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in prop_oneof![any::<String>(), almost()]) {
        let _ = parse(&text, HOME);
        let _ = parse_value(&text, HOME);
    }

    #[test]
    fn what_a_file_allows_is_allowed_part_by_part(
        rules in prop::collection::vec(("(\\*|git \\*|ls|l\\?|git)", prop::sample::select(vec!["allow", "ask", "deny"])), 1..6),
        parts in prop::collection::vec(prop::sample::select(vec!["git status", "ls", "git", "lx"]), 1..4),
    ) {
        let mut seen = std::collections::BTreeSet::new();
        let rules: Vec<String> = rules.into_iter().filter(|(key, _)| seen.insert(key.clone()))
            .map(|(key, action)| format!("\"{key}\": \"{action}\"")).collect();
        let value = format!("{{\"bash\": {{{}}}}}", rules.join(", "));
        let all: Vec<_> = parts.iter().map(|text| (*text, Class::Read, Reach::Class)).collect();
        let whole = says(&chain(&parts.join(" && "), &all), &value);
        let each: Vec<_> = parts.iter().map(|text| says(&bare(text, Class::Read, Reach::Class), &value)).collect();
        prop_assert_eq!(whole == "allow", each.iter().all(|one| *one == "allow"));
        prop_assert_eq!(whole == "deny", each.contains(&"deny"));
    }
}
