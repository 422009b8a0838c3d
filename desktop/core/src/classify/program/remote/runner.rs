//! Programs that fetch or find another program and start it, and small tools that remove whole trees. What a runner
//! starts is opened and judged by the shell's side; here stands only what the runner adds.

use super::{
    super::entry::{DESTRUCTIVE, Does, Entry, LOSES_FILE, OUTSIDE_ASKS, RUNS_CODE},
    args,
    cli::PROBE,
    code, schema,
};
use crate::classify::{finding::Finding, word::Command};

/// Runners.
#[rustfmt::skip] // rows of words
pub(super) const RUNNERS: &[Entry] = &[
    Entry {
        names: &[
            "npx", "bunx", "pnpx", "uvx", "dlx", "dotenv", "dotenvx", "env-cmd", "cross-env",
            "cross-env-shell", "concurrently", "npm-run-all", "npm-run-all2", "run-s", "run-p", "nodemon",
            "onchange", "chokidar", "watchexec", "entr", "wireit", "patch-package", "shx", "shelljs", "degit",
            "tiged", "create-react-app", "create-vite", "create-next-app", "cookiecutter", "copier", "yo",
            "plop", "hygen", "wait-on", "start-server-and-test", "prlimit", "numactl", "cgexec", "caffeinate",
            "systemd-inhibit", "rlwrap", "faketime", "xvfb-run", "softlimit", "chpst", "envdir", "tsp", "sem",
            "dumb-init", "tini", "fakeroot", "firejail", "bwrap", "start-stop-daemon", "daemonize",
            "run-parts", "choom", "winpty", "reptyr", "dtach", "abduco", "nvm-exec", "scl",
        ],
        does: Does::Code(|c, _| runs(c)),
        why: "starts another program, perhaps one it downloads",
    },
];

/// Small tools that remove.
pub(super) const REMOVERS: &[Entry] = &[
    Entry {
        names: &[
            "rimraf",
            "del-cli",
            "npkill",
            "kondo",
            "cargo-sweep",
            "bfg",
            "trash-empty",
            "empty-trash",
            "bleachbit",
        ],
        does: Does::Always(DESTRUCTIVE.because("removes whole folders")),
        why: "removes trees",
    },
    Entry {
        names: &["trash", "trash-put", "gvfs-trash", "rmtrash", "safe-rm", "del"],
        does: Does::Always(LOSES_FILE.because("moves to the trash")),
        why: "removes named files",
    },
];

/// Scopes of packages that are command lines of services.
#[rustfmt::skip] // rows of words
const PUBLIC: &[&str] = &[
    "@railway/", "@sentry/", "@cloudflare/", "@vercel/", "@netlify/", "@shopify/", "@aws-amplify/",
    "@google-cloud/", "@stripe/", "@expo/eas", "@render/", "@planetscale/", "@datadog/", "@bitwarden/",
    "@1password/", "@anthropic-ai/", "@openai/", "@google/gemini", "@qwen-code/", "@github/copilot",
    "@heroku/", "@serverless/", "@pulumi/", "@salesforce/", "@microsoft/m365", "@azure/", "@digitalocean/",
    "@linear/", "@apify/", "@replit/",
];

fn runs(command: &Command) -> Finding {
    if args::is_probe(command) {
        return PROBE.finding();
    }
    let mut finding = RUNS_CODE.finding();
    finding.drivers.push("package.json".into());
    if schema::loses(command) {
        finding.worsen(DESTRUCTIVE.because("empties or rolls back a database").finding());
    }
    // A whole command may stand in one word: `concurrently "npm:dev" "rm -rf out"`.
    for word in command.arguments() {
        if word.text.contains(' ') {
            finding.worsen(code::weigh(&word.text, true).finding());
        }
    }
    if args::texts(command).any(|text| PUBLIC.iter().any(|scope| text.starts_with(scope))) {
        finding.worsen(OUTSIDE_ASKS.because("starts the command line of a service").finding());
    }
    // `npx rimraf@5 dist`: a version does not hide what is started.
    let started = args::texts(command).filter_map(|text| text.trim_start_matches('@').split('@').next());
    if started.into_iter().any(|name| matches!(name, "rimraf" | "del-cli" | "npkill")) {
        finding.worsen(DESTRUCTIVE.because("removes whole folders").finding());
    }
    finding
}

#[cfg(test)]
mod tests {
    use countersign_proto::request::{Class, Level};

    use super::{super::args::tests::command, *};

    #[test]
    fn a_runner_runs_code_and_shows_what_it_would_lose() {
        for line in ["npx tsc --noEmit", "npx prettier --check .", "npx prisma migrate dev", "uvx tool"] {
            let finding = runs(&command(line));
            assert_eq!((finding.class, finding.level), (Class::Unknown, Level::Yellow), "{line}");
        }
        for line in [
            "npx prisma migrate reset --force",
            "npx prisma@5 migrate reset",
            "npx rimraf dist",
            "npx rimraf@5 dist",
            "bunx typeorm schema:drop",
        ] {
            assert_eq!(runs(&command(line)).class, Class::Destructive, "{line}");
        }
    }
}
