//! One labelled case of policies: texts, rules and a request, and what comes of them.

use std::collections::BTreeMap;

use countersign_agents::measure::policies;
use serde_json::Value;

use super::{
    case::words,
    score::{About, Field, Score},
};

/// What may come of a request, the most permissive first; of a text alone, what is worse than an error comes first.
const OUTCOMES: [&str; 5] = ["allow", "parses", "ask", "deny", "parse-error"];

/// One labelled case.
#[derive(Debug, Clone)]
pub struct PolicyCase {
    line: String,
    label: Label,
}

#[derive(Debug, Clone, serde::Deserialize)]
struct Label {
    id: String,
    kind: String,
    #[serde(default)]
    request: Option<Value>,
    expect: BTreeMap<String, Value>,
    #[serde(default)]
    also_ok: BTreeMap<String, Vec<Value>>,
    why: String,
}

impl PolicyCase {
    /// Reads a case.
    ///
    /// # Errors
    /// Where the line is none.
    pub fn parse(line: &str) -> serde_json::Result<Self> {
        serde_json::from_str(line).map(|label| Self { line: line.to_owned(), label })
    }

    /// Counts what comes of it.
    ///
    /// # Panics
    /// Where it can't be read as a case.
    pub fn score(&self, score: &mut Score) {
        let case = policies::Case::parse(self.line.as_bytes())
            .unwrap_or_else(|error| panic!("{}: {error:?}", self.label.id));
        let came = serde_json::to_value(case.evaluate()).unwrap_or_default();
        // Of each field that the label names.
        let names =
            ["outcome", "by", "line"].into_iter().filter(|name| self.label.expect.contains_key(*name));
        let fields = names.map(|name| {
            let (got, expected) = (came.get(name).unwrap_or(&Value::Null), &self.label.expect[name]);
            let is_right = self.accepted(name).any(|accepted| accepted == got);
            let is_dangerous =
                name == "outcome" && self.accepted(name).all(|accepted| rank(got) < rank(accepted));
            Field { name, got, expected, is_right, is_dangerous }
        });
        let words = self.words();
        let about =
            About { id: &self.label.id, family: &self.label.kind, words: &words, why: &self.label.why };
        score.add(about, fields, &["outcome", "by"]);
    }

    fn accepted(&self, field: &str) -> impl Iterator<Item = &Value> {
        let more = self.label.also_ok.get(field).map(Vec::as_slice).unwrap_or_default();
        self.label.expect.get(field).into_iter().chain(more)
    }

    fn words(&self) -> String {
        let Some(request) = &self.label.request else { return "a text alone".to_owned() };
        let text = |name: &str| request.get(name).and_then(Value::as_str).unwrap_or("?");
        words(text("agent"), text("tool"), request.get("input").unwrap_or(&Value::Null))
    }
}

/// Where an outcome stands; what is none is more permissive than any.
fn rank(outcome: &Value) -> usize {
    OUTCOMES.iter().position(|known| outcome == known).map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn scored(expect: &Value, also_ok: &Value) -> Score {
        let case = json!({
            "id": "p1", "kind": "lines", "policies": [{"text": "allow read\n", "state": "accepted"}], "why": "it reads",
            "request": {"agent": "claude", "tool": "Read", "input": {"file_path": "/p/a"}, "cwd": "/p"},
            "session": {"folder": "/p", "seen_at_start": true, "home": "/home/u"},
            "expect": expect, "also_ok": also_ok,
        });
        let mut score = Score::default();
        PolicyCase::parse(&case.to_string()).expect("a case").score(&mut score);
        score
    }

    #[test]
    fn an_outcome_that_lets_more_pass_is_dangerous() {
        let right = scored(&json!({"outcome": "allow", "by": "policy"}), &json!({}));
        assert_eq!((right.cases.count, right.misses.len()), (1, 0));
        let dangerous = scored(&json!({"outcome": "ask", "by": "nothing"}), &json!({}));
        assert_eq!((dangerous.dangerous().count(), dangerous.misses.len()), (1, 2));
        let accepted = scored(&json!({"outcome": "ask", "by": "policy"}), &json!({"outcome": ["allow"]}));
        assert_eq!((accepted.dangerous().count(), accepted.cases.count), (0, 1));
    }
}
