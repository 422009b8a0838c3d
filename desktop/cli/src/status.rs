//! How things stand: `status` in full, and the bare command with the one next step.

use countersign_ipc::{
    Instance,
    control::{ControlReply, ControlRequest, DecidedCounts, RelayState, Status},
};
use serde_json::json;

use crate::{
    arguments::Format,
    connection, moment, output,
    setup::{self, Standing},
    trouble::{Trouble, command},
};

/// `status`
pub async fn run(instance: &Instance, format: Format) -> Result<(), Trouble> {
    let status = fetch(instance).await?;
    if format.json {
        return output::print_json(&status);
    }
    output::print(&full(&status))
}

/// The bare command.
pub async fn bare(instance: &Instance) -> Result<(), Trouble> {
    let status = match fetch(instance).await {
        Ok(status) => Some(status),
        Err(Trouble::NotRunning(_)) => None,
        Err(other) => return Err(other),
    };
    let claude = setup::standing(instance);
    output::print(&format!("{}{}", state(status.as_ref()), next(instance, status.as_ref(), claude)))
}

/// `version`
pub fn version(format: Format) -> Result<(), Trouble> {
    let version = env!("CARGO_PKG_VERSION");
    if format.json {
        return output::print_json(&json!({ "version": version }));
    }
    output::print(&format!("countersign {version}\n"))
}

/// How an instance's daemon is.
pub async fn fetch(instance: &Instance) -> Result<Status, Trouble> {
    match connection::ask(instance, &ControlRequest::Status {}).await? {
        ControlReply::Status(status) => Ok(*status),
        _ => Err(Trouble::Unexpected),
    }
}

fn state(status: Option<&Status>) -> String {
    let Some(status) = status else {
        return "Countersign is not running. Agents ask in their own terminal.\n".to_owned();
    };
    let demo = if status.demo { " as a DEMO" } else { "" };
    let lock = if status.locked { "Locked: everything is denied.\n" } else { "" };
    let pause =
        if status.paused { "Paused: agents ask in their terminals, and nothing passes.\n" } else { "" };
    let cards = match status.pending {
        0 => "No card waits.".to_owned(),
        1 => "1 card waits.".to_owned(),
        several => format!("{several} cards wait."),
    };
    format!("Countersign {} is running{demo}.\n{lock}{pause}{cards} {}\n", status.version, phones(status))
}

fn phones(status: &Status) -> String {
    match (status.phones, status.phones_connected) {
        (0, _) => "No phone is paired.".to_owned(),
        (1, 1) => "Your phone is connected.".to_owned(),
        (1, _) => "Your phone is not connected.".to_owned(),
        (phones, connected) => format!("{connected} of {phones} phones are connected."),
    }
}

fn next(instance: &Instance, status: Option<&Status>, claude: Standing) -> String {
    let step = |what: &str, words: &str| format!("Next: {what}: {}\n", command(instance, words));
    let Some(status) = status else {
        let up = if instance.name() == Some("demo") { "up --demo" } else { "up" };
        let demo = if instance.name().is_none() {
            "Or try it with a demo phone: countersign up --demo\n"
        } else {
            ""
        };
        return format!("{}{demo}", step("start it, in a terminal of its own", up));
    };
    if status.locked {
        return step("open the doors again", "unlock");
    }
    if status.paused {
        return step("go back to work", "resume");
    }
    if status.pending > 0 {
        return step("answer it here", "watch");
    }
    match claude {
        Standing::Missing => return step("connect an agent", "setup claude"),
        Standing::Outdated => return step("bring the agent's hooks up to date", "setup claude"),
        Standing::Installed | Standing::Unknown => {}
    }
    if !status.decided.green_reads {
        return step("let simple reads inside projects pass without a card", "policy accept --green-reads");
    }
    if status.phones == 0 {
        return step("pair a phone", "pair")
            + &format!("Or answer cards here: {}\n", command(instance, "watch"));
    }
    step("nothing; to answer cards at the desktop", "watch")
}

/// What was accepted and is in force.
fn accepted(decided: &DecidedCounts) -> String {
    let DecidedCounts { policies, permission_files, texts_suspended, green_reads, green_writes, .. } =
        decided;
    let mut parts: Vec<String> = Vec::new();
    parts.extend(green_reads.then(|| "green reads".to_owned()));
    parts.extend(green_writes.then(|| "green writes".to_owned()));
    let count = |count: u32, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {many}")),
    };
    parts.extend(count(*policies, "policy", "policies"));
    parts.extend(count(*permission_files, "permission file", "permission files"));
    parts.extend(count(*texts_suspended, "SUSPENDED text", "SUSPENDED texts"));
    if parts.is_empty() { "nothing: every request asks".to_owned() } else { parts.join(", ") }
}

fn rules(decided: &DecidedCounts) -> String {
    let suspended = match decided.rules_suspended {
        0 => String::new(),
        count => format!(", {count} SUSPENDED"),
    };
    format!("{}{suspended}", decided.rules)
}

fn full(status: &Status) -> String {
    let row = |name: &str, value: String| format!("{name:<10} {value}\n");
    let demo = if status.demo { ", DEMO: software keys count" } else { "" };
    let instance = status.instance.as_deref().map_or_else(String::new, |name| format!(" `{name}`"));
    let relay = match &status.relay {
        RelayState::Off {} => "off: no phone is switched on, nothing is dialled".to_owned(),
        RelayState::Connected { relay } => format!("connected to {relay}"),
        RelayState::Connecting { relay, trouble } if trouble.is_empty() => format!("connecting to {relay}"),
        RelayState::Connecting { relay, trouble } => format!("can't reach {relay}: {trouble}"),
    };
    let hook =
        status.last_hook_call.as_deref().map_or_else(|| "none since the start".to_owned(), moment::local);
    [
        row("daemon", format!("{}{instance}, process {}{demo}", status.version, status.pid)),
        row("started", moment::local(&status.started)),
        row("locked", if status.locked { "yes: everything is denied" } else { "no" }.to_owned()),
        row("paused", if status.paused { "yes: agents ask in their terminals" } else { "no" }.to_owned()),
        row("strict", if status.strict.is_empty() { "nothing".to_owned() } else { status.strict.join(", ") }),
        row("accepted", accepted(&status.decided)),
        row("always", rules(&status.decided)),
        row("waiting", status.pending.to_string()),
        row("phones", format!("{}, {} connected", status.phones, status.phones_connected)),
        row("relay", relay),
        row("sessions", status.sessions.to_string()),
        row("last call", hook),
        row("sockets", status.sockets.clone()),
        row("state", status.state.clone()),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn step(status: &Status, claude: Standing) -> String {
        next(&Instance::MAIN, Some(status), claude)
    }

    #[test]
    fn without_a_daemon_the_next_step_is_to_start_it() {
        assert!(state(None).contains("Agents ask in their own terminal."));
        assert!(next(&Instance::MAIN, None, Standing::Missing).contains(": countersign up\n"));
        let demo = next(&"demo".parse().unwrap(), None, Standing::Missing);
        assert!(demo.contains("countersign --instance demo up --demo\n"), "{demo}");
    }

    #[test]
    fn the_next_step_is_the_first_thing_that_is_missing() {
        let mut status = samples::status();
        assert!(step(&status, Standing::Missing).contains("countersign setup claude"));
        assert!(step(&status, Standing::Installed).contains("countersign policy accept --green-reads"));
        status.decided.green_reads = true;
        assert!(step(&status, Standing::Installed).contains("countersign pair"));
        status.phones = 1;
        assert!(step(&status, Standing::Installed).contains("countersign watch"));
        status.pending = 1;
        assert!(step(&status, Standing::Missing).contains("countersign watch"));
        status.paused = true;
        assert!(step(&status, Standing::Missing).contains("countersign resume"));
        status.locked = true;
        assert!(step(&status, Standing::Missing).contains("countersign unlock"));
    }

    #[test]
    fn what_was_decided_before_is_told_and_what_is_suspended_stands_out() {
        let mut status = samples::status();
        assert!(full(&status).contains("accepted   nothing: every request asks\n"), "{}", full(&status));
        status.paused = true;
        status.strict = vec!["agent codex".into()];
        status.decided = DecidedCounts {
            rules: 2,
            rules_suspended: 1,
            policies: 1,
            permission_files: 2,
            texts_suspended: 1,
            green_reads: true,
            green_writes: false,
        };
        let text = full(&status);
        for part in [
            "accepted   green reads, 1 policy, 2 permission files, 1 SUSPENDED text\n",
            "always     2, 1 SUSPENDED\n",
            "strict     agent codex\n",
            "paused     yes",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(state(Some(&status)).contains("Paused: agents ask in their terminals"));
    }

    #[test]
    fn a_demo_and_a_lock_are_never_left_out() {
        let mut status = samples::status();
        status.demo = true;
        status.locked = true;
        for text in [state(Some(&status)), full(&status)] {
            assert!(text.contains("DEMO") && text.contains("everything is denied"), "{text}");
        }
    }
}
