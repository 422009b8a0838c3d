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
            shown.as_str().chars().any(|c| countersign_proto::text::is_hidden(c) && !is_kept(c))
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
