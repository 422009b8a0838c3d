//! What is well and what is not, as far as the daemon itself can see. What stands in agents' settings files is looked at
//! by whoever can say where the hook program is.

use countersign_ipc::{
    control::{Check, CheckState, DecidedCounts, RelayState},
    folder, place,
};

use crate::{eventloop::Ended, keys::Protection, log, status::House};

/// Every check.
///
/// # Errors
/// [`Ended`].
pub async fn checks(house: &House) -> Result<Vec<Check>, Ended> {
    let status = house.status().await?;
    let phones = house.phones().await?;
    let mut checks = vec![
        socket(house, "hook socket", place::HOOK_SOCKET),
        socket(house, "control socket", place::CONTROL_SOCKET),
        state_folder(house),
        memory(house),
        audit_log(house).await,
        hooks(status.last_hook_call.as_deref()),
        relay(&status.relay),
        self::phones(status.phones, phones.iter().filter(|phone| phone.state == suspended()).count()),
        green(&status.decided),
        texts(&status.decided),
        rules(&status.decided),
        level(),
    ];
    if status.paused {
        let text = "paused: agents ask in their terminals, no card comes and nothing passes";
        checks.push(check("pause", CheckState::Warning, text, "`countersign resume` goes back to work"));
    }
    if !status.strict.is_empty() {
        let text = format!("strict: {}", status.strict.join(", "));
        checks.push(check("strict", CheckState::Ok, &text, ""));
    }
    if status.locked {
        let text = "every door but deny is closed";
        checks.push(check("lock", CheckState::Warning, text, "`countersign unlock` opens them again"));
    }
    if status.demo {
        let text = "this is a demo: software keys count, and only projects below /tmp are asked about";
        checks.push(check(
            "demo",
            CheckState::Warning,
            text,
            "for daily use start `countersign up` without --demo",
        ));
    }
    Ok(checks)
}

const fn suspended() -> countersign_ipc::control::PhoneState {
    countersign_ipc::control::PhoneState::Suspended
}

fn check(name: &str, state: CheckState, text: &str, hint: &str) -> Check {
    Check { name: name.to_owned(), state, text: text.to_owned(), hint: hint.to_owned() }
}

fn socket(house: &House, name: &str, file: &str) -> Check {
    let path = house.about.sockets.join(file);
    match folder::check_socket(&path) {
        Ok(()) => check(name, CheckState::Ok, &format!("`{}` is yours alone", path.display()), ""),
        Err(error) => check(name, CheckState::Problem, &error.to_string(), "start the daemon again"),
    }
}

fn state_folder(house: &House) -> Check {
    let checked = folder::check(&house.about.state).and_then(|()| folder::check_file(house.store.file()));
    match checked {
        Ok(()) => {
            let text = format!("`{}` is yours alone", house.about.state.display());
            check("state folder", CheckState::Ok, &text, "")
        }
        Err(error) => {
            check("state folder", CheckState::Problem, &error.to_string(), "end the daemon and mend it")
        }
    }
}

fn memory(house: &House) -> Check {
    let Protection { is_closed, is_kept_in_memory } = house.about.protection;
    match (is_closed, is_kept_in_memory) {
        (true, true) => check("memory", CheckState::Ok, "closed to debuggers, core files and swap", ""),
        (true, false) => {
            let text =
                "closed to debuggers and core files; the system may write it to swap, so have that encrypted";
            check("memory", CheckState::Ok, text, "")
        }
        (false, _) => {
            let text = "the system does not let this process close its memory to debuggers or core files";
            check("memory", CheckState::Problem, text, "look for limits of a container or sandbox around it")
        }
    }
}

async fn audit_log(house: &House) -> Check {
    match log::verify(&house.store).await {
        Ok(report) if report.problems.is_empty() => {
            let text = format!("{} entries and {} signatures verify", report.entries, report.signatures);
            check("audit log", CheckState::Ok, &text, "")
        }
        Ok(report) => {
            let text = report.problems.first().cloned().unwrap_or_default();
            check(
                "audit log",
                CheckState::Problem,
                &text,
                "`countersign log verify` tells all; keep a copy of the folder",
            )
        }
        Err(error) => check("audit log", CheckState::Problem, &error.to_string(), "look at the disk"),
    }
}

fn hooks(last_call: Option<&str>) -> Check {
    match last_call {
        Some(at) => check("hooks", CheckState::Ok, &format!("an agent's hook last called at {at}"), ""),
        None => check(
            "hooks",
            CheckState::Warning,
            "no agent's hook has called since the start",
            "run `countersign setup claude`, then restart running sessions",
        ),
    }
}

fn relay(relay: &RelayState) -> Check {
    match relay {
        RelayState::Off {} => {
            check("relay", CheckState::Ok, "no phone is switched on; nothing is dialled", "")
        }
        RelayState::Connected { relay } => {
            check("relay", CheckState::Ok, &format!("connected to {relay}"), "")
        }
        RelayState::Connecting { relay, trouble } if trouble.is_empty() => {
            check("relay", CheckState::Warning, &format!("connecting to {relay}"), "")
        }
        RelayState::Connecting { relay, trouble } => {
            let hint =
                "phones can't be asked until it is reached; the desktop and the terminal answer meanwhile";
            check("relay", CheckState::Problem, &format!("{relay}: {trouble}"), hint)
        }
    }
}

fn phones(active: u32, suspended: usize) -> Check {
    match (active, suspended) {
        (0, _) => check("phones", CheckState::Ok, "none is paired; cards are answered at the desktop", ""),
        (active, 0) => check("phones", CheckState::Ok, &format!("{active} may decide"), ""),
        (active, suspended) => check(
            "phones",
            CheckState::Warning,
            &format!("{active} paired, of which {suspended} may only deny until someone looks"),
            "`countersign phones list` says which; revoke it and pair anew if you don't know why",
        ),
    }
}

fn green(decided: &DecidedCounts) -> Check {
    match (decided.green_reads, decided.green_writes) {
        (true, true) => {
            check("green", CheckState::Ok, "green reads and green writes pass inside projects", "")
        }
        (true, false) => check("green", CheckState::Ok, "green reads pass inside projects; writes ask", ""),
        (false, is_open) => {
            let writes = if is_open { "; green writes pass" } else { "" };
            let text =
                format!("green reads were not accepted: every read that reaches us gets a card{writes}");
            check(
                "green",
                CheckState::Warning,
                &text,
                "`countersign policy accept --green-reads` shows and accepts them",
            )
        }
    }
}

fn texts(decided: &DecidedCounts) -> Check {
    let text =
        format!("policies in force: {}, permission files: {}", decided.policies, decided.permission_files);
    match decided.texts_suspended {
        0 => check("policies", CheckState::Ok, &text, ""),
        suspended => {
            let text =
                format!("{text}; {suspended} suspended, since the phone they were accepted on was revoked");
            check(
                "policies",
                CheckState::Warning,
                &text,
                "`countersign policy list` shows them: accept again, or revoke",
            )
        }
    }
}

fn rules(decided: &DecidedCounts) -> Check {
    let text = format!("always allowed: {}", decided.rules);
    match decided.rules_suspended {
        0 => check("rules", CheckState::Ok, &text, ""),
        suspended => {
            let text =
                format!("{text}; {suspended} suspended, since the phone they were saved on was revoked");
            check(
                "rules",
                CheckState::Warning,
                &text,
                "`countersign rules list` shows them: resume, or remove",
            )
        }
    }
}

/// The levels of protocol.md §11.
fn level() -> Check {
    check(
        "protection",
        CheckState::Ok,
        "level 1 of 4, one user: it stops mistakes and what stays inside an agent's tools, not programs that already \
         run as you",
        "",
    )
}
