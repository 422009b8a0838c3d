//! Cards, endings and the like for tests.

use countersign_ipc::control::{
    Agent, Block, Card, DecidedCounts, Decision, Ending, Level, Outcome, PolicyInfo, PolicyKind, Position,
    RelayState, Session, Status,
};

/// A request's id.
pub fn id(pair: &str) -> String {
    pair.repeat(16)
}

/// A waiting card that wants to run a command.
pub fn card(pair: &str, command: &str) -> Card {
    Card {
        request_id: id(pair),
        binding: format!("{pair}b0").repeat(16),
        headline: "Wants to run a command".into(),
        agent: Agent { id: "claude".into(), version: "2.1.332".into() },
        session: Session { id: "5e551045e551".into(), title: String::new() },
        subagent: None,
        tool: "Bash".into(),
        folder: "/home/ann/project".into(),
        start_folder: None,
        host: "ann@desk".into(),
        permission_mode: "default".into(),
        blocks: vec![Block::Command { text: command.into() }],
        class: "unknown".into(),
        level: Level::Yellow,
        reasons: vec!["nothing is known about it".into()],
        why: "Nothing allows it yet".into(),
        words: Some("Cleans up".into()),
        warnings: vec![],
        whole: true,
        deadline_in_ms: 110_000,
        position: Position { index: 1, of: 1 },
        replies: vec![Decision::AllowOnce, Decision::Deny, Decision::DenyWithNote, Decision::HandOff],
        always: None,
        taint: false,
    }
}

/// How a request ended.
pub fn ending(pair: &str, outcome: Outcome, text: &str) -> Ending {
    Ending { request_id: id(pair), outcome, by: "this desktop".into(), text: text.into(), delivered: true }
}

/// An everyday daemon without a phone.
pub fn status() -> Status {
    Status {
        version: "0.1.0".into(),
        instance: None,
        demo: false,
        pid: 42,
        run_id: id("0a"),
        started: "2026-12-01T12:00:00Z".into(),
        locked: false,
        pending: 0,
        relay: RelayState::Off {},
        phones: 0,
        phones_connected: 0,
        sessions: 0,
        last_hook_call: None,
        sockets: "/run/user/1000/countersign".into(),
        state: "/home/ann/.local/state/countersign".into(),
        paused: false,
        strict: vec![],
        decided: DecidedCounts::default(),
    }
}

/// A policy that was accepted.
pub fn policy(pair: &str, text: &str) -> PolicyInfo {
    PolicyInfo {
        consent_id: id(pair),
        kind: PolicyKind::Policy,
        project: Some("/home/ann/site".into()),
        state: "accepted".into(),
        text_hash: "cd".repeat(32),
        text: text.into(),
        word: "this desktop".into(),
        since: "2026-12-01T12:00:00Z".into(),
    }
}
