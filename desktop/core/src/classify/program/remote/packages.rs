//! Package managers and build tools of languages. Installing, building and testing runs code of the project or of
//! strangers: yellow, `unknown`. Publishing is external; asking a registry reads from the network.

use super::{
    super::entry::{
        DESTRUCTIVE, Does, Entry, Fixed, NETWORK_READ, NETWORK_READ_ASKS, OUTSIDE_ASKS, READ_ASKS, RUNS_CODE,
        UNKNOWN, UNKNOWN_RED,
    },
    args, cli,
    cli::PROBE,
    interpreter, own, schema,
};
use crate::classify::{
    facts::Reach,
    finding::{Finding, rank},
    word::Command,
};

/// Package managers.
#[rustfmt::skip] // rows of words
pub(super) const ENTRIES: &[Entry] = &[
    Entry { names: &["npm"], does: Does::Code(|c, _| NPM.judge(c)), why: "JavaScript packages" },
    Entry {
        names: &["pnpm", "pnpm.cjs", "ni", "nr", "rush", "cnpm", "tnpm"],
        does: Does::Code(|c, _| PNPM.judge(c)),
        why: "JavaScript packages",
    },
    Entry {
        names: &["yarn", "yarnpkg", "bower", "jspm", "volta", "nvm", "fnm", "n"],
        does: Does::Code(|c, _| YARN.judge(c)),
        why: "JavaScript packages",
    },
    Entry {
        names: &["bun"],
        does: Does::Code(|c, _| bun(c)),
        why: "JavaScript packages, and an interpreter",
    },
    Entry {
        names: &[
            "lerna", "nx", "turbo", "changeset", "beachball", "vsce", "ovsx", "jsr", "web-ext",
            "electron-builder", "electron-forge", "neutralino", "clasp", "forge", "foundry", "hardhat",
            "truffle", "anchor",
        ],
        does: Does::Code(|c, _| JS_TOOLS.judge(c)),
        why: "builds or publishes JavaScript packages",
    },
    Entry {
        names: &[
            "pip", "pip3", "pip2", "pipx", "pip-sync", "pip-compile", "easy_install", "pipenv", "micropipenv",
        ],
        does: Does::Code(|c, _| pip(c)),
        why: "Python packages",
    },
    Entry {
        names: &[
            "uv", "poetry", "pdm", "hatch", "flit", "rye", "pixi", "setup.py", "maturin", "twine", "conda",
            "mamba", "micromamba", "anaconda", "conda-build",
        ],
        does: Does::Code(|c, _| PYTHON.judge(c)),
        why: "Python projects",
    },
    Entry { names: &["cargo", "cross"], does: Does::Code(|c, _| CARGO.judge(c)), why: "Rust projects" },
    Entry { names: &["rustup"], does: Does::Code(|c, _| RUSTUP.judge(c)), why: "Rust toolchains" },
    Entry { names: &["go", "tinygo", "xgo"], does: Does::Code(|c, _| GO.judge(c)), why: "Go projects" },
    Entry {
        names: &["gem", "bundle", "bundler", "rbenv", "rvm", "pod", "carthage"],
        does: Does::Code(|c, _| RUBY.judge(c)),
        why: "Ruby packages, and Apple's",
    },
    Entry {
        names: &["composer", "pecl", "pear", "phive"],
        does: Does::Code(|c, _| PHP.judge(c)),
        why: "PHP packages",
    },
    Entry {
        names: &["dotnet", "nuget", "paket"],
        does: Does::Code(|c, _| DOTNET.judge(c)),
        why: ".NET projects",
    },
    Entry {
        names: &[
            "mvn", "mvnw", "mvnd", "gradle", "gradlew", "sbt", "mill", "lein", "ant", "bazel", "bazelisk",
            "buck2", "pants", "clj", "clojure", "boot", "amper", "jbang", "coursier", "cs", "scala-cli",
        ],
        does: Does::Code(|c, _| jvm(c)),
        why: "JVM projects: goals may publish",
    },
    Entry {
        names: &["mix", "rebar3", "gleam"],
        does: Does::Code(|c, _| MIX.judge(c)),
        why: "Erlang and Elixir projects",
    },
    Entry {
        names: &[
            "stack", "cabal", "opam", "dune", "esy", "luarocks", "cpan", "cpanm", "cpanp", "carton", "nimble",
            "shards", "zig", "dart", "flutter", "fvm", "pub", "swift", "conan", "vcpkg", "spack", "xmake",
            "haxelib", "dub", "elm", "spago", "purs", "raco", "alr", "quicklisp", "roswell", "rocks", "fpm",
            "jpm", "vpm", "tlmgr", "asdf", "mise", "rtx", "pyenv", "nodenv", "goenv", "jenv", "sdk", "ghcup",
            "arduino-cli", "platformio", "pio", "west", "idf.py", "esptool", "esptool.py", "xcodebuild",
            "xcrun", "devbox", "nix", "nix-build", "nix-shell", "nix-instantiate", "flox", "direnv",
            "corepack", "pkl", "rokit", "wally", "aftman",
        ],
        does: Does::Code(|c, _| OTHERS.judge(c)),
        why: "packages and projects of other languages",
    },
];

/// Looks at what is here, but may start what the project sets up.
const LOOKS: Fixed = Fixed { reach: Reach::File, ..READ_ASKS };
/// Changes the user's own settings, outside the project.
const SETS: Fixed = UNKNOWN_RED.because("changes settings outside the project");
const PUBLISHES: Fixed = OUTSIDE_ASKS.because("publishes, or changes who may");

/// A package manager.
pub(super) struct Manager {
    pub(super) valued: &'static [&'static str],
    pub(super) subs: &'static [(&'static str, Fixed)],
    /// Files that decide what it runs.
    pub(super) drivers: &'static [&'static str],
}

impl Manager {
    pub(super) fn judge(&self, command: &Command) -> Finding {
        if args::is_probe(command) || is_short_probe(command) {
            return PROBE.finding();
        }
        let found = args::operands(command, self.valued);
        let words: Vec<&str> = found.words.iter().copied().skip_while(|word| word.starts_with('+')).collect();
        let mut fixed = self.look_up(&words);
        if found.sure == 0 {
            // Any of the first words may be an unknown option's value.
            for skipped in 1..4 {
                let other = self.look_up(words.get(skipped..).unwrap_or_default());
                if (other.level, rank(other.class)) > (fixed.level, rank(fixed.class))
                    && other.level > RUNS_CODE.level
                {
                    fixed = other;
                }
            }
        }
        let mut finding = fixed.finding();
        if fixed.class == RUNS_CODE.class {
            finding.drivers = self.drivers.iter().map(|driver| (*driver).to_owned()).collect();
            finding.drivers.extend(scripts(&words));
        }
        if words.first().is_some_and(|word| word.starts_with('$') || word.starts_with('`')) {
            finding.worsen(UNKNOWN.finding());
        }
        if schema::loses(command) {
            finding.worsen(DESTRUCTIVE.because("empties or rolls back a database").finding());
        }
        let removes = words
            .iter()
            .take(3)
            .any(|word| word.contains("uninstall") || matches!(*word, "remove" | "rm" | "un" | "r"));
        if removes && own::is_named(command) {
            return own::refused("would remove Countersign");
        }
        finding
    }

    fn look_up(&self, words: &[&str]) -> Fixed {
        cli::longest(self.subs, words).map_or(RUNS_CODE, |(_, fixed)| fixed)
    }
}

/// `cargo -V`, `npm -v`: these programs' own short spelling of a probe.
fn is_short_probe(command: &Command) -> bool {
    let [only] = command.arguments() else { return false };
    only.is_known
        && command.assigned.is_empty()
        && matches!(
            only.text.as_str(),
            "-V" | "-v"
                | "-h"
                | "version"
                | "help"
                | "-help"
                | "-version"
                | "--info"
                | "--list-sdks"
                | "--list-runtimes"
        )
}

/// Operands that are scripts or manifests of the project.
fn scripts<'a>(words: &'a [&str]) -> impl Iterator<Item = String> + 'a {
    words.iter().skip(1).filter(|word| is_script(word)).map(|word| (*word).to_owned())
}

/// Whether a word names a file that a program may run.
pub(super) fn is_script(word: &str) -> bool {
    const ENDS: &[&str] = &[
        ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx", ".py", ".rb", ".pl", ".php", ".go",
        ".sh", ".lua", ".jl", ".R", ".r", ".exs", ".ex", ".kts", ".groovy", ".swift", ".jar", ".tcl",
        ".toml", ".txt", ".cfg", ".json", ".yml", ".yaml",
    ];
    !args::is_option(word) && !word.contains("://") && ENDS.iter().any(|end| word.ends_with(end))
}

const JS_DRIVERS: &[&str] = &["package.json", "package-lock.json", "npm-shrinkwrap.json", ".npmrc"];

const NPM: Manager = Manager {
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

const PNPM: Manager = Manager {
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

const YARN: Manager = Manager {
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

const BUN: Manager = Manager {
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

fn bun(command: &Command) -> Finding {
    interpreter::inline(command, &["-e", "--eval", "-p", "--print"], "").unwrap_or_else(|| BUN.judge(command))
}

const JS_TOOLS: Manager = Manager {
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

const PIP_DRIVERS: &[&str] =
    &["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", "Pipfile.lock", "pip.conf"];

const PIP: Manager = Manager {
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

fn pip(command: &Command) -> Finding {
    let mut finding = PIP.judge(command);
    let is_listed = args::texts(command).any(|text| text == "list");
    if is_listed && args::has(command, &["-o", "--outdated", "-u", "--uptodate"]) {
        finding.worsen(NETWORK_READ_ASKS.finding());
    }
    finding.drivers.extend(
        args::values(command, &["-r", "--requirement", "-c", "--constraint"]).into_iter().map(str::to_owned),
    );
    finding
}

#[rustfmt::skip] // rows of words
const PYTHON: Manager = Manager {
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
const CARGO: Manager = Manager {
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

const RUSTUP: Manager = Manager {
    valued: &[],
    subs: &[
        ("show|which|help|doc|check", LOOKS),
        ("toolchain|target|component|override list", LOOKS),
        ("self uninstall", DESTRUCTIVE.because("removes Rust with all its toolchains")),
    ],
    drivers: &["rust-toolchain.toml", "rust-toolchain"],
};

const GO: Manager = Manager {
    valued: &["-C"],
    subs: &[
        ("env|doc|list|help|version", LOOKS),
        ("env -w|-u", SETS),
        ("mod graph|why|verify", LOOKS),
        ("telemetry|bug", UNKNOWN),
    ],
    drivers: &["go.mod", "go.sum", "go.work", "vendor/modules.txt"],
};

const RUBY: Manager = Manager {
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

const PHP: Manager = Manager {
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

const DOTNET: Manager = Manager {
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

const MIX: Manager = Manager {
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
const OTHERS: Manager = Manager {
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

/// Goals and tasks stand anywhere among the words, often several.
fn jvm(command: &Command) -> Finding {
    if args::is_probe(command) || is_short_probe(command) {
        return PROBE.finding();
    }
    let mut finding = RUNS_CODE.finding();
    finding.drivers = [
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "settings.gradle",
        "settings.gradle.kts",
        "gradle.properties",
        "gradle/wrapper/gradle-wrapper.properties",
        "gradlew",
        "mvnw",
        "build.sbt",
        "project/build.properties",
        "project/plugins.sbt",
        "build.sc",
        "project.clj",
        "deps.edn",
        "build.xml",
        "MODULE.bazel",
        "WORKSPACE",
        "BUILD",
        "BUILD.bazel",
        ".bazelrc",
        ".mvn/maven.config",
        ".mvn/extensions.xml",
    ]
    .map(String::from)
    .to_vec();
    for text in args::texts(command) {
        let task = text.rsplit(':').next().unwrap_or(text).trim_start_matches('+').to_ascii_lowercase();
        let low = text.to_ascii_lowercase();
        let is_local = task.contains("local") || task.contains("dryrun");
        let publishes = [
            "publish",
            "deploy",
            "uploadarchives",
            "upload",
            "release",
            "closeandrelease",
            "bintray",
            "promote",
            "appdistribution",
            "jgitpush",
            "site-deploy",
        ]
        .iter()
        .any(|verb| task.starts_with(verb));
        let is_goal = !args::is_option(text) && !text.contains('/') && !text.contains('.');
        let is_plugin = [
            "release:",
            "deploy:",
            "nexus-staging:",
            "central-publishing:",
            "scm:",
            "wagon:",
            "jib:build",
            "docker:push",
            "heroku:",
            "appengine:",
            "versions:commit",
        ]
        .iter()
        .any(|plugin| low.contains(plugin));
        if is_goal && (publishes && !is_local || is_plugin) || text == "-T:deploy" {
            finding.worsen(PUBLISHES.finding());
        }
        if low.contains("flyway:clean")
            || low.contains("flywayclean")
            || low.contains("liquibase:dropall")
            || low.contains("dropall")
        {
            finding.worsen(DESTRUCTIVE.because("empties a database").finding());
        }
    }
    if schema::loses(command) {
        finding.worsen(DESTRUCTIVE.because("empties a database").finding());
    }
    finding
}

#[cfg(test)]
mod tests {
    use countersign_proto::request::{Class, Level};

    use super::{super::args::tests::command, *};

    fn judged(line: &str) -> Finding {
        let command = command(line);
        let entry = ENTRIES.iter().find(|entry| entry.names.contains(&command.name())).expect("listed");
        match entry.does {
            Does::Code(code) => {
                let scene = crate::classify::program::remote::nowhere();
                code(&command, &scene)
            }
            _ => panic!("code"),
        }
    }

    #[test]
    fn installs_builds_and_tests_run_code() {
        for line in [
            "npm install zod",
            "npm ci",
            "npm test",
            "npm run build",
            "npm run deploy",
            "npm audit fix",
            "npm uninstall left-pad",
            "pnpm add -D vitest",
            "pnpm -r build",
            "pnpm --filter web dev",
            "yarn add a",
            "yarn lint --fix",
            "yarn",
            "bun install",
            "bun test",
            "pip install -r requirements.txt",
            "uv sync",
            "uv run pytest",
            "poetry add pydantic",
            "cargo build",
            "cargo +nightly test",
            "cargo add tokio",
            "cargo update -p serde",
            "cargo run -- publish",
            "cargo install ripgrep",
            "cargo clean",
            "go build ./...",
            "go get example.com/m@latest",
            "bundle install",
            "bundle exec rspec",
            "composer install",
            "dotnet build",
            "dotnet publish",
            "mvn -q test",
            "mvn clean install",
            "gradlew assembleDebug",
            "gradle publishToMavenLocal",
            "mix test",
            "mix deps.get",
            "flutter test",
            "swift build",
            "xcodebuild test",
            "stack build",
        ] {
            let finding = judged(line);
            assert_eq!(
                (finding.class, finding.level, finding.reach),
                (Class::Unknown, Level::Yellow, Reach::File),
                "{line}"
            );
            assert!(finding.may_remember, "{line}");
            assert!(!finding.drivers.is_empty(), "{line}");
        }
    }

    #[test]
    fn publishing_is_external_and_unpublishing_destructive() {
        for line in [
            "npm publish",
            "npm --workspace a publish",
            "npm --odd x publish",
            "npm login",
            "npm token create",
            "npm owner add a",
            "npm dist-tag add a@1 latest",
            "pnpm -r publish",
            "yarn npm publish",
            "yarn publish",
            "bun publish",
            "lerna publish",
            "vsce publish",
            "cargo publish",
            "cargo +nightly publish",
            "cargo owner --add a",
            "cargo yank --version 1.0.0",
            "cargo login",
            "poetry publish --build",
            "uv publish",
            "twine upload dist/a",
            "gem push a.gem",
            "pod trunk push",
            "dotnet nuget push a.nupkg",
            "mvn clean deploy",
            "mvn release:perform",
            "gradle :lib:publish",
            "sbt +publishSigned",
            "mix hex.publish",
            "dart pub publish",
            "flutter pub publish",
            "cabal upload a",
            "stack upload a",
        ] {
            let finding = judged(line);
            assert_eq!(
                (finding.class, finding.level, finding.reach),
                (Class::External, Level::Red, Reach::Never),
                "{line}"
            );
        }
        for line in [
            "npm unpublish mypkg --force",
            "npm token revoke a",
            "dotnet nuget delete a 1",
            "npm run db:reset",
            "mix ecto.drop",
            "cargo sqlx database drop",
            "dotnet ef database drop",
            "bundle exec rails db:drop",
            "mvn flyway:clean",
        ] {
            let finding = judged(line);
            assert_eq!((finding.class, finding.level), (Class::Destructive, Level::Red), "{line}");
        }
    }

    #[test]
    fn asking_a_registry_reads_from_the_network() {
        for (line, reach) in [
            ("npm view react version", Reach::Class),
            ("npm info react", Reach::Class),
            ("cargo search serde", Reach::Class),
            ("npm search x", Reach::Never),
            ("npm audit", Reach::Never),
            ("pip index versions a", Reach::Never),
            ("pip list --outdated", Reach::Never),
            ("gem search a", Reach::Never),
        ] {
            let finding = judged(line);
            assert_eq!(
                (finding.class, finding.level, finding.reach),
                (Class::ReadExternal, Level::Red, reach),
                "{line}"
            );
        }
    }

    #[test]
    fn looking_at_what_is_here_is_a_read_that_no_line_allows() {
        for line in [
            "npm ls --depth=0",
            "cargo tree",
            "cargo metadata --no-deps",
            "cargo --version",
            "npm -v",
            "pip list",
            "pip show a",
            "go version",
            "go env",
            "rustup show",
            "gem list",
            "dotnet --info",
        ] {
            let finding = judged(line);
            assert_eq!(
                (finding.class, finding.level, finding.reach),
                (Class::Read, Level::Yellow, Reach::File),
                "{line}"
            );
        }
    }

    #[test]
    fn removing_countersign_is_refused() {
        assert!(judged("npm uninstall -g countersign").refused.is_some());
        assert!(judged("cargo uninstall countersign").refused.is_some());
    }
}
