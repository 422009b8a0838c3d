//! What is promised of judgement: whatever a call holds it has facts, these agree with each other, and telling them
//! takes no more looks at the world than a call of that length may cost.

use core::cell::Cell;

use countersign_agents::{measure::may_be_allowed, tools};
use countersign_core::classify::{
    self as judgement, Action, Call, Facts, Program, Push, Reach, Real, Resolver, Script, Shell, facts::Place,
};
use countersign_proto::request::{Class, Level};
use serde_json::Value;

use super::fixed::assert_line;

/// Steps that any call may cost, and steps for each of its bytes. A step is a question to the world or a thing found:
/// what is counted and never timed, so that a busy machine finds no more and no less.
const STEPS_ANYWAY: usize = 2_000;
const STEPS_A_BYTE: usize = 64;
/// The most bytes of a command that are read as such, as the classifier has it.
const MOST_BYTES: usize = 64 * 1024;

const HOME: &str = "/home/ada";
const PROJECT: &str = "/home/ada/site";

/// A world that counts what it is asked.
#[derive(Default)]
struct Counted(Cell<usize>);

impl Counted {
    fn note(&self) {
        self.0.set(self.0.get() + 1);
    }
}

impl Resolver for Counted {
    fn real(&self, path: &str) -> Real {
        self.note();
        if path.contains("nowhere") { Real::Unknown } else { Real::At(path.to_owned()) }
    }
    fn program(&self, name: &str, _: &str) -> Program {
        self.note();
        if name.contains('/') { Program::Unknown } else { Program::Trusted(format!("/usr/bin/{name}")) }
    }
    fn push(&self, _: &str) -> Push {
        self.note();
        Push::To(vec!["topic".to_owned()])
    }
    fn git_starts_programs(&self, _: &str) -> bool {
        self.note();
        false
    }
    fn holds_private(&self, _: &str) -> bool {
        self.note();
        false
    }
}

/// A byte for the kind, then the call: text for bash, for `PowerShell`, or typed into a program; words with NULs between
/// them; or a tool's name, a line break and its input as JSON.
pub fn classify(bytes: &[u8]) -> bool {
    let Some((kind, rest)) = bytes.split_first() else { return false };
    let Ok(text) = core::str::from_utf8(rest) else { return false };
    let shell = |script| Action::Shell(Shell { script, folder: None });
    let action = match kind % 6 {
        0 => shell(Script::Bash(text.to_owned())),
        1 => shell(Script::PowerShell(text.to_owned())),
        2 => shell(Script::Typed(text.to_owned())),
        3 => shell(Script::Words(text.split('\0').map(str::to_owned).collect())),
        of => {
            let agent = if of == 4 { "claude" } else { "codex" };
            let Some((tool, input)) = text.split_once('\n') else { return false };
            let Ok(input) = serde_json::from_str::<Value>(input) else { return false };
            tools::action(agent, tool, &input)
        }
    };
    let facts = judged(&action, rest.len());
    assert_agree(&facts, &action);
    if let Action::Shell(Shell { script: Script::Bash(text), folder: None }) = &action {
        assert_removal_is_seen(text);
    }
    facts.level() != Level::Red
}

fn judged(action: &Action, bytes: usize) -> Facts {
    let call = Call {
        agent: "claude",
        tool: "Bash",
        action,
        folder: PROJECT,
        worktree: PROJECT,
        home: HOME,
        takes_allow_lines: true,
        protected: &[],
        env_is_lifted: false,
    };
    let world = Counted::default();
    let facts = judgement::classify(&call, &world);
    assert_eq!(judgement::classify(&call, &world), facts, "not a function of the call and the world");
    let found = facts.shell().map_or(0, |shell| shell.ran.iter().map(|ran| ran.words.len() + 1).sum())
        + facts.paths().len()
        + facts.programs().len()
        + facts.hosts().len()
        + facts.reasons().len();
    let steps = world.0.get() / 2 + found;
    assert!(steps <= STEPS_ANYWAY + STEPS_A_BYTE * bytes, "{steps} steps for {bytes} bytes");
    facts
}

/// Facts that allow more than others of the same call forbid would be a hole, whichever of the two is right.
fn assert_agree(facts: &Facts, action: &Action) {
    let is_closed = matches!(facts.class(), Class::Destructive | Class::Spend | Class::Guard);
    if facts.refused().is_some() {
        assert!(facts.level() == Level::Red && facts.reach() == Reach::Never, "{facts:?}");
    }
    if is_closed {
        assert!(facts.level() != Level::Green && facts.reach() == Reach::Never, "{facts:?}");
    }
    if facts.may_remember() {
        assert!(!is_closed && facts.level() != Level::Red && facts.refused().is_none(), "{facts:?}");
    }
    if may_be_allowed(facts) {
        assert!(!is_closed && facts.refused().is_none(), "{facts:?}");
    }
    if facts.level() == Level::Green {
        assert!(matches!(facts.class(), Class::Read | Class::Write), "{facts:?}");
        assert!(facts.hosts().is_empty(), "green and out on the network: {facts:?}");
        assert!(
            facts.paths().iter().all(|path| path.place <= Place::Inside || !path.is_changed),
            "{facts:?}"
        );
    }
    if let Some(place) = facts.paths().iter().map(|path| path.place).max() {
        assert!(place < Place::Closed || facts.level() == Level::Red, "{facts:?}");
    }
    if let Some(shell) = facts.shell() {
        let is_typed = matches!(action, Action::Shell(Shell { script: Script::Typed(_), .. }));
        if facts.level() == Level::Green {
            assert!(shell.is_simple && !is_typed, "only the restricted grammar leads to green: {facts:?}");
            assert!(shell.ran.iter().all(|ran| ran.is_plain && ran.level == Level::Green), "{facts:?}");
        }
        if let Some(bare) = &shell.bare {
            let [ran] = &shell.ran[..] else { panic!("bare words are one command: {facts:?}") };
            assert!(shell.is_simple && ran.is_plain && &ran.words == bare, "{facts:?}");
        }
        if facts.reach() > Reach::Never {
            assert!(shell.ran.iter().all(|ran| ran.reach > Reach::Never), "{facts:?}");
        }
        assert!(shell.ran.iter().all(|ran| ran.level <= facts.level()), "{facts:?}");
    }
    for (one, next) in facts.drivers().iter().zip(facts.drivers().iter().skip(1)) {
        assert!(one < next, "drivers are in no order: {facts:?}");
    }
    assert!(facts.drivers().iter().all(|driver| driver.starts_with('/')), "{facts:?}");
    facts.reasons().iter().chain([facts.headline()]).for_each(assert_line);
}

/// A removal on the first line is seen, whatever any text puts behind it.
fn assert_removal_is_seen(text: &str) {
    if text.len() + 16 > MOST_BYTES {
        return;
    }
    let behind = Action::Shell(Shell { script: Script::Bash(format!("rm -rf x\n{text}")), folder: None });
    let facts = judged(&behind, text.len() + 9);
    assert!(facts.level() != Level::Green, "a removal is not seen: {facts:?}");
    assert!(facts.reach() == Reach::Never && !facts.may_remember(), "a removal is not seen: {facts:?}");
}
