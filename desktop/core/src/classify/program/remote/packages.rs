//! Package managers and build tools of languages. Installing, building and testing runs code of the project or of
//! strangers: yellow, `unknown`. Publishing is external; asking a registry reads from the network.

mod jvm;
mod tables;

use self::tables::*;
use super::{
    super::entry::{DESTRUCTIVE, Does, Entry, Fixed, NETWORK_READ_ASKS, RUNS_CODE, UNKNOWN},
    args, cli,
    cli::PROBE,
    interpreter, own, schema,
};
use crate::classify::{
    finding::{Finding, rank},
    scene::Scene,
    word::Command,
};

/// Package managers.
#[rustfmt::skip] // rows of words
pub(super) const ENTRIES: &[Entry] = &[
    Entry { names: &["npm"], does: Does::Code(|c, s| NPM.judge(c, s)), why: "JavaScript packages" },
    Entry {
        names: &["pnpm", "pnpm.cjs", "ni", "nr", "rush", "cnpm", "tnpm"],
        does: Does::Code(|c, s| PNPM.judge(c, s)),
        why: "JavaScript packages",
    },
    Entry {
        names: &["yarn", "yarnpkg", "bower", "jspm", "volta", "nvm", "fnm", "n"],
        does: Does::Code(|c, s| YARN.judge(c, s)),
        why: "JavaScript packages",
    },
    Entry {
        names: &["bun"],
        does: Does::Code(bun),
        why: "JavaScript packages, and an interpreter",
    },
    Entry {
        names: &[
            "lerna", "nx", "turbo", "changeset", "beachball", "vsce", "ovsx", "jsr", "web-ext",
            "electron-builder", "electron-forge", "neutralino", "clasp", "forge", "foundry", "hardhat",
            "truffle", "anchor",
        ],
        does: Does::Code(|c, s| JS_TOOLS.judge(c, s)),
        why: "builds or publishes JavaScript packages",
    },
    Entry {
        names: &[
            "pip", "pip3", "pip2", "pipx", "pip-sync", "pip-compile", "easy_install", "pipenv", "micropipenv",
        ],
        does: Does::Code(pip),
        why: "Python packages",
    },
    Entry {
        names: &[
            "uv", "poetry", "pdm", "hatch", "flit", "rye", "pixi", "setup.py", "maturin", "twine", "conda",
            "mamba", "micromamba", "anaconda", "conda-build",
        ],
        does: Does::Code(|c, s| PYTHON.judge(c, s)),
        why: "Python projects",
    },
    Entry { names: &["cargo", "cross"], does: Does::Code(|c, s| CARGO.judge(c, s)), why: "Rust projects" },
    Entry { names: &["rustup"], does: Does::Code(|c, s| RUSTUP.judge(c, s)), why: "Rust toolchains" },
    Entry { names: &["go", "tinygo", "xgo"], does: Does::Code(|c, s| GO.judge(c, s)), why: "Go projects" },
    Entry {
        names: &["gem", "bundle", "bundler", "rbenv", "rvm", "pod", "carthage"],
        does: Does::Code(|c, s| RUBY.judge(c, s)),
        why: "Ruby packages, and Apple's",
    },
    Entry {
        names: &["composer", "pecl", "pear", "phive"],
        does: Does::Code(|c, s| PHP.judge(c, s)),
        why: "PHP packages",
    },
    Entry {
        names: &["dotnet", "nuget", "paket"],
        does: Does::Code(|c, s| DOTNET.judge(c, s)),
        why: ".NET projects",
    },
    Entry {
        names: &[
            "mvn", "mvnw", "mvnd", "gradle", "gradlew", "sbt", "mill", "lein", "ant", "bazel", "bazelisk",
            "buck2", "pants", "clj", "clojure", "boot", "amper", "jbang", "coursier", "cs", "scala-cli",
        ],
        does: Does::Code(|c, _| jvm::judge(c)),
        why: "JVM projects: goals may publish",
    },
    Entry {
        names: &["mix", "rebar3", "gleam"],
        does: Does::Code(|c, s| MIX.judge(c, s)),
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
        does: Does::Code(|c, s| OTHERS.judge(c, s)),
        why: "packages and projects of other languages",
    },
];

/// A package manager.
pub(super) struct Manager {
    pub(super) valued: &'static [&'static str],
    pub(super) subs: &'static [(&'static str, Fixed)],
    /// Files that decide what it runs.
    pub(super) drivers: &'static [&'static str],
}

impl Manager {
    pub(super) fn judge(&self, command: &Command, scene: &Scene<'_>) -> Finding {
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
        if let Some(inner) = started(command, &words)
            && let Some(judged) = super::look_up(&inner, scene)
        {
            finding.worsen(judged);
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

/// The command behind `exec`, `x` or `dlx`, as far as it is the command line of something that starts no others, so that
/// this ends. Its name may carry a version.
fn started(command: &Command, words: &[&str]) -> Option<Command> {
    let [verb, name, ..] = words else { return None };
    if !matches!(*verb, "exec" | "x" | "dlx" | "run" | "tool") {
        return None;
    }
    let at = command.arguments().iter().position(|word| word.text == *name)?;
    let mut inner = command.arguments().get(at..)?.to_vec();
    let first = inner.first_mut()?;
    if let Some((bare, _)) = first.text.split_once('@').filter(|(bare, _)| !bare.is_empty()) {
        first.text = bare.to_owned();
    }
    let inner = Command { words: inner, ..command.clone() };
    (!super::starts_others(inner.name())).then_some(inner)
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

fn bun(command: &Command, scene: &Scene<'_>) -> Finding {
    interpreter::inline(command, &["-e", "--eval", "-p", "--print"], "")
        .unwrap_or_else(|| BUN.judge(command, scene))
}

fn pip(command: &Command, scene: &Scene<'_>) -> Finding {
    let mut finding = PIP.judge(command, scene);
    let is_listed = args::texts(command).any(|text| text == "list");
    if is_listed && args::has(command, &["-o", "--outdated", "-u", "--uptodate"]) {
        finding.worsen(NETWORK_READ_ASKS.finding());
    }
    finding.drivers.extend(
        args::values(command, &["-r", "--requirement", "-c", "--constraint"]).into_iter().map(str::to_owned),
    );
    finding
}

#[cfg(test)]
mod tests {
    use countersign_proto::request::{Class, Level};

    use super::{super::args::tests::command, *};
    use crate::classify::facts::Reach;

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
    fn a_service_that_is_started_through_a_package_manager_is_that_service() {
        for line in [
            "pnpm dlx wrangler deploy",
            "yarn dlx vercel",
            "npm exec vercel@latest deploy",
            "bun x netlify deploy",
        ] {
            assert_eq!(judged(line).class, Class::External, "{line}");
        }
        assert_eq!(judged("pnpm dlx rimraf dist").class, Class::Destructive);
        assert_eq!(judged("pnpm exec tsc").level, Level::Yellow);
        assert_eq!(judged(&"npm exec ".repeat(20_000)).level, Level::Yellow);
    }

    #[test]
    fn removing_countersign_is_refused() {
        assert!(judged("npm uninstall -g countersign").refused.is_some());
        assert!(judged("cargo uninstall countersign").refused.is_some());
    }
}
