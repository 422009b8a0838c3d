//! What a path as written begins at: the root, a home, the current folder, or what nobody can tell. Nothing is looked
//! up here; `~` and the variables that name known folders are expanded, all others are not.

use crate::classify::call::Call;

/// A written path, cut into its parts. They may hold `..`, never `.` or nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Start {
    /// From the root.
    Root(Vec<String>),
    /// In the home of somebody unknown, or of the user where that home is unknown.
    SomeHome(Vec<String>),
    /// Below something that can't be told: a variable, a drive, an unknown folder.
    Untold(Vec<String>),
}

/// Variables that stand for a folder of the home, as it is where nobody changed it.
const IN_HOME: &[(&str, &str)] = &[
    ("HOME", ""),
    ("USERPROFILE", ""),
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_STATE_HOME", ".local/state"),
    ("XDG_CACHE_HOME", ".cache"),
    ("CLAUDE_CONFIG_DIR", ".claude"),
    ("CODEX_HOME", ".codex"),
    ("COPILOT_HOME", ".copilot"),
    ("GNUPGHOME", ".gnupg"),
    ("KUBECONFIG", ".kube/config"),
    ("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials"),
    ("AWS_CONFIG_FILE", ".aws/config"),
    ("GOOGLE_APPLICATION_CREDENTIALS", ".config/gcloud/application_default_credentials.json"),
    ("CLOUDSDK_CONFIG", ".config/gcloud"),
    ("AZURE_CONFIG_DIR", ".azure"),
    ("DOCKER_CONFIG", ".docker"),
    ("PASSWORD_STORE_DIR", ".password-store"),
    ("PGPASSFILE", ".pgpass"),
    ("NETRC", ".netrc"),
    ("NPM_CONFIG_USERCONFIG", ".npmrc"),
    ("SSH_AUTH_SOCK", ".ssh/agent"),
    ("HISTFILE", ".bash_history"),
];

/// The longest name of a variable that is looked at.
const MAX_VARIABLE: usize = 64;

/// Windows' variables that name folders.
const WINDOWS: &[&str] = &[
    "USERPROFILE",
    "HOMEPATH",
    "HOMEDRIVE",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "PUBLIC",
    "ALLUSERSPROFILE",
];

/// Cuts a written path. `folder` is where relative ones begin; `None` where that is unknown.
pub(super) fn start(call: &Call<'_>, folder: Option<&str>, written: &str) -> Start {
    if let Some(rest) = written.strip_prefix('/') {
        return Start::Root(cut(rest));
    }
    if let Some(rest) = written.strip_prefix('~') {
        return match rest.strip_prefix('/') {
            _ if rest.is_empty() => at(Some(call.home), rest, Start::SomeHome),
            Some(below) => at(Some(call.home), below, Start::SomeHome),
            None => beyond_tilde(call, folder, rest),
        };
    }
    if is_windows(written) {
        return Start::Untold(cut_windows(written));
    }
    if let Some((name, rest)) = variable(written) {
        return match IN_HOME.iter().find(|(known, _)| *known == name) {
            Some((_, below)) => at(Some(call.home), &format!("{below}/{rest}"), Start::SomeHome),
            None => match name {
                "PWD" | "INIT_CWD" => at(folder, rest, Start::Untold),
                "CLAUDE_PROJECT_DIR" => at(Some(call.worktree), rest, Start::Untold),
                "XDG_RUNTIME_DIR" => Start::Root(cut(&format!("run/user/0/{rest}"))),
                "TMPDIR" | "TMP" | "TEMP" => Start::Root(cut(&format!("tmp/{rest}"))),
                _ => Start::Untold(cut(rest)),
            },
        };
    }
    if written.starts_with(['$', '`']) {
        let rest = written.split_once('/').map_or("", |(_, rest)| rest);
        return Start::Untold(cut(rest));
    }
    at(folder, written, Start::Untold)
}

/// Behind `~`: `~+` is the current folder, anything else another person's home.
fn beyond_tilde(call: &Call<'_>, folder: Option<&str>, rest: &str) -> Start {
    let (who, below) = rest.split_once(['/', '\\']).unwrap_or((rest, ""));
    match who {
        "+" => at(folder, below, Start::Untold),
        "" => at(Some(call.home), &below.replace('\\', "/"), Start::SomeHome),
        _ => Start::SomeHome(cut(below)),
    }
}

/// Whether a written path begins as one on Windows: a drive, a share, a variable that names a folder.
pub(super) fn is_windows(written: &str) -> bool {
    let mut chars = written.chars();
    let drive = (chars.next(), chars.next(), chars.next());
    if let (Some(letter), Some(':'), third) = drive
        && letter.is_ascii_alphabetic()
        && third.is_none_or(|c| matches!(c, '\\' | '/'))
    {
        // `a:` alone is more often the end of a word than a drive, but for capitals.
        return third.is_some() || letter.is_ascii_uppercase();
    }
    if let Some(share) = written.strip_prefix("\\\\") {
        return share.starts_with(|c: char| c.is_alphanumeric() || "?.".contains(c)) && share.contains('\\');
    }
    let named =
        written.strip_prefix('%').and_then(|rest| rest.split_once('%')).map(|(name, _)| name).or_else(|| {
            let start = written.get(..5).filter(|start| start.eq_ignore_ascii_case("$env:"))?;
            let rest = written.get(start.len()..)?;
            Some(rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or(rest))
        });
    named.is_some_and(|name| WINDOWS.iter().any(|known| known.eq_ignore_ascii_case(name)))
}

/// The variable or substitution that a written path begins with, where it is a known form, and what is behind its `/`.
fn variable(written: &str) -> Option<(&str, &str)> {
    for folder in ["$(pwd)", "`pwd`", "$(pwd -P)", "$(pwd -L)"] {
        if let Some(rest) = written.strip_prefix(folder) {
            return Some(("PWD", rest));
        }
    }
    if let Some(rest) = written.strip_prefix("${") {
        let end = rest.chars().take(MAX_VARIABLE).position(|c| !c.is_ascii_alphanumeric() && c != '_')?;
        let (name, rest) = rest.split_at_checked(end)?;
        let rest = rest.strip_prefix('}')?;
        // `${HOME:-x}` and `${HOME%/*}` begin with the same name, and end anywhere.
        return is_name(name).then_some((name, rest));
    }
    let rest = written.strip_prefix('$')?;
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (name, rest) = rest.split_at_checked(end)?;
    is_name(name).then_some((name, rest))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether a written path begins with a variable that stands for a known folder.
pub(super) fn is_known_variable(written: &str) -> bool {
    variable(written).is_some_and(|(name, _)| {
        IN_HOME.iter().any(|(known, _)| *known == name)
            || matches!(
                name,
                "PWD" | "INIT_CWD" | "CLAUDE_PROJECT_DIR" | "XDG_RUNTIME_DIR" | "TMPDIR" | "TMP" | "TEMP"
            )
    })
}

/// A path below a folder, or by `otherwise` where the folder is no absolute one.
fn at(folder: Option<&str>, rest: &str, otherwise: fn(Vec<String>) -> Start) -> Start {
    match folder.and_then(|folder| folder.strip_prefix('/')) {
        Some(folder) => {
            let mut parts = cut(folder);
            parts.extend(cut(rest));
            Start::Root(parts)
        }
        None => otherwise(cut(rest)),
    }
}

fn cut(path: &str) -> Vec<String> {
    path.split('/').filter(|part| !part.is_empty() && *part != ".").map(str::to_owned).collect()
}

fn cut_windows(path: &str) -> Vec<String> {
    let folded = path.replace('\\', "/");
    cut(&folded).into_iter().filter(|part| !part.ends_with(':')).collect()
}
