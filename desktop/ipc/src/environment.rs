//! What a hook tells of its environment: PATH, the names of variables that change what a program name means
//! (REQ-5), and a short closed list of values. No other value leaves the hook: the rest holds keys and tokens.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

/// Variables whose values are passed on. None of them holds a secret.
pub const PASSED: &[&str] = &[
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_PID",
    "CLAUDE_PROJECT_DIR",
];

const RISKY: &[&str] = &["BASH_ENV", "ENV", "PAGER", "LESSOPEN", "NODE_OPTIONS", "RUBYOPT"];
const RISKY_PREFIXES: &[&str] = &["LD_", "GIT_", "PYTHON", "PERL5"];
const RISKY_SUFFIXES: &[&str] = &["_CONFIG_PATH"];

/// What a hook passes on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Environment {
    /// PATH as it is set; empty where it is not.
    pub path: Vec<u8>,
    /// Names of the risky variables that are set, in order; never their values.
    pub risky: Vec<Vec<u8>>,
    /// Name and value of those of [`PASSED`] that are set, in order.
    pub passed: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Environment {
    /// Sorts out a process's variables.
    pub fn of(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let mut environment = Self::default();
        for (name, value) in variables {
            if name == "PATH" {
                environment.path = value.into_vec();
            } else if is_risky(&name) {
                environment.risky.push(name.into_vec());
            } else if PASSED.iter().any(|passed| name == *passed) {
                environment.passed.push((name.into_vec(), value.into_vec()));
            }
        }
        environment.risky.sort_unstable();
        environment.passed.sort_unstable();
        environment
    }

    /// The value of one of [`PASSED`], if it was set.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.passed.iter().find(|(passed, _)| passed == name.as_bytes()).map(|(_, value)| value.as_slice())
    }
}

/// Whether a variable of this name changes which program a name starts, or what that program runs (REQ-5).
#[must_use]
pub fn is_risky(name: &OsStr) -> bool {
    let name = name.as_bytes();
    RISKY.iter().any(|risky| name == risky.as_bytes())
        || RISKY_PREFIXES.iter().any(|prefix| name.starts_with(prefix.as_bytes()))
        || RISKY_SUFFIXES.iter().any(|suffix| name.ends_with(suffix.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Environment {
        Environment::of(variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))))
    }

    #[test]
    fn values_of_risky_variables_and_of_unlisted_ones_never_leave() {
        let environment = of(&[
            ("PATH", "/usr/bin"),
            ("LD_PRELOAD", "/tmp/secret.so"),
            ("ANTHROPIC_API_KEY", "sk-secret"),
            ("CLAUDE_CODE_MESSAGING_TOKEN", "secret"),
            ("CLAUDE_PID", "42"),
        ]);
        assert_eq!(environment.path, b"/usr/bin");
        assert_eq!(environment.risky, [b"LD_PRELOAD".to_vec()]);
        assert_eq!(environment.get("CLAUDE_PID"), Some(b"42".as_slice()));
        assert_eq!(environment.passed.len(), 1);
    }

    #[test]
    fn every_risky_name_of_the_requirement_is_seen_even_when_it_is_empty() {
        for name in [
            "LD_PRELOAD",
            "BASH_ENV",
            "ENV",
            "GIT_SSH_COMMAND",
            "RIPGREP_CONFIG_PATH",
            "PAGER",
            "LESSOPEN",
            "NODE_OPTIONS",
            "PYTHONSTARTUP",
            "PERL5OPT",
            "RUBYOPT",
        ] {
            assert_eq!(of(&[(name, "")]).risky, [name.as_bytes().to_vec()], "{name}");
        }
        for name in ["HOME", "ENVIRONMENT", "LDFLAGS", "MANPAGER", "PATH"] {
            assert!(!is_risky(OsStr::new(name)), "{name}");
        }
    }
}
