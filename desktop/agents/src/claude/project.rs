//! What a project's own settings of Claude Code can do to a session behind its person's back: set variables that change
//! what a program's name means, or answer permission requests (REQ-5).

use countersign_proto::{
    domain,
    id::Hash,
    text::{Foreign, Shown},
};

use crate::{
    json::Json,
    project::{IsRisky, ProjectFiles, ProjectRisks},
};

/// The settings files of a project.
pub(super) const FILES: ProjectFiles =
    ProjectFiles { names: &[".claude/settings.json", ".claude/settings.local.json"], risks: project_risks };

/// Events whose hooks can let a call pass, or change it.
const DECIDING: [&str; 2] = ["PermissionRequest", "PreToolUse"];

/// Reads one of [`FILES`]. `is_risky` tells which variables change what a name starts. Total: a text that can't be read
/// as settings is a risk itself, since nobody knows what Claude Code makes of it.
fn project_risks(text: &[u8], is_risky: IsRisky<'_>) -> ProjectRisks {
    let settings = std::str::from_utf8(text).ok().and_then(|text| Json::parse(text).ok());
    let found = match settings {
        Some(settings @ Json::Map(_)) => {
            let variables = variables(&settings, is_risky);
            let hooks = hooks(&settings);
            variables.into_iter().chain(hooks).collect()
        }
        Some(Json::Plain(_) | Json::Text(_) | Json::List(_)) | None => {
            vec!["can't be read as settings".to_owned()]
        }
    };
    ProjectRisks { found: found.into_iter().map(Foreign::new).collect(), hash: hash(text) }
}

fn hash(text: &[u8]) -> Hash {
    domain::hash(domain::FILE, &[text])
}

/// Risky variables that the settings set. `PATH` is one here: a session is judged by the one it was started with.
fn variables(settings: &Json, is_risky: IsRisky<'_>) -> Vec<String> {
    match settings.get("env") {
        None => Vec::new(),
        Some(Json::Map(variables)) => variables
            .iter()
            .map(|(name, _)| name)
            .filter(|name| *name == "PATH" || is_risky(name))
            .map(|name| format!("sets {}", Shown::line(name)))
            .collect(),
        Some(Json::Plain(_) | Json::Text(_) | Json::List(_)) => {
            vec!["sets variables in a shape that Countersign does not know".to_owned()]
        }
    }
}

/// Hooks of the project's own on events at which a call is decided; an empty list carries none.
fn hooks(settings: &Json) -> Vec<String> {
    let of_event = |event: &&str| match settings.get("hooks").and_then(|hooks| hooks.get(event)) {
        None => false,
        Some(Json::List(groups)) => !groups.is_empty(),
        Some(Json::Plain(_) | Json::Text(_) | Json::Map(_)) => true,
    };
    DECIDING
        .iter()
        .filter(|event| of_event(event))
        .map(|event| format!("has its own hook for {event}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str) -> Vec<String> {
        let risks = project_risks(text.as_bytes(), &|name| name.starts_with("GIT_"));
        risks.found.iter().map(|risk| risk.raw().to_owned()).collect()
    }

    #[test]
    fn a_project_that_sets_risky_variables_or_answers_for_itself_is_named() {
        let settings = r#"{"env": {"GIT_SSH_COMMAND": "x", "PATH": "/tmp", "EDITOR": "vi"},
            "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "yes"}]}], "Stop": [{}],
                      "PermissionRequest": []}}"#;
        assert_eq!(found(settings), ["sets GIT_SSH_COMMAND", "sets PATH", "has its own hook for PreToolUse"]);
    }

    #[test]
    fn ordinary_project_settings_are_no_risk() {
        for settings in
            ["{}", r#"{"env": {"EDITOR": "vi"}}"#, r#"{"hooks": {"PostToolUse": [{}]}, "env": {}}"#]
        {
            assert_eq!(found(settings), [""; 0], "{settings}");
        }
    }

    #[test]
    fn what_can_not_be_read_is_a_risk() {
        for settings in
            ["", "[]", "// mine\n{}", "{\"env\":1}", "{\"env\":{},\"env\":{\"PATH\":1}}", "\u{feff}{}"]
        {
            assert_eq!(found(settings).len(), 1, "{settings:?}");
        }
        assert_eq!(project_risks(b"\xff", &|_| false).found.len(), 1);
        assert_eq!(found(r#"{"hooks": {"PreToolUse": {}}}"#), ["has its own hook for PreToolUse"]);
    }

    #[test]
    fn a_named_risk_changes_with_the_text() {
        let named = |text: &str| {
            let risks = project_risks(text.as_bytes(), &|_| false);
            risks.named(".claude/settings.json").map(|risk| risk.to_string()).collect::<Vec<_>>()
        };
        let (one, other) = (named(r#"{"env":{"PATH":"/a"}}"#), named(r#"{"env":{"PATH":"/b"}}"#));
        assert!(one[0].starts_with(".claude/settings.json sets PATH (") && one.len() == 1, "{one:?}");
        assert_ne!(one, other);
        assert!(named("{}").is_empty());
    }

    #[test]
    fn a_name_that_hides_something_is_shown() {
        assert_eq!(found("{\"env\":{\"GIT_\\u202eX\":1}}"), ["sets GIT_\\u{202e}X"]);
    }

    proptest! {
        #[test]
        fn another_text_has_another_hash_and_none_makes_it_panic(one in any::<Vec<u8>>(), other in any::<Vec<u8>>()) {
            let hash = |text: &[u8]| project_risks(text, &|_| true).hash;
            prop_assert_eq!(hash(&one) == hash(&other), one == other);
        }
    }
}
