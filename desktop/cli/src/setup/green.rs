//! The two built-in green policies (LVL-1), offered when an agent is set up: shown whole, and accepted only by a person at a
//! terminal.

use countersign_ipc::{
    Instance,
    control::{PolicyKind, Status},
};

use crate::{
    accepted::{built_in, is_yes, send},
    arguments::Setup,
    output, status,
    trouble::{Trouble, command},
};

/// Shows the green policies, and asks to accept the one about reads.
pub async fn offer_green(instance: &Instance, setup: &Setup) -> Result<(), Trouble> {
    if setup.agent.is_none() || setup.remove || setup.dry_run || setup.json {
        return Ok(());
    }
    let status = match status::fetch(instance).await {
        Ok(status) => Some(status),
        Err(Trouble::NotRunning(_)) => None,
        Err(other) => return Err(other),
    };
    if status.as_ref().is_some_and(|status| status.decided.green_reads) {
        return output::print(
            "Simple reads inside a project pass without a card: you accepted green reads.\n",
        );
    }
    output::print(&shown(instance))?;
    let is_asked = !setup.yes && output::is_interactive();
    output::print(&answered(instance, status.as_ref(), is_asked))?;
    if status.is_none() || !is_asked {
        return Ok(());
    }
    let accepted = is_yes("Accept green reads? [Y/n] ", true)?;
    let Some(text) = built_in(PolicyKind::GreenReads).filter(|_| accepted) else {
        return output::print(&declined(instance));
    };
    send(instance, text).await?;
    output::print("Accepted: simple reads inside a project pass without a card from now on.\n")
}

/// Both texts, whole.
fn shown(instance: &Instance) -> String {
    let text = |kind| {
        let text = built_in(kind).map(|text| text.text).unwrap_or_default();
        text.lines().map(|line| format!("    {line}\n")).collect::<String>()
    };
    format!(
        "\nTwo built-in policies save you cards. The first, for reads:\n\n{}\nThe second, for writes, is off unless you turn it on \
         with `{}`:\n\n{}\n",
        text(PolicyKind::GreenReads),
        command(instance, "policy accept --green-writes"),
        text(PolicyKind::GreenWrites),
    )
}

/// Why nobody is asked, where that is so.
fn answered(instance: &Instance, status: Option<&Status>, is_asked: bool) -> String {
    let accept = command(instance, "policy accept --green-reads");
    match status {
        None => format!(
            "Countersign is not running, so nothing was accepted. Once it runs (`{}`), accept green reads with `{accept}`.\n",
            command(instance, "up")
        ),
        Some(_) if is_asked => String::new(),
        Some(_) => {
            format!("Nobody was asked, so nothing was accepted. Accept green reads with `{accept}`.\n")
        }
    }
}

fn declined(instance: &Instance) -> String {
    format!(
        "Not accepted: every read that reaches Countersign gets a card. Later: `{}`.\n",
        command(instance, "policy accept --green-reads")
    )
}

#[cfg(test)]
mod tests {
    use countersign_core::policy::{TextKind, builtin};

    use super::*;
    use crate::samples;

    #[test]
    fn both_policies_are_shown_to_their_last_line() {
        let text = shown(&Instance::MAIN);
        for kind in [TextKind::GreenReads, TextKind::GreenWrites] {
            for line in builtin::text(kind).unwrap().lines() {
                assert!(text.contains(line), "{line}");
            }
        }
        assert!(text.contains("`countersign policy accept --green-writes`"));
    }

    #[test]
    fn where_nobody_is_asked_nothing_is_accepted_and_the_way_to_do_so_is_told() {
        let away = answered(&Instance::MAIN, None, true);
        assert!(away.contains("not running") && away.contains("policy accept --green-reads"), "{away}");
        let status = samples::status();
        let unasked = answered(&Instance::MAIN, Some(&status), false);
        assert!(unasked.contains("nothing was accepted"), "{unasked}");
        assert!(answered(&Instance::MAIN, Some(&status), true).is_empty());
    }
}
