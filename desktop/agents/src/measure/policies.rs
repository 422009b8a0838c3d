//! The machine interface by which anyone can measure policies: policies, permission files, rules and a request as JSON in,
//! what comes of it as JSON out. Touches nothing.

use countersign_core::{
    classify::{Action, Call, Script, classify},
    policy::{
        Asked, ConsentId, InForce, Origin, SessionView,
        eval::{By, Decided, Outcome, evaluate_case},
        parse::parse,
        permission::{Permissions, parse_value},
        trouble::ParseError,
    },
};
use countersign_proto::text::Shown;
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use super::{Given, Malformed};
use crate::tools;

/// A case. Members that are not named here are of no account.
#[derive(Debug, Clone, Deserialize)]
pub struct Case {
    #[serde(default)]
    id: Value,
    #[serde(default)]
    policies: Vec<Policy>,
    #[serde(default)]
    permission: Option<Box<RawValue>>,
    #[serde(default)]
    permission_text: Option<String>,
    #[serde(default)]
    agent_name: Option<String>,
    #[serde(default)]
    agent_permission: Option<Box<RawValue>>,
    #[serde(default)]
    managed_permission: Option<Box<RawValue>>,
    #[serde(default)]
    request: Option<Request>,
    #[serde(default)]
    session: Session,
    #[serde(default)]
    always: Vec<Always>,
    #[serde(default)]
    facts: Option<Given>,
}

#[derive(Debug, Clone, Deserialize)]
struct Policy {
    text: String,
    state: String,
}

#[derive(Debug, Clone, Deserialize)]
struct Request {
    agent: String,
    tool: String,
    input: Value,
    cwd: String,
}

/// A session's facts. What is absent is taken at its strictest, save what a case leaves out because it is ordinary.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Session {
    folder: String,
    seen_at_start: bool,
    moved: bool,
    home: String,
    presence: Option<String>,
    surface: Option<String>,
    chat_mode: Option<Value>,
    read_outside: bool,
    target_truncated: bool,
    repeats: Option<u32>,
}

/// A rule that the person saved.
#[derive(Debug, Clone, Deserialize)]
struct Always {
    agent: String,
    tool: String,
    folder: String,
    target: String,
}

/// What comes of a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evaluated {
    /// The case's id.
    pub id: Value,
    /// `allow`, `deny`, `ask`, `parse-error` or `parses`.
    pub outcome: &'static str,
    /// The line that decided, or that holds the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Whose word it is; absent where nothing was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<&'static str>,
}

impl Case {
    /// Reads a case.
    ///
    /// # Errors
    /// [`Malformed`], with what is wrong.
    pub fn parse(line: impl AsRef<[u8]>) -> Result<Self, Malformed> {
        let line = line.as_ref();
        serde_json::from_slice(line).map_err(|error| Malformed {
            id: serde_json::from_slice(line)
                .ok()
                .and_then(|mut value: Value| Some(value.get_mut("id")?.take()))
                .unwrap_or_default(),
            error: format!("this line is no case: {}", Shown::line(&error.to_string())),
        })
    }

    /// What comes of it.
    #[must_use]
    pub fn evaluate(&self) -> Evaluated {
        let said = |outcome, line, by| Evaluated { id: self.id.clone(), outcome, line, by };
        match (self.in_force(), &self.request) {
            (Err(error), _) => said("parse-error", Some(error.line), None),
            (Ok(_), None) => said("parses", None, None),
            (Ok(texts), Some(request)) => {
                let (outcome, by) = self.answer(request, &texts);
                let line = match &by {
                    By::Policy(line) => Some(line.number),
                    By::AlwaysRule | By::Green | By::CoreRefusal | By::Nothing => None,
                };
                said(outcome.name(), line, Some(by.name()))
            }
        }
    }

    /// Every text that is in force. Without a request all of them are only read.
    fn in_force(&self) -> Result<Vec<InForce>, ParseError> {
        let home = self.session.home.as_str();
        let mut texts = Vec::new();
        for (number, policy) in (0_u8..=u8::MAX).cycle().zip(&self.policies) {
            if policy.state != "accepted" && self.request.is_some() {
                continue;
            }
            let parsed = parse(&policy.text, home).map_err(first)?;
            texts.push(InForce::lines(Origin::Person(ConsentId([number; 16])), &policy.text, parsed));
        }
        let own = self.agent_permission.as_ref().map(|own| parse_value(own.get(), home)).transpose()?;
        let accepted = self.permission_text.as_deref().or(self.permission.as_ref().map(|value| value.get()));
        if let Some(text) = accepted.or(own.is_some().then_some("{}")) {
            let mut file = parse_value(text, home)?;
            if let Some(own) = own {
                file = file.with_profile(self.profile().unwrap_or_default(), own);
            }
            texts.push(InForce::permissions(Origin::Person(ConsentId([u8::MAX; 16])), text, file, None));
        }
        if let Some(managed) = &self.managed_permission {
            let file: Permissions = parse_value(managed.get(), home)?;
            texts.push(InForce::permissions(Origin::Managed, managed.get(), file, None));
        }
        Ok(texts)
    }

    fn profile(&self) -> Option<&str> {
        // The agent's own rules are of the profile that runs, whether or not the case names it.
        self.agent_name.as_deref().or(self.agent_permission.as_ref().map(|_| ""))
    }

    fn answer(&self, request: &Request, texts: &[InForce]) -> (Outcome, By) {
        let session = &self.session;
        let action = tools::action(&request.agent, &request.tool, &request.input);
        let takes_allow_lines = tools::takes_allow_lines(&request.agent) && session.is_ordinary();
        let call = Call {
            agent: &request.agent,
            tool: &request.tool,
            action: &action,
            folder: &request.cwd,
            worktree: &session.folder,
            home: &session.home,
            takes_allow_lines,
            protected: &[],
            env_is_lifted: false,
        };
        let world = self.facts.clone().unwrap_or_default().around(&session.folder);
        let facts = classify(&call, &world);
        let asked = Asked {
            agent: &request.agent,
            profile: self.profile(),
            tool: &request.tool,
            action: &action,
            facts: &facts,
            folder: &request.cwd,
            home: &session.home,
            is_whole: !session.target_truncated,
            takes_allow_lines,
            session: SessionView {
                start_folder: session.seen_at_start.then_some(session.folder.as_str()),
                moved: session.moved,
                is_tainted: session.read_outside || !session.seen_at_start,
                repeats: session.repeats.unwrap_or(1),
            },
        };
        let is_remembered = session.is_ordinary()
            && session.seen_at_start
            && !session.moved
            && self.always.iter().any(|rule| rule.is_about(request, &action, session));
        let is_paused = session.presence.as_deref() == Some("paused");
        evaluate_case(&asked, texts, Decided { is_remembered, is_paused, ..Decided::default() })
    }
}

impl Session {
    /// Whether the person sits before it: neither a mode of its own nor a place where nobody sees cards (POL-6).
    fn is_ordinary(&self) -> bool {
        let has_mode = match &self.chat_mode {
            None | Some(Value::Null | Value::Bool(false)) => false,
            Some(Value::String(mode)) => !matches!(mode.as_str(), "" | "none" | "off" | "default" | "normal"),
            Some(_) => true,
        };
        let is_far = match self.surface.as_deref() {
            None | Some("" | "terminal" | "cli" | "console" | "desktop" | "card" | "island") => false,
            Some(_) => true,
        };
        !has_mode && !is_far
    }
}

impl Always {
    /// Whether it names exactly this call, in the same project (RULE-1).
    fn is_about(&self, request: &Request, action: &Action, session: &Session) -> bool {
        self.agent == request.agent
            && self.tool == request.tool
            && self.folder == session.folder
            && self.folder == request.cwd
            && target(action).as_deref() == Some(self.target.as_str())
    }
}

/// What a rule would match: the whole command, path or URL.
fn target(action: &Action) -> Option<String> {
    match action {
        Action::Shell(shell) => match &shell.script {
            Script::Bash(text) | Script::PowerShell(text) => Some(text.clone()),
            Script::Words(words) => Some(words.join(" ")),
            Script::Typed(_) => None,
        },
        Action::Files(files) => match files.as_slice() {
            [file] => Some(file.path.clone()),
            _ => None,
        },
        Action::Fetch { url } => Some(url.clone()),
        Action::WebSearch { query } => Some(query.clone()),
        Action::Server { .. } | Action::Unknown(_) => None,
    }
}

/// The error that comes first in a text.
fn first(errors: Vec<ParseError>) -> ParseError {
    let unknown = || ParseError { line: 1, column: 1, what: String::new(), fix: String::new() };
    errors.into_iter().min().unwrap_or_else(unknown)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn evaluated(case: &Value) -> Value {
        serde_json::to_value(Case::parse(case.to_string()).unwrap().evaluate()).unwrap()
    }

    #[test]
    fn a_text_without_a_request_is_only_read() {
        let draft =
            |text: &str| json!({"id": 1, "policies": [{"text": text, "state": "draft"}], "request": null});
        assert_eq!(evaluated(&draft("allow read")), json!({"id": 1, "outcome": "parses"}));
        assert_eq!(
            evaluated(&draft("# x\n\nallow reads")),
            json!({"id": 1, "outcome": "parse-error", "line": 3})
        );
        let file = json!({"id": 2, "permission_text": "{\n\"bash\": \"may\"}"});
        assert_eq!(evaluated(&file), json!({"id": 2, "outcome": "parse-error", "line": 2}));
    }

    #[test]
    fn only_accepted_texts_answer() {
        for (state, outcome) in
            [("accepted", "deny"), ("draft", "ask"), ("revoked", "ask"), ("replaced", "ask")]
        {
            let case = json!({
                "policies": [{"text": "deny tool Bash", "state": state}],
                "request": {"agent": "claude", "tool": "Bash", "input": {"command": "frob"}, "cwd": "/home/u/proj"},
                "session": {"folder": "/home/u/proj", "seen_at_start": true, "home": "/home/u"}
            });
            assert_eq!(evaluated(&case)["outcome"], outcome, "{state}");
        }
    }

    #[test]
    fn the_order_of_keys_is_kept() {
        let case = |permission: &str| {
            let case = format!(
                r#"{{"id": "x", "permission": {permission}, "session": {{"home": "/home/u"}},
                "request": {{"agent": "claude", "tool": "Bash", "input": {{"command": "frob"}}, "cwd": "/home/u/proj"}}}}"#
            );
            Case::parse(&case).unwrap().evaluate().outcome
        };
        assert_eq!(case(r#"{"*": "ask", "bash": "deny"}"#), "deny");
        assert_eq!(case(r#"{"bash": "deny", "*": "ask"}"#), "ask");
    }

    #[test]
    fn a_line_that_is_no_case_is_named() {
        let wrong = Case::parse(r#"{"id": "a", "policies": 1}"#).unwrap_err();
        assert_eq!(wrong.id, json!("a"));
        assert!(Case::parse("no").is_err());
    }
}
