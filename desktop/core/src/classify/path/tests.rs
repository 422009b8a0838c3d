//! What users rely on: where paths lie and what that means, whichever way they are written.

mod words;

use countersign_proto::request::{Class, Level};
use proptest::prelude::*;

use super::testing::{World, scene};
use super::*;

const PROJ: Option<&str> = Some("/home/u/proj");

fn place(world: &World, written: &str) -> Place {
    locate(&scene(world), PROJ, written, false).place
}

fn changed(written: &str) -> Place {
    locate(&scene(&World::default()), PROJ, written, true).place
}

/// A command of plain words.
fn command(text: &str) -> Command {
    Command {
        words: text.split(' ').map(Word::plain).collect(),
        assigned: Vec::new(),
        is_fed: false,
        fed_text: None,
        folder: PROJ.map(Into::into),
    }
}

fn judged(words: &[&str], class: Class) -> Finding {
    let command = Command { words: words.iter().map(|word| Word::plain(word)).collect(), ..command("x") };
    of_command(&command, &scene(&World::default()), class).0
}

fn level(text: &str) -> Level {
    of_command(&command(text), &scene(&World::default()), Class::Read).0.level
}

#[test]
fn a_path_is_where_its_words_lead() {
    let world = World::default();
    for inside in [
        "src/main.rs",
        "./src/./main.rs",
        "src/../Cargo.toml",
        "/home/u/proj",
        "/home/u/proj/",
        "/home/u//proj/a",
        "$PWD/a",
        "${PWD}/a",
        "$(pwd)/a",
        "~/proj/a",
        "$HOME/proj",
        "${HOME}/proj/x",
        "../proj/a",
        "origin/main",
        "...",
        "./...",
        "a..b",
        "~+/a",
        "$CLAUDE_PROJECT_DIR/x",
        "src/app/[id]/page.tsx",
    ] {
        assert_eq!(place(&world, inside), Place::Inside, "{inside}");
    }
    for outside in [
        "",
        "/",
        "/etc/passwd",
        "..",
        "../",
        "../other/a",
        "a/../../b",
        "~",
        "~/notes.txt",
        "$HOME",
        "$HOME/a",
        "${HOME}/a",
        "~bob/a.txt",
        "~bob",
        "/home/u/proj2/a",
        "/home/u/proj-old",
        "/home/u/pro",
        "/home/u",
        "/home/u/proj/../other/a",
        "$UNKNOWN/a",
        "$(git rev-parse --show-toplevel)/a",
        "`x`/a",
        r"C:\Users\u\a.txt",
        "C:/Users",
        r"\\srv\share",
        r"..\other",
        "%USERPROFILE%\\a",
        r"$env:USERPROFILE\a",
        "~-/a",
        "/proc/self/environ",
        "src/*/../../../x",
        "a\0b",
        "//etc/passwd",
        "/etc/../etc/hosts",
        "/dev/sda",
        "/dev/tcp/h/80",
        "/var/tmp/x",
    ] {
        assert_eq!(place(&world, outside), Place::Outside, "{outside}");
    }
    for temporary in ["/tmp", "/tmp/a", "/tmp/../tmp/a", "$TMPDIR/a"] {
        assert_eq!(place(&world, temporary), Place::Temporary, "{temporary}");
    }
    for outside in ["/tmpx", "/tmp/../etc", "/tmp2/a"] {
        assert_eq!(place(&world, outside), Place::Outside, "{outside}");
    }
    for exempt in ["/dev/null", "/dev/stdin", "/dev/../dev/null", "//dev/null", "/dev/urandom"] {
        assert_eq!(place(&world, exempt), Place::Exempt, "{exempt}");
    }
    for git in [".git", ".git/config", "sub/.git/hooks/pre-commit", ".GIT/config", "/home/u/proj/.git/HEAD"] {
        assert_eq!(place(&world, git), Place::Git, "{git}");
    }
    for inside in [".gitignore", ".github/workflows/ci.yml", "x.git"] {
        assert_eq!(place(&world, inside), Place::Inside, "{inside}");
    }
}

#[test]
fn links_decide_over_words() {
    let world = World::default()
        .link("/home/u/proj/link", "/etc")
        .link("/home/u/proj/chain", "link")
        .link("/home/u/proj/id_rsa", "/srv/x")
        .link("/home/u/proj/notes.txt", "/home/u/.ssh/id_ed25519")
        .link("/home/u/proj/config", "prod/.env")
        .link("/home/u/proj/in", "src/deep")
        .link("/home/u/proj/tmp", "/tmp/x")
        .link("/home/u/proj/state", "/home/u/.local/state/countersign")
        .link("/home/u/proj/g", ".git")
        .link("/home/u/alias", "/home/u/proj");
    for (written, expected) in [
        ("link/passwd", Place::Outside),
        ("chain/passwd", Place::Outside),
        ("id_rsa", Place::Outside),
        ("notes.txt", Place::Closed),
        ("config", Place::Env),
        ("in/a", Place::Inside),
        ("tmp/a", Place::Temporary),
        ("state/ledger.db", Place::Own),
        ("g/hooks/x", Place::Git),
        ("/home/u/alias/src/a", Place::Inside),
        // The system leaves the folder that the link led to: /etc/.. is the root.
        ("link/../proj/a", Place::Outside),
        ("in/../a", Place::Inside),
    ] {
        assert_eq!(place(&world, written), expected, "{written}");
    }
}

#[test]
fn what_the_resolver_can_t_tell_is_outside() {
    let world = World::default().unknown("/home/u/proj/locked").link("/home/u/proj/loop", "loop");
    assert_eq!(place(&world, "locked/a"), Place::Outside);
    assert_eq!(place(&world, "loop/a"), Place::Outside);
    assert_eq!(place(&World::default().unknown("/home/u/proj"), "a"), Place::Outside);
    assert_eq!(locate(&scene(&World::default()), None, "a", false).place, Place::Outside);
    assert_eq!(locate(&scene(&World::default()), None, ".env", false).place, Place::Env);
}

#[test]
fn a_project_that_is_linked_holds_its_files_by_either_name() {
    let world = World::default().link("/home/u/proj", "/data/proj");
    for inside in ["a", "/home/u/proj/a", "/data/proj/a", "../proj/a"] {
        // `..` leaves /data/proj, where the folder really is.
        let expected = Place::Inside;
        assert_eq!(place(&world, inside), expected, "{inside}");
    }
    assert_eq!(place(&world, "/data/proj2/a"), Place::Outside);
}

#[test]
fn the_root_and_the_home_are_no_projects() {
    let world = World::default().link("/home/u/l", "/home/u");
    for worktree in
        ["", "/", "/home", "/home/u", "/home/u/", "/home/u/.", "/home/../home/u", "/home/u/l", "proj"]
    {
        let mut scene = scene(&world);
        scene.call.worktree = worktree;
        let fact = locate(&scene, Some("/home/u/proj"), "a", false);
        assert_eq!(fact.place, Place::Outside, "{worktree}");
    }
}

#[test]
fn closed_paths_are_closed_however_they_are_written() {
    let world = World::default();
    for closed in [
        "~/.ssh",
        "~/.ssh/id_rsa",
        "/home/u/.ssh/config",
        "$HOME/.ssh/config",
        "${HOME}/.ssh",
        "../.ssh/x",
        "/home/u/proj/../.ssh/x",
        "~bob/.ssh/id_rsa",
        "/home/bob/.ssh/x",
        "/root/.aws/credentials",
        "~/.ss*/id_rsa",
        "~/.s?h",
        "~/.[s]sh/x",
        "~/.SSH/x",
        "~/.*",
        "$X/.ssh/id_rsa",
        "$(echo ~)/.ssh/id_rsa",
        "/mnt/backup/u/.ssh/x",
        "~/.aws",
        "~/.gnupg/x",
        "~/.netrc",
        "~/.pgpass",
        "~/.git-credentials",
        "~/.kube/config",
        "$KUBECONFIG",
        "~/.docker/config.json",
        "~/.config/gcloud/x",
        "~/.azure",
        "~/.npmrc",
        "~/.pypirc",
        "~/.cargo/credentials.toml",
        "~/.local/share/keyrings/login.keyring",
        "~/.password-store/x.gpg",
        "~/Documents/Pass.kdbx",
        "~/.config/Bitwarden/data.json",
        "~/.config/1Password",
        "~/.mozilla/firefox/p/logins.json",
        "~/.config/google-chrome/Default/Login Data",
        "~/.config/google-chrome-beta/x",
        "~/.config/chromium/Default/Cookies",
        "~/.config/BraveSoftware/x",
        "~/.thunderbird/x",
        "~/.config/Signal/sql/db.sqlite",
        "~/.config/Slack/x",
        "~/.local/share/TelegramDesktop/tdata",
        "~/.claude/.credentials.json",
        "~/.claude.json",
        "~/.codex/auth.json",
        "~/.codex/sessions/2026/a.jsonl",
        "~/.local/share/opencode/auth.json",
        "~/.qwen/oauth_creds.json",
        "~/.copilot/session-state/x",
        "~/.gemini/oauth_creds.json",
        "~/.cursor/chats",
        "~/.factory/auth.json",
        "~/.kimi/sessions/x",
        "/etc/shadow",
        "/etc/shadow-",
        "/etc/gshadow",
        "/etc/ssh/ssh_host_ed25519_key",
        "/proc/1/environ",
        "/proc/*/environ",
        "/proc/812/task/812/environ",
        "~/.bash_history",
        "~/.bitcoin/wallet.dat",
        "~/.config/solana/id.json",
        r"C:\Users\u\.ssh\id_rsa",
        r"$env:USERPROFILE\.aws\credentials",
        "~/.config/gh/hosts.yml",
        "/home/u/keys/id_rsa",
        "/var/run/secrets/kubernetes.io/serviceaccount/token",
        "$XDG_CONFIG_HOME/gcloud/x",
        "$XDG_DATA_HOME/keyrings/x",
    ] {
        assert_eq!(place(&world, closed), Place::Closed, "{closed}");
    }
    for open in [
        "~/.sshx",
        "~/.config",
        "~/.cargo/config.toml",
        "/etc/ssh/sshd_config",
        "/etc/passwd",
        "~/.awsome",
        "~/notes/.x",
        "/home/u/other/.npmrc",
        "~/*",
        "../*",
        "/proc/self/status",
        "/proc/cpuinfo",
    ] {
        assert_eq!(place(&world, open), Place::Outside, "{open}");
    }
    for inside in
        ["id_rsa", ".npmrc", ".docker/Dockerfile", "docs/.ssh/config", "fixtures/a.kdbx", "mail/index.ts"]
    {
        assert_eq!(place(&world, inside), Place::Inside, "{inside}");
    }
}

#[test]
fn an_agent_s_own_notes_are_outside_and_not_closed_to_it() {
    let world = World::default();
    let notes = "~/.claude/projects/-home-u-proj/memory/MEMORY.md";
    assert_eq!(place(&world, notes), Place::Outside);
    let mut other = scene(&world);
    other.call.agent = "codex";
    assert_eq!(locate(&other, PROJ, notes, false).place, Place::Closed);
}

#[test]
fn countersign_s_own_parts_are_its_own() {
    let world = World::default();
    for own in [
        "~/.local/state/countersign/ledger.db",
        "~/.local/state/countersign-demo",
        "~/.config/countersign/devices.json",
        "~/.local/share/countersign",
        "/run/user/1000/countersign/hook.sock",
        "$XDG_RUNTIME_DIR/countersign/control.sock",
        "/etc/countersign/managed.policy",
        "~/.config/systemd/user/countersign.service",
        "~/.config/systemd/user/default.target.wants/countersign.service",
        "$XDG_STATE_HOME/countersign/x",
        "~/.local/state/counter*",
    ] {
        assert_eq!(place(&world, own), Place::Own, "{own}");
    }
    for program in ["/usr/bin/countersign", "~/.local/bin/countersign-hook", "~/.cargo/bin/countersign"] {
        assert_eq!(changed(program), Place::Own, "{program}");
        assert_eq!(place(&world, program), Place::Outside, "{program}");
    }
    for inside in ["countersign/src/main.rs", "/home/u/proj/.config/countersign/x", "countersign"] {
        assert_eq!(place(&world, inside), Place::Inside, "{inside}");
    }
}

#[test]
fn env_files_are_told_by_their_names() {
    let world = World::default();
    for env in [
        ".env",
        "api/.env.production",
        ".env.local",
        "prod.env",
        "a.env.b",
        ".ENV",
        ".env/",
        "~/.env",
        ".env*",
        "*.env",
        ".env.example.local",
        "$X/.env",
        "./.env",
    ] {
        assert_eq!(place(&world, env), Place::Env, "{env}");
    }
    for other in [
        ".env.example",
        "config/.env.example",
        "a.env.example",
        ".environment",
        "env",
        "env.ts",
        ".envoy",
        "vite-env.d.ts",
    ] {
        assert_eq!(place(&world, other), Place::Inside, "{other}");
    }
    assert_eq!(place(&World::default().private("/home/u/proj"), ".e*"), Place::Env);
    let mut lifted = scene(&world);
    lifted.call.env_is_lifted = true;
    assert_eq!(locate(&lifted, PROJ, ".env", false).place, Place::Inside);
    assert_eq!(locate(&lifted, PROJ, "../other/.env", false).place, Place::Env);
}

#[test]
fn a_change_to_what_steers_an_agent_is_guarded() {
    for (list, paths) in [
        (
            "claude",
            &[
                ".claude/settings.json",
                ".claude/settings.local.json",
                "~/.claude/settings.json",
                ".claude/hooks/x.sh",
                ".claude/agents/a.md",
                ".claude/commands/x.md",
                ".claude/skills/a/SKILL.md",
                "~/.claude/plugins/x",
                "web/.claude/settings.json",
                "/etc/claude-code/managed-settings.json",
                ".claude/SETTINGS.json",
                ".claude",
            ][..],
        ),
        (
            "codex",
            &[".codex/config.toml", "~/.codex/config.toml", "~/.codex/hooks.json", "/etc/codex/config.toml"],
        ),
        (
            "opencode",
            &["opencode.json", "opencode.jsonc", ".opencode/plugin/x.ts", "~/.config/opencode/opencode.json"],
        ),
        ("qwen", &[".qwen/settings.json", "~/.qwen/settings.json"]),
        ("copilot", &[".github/hooks/x.json", "~/.copilot/mcp-config.json", ".github/copilot/settings.json"]),
        (
            "others",
            &[
                ".mcp.json",
                ".vscode/settings.json",
                ".vscode/tasks.json",
                ".vscode/mcp.json",
                ".cursor/mcp.json",
                ".envrc",
                ".gemini/settings.json",
                "~/.bashrc",
                "~/.zshrc",
                "~/.profile",
                "$HOME/.zshenv",
                "~/.config/fish/config.fish",
                "/etc/profile.d/x.sh",
                "a.code-workspace",
                ".factory/hooks.json",
            ],
        ),
    ] {
        for path in paths {
            assert_eq!(changed(path), Place::Guarded, "{list}: {path}");
            assert_ne!(place(&World::default(), path), Place::Guarded, "{list}: {path}");
        }
    }
    for inside in [
        "CLAUDE.md",
        "AGENTS.md",
        ".claude/CLAUDE.md",
        ".claude/worktrees/a/src/x.rs",
        ".github/workflows/ci.yml",
        ".github/copilot-instructions.md",
        ".vscode/extensions.json",
        "package.json",
        "*.json",
        "*",
        ".bashrc",
        "src/mcp.rs",
        ".cursor/rules/a.mdc",
        "tsconfig.json",
    ] {
        assert_eq!(changed(inside), Place::Inside, "{inside}");
    }
}

#[test]
fn every_line_of_the_lists_is_found_by_its_own_path() {
    let world = World::default();
    let written = |listed: &listed::Listed| {
        let path = listed.path.replace('*', "x");
        match listed.at {
            listed::At::Home | listed::At::HomeOnly => format!("~/{path}"),
            listed::At::Root => format!("/{path}"),
            listed::At::Anywhere | listed::At::AnywhereItself => path,
            listed::At::OutsideName => format!("/srv/{path}"),
        }
    };
    let mut seen = std::collections::BTreeSet::new();
    let mut check = |listed: &listed::Listed, at_least: Place| {
        assert!(
            !listed.why.is_empty() && !listed.path.starts_with('/') && !listed.path.ends_with('/'),
            "{listed:?}"
        );
        assert!(seen.insert((listed.path, at_least, listed.at as u8)), "twice: {listed:?}");
        let place = locate(&scene(&world), PROJ, &written(listed), true).place;
        assert!(place >= at_least, "{listed:?} is {place:?}");
    };
    for listed in closed::LISTS.iter().flat_map(|list| *list) {
        check(listed, Place::Closed);
    }
    for listed in guard::LISTS.iter().flat_map(|list| *list) {
        check(listed, Place::Guarded);
    }
    for listed in own::DATA.iter().chain(own::PROGRAMS) {
        check(listed, Place::Own);
    }
}

#[test]
fn the_meaning_of_a_path_follows_its_place() {
    let weighed = |written: &str, class: Class| {
        let fact = locate(&scene(&World::default()), PROJ, written, class != Class::Read);
        let finding = weigh(&fact, class);
        (finding.class, finding.level, finding.reach, finding.may_remember)
    };
    assert_eq!(weighed("a", Class::Write), (Class::Read, Level::Green, Reach::Class, true));
    assert_eq!(weighed("x/../a", Class::Read), (Class::Read, Level::Green, Reach::File, true));
    assert_eq!(weighed("/etc/hosts", Class::Read), (Class::Read, Level::Red, Reach::File, false));
    assert_eq!(weighed("/etc/hosts", Class::Write), (Class::Write, Level::Red, Reach::File, false));
    assert_eq!(weighed("/tmp/a", Class::Read), (Class::Read, Level::Yellow, Reach::File, true));
    assert_eq!(weighed("/tmp/a", Class::Write), (Class::Write, Level::Red, Reach::File, false));
    assert_eq!(weighed(".git/config", Class::Write), (Class::Write, Level::Yellow, Reach::Never, true));
    assert_eq!(weighed(".git/config", Class::Read), (Class::Read, Level::Green, Reach::Class, true));
    assert_eq!(weighed(".env", Class::Read), (Class::Read, Level::Red, Reach::Never, false));
    assert_eq!(weighed(".mcp.json", Class::Write), (Class::Guard, Level::Red, Reach::Never, false));
    assert_eq!(weighed("~/.ssh/x", Class::Write), (Class::Write, Level::Red, Reach::Never, false));
    assert_eq!(
        weighed("~/.config/countersign/x", Class::Write),
        (Class::Guard, Level::Red, Reach::Never, false)
    );
    assert_eq!(weighed("/dev/null", Class::Write), (Class::Read, Level::Green, Reach::Class, true));
}

#[test]
fn a_text_for_an_interpreter_may_not_mention_what_is_closed() {
    let world = World::default();
    let scene = scene(&world);
    for text in [
        "open('/home/u/.ssh/id_rsa')",
        "os.path.join(home, '.ssh', 'id_rsa')",
        "cat ~/.aws/credentials",
        "h + \"/.ssh/id_rsa\"",
        "`${h}/.netrc`",
        "open(\"/etc/shadow\")",
        "cat $HOME/.ss*/id_rsa",
        "Get-Content $env:USERPROFILE\\.ssh\\id_rsa",
        "shutil.rmtree(h + '/.local/state/countersign')",
    ] {
        assert!(mentions(text, &scene).refused.is_some(), "{text}");
    }
    for text in ["cat .env", "open('prod.env')", "readFileSync('config/prod.env')", "source ./.env.local"] {
        let finding = mentions(text, &scene);
        assert_eq!(
            (finding.level, finding.refused.is_some(), finding.may_remember),
            (Level::Red, false, false),
            "{text}"
        );
    }
    for text in
        ["process.env", "import.meta.env.X", "print(1/2)", "a.b.c()", ".env.example", "s/foo/bar/", "x = .5"]
    {
        assert_eq!(mentions(text, &scene).level, Level::Green, "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_paths_panic(
        text in "\\PC{0,60}",
        folder in "(/[a-z.]{0,3}){0,4}",
        program in prop::sample::select(vec!["sed", "awk", "grep", "git", "docker", "find", "echo", "rg", "bazel", "cmd", "jq"]),
    ) {
        let world = World::default();
        let scene = scene(&world);
        for token in tokens(&Word::plain(&text)) {
            locate(&scene, Some(&folder), &token, true);
        }
        locate(&scene, None, &text, false);
        mentions(&text, &scene);
        keeps_lines_away(&Word::plain(&text));
        let words = [program, text.as_str(), "-e", text.as_str(), "--", text.as_str()];
        judged(&words, Class::Write);
    }

    #[test]
    fn a_path_outside_is_never_inside(
        parts in prop::collection::vec(prop::sample::select(vec!["a", "..", ".", "", "proj", "proj2", "b c", "link", "in", "é"]), 0..9),
        is_absolute in any::<bool>(),
    ) {
        let world = World::default().link("/home/u/proj/link", "/srv").link("/home/u/proj/in", "/home/u/proj/a/a");
        let path = format!("{}{}", if is_absolute { "/home/u/" } else { "" }, parts.join("/"));
        let scene = scene(&world);
        let fact = locate(&scene, PROJ, &path, false);
        let base = if path.starts_with('/') { "" } else { "/home/u/proj/" };
        let Real::At(real) = world.real(&format!("{base}{path}")) else { panic!("no loops here") };
        let is_inside = real == "/home/u/proj" || real.starts_with("/home/u/proj/");
        prop_assert_eq!(fact.place == Place::Inside, is_inside && !path.is_empty(), "{} is {}", path, real);
    }

    #[test]
    fn glue_and_quotes_hide_no_path(
        path in prop::sample::select(vec!["/etc/passwd", "~/.ssh/id_rsa", "../x", "$HOME/a", "/foo/x", "C:\\x", ".env"]),
        glue in prop::sample::select(vec!["", "--file=", "-f", "of=", "a=b=", "@", "x=@", "file=\"", "a,", "k='", "--a=b,c="]),
        quote in prop::sample::select(vec!["", "\"", "'"]),
    ) {
        let world = World::default();
        let bare = place(&world, path);
        let word = format!("{glue}{quote}{path}{quote}");
        let worst = tokens(&Word::plain(&word)).iter().map(|token| place(&world, token)).max();
        prop_assert!(worst >= Some(bare), "{}: {:?}", word, tokens(&Word::plain(&word)));
    }
}

use crate::classify::resolver::{Real, Resolver as _};
