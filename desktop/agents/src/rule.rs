//! What an *Always* of a call would match (RULE-1): for a file tool the file, for everything else every argument that is
//! not advisory, in one spelling however its agent ordered them.

use countersign_core::classify::{Action, FileHow, Script};

use crate::json::{Json, quoted};

/// The input that a rule key is made of, and the same in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Match {
    /// For the key.
    pub(crate) input: String,
    /// For the card and the list of rules.
    pub(crate) words: String,
}

/// What an *Always* of this call would match; `advisory` are the arguments that say nothing about what it does.
pub(crate) fn of(tool: &str, action: &Action, input: &Json, advisory: &[&str]) -> Match {
    let arguments = canonical(&without(input, advisory));
    if let Action::Files(uses) = action
        && let [one] = uses.as_slice()
        && one.how != FileHow::Unclear
    {
        let input = format!("{:?} {}", one.how, quoted(&one.path));
        return Match { input, words: one.path.clone() };
    }
    let words = match action {
        Action::Shell(shell) => match &shell.script {
            Script::Bash(text) | Script::PowerShell(text) => text.clone(),
            Script::Words(_) | Script::Typed(_) => arguments.clone(),
        },
        Action::Fetch { url } => url.clone(),
        Action::WebSearch { query } => query.clone(),
        Action::Files(_) | Action::Server { .. } | Action::Unknown(_) => format!("{tool} {arguments}"),
    };
    Match { input: arguments, words }
}

fn without(input: &Json, advisory: &[&str]) -> Json {
    match input {
        Json::Map(members) => {
            let kept = members.iter().filter(|(name, _)| !advisory.contains(&name.as_str()));
            Json::Map(kept.cloned().collect())
        }
        Json::Plain(_) | Json::Text(_) | Json::List(_) => input.clone(),
    }
}

/// JSON with members in the order of their names, and nothing between the parts.
pub(crate) fn canonical(json: &Json) -> String {
    match json {
        Json::Plain(text) => text.clone(),
        Json::Text(text) => quoted(text),
        Json::List(items) => {
            let items: Vec<String> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        Json::Map(members) => {
            let mut members: Vec<(String, String)> =
                members.iter().map(|(name, value)| (quoted(name), canonical(value))).collect();
            members.sort();
            let members: Vec<String> =
                members.into_iter().map(|(name, value)| format!("{name}:{value}")).collect();
            format!("{{{}}}", members.join(","))
        }
    }
}

#[cfg(test)]
mod tests {
    use countersign_core::classify::{FileUse, Shell};

    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    fn shell(command: &str) -> Action {
        Action::Shell(Shell { script: Script::Bash(command.to_owned()), folder: None })
    }

    #[test]
    fn advisory_arguments_and_their_order_make_no_difference_and_all_others_do() {
        let of = |input: &str| of("Bash", &shell("make"), &json(input), &["description", "timeout"]);
        let plain = of(r#"{"command":"make"}"#);
        assert_eq!(plain.words, "make");
        assert_eq!(of(r#"{"description":"build it","timeout":5, "command":"make"}"#), plain);
        let other = of(r#"{"command":"make","dangerouslyDisableSandbox":true}"#);
        assert_ne!(other.input, plain.input);
        let turned = of(r#"{"dangerouslyDisableSandbox":true,"command":"make"}"#);
        assert_eq!(other.input, turned.input);
    }

    #[test]
    fn a_file_tool_is_matched_by_its_file_and_not_by_what_it_writes() {
        let write = |path: &str, how| Action::Files(vec![FileUse { path: path.to_owned(), how }]);
        let of = |action, input: &str| of("Write", &action, &json(input), &[]);
        let one = of(write("/a", FileHow::Write), r#"{"file_path":"/a","content":"x"}"#);
        assert_eq!(one, of(write("/a", FileHow::Write), r#"{"file_path":"/a","content":"y"}"#));
        assert_eq!(one.words, "/a");
        assert_ne!(one.input, of(write("/b", FileHow::Write), r#"{"file_path":"/b","content":"x"}"#).input);
        assert_ne!(one.input, of(write("/a", FileHow::Delete), r#"{"file_path":"/a","content":"x"}"#).input);
    }

    #[test]
    fn strings_that_only_look_alike_stay_apart() {
        assert_ne!(canonical(&json(r#"{"a":"1"}"#)), canonical(&json(r#"{"a":1}"#)));
        assert_ne!(canonical(&json(r#"{"a":"b\",\"c\":\"d"}"#)), canonical(&json(r#"{"a":"b","c":"d"}"#)));
    }
}
