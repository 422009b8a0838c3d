//! The Git settings that hold in a folder, and whether those of the repository start programs (LVL-1).

use std::fs;

use super::{
    Untold,
    config::{self, Setting},
    repository::{self, Repository},
    trail,
};

/// Most files that are read, those that others include counted.
const MOST_FILES: usize = 64;

/// A setting, and whether it may not hold: it stands in a file that is included on a condition.
pub(super) type Held = (Setting, bool);

/// Settings of the system, the user and the repository, the weakest first.
pub(super) fn all(repository: &Repository, home: &str) -> Result<Vec<Held>, Untold> {
    let mut files = Files { home, left: MOST_FILES, found: Vec::new() };
    files.read("/etc/gitconfig", false)?;
    if home.starts_with('/') {
        files.read(&format!("{home}/.config/git/config"), false)?;
        files.read(&format!("{home}/.gitconfig"), false)?;
    }
    files.read_of(repository)?;
    Ok(files.found)
}

/// Whether the settings of the repository around a folder, or its hooks, start programs when Git only reads.
pub(super) fn start_programs(folder: &str, home: &str) -> Result<bool, Untold> {
    let Some(repository) = repository::around(folder)? else { return Ok(false) };
    let mut files = Files { home, left: MOST_FILES, found: Vec::new() };
    files.read_of(&repository)?;
    let here = trail::follow(folder)?.end;
    for (setting, _) in &files.found {
        if starts_program(setting)
            || (setting.is("core", "worktree") && !is_around(&repository, setting, &here)?)
        {
            return Ok(true);
        }
    }
    has_reading_hook(&repository)
}

struct Files<'a> {
    home: &'a str,
    left: usize,
    found: Vec<Held>,
}

impl Files<'_> {
    fn read_of(&mut self, repository: &Repository) -> Result<(), Untold> {
        self.read(&format!("{}/config", repository.common), false)?;
        // It counts only where the settings say so; a file that is there without that is odd enough to count too.
        self.read(&format!("{}/config.worktree", repository.own), false)
    }

    fn read(&mut self, path: &str, is_conditional: bool) -> Result<(), Untold> {
        self.left = self.left.checked_sub(1).ok_or(Untold)?;
        let Some(text) = repository::text(path)? else { return Ok(()) };
        let folder = path.rsplit_once('/').map_or("/", |(folder, _)| folder);
        for setting in config::parse(&text)? {
            let is_include =
                setting.key == "path" && matches!(setting.section.as_str(), "include" | "includeif");
            if !is_include {
                self.found.push((setting, is_conditional));
                continue;
            }
            let included = match setting.text().strip_prefix("~/") {
                Some(rest) if self.home.starts_with('/') => format!("{}/{rest}", self.home),
                Some(_) => return Err(Untold),
                // Other spellings mean folders that only Git knows, or a file that may be missing.
                None if setting.text().starts_with(['~', '%', ':']) => return Err(Untold),
                None => repository::below(folder, setting.text())?,
            };
            self.read(&included, is_conditional || setting.section == "includeif")?;
        }
        Ok(())
    }
}

/// Whether the files that a repository says it is about are those around a folder, as in every submodule.
fn is_around(repository: &Repository, setting: &Setting, folder: &str) -> Result<bool, Untold> {
    let named = repository::below(&repository.own, setting.text())?;
    Ok(folder.strip_prefix(&named).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

/// Whether a setting makes Git start a program, or fetch what it lacks.
fn starts_program(setting: &Setting) -> bool {
    let is_program = || setting.truth().is_none();
    match (setting.section.as_str(), setting.key.as_str()) {
        ("core", "fsmonitor") | ("pager", _) => is_program(),
        ("alias", _) => setting.text().trim_start().starts_with('!'),
        ("submodule", "update") => setting.text().trim_start().starts_with('!'),
        ("remote", "url" | "pushurl") => setting.text().contains("::"),
        ("remote", "promisor") => setting.truth() != Some(false),
        ("core", key) => {
            matches!(
                key,
                "alternaterefscommand"
                    | "askpass"
                    | "editor"
                    | "gitproxy"
                    | "hookspath"
                    | "pager"
                    | "sshcommand"
            )
        }
        (
            "diff" | "difftool" | "merge" | "mergetool" | "filter" | "trailer" | "tar" | "guitool" | "man"
            | "browser",
            key,
        ) => {
            matches!(
                key,
                "external"
                    | "command"
                    | "textconv"
                    | "cmd"
                    | "path"
                    | "driver"
                    | "clean"
                    | "smudge"
                    | "process"
            )
        }
        ("gpg", key) => matches!(key, "program" | "defaultkeycommand"),
        ("log", "showsignature") => setting.truth() != Some(false),
        ("credential", "helper") | ("sequence", "editor") | ("interactive", "difffilter") => true,
        ("remote", key) => matches!(key, "uploadpack" | "receivepack" | "vcs"),
        ("uploadpack", "packobjectshook") | ("extensions", "partialclone") | ("url", "insteadof") => true,
        ("hook", _) => true,
        _ => false,
    }
}

/// Hooks that run while Git only reads.
fn has_reading_hook(repository: &Repository) -> Result<bool, Untold> {
    const HOOKS: [&str; 2] = ["post-index-change", "fsmonitor-watchman"];
    for hook in HOOKS {
        match fs::symlink_metadata(format!("{}/hooks/{hook}", repository.common)) {
            Ok(_) => return Ok(true),
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
                ) => {}
            Err(_) => return Err(Untold),
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A repository with these settings, and whether they start programs.
    fn with(settings: &str) -> Result<bool, Untold> {
        let tmp = tempfile::tempdir().unwrap();
        let at = tmp.path().canonicalize().unwrap();
        fs::create_dir_all(at.join(".git/hooks")).unwrap();
        fs::create_dir(at.join("src")).unwrap();
        fs::write(at.join(".git/HEAD"), "ref: refs/heads/topic\n").unwrap();
        fs::write(at.join(".git/config"), settings).unwrap();
        start_programs(at.join("src").to_str().unwrap(), "/nowhere")
    }

    #[test]
    fn an_everyday_repository_starts_nothing() {
        let plain = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = true\n[remote \"origin\"]\n\turl = \
                     git@example.test:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"topic\"]\n\tremote = \
                     origin\n\tmerge = refs/heads/topic\n[user]\n\temail = a@example.test\n[alias]\n\tst = status\n[pager]\n\tlog = \
                     false\n[diff]\n\trenames = true\n[gpg]\n\tformat = ssh\n";
        assert_eq!(with(plain), Ok(false));
        assert_eq!(with(""), Ok(false));
    }

    #[test]
    fn each_setting_that_starts_a_program_is_known() {
        for setting in [
            "[core] pager = less -X",
            "[core] fsmonitor = .git/evil",
            "[core] sshCommand = ssh -F x",
            "[core] hooksPath = ../hooks",
            "[CORE] EDITOR = vi",
            "[diff] external = x",
            "[diff \"pdf\"] textconv = x",
            "[diff \"pdf\"] command = x",
            "[filter \"x\"] clean = x",
            "[filter \"x\"] process = x",
            "[merge \"x\"] driver = x",
            "[alias] st = !x",
            "[alias] st = \"! x\"",
            "[pager] log = x",
            "[gpg] program = x",
            "[gpg \"ssh\"] program = x",
            "[credential] helper = x",
            "[credential \"https://x\"] helper = x",
            "[interactive] diffFilter = x",
            "[remote \"o\"] url = ext::sh -c x",
            "[remote \"o\"] uploadpack = x",
            "[remote \"o\"] promisor = true",
            "[log] showSignature",
            "[hook \"x\"] command = y",
            "[core] worktree = /etc",
        ] {
            assert_eq!(with(setting), Ok(true), "{setting}");
        }
    }

    #[test]
    fn included_settings_count_and_conditions_are_taken_to_hold() {
        let tmp = tempfile::tempdir().unwrap();
        let more = tmp.path().join("more");
        fs::write(&more, "[diff] external = x").unwrap();
        let more = more.to_str().unwrap();
        assert_eq!(with(&format!("[include] path = {more}")), Ok(true));
        assert_eq!(with(&format!("[includeIf \"gitdir:/x\"] path = {more}")), Ok(true));
        assert_eq!(with("[include] path = missing"), Ok(false));
        for untold in [
            "[include] path = ~ada/x",
            "[include] path = :(optional)x",
            "[include] path = config",
            "[include] path =",
        ] {
            assert_eq!(with(untold), Err(Untold), "{untold}");
        }
    }

    #[test]
    fn what_can_t_be_read_is_untold_and_no_repository_starts_nothing() {
        assert_eq!(with("not settings"), Err(Untold));
        let tmp = tempfile::tempdir().unwrap();
        let at = tmp.path().canonicalize().unwrap();
        let starts = || start_programs(at.to_str().unwrap(), "/nowhere");
        assert_eq!(starts(), Ok(false));
        symlink("loop", at.join(".git")).unwrap();
        assert_eq!(starts(), Err(Untold));
        fs::remove_file(at.join(".git")).unwrap();
        fs::create_dir(at.join(".git")).unwrap();
        assert_eq!(starts(), Err(Untold), "it has no HEAD");
        fs::write(at.join(".git/HEAD"), "ref: refs/heads/a").unwrap();
        fs::create_dir(at.join(".git/config")).unwrap();
        assert_eq!(starts(), Err(Untold));
    }

    #[test]
    fn a_folder_that_looks_like_a_bare_repository_is_one() {
        let tmp = tempfile::tempdir().unwrap();
        let at = tmp.path().canonicalize().unwrap();
        fs::create_dir_all(at.join("objects")).unwrap();
        fs::create_dir_all(at.join("refs")).unwrap();
        fs::write(at.join("HEAD"), "ref: refs/heads/a\n").unwrap();
        fs::write(at.join("config"), "[core]\nfsmonitor = ./evil\n").unwrap();
        assert_eq!(start_programs(at.join("objects").to_str().unwrap(), "/nowhere"), Ok(true));
    }

    #[test]
    fn a_linked_worktree_and_a_submodule_have_the_settings_of_their_repository() {
        let tmp = tempfile::tempdir().unwrap();
        let at = tmp.path().canonicalize().unwrap();
        for folder in ["main/.git/worktrees/w", "main/.git/modules/m", "w/src", "main/m"] {
            fs::create_dir_all(at.join(folder)).unwrap();
        }
        let write = |path: &str, text: &str| fs::write(at.join(path), text).unwrap();
        write("main/.git/config", "[core]\nbare = false\n");
        write("main/.git/worktrees/w/HEAD", "ref: refs/heads/w\n");
        write("main/.git/worktrees/w/commondir", "../..\n");
        write("w/.git", &format!("gitdir: {}/main/.git/worktrees/w\n", at.display()));
        let starts = |folder: &str| start_programs(at.join(folder).to_str().unwrap(), "/nowhere");
        assert_eq!(starts("w/src"), Ok(false));
        write("main/.git/worktrees/w/config.worktree", "[core]\npager = x\n");
        assert_eq!(starts("w/src"), Ok(true));
        write("main/.git/modules/m/HEAD", "ref: refs/heads/m\n");
        write("main/.git/modules/m/config", "[core]\nworktree = ../../../m\n");
        write("main/m/.git", "gitdir: ../.git/modules/m\n");
        assert_eq!(starts("main/m"), Ok(false));
        write("main/.git/modules/m/config", "[core]\nworktree = ../../../..\n[diff]\nexternal = x");
        assert_eq!(starts("main/m"), Ok(true));
        write("w/.git", "gitdir: nowhere\n");
        assert_eq!(starts("w"), Err(Untold));
    }

    #[test]
    fn a_hook_that_runs_while_git_reads_is_a_program() {
        let tmp = tempfile::tempdir().unwrap();
        let at = tmp.path().canonicalize().unwrap();
        fs::create_dir_all(at.join(".git/hooks")).unwrap();
        fs::write(at.join(".git/HEAD"), "ref: refs/heads/a\n").unwrap();
        let starts = || start_programs(at.to_str().unwrap(), "/nowhere");
        fs::write(at.join(".git/hooks/pre-commit"), "").unwrap();
        assert_eq!(starts(), Ok(false));
        fs::write(at.join(".git/hooks/post-index-change"), "").unwrap();
        assert_eq!(starts(), Ok(true));
    }
}
