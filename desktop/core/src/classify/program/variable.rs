//! Variables set in front of a command (REQ-5): some decide what it runs.

use crate::classify::{
    facts::Reach,
    finding::Finding,
    program::entry::{Fixed, UNKNOWN, UNKNOWN_RED},
};
use countersign_proto::request::{Class, Level};

/// Names that decide what programs run, or from where.
const RISKY: &[&str] = &[
    // Where programs and their parts are found.
    "PATH",
    "CDPATH",
    "IFS",
    "SHELL",
    "HOME",
    "XDG_CONFIG_HOME",
    "XDG_CONFIG_DIRS",
    "TMPDIR",
    "MANPATH",
    // What a shell runs by itself.
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS2",
    "PS4",
    "SHELLOPTS",
    "BASHOPTS",
    "ZDOTDIR",
    "FPATH",
    "BASH_FUNC",
    "GLOBIGNORE",
    "POSIXLY_CORRECT",
    // Programs that others start.
    "PAGER",
    "MANPAGER",
    "BROWSER",
    "EDITOR",
    "VISUAL",
    "LESSOPEN",
    "LESSCLOSE",
    "LESS",
    "LESSKEYIN",
    "MANOPT",
    "MANROFFOPT",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "SUDO_EDITOR",
    "RSYNC_RSH",
    "CVS_RSH",
    "TAR_OPTIONS",
    "GZIP",
    "UNZIP",
    "ZIPOPT",
    "GREP_OPTIONS",
    "RIPGREP_CONFIG_PATH",
    "FZF_DEFAULT_COMMAND",
    "LS_OPTIONS",
    "VIMINIT",
    "EXINIT",
    "GVIMINIT",
    "VIM",
    "VIMRUNTIME",
    "TERMINFO",
    "OPENER",
    // Code that interpreters and build tools take in.
    "NODE_OPTIONS",
    "NODE_PATH",
    "RUBYOPT",
    "RUBYLIB",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "CLASSPATH",
    "GRADLE_OPTS",
    "MAVEN_OPTS",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "LUA_INIT",
    "LUA_PATH",
    "LUA_CPATH",
    "RUSTC",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTDOC",
    "RUSTFLAGS",
    "RUSTUP_TOOLCHAIN",
    "MAKEFLAGS",
    "MAKEFILES",
    "CC",
    "CXX",
    "LD",
    "AR",
    "GOFLAGS",
    "GOROOT",
    "GOPATH",
    "DOTNET_STARTUP_HOOKS",
    "AWKPATH",
    "AWKLIBPATH",
    "KUBECONFIG",
    "DOCKER_HOST",
    "DOCKER_CONFIG",
    "GCONV_PATH",
    "LOCPATH",
    "NLSPATH",
    // Where requests go.
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "CURL_HOME",
    "WGETRC",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "HOSTALIASES",
];

/// Families of such names.
#[rustfmt::skip]
const RISKY_STARTS: &[&str] = &[
    "LD_", "DYLD_", "GIT_", "PYTHON", "PERL5", "PERL_", "BASH_FUNC_", "NPM_CONFIG_", "npm_config_", "YARN_",
    "PNPM_", "PIP_", "UV_", "CARGO_", "BUNDLE_", "GEM_", "COUNTERSIGN", "MALLOC_", "GLIBC_", "LSAN_",
    "ASAN_",
];

/// Endings of such names.
const RISKY_ENDS: &[&str] =
    &["_CONFIG_PATH", "_PAGER", "_EDITOR", "_OPTS", "_OPTIONS", "_PROXY", "_RUNNER", "_WRAPPER"];

/// Settings of builds and tests, which run the project's code as it is: set in front of one of those every day
/// (`RUSTFLAGS="-D warnings" cargo build`, `PYTHONPATH=src pytest`). They never leave a command green.
#[rustfmt::skip]
const BUILD_SETTINGS: &[&str] = &[
    "RUSTFLAGS", "RUSTDOCFLAGS", "RUSTUP_TOOLCHAIN", "CARGO_HOME", "CARGO_PROFILE_RELEASE_LTO", "CARGO_BUILD_JOBS",
    "CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS", "MAKEFLAGS", "GOFLAGS", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE",
    "PYTHONWARNINGS", "PYTHONHASHSEED", "PYTHONIOENCODING", "PYTHONUTF8", "NODE_OPTIONS", "NODE_PATH", "GRADLE_OPTS",
    "MAVEN_OPTS", "JAVA_OPTS", "SBT_OPTS",
];

fn is_build_setting(name: &str) -> bool {
    BUILD_SETTINGS.contains(&name)
}

/// What setting this variable does to a command's judgement.
pub(crate) fn judge(name: &str) -> Finding {
    if is_risky(name) && !is_build_setting(name) {
        return UNKNOWN_RED.because("Sets a variable that decides what runs.").finding();
    }
    if is_build_setting(name) {
        return UNKNOWN.because("Sets a variable that changes what a build runs.").finding();
    }
    Fixed::of(Class::Read, Level::Yellow, Reach::Never).because("Sets variables for the command.").finding()
}

/// Whether a variable decides what programs run or where they look.
pub(crate) fn is_risky(name: &str) -> bool {
    let name = name.split(['[', '+']).next().unwrap_or(name);
    // Only logging: what `cargo run` is started with every day.
    let is_plain =
        matches!(name, "CARGO_TERM_COLOR" | "CARGO_INCREMENTAL" | "PYTHONUNBUFFERED" | "CARGO_TARGET_DIR");
    !is_plain
        && (RISKY.contains(&name)
            || RISKY_STARTS.iter().any(|start| name.starts_with(start))
            || RISKY_ENDS.iter().any(|end| name.ends_with(end)))
}
