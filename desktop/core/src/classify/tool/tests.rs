//! What users rely on for tools other than a shell.

use countersign_proto::request::{Class, Level};
use proptest::prelude::*;

use super::judge;
use crate::classify::{
    action::{Action, FileHow, FileUse},
    facts::{Place, Reach, RefusedFor},
    finding::Finding,
    path::testing::{World, scene},
};

fn uses(uses: &[(&str, FileHow)]) -> Action {
    Action::Files(uses.iter().map(|(path, how)| FileUse { path: (*path).into(), how: how.clone() }).collect())
}

fn file(path: &str, how: FileHow) -> Finding {
    judge(&uses(&[(path, how)]), &scene(&World::default())).0
}

fn server(tool: &str, arguments: &[(&str, &str)]) -> Finding {
    let arguments = arguments.iter().map(|(name, text)| ((*name).into(), (*text).into())).collect();
    judge(&Action::Server { server: "s".into(), tool: tool.into(), arguments }, &scene(&World::default())).0
}

fn told(finding: &Finding) -> (Class, Level, Reach, bool) {
    (finding.class, finding.level, finding.reach, finding.may_remember)
}

#[test]
fn reads_and_writes_in_the_project_are_green() {
    for how in [FileHow::Read, FileHow::List, FileHow::Search, FileHow::Match] {
        assert_eq!(told(&file("src/a.rs", how)), (Class::Read, Level::Green, Reach::Class, true));
    }
    assert_eq!(told(&file("", FileHow::Search)), (Class::Read, Level::Green, Reach::Class, true));
    assert_eq!(told(&file("**/*.ts", FileHow::Match)), (Class::Read, Level::Green, Reach::Class, true));
    assert_eq!(told(&file("src/a.rs", FileHow::Write)), (Class::Write, Level::Green, Reach::Class, true));
    assert_eq!(told(&file("src/../a.rs", FileHow::Write)), (Class::Write, Level::Green, Reach::File, true));
    assert_eq!(told(&file("CLAUDE.md", FileHow::Write)), (Class::Write, Level::Green, Reach::Class, true));
}

#[test]
fn several_files_take_the_worst_of_all_and_no_line_answers_them() {
    let world = World::default();
    let scene = scene(&world);
    let two = uses(&[("a.rs", FileHow::Write), ("b.rs", FileHow::Write)]);
    assert_eq!(told(&judge(&two, &scene).0), (Class::Write, Level::Green, Reach::File, true));
    let one_out = uses(&[("a.rs", FileHow::Write), ("../evil.rs", FileHow::Write)]);
    let (finding, facts) = judge(&one_out, &scene);
    assert_eq!(told(&finding), (Class::Write, Level::Red, Reach::File, false));
    assert_eq!(facts.iter().map(|fact| fact.place).collect::<Vec<_>>(), [Place::Inside, Place::Outside]);
    let deletes = uses(&[("a.rs", FileHow::Write), ("b.rs", FileHow::Delete)]);
    assert_eq!(told(&judge(&deletes, &scene).0), (Class::Destructive, Level::Yellow, Reach::Never, false));
    assert_eq!(
        told(&file("a.rs", FileHow::Move("../a.rs".into()))),
        (Class::Write, Level::Red, Reach::File, false)
    );
    assert_eq!(
        told(&file("a.rs", FileHow::Move("b.rs".into()))),
        (Class::Write, Level::Green, Reach::File, true)
    );
}

#[test]
fn a_change_nobody_can_read_is_yellow() {
    assert_eq!(told(&file("", FileHow::Unclear)), (Class::Write, Level::Yellow, Reach::Never, true));
    assert_eq!(told(&file("/etc/x", FileHow::Unclear)).1, Level::Red);
    assert_eq!(told(&judge(&Action::Files(Vec::new()), &scene(&World::default())).0).1, Level::Yellow);
    assert_eq!(
        told(&file("src/\u{202e}sr.niam", FileHow::Write)),
        (Class::Write, Level::Yellow, Reach::Never, false)
    );
    assert_eq!(told(&file("docs/étude.md", FileHow::Write)).1, Level::Green);
}

#[test]
fn file_tools_are_refused_what_is_closed() {
    let about = |path, how| file(path, how).refused.map(|refused| refused.about);
    for how in
        [FileHow::Read, FileHow::Search, FileHow::List, FileHow::Match, FileHow::Write, FileHow::Delete]
    {
        assert_eq!(about("/home/u/.ssh/id_rsa", how.clone()), Some(RefusedFor::ClosedPath));
        assert_eq!(about("/home/u/proj/.env", how.clone()), Some(RefusedFor::EnvFile));
        assert_eq!(about("/home/u/.config/countersign/x", how), Some(RefusedFor::Countersign));
    }
    assert_eq!(about("api/.env.production", FileHow::Read), Some(RefusedFor::EnvFile));
    assert_eq!(about("config/.env.example", FileHow::Read), None);
    assert_eq!(about("a.rs", FileHow::Move("/home/u/.ssh/config".into())), Some(RefusedFor::ClosedPath));
    let world = World::default();
    let mut lifted = scene(&world);
    lifted.call.env_is_lifted = true;
    let (finding, _) = judge(&uses(&[(".env", FileHow::Read)]), &lifted);
    assert_eq!((finding.level, finding.refused), (Level::Green, None));
}

#[test]
fn writes_beyond_the_project_s_own_files_ask() {
    assert_eq!(
        told(&file(".git/hooks/pre-commit", FileHow::Write)),
        (Class::Write, Level::Yellow, Reach::Never, true)
    );
    assert_eq!(
        told(&file(".claude/settings.json", FileHow::Write)),
        (Class::Guard, Level::Red, Reach::Never, false)
    );
    assert_eq!(
        told(&file("/home/u/.bashrc", FileHow::Write)),
        (Class::Guard, Level::Red, Reach::Never, false)
    );
    assert_eq!(told(&file(".claude/settings.json", FileHow::Read)).1, Level::Green);
    assert_eq!(
        told(&file("/home/u/proj-old/a", FileHow::Write)),
        (Class::Write, Level::Red, Reach::File, false)
    );
    assert_eq!(told(&file("/tmp/a", FileHow::Read)), (Class::Read, Level::Yellow, Reach::File, true));
}

#[test]
fn a_search_through_private_files_is_not_green() {
    let world = World::default().private("/home/u/proj");
    let search = |path: &str, how| judge(&uses(&[(path, how)]), &scene(&world)).0.level;
    assert_eq!(search("", FileHow::Search), Level::Yellow);
    assert_eq!(search("src", FileHow::Search), Level::Green);
    assert_eq!(search("", FileHow::Match), Level::Green);
}

#[test]
fn every_fetch_asks_and_says_whose_page_it_is() {
    let fetch = |url: &str| judge(&Action::Fetch { url: url.into() }, &scene(&World::default())).0;
    for (url, host) in [
        ("https://docs.test/page", "docs.test"),
        ("http://localhost:3000", "localhost"),
        ("https://docs.test.evil.test/", "docs.test.evil.test"),
        ("https://docs.test@evil.test/", "evil.test"),
        ("https://docs.test\\@evil.test/", "docs.test"),
        ("HTTPS://DOCS.test./", "docs.test"),
        ("docs.test/page", "docs.test"),
        ("https://xn--e1afmkfd.test", "xn--e1afmkfd.test"),
        ("http://0x7f.1/", "127.0.0.1"),
    ] {
        let finding = fetch(url);
        assert_eq!(told(&finding), (Class::ReadExternal, Level::Red, Reach::Never, false), "{url}");
        assert!(finding.brings_in);
        assert_eq!(finding.hosts, [host], "{url}");
    }
    assert_eq!(told(&fetch("file:///etc/passwd")).1, Level::Red);
    for closed in [
        "file:///home/u/.ssh/id_rsa",
        "FILE:///home/u/%2Essh/id_rsa",
        "file:/home/u/proj/.env",
        " file:///home/u/.aws",
    ] {
        assert!(fetch(closed).refused.is_some(), "{closed}");
    }
    let hides = fetch("https://x.test/?d=c2VjcmV0LXZhbHVlLWluLWJhc2U2NA");
    assert!(hides.reasons.iter().any(|reason| reason.as_str().contains("encoded")));
    assert!(fetch("").hosts.is_empty());
}

#[test]
fn a_web_search_may_be_allowed_unless_an_address_rides_along() {
    let search =
        |query: &str| told(&judge(&Action::WebSearch { query: query.into() }, &scene(&World::default())).0);
    assert_eq!(search("rust axum"), (Class::ReadExternal, Level::Red, Reach::Class, false));
    assert_eq!(search("https://x.test/?q=secret"), (Class::ReadExternal, Level::Red, Reach::Never, false));
}

#[test]
fn a_server_s_tool_is_external_and_yellow() {
    for (tool, arguments) in [
        (
            "create_issue",
            &[("owner", "me"), ("repo", "app"), ("title", "x"), ("body", "see /etc/hosts and ~/.ssh")][..],
        ),
        ("get_file_contents", &[("path", "a")]),
        ("read_file", &[("path", "/home/u/proj/a.txt")]),
        ("post_message", &[("channel", "#general"), ("text", "keys are in ~/.ssh")]),
        ("query", &[("sql", "select 1/2")]),
        ("list_orders", &[("amount", "5")]),
        ("browser_click", &[("element", "Bookmarks"), ("ref", "e1")]),
        ("browser_click", &[("element", "Next page")]),
        ("browser_navigate", &[("url", "https://x.test/a/b")]),
        ("run", &[("command", "/deploy")]),
    ] {
        let finding = server(tool, arguments);
        assert_eq!(
            told(&finding),
            (Class::External, Level::Yellow, Reach::Never, true),
            "{tool} {arguments:?}"
        );
        assert!(finding.brings_in);
    }
    assert_eq!(server("browser_navigate", &[("url", "https://x.test/a")]).hosts, ["x.test"]);
}

#[test]
fn a_server_s_tool_that_leaves_the_project_is_red() {
    for (tool, arguments) in [
        ("write_file", &[("path", "/home/u/x")][..]),
        ("read_file", &[("path", "../x")]),
        ("read_file", &[("paths.0", "a"), ("paths.1", "/foo")]),
        ("read", &[("uri", "file:///etc/passwd")]),
        ("x", &[("anything", "/etc/passwd")]),
        ("x", &[("anything", "/data9/x")]),
        ("x", &[("anything", "~/x")]),
        ("x", &[("anything", "C:\\x")]),
        ("x", &[("path", "/tmp/x")]),
        ("run", &[("command", "cat /etc/passwd")]),
        ("browser_navigate", &[("url", "file:///etc/passwd")]),
    ] {
        let finding = server(tool, arguments);
        assert_eq!((finding.level, finding.may_remember), (Level::Red, false), "{tool} {arguments:?}");
    }
    assert_eq!(server("write_file", &[("path", "/home/u/.bashrc")]).class, Class::Guard);
    assert_eq!(server("read_file", &[("path", ".mcp.json")]).class, Class::External);
    for (tool, arguments) in [
        ("read_file", &[("path", "/home/u/.ssh/id_rsa")][..]),
        ("read_file", &[("path", ".env")]),
        ("x", &[("anything", "~/.aws/credentials")]),
        ("run", &[("command", "cat ~/.ssh/id_rsa")]),
        ("run", &[("code", "open(h + '/.ssh/id_rsa')")]),
        ("write_file", &[("path", "~/.local/state/countersign/x")]),
    ] {
        assert!(server(tool, arguments).refused.is_some(), "{tool} {arguments:?}");
    }
}

#[test]
fn what_pays_is_spend() {
    for (tool, arguments) in [
        ("browser_click", &[("element", "Buy now")][..]),
        ("browser_click", &[("element", "PAY $10.00")]),
        ("browserClick", &[("element", "Place order")]),
        ("click", &[("selector", "#subscribe-button")]),
        ("browser_click", &[("element", "Check out")]),
        ("browser_click", &[("element", "Jetzt kaufen")]),
        ("browser_click", &[("element", "Booking: book room")]),
        ("create_payment_link", &[("price", "p_1")]),
        ("create_order", &[]),
        ("transfer", &[("amount", "100")]),
        ("checkout", &[]),
    ] {
        assert_eq!(
            told(&server(tool, arguments)),
            (Class::Spend, Level::Red, Reach::Never, false),
            "{tool} {arguments:?}"
        );
    }
}

#[test]
fn a_click_that_sends_or_deletes_is_red() {
    for label in [
        "Delete account",
        "Send",
        "Post",
        "Publish release",
        "Remove member",
        "DELETE",
        "Deleting…",
        "Löschen",
    ] {
        let finding = server("browser_click", &[("element", label), ("ref", "e1")]);
        assert_eq!(told(&finding), (Class::External, Level::Red, Reach::Never, false), "{label}");
    }
}

#[test]
fn an_unknown_tool_is_yellow_and_red_where_it_names_more() {
    let unknown = |arguments: &[(&str, &str)]| {
        let arguments = arguments.iter().map(|(name, text)| ((*name).into(), (*text).into())).collect();
        judge(&Action::Unknown(arguments), &scene(&World::default())).0
    };
    assert_eq!(told(&unknown(&[("prompt", "y")])), (Class::Unknown, Level::Yellow, Reach::Never, true));
    assert_eq!(
        told(&unknown(&[("command", "/deploy")])),
        (Class::Unknown, Level::Yellow, Reach::Never, true)
    );
    assert_eq!(
        told(&unknown(&[("path", "/home/u/proj/a")])),
        (Class::Unknown, Level::Yellow, Reach::Never, true)
    );
    assert_eq!(told(&unknown(&[("path", "/etc/hosts")])), (Class::Unknown, Level::Red, Reach::Never, false));
    assert!(unknown(&[("file", "~/.ssh/id_rsa")]).refused.is_some());
}

proptest! {
    #[test]
    fn no_arguments_make_tools_panic(tool in "\\PC{0,20}", name in "[a-zA-Z_.0-9]{0,12}", text in "\\PC{0,60}") {
        let world = World::default();
    let scene = scene(&world);
        let arguments = vec![(name, text.clone()), ("path".to_owned(), text.clone()), ("command".to_owned(), text.clone())];
        let (finding, _) = judge(&Action::Server { server: "s".into(), tool, arguments: arguments.clone() }, &scene);
        prop_assert!(finding.level >= Level::Yellow && finding.reach == Reach::Never);
        let (finding, _) = judge(&Action::Unknown(arguments), &scene);
        prop_assert!(finding.level >= Level::Yellow && finding.reach == Reach::Never);
        let (finding, _) = judge(&Action::Fetch { url: text.clone() }, &scene);
        prop_assert!(finding.level == Level::Red && finding.reach == Reach::Never);
        judge(&uses(&[(&text, FileHow::Write), (&text, FileHow::Unclear)]), &scene);
    }
}
