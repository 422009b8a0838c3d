//! What the person set, and how this daemon was started. Security settings live in the audited store.

use countersign_proto::{limits, request::Place};

/// Settings that the core decides by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Whether this daemon was started in demo mode: only then do software keys count (PH-8).
    pub demo: bool,
    /// How long a request waits at most, in ms; never more than [`limits::SERVER_DECISION_TIMEOUT`].
    pub decision_timeout_ms: u64,
    /// Host and user, for the card.
    pub place: Place,
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
