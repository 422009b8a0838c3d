//! What a card shows, what it folds, and what may be answered on it.

use countersign_proto::request::{Always, Labelled, Subagent};
use proptest::prelude::*;

use super::*;
use crate::fake_desktop::{Finger, pair, request};

fn card(request: &Request) -> Card {
    let (mut desktop, paired, _) = pair(&Finger::new());
    let (_, message) = desktop.make_offer(request, 0);
    Card::new(&message.signed.open(&paired.desktop, &paired.desktop_id, &paired.device_id).unwrap())
}

#[test]
fn a_card_shows_who_asks_for_what_and_where_whole() {
    let card = card(&Request {
        subagent: Some(Subagent {
            id: Foreign::new("a1"),
            kind: Foreign::new("explorer"),
            parent: Foreign::new("s"),
        }),
        start_folder: Some(b"/home/ada".to_vec()),
        ..request("cargo test\n--release")
    });
    assert_eq!(card.blocks, [Shape::Command(Shown::lines("cargo test\n--release"))]);
    assert_eq!(card.agent.as_str(), "claude 2.1.332");
    assert_eq!(card.host.as_str(), "ada@desk");
    assert_eq!(card.subagent.unwrap().as_str(), "explorer · a1 · s");
    assert_eq!(card.start_folder.unwrap().as_str(), "/home/ada");
    assert_eq!(card.warnings, []);
}

#[test]
fn what_hides_is_shown_as_an_escape_with_a_warning_even_if_the_desktop_did_not() {
    for request in [
        request("rm \u{202e}x"),
        Request { folder: b"/tmp/\xff".to_vec(), ..request("ls") },
        Request { words: Foreign::new("\u{1b}[2J"), ..request("ls") },
    ] {
        assert_eq!(card(&request).warnings, [Warning::Hidden]);
    }
}

#[test]
fn a_diffs_lines_are_counted_here_whatever_the_desktop_says() {
    let diff = Diff {
        path: Foreign::new("a.rs"),
        is_new: false,
        added: 0,
        removed: 0,
        lines: Foreign::new("@@\n-old\n+new\n+more\n same"),
    };
    let card = card(&Request { view: vec![Block::Diff(diff)], ..request("") });
    let Some(Shape::Diff { added, removed, .. }) = card.blocks.first() else { panic!("no diff") };
    assert_eq!((*added, *removed), (2, 1));
}

#[test]
fn no_yes_of_another_kind_is_offered_and_red_is_never_remembered() {
    let always = vec![Always { scope: Foreign::new("session"), text: Foreign::new("ls") }];
    let tool = Request { always: always.clone(), ..request("ls") };
    assert!(card(&tool).allows(Decision::ApproveAlways));
    let mut red = tool.clone();
    red.judgement.level = Level::Red;
    assert!(!card(&red).allows(Decision::ApproveAlways));
    let text = Labelled { label: Foreign::new("policy"), text: Foreign::new("+deny tool X") };
    let action = Request { kind: Kind::ServiceAction, view: vec![Block::Text(text)], ..tool };
    let allowed = card(&action).allowed;
    let expected = [
        Decision::Deny,
        Decision::Dismiss,
        Decision::DenyWithNote,
        Decision::HandOff,
        Decision::ServiceAction,
    ];
    assert_eq!(allowed, Replies::of(&expected));
}

proptest! {
    #[test]
    fn nothing_an_agent_writes_reaches_a_surface_unescaped(text in any::<String>()) {
        let foreign = Foreign::new(text.as_str());
        let card = card(&Request {
            words: foreign.clone(),
            tool: foreign.clone(),
            view: vec![Block::Command(foreign.clone()), Block::Url(foreign)],
            ..request("")
        });
        let hidden = |shown: &Shown, lines: bool| {
            let is_kept = |c| lines && matches!(c, '\n' | '\t');
            let is_shaping = |c| matches!(c, '\u{fe0f}' | '\u{200c}' | '\u{200d}');
            let hides = |c| countersign_proto::text::is_hidden(c) && !is_shaping(c);
            shown.as_str().chars().any(|c| hides(c) && !is_kept(c))
        };
        prop_assert!(!hidden(&card.words, true) && !hidden(&card.tool, false));
        for block in &card.blocks {
            match block {
                Shape::Command(shown) => prop_assert!(!hidden(shown, true)),
                Shape::Url(shown) => prop_assert!(!hidden(shown, false)),
                _ => {}
            }
        }
    }
}

/// Something that hides, something that imitates, and a secret.
const HOSTILE: &str = "\u{202e}\u{1b}[2J\u{200b}раypal PGPASSWORD=hunter2 x";
const HIDING: [char; 5] = ['\u{202e}', '\u{1b}', '\u{200b}', '\u{440}', '\u{430}'];

/// A request that says it everywhere.
fn hostile() -> Request {
    let text = || Foreign::new(HOSTILE);
    let diff = Diff {
        path: text(),
        is_new: false,
        added: 0,
        removed: 0,
        lines: Foreign::new(format!("+{HOSTILE}")),
    };
    let question = Question { tag: text(), text: text(), options: vec![text()], many: false };
    let mut hostile = Request {
        view: vec![
            Block::Command(text()),
            Block::Diff(diff),
            Block::File(text()),
            Block::Url(text()),
            Block::Text(Labelled { label: text(), text: text() }),
            Block::Question(question),
        ],
        tool: text(),
        mode: text(),
        words: text(),
        folder: HOSTILE.as_bytes().to_vec(),
        start_folder: Some(format!("/{HOSTILE}").into_bytes()),
        always: vec![Always { scope: text(), text: text() }],
        subagent: Some(Subagent { id: text(), kind: text(), parent: text() }),
        depends: vec![countersign_proto::request::Dependency { path: text(), hash: None }],
        ..request("")
    };
    (hostile.agent.id, hostile.agent.version) = (text(), text());
    (hostile.session.id, hostile.session.title) = (text(), text());
    (hostile.judgement.headline, hostile.judgement.reasons) = (text(), vec![text()]);
    (hostile.why.text, hostile.why.line) = (text(), Some(text()));
    (hostile.place.host, hostile.place.user) = (text(), text());
    hostile
}

#[test]
fn no_field_of_a_request_reaches_a_card_with_anything_hidden_or_prints_its_secret() {
    let request = hostile();
    // The session's id is on no card; everything else is.
    assert_eq!(request.secrets(), request.texts().len());
    let card = card(&request);
    assert!(card.secrets >= card.texts().len(), "every text of it has one");
    for shown in card.texts() {
        assert!(!shown.as_str().contains(HIDING) && shown.has_escapes(), "{}", shown.as_str());
        assert!(shown.as_str().contains("hunter2"), "a request keeps its secrets, for a person to unfold");
        for printed in [shown.to_string(), format!("{shown:?}")] {
            assert!(
                !printed.contains("hunter2") && printed.contains("⟨password, 7 characters⟩"),
                "{printed}"
            );
        }
    }
    for printed in [format!("{card:?}"), format!("{request:?}")] {
        assert!(!printed.contains("hunter2") && !printed.contains(HIDING), "{printed}");
    }
    assert!(card.warnings.contains(&Warning::Hidden) && card.warnings.contains(&Warning::Secrets));
}

#[test]
fn letters_that_turn_the_order_of_a_line_are_warned_of_and_stay_readable() {
    let card = card(&request("cp שלום /tmp/1"));
    assert_eq!(card.warnings, [Warning::Reordered]);
    assert_eq!(card.blocks, [Shape::Command(Shown::lines("cp שלום /tmp/1"))]);
}
