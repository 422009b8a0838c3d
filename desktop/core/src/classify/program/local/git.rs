//! Git, whole: options in front of the sub-command first, then the sub-command's own list. A sub-command that Git does
//! not have is an alias or an add-on: what those do can't be seen from here, so they are yellow and `unknown`.

mod control;
mod losses;
mod network;
mod push;
mod reads;
pub(crate) mod sequence;
mod settings;
mod writes;

mod global;

use std::{collections::BTreeMap, sync::LazyLock};

use self::global::Globals;
use super::super::entry::{Does, Entry, Fixed, READ_ASKS, UNKNOWN, UNKNOWN_RED};
use crate::classify::{
    facts::Reach,
    finding::Finding,
    scene::Scene,
    word::{Command, Word},
};
use countersign_proto::request::{Class, Level};

pub(crate) const ENTRIES: &[Entry] = &[Entry {
    names: &["git"],
    does: Does::Code(judge),
    why: "what it does stands in its sub-command, and in options in front of it",
}];

/// The lists of sub-commands: an entry's names are sub-commands, its first word is one.
const LISTS: &[&[Entry]] = &[
    reads::ENTRIES,
    writes::ENTRIES,
    losses::ENTRIES,
    control::ENTRIES,
    settings::ENTRIES,
    network::ENTRIES,
];

static BY_NAME: LazyLock<BTreeMap<&'static str, &'static Entry>> = LazyLock::new(|| {
    let entries = LISTS.iter().copied().flatten();
    entries.flat_map(|entry| entry.names.iter().map(move |name| (*name, entry))).collect()
});

/// Every sub-command of the lists, for texts that tell a person what they hold.
pub(crate) fn entries() -> impl Iterator<Item = &'static Entry> {
    LISTS.iter().copied().flatten()
}

/// What a command of Git does.
pub(crate) fn judge(command: &Command, scene: &Scene<'_>) -> Finding {
    let globals = Globals::of(command);
    let mut finding = match globals.rest.split_first() {
        None => READ_ASKS.finding(),
        Some((sub, _)) if !sub.is_known || sub.is_glob => {
            UNKNOWN_RED.because("Which Git command it is can't be told beforehand.").finding()
        }
        Some((sub, arguments)) => {
            let own =
                Command { words: globals.rest.to_vec(), folder: globals.folder.clone(), ..command.clone() };
            judge_sub(&sub.text, &own, arguments, scene)
        }
    };
    finding.worsen(globals.finding);
    let starts_programs =
        globals.folder.as_deref().is_none_or(|folder| scene.world.git_starts_programs(folder));
    if starts_programs {
        const STARTS: Fixed = Fixed::of(Class::Read, Level::Yellow, Reach::File);
        finding.worsen(STARTS.because("Git's configuration here starts programs of its own.").finding());
    }
    finding
}

fn judge_sub(sub: &str, own: &Command, arguments: &[Word], scene: &Scene<'_>) -> Finding {
    match BY_NAME.get(sub) {
        Some(entry) => entry.judge(own, scene),
        None if arguments.iter().any(|word| word.text == "--help") => READ_ASKS.finding(),
        None => UNKNOWN.because("An alias or add-on of Git, which can't be seen from here.").finding(),
    }
}

/// `git-push` is `git push`.
pub(crate) fn judge_dashed(sub: &str, command: &Command, scene: &Scene<'_>) -> Finding {
    let mut words = vec![Word::plain("git"), Word::plain(sub)];
    words.extend(command.arguments().iter().cloned());
    judge(&Command { words, ..command.clone() }, scene)
}

#[cfg(test)]
mod tests;
