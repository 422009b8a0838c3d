//! Programs that act on this machine's files and processes: the closed green list, other reads, whatever writes or
//! deletes files, Git, editors, and the shell's own commands.

pub(crate) mod git;

mod archives;
mod builtins;
mod copies;
mod deletes;
mod find;
mod green;
mod modes;
mod processes;
mod reads;
mod screens;
mod sed;
mod sort;
mod streams;
mod wrappers;

use super::entry::{Entry, Fixed};
use crate::classify::facts::Reach;
use countersign_proto::request::{Class, Level};

/// The lists of this folder.
pub(crate) const LISTS: &[&[Entry]] = &[
    green::ENTRIES,
    reads::ENTRIES,
    sort::ENTRIES,
    find::ENTRIES,
    deletes::ENTRIES,
    copies::ENTRIES,
    modes::ENTRIES,
    streams::ENTRIES,
    sed::ENTRIES,
    archives::ENTRIES,
    screens::ENTRIES,
    processes::ENTRIES,
    builtins::ENTRIES,
    wrappers::ENTRIES,
    git::ENTRIES,
];

/// A read with options that nobody listed: a card, and no line answers it.
const READ_ODD: Fixed = Fixed::of(Class::Read, Level::Yellow, Reach::Never)
    .because("Has options that are not on the green list.");
/// A read that no line answers, because nobody would name it in one.
const READ_NEVER: Fixed = Fixed::of(Class::Read, Level::Yellow, Reach::Never);
/// A read that may show secrets.
const READ_SECRETS: Fixed = Fixed::of(Class::Read, Level::Yellow, Reach::Never).because("May show secrets.");
/// A write that reaches far, such as a whole tree.
const WRITE_RED: Fixed = Fixed::of(Class::Write, Level::Red, Reach::Never);
/// An option starts a program.
const RUNS_OTHER: Fixed =
    super::entry::UNKNOWN_RED.because("Has an option that starts a program or changes what runs.");
/// Nobody foresaw these options.
const OPTION_UNKNOWN: Fixed = super::entry::UNKNOWN.because("Has options that are not known.");

#[cfg(test)]
mod tests;
