//! Where a push goes, over repositories made of the files that Git would read.

use std::fs;

use super::*;

struct Stage {
    tmp: tempfile::TempDir,
}

impl Stage {
    /// A repository on a branch, with these settings of its own.
    fn on(branch: &str, settings: &str) -> Self {
        let stage = Self { tmp: tempfile::tempdir().unwrap() };
        stage.write("site/.git/HEAD", &format!("ref: refs/heads/{branch}\n"));
        stage.write("site/.git/config", settings);
        stage.write("site/src/lib.rs", "");
        stage
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.tmp.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn branches(&self) -> Result<Vec<String>, Untold> {
        let at = |path: &str| self.tmp.path().join(path).to_str().unwrap().to_owned();
        branches(&at("site/src"), &at("home"))
    }
}

fn to(names: &[&str]) -> Result<Vec<String>, Untold> {
    Ok(names.iter().map(|name| (*name).to_owned()).collect())
}

#[test]
fn a_push_goes_to_the_current_branch_and_its_upstream() {
    assert_eq!(Stage::on("topic", "").branches(), to(&["topic"]));
    assert_eq!(Stage::on("feature/x", "").branches(), to(&["feature/x"]));
    let tracking = "[branch \"topic\"]\nremote = origin\nmerge = refs/heads/main\n[branch \"other\"]\nmerge = refs/heads/o\n";
    assert_eq!(Stage::on("topic", tracking).branches(), to(&["main", "topic"]));
}

#[test]
fn what_is_set_for_any_remote_counts() {
    for (settings, names) in [
        ("push = HEAD", &["topic"][..]),
        ("push = HEAD:main", &["main", "topic"]),
        ("push = +topic:refs/heads/main", &["main", "topic"]),
        ("push = main", &["main", "topic"]),
        ("push = refs/heads/*:refs/heads/*", &["a", "dir/b", "main", "old", "topic"]),
        ("push = :", &["a", "dir/b", "main", "old", "topic"]),
        ("push = refs/tags/*", &["topic"]),
        ("push = ^refs/heads/x", &["topic"]),
        ("push = HEAD:refs/for/master", &["refs/for/master", "topic"]),
        ("mirror = true", &["a", "dir/b", "main", "old", "topic"]),
        ("mirror = false", &["topic"]),
    ] {
        let stage = Stage::on("topic", &format!("[remote \"any\"]\n{settings}\n"));
        for branch in ["a", "dir/b", "topic"] {
            stage.write(&format!("site/.git/refs/heads/{branch}"), "0\n");
        }
        stage.write(
            "site/.git/packed-refs",
            "# pack-refs\n0 refs/heads/main\n0 refs/heads/old\n0 refs/tags/v1\n^0\n",
        );
        assert_eq!(stage.branches(), to(names), "{settings}");
    }
    assert_eq!(
        Stage::on("topic", "[remote \"o\"]\npush = refs/heads/*:refs/heads/x/*").branches(),
        Err(Untold)
    );
}

#[test]
fn the_users_settings_count_and_the_last_word_on_the_default_does() {
    let matching = "[push]\ndefault = matching\n";
    for (own, users, names) in [
        ("", matching, &["main", "topic"][..]),
        ("[push]\ndefault = simple\n", matching, &["topic"]),
        (matching, "[push]\ndefault = simple\n", &["main", "topic"]),
    ] {
        let stage = Stage::on("topic", own);
        stage.write("home/.gitconfig", users);
        stage.write("site/.git/refs/heads/main", "0\n");
        assert_eq!(stage.branches(), to(names), "{own:?} {users:?}");
    }
    let stage = Stage::on("topic", "");
    stage.write("home/.config/git/config", "[remote \"origin\"]\npush = HEAD:main\n");
    assert_eq!(stage.branches(), to(&["main", "topic"]));
    stage.write("home/.gitconfig", "[includeIf \"onbranch:x\"]\npath = work\n");
    stage.write("home/work", matching);
    assert_eq!(stage.branches(), Err(Untold), "nobody looked whether the condition holds");
}

#[test]
fn what_is_odd_can_t_be_told() {
    for (branch, settings) in [
        (".invalid", ""),
        ("", ""),
        ("a b", ""),
        ("topic", "[push]\ndefault = everything"),
        ("topic", "[push]\nrecurseSubmodules = on-demand"),
        ("topic", "[submodule]\nrecurse = true"),
        ("topic", "[push"),
    ] {
        assert_eq!(Stage::on(branch, settings).branches(), Err(Untold), "{branch} {settings}");
    }
    let stage = Stage::on("topic", "");
    stage.write("site/.git/HEAD", "3b18e512dba79e4c8300dd08aeb37f8e728b8dad\n");
    assert_eq!(stage.branches(), Err(Untold), "a detached head");
    stage.write("site/.git/HEAD", "ref: refs/tags/v1\n");
    assert_eq!(stage.branches(), Err(Untold));
    assert_eq!(branches("/nowhere/at/all", "/nowhere"), Err(Untold), "no repository");
    assert_eq!(branches("site", "/nowhere"), Err(Untold));
    let stage = Stage::on("topic", "[push]\ndefault = matching");
    fs::create_dir_all(stage.tmp.path().join("site/.git/reftable")).unwrap();
    assert_eq!(stage.branches(), Err(Untold));
}

#[test]
fn the_branch_of_a_linked_worktree_is_its_own() {
    let stage = Stage::on("main", "[branch \"topic\"]\nmerge = refs/heads/up\n");
    let common = stage.tmp.path().canonicalize().unwrap().join("site/.git");
    stage.write("site/.git/worktrees/w/HEAD", "ref: refs/heads/topic\n");
    stage.write("site/.git/worktrees/w/commondir", "../..\n");
    stage.write("w/.git", &format!("gitdir: {}/worktrees/w\n", common.display()));
    let folder = stage.tmp.path().join("w");
    assert_eq!(branches(folder.to_str().unwrap(), "/nowhere"), to(&["topic", "up"]));
}
