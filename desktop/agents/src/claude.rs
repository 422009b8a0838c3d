//! Claude Code: `PermissionRequest` is answered, `PreToolUse` is told to deny or to ask at once, the events after a call
//! are observed. Questions and plans stay in its terminal; `updatedInput` is never written, so what runs is what was
//! asked.

mod event;
mod mode;
mod process;
mod project;
#[cfg(test)]
pub(crate) mod sample;
mod sessions;
mod tool;

pub use self::{
    mode::{PRINT_MODE, mode_advice},
    process::{is_agent_executable, version_of},
};

use countersign_core::answer::{Answer, Told};
use countersign_proto::text::{Foreign, Shown};

use crate::{
    Adapter,
    event::Event,
    json,
    setup::{Change, Entry, Report, SetupError, hooks::HookFile},
};

/// The adapter.
pub static ADAPTER: Adapter = Adapter {
    id: "claude",
    name: "Claude Code",
    version: 1,
    verified: &["2.1.332"],
    oldest: ("2.1.186", "below it, subagents in the background are denied without a word"),
    read,
    render,
    render_before,
    silence_runs: mode::silence_runs,
    is_executable: is_agent_executable,
    version_of,
    session_note: Some(sessions::NOTE),
    project_files: Some(project::FILES),
    settings_file: ".claude/settings.json",
    install,
    remove,
    inspect,
};

/// Reads what Claude Code wrote to its hook. Total: an unknown shape is [`Event::Ignored`] (AG-4).
#[must_use]
pub fn read(event: &[u8]) -> Event {
    event::read(event).unwrap_or_else(Event::Ignored)
}

/// What says yes: nothing but that, so that the call runs as it was asked.
const ALLOW: &str =
    r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#;

/// The exact bytes for the standard output of the hook that waits for a person.
#[must_use]
pub fn render(answer: &Answer) -> Vec<u8> {
    match answer.told() {
        Told::Allow(_) => ALLOW.as_bytes().to_vec(),
        Told::Deny(denial) => deny(&denial.words()).into_bytes(),
        // It was about to ask anyway.
        Told::Ask(_) | Told::Abstain => Vec::new(),
    }
}

fn deny(words: &str) -> String {
    let message = json::quoted(words);
    format!(
        r#"{{"hookSpecificOutput":{{"hookEventName":"PermissionRequest","decision":{{"behavior":"deny","message":{message}}}}}}}"#
    )
}

/// The exact bytes for the standard output of the hook before every call: *deny*, *ask* or nothing. A yes there would
/// skip the question that Claude Code itself still has, so there is none.
#[must_use]
pub fn render_before(answer: &Answer) -> Vec<u8> {
    match answer.told() {
        Told::Deny(denial) => decided_before("deny", &denial.words()).into_bytes(),
        Told::Ask(why) => decided_before("ask", &format!("Countersign asks first: {why}")).into_bytes(),
        Told::Allow(_) | Told::Abstain => Vec::new(),
    }
}

fn decided_before(decision: &str, words: &str) -> String {
    let reason = json::quoted(words);
    format!(
        r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"{decision}","permissionDecisionReason":{reason}}}}}"#
    )
}

/// Where Claude Code keeps a person's hooks.
const SETTINGS: HookFile = HookFile {
    agent: "claude",
    name: "~/.claude/settings.json",
    waits: "PermissionRequest",
    before: "PreToolUse",
    status: "Waiting for your answer in Countersign",
    events: &[
        "SessionStart",
        "PreToolUse",
        "PermissionRequest",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "Stop",
        "UserPromptSubmit",
        "SessionEnd",
    ],
    earlier: &[&[
        "SessionStart",
        "PermissionRequest",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "Stop",
        "UserPromptSubmit",
        "SessionEnd",
    ]],
};

/// Adds our hooks to the text of `~/.claude/settings.json`, or brings them up to date.
///
/// # Errors
/// [`SetupError`]; then nothing should be written.
pub fn install(settings: Option<&str>, entry: &Entry) -> Result<Change, SetupError> {
    SETTINGS.install(settings, entry)
}

/// Takes our hooks out; byte for byte what was before, if nothing else changed since.
///
/// # Errors
/// [`SetupError`]; then nothing should be written.
pub fn remove(settings: Option<&str>) -> Result<Change, SetupError> {
    SETTINGS.remove(settings)
}

/// Says how our hooks stand, and in which mode sessions start.
///
/// # Errors
/// [`SetupError`] where the file can't be read as settings.
pub fn inspect(settings: Option<&str>, entry: &Entry) -> Result<Report, SetupError> {
    let mut report = SETTINGS.inspect(settings, entry)?;
    let mode = report.default_mode.as_ref().map(Foreign::raw);
    report.advice.extend(mode_advice(mode).map(Shown::line));
    Ok(report)
}

#[cfg(test)]
mod tests {
    use countersign_core::{
        Core, Start,
        audit::Head,
        clock::Now,
        command::Command,
        draft::Draft,
        input::{Ask, Choice, Click, HookId, Input, SurfaceId},
        settings::Settings,
    };
    use countersign_proto::{
        id::{LogId, RequestId, RunId},
        key::SigningKey,
        request::Place,
    };

    use super::*;
    use crate::{call::Seen, setup::State};

    const GOLDEN: [&str; 3] = [
        include_str!("../fixtures/claude/answers/allow.json"),
        include_str!("../fixtures/claude/answers/deny.json"),
        include_str!("../fixtures/claude/answers/deny-with-note.json"),
    ];

    /// What the hook before every call may say.
    const BEFORE: [&str; 2] = [
        include_str!("../fixtures/claude/answers/before-deny.json"),
        include_str!("../fixtures/claude/answers/before-ask.json"),
    ];

    #[test]
    fn answers_before_a_call_are_exactly_what_the_agent_reads() {
        let [deny, ask] = BEFORE;
        let why = Shown::line("a push to main is never an agent's, \"force\" or \u{202e}not");
        assert_eq!(render_before(&Answer::refuse(why.clone())), deny.as_bytes());
        let why = Shown::line("Destructive: no policy ever allows it");
        assert_eq!(render_before(&Answer::ask(why.clone())), ask.as_bytes());
        assert_eq!(render_before(&Answer::abstain()), b"");
        assert_eq!(render(&Answer::ask(why)), b"", "the hook that waits is about to ask anyway");
    }

    #[test]
    fn a_yes_is_never_said_before_a_call() {
        assert_eq!(render_before(&allowed()), b"");
        for answer in BEFORE {
            let answer: serde_json::Value = serde_json::from_str(answer).unwrap();
            let said = answer["hookSpecificOutput"].as_object().unwrap();
            let known = ["hookEventName", "permissionDecision", "permissionDecisionReason"];
            assert!(said.keys().all(|key| known.contains(&key.as_str())), "{said:?}");
            assert!(said["permissionDecision"] == "deny" || said["permissionDecision"] == "ask", "{said:?}");
        }
    }

    #[test]
    fn answers_are_exactly_what_the_agent_reads() {
        let [allow, deny, with_note] = GOLDEN;
        assert_eq!(ALLOW, allow);
        assert_eq!(render(&Answer::deny(None)), deny.as_bytes());
        let note = "use \"staging\", not \u{202e}prod\n";
        assert_eq!(render(&Answer::deny(Some(note))), with_note.as_bytes());
        assert_eq!(render(&Answer::abstain()), b"");
    }

    /// The yes of a person who clicks on the card of a call that Claude Code asked about.
    fn allowed() -> Answer {
        let draft = sample::call("Bash", &serde_json::json!({"command": "ls"}))
            .draft(&Seen::new(), &crate::claude::sample::given());
        let settings =
            Settings { demo: true, decision_timeout_ms: 115_000, place: place(), home: String::new() };
        let start = Start {
            run_id: RunId::new([1; 16]),
            desktop: SigningKey::from_seed(&[2; 32]),
            settings,
            head: Head::empty(LogId::new([3; 16])),
            checkpoint: None,
            approvers: Vec::new(),
            locked: false,
            unfinished: Vec::new(),
            before: countersign_core::DecidedBefore::default(),
        };
        let (mut core, mut now) = (Core::start(start, Now::new(1_000, 1_000)), Now::new(1_000, 1_000));
        let request = RequestId::new([4; 16]);
        let ask = Ask {
            hook: HookId(1),
            draft: draft.clone(),
            arrived_boot_ms: 1_000,
            limit_ms: 125_000,
            request_id: request,
            seed: [5; 32],
        };
        assert!(carried_out(&mut core, Input::Ask(Box::new(ask)), &draft, now).is_none());
        let (surface, binding) = (SurfaceId(1), core.card(request).unwrap().binding);
        let fronted = Input::Fronted { surface, request, binding, seen_to_end: true };
        assert!(carried_out(&mut core, fronted, &draft, now).is_none());
        now = Now::new(2_000, 2_000);
        let click = Click { surface, request, binding, choice: Choice::AllowOnce };
        carried_out(&mut core, Input::Click(click), &draft, now).unwrap()
    }

    /// Hands in an input and does what follows; the answer, if one is given.
    fn carried_out(core: &mut Core, input: Input, draft: &Draft, now: Now) -> Option<Answer> {
        let mut given = None;
        core.handle(input, now);
        while let Some(command) = core.poll_command() {
            match command {
                Command::Commit(tx) => core.handle(Input::Committed(tx.id), now),
                Command::Rederive(request) => {
                    let draft = Some(Box::new(draft.clone()));
                    let (request_id, seed) = (RequestId::new([6; 16]), [7; 32]);
                    core.handle(Input::Rederived { request, draft, request_id, seed }, now);
                }
                Command::Answer { answer, .. } => given = Some(answer),
                _ => {}
            }
        }
        given
    }

    fn place() -> Place {
        Place { host: Foreign::new("desk"), user: Foreign::new("ada") }
    }

    #[test]
    fn a_persons_yes_is_rendered_as_a_plain_yes() {
        assert_eq!(render(&allowed()), GOLDEN[0].as_bytes());
    }

    #[test]
    fn no_answer_can_be_taken_for_another_and_none_rewrites_a_call() {
        let [allow, deny, with_note] = GOLDEN;
        assert!(allow != deny && deny != with_note && !allow.is_empty() && !deny.is_empty());
        for answer in GOLDEN {
            let answer: serde_json::Value = serde_json::from_str(answer).unwrap();
            let decision = answer["hookSpecificOutput"]["decision"].as_object().unwrap();
            assert!(decision.keys().all(|key| key == "behavior" || key == "message"), "{decision:?}");
        }
    }

    #[test]
    fn a_report_names_what_keeps_cards_away() {
        let entry = Entry::new("/usr/bin/countersign-hook", None, 125).unwrap();
        let settings = r#"{"disableAllHooks": true, "allowManagedHooksOnly": true, "permissions": {"defaultMode": "auto"}, "hooks": {"PermissionRequest": [
            {"hooks": [{"type": "command", "command": "~/bin/yes"}, {"type": "http", "url": "http://x/\u202e"}]}]}}"#;
        let report = inspect(Some(settings), &entry).unwrap();
        assert_eq!(report.state, State::Missing);
        assert_eq!(report.foreign, [Foreign::new("~/bin/yes"), Foreign::new("http://x/\u{202e}")]);
        assert!(report.all_disabled && report.managed_only);
        assert_eq!(report.default_mode, Some(Foreign::new("auto")));
        let advice: Vec<&str> = report.advice.iter().map(Shown::as_str).collect();
        assert_eq!(advice.len(), 4, "{advice:?}");
        assert!(advice[1].contains("`~/bin/yes`") && advice[2].contains("\\u{202e}"), "{advice:?}");
        assert!(advice[3].starts_with("In automatic mode"));
        let none = inspect(None, &entry).unwrap();
        assert!(!none.all_disabled && !none.managed_only);
        assert_eq!((none.state, none.advice.len()), (State::Missing, 1));
    }
}
