//! Builds, tests, linters, formatters and servers of a project: they run its code. Yellow, `unknown`, and what decides
//! what they do is hashed into a rule (REQ-6).

use super::{
    super::entry::{DESTRUCTIVE, Does, Entry, RUNS_CODE, UNKNOWN_RED},
    args,
    cli::PROBE,
    packages, schema,
};
use crate::classify::{finding::Finding, word::Command};

/// Builds, tests, linters, formatters, servers.
#[rustfmt::skip] // rows of words
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        names: &[
            "make", "gmake", "bmake", "nmake", "remake", "just", "task", "go-task", "ninja", "samu", "cmake",
            "ctest", "cpack", "meson", "scons", "waf", "bjam", "premake5", "qmake", "tup", "redo", "invoke",
            "inv", "doit", "paver", "rake", "thor", "guard", "grunt", "gulp", "jake", "nox", "tox", "mage",
            "xc", "mask", "run", "rant", "configure", "autoreconf", "autoconf", "automake", "libtool", "gyp",
            "node-gyp", "gn", "soong", "ndk-build", "msbuild", "xbuild", "fake", "nuke", "conmon", "sake",
        ],
        does: Does::Code(|c, _| builds(c)),
        why: "runs what its file says",
    },
    Entry {
        names: &[
            "tsc", "tsup", "tsgo", "vue-tsc", "svelte-check", "swc", "babel", "esbuild", "rollup", "webpack",
            "webpack-cli", "webpack-dev-server", "parcel", "vite", "vite-node", "rspack", "rsbuild",
            "snowpack", "microbundle", "unbuild", "pkgroll", "ncc", "browserify", "metro", "next", "nuxt",
            "nuxi", "astro", "gatsby", "remix", "react-router", "sveltekit", "svelte-kit", "ng", "vue",
            "vue-cli-service", "react-scripts", "craco", "expo", "react-native", "ionic", "cordova",
            "capacitor", "tauri", "wails", "electron-vite", "storybook", "start-storybook", "build-storybook",
            "eleventy", "hexo", "hugo", "jekyll", "zola", "mdbook", "mkdocs", "sphinx-build",
            "sphinx-autobuild", "docusaurus", "vitepress", "vuepress", "typedoc", "jsdoc", "tailwindcss",
            "postcss", "sass", "lessc", "stylus", "uglifyjs", "terser", "svgo", "openapi-generator",
            "openapi-generator-cli", "swagger-codegen", "graphql-codegen", "orval", "buf", "protoc", "flatc",
            "capnp", "thrift", "sqlc", "ent", "wire", "mockgen", "stringer", "moq", "mockery", "gqlgen",
            "swag", "air", "reflex", "http-server", "serve", "live-server", "browser-sync", "json-server",
            "miniserve", "caddy", "nginx", "httpd", "apachectl", "trunk", "wasm-pack", "wasm-bindgen",
            "cargo-make", "bindgen", "cbindgen", "uniffi-bindgen",
        ],
        does: Does::Code(|c, _| builds(c)),
        why: "builds or serves with the project's own configuration",
    },
    Entry {
        names: &[
            "pytest", "py.test", "unittest", "nose2", "nosetests", "behave", "robot", "coverage", "mutmut",
            "hypothesis", "jest", "vitest", "mocha", "ava", "tap", "tape", "jasmine", "karma", "cypress",
            "playwright", "wdio", "testcafe", "nightwatch", "c8", "nyc", "stryker", "bats", "shellspec",
            "shunit2", "rspec", "minitest", "cucumber", "phpunit", "pest", "codecept", "behat", "infection",
            "busted", "ginkgo", "gotestsum", "cargo-nextest", "nextest", "detox", "maestro", "appium",
            "newman", "hurl", "tavern", "schemathesis", "dredd", "pa11y", "lighthouse", "lhci", "backstop",
            "percy", "loki", "testem", "web-test-runner", "wtr", "qunit", "elm-test", "hspec", "criterion",
            "hyperfine",
        ],
        does: Does::Code(|c, _| builds(c)),
        why: "runs tests",
    },
    Entry {
        names: &[
            "eslint", "prettier", "prettierd", "biome", "rome", "oxlint", "dprint", "standard", "xo",
            "stylelint", "tslint", "jshint", "jscs", "htmlhint", "markdownlint", "markdownlint-cli2",
            "remark", "alex", "textlint", "vale", "write-good", "cspell", "codespell", "typos", "proselint",
            "ruff", "black", "isort", "autopep8", "yapf", "flake8", "pylint", "pycodestyle", "pydocstyle",
            "pyflakes", "mypy", "dmypy", "pyright", "basedpyright", "pytype", "pyre", "ty", "bandit",
            "vulture", "radon", "interrogate", "safety", "pip-audit", "pyupgrade", "autoflake",
            "docformatter", "djlint", "rubocop", "standardrb", "reek", "brakeman", "sorbet", "srb", "steep",
            "erb_lint", "haml-lint", "rustfmt", "clippy-driver", "gofmt", "goimports", "gofumpt", "golint",
            "golangci-lint", "staticcheck", "revive", "errcheck", "gosec", "govulncheck", "gopls", "dlv",
            "delve", "phpstan", "psalm", "phpcs", "phpcbf", "php-cs-fixer", "pint", "rector", "phpmd",
            "ktlint", "detekt", "checkstyle", "spotbugs", "pmd", "google-java-format", "scalafmt", "scalafix",
            "cljfmt", "clj-kondo", "eastwood", "kibit", "credo", "dialyzer", "elvis", "ormolu", "fourmolu",
            "hlint", "stylish-haskell", "ocamlformat", "fantomas", "swiftlint", "swiftformat", "swift-format",
            "periphery", "clang-format", "clang-tidy", "cppcheck", "cpplint", "iwyu", "include-what-you-use",
            "astyle", "uncrustify", "shellcheck", "shfmt", "checkbashisms", "luacheck", "stylua", "selene",
            "nixfmt", "nixpkgs-fmt", "alejandra", "statix", "deadnix", "taplo", "sqlfluff", "sqlfmt",
            "pgformatter", "pg_format", "actionlint", "zizmor", "dotenv-linter", "editorconfig-checker", "ec",
            "commitlint", "lint-staged", "pre-commit", "prek", "husky", "lefthook", "overcommit", "semgrep",
            "ast-grep", "comby", "jscodeshift", "ts-prune", "knip", "depcheck", "madge", "dependency-cruiser",
            "depcruise", "size-limit", "bundlesize", "source-map-explorer", "publint", "attw", "syncpack",
            "manypkg", "sort-package-json", "npm-check", "npm-check-updates", "ncu", "license-checker",
            "renovate", "cz", "commitizen", "standard-version", "conventional-changelog", "git-cliff",
            "bump-my-version", "bumpversion", "bump2version", "towncrier", "cocogitto", "deadcode",
            "gitleaks", "trufflehog", "detect-secrets", "talisman",
        ],
        does: Does::Code(|c, _| builds(c)),
        why: "checks or formats with the project's own plugins",
    },
    Entry {
        names: &[
            "gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "lld", "mold", "ar", "ranlib", "as", "nasm",
            "yasm", "gfortran", "rustc", "rustdoc", "javac", "jar", "kotlinc", "scalac", "groovyc", "ocamlc",
            "ocamlopt", "ocamlfind", "fpc", "gnatmake", "ldc2", "dmd", "nim", "odin", "v", "vlang", "nvcc",
            "hipcc", "ispc", "emcc", "em++", "wat2wasm", "wasm-opt", "solc", "vyper", "circom", "noir",
            "nargo", "scarb", "leo", "swiftc", "dart2js", "valac", "mcs", "csc", "fsc", "elixirc", "erlc",
            "coqc", "agda", "lean", "lake", "idris2", "verilator", "iverilog", "yosys", "ghdl", "latexmk",
            "pdflatex", "xelatex", "lualatex", "tectonic", "typst", "pandoc", "asciidoctor", "doxygen",
            "javadoc", "d2", "mmdc", "plantuml", "dot", "drawio", "quarto", "marp", "slidev", "godot",
            "unity", "ue", "blender", "rojo", "love", "processing-java", "openscad", "kicad-cli", "inkscape",
            "ffmpeg", "magick", "convert", "gs", "qemu-system-x86_64", "qemu-system-aarch64", "qemu-img",
            "adb", "fastboot", "simctl", "xcodegen", "tuist", "ios-deploy", "gdb", "lldb", "rr", "valgrind",
            "strace", "ltrace", "perf", "dtrace", "dtruss", "sysdig", "samply", "flamegraph", "py-spy",
            "heaptrack", "ccache", "sccache", "distcc", "icecc", "bear", "compiledb", "scan-build",
            "include-fixer",
        ],
        does: Does::Code(|c, _| compiles(c)),
        why: "compiles, renders or debugs; runs plugins and programs",
    },
];

/// Which files decide what a build does.
#[rustfmt::skip] // rows of words
const DRIVERS: &[(&[&str], &[&str])] = &[
    (&["make", "gmake", "bmake", "nmake", "remake"], &["GNUmakefile", "makefile", "Makefile"]),
    (&["just"], &["justfile", "Justfile", ".justfile"]),
    (&["task", "go-task"], &["Taskfile.yml", "Taskfile.yaml", "Taskfile.dist.yml"]),
    (&["ninja", "samu"], &["build.ninja"]),
    (&["cmake", "ctest", "cpack"], &["CMakeLists.txt", "CMakePresets.json"]),
    (&["meson"], &["meson.build", "meson_options.txt"]),
    (
        &["rake", "thor", "guard", "rspec", "cucumber", "rubocop"],
        &["Rakefile", "Gemfile", ".rspec", ".rubocop.yml", "Guardfile"],
    ),
    (&["scons"], &["SConstruct"]),
    (&["waf"], &["wscript"]),
    (
        &["tox", "nox", "invoke", "inv", "doit"],
        &["tox.ini", "noxfile.py", "tasks.py", "dodo.py", "pyproject.toml", "setup.cfg"],
    ),
    (
        &[
            "pytest", "py.test", "coverage", "mypy", "ruff", "black", "flake8", "pylint", "isort", "pyright",
            "bandit",
        ],
        &[
            "pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini", "conftest.py", "mypy.ini", "ruff.toml",
            ".flake8", ".pylintrc",
        ],
    ),
    (&["pre-commit", "prek"], &[".pre-commit-config.yaml"]),
    (&["lefthook"], &["lefthook.yml"]),
    (&["rustfmt", "clippy-driver", "rustc"], &["rustfmt.toml", "clippy.toml", "rust-toolchain.toml"]),
    (
        &["golangci-lint", "gotestsum", "ginkgo", "gofmt", "staticcheck"],
        &["go.mod", ".golangci.yml", ".golangci.yaml"],
    ),
    (
        &["phpunit", "pest", "phpstan", "psalm", "pint"],
        &["composer.json", "phpunit.xml", "phpstan.neon", "psalm.xml"],
    ),
];

/// Where no row says otherwise: the manifest that JavaScript's tools read, and their own configuration.
const DEFAULT: &[&str] = &["package.json", "tsconfig.json"];

fn builds(command: &Command) -> Finding {
    // A build file that is piped in is a script of its own.
    let reads_input = command
        .arguments()
        .iter()
        .any(|word| matches!(word.text.as_str(), "-" | "-f-" | "--file=-" | "--makefile=-" | "/dev/stdin"));
    if command.is_fed && reads_input {
        return UNKNOWN_RED.because("Builds what is piped into it.").finding();
    }
    if args::is_probe(command) {
        return PROBE.finding();
    }
    let mut finding = RUNS_CODE.finding();
    let name = command.name();
    let files = DRIVERS.iter().find(|(names, _)| names.contains(&name)).map_or(DEFAULT, |(_, files)| *files);
    let given =
        args::values(command, &["-f", "--file", "--makefile", "--justfile", "-c", "--config", "--taskfile"]);
    let folder = args::values(command, &["-C", "--directory", "-S", "--dir", "--working-directory"]);
    let front = folder.first().map_or(String::new(), |folder| format!("{}/", folder.trim_end_matches('/')));
    finding.drivers.extend(files.iter().chain(&given).map(|file| format!("{front}{file}")));
    finding.drivers.extend(args::texts(command).filter(|text| packages::is_script(text)).map(str::to_owned));
    if schema::loses(command) {
        finding.worsen(DESTRUCTIVE.because("empties or rolls back a database").finding());
    }
    finding
}

fn compiles(command: &Command) -> Finding {
    if args::is_probe(command) {
        return PROBE.finding();
    }
    let verbs: Vec<&str> = args::texts(command).filter(|text| !args::is_option(text)).take(4).collect();
    let erases = match command.name() {
        "adb" => verbs.iter().any(|verb| {
            matches!(
                *verb,
                "uninstall" | "wipe" | "clear" | "root" | "reboot" | "format" | "disable-verity" | "rm"
            )
        }),
        "fastboot" => {
            verbs.iter().any(|verb| {
                matches!(
                    *verb,
                    "erase" | "format" | "flash" | "flashall" | "flashing" | "oem" | "update" | "wipe-super"
                )
            }) || args::has(command, &["-w"])
        }
        "qemu-img" => verbs.first().is_some_and(|verb| matches!(*verb, "commit" | "rebase" | "snapshot")),
        _ => false,
    };
    if erases { DESTRUCTIVE.because("erases or resets a device").finding() } else { RUNS_CODE.finding() }
}

#[cfg(test)]
mod tests {
    use countersign_proto::request::{Class, Level};

    use super::{super::args::tests::command, *};

    #[test]
    fn builds_are_yellow_and_name_what_drives_them() {
        for (line, driver) in [
            ("make -j4 test", "Makefile"),
            ("make -f build.mk all", "build.mk"),
            ("make -C web build", "web/Makefile"),
            ("just test", "justfile"),
            ("cmake --build build", "CMakeLists.txt"),
            ("ninja -C build", "build/build.ninja"),
            ("pytest tests/test_api.py::test_login", "conftest.py"),
            ("tsc --noEmit", "tsconfig.json"),
            ("rake spec", "Rakefile"),
        ] {
            let finding = builds(&command(line));
            assert_eq!((finding.class, finding.level), (Class::Unknown, Level::Yellow), "{line}");
            assert!(
                finding.may_remember && finding.drivers.iter().any(|file| file == driver),
                "{line}: {:?}",
                finding.drivers
            );
        }
    }

    #[test]
    fn a_task_that_empties_a_database_is_destructive_and_a_device_may_be_erased() {
        assert_eq!(builds(&command("rake db:drop")).class, Class::Destructive);
        assert_eq!(compiles(&command("fastboot flash boot a.img")).class, Class::Destructive);
        assert_eq!(compiles(&command("adb devices")).level, Level::Yellow);
        assert_eq!(compiles(&command("gcc -O2 a.c")).level, Level::Yellow);
    }
}
