//! Who may do what (REF-3, REF-4): a person everything, an agent and whatever it started only what looks.

use countersign_ipc::control::{ControlRequest, ErrorCode, Failure};

use crate::peer::Caller;

/// Lets a request in, or says why not.
///
/// # Errors
/// [`ErrorCode::CalledByAgent`].
pub(super) fn pass(request: &ControlRequest, caller: &Caller) -> Result<(), Failure> {
    let agent = match caller {
        Caller::Person => return Ok(()),
        Caller::Agent(agent) => agent,
    };
    if is_looking(request) {
        return Ok(());
    }
    tracing::warn!(%agent, request = name(request), "refused: an agent called, or something it started");
    Err(Failure {
        code: ErrorCode::CalledByAgent,
        text: format!("this was called by {agent} or something it started, which may only look"),
        hint:
            "run it from a terminal of your own, outside the agent; status, doctor, pending and log work here"
                .to_owned(),
    })
}

/// What an agent may do. An export holds the calls of every session, so it is not among it.
const fn is_looking(request: &ControlRequest) -> bool {
    match request {
        ControlRequest::Status {}
        | ControlRequest::Pending {}
        | ControlRequest::Card { .. }
        // What it is answered by is told with every answer; `policy explain` needs the texts (REF-3).
        | ControlRequest::PoliciesList {}
        | ControlRequest::LogList { .. }
        | ControlRequest::LogVerify {}
        | ControlRequest::Doctor {} => true,
        ControlRequest::Watch {}
        | ControlRequest::Fronted { .. }
        | ControlRequest::Click { .. }
        | ControlRequest::Deny { .. }
        | ControlRequest::Release { .. }
        | ControlRequest::Lock {}
        | ControlRequest::Unlock {}
        | ControlRequest::PhonesList {}
        | ControlRequest::PhonesRevoke { .. }
        | ControlRequest::PhonesUnsuspend { .. }
        | ControlRequest::RulesList {}
        | ControlRequest::RulesRemove { .. }
        | ControlRequest::RulesResume { .. }
        | ControlRequest::PolicyReview { .. }
        | ControlRequest::PolicyAccept { .. }
        | ControlRequest::PolicyRevoke { .. }
        | ControlRequest::Strict { .. }
        | ControlRequest::Pause { .. }
        | ControlRequest::Protect { .. }
        | ControlRequest::LiftEnv { .. }
        | ControlRequest::AcceptRisk { .. }
        | ControlRequest::PairStart { .. }
        | ControlRequest::PairCode { .. }
        | ControlRequest::PairCancel {}
        | ControlRequest::LogExport { .. }
        | ControlRequest::Stop {} => false,
    }
}

const fn name(request: &ControlRequest) -> &'static str {
    match request {
        ControlRequest::Status {} => "status",
        ControlRequest::Pending {} => "pending",
        ControlRequest::Card { .. } => "card",
        ControlRequest::Watch {} => "watch",
        ControlRequest::Fronted { .. } => "fronted",
        ControlRequest::Click { .. } => "click",
        ControlRequest::Deny { .. } => "deny",
        ControlRequest::Release { .. } => "release",
        ControlRequest::Lock {} => "lock",
        ControlRequest::Unlock {} => "unlock",
        ControlRequest::PhonesList {} => "phones list",
        ControlRequest::PhonesRevoke { .. } => "phones revoke",
        ControlRequest::PhonesUnsuspend { .. } => "phones unsuspend",
        ControlRequest::RulesList {} => "rules list",
        ControlRequest::RulesRemove { .. } => "rules remove",
        ControlRequest::RulesResume { .. } => "rules resume",
        ControlRequest::PoliciesList {} => "policy list",
        ControlRequest::PolicyReview { .. } => "policy diff",
        ControlRequest::PolicyAccept { .. } => "policy accept",
        ControlRequest::PolicyRevoke { .. } => "policy revoke",
        ControlRequest::Strict { .. } => "strict",
        ControlRequest::Pause { .. } => "pause",
        ControlRequest::Protect { .. } => "protect",
        ControlRequest::LiftEnv { .. } => "env",
        ControlRequest::AcceptRisk { .. } => "accept-risk",
        ControlRequest::PairStart { .. } => "pair",
        ControlRequest::PairCode { .. } => "pair code",
        ControlRequest::PairCancel {} => "pair cancel",
        ControlRequest::LogList { .. } => "log",
        ControlRequest::LogVerify {} => "log verify",
        ControlRequest::LogExport { .. } => "log export",
        ControlRequest::Doctor {} => "doctor",
        ControlRequest::Stop {} => "stop",
    }
}

#[cfg(test)]
mod tests {
    use countersign_ipc::control::{Decision, DenyWhich, LogFilter, PhoneWhich, PolicyKind, PolicyText};

    use super::*;

    fn all() -> Vec<ControlRequest> {
        let id = String::new;
        let text = || PolicyText { kind: PolicyKind::Policy, text: id(), folder: None, instead_of: None };
        vec![
            ControlRequest::Status {},
            ControlRequest::Pending {},
            ControlRequest::Card { request_id: id() },
            ControlRequest::Watch {},
            ControlRequest::Fronted { request_id: id(), binding: id(), seen_to_end: true },
            ControlRequest::Click {
                request_id: id(),
                binding: id(),
                decision: Decision::AllowOnce,
                note: None,
            },
            ControlRequest::Deny { which: DenyWhich::All },
            ControlRequest::Release { request_id: None },
            ControlRequest::Lock {},
            ControlRequest::Unlock {},
            ControlRequest::PhonesList {},
            ControlRequest::PhonesRevoke { which: PhoneWhich::All },
            ControlRequest::PhonesUnsuspend { device_id: id() },
            ControlRequest::RulesList {},
            ControlRequest::RulesRemove { rule_id: id() },
            ControlRequest::RulesResume { rule_id: id() },
            ControlRequest::PoliciesList {},
            ControlRequest::PolicyReview { text: text() },
            ControlRequest::PolicyAccept { text: text() },
            ControlRequest::PolicyRevoke { consent_id: id() },
            ControlRequest::Strict { what: id(), strict: false },
            ControlRequest::Pause { paused: false },
            ControlRequest::Protect { branch: id(), protected: false },
            ControlRequest::LiftEnv { project: id(), lifted: true },
            ControlRequest::AcceptRisk { risk: id() },
            ControlRequest::PairStart { relay: None, invite: None },
            ControlRequest::PairCode { code: id() },
            ControlRequest::PairCancel {},
            ControlRequest::LogList { filter: LogFilter::default() },
            ControlRequest::LogVerify {},
            ControlRequest::LogExport { redact: true },
            ControlRequest::Doctor {},
            ControlRequest::Stop {},
        ]
    }

    #[test]
    fn an_agent_may_look_and_do_nothing_else() {
        let agent = Caller::Agent("claude".to_owned());
        let let_in: Vec<&str> =
            all().iter().filter(|request| pass(request, &agent).is_ok()).map(name).collect();
        assert_eq!(let_in, ["status", "pending", "card", "policy list", "log", "log verify", "doctor"]);
        assert!(all().iter().all(|request| pass(request, &Caller::Person).is_ok()));
    }

    #[test]
    fn a_refusal_says_who_called_and_what_to_do() {
        let refused = pass(&ControlRequest::Unlock {}, &Caller::Agent("claude".to_owned())).unwrap_err();
        assert_eq!(refused.code, ErrorCode::CalledByAgent);
        assert!(refused.text.contains("claude") && refused.hint.contains("terminal of your own"));
    }
}
