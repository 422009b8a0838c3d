//! The fence between the rooms: who may depend on whom, what pure crates never pull in, what the relay may know, and
//! that every file says what it holds.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    process::Command,
};

/// Our crates and the crates of ours that they may use, in shipped code.
const ARROWS: &[(&str, &[&str])] = &[
    ("countersign-proto", &[]),
    ("countersign-core", &["countersign-proto"]),
    ("countersign-agents", &["countersign-core", "countersign-proto"]),
    ("countersign-ipc", &[]),
    ("countersign-hook", &["countersign-ipc"]),
    (
        "countersign-daemon",
        &["countersign-agents", "countersign-core", "countersign-ipc", "countersign-proto"],
    ),
    (
        "countersign-cli",
        &[
            "countersign-agents",
            "countersign-core",
            "countersign-daemon",
            "countersign-ipc",
            "countersign-proto",
        ],
    ),
    ("countersign-relay", &["countersign-proto"]),
    ("countersign-mobile-core", &["countersign-proto"]),
    ("countersign-demo-phone", &["countersign-mobile-core", "countersign-proto"]),
];
/// Crates that touch nothing.
const PURE: &[&str] =
    &["countersign-proto", "countersign-core", "countersign-agents", "countersign-mobile-core"];
/// What reaches the world, and so has no place below a pure crate.
const WORLDLY: &[&str] =
    &["tokio", "rustix", "sqlx", "axum", "hyper", "getrandom", "mio", "socket2", "tracing", "nix"];
/// The hook is started before every call: nothing heavy.
const HOOK_HAS_NO: &[&str] =
    &["tokio", "serde", "serde_json", "clap", "tracing", "countersign-core", "countersign-proto"];
/// What the relay may use of `proto`.
const RELAY_KNOWS: &[&str] = &["frame", "claim", "id", "limits", "key"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned()
}

fn tree(package: &str) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--offline",
            "--edges",
            "normal",
            "--prefix",
            "none",
            "--format",
            "{p}",
            "--package",
            package,
        ])
        .current_dir(root())
        .output()
        .expect("cargo tree");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("cargo prints UTF-8");
    text.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

#[test]
fn dependencies_flow_in_one_direction() {
    let allowed: BTreeMap<&str, BTreeSet<&str>> =
        ARROWS.iter().map(|(from, to)| (*from, to.iter().copied().collect())).collect();
    for (package, may_use) in &allowed {
        for used in tree(package) {
            let is_ours = used.starts_with("countersign-") && used != *package;
            assert!(!is_ours || may_use.contains(used.as_str()), "{package} must not depend on {used}");
        }
    }
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).expect("the workspace's manifest");
    let members = manifest.lines().filter(|line| line.starts_with("    \"")).count();
    assert_eq!(members, ARROWS.len() + 1, "a new crate needs its arrows here (the tests crate has none)");
}

#[test]
fn pure_crates_reach_nothing() {
    for package in PURE {
        let used = tree(package);
        for worldly in WORLDLY {
            assert!(!used.contains(*worldly), "{package} is pure and must not depend on {worldly}");
        }
        let folder = ARROWS_FOLDERS.iter().find(|(name, _)| name == package).expect("a folder").1;
        let bans =
            std::fs::read_to_string(root().join(folder).join("clippy.toml")).expect("a pure crate's bans");
        for banned in ["SystemTime::now", "HashMap", "env::var", "fs::read", "thread::spawn"] {
            assert!(bans.contains(banned), "{folder}/clippy.toml no longer bans {banned}");
        }
    }
}

const ARROWS_FOLDERS: &[(&str, &str)] = &[
    ("countersign-proto", "proto"),
    ("countersign-core", "desktop/core"),
    ("countersign-agents", "desktop/agents"),
    ("countersign-mobile-core", "mobile-core"),
];

#[test]
fn the_hook_stays_small() {
    let used = tree("countersign-hook");
    for heavy in HOOK_HAS_NO {
        assert!(!used.contains(*heavy), "the hook must not depend on {heavy}");
    }
}

#[test]
fn the_relay_knows_frames_and_claims_only() {
    for file in sources(&root().join("relay/src")) {
        let text = std::fs::read_to_string(&file).expect("a source file");
        let flat: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        for at in flat.match_indices("countersign_proto::").map(|(at, found)| at + found.len()) {
            for module in modules(&flat[at..]) {
                assert!(RELAY_KNOWS.contains(&module.as_str()), "{} uses proto::{module}", file.display());
            }
        }
    }
}

/// The first path segments after `countersign_proto::`, of a plain path or of a braced list.
fn modules(rest: &str) -> Vec<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let Some(list) = rest.strip_prefix('{') else { return vec![word(rest)] };
    let mut found = vec![word(list)];
    let mut depth = 0;
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => found.push(word(&list[at + 1..])),
            _ => {}
        }
    }
    found.retain(|module| !module.is_empty());
    found
}

#[test]
fn every_source_file_says_what_it_holds_and_stays_readable() {
    for folder in ["proto", "desktop", "relay", "mobile-core", "tests"] {
        for file in sources(&root().join(folder)) {
            let text = std::fs::read_to_string(&file).expect("a source file");
            assert!(text.starts_with("//!"), "{} does not say what it holds", file.display());
            let lines = text.lines().count();
            assert!(lines <= 700, "{} has {lines} lines: which second thing lives in it?", file.display());
        }
    }
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder of ours") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && name != "target" && name != "node_modules" {
            found.extend(sources(&path));
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
    found
}
