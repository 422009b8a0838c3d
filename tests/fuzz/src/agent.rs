//! What an agent writes: its hook's JSON, and the settings file in which our hooks stand.

use countersign_agents::{
    Call, Driver, Event, FileSeen, Given, Seen, claude, measure,
    setup::{Entry, LIMIT_SECS, State},
};
use countersign_core::draft::{Draft, Observed};
use countersign_proto::{
    limits,
    request::Block,
    text::{Foreign, Shown},
};
use serde_json::Value;

use super::fixed::{assert_line, assert_lines, assert_told};

/// A hook's input, and after a NUL what stands in the file that the call would change. Whatever is asked is a slice of
/// that input, shown whole with nothing hidden, and as another JSON parser reads it.
pub fn claude_event(bytes: &[u8]) -> bool {
    let (event, file) = match bytes.iter().position(|byte| *byte == 0) {
        Some(at) => (&bytes[..at], FileSeen::Content(bytes[at + 1..].to_vec())),
        None => (bytes, FileSeen::Absent),
    };
    match claude::read(event) {
        Event::Ask(call) | Event::Before(call) => asked(&call, event, file),
        Event::Observed { session, what } => {
            assert!(!session.session.raw().is_empty());
            if let Observed::Ended { calls, .. } = what {
                calls.iter().for_each(|call| assert_within(&call.raw, event));
            }
        }
        Event::Ignored(reason) => {
            assert!(!reason.to_string().is_empty());
            return false;
        }
    }
    true
}

fn asked(call: &Call, event: &[u8], file: FileSeen) {
    assert_within(call.raw(), event);
    let needs = call.needs();
    assert!(needs.iter().all(|path| path.is_absolute() && !path.ends_with("..")), "{needs:?}");
    let seen: Seen = needs.into_iter().map(|path| (path, file.clone())).collect();
    let unseen = measure::Given::default();
    let given = Given {
        start_folder: Some(b"/home/ada/site"),
        project: None,
        home: "/home/ada",
        resolver: &unseen,
        driver: &|_| Driver::Absent,
        risky: &[],
        protected: &[],
        env_is_lifted: false,
    };
    let draft = call.draft(&seen, &given);
    assert_eq!(call.draft(&seen, &given), draft, "not a function of what was seen");
    assert_eq!(draft.raw, call.raw());
    assert!((1..=limits::VIEW_BLOCKS).contains(&draft.view.len()));
    draft.view.iter().for_each(assert_block);
    [&draft.headline, &draft.title].into_iter().chain(&draft.reasons).for_each(assert_line);
    assert!(!draft.whole || draft.folder.starts_with(b"/"));
    assert_reads_alike(&draft);
}

/// Asserts that an agent's own bytes are what is kept and hashed: a slice of what it wrote.
fn assert_within(raw: &[u8], event: &[u8]) {
    let is_within = raw.is_empty() || event.windows(raw.len()).any(|window| window == raw);
    assert!(is_within, "{:?} is not in the input", String::from_utf8_lossy(raw));
}

/// Asserts that another parser finds in the same bytes what the card shows, where both know the tool.
fn assert_reads_alike(draft: &Draft) {
    // That parser knows no half characters, no numbers beyond its own and no deep nesting.
    let Ok(input) = serde_json::from_slice::<Value>(&draft.raw) else { return };
    let (name, shown) = match (draft.tool.raw(), draft.view.first()) {
        ("Bash", Some(Block::Command(shown))) => ("command", shown),
        ("Read", Some(Block::File(shown))) => ("file_path", shown),
        ("WebFetch", Some(Block::Url(shown))) => ("url", shown),
        _ => return,
    };
    if draft.whole {
        let text = input[name].as_str().expect("a text");
        let expected = if name == "command" { Shown::lines(text) } else { Shown::line(text) };
        assert_eq!(shown.raw(), expected.as_str());
    }
}

fn assert_block(block: &Block) {
    let line = |text: &Foreign| assert_eq!(text.shown().as_str(), text.raw());
    let lines = |text: &Foreign| assert_eq!(text.shown_lines().as_str(), text.raw());
    match block {
        Block::Command(text) => lines(text),
        Block::Diff(diff) => {
            line(&diff.path);
            lines(&diff.lines);
        }
        Block::File(text) | Block::Url(text) => line(text),
        Block::Text(labelled) => {
            line(&labelled.label);
            lines(&labelled.text);
        }
        Block::Question(question) => panic!("a question is answered in the terminal: {question:?}"),
    }
}

/// A settings file: left alone with a reason, or changed so that taking our hooks out gives back what was there.
pub fn settings(bytes: &[u8]) -> bool {
    let Ok(text) = core::str::from_utf8(bytes) else { return false };
    let entry = Entry::new("/usr/lib/countersign/countersign-hook", None, LIMIT_SECS).expect("an entry");
    let inspected = claude::inspect(Some(text), &entry);
    let installed = match claude::install(Some(text), &entry) {
        Ok(installed) => installed,
        Err(error) => {
            assert_told(&error);
            return false;
        }
    };
    let without = claude::remove(Some(text)).expect("what takes our hooks can lose them");
    assert_eq!((installed.before.as_deref(), without.before.as_deref()), (Some(text), Some(text)));
    assert_lines(&installed.diff);
    let report = inspected.expect("what can be changed can be inspected");
    report.advice.iter().for_each(assert_line);
    if report.state == State::Missing {
        assert_eq!(without.after.as_deref(), Some(text), "nothing of ours was there");
    }
    if let Some(without) = &without.after {
        let report = claude::inspect(Some(without), &entry).expect("still settings");
        assert_eq!(report.state, State::Missing, "{without}");
        assert_same_but_hooks(text, without);
    }
    let with = installed.after.expect("a file with our hooks");
    assert_eq!(
        claude::inspect(Some(&with), &entry).map(|report| report.state),
        Ok(State::Installed),
        "{with}"
    );
    assert!(claude::install(Some(&with), &entry).expect("still settings").is_none(), "{with}");
    assert_eq!(claude::remove(Some(&with)).expect("still settings").after, without.after, "{with}");
    assert_same_but_hooks(text, &with);
    true
}

fn assert_same_but_hooks(before: &str, after: &str) {
    let read = |text: &str| -> Value {
        let mut value: Value = serde_json::from_str(text).expect("still JSON");
        value.as_object_mut().expect("an object").remove("hooks");
        value
    };
    assert_eq!(read(before), read(after));
}
