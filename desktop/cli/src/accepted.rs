//! Texts that a person accepts: shown against what is in force, accepted, listed, ended, and asked why they answer as they
//! do. Accepting takes a person at a terminal, or the hash of exactly the text that was shown: a script that goes astray
//! has neither.

mod explain;
mod list;
mod review;

use std::{
    fs::File,
    io::{self, BufRead as _, Read as _},
    path::Path,
    process::ExitCode,
};

use countersign_core::policy::{TextKind, builtin, parse::LONGEST_TEXT, text_hash};
use countersign_daemon::whereabouts;
use countersign_ipc::{
    Instance,
    control::{ControlReply, ControlRequest, PolicyInfo, PolicyKind, PolicyText},
};
use serde_json::json;

use self::review::Told;
use crate::{
    arguments::policy::{OnePolicy, PolicyAccept, PolicyCommand, PolicyDiff, WhichText},
    connection, output,
    pick::{pick, short},
    trouble::{FAILED, Trouble},
};

/// The state of what is in force.
const IN_FORCE: &str = "accepted";

/// `policy`
pub async fn run(instance: &Instance, command: PolicyCommand) -> Result<ExitCode, Trouble> {
    match command {
        PolicyCommand::New(new) => return crate::policy::new(&new),
        PolicyCommand::Check(check) => return crate::policy::check(&check),
        PolicyCommand::Eval(eval) => return crate::policy::eval(&eval),
        PolicyCommand::List(which) => list::run(instance, &which).await,
        PolicyCommand::Diff(diff) => self::diff(instance, &diff).await,
        PolicyCommand::Accept(accept) => return self::accept(instance, &accept).await,
        PolicyCommand::Revoke(one) => revoke(instance, &one).await,
        PolicyCommand::Explain(explain) => explain::run(instance, explain).await,
    }
    .map(|()| ExitCode::SUCCESS)
}

async fn diff(instance: &Instance, diff: &PolicyDiff) -> Result<(), Trouble> {
    let told = look(instance, &diff.which).await?;
    if diff.format.json {
        return output::print_json(&told);
    }
    output::print(&told.to_string())
}

async fn accept(instance: &Instance, accept: &PolicyAccept) -> Result<ExitCode, Trouble> {
    let told = look(instance, &accept.which).await?;
    if !accept.format.json {
        output::print(&told.to_string())?;
    }
    if !is_confirmed(accept, &told)? {
        output::print("Nothing was accepted; what was in force still is.\n")?;
        return Ok(ExitCode::from(FAILED));
    }
    let accepted = send(instance, told.text.clone()).await?;
    if accept.format.json {
        output::print_json(&json!({ "accepted": accepted, "ended": told.ends }))?;
    } else {
        output::print(&format!("Accepted as {}. `policy revoke` ends it.\n", short(&accepted.consent_id)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// By the hash of exactly this text, or by a person at a terminal.
fn is_confirmed(accept: &PolicyAccept, told: &Told) -> Result<bool, Trouble> {
    if let Some(hash) = &accept.hash {
        if hash.eq_ignore_ascii_case(&told.text_hash) {
            return Ok(true);
        }
        return Err(Trouble::said(
            "This is not the text with that hash. Nothing was accepted.",
            "Look at it with `policy diff`; its hash stands there.",
        ));
    }
    if accept.format.json || !output::is_interactive() {
        return Err(Trouble::said(
            "Nobody can be asked here. Nothing was accepted.",
            "Accept it at a terminal, or give --hash with the hash that `policy diff` shows.",
        ));
    }
    is_yes("Accept? [y/N] ", false)
}

/// Asks at the terminal.
pub fn is_yes(question: &str, otherwise: bool) -> Result<bool, Trouble> {
    output::print(question)?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(Trouble::System)?;
    // At the end of the input nobody said anything.
    if answer.is_empty() {
        return Ok(false);
    }
    Ok(match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => true,
        "" => otherwise,
        _ => false,
    })
}

/// Accepts a text that a person was shown.
pub async fn send(instance: &Instance, text: PolicyText) -> Result<PolicyInfo, Trouble> {
    match connection::ask(instance, &ControlRequest::PolicyAccept { text }).await? {
        ControlReply::Policies { policies } => policies.into_iter().next().ok_or(Trouble::Unexpected),
        _ => Err(Trouble::Unexpected),
    }
}

/// The built-in text of this kind, ready to be accepted.
pub fn built_in(kind: PolicyKind) -> Option<PolicyText> {
    let text = builtin::text(kind_of(kind))?.to_owned();
    Some(PolicyText { kind, text, folder: None, instead_of: None })
}

async fn revoke(instance: &Instance, one: &OnePolicy) -> Result<(), Trouble> {
    let all = all(instance).await?;
    let stands = |policy: &&PolicyInfo| matches!(policy.state.as_str(), IN_FORCE | "suspended");
    let ids = all.iter().filter(stands).map(|policy| policy.consent_id.as_str());
    let consent_id = pick(&one.id, "policy in force", ids)?;
    let policy = all.iter().find(|policy| policy.consent_id == consent_id).ok_or(Trouble::Unexpected)?;
    connection::ask(instance, &ControlRequest::PolicyRevoke { consent_id }).await?;
    if one.format.json {
        return output::print_json(&json!({ "revoked": policy }));
    }
    output::print(&format!("Revoked: {}. What it allowed asks again.\n", list::title(policy)))
}

/// Every text that was accepted once, ended ones too.
pub async fn all(instance: &Instance) -> Result<Vec<PolicyInfo>, Trouble> {
    match connection::ask(instance, &ControlRequest::PoliciesList {}).await? {
        ControlReply::Policies { policies } => Ok(policies),
        _ => Err(Trouble::Unexpected),
    }
}

/// Everything that is to be shown before a text is accepted.
async fn look(instance: &Instance, which: &WhichText) -> Result<Told, Trouble> {
    let mut text = read(which)?;
    let all = all(instance).await?;
    let in_force: Vec<&PolicyInfo> = all.iter().filter(|policy| policy.state == IN_FORCE).collect();
    if let Some(start) = &which.instead_of {
        let ids = in_force.iter().map(|policy| policy.consent_id.as_str());
        text.instead_of = Some(pick(start, "policy in force", ids)?);
    }
    let told = Told::new(text, &in_force, &whereabouts::home())?;
    let request = ControlRequest::PolicyReview { text: told.text.clone() };
    match connection::ask(instance, &request).await? {
        ControlReply::PolicyReview(review) => Ok(told.with(review)),
        _ => Err(Trouble::Unexpected),
    }
}

fn read(which: &WhichText) -> Result<PolicyText, Trouble> {
    let built_in = match (which.green_reads, which.green_writes) {
        (true, _) => built_in(PolicyKind::GreenReads),
        (_, true) => built_in(PolicyKind::GreenWrites),
        (false, false) => None,
    };
    if let Some(text) = built_in {
        return Ok(text);
    }
    let Some(path) = &which.file else { return Err(Trouble::Unexpected) };
    let kind = if which.permissions { PolicyKind::PermissionFile } else { PolicyKind::Policy };
    let folder = match &which.project {
        None => None,
        Some(folder) => {
            let folder = folder.canonicalize().map_err(|error| Trouble::file(folder, error))?;
            let text = folder.to_str().map(str::to_owned);
            Some(text.ok_or_else(|| Trouble::said("This folder's name is no text. Nothing was done.", ""))?)
        }
    };
    Ok(PolicyText { kind, text: read_text(path)?, folder, instead_of: None })
}

/// A file that may be a policy.
fn read_text(path: &Path) -> Result<String, Trouble> {
    let mut text = String::new();
    let file = File::open(path).map_err(|error| Trouble::file(path, error))?;
    let longest = LONGEST_TEXT as u64 + 1;
    file.take(longest).read_to_string(&mut text).map_err(|error| Trouble::file(path, error))?;
    Ok(text)
}

/// The core's name of a kind.
const fn kind_of(kind: PolicyKind) -> TextKind {
    match kind {
        PolicyKind::Policy => TextKind::Lines,
        PolicyKind::PermissionFile => TextKind::Permission,
        PolicyKind::GreenReads => TextKind::GreenReads,
        PolicyKind::GreenWrites => TextKind::GreenWrites,
    }
}

/// The hash by which a text is named.
fn hash(text: &str) -> String {
    text_hash(text).to_string()
}
