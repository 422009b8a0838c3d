//! `policy list`: what was accepted, and what root wrote down for this machine.

use countersign_daemon::managed;
use countersign_ipc::{
    Instance,
    control::{PolicyInfo, PolicyKind},
};
use countersign_proto::text::Shown;
use serde_json::json;

use super::{IN_FORCE, all};
use crate::{arguments::policy::PolicyList, moment, output, pick::short, trouble::Trouble};

pub(super) async fn run(instance: &Instance, which: &PolicyList) -> Result<(), Trouble> {
    let mut policies = all(instance).await?;
    policies.retain(|policy| which.all || matches!(policy.state.as_str(), IN_FORCE | "suspended"));
    let managed = managed::now().await.words();
    if which.format.json {
        return output::print_json(&json!({ "policies": policies, "managed": managed.as_str() }));
    }
    output::print(&format!("{}{managed}\n", table(&policies, which.text)))
}

fn table(policies: &[PolicyInfo], with_text: bool) -> String {
    if policies.is_empty() {
        return "Nothing is accepted: every request asks.\n".to_owned();
    }
    policies.iter().map(|policy| entry(policy, with_text)).collect()
}

fn entry(policy: &PolicyInfo, with_text: bool) -> String {
    let suspended = if policy.state == "suspended" {
        "  SUSPENDED: its phone was revoked; look at it, then accept it again or revoke it\n"
    } else {
        ""
    };
    let head = format!(
        "{}  {}\n  by {}, since {}\n  hash {}\n{suspended}",
        short(&policy.consent_id),
        title(policy),
        policy.word,
        moment::local(&policy.since),
        policy.text_hash
    );
    if !with_text {
        return head;
    }
    let text = Shown::lines(&policy.text);
    let lines: String = text.as_str().lines().map(|line| format!("    {line}\n")).collect();
    head + &lines
}

/// What it is, in a few words.
pub(super) fn title(policy: &PolicyInfo) -> String {
    let (kind, has_place) = match policy.kind {
        PolicyKind::Policy => ("policy", true),
        PolicyKind::PermissionFile => ("permission file", true),
        PolicyKind::GreenReads => ("green reads", false),
        PolicyKind::GreenWrites => ("green writes", false),
    };
    let place = match &policy.project {
        Some(project) => format!(" for {}", Shown::line(project)),
        None if has_place => " for everywhere".to_owned(),
        None => String::new(),
    };
    format!("{kind}{place}, {}", policy.state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn a_text_is_listed_with_its_place_its_state_and_on_request_whole() {
        let policy = samples::policy("ab", "allow read\n# \u{202e}note\n");
        let text = table(std::slice::from_ref(&policy), false);
        assert!(text.contains("abababab  policy for /home/ann/site, accepted"), "{text}");
        assert!(!text.contains("allow read"));
        let text = table(&[policy], true);
        assert!(text.contains("    allow read\n    # \\u{202e}note\n"), "{text}");
    }

    #[test]
    fn an_empty_list_says_what_follows() {
        assert_eq!(table(&[], false), "Nothing is accepted: every request asks.\n");
    }

    #[test]
    fn what_is_suspended_says_so() {
        let policy = PolicyInfo { state: "suspended".into(), ..samples::policy("ab", "") };
        assert!(entry(&policy, false).contains("SUSPENDED"));
    }
}
