//! A world where nothing is out of the ordinary, a splitter for plain commands, and what holds for all lists.

use countersign_proto::request::{Class, Level};
use proptest::prelude::*;

use super::*;
use crate::classify::{Action, Call, Program, Push, Real, Resolver, facts::Reach, word::Word};

/// A trusted system, and a repository on one branch.
struct World {
    branch: Option<&'static str>,
    git_starts_programs: bool,
    holds_private: bool,
}

const QUIET: World = World { branch: Some("topic"), git_starts_programs: false, holds_private: false };

impl Resolver for World {
    fn real(&self, path: &str) -> Real {
        Real::At(path.to_owned())
    }

    fn program(&self, name: &str, _: &str) -> Program {
        Program::Trusted(format!("/usr/bin/{name}"))
    }

    fn push(&self, _: &str) -> Push {
        self.branch.map_or(Push::Unknown, |branch| Push::To(vec![branch.to_owned()]))
    }

    fn git_starts_programs(&self, _: &str) -> bool {
        self.git_starts_programs
    }

    fn holds_private(&self, _: &str) -> bool {
        self.holds_private
    }
}

/// Splits a command without operators or substitutions, as a shell would.
fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut current: Option<Word> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if quote.is_none() && c == ' ' {
            words.extend(current.take());
            continue;
        }
        let word = current.get_or_insert_with(|| Word::plain(""));
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.is_quoted = true;
            }
            (None, '\\') => {
                word.is_quoted = true;
                word.text.extend(chars.next());
            }
            (open, c) => {
                word.is_known &= c != '$' || open == Some('\'');
                word.is_glob |= open.is_none() && matches!(c, '*' | '?');
                word.text.push(c);
            }
        }
    }
    words.extend(current);
    words
}

fn judged_in(world: &World, text: &str) -> Finding {
    let mut words = words(text);
    let is_assignment = |word: &Word| {
        word.text
            .split_once('=')
            .is_some_and(|(name, _)| name.chars().all(|c| c.is_alphanumeric() || c == '_'))
    };
    let behind = words.iter().position(|word| !is_assignment(word)).unwrap_or(words.len());
    let words_behind = words.split_off(behind);
    let assigned =
        words.iter().map(|word| word.text.split('=').next().unwrap_or_default().to_owned()).collect();
    let command = Command {
        words: words_behind,
        assigned,
        is_fed: false,
        fed_text: None,
        folder: Some("/home/u/proj".to_owned()),
    };
    let action = Action::Unknown(Vec::new());
    let protected = ["Release".to_owned()];
    let call = Call {
        agent: "claude",
        tool: "Bash",
        action: &action,
        folder: "/home/u/proj",
        worktree: "/home/u/proj",
        home: "/home/u",
        takes_allow_lines: true,
        protected: &protected,
        env_is_lifted: false,
    };
    judge(&command, &Scene { call, world })
}

/// What a command comes to in a quiet world.
pub(super) fn judged(text: &str) -> Finding {
    judged_in(&QUIET, text)
}

/// A command on the branch `main`.
pub(super) fn judged_on_main(text: &str) -> Finding {
    judged_in(&World { branch: Some("main"), ..QUIET }, text)
}

/// A command in a repository whose branch can't be told.
pub(super) fn judged_nowhere(text: &str) -> Finding {
    judged_in(&World { branch: None, ..QUIET }, text)
}

/// A command where Git's configuration starts programs.
pub(super) fn judged_where_git_starts_programs(text: &str) -> Finding {
    judged_in(&World { git_starts_programs: true, ..QUIET }, text)
}

/// A command in a tree that holds a private file.
pub(super) fn judged_beside_private_files(text: &str) -> Finding {
    judged_in(&World { holds_private: true, ..QUIET }, text)
}

/// Demands class, level and reach of every command.
pub(super) fn all_are(fixed: entry::Fixed, commands: &[&str]) {
    for text in commands {
        let finding = judged(text);
        assert_eq!(
            (finding.class, finding.level, finding.reach, finding.refused.is_some()),
            (fixed.class, fixed.level, fixed.reach, false),
            "{text}"
        );
    }
}

/// Demands a class and a level of every command.
pub(super) fn all_weigh(class: Class, level: Level, commands: &[&str]) {
    for text in commands {
        let finding = judged(text);
        assert_eq!((finding.class, finding.level), (class, level), "{text}");
    }
}

/// Demands at least this level, no line and, for red, no *Always*.
pub(super) fn all_are_at_least(level: Level, commands: &[&str]) {
    for text in commands {
        let finding = judged(text);
        assert!(finding.level >= level, "{text}: {:?}", finding.level);
        assert!(finding.level != Level::Red || !finding.may_remember, "{text}");
    }
}

#[test]
fn every_program_is_named_once_and_every_entry_says_why() {
    let mut names = std::collections::BTreeSet::new();
    for entry in LISTS.iter().copied().flatten().copied().flatten() {
        assert!(!entry.why.is_empty() && !entry.names.is_empty(), "{:?}", entry.names);
        for name in entry.names {
            assert!(names.insert(*name), "{name} stands on two lists");
        }
    }
}

#[test]
fn a_program_that_nobody_listed_is_yellow_and_unknown() {
    all_are(UNKNOWN, &["unknowncmd --help", "frobnicate", "LSX", "rmx -rf build"]);
}

#[test]
fn a_name_that_can_not_be_known_is_red() {
    all_are(UNKNOWN_RED, &["$x -rf build", "/b?n/r? -rf build", "r* -rf build"]);
}

#[test]
fn a_system_path_is_the_program_of_that_name() {
    all_are(entry::READ, &["/bin/ls", "/usr/bin/cat README.md"]);
    all_are(entry::DESTRUCTIVE, &["/bin/rm -rf build", "/usr/bin/rm -r build"]);
}

#[test]
fn a_file_of_the_project_runs_as_code_that_a_rule_hashes_and_is_no_way_around_a_list() {
    let finding = judged("./run.sh --fast");
    assert_eq!((finding.class, finding.level, finding.reach), (Class::Unknown, Level::Yellow, Reach::File));
    assert_eq!(finding.drivers, ["./run.sh"]);
    assert_eq!(judged("./ls").level, Level::Yellow);
    assert_eq!(judged("tools/rm -rf build").level, Level::Red);
    assert_eq!(judged("/usr/bin/../../home/u/ls").class, Class::Unknown);
}

#[test]
fn other_spellings_of_a_name_are_no_way_around_a_list() {
    all_weigh(
        Class::Destructive,
        Level::Red,
        &["RM -rf build", "rm.exe -rf build", "grm -rf build", "git.exe reset --hard"],
    );
    all_weigh(Class::Unknown, Level::Yellow, &["LS", "ls.exe"]);
    assert!(judged("git-push origin main").refused.is_some());
    assert!(judged("GIT push origin main").refused.is_some());
}

#[test]
fn variables_in_front_end_green_and_risky_ones_are_red() {
    all_weigh(Class::Read, Level::Yellow, &["A=1 ls", "CI=true git status", "LANG=C sort a"]);
    all_weigh(
        Class::Unknown,
        Level::Red,
        &[
            "LD_PRELOAD=./x.so ls",
            "PAGER=./x git log",
            "PATH=./bin ls",
            "GIT_EXTERNAL_DIFF=./x git diff",
            "BASH_ENV=x ls",
        ],
    );
    assert_eq!(judged("A=1 ls").reach, Reach::Never);
    assert_eq!(judged("FOO=1 BAR=2 rm -rf build").class, Class::Destructive);
}

#[test]
fn a_word_that_can_not_be_known_ends_green() {
    all_are_at_least(Level::Yellow, &["ls $X", "echo $X", "cat \"$X\"", "git log $X", "uniq $X"]);
}

proptest! {
    #[test]
    fn more_words_never_make_a_harmful_command_harmless(
        start in prop::sample::select(vec!["rm -rf build", "git reset --hard", "git push origin main", "find . -delete", "shred a"]),
        words in prop::collection::vec("[a-z./=-]{1,8}", 0..4),
    ) {
        let text = format!("{start} {}", words.join(" "));
        prop_assert_eq!(judged(&text).class >= Class::Read, true);
        prop_assert!(judged(&text).level >= Level::Yellow);
        prop_assert!(!judged(&text).may_remember, "{}", text);
    }

    #[test]
    fn any_words_have_a_result(words in prop::collection::vec("\\PC{1,12}", 1..6)) {
        judged(&words.join(" "));
    }
}
