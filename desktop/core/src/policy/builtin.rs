//! The two built-in policies by which green actions pass (LVL-1): texts that a person reads in full and accepts. What they
//! list is asked of the lists that decide, so that what is read is what holds; a release that lets more or less pass has
//! another text, and another text is accepted anew.

use std::{collections::BTreeSet, sync::LazyLock};

use countersign_proto::request::{Class, Level};

use super::TextKind;
use crate::classify::{
    Action, Call, Program, Push, Real, Resolver,
    program::{
        self,
        entry::{Does, Entry, Fixed, Options},
        local::git,
    },
    scene::Scene,
    word::{Command, Word},
};

/// A built-in policy's whole text; `None` for kinds that are not built in.
#[must_use]
pub fn text(kind: TextKind) -> Option<&'static str> {
    match kind {
        TextKind::GreenReads => Some(GREEN_READS.as_str()),
        TextKind::GreenWrites => Some(GREEN_WRITES),
        TextKind::Lines | TextKind::Permission => None,
    }
}

const READS_HEAD: &str = "\
Green reads: what passes without a card once you accept this text.

It holds for every agent that Countersign answers, in the folder in which it saw the agent's session start. A deny or
ask line of yours, or of whoever manages this machine, stops any of it. You can revoke it at any time, and cards come
back at once.

File tools: reading a file, listing a folder, and searching names or contents, where every path leads into that
folder, links followed.

Commands: those below, also several of them joined by `&&`, `||`, `;` and `|`, with nothing thrown away but to
/dev/null. Plain words and quoted text only: no variables, no substitutions, no redirects to files. Every program must
lie where you can't write, such as /usr/bin, and every path must lead into the folder.

";

const READS_TAIL: &str = "
Never part of it: paths outside the folder; .env files, keys, passwords and other closed paths; searching a folder that
holds any of them; git where its configuration starts programs; anything that writes, deletes, builds, tests, installs,
runs code or touches the network. A session that read content from outside the folder passes reads of the folder only.
";

const GREEN_WRITES: &str = "\
Green writes: what passes without a card once you accept this text. It is off unless you accept it.

It holds for every agent that Countersign answers, in the folder in which it saw the agent's session start. A deny or
ask line of yours, or of whoever manages this machine, stops any of it; `strict` switches it off for a project or an
agent. You can revoke it at any time, and cards come back at once.

File tools: creating a file and changing one, whole or in part, where every path leads into that folder, links
followed. The session's list of steps shows every change.

Mind: this covers files that run later, such as a Makefile, package.json, a build script, a test or a script of yours.
What an agent writes into them runs as you when you or anybody builds, tests or starts them.

Never part of it: commands of any kind; deleting and moving; anything in .git; settings, hooks, permissions, plugins and
MCP files of agents, and start-up files of shells; .env files, keys, passwords and other closed paths; paths outside the
folder.
";

static GREEN_READS: LazyLock<String> = LazyLock::new(|| {
    let (listed, others): (Vec<Green>, Vec<Green>) = green().partition(|green| green.options.is_some());
    let mut text = READS_HEAD.to_owned();
    text.push_str("With these options and no others:\n");
    for green in listed {
        let options = green.options.filter(|options| !options.is_empty());
        paragraph(&mut text, "  ", &format!("{}: {}.", green.names, green.why));
        paragraph(&mut text, "      ", &options.unwrap_or_else(|| "No options.".to_owned()));
    }
    text.push_str("\nIn the forms that do nothing but read and print, where they have others:\n");
    for green in others {
        paragraph(&mut text, "  ", &format!("{}: {}.", green.names, green.why));
    }
    text.push_str(READS_TAIL);
    text
});

/// One entry of the lists, as far as it is green.
struct Green {
    names: String,
    why: &'static str,
    /// Its options, where the entry lists all that it takes.
    options: Option<String>,
}

/// Everything that is ever green.
fn green() -> impl Iterator<Item = Green> {
    let programs = program::entries().filter(|entry| entry.names != ["git"]).map(|entry| ("", entry));
    let commands = git::entries().map(|entry| ("git ", entry));
    programs.chain(commands).filter_map(|(before, entry)| {
        let names: Vec<String> = entry
            .names
            .iter()
            .filter(|name| is_ever_green(entry, name))
            .map(|name| format!("{before}{name}"))
            .collect();
        let options = match &entry.does {
            Does::Reads(options, _) | Does::Within(options, ..) => Some(options_of(options)),
            Does::Always(_) | Does::Code(_) => None,
        };
        (!names.is_empty()).then(|| Green { names: names.join(", "), why: entry.why, options })
    })
}

/// Words with which a program that reads is likely to be green.
#[rustfmt::skip]
const TRIES: &[&str] = &[
    "", "x", "x y", "-n 1,5p x", "-n 1p x", "x -name y", ". -name y", "--list", "list", "-l", "-v", "--show-current",
    "--get x", "--get user.name", "-p x", "+%F", "aux", "HEAD", "--short HEAD", "show x", "HEAD:x", "-t HEAD", "--count HEAD",
];

/// Whether a program is green with any of the words that are tried.
fn is_ever_green(entry: &Entry, name: &str) -> bool {
    let reads = |fixed: &Fixed| fixed.level == Level::Green && fixed.class == Class::Read;
    match &entry.does {
        Does::Always(fixed) | Does::Within(_, fixed, _) => reads(fixed),
        Does::Reads(..) => true,
        Does::Code(_) => TRIES.iter().any(|words| is_green(entry, name, words)),
    }
}

/// Whether a program is green with these words, in a project in which nothing is amiss.
fn is_green(entry: &Entry, name: &str, words: &str) -> bool {
    const PROJECT: &str = "/home/u/project";
    let action = Action::Unknown(Vec::new());
    let call = Call {
        agent: "",
        tool: "",
        action: &action,
        folder: PROJECT,
        worktree: PROJECT,
        home: "/home/u",
        takes_allow_lines: true,
        protected: &[],
        env_is_lifted: false,
    };
    let words =
        core::iter::once(name).chain(words.split(' ').filter(|word| !word.is_empty())).map(Word::plain);
    let command = Command {
        words: words.collect(),
        assigned: Vec::new(),
        is_fed: false,
        fed_text: None,
        folder: Some(PROJECT.to_owned()),
    };
    let finding = entry.judge(&command, &Scene { call, world: &Plain });
    finding.level == Level::Green && finding.class == Class::Read
}

fn options_of(options: &Options) -> String {
    let mut all: BTreeSet<String> = BTreeSet::new();
    all.extend(options.letters.chars().map(|letter| format!("-{letter}")));
    all.extend(options.valued.chars().map(|letter| format!("-{letter}=…")));
    all.extend(options.long.iter().map(|long| format!("--{long}")));
    all.extend(options.long_valued.iter().map(|long| format!("--{long}=…")));
    if options.number {
        all.insert("-NUMBER".to_owned());
    }
    all.into_iter().collect::<Vec<_>>().join(" ")
}

/// Adds words, broken into lines that fit a terminal.
fn paragraph(text: &mut String, before: &str, words: &str) {
    const WIDTH: usize = 100;
    let mut width = 0;
    for word in words.split(' ') {
        let length = word.chars().count();
        if width == 0 || width + 1 + length > WIDTH {
            if width > 0 {
                text.push('\n');
            }
            text.push_str(before);
            text.push_str(word);
            width = before.len() + length;
        } else {
            text.push(' ');
            text.push_str(word);
            width += 1 + length;
        }
    }
    text.push('\n');
}

/// A world without links, in which every program is the system's.
pub(super) struct Plain;

impl Resolver for Plain {
    fn real(&self, path: &str) -> Real {
        Real::At(path.to_owned())
    }

    fn program(&self, name: &str, _: &str) -> Program {
        Program::Trusted(format!("/usr/bin/{name}"))
    }

    fn push(&self, _: &str) -> Push {
        Push::Unknown
    }

    fn git_starts_programs(&self, _: &str) -> bool {
        false
    }

    fn holds_private(&self, _: &str) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::classify::{Script, Shell, classify};

    #[test]
    fn every_program_that_a_green_command_runs_is_named_in_the_text() {
        let text = text(TextKind::GreenReads).unwrap();
        let names: BTreeSet<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')))
            .filter_map(|line| line.split_once(": "))
            .flat_map(|(names, _)| names.split(", "))
            .collect();
        let requests = include_str!("../../../../tests/corpus/dev.jsonl");
        let mut seen = BTreeSet::new();
        for line in requests.lines() {
            let request: Value = serde_json::from_str(line).unwrap();
            let Some(command) = request["input"]["command"].as_str() else { continue };
            let shell = Shell { script: Script::Bash(command.to_owned()), folder: None };
            let action = Action::Shell(shell);
            let call = Call {
                agent: "claude",
                tool: "Bash",
                action: &action,
                folder: "/home/u/proj",
                worktree: "/home/u/proj",
                home: "/home/u",
                takes_allow_lines: true,
                protected: &[],
                env_is_lifted: false,
            };
            let facts = classify(&call, &Plain);
            if facts.level() != Level::Green {
                continue;
            }
            for ran in &facts.shell().unwrap().ran {
                let program = ran.words[0].rsplit('/').next().unwrap();
                let sub = ran.words[1..].iter().find(|word| !word.starts_with('-'));
                let name =
                    if program == "git" { format!("git {}", sub.unwrap()) } else { program.to_owned() };
                assert!(names.contains(name.as_str()), "{command}: `{name}` is green and not in the text");
                seen.insert(name);
            }
        }
        assert!(seen.len() > 30, "only {seen:?} were green");
    }

    #[test]
    fn the_texts_tell_what_they_are_and_are_short_enough_to_be_read() {
        for (kind, first) in [(TextKind::GreenReads, "Green reads"), (TextKind::GreenWrites, "Green writes")]
        {
            let text = text(kind).unwrap();
            assert!(text.starts_with(first) && text.contains("revoke it") && text.contains(".env"));
            assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
            assert!(text.lines().count() < 200);
        }
        assert_eq!(text(TextKind::Lines), None);
    }
}
