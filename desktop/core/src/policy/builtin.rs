//! The two built-in policies by which green actions pass (LVL-1): texts that a person reads in full and accepts. What they
//! list is asked of the lists that decide, so that what is read is what holds; a release that lets more or less pass has
//! another text, and another text is accepted anew.

use std::{collections::BTreeSet, fmt::Write as _, sync::LazyLock};

use countersign_proto::request::{Class, Level};

use super::TextKind;
use crate::classify::{
    Action, Call, Program, Push, Real, Resolver, Script, Shell, classify,
    program::{
        self,
        entry::{Does, Entry, Options},
        local::git,
    },
};

/// A built-in policy's whole text; `None` for kinds that are not built in.
#[must_use]
pub fn text(kind: TextKind) -> Option<&'static String> {
    match kind {
        TextKind::GreenReads => Some(&GREEN_READS),
        TextKind::GreenWrites => Some(&GREEN_WRITES),
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
/dev/null. Plain words and quoted text only: no variables, no substitutions, no redirects to files, at most the options
that are known to read. Every program must lie where you can't write, such as /usr/bin, and every path must lead into
the folder.

";

const READS_TAIL: &str = "
Never part of it: paths outside the folder; .env files, keys, passwords and other closed paths; searching a folder that
holds any of them; git where its configuration starts programs; anything that writes, deletes, builds, tests, installs,
runs code or touches the network. A session that read content from outside the folder passes reads of the folder only.
";

const WRITES: &str = "\
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
    let mut text = READS_HEAD.to_owned();
    for entry in program::entries() {
        describe(&mut text, "", entry);
    }
    for entry in git::entries() {
        describe(&mut text, "git ", entry);
    }
    text.push_str(READS_TAIL);
    text
});

static GREEN_WRITES: LazyLock<String> = LazyLock::new(|| WRITES.to_owned());

/// The line of an entry: its names, those that are green with some words; what they do; and their options, where an
/// entry lists them.
fn describe(text: &mut String, before: &str, entry: &Entry) {
    let is_green =
        |name: &&&str| before.is_empty() && **name == "git" || is_ever_green(&format!("{before}{name}"));
    let names: Vec<&str> = entry.names.iter().filter(is_green).copied().collect();
    if names.is_empty() || names == ["git"] {
        return;
    }
    let names: Vec<String> = names.into_iter().map(|name| format!("{before}{name}")).collect();
    // A text has room for whatever is written into it.
    let _ = writeln!(text, "  {}: {}", names.join(", "), entry.why);
    if let Does::Reads(options, _) | Does::Within(options, ..) = &entry.does {
        let listed = options_of(options);
        if !listed.is_empty() {
            let _ = writeln!(text, "      options: {listed}");
        }
    }
}

/// Words with which a program that reads is likely to be green.
const TRIES: &[&str] = &[
    "",
    "x",
    "x y",
    "-n 1,5p x",
    "-n 1p x",
    "x -name y",
    ". -name y",
    "--list",
    "list",
    "-l",
    "-v",
    "--show-current",
    "--get x",
    "--get user.name",
    "-p x",
    "+%F",
    "aux",
    "HEAD",
    "--short HEAD",
    "show x",
];

/// Whether a program is green with any of the words that are tried.
fn is_ever_green(program: &str) -> bool {
    TRIES.iter().any(|words| is_green(format!("{program} {words}").trim_end()))
}

/// Whether a command passes as green read, in a project in which nothing is amiss.
fn is_green(command: &str) -> bool {
    let shell = Shell { script: Script::Bash(command.to_owned()), folder: None };
    let action = Action::Shell(shell);
    let call = Call {
        agent: "claude",
        tool: "Bash",
        action: &action,
        folder: "/home/u/project",
        worktree: "/home/u/project",
        home: "/home/u",
        takes_allow_lines: true,
        protected: &[],
        env_is_lifted: false,
    };
    let facts = classify(&call, &Plain);
    facts.level() == Level::Green && facts.class() == Class::Read
}

fn options_of(options: &Options) -> String {
    let mut all: BTreeSet<String> = BTreeSet::new();
    all.extend(options.letters.chars().map(|letter| format!("-{letter}")));
    all.extend(options.valued.chars().map(|letter| format!("-{letter} VALUE")));
    all.extend(options.long.iter().map(|long| format!("--{long}")));
    all.extend(options.long_valued.iter().map(|long| format!("--{long} VALUE")));
    if options.number {
        all.insert("-NUMBER".to_owned());
    }
    all.into_iter().collect::<Vec<_>>().join(" ")
}

/// A world without links, in which every program is the system's.
struct Plain;

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
    use super::*;

    #[test]
    fn scratch_text() {
        println!("{}", *GREEN_READS);
        println!("{}", GREEN_READS.len());
    }
}
