//! Git's commands for branches, tags, the stash, remotes, worktrees and what is checked out: each reads, writes or
//! loses work, depending on its words.

use super::super::{OPTION_UNKNOWN, RUNS_OTHER};
use crate::classify::{
    facts::Reach,
    finding::Finding,
    program::{
        entry::{
            DESTRUCTIVE, Does, Entry, Fixed, NO_OPTIONS, Options, READ, READ_ASKS, UNKNOWN_RED, WRITE,
            WRITE_HOOKS, WRITE_WIDE,
        },
        walk::{Looks, may_hide_option, operands},
    },
    scene::Scene,
    word::{Command, Word},
};
use countersign_proto::{
    request::{Class, Level},
    text::Shown,
};

pub(super) const ENTRIES: &[Entry] = &[
    Entry { names: &["branch"], does: Does::Code(branch), why: "lists, makes, moves and deletes branches" },
    Entry { names: &["tag"], does: Does::Code(tag), why: "lists, makes, moves and deletes tags" },
    Entry { names: &["stash"], does: Does::Code(stash), why: "puts changes aside; drop and clear lose them" },
    Entry {
        names: &["remote"],
        does: Does::Code(remote),
        why: "lists and changes remotes; some of it asks them",
    },
    Entry { names: &["worktree"], does: Does::Code(worktree), why: "lists, makes and removes worktrees" },
    Entry {
        names: &["checkout"],
        does: Does::Code(checkout),
        why: "changes the branch, or throws changes of files away",
    },
    Entry { names: &["switch"], does: Does::Code(switch), why: "changes the branch" },
    Entry {
        names: &["restore"],
        does: Does::Code(restore),
        why: "throws changes of files away; --staged only unstages",
    },
    Entry {
        names: &["reset"],
        does: Does::Code(reset),
        why: "unstages or moves the branch; --hard and its kin lose changes",
    },
];

/// A read that only a permission file may allow.
const READ_FILE: Fixed = Fixed::of(Class::Read, Level::Yellow, Reach::File);

const MOVES: &str = "Moves a branch or tag away from its commits.";

fn branch(command: &Command, _: &Scene<'_>) -> Finding {
    #[rustfmt::skip]
    const LISTS: Options = Options {
        letters: "avrilq",
        long: &[
            "all", "color", "column", "ignore-case", "list", "no-color", "no-column", "omit-empty",
            "remotes", "show-current", "verbose", "merged", "no-merged", "contains", "no-contains",
            "abbrev", "no-abbrev",
        ],
        long_valued: &[
            "abbrev", "color", "column", "contains", "format", "merged", "no-contains", "no-merged",
            "points-at", "sort",
        ],
        ..NO_OPTIONS
    };
    const MAKES: Options = Options {
        letters: "qt",
        long: &["quiet", "track", "no-track"],
        long_valued: &["track"],
        ..NO_OPTIONS
    };
    let arguments = command.arguments();
    let looks = Looks::of(arguments);
    if looks.has("dDMCf", &["delete", "force"]) {
        let deletes = looks.has("dD", &["delete"]);
        return DESTRUCTIVE.because(if deletes { "Deletes a branch." } else { MOVES }).finding();
    }
    if let Some(found) = operands(&[&LISTS], arguments) {
        let is_listing = looks.has("l", &["list"])
            || looks.options.iter().any(|option| {
                ["--contains", "--no-contains", "--merged", "--no-merged", "--points-at"]
                    .iter()
                    .any(|known| option.starts_with(known))
            });
        if found.is_empty() || (is_listing && !may_hide_option(arguments)) {
            return READ.finding();
        }
    }
    match operands(&[&MAKES], arguments) {
        Some(found) if (1..3).contains(&found.len()) => WRITE.finding(),
        Some(_) | None => WRITE_WIDE.finding(),
    }
}

fn tag(command: &Command, _: &Scene<'_>) -> Finding {
    #[rustfmt::skip]
    const LISTS: Options = Options {
        letters: "lni",
        long: &[
            "list", "column", "no-column", "ignore-case", "color", "omit-empty", "merged", "no-merged",
            "contains", "no-contains",
        ],
        long_valued: &[
            "sort", "format", "column", "contains", "no-contains", "merged", "no-merged", "points-at",
            "color",
        ],
        number: false,
        ..NO_OPTIONS
    };
    const MAKES: Options = Options {
        letters: "a",
        valued: "mF",
        long: &["annotate"],
        long_valued: &["message", "file"],
        ..NO_OPTIONS
    };
    let arguments = command.arguments();
    let looks = Looks::of(arguments);
    if looks.has("d", &["delete"]) {
        return DESTRUCTIVE.because("Deletes a tag.").finding();
    }
    if let Some(found) = operands(&[&LISTS], arguments) {
        let is_listing = !looks.options.is_empty();
        if found.is_empty() || (is_listing && !may_hide_option(arguments)) {
            return READ.finding();
        }
    }
    if let Some(found) = operands(&[&MAKES], arguments) {
        // Without a message an annotated tag opens an editor.
        let opens_editor = looks.has("a", &["annotate"]) && !looks.has("mF", &["message", "file"]);
        return if found.is_empty() || opens_editor { WRITE_WIDE.finding() } else { WRITE.finding() };
    }
    // Also where only a cluster holds it: what else stands in a cluster is unknown.
    if looks.has("f", &["force"]) {
        return DESTRUCTIVE.because(MOVES).finding();
    }
    WRITE_WIDE.finding()
}

fn stash(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    let first = command.arguments().first().map(|word| word.text.as_str());
    match first {
        Some("list") => super::reads::stash_list(command),
        Some("show") => super::reads::reflog(command),
        None | Some("push" | "save" | "pop" | "apply") => WRITE.finding(),
        Some("branch") => WRITE_HOOKS.finding(),
        Some("create" | "store" | "export" | "import") => WRITE_WIDE.finding(),
        Some("drop" | "clear") => DESTRUCTIVE.because("Throws changes away that were put aside.").finding(),
        Some(_) if looks.options.first().copied() == first => WRITE.finding(),
        Some(_) => OPTION_UNKNOWN.finding(),
    }
}

fn remote(command: &Command, scene: &Scene<'_>) -> Finding {
    let arguments = command.arguments();
    let words: Vec<&Word> =
        arguments.iter().skip_while(|word| matches!(word.text.as_str(), "-v" | "--verbose")).collect();
    match words.first().map(|word| word.text.as_str()) {
        None => READ.finding(),
        Some("get-url") => READ_ASKS.finding(),
        Some("show") if words.len() == 1 || words.iter().any(|word| word.text == "-n") => READ_ASKS.finding(),
        Some("show" | "update" | "prune") => super::network::asks("Asks a remote.").finding(),
        Some("set-head") if words.iter().any(|word| matches!(word.text.as_str(), "-a" | "--auto")) => {
            super::network::asks("Asks a remote.").finding()
        }
        Some("add") if Looks::of(arguments).has("f", &["fetch"]) => {
            super::network::of_addresses(command, scene)
        }
        Some("add" | "rename" | "set-url" | "set-branches" | "set-head") => {
            let mut finding = WRITE_WIDE.because("Changes where fetches and pushes go.").finding();
            finding.worsen(super::network::helper(arguments));
            finding
        }
        Some("remove" | "rm") => DESTRUCTIVE.because("Forgets a remote and its branches.").finding(),
        Some(_) => OPTION_UNKNOWN.finding(),
    }
}

fn worktree(command: &Command, _: &Scene<'_>) -> Finding {
    let looks = Looks::of(command.arguments());
    match looks.texts().next() {
        // Git's worktrees ask as a whole (POL-5).
        Some("list") => READ_FILE.finding(),
        Some("add") if looks.has("Bf", &["force"]) => DESTRUCTIVE.because(MOVES).finding(),
        Some("add") => WRITE_HOOKS.finding(),
        Some("remove") => DESTRUCTIVE.because("Deletes a worktree.").finding(),
        Some("move" | "lock" | "unlock" | "repair" | "prune") => WRITE_WIDE.finding(),
        Some(_) | None => OPTION_UNKNOWN.finding(),
    }
}

const DISCARDS: &str = "Throws away changes of files.";

fn discards(words: &[&Word]) -> Finding {
    let mut finding = DESTRUCTIVE.because(DISCARDS).finding();
    let list = super::super::deletes::list(words);
    finding.headline = list.map(|list| Shown::line(&format!("Wants to throw away changes of {list}")));
    finding
}

fn checkout(command: &Command, _: &Scene<'_>) -> Finding {
    #[rustfmt::skip]
    const SWITCHES: Options = Options {
        letters: "qdtlm",
        valued: "b",
        long: &[
            "detach", "guess", "ignore-other-worktrees", "merge", "no-guess", "no-overlay", "no-progress",
            "no-recurse-submodules", "no-track", "overlay", "progress", "quiet", "recurse-submodules",
            "track",
        ],
        long_valued: &["conflict", "orphan", "track"],
        ..NO_OPTIONS
    };
    let arguments = command.arguments();
    let looks = Looks::of(arguments);
    if looks.has("fBp", &["force", "patch", "ours", "theirs", "pathspec-from-file"]) {
        return DESTRUCTIVE.because(DISCARDS).finding();
    }
    if let Some(at) = arguments.iter().position(|word| word.text == "--") {
        let paths: Vec<&Word> = arguments.get(at + 1..).unwrap_or_default().iter().collect();
        return if paths.is_empty() { WRITE_HOOKS.finding() } else { discards(&paths) };
    }
    let Some(found) = operands(&[&SWITCHES], arguments) else {
        let mut finding = UNKNOWN_RED.because("Has options that are not known.").finding();
        finding.worsen(DESTRUCTIVE.because(DISCARDS).finding());
        return finding;
    };
    let makes = looks.has("b", &["orphan"]);
    match found.as_slice() {
        _ if makes && found.len() < 2 => WRITE_HOOKS.finding(),
        [] => WRITE_HOOKS.finding(),
        [one] if !is_path(one) => WRITE_HOOKS.finding(),
        all => discards(all),
    }
}

/// Whether a word that stands where Git takes a branch or a path looks like a path. A branch of that name is lost
/// nothing by asking louder.
fn is_path(word: &Word) -> bool {
    #[rustfmt::skip]
    const FOLDERS: &[&str] = &[
        "src", "lib", "app", "apps", "crates", "packages", "internal", "cmd", "pkg", "web", "server",
        "client", "scripts", "tests", "assets", "public", "node_modules", "docs", "test", "include", "bin",
        "config",
    ];
    #[rustfmt::skip]
    const FILES: &[&str] = &[
        "Makefile", "Dockerfile", "LICENSE", "README", "Gemfile", "Rakefile", "Procfile", "Justfile",
        "justfile",
    ];
    let text = word.text.as_str();
    if !word.is_known
        || word.is_glob
        || text.starts_with(['.', ':', '/'])
        || text.ends_with('/')
        || text.contains(['*', '?', '[', '\\'])
    {
        return true;
    }
    let last = text.rsplit('/').next().unwrap_or(text);
    let in_folder = text.split_once('/').is_some_and(|(first, _)| {
        FOLDERS.contains(&first)
            && !matches!(first, "docs" | "test" | "config" | "web" | "app" | "server" | "client")
    });
    // `main.rs`, but not `v1.2.3`, `release-1.0`, `2.x` or `HEAD~1`.
    let has_ending = last.rsplit_once('.').is_some_and(|(start, end)| {
        let is_version = end == "x" && start.ends_with(|c: char| c.is_ascii_digit());
        !is_version
            && (1..=10).contains(&end.len())
            && end.starts_with(|c: char| c.is_ascii_alphabetic())
            && end.chars().all(|c| c.is_ascii_alphanumeric())
    });
    FOLDERS.contains(&text) || FILES.contains(&last) || in_folder || has_ending
}

fn switch(command: &Command, _: &Scene<'_>) -> Finding {
    #[rustfmt::skip]
    const SWITCHES: Options = Options {
        letters: "qdtm",
        valued: "c",
        long: &[
            "create", "detach", "guess", "ignore-other-worktrees", "merge", "no-guess", "no-progress",
            "no-recurse-submodules", "no-track", "progress", "quiet", "recurse-submodules", "track",
        ],
        long_valued: &["conflict", "create", "orphan", "track"],
        ..NO_OPTIONS
    };
    let arguments = command.arguments();
    if operands(&[&SWITCHES], arguments).is_some() {
        return WRITE_HOOKS.finding();
    }
    let looks = Looks::of(arguments);
    if looks.has("fC", &["force", "discard-changes", "force-create"]) {
        return DESTRUCTIVE.because(DISCARDS).finding();
    }
    RUNS_UNKNOWN.finding()
}

/// Options that could be short for one that loses work.
const RUNS_UNKNOWN: Fixed = RUNS_OTHER.because("Has options that are not known.");

fn restore(command: &Command, _: &Scene<'_>) -> Finding {
    const UNSTAGES: Options =
        Options { letters: "Sq", long: &["staged", "quiet", "progress", "no-progress"], ..NO_OPTIONS };
    let arguments = command.arguments();
    let looks = Looks::of(arguments);
    let is_staged = looks.has_exactly("--staged")
        || looks.options.iter().any(|option| !option.starts_with("--") && option.contains('S'));
    match operands(&[&UNSTAGES], arguments) {
        Some(_) if is_staged => WRITE.finding(),
        _ if is_staged && !looks.has("Wp", &["worktree", "patch", "ours", "theirs", "merge"]) => {
            WRITE_WIDE.finding()
        }
        _ => discards(&looks.operands),
    }
}

fn reset(command: &Command, _: &Scene<'_>) -> Finding {
    const UNSTAGES: Options = Options {
        letters: "qN",
        long: &["mixed", "quiet", "no-quiet", "refresh", "no-refresh", "intent-to-add"],
        ..NO_OPTIONS
    };
    const MOVES: Options =
        Options { letters: "qNp", long: &["soft", "mixed", "quiet", "patch"], ..NO_OPTIONS };
    let arguments = command.arguments();
    let looks = Looks::of(arguments);
    if looks.has("", &["hard", "merge", "keep"]) && !looks.has_exactly("--mixed")
        || looks.has("", &["hard", "keep"])
    {
        return DESTRUCTIVE.because("Throws away changes of every file.").finding();
    }
    let is_head = arguments
        .iter()
        .find(|word| !word.text.starts_with('-') || word.text == "--")
        .is_none_or(|word| matches!(word.text.as_str(), "HEAD" | "@" | "--"));
    match operands(&[&UNSTAGES], arguments) {
        Some(_) if is_head => WRITE.finding(),
        _ if operands(&[&MOVES], arguments).is_some() => WRITE_WIDE.finding(),
        _ => RUNS_UNKNOWN.finding(),
    }
}
