//! The Windows shells: recognised, and read only as far as needed to see harm (LVL-3). A closed list of reads is yellow,
//! everything else yellow and unknown or worse; nothing here is ever green or for a line.

mod batch;
mod lexer;
mod power;
mod words;

use super::{
    facts::Reach,
    finding::Finding,
    program::entry::{UNKNOWN, UNKNOWN_RED},
    scene::Scene,
    word::Command,
};

/// How deep a shell may stand in a shell before it is not read any more.
const DEPTH: u8 = 6;

/// What a text for PowerShell would do.
pub(crate) fn judge_powershell(text: &str, scene: &Scene<'_>) -> Finding {
    closed(power::judge(text, scene, DEPTH))
}

/// What a start of PowerShell with these arguments would do.
pub(crate) fn judge_powershell_program(command: &Command, scene: &Scene<'_>) -> Finding {
    let mut finding = power::judge_start(&texts(command), scene, DEPTH);
    match &command.fed_text {
        Some(fed) => finding.worsen(power::judge(fed, scene, DEPTH)),
        None if command.is_fed => {
            finding.worsen(UNKNOWN_RED.because("runs commands that can't be seen here").finding())
        }
        None => {}
    }
    closed(unless_made(finding, command))
}

/// What a start of cmd with these arguments would do.
pub(crate) fn judge_cmd_program(command: &Command, scene: &Scene<'_>) -> Finding {
    let mut finding = batch::judge_start(&texts(command), scene, DEPTH);
    match &command.fed_text {
        Some(fed) => finding.worsen(batch::judge(fed, scene, DEPTH)),
        None if command.is_fed => {
            finding.worsen(UNKNOWN_RED.because("runs commands that can't be seen here").finding())
        }
        None => {}
    }
    closed(unless_made(finding, command))
}

fn texts(command: &Command) -> Vec<&str> {
    command.arguments().iter().map(|word| word.text.as_str()).collect()
}

/// A text that the outer shell makes while it runs is not known.
fn unless_made(mut finding: Finding, command: &Command) -> Finding {
    if command
        .arguments()
        .iter()
        .any(|word| !word.is_known && (word.text.contains("$(") || word.text.contains('`')))
    {
        finding.worsen(UNKNOWN_RED.because("runs text that is made while it runs").finding());
    }
    finding
}

/// No line allows what these shells run, and nothing of it is green.
fn closed(mut finding: Finding) -> Finding {
    finding.reach = Reach::Never;
    finding.level = finding.level.max(UNKNOWN.level);
    finding
}

#[cfg(test)]
mod tests;
