//! What is drawn of a card, and what of it is masked.

use countersign_core::{Card, input::HookId};
use countersign_ipc::control::{Block, DiffLine, Sign};
use countersign_proto::{
    id::{Hash, RequestId},
    reply::Replies,
    request::{
        Agent, Class, Judgement, Kind, Labelled, Level, Place, Question, Request, Session, Subagent, Why,
    },
    text::Foreign,
};

use super::{draw, mask, mask_block};

const TOKEN: &str = "ghp_aB3dE5gH1jK2mN4pQ6rS8tU0vW9xY7zA1b2C";

fn of_change(lines: Vec<DiffLine>) -> Block {
    Block::Diff { path: "/w/a".into(), new_file: false, added: 2, removed: 1, lines }
}

fn line(sign: Sign, text: &str) -> DiffLine {
    DiffLine { sign, text: text.to_owned() }
}

#[test]
fn a_change_keeps_its_lines_and_signs_when_it_is_masked() {
    let block = of_change(vec![
        line(Sign::Same, "@@ -1,1 +1,5 @@"),
        line(Sign::Removed, "-"),
        line(Sign::Added, "-----BEGIN PRIVATE KEY-----"),
        line(Sign::Added, "MIIEvQIBADANBg"),
        line(Sign::Added, "-----END PRIVATE KEY-----"),
        line(Sign::Added, ""),
        line(Sign::Added, ""),
        line(Sign::Added, ""),
        line(Sign::Added, ""),
        line(Sign::Same, &format!("token = \"{TOKEN}\"")),
    ]);
    let Block::Diff { lines, added, removed, .. } = mask_block(block.clone()) else { panic!() };
    let Block::Diff { lines: before, .. } = block else { panic!() };
    assert_eq!((added, removed), (2, 1));
    let signs = |lines: &[DiffLine]| lines.iter().map(|line| line.sign).collect::<Vec<_>>();
    assert_eq!(signs(&lines), signs(&before));
    assert_eq!(lines[3].text, "⟨private key, 14 characters⟩");
    assert_eq!(lines[9].text, "token = \"⟨GitHub token, 40 characters⟩\"");
    assert_eq!(lines[0], before[0]);
}

/// Something that hides, something that imitates, and a secret.
const HOSTILE: &str = "\u{202e}\u{1b}[2J\u{200b}раypal PGPASSWORD=hunter2 x";

/// A request that says it everywhere.
fn hostile() -> Request {
    let text = || Foreign::new(HOSTILE);
    let lines = Foreign::new(format!("+{HOSTILE}\n {HOSTILE}"));
    Request {
        v: Request::VERSION,
        id: RequestId::new([1; 16]),
        kind: Kind::Tool,
        agent: Agent { id: text(), version: text(), adapter: 1 },
        session: Session { id: text(), title: text() },
        folder: HOSTILE.as_bytes().to_vec(),
        tool: text(),
        raw: Hash::new([1; 32]),
        view_version: 1,
        view: vec![
            countersign_proto::request::Block::Command(text()),
            countersign_proto::request::Block::Diff(countersign_proto::request::Diff {
                path: text(),
                is_new: false,
                added: 77,
                removed: 77,
                lines,
            }),
            countersign_proto::request::Block::File(text()),
            countersign_proto::request::Block::Url(text()),
            countersign_proto::request::Block::Text(Labelled { label: text(), text: text() }),
            countersign_proto::request::Block::Question(Question {
                tag: text(),
                text: text(),
                options: vec![text()],
                many: false,
            }),
        ],
        judgement: Judgement {
            class: Class::Unknown,
            level: Level::Yellow,
            reasons: vec![text()],
            headline: text(),
        },
        why: Why { step: 9, text: text(), line: Some(text()) },
        taint: false,
        place: Place { host: text(), user: text() },
        wall_ms: 0,
        ttl_ms: 0,
        always: Vec::new(),
        replies: Replies::of(&[]),
        subagent: Some(Subagent { id: text(), kind: text(), parent: text() }),
        mode: text(),
        start_folder: Some(format!("/{HOSTILE}").into_bytes()),
        words: text(),
        whole: true,
        depends: Vec::new(),
    }
}

#[test]
fn no_field_of_a_request_is_drawn_with_anything_hidden_and_none_masked_keeps_its_secret() {
    let request = hostile();
    let card = Card {
        request: &request,
        binding: Hash::new([2; 32]),
        deadline_boot_ms: 1,
        hook: HookId(1),
        position: 1,
        of: 1,
    };
    let drawn = draw(&card, 0);
    let said = serde_json::to_string(&drawn).unwrap();
    // As JSON an escape character would be six characters.
    for hidden in ["\u{202e}", "\\u001b", "\u{1b}", "\u{200b}", "\u{440}"] {
        assert!(!said.contains(hidden), "{hidden:?} in {said}");
    }
    assert_eq!(said.matches("PGPASSWORD=hunter2").count(), 28, "a surface that folds them gets them whole");
    assert!(
        drawn.warnings.iter().any(|warning| warning.contains("shown as escapes")),
        "{:?}",
        drawn.warnings
    );
    let Some(Block::Diff { added, removed, .. }) = drawn.blocks.get(1) else { panic!() };
    assert_eq!((*added, *removed), (1, 0), "what is counted is what is drawn");
    let masked = serde_json::to_string(&mask(drawn)).unwrap();
    assert!(!masked.contains("hunter2"), "{masked}");
    assert_eq!(masked.matches("⟨password, 7 characters⟩").count(), 28);
}
