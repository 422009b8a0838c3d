//! What the person set, and how this daemon was started. Security settings live in the audited store.

use countersign_proto::{limits, request::Place};

/// Names of settings in the store.
pub mod setting {
    /// What is strict.
    pub const STRICT: &str = "strict";
    /// Whether Countersign is paused.
    pub const PAUSED: &str = "paused";
    /// Branches that no agent pushes to, besides the built-in ones (REF-1).
    pub const PROTECTED: &str = "protected";
    /// Projects whose `.env` files may be read (REF-2).
    pub const ENV: &str = "env";
    /// Risks of project settings that the person accepted (REQ-5).
    pub const RISKS: &str = "risks";
}

/// What can be strict (ORD-1): no green writes, no allow lines of class write, no *Always* for the project.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strict {
    /// An agent, by its adapter's id.
    Agent(String),
    /// A project, by the folder its sessions start in.
    Project(String),
}

impl Strict {
    /// `agent codex` or `project /home/ada/site`: in the store, the log and lists.
    #[must_use]
    pub fn spelled(&self) -> String {
        match self {
            Self::Agent(agent) => format!("agent {agent}"),
            Self::Project(project) => format!("project {project}"),
        }
    }

    /// Reads what [`Self::spelled`] wrote.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        match text.split_once(' ')? {
            ("agent", agent) => Some(Self::Agent(agent.to_owned())),
            ("project", project) => Some(Self::Project(project.to_owned())),
            _ => None,
        }
    }
}

/// Settings that the core decides by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Whether this daemon was started in demo mode: only then do software keys count (PH-8).
    pub demo: bool,
    /// How long a request waits at most, in ms; never more than [`limits::SERVER_DECISION_TIMEOUT`].
    pub decision_timeout_ms: u64,
    /// Host and user, for the card.
    pub place: Place,
    /// The user's home folder, for `~` in policies; empty where it is unknown.
    pub home: String,
}

impl Settings {
    /// When a request is over: min(120 s, `SERVER_DECISION_TIMEOUT`, the agent's limit for our hook − 5 s) after its
    /// arrival (WAIT-2).
    #[must_use]
    pub fn ttl_ms(&self, agent_limit_ms: u64) -> u64 {
        let margin = limits::AGENT_MARGIN.as_millis() as u64;
        let hard = limits::REPLY_TTL.min(limits::SERVER_DECISION_TIMEOUT).as_millis() as u64;
        hard.min(self.decision_timeout_ms).min(agent_limit_ms.saturating_sub(margin))
    }
}

#[cfg(test)]
mod tests {
    use countersign_proto::text::Foreign;

    use super::*;

    fn with(decision_timeout_ms: u64) -> Settings {
        let place = Place { host: Foreign::new("desk"), user: Foreign::new("ada") };
        Settings { demo: false, decision_timeout_ms, place, home: String::new() }
    }

    #[test]
    fn a_request_waits_for_the_shortest_of_the_three_limits() {
        assert_eq!(with(115_000).ttl_ms(125_000), 115_000);
        assert_eq!(with(60_000).ttl_ms(125_000), 60_000);
        assert_eq!(with(115_000).ttl_ms(30_000), 25_000);
        assert_eq!(with(86_400_000).ttl_ms(86_400_000), 115_000, "no setting makes it longer");
        assert_eq!(with(115_000).ttl_ms(4_000), 0, "an agent that gives no time is not kept waiting");
    }
}
