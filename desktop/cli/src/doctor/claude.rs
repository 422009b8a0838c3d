//! What `doctor` finds about Claude Code: its settings files, strongest first, and the program itself.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use countersign_agents::{
    claude::{ADAPTER, PRINT_MODE, mode_advice},
    setup::{Report, State},
};
use countersign_ipc::{
    Instance,
    control::{Check, CheckState},
    environment,
};
use tokio::{process::Command, time::timeout};

use super::check;
use crate::{
    setup::{self, SettingsFile},
    trouble::{Trouble, command},
};

/// Where an administrator's settings are, and the folder of more of them.
const MANAGED: &str = "/etc/claude-code/managed-settings.json";
const MORE_MANAGED: &str = "/etc/claude-code/managed-settings.d";
/// A project's settings, the stronger one first.
const OF_PROJECT: [&str; 2] = [".claude/settings.local.json", ".claude/settings.json"];
/// An agent that takes longer to say its version is stuck.
const PATIENCE: Duration = Duration::from_secs(10);

/// Everything about its settings: our hooks, others' hooks, and the mode in which sessions start here.
pub(super) fn settings(instance: &Instance) -> Vec<Check> {
    let mut checks = Vec::new();
    let own = setup::settings_file(&ADAPTER);
    match &own {
        Ok(path) => checks.push(match inspect(instance, path) {
            Ok(report) => hooks(instance, path, &report.state),
            Err(trouble) => {
                check("claude hooks", CheckState::Problem, trouble.to_string(), "Mend the file by hand.")
            }
        }),
        Err(trouble) => checks.push(check("claude hooks", CheckState::Problem, trouble.to_string(), "")),
    }
    let files = in_force(own.ok());
    // A project's file that can't be read is Claude Code's to complain about.
    let reports: Vec<(PathBuf, Report)> = files
        .into_iter()
        .filter_map(|path| inspect(instance, &path).ok().map(|report| (path, report)))
        .collect();
    checks.extend(reports.iter().flat_map(|(path, report)| others(path, report)));
    checks.push(mode(&reports));
    checks.push(check("claude -p", CheckState::Ok, PRINT_MODE, ""));
    checks.extend(std::env::current_dir().ok().and_then(|here| project(&here)));
    checks
}

/// The program that the shell would start, and whether it is a version we know.
pub(super) async fn program() -> Check {
    let Some(path) = on_path(ADAPTER.id, std::env::var_os("PATH").as_deref()) else {
        return check("claude", CheckState::Warning, format!("{} is not in your PATH", ADAPTER.name), "");
    };
    let Some(version) = version(&path).await else {
        let text = format!("`{}` does not say its version", path.display());
        return check("claude", CheckState::Warning, text, "Try `claude --version`.");
    };
    match ADAPTER.version_warning(&version) {
        None => check(
            "claude",
            CheckState::Ok,
            format!("{} {version}, a version that was verified", ADAPTER.name),
            "",
        ),
        Some(warning) => check("claude", CheckState::Warning, warning, ""),
    }
}

/// The files that exist and count in the current folder, strongest first.
fn in_force(own: Option<PathBuf>) -> Vec<PathBuf> {
    let here = std::env::current_dir().ok();
    let of_project = OF_PROJECT.iter().filter_map(|name| here.as_ref().map(|here| here.join(name)));
    let mut files = managed(Path::new(MORE_MANAGED));
    files.push(PathBuf::from(MANAGED));
    files.extend(of_project.filter(|path| Some(path) != own.as_ref()));
    files.extend(own);
    files.retain(|path| path.exists());
    files
}

/// An administrator's further files; a later name is the stronger one.
fn managed(folder: &Path) -> Vec<PathBuf> {
    let Ok(found) = folder.read_dir() else { return Vec::new() };
    let mut files: Vec<PathBuf> = found
        .filter_map(|file| Some(file.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort_unstable_by(|one, other| other.cmp(one));
    files
}

fn is_managed(path: &Path) -> bool {
    path == Path::new(MANAGED) || path.starts_with(MORE_MANAGED)
}

fn inspect(instance: &Instance, path: &Path) -> Result<Report, Trouble> {
    let file = SettingsFile::read(path)?;
    let entry = setup::entry(instance, None)?;
    (ADAPTER.inspect)(file.text(), &entry)
        .map_err(|source| Trouble::Settings { path: path.to_owned(), source })
}

fn hooks(instance: &Instance, path: &Path, state: &State) -> Check {
    let fix = format!("`{}`, then restart running sessions.", command(instance, "setup claude"));
    let path = path.display();
    match state {
        State::Installed => check("claude hooks", CheckState::Ok, format!("installed in `{path}`"), ""),
        State::Missing => {
            check("claude hooks", CheckState::Problem, format!("not installed in `{path}`"), fix)
        }
        State::Outdated(differences) => {
            let differences: Vec<&str> = differences.iter().map(|difference| difference.as_str()).collect();
            let text = format!("out of date in `{path}`: {}", differences.join("; "));
            check("claude hooks", CheckState::Problem, text, fix)
        }
    }
}

/// What a file says that keeps our hooks from answering.
fn others(path: &Path, report: &Report) -> Vec<Check> {
    let mut checks = Vec::new();
    if report.all_disabled {
        let text = format!("`{}` has `disableAllHooks`: no hook runs, so no card can come", path.display());
        checks.push(check(
            "claude hooks off",
            CheckState::Problem,
            text,
            "Take it out, then restart running sessions.",
        ));
    }
    if report.managed_only && is_managed(path) {
        checks.push(only_managed(path));
    }
    for foreign in &report.foreign {
        let text = format!("`{}` answers permission requests too, in `{}`", foreign.shown(), path.display());
        let hint =
            "Whichever hook decides first wins, so it can answer before you do; take it out if it allows.";
        checks.push(check("another hook", CheckState::Warning, text, hint));
    }
    checks
}

fn only_managed(path: &Path) -> Check {
    let text = format!(
        "`{}` has `allowManagedHooksOnly`: no hook of yours runs, so Countersign sees nothing and no card can come",
        path.display()
    );
    let hint = "Ask the administrator to take it out, or to install our hooks in the managed settings.";
    check("claude hooks off", CheckState::Problem, text, hint)
}

/// What the settings of the project in this folder do to its sessions (REQ-5).
fn project(folder: &Path) -> Option<Check> {
    let files = ADAPTER.project_files?;
    let is_risky = |name: &str| environment::is_risky(OsStr::new(name));
    let found: Vec<String> = files
        .names
        .iter()
        .filter_map(|name| Some((name, std::fs::read(folder.join(name)).ok()?)))
        .flat_map(|(name, text)| {
            let risks = (files.risks)(&text, &is_risky);
            risks.named(name).map(|risk| format!("`{risk}`")).collect::<Vec<_>>()
        })
        .collect();
    if found.is_empty() {
        return None;
    }
    let hint = "Until you accept each (`countersign accept-risk` with exactly this text), green, rules and allow lines \
                answer nothing in this project.";
    Some(check("claude project", CheckState::Warning, found.join("; "), hint))
}

/// The mode in which a session started in this folder begins.
fn mode(reports: &[(PathBuf, Report)]) -> Check {
    let said = reports.iter().find_map(|(path, report)| Some((path, report.default_mode.as_ref()?)));
    match (mode_advice(said.map(|(_, mode)| mode.raw())), said) {
        (None, _) => check("claude mode", CheckState::Ok, "sessions start in the mode that asks", ""),
        (Some(advice), None) => check("claude mode", CheckState::Warning, advice, ""),
        (Some(advice), Some((path, mode))) => {
            let text = format!("`{}` sets the mode `{}`. {advice}", path.display(), mode.shown());
            check("claude mode", CheckState::Warning, text, "")
        }
    }
}

fn on_path(name: &str, path: Option<&std::ffi::OsStr>) -> Option<PathBuf> {
    let found =
        std::env::split_paths(path?).map(|folder| folder.join(name)).find(|file| setup::is_program(file))?;
    Some(found.canonicalize().unwrap_or(found))
}

/// Told by the program's path, or else by the program.
async fn version(path: &Path) -> Option<String> {
    if let Some(version) = (ADAPTER.version_of)(path) {
        return Some(version);
    }
    let asked = Command::new(path)
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .output();
    let said = timeout(PATIENCE, asked).await.ok()?.ok()?;
    let said = String::from_utf8(said.stdout).ok()?;
    said.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit())).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn written(text: &str) -> (tempfile::TempDir, PathBuf) {
        let tmp = tempfile::tempdir().unwrap();
        let path = tmp.path().join("settings.json");
        fs::write(&path, text).unwrap();
        (tmp, path)
    }

    #[test]
    fn hooks_switched_off_and_hooks_of_others_are_found() {
        let (_tmp, path) = written(
            r#"{"disableAllHooks": true,
                "hooks": {"PermissionRequest": [{"hooks": [{"type": "command", "command": "/bin/yes"}]}]}}"#,
        );
        let report = inspect(&Instance::MAIN, &path).unwrap();
        let checks = others(&path, &report);
        let states: Vec<CheckState> = checks.iter().map(|check| check.state).collect();
        assert_eq!(states, [CheckState::Problem, CheckState::Warning]);
        assert!(checks[1].text.contains("`/bin/yes`"), "{checks:?}");
        assert_eq!(hooks(&Instance::MAIN, &path, &report.state).state, CheckState::Problem);
    }

    #[test]
    fn a_mode_that_runs_calls_unasked_is_a_warning_that_says_how_to_switch() {
        let nothing_set = mode(&[]);
        assert_eq!(nothing_set.state, CheckState::Warning);
        assert!(nothing_set.text.contains("automatic mode") && nothing_set.text.contains("Shift+Tab"));
        let (_tmp, asking) = written(r#"{"permissions": {"defaultMode": "default"}}"#);
        let (_tmp2, auto) = written(r#"{"permissions": {"defaultMode": "auto"}}"#);
        let report = |path: &PathBuf| (path.clone(), inspect(&Instance::MAIN, path).unwrap());
        assert_eq!(mode(&[report(&asking), report(&auto)]).state, CheckState::Ok, "the stronger file counts");
        assert!(mode(&[report(&auto), report(&asking)]).text.contains("sets the mode `auto`"));
    }

    #[test]
    fn hooks_of_an_administrator_alone_are_a_problem_where_an_administrator_says_so() {
        let (_tmp, path) = written(r#"{"allowManagedHooksOnly": true}"#);
        let report = inspect(&Instance::MAIN, &path).unwrap();
        assert!(others(&path, &report).is_empty(), "a person's own file has no say in it");
        for managed in [MANAGED, "/etc/claude-code/managed-settings.d/10-hooks.json"] {
            let checks = others(Path::new(managed), &report);
            assert_eq!(checks.iter().map(|check| check.state).collect::<Vec<_>>(), [CheckState::Problem]);
            assert!(checks[0].text.contains("allowManagedHooksOnly"), "{checks:?}");
        }
    }

    #[test]
    fn further_managed_files_come_the_last_one_first() {
        let tmp = tempfile::tempdir().unwrap();
        for name in ["10-a.json", "20-b.json", "readme.txt"] {
            fs::write(tmp.path().join(name), "{}").unwrap();
        }
        let found = managed(tmp.path());
        assert_eq!(found, [tmp.path().join("20-b.json"), tmp.path().join("10-a.json")]);
        assert!(managed(&tmp.path().join("nowhere")).is_empty());
    }

    #[test]
    fn hooks_of_the_first_release_are_a_problem_that_names_what_is_not_checked() {
        let (_tmp, path) = written("{}");
        let entry = setup::entry(&Instance::MAIN, None).unwrap();
        let now = (ADAPTER.install)(Some("{}"), &entry).unwrap().after.unwrap();
        fs::write(&path, now.replace("\"PreToolUse\"", "\"Elsewhere\"")).unwrap();
        let report = inspect(&Instance::MAIN, &path).unwrap();
        let found = hooks(&Instance::MAIN, &path, &report.state);
        assert_eq!(found.state, CheckState::Problem);
        assert!(found.text.contains("what the agent does not ask about is not checked"), "{found:?}");
        assert!(found.hint.contains("setup claude"), "{found:?}");
    }

    #[test]
    fn a_projects_own_settings_are_named_where_they_are_risky() {
        let tmp = tempfile::tempdir().unwrap();
        assert!(project(tmp.path()).is_none());
        fs::create_dir(tmp.path().join(".claude")).unwrap();
        fs::write(tmp.path().join(".claude/settings.json"), r#"{"env": {"LD_PRELOAD": "./x.so"}}"#).unwrap();
        let found = project(tmp.path()).unwrap();
        assert_eq!(found.state, CheckState::Warning);
        assert!(found.text.starts_with("`.claude/settings.json sets LD_PRELOAD ("), "{found:?}");
    }

    #[test]
    fn a_program_is_found_where_the_shell_would_find_it() {
        let tmp = tempfile::tempdir().unwrap();
        let (first, second) = (tmp.path().join("a"), tmp.path().join("b"));
        for folder in [&first, &second] {
            fs::create_dir(folder).unwrap();
        }
        fs::write(first.join("claude"), "").unwrap();
        fs::copy("/bin/true", second.join("claude")).unwrap();
        let path = std::env::join_paths([&first, &second]).unwrap();
        let found = on_path("claude", Some(&path)).unwrap();
        assert!(found.ends_with("b/claude"), "{found:?}: the first one can't be started");
        assert_eq!(on_path("claude", None), None);
    }
}
