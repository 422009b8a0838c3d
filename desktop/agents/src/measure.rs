//! The machine interface by which anyone can measure judgement: a request as JSON in, what Countersign makes of it as JSON
//! out, over a world that the request itself describes. Touches nothing.

mod given;
pub mod policies;

use countersign_core::classify::{Call, Facts, Reach, classify};
use countersign_proto::text::Shown;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::given::Given;
use crate::tools;

/// A request to judge. Members that are not named here are of no account.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Line {
    /// Whatever the asker calls it; comes back as it is.
    #[serde(default)]
    pub id: Value,
    /// The adapter's id of the agent.
    pub agent: String,
    /// The tool's name.
    pub tool: String,
    /// Its input.
    pub input: Value,
    /// The current folder.
    pub cwd: String,
    /// The project; the current folder where it is not given.
    #[serde(default)]
    pub worktree: Option<String>,
    /// The user's home folder; unknown where it is not given.
    #[serde(default)]
    pub home: String,
    /// What there is in the world.
    #[serde(default)]
    pub facts: Option<Given>,
}

/// What Countersign makes of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Judged {
    /// The request's id.
    pub id: Value,
    /// How loud it is.
    pub level: &'static str,
    /// What it does.
    pub class: &'static str,
    /// Whether nobody may allow it.
    pub refused: bool,
    /// Whether a card would offer *Always*; of a green request, whether it could.
    pub always_offered: bool,
    /// Whether any allow line could ever answer it.
    pub policy_allow_possible: bool,
    /// Why, the most important first.
    pub reasons: Vec<String>,
}

/// A line that is no request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Malformed {
    /// Its id, where it has one.
    pub id: Value,
    /// What is wrong with it.
    pub error: String,
}

impl Line {
    /// Reads a request from a line of JSON.
    ///
    /// # Errors
    /// [`Malformed`], with what is wrong.
    pub fn parse(line: &[u8]) -> Result<Self, Malformed> {
        serde_json::from_slice(line).map_err(|error| Malformed {
            id: serde_json::from_slice(line)
                .ok()
                .and_then(|mut value: Value| Some(value.get_mut("id")?.take()))
                .unwrap_or_default(),
            error: format!("this line is no request: {}", Shown::line(&error.to_string())),
        })
    }

    /// What Countersign makes of it. Without `facts` there are no links, and the branch is not known.
    #[must_use]
    pub fn judge(&self) -> Judged {
        let action = tools::action(&self.agent, &self.tool, &self.input);
        let worktree = self.worktree.as_deref().unwrap_or(&self.cwd);
        let takes_allow_lines = tools::takes_allow_lines(&self.agent);
        let call = Call {
            agent: &self.agent,
            tool: &self.tool,
            action: &action,
            folder: &self.cwd,
            worktree,
            home: &self.home,
            takes_allow_lines,
            protected: &[],
            env_is_lifted: false,
        };
        let world = self.facts.clone().unwrap_or_default().around(worktree);
        let facts = classify(&call, &world);
        Judged {
            id: self.id.clone(),
            level: facts.level().name(),
            class: facts.class().name(),
            refused: facts.refused().is_some(),
            always_offered: facts.may_remember(),
            policy_allow_possible: takes_allow_lines && may_be_allowed(&facts),
            reasons: facts.reasons().iter().map(|reason| reason.as_str().to_owned()).collect(),
        }
    }
}

/// Whether an allow line of a policy may ever reach it: a known action, and of a command the bare words (POL-5).
#[must_use]
pub fn may_be_allowed(facts: &Facts) -> bool {
    let is_bare = facts.shell().is_none_or(|shell| shell.bare.is_some());
    let is_reached = match facts.reach() {
        Reach::Class | Reach::Named => true,
        Reach::File | Reach::Never => false,
    };
    is_bare && is_reached && facts.refused().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_no_request_says_what_is_wrong_and_keeps_its_id() {
        let malformed = |line: &str| Line::parse(line.as_bytes()).unwrap_err();
        let lacking = malformed(r#"{"id": 7, "agent": "claude"}"#);
        assert!(lacking.id == 7 && lacking.error.contains("missing field"), "{lacking:?}");
        for line in ["", "rm -rf /", "[]", r#"{"id": "a""#] {
            assert_eq!(malformed(line).id, Value::Null, "{line}");
        }
        assert!(Line::parse(b"\xff{}").is_err());
        let hostile = malformed("{\"agent\": \"\u{202e}\", \"tool\": 5}");
        assert!(!hostile.error.contains('\u{202e}'), "{hostile:?}");
    }

    #[test]
    fn a_request_needs_no_more_than_its_call() {
        let line =
            br#"{"agent": "claude", "tool": "Bash", "input": {"command": "ls"}, "cwd": "/p", "family": "x"}"#;
        let line = Line::parse(line).unwrap();
        assert_eq!((line.worktree, line.home.as_str(), line.facts), (None, "", None));
    }
}
