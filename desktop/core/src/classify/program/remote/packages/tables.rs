//! What the sub-commands of package managers do. Whatever stands in no table runs code.

use super::{
    super::super::entry::{
        DESTRUCTIVE, Fixed, NETWORK_READ, NETWORK_READ_ASKS, OUTSIDE_ASKS, READ_ASKS, RUNS_CODE, UNKNOWN,
        UNKNOWN_RED,
    },
    Manager,
};
use crate::classify::facts::Reach;

/// Looks at what is here, but may start what the project sets up.
pub(super) const LOOKS: Fixed = Fixed { reach: Reach::File, ..READ_ASKS };

/// Changes the user's own settings, outside the project.
pub(super) const SETS: Fixed = UNKNOWN_RED.because("changes settings outside the project");

pub(super) const PUBLISHES: Fixed = OUTSIDE_ASKS.because("publishes, or changes who may");

pub(super) const JS_DRIVERS: &[&str] =
    &["package.json", "package-lock.json", "npm-shrinkwrap.json", ".npmrc"];

pub(super) const NPM: Manager = Manager {
    valued: &[
        "--prefix",
        "-C",
        "-w",
        "--workspace",
        "--registry",
        "--userconfig",
        "--cache",
        "--loglevel",
        "--tag",
        "--otp",
        "--access",
        "--depth",
        "--omit",
        "--include",
    ],
    subs: &[
        (
            "publish|deprecate|undeprecate|owner|author|access|team|org|hook|star|unstar|login|adduser|add-user|logout|token|profile|dist-tag|dist-tags|trust|stage",
            PUBLISHES,
        ),
        (
            "owner|author|access|team|org|hook|token|profile|dist-tag|dist-tags ls|list|get|status",
            NETWORK_READ_ASKS,
        ),
        ("token revoke|delete|rm|remove", DESTRUCTIVE),
        ("owner|team|org|dist-tag|access|hook rm|remove|destroy|revoke", DESTRUCTIVE),
        ("unpublish", DESTRUCTIVE.because("removes a published package")),
        ("view|info|show|v", NETWORK_READ),
        ("search|s|se|find|ping|whoami|audit|outdated|doctor|diff|stars", NETWORK_READ_ASKS),
        ("audit fix", RUNS_CODE),
        ("ls|list|ll|la|explain|why|root|prefix|bin|help|query|fund|get|help-search|completion", LOOKS),
        ("config|c list|ls|get", LOOKS),
        ("config|c set|delete|rm|edit|fix", SETS),
        ("set", SETS),
        ("docs|home|repo|bugs|issues", UNKNOWN),
    ],
    drivers: JS_DRIVERS,
};

pub(super) const PNPM: Manager = Manager {
    valued: &[
        "-C",
        "--dir",
        "--filter",
        "-F",
        "--registry",
        "--tag",
        "--otp",
        "--access",
        "--reporter",
        "--loglevel",
        "--depth",
    ],
    subs: &[
        ("publish|deprecate|owner|access|login|logout|token|dist-tag|adduser", PUBLISHES),
        ("unpublish", DESTRUCTIVE.because("removes a published package")),
        ("view|info|show|search|audit|outdated|whoami|ping", NETWORK_READ_ASKS),
        ("audit --fix", RUNS_CODE),
        ("ls|list|ll|la|why|root|bin|licenses|store", LOOKS),
        ("config|c get|list|ls", LOOKS),
        ("config|c set|delete", SETS),
        ("store prune|add", RUNS_CODE),
    ],
    drivers: &["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", ".npmrc", ".pnpmfile.cjs"],
};

pub(super) const YARN: Manager = Manager {
    valued: &["--cwd", "--registry", "--tag", "--otp", "--access"],
    subs: &[
        ("publish|owner|login|logout|tag|team|register", PUBLISHES),
        ("npm publish|login|logout|tag", PUBLISHES),
        ("npm info|audit|whoami", NETWORK_READ_ASKS),
        ("info|audit|outdated|search|view", NETWORK_READ_ASKS),
        ("list|ls|why|licenses|bin|help|versions", LOOKS),
        ("workspaces list|info", LOOKS),
        ("config get|list", LOOKS),
    ],
    drivers: &["package.json", "yarn.lock", ".yarnrc", ".yarnrc.yml"],
};

pub(super) const BUN: Manager = Manager {
    valued: &["--cwd", "-c", "--config", "--filter", "--registry", "-r", "--preload", "--env-file"],
    subs: &[
        ("publish|login", PUBLISHES),
        ("audit|outdated|info|view", NETWORK_READ_ASKS),
        ("pm ls|bin|hash|cache|whoami|why", LOOKS),
        ("pm view", NETWORK_READ_ASKS),
        ("why", LOOKS),
    ],
    drivers: &["package.json", "bun.lock", "bun.lockb", "bunfig.toml", ".npmrc"],
};

pub(super) const JS_TOOLS: Manager = Manager {
    valued: &["-t", "--target", "-p", "--pat"],
    subs: &[
        (
            "publish|release|login|logout|create-publisher|verify-pat|sign|push|deploy|upgrade|verify",
            PUBLISHES,
        ),
        ("unpublish|delete-publisher|undeploy", DESTRUCTIVE),
        ("npm-publish|package-publish", PUBLISHES),
        ("search|show|ls-publishers|list-versions", NETWORK_READ_ASKS),
        ("run|ignition deploy|verify", UNKNOWN_RED),
        ("ls|list|changed|status|graph", LOOKS),
    ],
    drivers: JS_DRIVERS,
};

pub(super) const PIP_DRIVERS: &[&str] =
    &["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", "Pipfile.lock", "pip.conf"];

pub(super) const PIP: Manager = Manager {
    valued: &["--python", "--proxy", "--log", "--cache-dir", "-i", "--index-url", "--extra-index-url"],
    subs: &[
        ("list|show|freeze|check|inspect|debug|help|hash|graph|completion|runpip", LOOKS),
        ("config get|list|debug", LOOKS),
        ("config set|unset|edit", SETS),
        ("cache list|info|dir", LOOKS),
        ("search|index", NETWORK_READ_ASKS),
        ("upload", PUBLISHES),
    ],
    drivers: PIP_DRIVERS,
};

#[rustfmt::skip] // rows of words
pub(super) const PYTHON: Manager = Manager {
    valued: &[
        "-C", "--directory", "-P", "--project", "--python", "-p", "-e", "--env", "-n", "--name",
        "--index-url", "--repository", "-r", "-u", "-c",
    ],
    subs: &[
        ("publish|upload|register|login|logout|auth", PUBLISHES),
        ("cache|self|source|about|help", RUNS_CODE),
        ("check", RUNS_CODE),
        ("pip list|show|freeze|tree|check", LOOKS),
        ("show|tree|list|info|version|config", LOOKS),
        ("env|tool|python list|info|show|dir|find", LOOKS),
        ("config set|unset|--unset", SETS),
        ("config pypi-token|http-basic", SETS),
        ("search|outdated", NETWORK_READ_ASKS),
        ("env remove", DESTRUCTIVE.because("removes an environment with all in it")),
        ("copy|move|label|groups|notebook", PUBLISHES),
        ("remove", RUNS_CODE),
    ],
    drivers: &[
        "pyproject.toml", "uv.lock", "poetry.lock", "pdm.lock", "setup.py", "setup.cfg", "environment.yml",
        "pixi.toml", "uv.toml", "hatch.toml",
    ],
};

#[rustfmt::skip] // rows of words
pub(super) const CARGO: Manager = Manager {
    valued: &[
        "--config", "-C", "--color", "-Z", "--manifest-path", "--target-dir", "--target", "-p", "--package",
        "--features", "-F", "-j", "--jobs", "--profile",
    ],
    subs: &[
        ("publish|login|logout|owner|yank|release|smart-release|release-plz", PUBLISHES),
        ("workspaces|ws publish|rename", PUBLISHES),
        ("shuttle|lambda|shuttle-cli deploy|login|project|delete|stop|invoke|logs", PUBLISHES),
        ("search", NETWORK_READ),
        ("info|audit|outdated|crev|upgrades", NETWORK_READ_ASKS),
        ("tree|metadata|locate-project|pkgid|verify-project|read-manifest|version|help|config", LOOKS),
        ("contract instantiate|upload|call", PUBLISHES),
    ],
    drivers: &[
        "Cargo.toml", "Cargo.lock", "build.rs", ".cargo/config.toml", ".cargo/config", "rust-toolchain.toml",
        "rust-toolchain", "clippy.toml", "rustfmt.toml",
    ],
};

pub(super) const RUSTUP: Manager = Manager {
    valued: &[],
    subs: &[
        ("show|which|help|doc|check", LOOKS),
        ("toolchain|target|component|override list", LOOKS),
        ("self uninstall", DESTRUCTIVE.because("removes Rust with all its toolchains")),
    ],
    drivers: &["rust-toolchain.toml", "rust-toolchain"],
};

pub(super) const GO: Manager = Manager {
    valued: &["-C"],
    subs: &[
        ("env|doc|list|help|version", LOOKS),
        ("env -w|-u", SETS),
        ("mod graph|why|verify", LOOKS),
        ("telemetry|bug", UNKNOWN),
    ],
    drivers: &["go.mod", "go.sum", "go.work", "vendor/modules.txt"],
};

pub(super) const RUBY: Manager = Manager {
    valued: &["--gemfile", "-C", "--version"],
    subs: &[
        ("push|owner|signin|signout|cert|release", PUBLISHES),
        ("yank", PUBLISHES),
        ("trunk push|register|add-owner|deprecate", PUBLISHES),
        ("trunk delete|remove-owner", DESTRUCTIVE),
        ("repo push", PUBLISHES),
        ("search|outdated|fetch|spec", NETWORK_READ_ASKS),
        (
            "list|query|info|specification|environment|contents|dependency|which|help|show|platform|env|licenses|check|doctor|why",
            LOOKS,
        ),
        ("config", LOOKS),
        ("config set|unset", RUNS_CODE),
    ],
    drivers: &["Gemfile", "Gemfile.lock", "Rakefile", "Podfile", "Podfile.lock", ".bundle/config"],
};

pub(super) const PHP: Manager = Manager {
    valued: &["-d", "--working-dir"],
    subs: &[
        ("search|outdated|audit|browse|home", NETWORK_READ_ASKS),
        (
            "show|info|licenses|depends|why|prohibits|why-not|validate|diagnose|check-platform-reqs|about|help|list|status|suggests|fund",
            LOOKS,
        ),
        ("config", RUNS_CODE),
        ("global config", SETS),
    ],
    drivers: &["composer.json", "composer.lock"],
};

pub(super) const DOTNET: Manager = Manager {
    valued: &["-s", "--source", "-k", "--api-key"],
    subs: &[
        ("nuget push", PUBLISHES),
        ("nuget delete", DESTRUCTIVE.because("removes a published package")),
        ("push|setapikey|sign", PUBLISHES),
        ("delete", DESTRUCTIVE),
        ("nuget trust|sign|add|update|remove|disable", SETS),
        ("search", NETWORK_READ_ASKS),
        ("tool search", NETWORK_READ_ASKS),
        ("package search", NETWORK_READ_ASKS),
        ("list|sln|--info|--list-sdks|--list-runtimes|help", LOOKS),
        ("sln add|remove|migrate", RUNS_CODE),
        ("locals|nuget locals", RUNS_CODE),
        ("user-secrets", UNKNOWN_RED),
        ("dev-certs", UNKNOWN_RED),
        ("ef migrations remove", RUNS_CODE),
    ],
    drivers: &[
        "Directory.Build.props",
        "Directory.Build.targets",
        "global.json",
        "nuget.config",
        "packages.lock.json",
    ],
};

pub(super) const MIX: Manager = Manager {
    valued: &[],
    subs: &[
        ("hex.publish|hex.user|hex.organization|hex.owner|hex.retire|hex.registry|publish|hex", PUBLISHES),
        ("hex.info|hex.search|hex.outdated|hex.audit|hex.package|hex.docs|docs", NETWORK_READ_ASKS),
        ("docs", RUNS_CODE),
        ("retire|unretire|transfer|owner", PUBLISHES),
        ("help|deps|deps.tree|app.tree|xref", LOOKS),
    ],
    drivers: &["mix.exs", "mix.lock", "config/config.exs", "rebar.config", "rebar.lock", "gleam.toml"],
};

#[rustfmt::skip] // rows of words
pub(super) const OTHERS: Manager = Manager {
    valued: &["-C", "--dir", "-p", "--port", "-b", "-e"],
    subs: &[
        ("upload|publish|release|register|whoami|login|logout|submit", PUBLISHES),
        ("pub publish|login|logout|uploader|token", PUBLISHES),
        ("lish|package-registry", PUBLISHES),
        ("package-registry publish|login", PUBLISHES),
        ("search|pub outdated", NETWORK_READ_ASKS),
        ("altool|notarytool|stapler", PUBLISHES),
        ("simctl delete|erase", DESTRUCTIVE.because("removes simulators with their data")),
        ("erase_flash|erase-flash|erase_region", DESTRUCTIVE.because("erases a device")),
        ("write_flash|write-flash", UNKNOWN_RED.because("writes a device")),
        (
            "list|ls|current|which|info|show|env|where|outdated|doctor|config|devices|--showBuildSettings|-list|-showsdks|help",
            LOOKS,
        ),
        ("profile remove|wipe-history", DESTRUCTIVE),
        ("store gc|delete|prune", DESTRUCTIVE.because("deletes what no project names")),
        ("copy", OUTSIDE_ASKS),
    ],
    drivers: &[
        "package.yaml", "stack.yaml", "cabal.project", "dune-project", "pubspec.yaml", "pubspec.lock",
        "Package.swift", "build.zig", "flake.nix", "flake.lock", "shell.nix", "default.nix", "conanfile.py",
        "conanfile.txt", "vcpkg.json", "shard.yml", "cpanfile", "mise.toml", ".mise.toml", ".tool-versions",
        "platformio.ini", ".envrc",
    ],
};
