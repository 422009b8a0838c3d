//! One event of Claude Code's, from the bytes its hook got. What is of another shape than the one known gets no
//! decision (AG-4).

#[cfg(test)]
mod tests;

use countersign_core::draft::{EndedCall, Observed, SessionKey};
use countersign_proto::{
    limits,
    request::Subagent,
    text::{Foreign, Shown},
};

use super::tool;
use crate::{
    action::Argument,
    call::Call,
    call_hash,
    event::{Event, Ignored},
    json::{self, Json, Members},
};

/// Tools whose dialog stays in the terminal: a plain *allow* answers neither, and a *deny* would end the question.
const TERMINAL: [&str; 2] = ["AskUserQuestion", "ExitPlanMode"];

/// Reads an event.
pub(super) fn read(bytes: &[u8]) -> Result<Event, Ignored> {
    let text = std::str::from_utf8(bytes).map_err(|_| Ignored::Malformed)?;
    let fields = Members::parse(text)?;
    if fields.raw("hookName").is_some() {
        return Err(Ignored::OtherAgent);
    }
    let event = fields.some_text("hook_event_name")?;
    let session = SessionKey {
        agent: super::ADAPTER.id.to_owned(),
        session: Foreign::new(fields.some_text("session_id")?),
    };
    let what = match event.as_str() {
        "PreToolUse" => return ask(session, &fields).map(|call| Event::Before(Box::new(call))),
        "PermissionRequest" => return ask(session, &fields).map(|call| Event::Ask(Box::new(call))),
        // A denied call is named by its batch alone: one that failed ran.
        "PostToolUse" | "PostToolUseFailure" => {
            ended(vec![EndedCall { ran: true, ..call(&fields)? }], &fields)?
        }
        "PostToolBatch" => ended(batch(&fields)?, &fields)?,
        "SessionStart" => started(&fields)?,
        "Stop" | "UserPromptSubmit" => moved_on(&fields)?,
        "SessionEnd" => Observed::SessionOver,
        "Notification" | "SubagentStart" | "SubagentStop" => return Err(Ignored::NoConcern),
        _ => return Err(Ignored::UnknownEvent),
    };
    Ok(Event::Observed { session, what })
}

fn ask(session: SessionKey, fields: &Members<'_>) -> Result<Call, Ignored> {
    let name = fields.some_text("tool_name")?;
    if TERMINAL.contains(&name.as_str()) {
        return Err(Ignored::Terminal);
    }
    let raw = input(fields)?;
    let folder = fields.some_text("cwd")?;
    let mended = json::mended(raw);
    let server = server(fields)?;
    let read = tool::read(&name, Json::parse(&mended)?, server.as_deref())?;
    Ok(Call {
        is_broken: is_broken(fields, raw),
        agent_version: Foreign::default(),
        adapter: super::ADAPTER.version,
        id: id(fields)?,
        folder,
        tool: Foreign::new(name),
        raw: raw.as_bytes().to_vec(),
        words: read.words,
        mode: Foreign::new(fields.text("permission_mode")?.unwrap_or_default()),
        subagent: subagent(&session, fields)?,
        action: read.action,
        arguments: read
            .arguments
            .into_iter()
            .map(|(name, value)| Argument { name, text: value.shown() })
            .collect(),
        is_complete: read.is_complete,
        session,
    })
}

/// Whether half characters stand in anything that a call is shown or looked up by.
fn is_broken(fields: &Members<'_>, input: &str) -> bool {
    let looked_at = [Some(input), fields.raw("cwd"), fields.raw("tool_name")];
    looked_at.into_iter().flatten().any(json::is_broken)
}

/// The tool input's bytes, exactly as they came.
fn input<'a>(fields: &Members<'a>) -> Result<&'a str, Ignored> {
    let raw = fields.raw("tool_input").filter(|raw| raw.starts_with('{')).ok_or(Ignored::Malformed)?;
    if raw.len() > limits::RAW { Err(Ignored::TooBig) } else { Ok(raw) }
}

/// The MCP server's own name, where the agent gives it.
fn server(fields: &Members<'_>) -> Result<Option<String>, Ignored> {
    match fields.raw("mcp_server") {
        None => Ok(None),
        Some(server) => Members::parse(server)?.text("name"),
    }
}

fn subagent(session: &SessionKey, fields: &Members<'_>) -> Result<Option<Subagent>, Ignored> {
    let Some(id) = fields.text("agent_id")? else { return Ok(None) };
    let kind = fields.text("agent_type")?.unwrap_or_default();
    Ok(Some(Subagent { id: shown(&id), kind: shown(&kind), parent: shown(session.session.raw()) }))
}

fn shown(text: &str) -> Foreign {
    Shown::line(text).into()
}

fn ended(calls: Vec<EndedCall>, fields: &Members<'_>) -> Result<Observed, Ignored> {
    let subagent = fields.text("agent_id")?.map(|id| shown(&id));
    Ok(Observed::Ended { calls, subagent })
}

/// A call as an event names it; whether it ran is for the event to say.
fn call(fields: &Members<'_>) -> Result<EndedCall, Ignored> {
    let name = fields.some_text("tool_name")?;
    let raw = fields.raw("tool_input").ok_or(Ignored::Malformed)?.as_bytes().to_vec();
    Ok(EndedCall { tool: Foreign::new(name), input_hash: call_hash(&raw), raw, id: id(fields)?, ran: false })
}

/// The agent's own id of a call.
fn id(fields: &Members<'_>) -> Result<Option<Foreign>, Ignored> {
    Ok(fields.text("tool_use_id")?.map(Foreign::new))
}

fn batch(fields: &Members<'_>) -> Result<Vec<EndedCall>, Ignored> {
    let calls = fields.raw("tool_calls").ok_or(Ignored::Malformed)?;
    let calls: Vec<Members<'_>> = serde_json::from_str(calls).map_err(|_| Ignored::Malformed)?;
    calls.iter().map(call).collect()
}

/// A session that only made its memory shorter did not start, wherever it stands by now.
fn started(fields: &Members<'_>) -> Result<Observed, Ignored> {
    if fields.text("source")?.as_deref() == Some("compact") {
        return Err(Ignored::NoConcern);
    }
    let folder = fields.some_text("cwd")?;
    if !folder.starts_with('/') || fields.raw("cwd").is_some_and(json::is_broken) {
        return Err(Ignored::Malformed);
    }
    Ok(Observed::Started { folder: folder.into_bytes() })
}

/// A subagent's own end says nothing of its session.
fn moved_on(fields: &Members<'_>) -> Result<Observed, Ignored> {
    match fields.text("agent_id")? {
        Some(_) => Err(Ignored::NoConcern),
        None => Ok(Observed::MovedOn),
    }
}
