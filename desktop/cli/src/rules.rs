//! Rules: what is always allowed, and the end of it.

use countersign_ipc::{
    Instance,
    control::{ControlReply, ControlRequest, RuleInfo},
};
use serde_json::json;

use crate::{
    arguments::{Format, OneRule, Rules, RulesCommand},
    connection, output,
    pick::{pick, short},
    trouble::Trouble,
};

/// `rules`
pub async fn run(instance: &Instance, rules: Rules) -> Result<(), Trouble> {
    match rules.command {
        None => list(instance, rules.format).await,
        Some(RulesCommand::List(format)) => list(instance, format).await,
        Some(RulesCommand::Remove(one)) => {
            let rule = find(instance, &one).await?;
            let rule_id = rule.rule_id.clone();
            connection::ask(instance, &ControlRequest::RulesRemove { rule_id }).await?;
            said(&one, &rule, "is no longer always allowed")
        }
        Some(RulesCommand::Resume(one)) => {
            let rule = find(instance, &one).await?;
            let rule_id = rule.rule_id.clone();
            connection::ask(instance, &ControlRequest::RulesResume { rule_id }).await?;
            said(&one, &rule, "is always allowed again")
        }
    }
}

async fn list(instance: &Instance, format: Format) -> Result<(), Trouble> {
    let rules = all(instance).await?;
    if format.json {
        return output::print_json(&json!({ "rules": rules }));
    }
    output::print(&table(&rules))
}

async fn all(instance: &Instance) -> Result<Vec<RuleInfo>, Trouble> {
    match connection::ask(instance, &ControlRequest::RulesList {}).await? {
        ControlReply::Rules { rules } => Ok(rules),
        _ => Err(Trouble::Unexpected),
    }
}

async fn find(instance: &Instance, one: &OneRule) -> Result<RuleInfo, Trouble> {
    let rules = all(instance).await?;
    let id = pick(&one.id, "rule", rules.iter().map(|rule| rule.rule_id.as_str()))?;
    rules.into_iter().find(|rule| rule.rule_id == id).ok_or(Trouble::Unexpected)
}

fn said(one: &OneRule, rule: &RuleInfo, what: &str) -> Result<(), Trouble> {
    if one.format.json {
        return output::print_json(&json!({ "rule": rule }));
    }
    output::print(&format!("`{}` {what}.\n", rule.text))
}

fn table(rules: &[RuleInfo]) -> String {
    if rules.is_empty() {
        return "Nothing is always allowed.\n".to_owned();
    }
    rules.iter().map(line).collect()
}

fn line(rule: &RuleInfo) -> String {
    let place = match (&rule.project, rule.scope.as_str()) {
        (Some(project), "project") => format!("in {project}"),
        _ => format!("in session {}", rule.session.as_deref().map_or("?", short)),
    };
    let state = if rule.suspended {
        "  SUSPENDED: its phone was revoked; look at it, then `rules resume`\n"
    } else {
        ""
    };
    let depends = match rule.depends.as_slice() {
        [] => String::new(),
        files => format!("  as long as these stay as they were: {}\n", files.join(", ")),
    };
    format!(
        "{}  {}\n  {} {place}, by {}, since {}\n{depends}{state}",
        short(&rule.rule_id),
        rule.text,
        rule.agent,
        rule.word,
        rule.since
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule() -> RuleInfo {
        RuleInfo {
            rule_id: "ab".repeat(16),
            scope: "project".to_owned(),
            agent: "claude".to_owned(),
            tool: "Bash".to_owned(),
            project: Some("/home/ann/site".to_owned()),
            session: None,
            text: "cargo test".to_owned(),
            depends: vec!["/home/ann/site/Cargo.toml".to_owned()],
            word: "this desktop".to_owned(),
            since: "2026-12-01T12:00:00Z".to_owned(),
            suspended: false,
        }
    }

    #[test]
    fn a_rule_is_listed_with_the_text_that_is_matched_and_all_it_depends_on() {
        let text = table(&[rule()]);
        for part in
            ["abababab", "cargo test", "in /home/ann/site", "this desktop", "/home/ann/site/Cargo.toml"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("SUSPENDED"));
        assert!(line(&RuleInfo { suspended: true, ..rule() }).contains("rules resume"));
    }

    #[test]
    fn an_empty_list_says_so() {
        assert_eq!(table(&[]), "Nothing is always allowed.\n");
    }
}
