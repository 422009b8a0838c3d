//! The shape of the lists. Most entries are data; code stands only where a program's options decide.

use countersign_proto::request::{Class, Level};

use crate::classify::{
    facts::Reach,
    finding::Finding,
    program::walk::{may_hide_option, operands},
    scene::Scene,
    word::Command,
};

/// One line of a list: programs that behave alike.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Their bare names.
    pub(crate) names: &'static [&'static str],
    /// What they do.
    pub(crate) does: Does,
    /// Why it stands here.
    pub(crate) why: &'static str,
}

/// What a program does.
#[derive(Debug)]
pub(crate) enum Does {
    /// The same whatever its words are.
    Always(Fixed),
    /// Reads and is green, with nothing but these options; anything else is `otherwise`.
    Reads(Options, Fixed),
    /// The first judgement with nothing but these options; anything else is the second.
    Within(Options, Fixed, Fixed),
    /// Its options decide in a way that needs code.
    Code(fn(&Command, &Scene<'_>) -> Finding),
}

impl Entry {
    /// What a command that starts one of these programs does by itself.
    pub(crate) fn judge(&self, command: &Command, scene: &Scene<'_>) -> Finding {
        match &self.does {
            Does::Always(fixed) => fixed.finding(),
            Does::Reads(options, otherwise) => within(command, options, READ, *otherwise).finding(),
            Does::Within(options, does, otherwise) => within(command, options, *does, *otherwise).finding(),
            Does::Code(code) => code(command, scene),
        }
    }
}

fn within(command: &Command, options: &Options, does: Fixed, otherwise: Fixed) -> Fixed {
    // A word that turns out to be an option is harmless only where no option of the program is more than a read.
    let is_open = matches!(otherwise.class, Class::Read) || !may_hide_option(command.arguments());
    let is_known = operands(&[options], command.arguments()).is_some();
    if is_known && is_open { does } else { otherwise }
}

/// A closed list of options. Long ones only spelled out: shortened ones are not known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    /// Letters that stand alone or together (`-la`).
    pub(crate) letters: &'static str,
    /// Letters with a value, glued or as the next word (`-n5`, `-n 5`).
    pub(crate) valued: &'static str,
    /// Long options without a value, without dashes.
    pub(crate) long: &'static [&'static str],
    /// Long options with a value (`--color=auto`, `--color auto`).
    pub(crate) long_valued: &'static [&'static str],
    /// Whether `-5` is an option.
    pub(crate) number: bool,
}

/// No options at all.
pub(crate) const NO_OPTIONS: Options =
    Options { letters: "", valued: "", long: &[], long_valued: &[], number: false };

/// A judgement that needs no look at the words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fixed {
    pub(crate) class: Class,
    pub(crate) level: Level,
    pub(crate) reach: Reach,
    /// Whether content from outside comes in (TAINT-1).
    pub(crate) brings_in: bool,
    /// For the card: "deletes a remote branch". Empty where the class says it all.
    pub(crate) words: &'static str,
}

impl Fixed {
    /// Without words of its own.
    pub(crate) const fn of(class: Class, level: Level, reach: Reach) -> Self {
        Self { class, level, reach, brings_in: false, words: "" }
    }

    /// With words for the card.
    pub(crate) const fn because(self, words: &'static str) -> Self {
        Self { words, ..self }
    }

    /// Brings content from outside in.
    pub(crate) const fn bringing_in(self) -> Self {
        Self { brings_in: true, ..self }
    }

    /// As a finding.
    pub(crate) fn finding(self) -> Finding {
        let finding = Finding::of(self.class, self.level, self.reach);
        let finding = Finding { brings_in: self.brings_in, ..finding };
        if self.words.is_empty() { finding } else { finding.because(self.words) }
    }
}

/// Reads in the project: green.
pub(crate) const READ: Fixed = Fixed::of(Class::Read, Level::Green, Reach::Class);
/// Reads, but is not on the green list: a card, which a policy may answer.
pub(crate) const READ_ASKS: Fixed = Fixed::of(Class::Read, Level::Yellow, Reach::Class);
/// A known write that can be undone.
pub(crate) const WRITE: Fixed = Fixed::of(Class::Write, Level::Yellow, Reach::Class);
/// A write that may overwrite or unpack.
pub(crate) const WRITE_WIDE: Fixed = Fixed::of(Class::Write, Level::Yellow, Reach::Never);
/// A Git command that runs hooks.
pub(crate) const WRITE_HOOKS: Fixed = Fixed::of(Class::Write, Level::Yellow, Reach::File);
/// Runs code of the project: a build, a test, an interpreter, an install.
pub(crate) const RUNS_CODE: Fixed = Fixed::of(Class::Unknown, Level::Yellow, Reach::File);
/// Nobody foresaw it.
pub(crate) const UNKNOWN: Fixed = Fixed::of(Class::Unknown, Level::Yellow, Reach::Never);
/// Can't be told, and could do anything anywhere.
pub(crate) const UNKNOWN_RED: Fixed = Fixed::of(Class::Unknown, Level::Red, Reach::Never);
/// Deletes or overwrites single named files in the project.
pub(crate) const LOSES_FILE: Fixed = Fixed::of(Class::Destructive, Level::Yellow, Reach::Never);
/// Can't be undone.
pub(crate) const DESTRUCTIVE: Fixed = Fixed::of(Class::Destructive, Level::Red, Reach::Never);
/// Costs money.
pub(crate) const SPEND: Fixed = Fixed::of(Class::Spend, Level::Red, Reach::Never);
/// Reads from the network, and a broad line may allow it (POL-7).
pub(crate) const NETWORK_READ: Fixed = Fixed::of(Class::ReadExternal, Level::Red, Reach::Class).bringing_in();
/// Reads from the network; no line may allow it.
pub(crate) const NETWORK_READ_ASKS: Fixed =
    Fixed::of(Class::ReadExternal, Level::Red, Reach::Never).bringing_in();
/// Acts on the outside, and a broad line may allow it (POL-7).
pub(crate) const OUTSIDE: Fixed = Fixed::of(Class::External, Level::Red, Reach::Class);
/// Acts on the outside; no line may allow it.
pub(crate) const OUTSIDE_ASKS: Fixed = Fixed::of(Class::External, Level::Red, Reach::Never);
