//! Settings by which less passes, or as much as before: pausing, strictness, and risks that a person looked at.

use countersign_ipc::{Instance, control::ControlRequest};
use serde_json::json;

use crate::{
    arguments::{AcceptRisk, Format, Strict, StrictState},
    connection, output,
    trouble::Trouble,
};

/// `pause` and `resume`
pub async fn pause(instance: &Instance, format: Format, paused: bool) -> Result<(), Trouble> {
    connection::ask(instance, &ControlRequest::Pause { paused }).await?;
    let words = if paused {
        "Paused: agents ask in their own terminals and nothing passes here. What is refused and denied still is.\n"
    } else {
        "Back to work.\n"
    };
    said(format, json!({ "paused": paused }), words)
}

/// `strict`
pub async fn strict(instance: &Instance, strict: Strict) -> Result<(), Trouble> {
    let what = match (strict.agent, strict.project) {
        (Some(agent), _) => format!("agent {agent}"),
        (None, Some(project)) => {
            let folder = std::path::absolute(&project).map_err(Trouble::System)?;
            let folder = std::fs::canonicalize(&folder).unwrap_or(folder);
            format!("project {}", folder.display())
        }
        (None, None) => return Err(Trouble::Unexpected),
    };
    let is_strict = strict.state == StrictState::On;
    connection::ask(instance, &ControlRequest::Strict { what: what.clone(), strict: is_strict }).await?;
    let words = if is_strict {
        format!("{what} is strict: no green writes, no allow lines for writes, no Always for the project.\n")
    } else {
        format!("{what} is no longer strict.\n")
    };
    said(strict.format, json!({ "what": what, "strict": is_strict }), &words)
}

/// `accept-risk`
pub async fn accept_risk(instance: &Instance, accept: AcceptRisk) -> Result<(), Trouble> {
    let risk = accept.risk.clone();
    connection::ask(instance, &ControlRequest::AcceptRisk { risk }).await?;
    let words = format!("Accepted: {}. It counts no longer; any other risk still does.\n", accept.risk);
    said(accept.format, json!({ "accepted": accept.risk }), &words)
}

fn said(format: Format, value: serde_json::Value, words: &str) -> Result<(), Trouble> {
    if format.json { output::print_json(&value) } else { output::print(words) }
}
