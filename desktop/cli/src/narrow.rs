//! Settings by which less passes, or as much as before: pausing, strictness, and risks that a person looked at.

use countersign_ipc::{Instance, control::ControlRequest};
use serde_json::json;

use crate::{
    arguments::{AcceptRisk, Env, EnvState, Format, Protect, Strict, StrictState},
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
            format!("project {}", folder(&project)?)
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

/// `protect`
pub async fn protect(instance: &Instance, protect: Protect) -> Result<(), Trouble> {
    let (branch, protected) = (protect.branch, !protect.no_longer);
    connection::ask(instance, &ControlRequest::Protect { branch: branch.clone(), protected }).await?;
    let words = if protected {
        format!("No agent pushes to {branch}, whatever anybody answers.\n")
    } else {
        format!("Agents may ask again to push to {branch}.\n")
    };
    said(protect.format, json!({ "branch": branch, "protected": protected }), &words)
}

/// `env`
pub async fn env(instance: &Instance, env: Env) -> Result<(), Trouble> {
    let (project, lifted) = (folder(&env.project)?, env.state == EnvState::Allow);
    connection::ask(instance, &ControlRequest::LiftEnv { project: project.clone(), lifted }).await?;
    let words = if lifted {
        format!("Agents that start in {project} may ask to read its .env files.\n")
    } else {
        format!("Agents that start in {project} read no .env file.\n")
    };
    said(env.format, json!({ "project": project, "lifted": lifted }), &words)
}

fn folder(folder: &std::path::Path) -> Result<String, Trouble> {
    let folder = std::path::absolute(folder).map_err(Trouble::System)?;
    Ok(std::fs::canonicalize(&folder).unwrap_or(folder).display().to_string())
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
