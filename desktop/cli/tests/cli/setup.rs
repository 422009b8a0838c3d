//! `setup` on a settings file of its own: shown, written, written again, taken out byte for byte.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    process::Output,
};

use serde_json::Value;

use crate::stage::{code, countersign, err, out};

const MINE: &str = "{\n    \"model\": \"opus\",\n    \"hooks\": {\"Stop\": []},\n    \"x\": [1,2]\n}\n";

struct Claude {
    folder: tempfile::TempDir,
    hook: PathBuf,
}

impl Claude {
    fn new(settings: Option<&str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let hook = folder.path().join("countersign-hook");
        fs::write(&hook, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&hook, Permissions::from_mode(0o755)).unwrap();
        let this = Self { folder, hook };
        if let Some(settings) = settings {
            fs::write(this.settings(), settings).unwrap();
        }
        this
    }

    fn settings(&self) -> PathBuf {
        self.folder.path().join("settings.json")
    }

    fn backup(&self) -> PathBuf {
        self.folder.path().join("settings.json.countersign-backup")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.settings()).unwrap()
    }

    fn setup(&self, arguments: &[&str]) -> Output {
        let (settings, hook) = (self.settings(), self.hook.clone());
        let paths = ["--settings", text(&settings), "--hook", text(&hook)];
        countersign(&[&["setup", "claude"], &paths[..], arguments].concat())
    }

    fn remove(&self) -> Output {
        countersign(&["setup", "--remove", "claude", "--yes", "--settings", text(&self.settings())])
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn hooks_are_installed_once_and_taken_out_byte_for_byte() {
    let claude = Claude::new(Some(MINE));
    fs::set_permissions(claude.settings(), Permissions::from_mode(0o640)).unwrap();
    let output = claude.setup(&["--yes"]);
    assert_eq!(code(&output), 0, "{}", err(&output));
    let said = out(&output);
    assert!(said.contains("+") && said.contains("PermissionRequest"), "the change is shown: {said}");
    assert!(said.contains("Restart running sessions of Claude Code"), "{said}");
    assert!(said.contains("automatic mode") && said.contains("Shift+Tab"), "{said}");
    let installed = claude.text();
    let json: Value = serde_json::from_str(&installed).unwrap();
    let hook = &json["hooks"]["PermissionRequest"][0]["hooks"][0];
    assert!(hook["command"].as_str().unwrap().contains(text(&claude.hook)));
    assert_eq!(fs::read_to_string(claude.backup()).unwrap(), MINE);
    assert_eq!(fs::metadata(claude.settings()).unwrap().mode() & 0o777, 0o640);

    let again = claude.setup(&["--yes"]);
    assert!(out(&again).contains("nothing to do"), "{}", out(&again));
    assert_eq!(claude.text(), installed);

    let removed = claude.remove();
    assert_eq!(code(&removed), 0, "{}", err(&removed));
    assert_eq!(claude.text(), MINE);
    assert!(!claude.backup().exists());
}

#[test]
fn an_installation_of_the_first_release_gets_the_hook_before_every_call() {
    let claude = Claude::new(Some(MINE));
    claude.setup(&["--yes"]);
    let now = claude.text();
    let mut json: Value = serde_json::from_str(&now).unwrap();
    json["hooks"].as_object_mut().unwrap().remove("PreToolUse").unwrap();
    fs::write(claude.settings(), serde_json::to_string(&json).unwrap()).unwrap();
    let said = out(&claude.setup(&["--yes"]));
    assert!(said.contains("+") && said.contains("PreToolUse"), "the change is shown: {said}");
    let updated: Value = serde_json::from_str(&claude.text()).unwrap();
    let hook = &updated["hooks"]["PreToolUse"][0]["hooks"][0];
    assert!(hook["command"].as_str().unwrap().ends_with(" --limit 6 PreToolUse"), "{hook}");
    assert_eq!(hook["timeout"], 6);
    assert_eq!(updated["hooks"]["PreToolUse"][0].get("matcher"), None, "for every tool");
    assert!(out(&claude.setup(&["--yes"])).contains("nothing to do"));
    assert_eq!(fs::read_to_string(claude.backup()).unwrap(), MINE, "what was there before us is kept");
}

#[test]
fn where_there_was_no_file_there_is_none_again() {
    let claude = Claude::new(None);
    assert_eq!(code(&claude.setup(&["--yes"])), 0);
    assert!(claude.settings().exists() && !claude.backup().exists());
    assert_eq!(code(&claude.remove()), 0);
    assert!(!claude.settings().exists());
}

#[test]
fn nothing_is_written_without_a_yes() {
    let claude = Claude::new(Some(MINE));
    let unasked = claude.setup(&[]);
    assert_eq!(code(&unasked), 1);
    assert!(err(&unasked).contains("Nothing was written"), "{}", err(&unasked));
    let dry = claude.setup(&["--dry-run"]);
    assert_eq!(code(&dry), 0);
    assert!(out(&dry).contains("PermissionRequest"), "{}", out(&dry));
    assert_eq!(code(&claude.setup(&["--json"])), 1);
    assert_eq!(claude.text(), MINE);
    assert_eq!(fs::read_dir(claude.folder.path()).unwrap().count(), 2);
}

#[test]
fn settings_that_cannot_be_read_are_left_as_they_are() {
    for settings in ["{\"a\": 1,}", "// mine\n{}", "[1]", "{\"hooks\": 3}"] {
        let claude = Claude::new(Some(settings));
        let output = claude.setup(&["--yes"]);
        assert_eq!(code(&output), 1, "{settings}");
        assert!(err(&output).contains("nothing was changed"), "{}", err(&output));
        assert_eq!(claude.text(), settings);
    }
}

#[test]
fn a_hook_that_is_not_there_is_not_installed() {
    let claude = Claude::new(Some(MINE));
    fs::remove_file(&claude.hook).unwrap();
    let output = claude.setup(&["--yes"]);
    assert_eq!(code(&output), 1);
    assert!(err(&output).contains("no hook program"), "{}", err(&output));
    assert_eq!(claude.text(), MINE);
}

#[test]
fn scripts_get_the_change_as_json() {
    let claude = Claude::new(Some(MINE));
    let said: Value = serde_json::from_str(&out(&claude.setup(&["--yes", "--json"]))).unwrap();
    assert_eq!((&said["changed"], &said["written"]), (&true.into(), &true.into()));
    assert_eq!(said["backup"], text(&claude.backup()));
    assert!(said["diff"].as_str().unwrap().contains("PermissionRequest"));
    let again: Value = serde_json::from_str(&out(&claude.setup(&["--yes", "--json"]))).unwrap();
    assert_eq!((&again["changed"], &again["written"]), (&false.into(), &false.into()));
}

#[test]
fn an_instances_hook_asks_that_instance() {
    let claude = Claude::new(None);
    let (settings, hook) = (claude.settings(), claude.hook.clone());
    let output = countersign(&[
        "--instance",
        "demo-x",
        "setup",
        "claude",
        "--yes",
        "--settings",
        text(&settings),
        "--hook",
        text(&hook),
    ]);
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert!(claude.text().contains("--instance demo-x "), "{}", claude.text());
}
