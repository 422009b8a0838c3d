//! `policy explain`: the whole verdict on one command in this folder, with the lines that gave it.

use std::path::{Path, PathBuf};

use countersign_agents::tools;
use countersign_core::{
    classify::{Call, classify},
    policy::{
        Asked, ConsentId, InForce, Origin, SessionView, TextKind, builtin,
        eval::{By, Decided},
        explain::{Explained, explain},
        parse::parse,
        permission,
    },
};
use countersign_daemon::{managed, sight};
use countersign_ipc::{
    Instance,
    control::{ControlReply, ControlRequest, PolicyInfo, PolicyKind, RuleInfo},
};
use countersign_proto::text::Shown;
use serde_json::{Value, json};

use super::{IN_FORCE, all, list::title, read_text};
use crate::{
    arguments::policy::PolicyExplain,
    classify::here,
    connection, output,
    pick::short,
    status,
    trouble::{Trouble, command as words_of},
};

/// The agent and the tool that a command is judged as.
const AGENT: &str = "claude";
const TOOL: &str = "Bash";

/// What is looked at.
#[derive(Default)]
struct Texts {
    in_force: Vec<InForce>,
    /// Each in a few words.
    titles: Vec<String>,
    decided: Decided,
    notes: Vec<String>,
}

pub(super) async fn run(instance: &Instance, args: PolicyExplain) -> Result<(), Trouble> {
    let (sight, folder) = here()?;
    let home = sight.home.clone();
    let mut texts = if args.policy.is_empty() && args.permissions.is_empty() {
        accepted(instance, &args.command, &folder, &home).await?
    } else {
        files(&args.policy, &args.permissions, &home)?
    };
    let managed = managed::now().await;
    let managed_texts = managed.in_force();
    if !managed_texts.is_empty() {
        texts.titles.push(managed.words().to_string());
    }
    let Texts { in_force, titles, decided, notes } = texts;
    let in_force: Vec<InForce> = managed_texts.into_iter().chain(in_force).collect();
    let command = args.command;
    let explained = sight::judge(sight.clone(), move |world| {
        let action = tools::action(AGENT, TOOL, &json!({ "command": command }));
        let takes_allow_lines = tools::takes_allow_lines(AGENT);
        let call = Call {
            agent: AGENT,
            tool: TOOL,
            action: &action,
            folder: &folder,
            worktree: &sight.worktree,
            home: &sight.home,
            takes_allow_lines,
            protected: &[],
            env_is_lifted: false,
        };
        let facts = classify(&call, world);
        let asked = Asked {
            agent: AGENT,
            profile: None,
            tool: TOOL,
            action: &action,
            facts: &facts,
            folder: &folder,
            home: &sight.home,
            is_whole: true,
            takes_allow_lines,
            session: SessionView { start_folder: Some(&folder), moved: false, is_tainted: false, repeats: 1 },
        };
        explain(&asked, &in_force, decided)
    })
    .await;
    if args.format.json {
        return output::print_json(&told(&explained, &titles, &notes, decided));
    }
    let list = |names: &[String]| names.iter().map(|name| format!("  {name}\n")).collect::<String>();
    let looked_at =
        if titles.is_empty() { "  nothing that was accepted\n".to_owned() } else { list(&titles) };
    let notes: String = notes.iter().map(|note| format!("! {note}\n")).collect();
    output::print(&format!("{explained}Looked at:\n{looked_at}{notes}"))
}

/// What is in force, by the daemon's word. Without one only what root wrote down is left.
async fn accepted(instance: &Instance, command: &str, folder: &str, home: &str) -> Result<Texts, Trouble> {
    let policies = match all(instance).await {
        Ok(policies) => policies,
        Err(Trouble::NotRunning(_)) => {
            let note = format!(
                "Countersign is not running, so that what you accepted was not looked at: start it with `{}`, or name \
                 files with --policy and --permissions.",
                words_of(instance, "up")
            );
            return Ok(Texts { notes: vec![note], ..Texts::default() });
        }
        Err(other) => return Err(other),
    };
    let mut texts = Texts::default();
    for policy in policies.iter().filter(|policy| policy.state == IN_FORCE) {
        texts.titles.push(format!("{} {}", short(&policy.consent_id), title(policy)));
        match policy.kind {
            // A built-in text of another release answers nothing until it is accepted anew.
            PolicyKind::GreenReads => texts.decided.green_reads = is_current(TextKind::GreenReads, policy),
            PolicyKind::GreenWrites => texts.decided.green_writes = is_current(TextKind::GreenWrites, policy),
            PolicyKind::Policy | PolicyKind::PermissionFile => {
                let in_force = in_force(policy, home).ok_or(Trouble::Unexpected)?;
                texts.in_force.push(in_force);
            }
        }
    }
    let status = status::fetch(instance).await?;
    texts.decided.is_paused = status.paused;
    let strict = [format!("agent {AGENT}"), format!("project {}", Shown::line(folder))];
    texts.decided.is_strict = strict.iter().any(|what| status.strict.contains(what));
    match connection::ask(instance, &ControlRequest::RulesList {}).await {
        Ok(ControlReply::Rules { rules }) => {
            texts.decided.is_remembered = rules.iter().any(|rule| is_it(rule, command, folder));
        }
        Ok(_) => return Err(Trouble::Unexpected),
        // An agent may ask why, and may not list what is always allowed.
        Err(Trouble::Refused(_)) => {
            texts
                .notes
                .push("What is always allowed was not looked at: an agent may not list it.".to_owned());
        }
        Err(other) => return Err(other),
    }
    if texts.decided.is_paused {
        texts.notes.push("Countersign is paused: nothing passes by itself, and no card comes.".to_owned());
    }
    if texts.decided.is_remembered {
        let note = "An Always of this project names exactly this; when it is called, what it runs must not have changed \
                    since.";
        texts.notes.push(note.to_owned());
    }
    Ok(texts)
}

fn is_current(kind: TextKind, policy: &PolicyInfo) -> bool {
    builtin::text(kind) == Some(policy.text.as_str())
}

/// Whether a rule of this project names exactly this command.
fn is_it(rule: &RuleInfo, command: &str, folder: &str) -> bool {
    let text: String = Shown::line(command).masked().into();
    let is_here = rule.project.as_deref() == Some(Shown::line(folder).as_str());
    let is_same = rule.scope == "project" && rule.agent == AGENT && rule.tool == TOOL && rule.text == text;
    is_here && is_same && !rule.suspended
}

fn in_force(policy: &PolicyInfo, home: &str) -> Option<InForce> {
    let id = u128::from_str_radix(&policy.consent_id, 16).ok()?.to_be_bytes();
    let origin = Origin::Person(ConsentId(id));
    match policy.kind {
        PolicyKind::Policy => Some(InForce::lines(origin, &policy.text, parse(&policy.text, home).ok()?)),
        PolicyKind::PermissionFile => {
            let file = permission::parse(&policy.text, home).ok()?;
            Some(InForce::permissions(origin, &policy.text, file, policy.project.as_deref()))
        }
        PolicyKind::GreenReads | PolicyKind::GreenWrites => None,
    }
}

/// Files stand in for what was accepted: what would they say?
fn files(policies: &[PathBuf], permissions: &[PathBuf], home: &str) -> Result<Texts, Trouble> {
    let mut texts = Texts::default();
    let origin = Origin::Person(ConsentId([0; 16]));
    let wrong = |path: &Path, errors: String| {
        Trouble::said(format!("`{}` is no policy:\n{errors}", path.display()), "`policy check` tells more.")
    };
    for path in policies {
        let text = read_text(path)?;
        let policy = parse(&text, home).map_err(|errors| {
            let errors: Vec<String> =
                errors.iter().map(|it| Shown::line(&it.to_string()).to_string()).collect();
            wrong(path, errors.join("\n"))
        })?;
        texts.in_force.push(InForce::lines(origin, &text, policy));
        texts.titles.push(path.display().to_string());
    }
    for path in permissions {
        let text = read_text(path)?;
        let file = permission::parse(&text, home)
            .map_err(|error| wrong(path, Shown::line(&error.to_string()).to_string()))?;
        texts.in_force.push(InForce::permissions(origin, &text, file, None));
        texts.titles.push(path.display().to_string());
    }
    Ok(texts)
}

fn told(explained: &Explained, titles: &[String], notes: &[String], decided: Decided) -> Value {
    let says: Vec<Value> = explained
        .says
        .iter()
        .map(|say| {
            json!({
                "line": say.line.number,
                "text": Shown::line(&say.line.text).as_str(),
                "effect": say.effect.name(),
                "origin": origin(say.line.origin),
                "words": say.to_string(),
            })
        })
        .collect();
    let by_line = match &explained.by {
        By::Policy(line) => Some(json!({
            "line": line.number,
            "text": Shown::line(&line.text).as_str(),
            "origin": origin(line.origin),
        })),
        By::AlwaysRule | By::Green | By::CoreRefusal | By::Nothing => None,
    };
    let shown = |all: &[Shown]| all.iter().map(|one| one.as_str().to_owned()).collect::<Vec<_>>();
    json!({
        "headline": explained.headline.as_str(),
        "class": explained.class,
        "level": explained.level,
        "refused": explained.refused.as_ref().map(Shown::as_str),
        "reasons": shown(&explained.reasons),
        "parts": explained.parts.iter().map(|part| json!({
            "words": part.words.as_str(), "class": part.class, "level": part.level,
        })).collect::<Vec<_>>(),
        "paths": explained.paths.iter().map(|(path, place)| json!({
            "path": path.as_str(), "place": place,
        })).collect::<Vec<_>>(),
        "hosts": shown(&explained.hosts),
        "says": says,
        "outcome": explained.outcome.name(),
        "by": explained.by.name(),
        "by_line": by_line,
        "green_reads": decided.green_reads,
        "green_writes": decided.green_writes,
        "strict": decided.is_strict,
        "paused": decided.is_paused,
        "always": decided.is_remembered,
        "looked_at": titles,
        "notes": notes,
    })
}

/// Whose text a line stands in: a consent's id, or a word.
fn origin(origin: Origin) -> String {
    match origin {
        Origin::Managed => "managed".to_owned(),
        Origin::Default => "default".to_owned(),
        Origin::Person(id) if id.0 == [0; 16] => "file".to_owned(),
        Origin::Person(id) => format!("{:032x}", u128::from_be_bytes(id.0)),
    }
}
