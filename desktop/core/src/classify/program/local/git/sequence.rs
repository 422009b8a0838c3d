//! What one command of a text does to the next: a push that names no branch goes where a checkout before it went.

use countersign_proto::text::Shown;

use crate::classify::{
    call::PROTECTED,
    facts::{Ran, Refused, RefusedFor},
    scene::Scene,
};

/// The refusal of a text that goes to a protected branch and then pushes what is checked out (REF-1).
pub(crate) fn refused(ran: &[Ran], scene: &Scene<'_>) -> Option<Refused> {
    let mut on: Option<&str> = None;
    for command in ran {
        let Some((sub, operands)) = git(command) else { continue };
        match sub {
            // The last word is where it goes; `-b NEW` leaves.
            "checkout" | "switch" => {
                let is_new = command
                    .words
                    .iter()
                    .any(|word| matches!(word.as_str(), "-b" | "-B" | "-c" | "-C" | "--create"));
                let to = operands.first().copied().filter(|_| !is_new);
                on = to.filter(|name| is_protected(name, scene));
            }
            "push" if operands.len() < 2 => {
                if let Some(name) = on {
                    let words = format!(
                        "No agent pushes to `{name}`: push to another branch, and let a person merge it."
                    );
                    return Some(Refused { about: RefusedFor::ProtectedBranch, words: Shown::line(&words) });
                }
            }
            _ => {}
        }
    }
    None
}

/// The sub-command of a Git command and its operands, options left out.
fn git(command: &Ran) -> Option<(&str, Vec<&str>)> {
    let (program, rest) = command.words.split_first()?;
    if program.rsplit('/').next() != Some("git") {
        return None;
    }
    let mut words = rest.iter().map(String::as_str).filter(|word| !word.starts_with('-'));
    Some((words.next()?, words.collect()))
}

fn is_protected(name: &str, scene: &Scene<'_>) -> bool {
    PROTECTED.contains(&name) || scene.call.protected.iter().any(|protected| protected == name)
}
