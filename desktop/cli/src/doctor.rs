//! `doctor`: what the daemon finds, and what it can't see: agents' settings, the hook program, the agents themselves.
//! Every finding says what to do about it.

mod claude;

use std::process::ExitCode;

use countersign_ipc::{
    Instance,
    control::{Check, CheckState, ControlReply, ControlRequest},
    folder::{self, NotPrivate},
    place,
};
use serde_json::json;

use crate::{
    arguments::Format,
    connection::Connection,
    output, setup,
    trouble::{FAILED, Trouble, command},
};

/// Which of the four levels of protection is in force (protocol.md §11). The others are not built yet.
const LEVEL: u8 = 1;

/// `doctor`
pub async fn run(instance: &Instance, format: Format) -> Result<ExitCode, Trouble> {
    let mut checks = daemon(instance).await;
    checks.push(hook_program());
    checks.extend(claude::settings(instance));
    checks.push(claude::program().await);
    if format.json {
        output::print_json(&json!({ "checks": checks, "level": LEVEL }))?;
    } else {
        output::print(&report(&checks))?;
    }
    let is_well = checks.iter().all(|check| check.state != CheckState::Problem);
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

fn check(name: &str, state: CheckState, text: impl Into<String>, hint: impl Into<String>) -> Check {
    Check { name: name.to_owned(), state, text: text.into(), hint: hint.into() }
}

/// The daemon's own word; where it gives none, what can be told without it.
async fn daemon(instance: &Instance) -> Vec<Check> {
    match ask(instance).await {
        Ok(checks) => checks,
        Err(trouble) => {
            let words = trouble.words();
            let mut checks = vec![check("daemon", CheckState::Problem, words.text, words.hint)];
            checks.extend(folders(instance));
            checks.push(level());
            checks
        }
    }
}

async fn ask(instance: &Instance) -> Result<Vec<Check>, Trouble> {
    let mut connection = Connection::open(instance)?;
    let ControlReply::Status(status) = connection.ask(&ControlRequest::Status {}).await? else {
        return Err(Trouble::Unexpected);
    };
    let ours = env!("CARGO_PKG_VERSION");
    let running = format!("version {} answers, process {}", status.version, status.pid);
    let mut checks = vec![if status.version == ours {
        check("daemon", CheckState::Ok, running, "")
    } else {
        let text = format!("{running}; this program is {ours}");
        check("daemon", CheckState::Warning, text, "End it and start it again with `countersign up`.")
    }];
    match connection.ask(&ControlRequest::Doctor {}).await? {
        ControlReply::Doctor { checks: found } => checks.extend(found),
        _ => return Err(Trouble::Unexpected),
    }
    Ok(checks)
}

/// The folders of a daemon that isn't running; one that was never made is fine.
fn folders(instance: &Instance) -> Vec<Check> {
    let folders = [("state folder", place::state(instance)), ("socket folder", place::sockets(instance))];
    let one = |(name, path): (&str, Result<std::path::PathBuf, place::NoHome>)| {
        let path = match path {
            Ok(path) => path,
            Err(error) => return check(name, CheckState::Problem, error.to_string(), ""),
        };
        match folder::check(&path) {
            Ok(()) => check(name, CheckState::Ok, format!("`{}` is yours alone", path.display()), ""),
            Err(NotPrivate::Unreachable { why, .. }) if why.kind() == std::io::ErrorKind::NotFound => {
                check(name, CheckState::Ok, format!("`{}` is made at the first start", path.display()), "")
            }
            Err(error) => {
                let hint = format!("`{}` refuses to start until that is mended.", command(instance, "up"));
                check(name, CheckState::Problem, error.to_string(), hint)
            }
        }
    };
    folders.into_iter().map(one).collect()
}

fn level() -> Check {
    let text = format!(
        "level {LEVEL} of 4, one user: it stops mistakes and what stays inside an agent's tools, not programs that \
         already run as you"
    );
    check("protection", CheckState::Ok, text, "")
}

fn hook_program() -> Check {
    match setup::hook_beside_us() {
        Ok(hook) if setup::is_program(&hook) => {
            check("hook program", CheckState::Ok, format!("`{}`", hook.display()), "")
        }
        Ok(hook) => check(
            "hook program",
            CheckState::Problem,
            format!("`{}` is missing or can't be started", hook.display()),
            "Install it again, beside `countersign`.",
        ),
        Err(trouble) => check("hook program", CheckState::Problem, trouble.to_string(), ""),
    }
}

fn report(checks: &[Check]) -> String {
    let width = checks.iter().map(|check| check.name.chars().count()).max().unwrap_or_default();
    let mut text: String = checks.iter().map(|check| line(check, width)).collect();
    let count = |state| checks.iter().filter(|check| check.state == state).count();
    let (problems, notes) = (count(CheckState::Problem), count(CheckState::Warning));
    let noun = |count, one: &'static str, many: &'static str| if count == 1 { one } else { many };
    text.push_str(&match problems {
        0 => format!("\nNothing is wrong; {notes} {}.\n", noun(notes, "note", "notes")),
        _ => format!(
            "\n{problems} {} and {notes} {}.\n",
            noun(problems, "problem", "problems"),
            noun(notes, "note", "notes")
        ),
    });
    text
}

fn line(check: &Check, width: usize) -> String {
    let state = match check.state {
        CheckState::Ok => "ok",
        CheckState::Warning => "note",
        CheckState::Problem => "PROBLEM",
    };
    let mut line = format!("{state:<8} {:<width$}  {}\n", check.name, check.text);
    if !check.hint.is_empty() {
        line.push_str(&format!("{:>skip$}  → {}\n", "", check.hint, skip = width + 9));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finding_stands_with_its_fix_and_problems_are_counted() {
        let text = report(&[
            check("daemon", CheckState::Ok, "answers", ""),
            check("hooks", CheckState::Warning, "silent", "set them up"),
            check("lock file", CheckState::Problem, "gone", "mend it"),
        ]);
        assert!(text.contains("ok       daemon     answers\n"), "{text}");
        assert!(text.contains("PROBLEM  lock file  gone\n                    → mend it\n"), "{text}");
        assert!(text.ends_with("1 problem and 1 note.\n"), "{text}");
        assert!(report(&[]).contains("Nothing is wrong"));
    }
}
