//! What lines cover, what they allow, and that a deny beats an ask and an ask an allow.

use countersign_proto::{
    request::{Class, Level},
    text::Shown,
};
use proptest::prelude::*;

use super::*;
use crate::{
    classify::{
        Action, Facts, FileHow, FileUse, Program, Reach, Refused, Script, Shell,
        facts::{Place, ProgramFact, RefusedFor},
    },
    policy::sample::{HOME, PROJECT, Sample, bare, chain, command, file, managed, person, server},
};

const EVERYTHING: &str = "allow read\nallow read-external\nallow write\nallow external\n";

fn status() -> Sample {
    bare("git status", Class::Read, Reach::Class)
}

fn read() -> Sample {
    file("Read", "/home/u/proj/a.rs", FileHow::Read, Place::Inside)
}

#[test]
fn a_class_line_allows_its_class_and_no_other() {
    assert!(status().under("allow read").allow.is_some());
    assert!(read().under("allow read").allow.is_some());
    assert_eq!(status().under("allow write"), Verdict::default());
    assert_eq!(bare("cp a b", Class::Write, Reach::Named).under("allow write"), Verdict::default());
}

#[test]
fn a_command_line_allows_its_words_and_with_a_star_more() {
    let diff = bare("git diff HEAD", Class::Read, Reach::Class);
    assert!(diff.under("allow command git diff *").allow.is_some());
    assert!(diff.under("allow command git diff HEAD").allow.is_some());
    assert_eq!(diff.under("allow command git diff"), Verdict::default());
    assert!(bare("git diff", Class::Read, Reach::Class).under("allow command git diff *").allow.is_some());
    assert!(bare("cp a b", Class::Write, Reach::Named).under("allow command cp a b").allow.is_some());
    assert_eq!(bare("make", Class::Unknown, Reach::File).under("allow command make"), Verdict::default());
}

#[test]
fn nothing_but_bare_words_in_the_project_is_allowed_by_a_line() {
    let pipe = [("ls src", Class::Read, Reach::Class), ("wc -l", Class::Read, Reach::Class)];
    assert_eq!(chain("ls src | wc -l", &pipe).under(EVERYTHING), Verdict::default());
    for words in [
        "cat /etc/hosts",
        "cat ~/x",
        "cat ../x",
        "cat a/../../x",
        "cat .git/config",
        "git -C sub/.git log",
        "gh api -F body=@notes.md",
        "curl -d@notes x",
        "git fetch https://x.example/a.git",
        "grep -f/etc/passwd x",
        "grep -fnotes.txt x",
        "git log --output=x",
        "rg --file=..",
        "npm info @types/node",
    ] {
        assert_eq!(bare(words, Class::Read, Reach::Class).under(EVERYTHING), Verdict::default(), "{words}");
    }
    for words in [
        "git log main..topic --oneline -n5",
        "docker pull postgres:16",
        "git show HEAD:src/a.rs",
        "ls -la ./src",
    ] {
        assert!(bare(words, Class::Read, Reach::Class).under(EVERYTHING).allow.is_some(), "{words}");
    }
}

#[test]
fn an_allow_needs_its_agent_the_whole_call_and_the_folder_in_which_the_session_started() {
    let spoil: [fn(&mut Sample); 9] = [
        |it| it.takes_allow_lines = false,
        |it| it.is_whole = false,
        |it| it.start = None,
        |it| it.start = Some("/".to_owned()),
        |it| it.start = Some(HOME.to_owned()),
        |it| it.start = Some("/home".to_owned()),
        |it| it.start = Some("/home/u/proj/../..".to_owned()),
        |it| it.moved = true,
        |it| it.folder = "/home/u/other".to_owned(),
    ];
    for (number, spoil) in spoil.into_iter().enumerate() {
        let mut sample = status();
        spoil(&mut sample);
        assert_eq!(sample.under("allow read\nallow command git status").allow, None, "{number}");
    }
    let mut below = status();
    below.folder = "/home/u/proj/src".to_owned();
    assert!(below.under("allow read").allow.is_some());
}

#[test]
fn no_line_allows_what_is_refused_destructive_spend_guard_or_started_from_the_project() {
    let refused = Refused { about: RefusedFor::ClosedPath, words: Shown::line("x") };
    let mut sample = status();
    sample.facts = sample.facts.with_refusal(refused);
    assert_eq!(sample.under(EVERYTHING).allow, None);
    for class in [Class::Destructive, Class::Spend, Class::Guard] {
        let text = "allow command rm a\nallow read\nallow write\nallow external";
        assert_eq!(bare("rm a", class, Reach::Class).under(text).allow, None);
    }
    let mut sample = status();
    sample.facts = sample.facts.with_program(ProgramFact {
        name: "git".to_owned(),
        program: Program::Writable("/home/u/proj/git".to_owned()),
        is_in_project: true,
    });
    assert_eq!(sample.under(EVERYTHING).allow, None);
}

#[test]
fn in_a_session_that_read_outside_content_lines_answer_only_what_stays_at_home() {
    let mut fetch = bare("git fetch origin", Class::ReadExternal, Reach::Class);
    assert!(fetch.under(EVERYTHING).allow.is_some());
    fetch.is_tainted = true;
    assert_eq!(fetch.under(EVERYTHING).allow, None);
    let mut status = status();
    status.is_tainted = true;
    assert!(status.under(EVERYTHING).allow.is_some());
    status.facts = status.facts.with_host("x.example");
    assert_eq!(status.under(EVERYTHING).allow, None);
}

#[test]
fn a_file_tool_is_allowed_for_one_file_in_the_project() {
    assert!(
        file("Write", "/home/u/proj/Makefile", FileHow::Write, Place::Inside)
            .under("allow write")
            .allow
            .is_some()
    );
    assert!(read().under("allow tool Read").allow.is_some());
    assert!(
        file("Read", "/home/u/proj/.git/config", FileHow::Read, Place::Git)
            .under("allow read")
            .allow
            .is_none()
    );
    for place in
        [Place::Git, Place::Temporary, Place::Outside, Place::Env, Place::Guarded, Place::Closed, Place::Own]
    {
        let mut sample = file("Write", "/home/u/proj/x", FileHow::Write, place);
        sample.facts = Facts::for_test(Class::Write, Level::Yellow, Reach::Class)
            .with_path(sample.facts.paths()[0].clone());
        assert_eq!(sample.under("allow write\nallow tool Write").allow, None, "{place:?}");
    }
    let climbs = file("Write", "/home/u/proj/src/../x", FileHow::Write, Place::Inside);
    assert_eq!(climbs.under("allow write").allow, None);
    let mut several = file("MultiEdit", "/home/u/proj/x", FileHow::Write, Place::Inside);
    let Action::Files(files) = &mut several.action else { panic!() };
    files.push(FileUse { path: "/home/u/proj/y".to_owned(), how: FileHow::Write });
    assert_eq!(several.under("allow write").allow, None);
}

#[test]
fn a_policy_of_another_project_or_agent_says_nothing() {
    for text in ["project ~/proj\ndeny read", "project ~/proj/\ndeny read", "agents claude\ndeny read"] {
        assert!(status().under(text).deny.is_some(), "{text}");
    }
    for text in ["project ~/pro\ndeny read", "project ~/proj/src\ndeny read", "agents codex\ndeny read"] {
        assert_eq!(status().under(text), Verdict::default(), "{text}");
    }
    // A deny holds where the agent stands, too; an allow where it started.
    let mut moved = status();
    moved.folder = "/home/u/other".to_owned();
    assert!(moved.under("project ~/other\ndeny read").deny.is_some());
    moved.folder = PROJECT.to_owned();
    moved.start = Some("/home/u/other".to_owned());
    assert_eq!(moved.under("project ~/proj\nallow read").allow, None);
}

#[test]
fn a_deny_or_ask_line_covers_its_program_by_any_path_in_chains_and_wrappers_and_whatever_follows() {
    let parts = [
        ("sudo /usr/bin/curl -s x", Class::External, Reach::Never),
        ("/usr/bin/curl -s x", Class::External, Reach::Never),
    ];
    let sample = chain("cd a && sudo /usr/bin/curl -s x", &parts);
    for text in
        ["deny command curl", "deny command curl -s", "deny command /usr/bin/curl", "deny command curl *"]
    {
        assert!(sample.under(text).deny.is_some(), "{text}");
    }
    assert!(sample.under("ask command curl -s x").ask.is_some());
    for text in ["deny command wget", "deny command curl -x", "deny command ./curl"] {
        assert_eq!(sample.under(text).deny, None, "{text}");
    }
    let script = chain("./bin/dev up", &[("./bin/dev up", Class::Unknown, Reach::Never)]);
    assert!(script.under("deny command bin/dev").deny.is_some());
    assert_eq!(script.under("deny command other/dev").deny, None);
}

#[test]
fn what_holds_the_first_two_words_of_a_deny_or_ask_line_is_never_allowed() {
    let text = "allow read\nallow external\ndeny command git push origin main";
    for (words, is_shadowed) in [
        ("git push", true),
        ("git --no-pager push", true),
        ("git -C sub push origin topic", true),
        ("git log push", true),
        ("git status", false),
    ] {
        let verdict = bare(words, Class::Read, Reach::Class).under(text);
        assert_eq!(
            (verdict.shadow.is_some(), verdict.allow.is_some()),
            (is_shadowed, !is_shadowed),
            "{words}"
        );
        assert_eq!(verdict.deny, None, "{words}");
    }
    let facts = Facts::for_test(Class::Unknown, Level::Yellow, Reach::Never);
    for script in ["eval 'git push'", "x=push; \"git\" $x", "g=git; $g push", "echo `/usr/bin/git push`"] {
        let sample = command(script, facts.clone());
        assert!(sample.under("ask command git push origin").shadow.is_some(), "{script}");
    }
}

#[test]
fn the_program_of_a_line_of_one_word_casts_its_shadow_where_it_might_run() {
    assert!(
        bare("grep curl notes.md", Class::Read, Reach::Class)
            .under("allow read\ndeny command curl")
            .allow
            .is_some()
    );
    let unknown = command("frob curl", Facts::for_test(Class::Unknown, Level::Yellow, Reach::Never));
    assert!(unknown.under("deny command curl").shadow.is_some());
}

#[test]
fn a_line_about_a_shell_is_about_every_agents_shell() {
    let words = Action::Shell(Shell { script: Script::Words(vec!["ls".to_owned()]), folder: None });
    for (agent, tool) in
        [("codex", "shell"), ("qwen", "run_shell_command"), ("opencode", "bash"), ("claude", "Bash")]
    {
        let facts = Facts::for_test(Class::Read, Level::Green, Reach::Class);
        let sample = Sample::of(tool, words.clone(), facts).of_agent(agent);
        assert!(sample.under("deny tool Bash").deny.is_some(), "{agent}");
        assert!(sample.under("ask tool bash").ask.is_some(), "{agent}");
    }
    assert_eq!(read().under("deny tool Bash"), Verdict::default());
    assert!(read().under("deny tool Read").deny.is_some());
}

#[test]
fn a_deny_refuses_even_what_no_line_allows() {
    assert!(bare("rm -rf build", Class::Destructive, Reach::Never).under("deny tool Bash").deny.is_some());
    assert!(status().under("allow command git status\ndeny read").deny.is_some());
}

#[test]
fn a_class_line_covers_a_call_of_which_any_part_has_that_class() {
    let parts = [
        ("git push origin topic", Class::External, Reach::Never),
        ("rm a", Class::Destructive, Reach::Never),
    ];
    assert!(chain("git push origin topic && rm a", &parts).under("deny external").deny.is_some());
}

#[test]
fn tools_of_a_server_are_denied_by_name_by_server_and_by_whom_they_reach() {
    let sample = server("mail", "send", &[("to", "Boss <boss@Example.com>"), ("text", "hello")]);
    for text in
        ["deny tool mcp__mail__send", "deny server mail", "deny external", "deny recipient boss@example.com"]
    {
        assert!(sample.under(text).deny.is_some(), "{text}");
    }
    for text in ["deny server github", "deny tool mcp__mail__read", "deny recipient oss@example.com"] {
        assert_eq!(sample.under(text).deny, None, "{text}");
    }
    let mut raw = sample;
    raw.tool = "mail_send".to_owned();
    assert!(raw.under("deny tool mcp__mail__send").deny.is_some());
}

#[test]
fn a_host_is_denied_with_the_hosts_below_it_and_its_mention_keeps_allows_away() {
    let mut sample = bare("gh pr list", Class::ReadExternal, Reach::Class);
    sample.facts = sample.facts.with_host("API.Example.com:443");
    assert!(sample.under("deny host example.com").deny.is_some());
    assert!(sample.under("deny host api.example.com").deny.is_some());
    assert_eq!(sample.under("deny host ample.com"), Verdict::default());
    let mention = bare("gh repo view git@x.example.com:a/b", Class::ReadExternal, Reach::Class);
    assert!(mention.under("allow read-external\ndeny host example.com").shadow.is_some());
}

#[test]
fn a_path_is_denied_with_all_that_is_in_it_and_a_folder_around_it_is_not_allowed() {
    let secret = file("Read", "/home/u/proj/secret/a", FileHow::Read, Place::Inside);
    assert!(secret.under("deny path ~/proj/secret").deny.is_some());
    assert!(secret.under("deny path ~/proj/secret/a").deny.is_some());
    assert_eq!(secret.under("deny path ~/proj/sec"), Verdict::default());
    let around = file("Grep", "/home/u/proj", FileHow::Search, Place::Inside);
    let verdict = around.under("allow read\ndeny path ~/proj/secret");
    assert!(verdict.shadow.is_some() && verdict.allow.is_none() && verdict.deny.is_none());
    let link = file("Read", "/home/u/proj/link", FileHow::Read, Place::Inside);
    assert!(link.under("deny path ~/proj/link").deny.is_some());
}

#[test]
fn a_managed_line_comes_first_and_a_managed_allow_opens_nothing() {
    let sample = status();
    let verdict = verdict(&sample.asked(), &[person("deny read"), managed("deny command git")]);
    assert_eq!(verdict.deny.map(|line| line.origin), Some(Origin::Managed));
    assert_eq!(super::verdict(&sample.asked(), &[managed("allow read")]), Verdict::default());
}

#[test]
fn a_line_is_named_with_its_text_its_number_and_the_hash_of_the_whole() {
    let text = "# a note\nallow  read\n";
    let line = status().under(text).allow.unwrap();
    assert_eq!((line.number, line.text.as_str(), line.text_hash), (2, "allow read", text_hash(text)));
}

fn samples() -> impl Strategy<Value = Sample> {
    let classes = prop::sample::select(vec![
        Class::Read,
        Class::ReadExternal,
        Class::Write,
        Class::External,
        Class::Spend,
        Class::Destructive,
        Class::Guard,
        Class::Unknown,
    ]);
    let reaches = prop::sample::select(vec![Reach::Never, Reach::File, Reach::Named, Reach::Class]);
    let words = prop::sample::select(vec![
        "git status",
        "git push",
        "ls src",
        "cat /etc/x",
        "curl x.example",
        "gh pr list",
    ]);
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (words, classes, reaches, flags).prop_map(|(words, class, reach, flags)| {
        let mut sample = bare(words, class, reach);
        (sample.is_whole, sample.takes_allow_lines, sample.moved, sample.is_tainted) =
            (flags.0, flags.1, flags.2, flags.3);
        if flags.4 {
            sample.start = None;
        }
        sample
    })
}

fn line() -> impl Strategy<Value = String> {
    let objects = prop::sample::select(vec![
        "read",
        "read-external",
        "write",
        "external",
        "command git",
        "command git push",
        "command git status",
        "command ls *",
        "command gh pr list",
        "command curl",
        "tool Read",
        "tool WebFetch",
    ]);
    (prop::sample::select(vec!["allow", "ask", "deny"]), objects)
        .prop_map(|(verb, object)| format!("{verb} {object}"))
}

fn outcome(verdict: &Verdict) -> (bool, bool, bool, bool) {
    (verdict.deny.is_some(), verdict.ask.is_some(), verdict.shadow.is_some(), verdict.allow.is_some())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_deny_or_an_ask_always_beats_an_allow(sample in samples(), lines in prop::collection::vec(line(), 0..8)) {
        let verdict = sample.under(&lines.join("\n"));
        prop_assert!(verdict.allow.is_none() || outcome(&verdict) == (false, false, false, true));
    }

    #[test]
    fn a_deny_or_ask_line_more_never_allows_anything(sample in samples(), lines in prop::collection::vec(line(), 0..8), more in line()) {
        prop_assume!(!more.starts_with("allow"));
        let before = sample.under(&lines.join("\n"));
        let after = sample.under(&format!("{}\n{more}", lines.join("\n")));
        prop_assert!(after.allow.is_none() || before.allow.is_some());
        prop_assert!(before.deny.is_none() || after.deny.is_some());
    }

    #[test]
    fn the_order_of_lines_means_nothing(sample in samples(), lines in prop::collection::vec(line(), 0..8).prop_shuffle()) {
        let mut sorted = lines.clone();
        sorted.sort();
        prop_assert_eq!(outcome(&sample.under(&lines.join("\n"))), outcome(&sample.under(&sorted.join("\n"))));
    }

    #[test]
    fn one_text_or_two_say_the_same(sample in samples(), lines in prop::collection::vec(line(), 0..8), at in any::<prop::sample::Index>()) {
        let (a, b) = lines.split_at(at.index(lines.len() + 1));
        let two = verdict(&sample.asked(), &[person(&a.join("\n")), person(&b.join("\n"))]);
        prop_assert_eq!(outcome(&two), outcome(&sample.under(&lines.join("\n"))));
    }

    #[test]
    fn an_allow_implies_everything_that_it_needs(sample in samples(), lines in prop::collection::vec(line(), 0..8)) {
        if sample.under(&lines.join("\n")).allow.is_some() {
            prop_assert!(sample.is_whole && sample.takes_allow_lines && !sample.moved && sample.start.is_some());
            prop_assert!(sample.facts.reach() >= Reach::Named);
            prop_assert!(!matches!(sample.facts.class(), Class::Destructive | Class::Spend | Class::Guard));
            prop_assert!(!sample.is_tainted || matches!(sample.facts.class(), Class::Read | Class::Write));
        }
    }
}
