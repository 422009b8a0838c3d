//! Git's families: what is green, what asks, what loses work, and every way to write a push.

use countersign_proto::request::{Class, Level};
use proptest::prelude::*;

use crate::classify::{
    facts::{Reach, RefusedFor},
    program::{
        entry::{
            DESTRUCTIVE, LOSES_FILE, NETWORK_READ, NETWORK_READ_ASKS, OUTSIDE_ASKS, READ, READ_ASKS,
            RUNS_CODE, UNKNOWN, UNKNOWN_RED, WRITE, WRITE_HOOKS, WRITE_WIDE,
        },
        tests::{
            all_are, all_are_at_least, all_weigh, judged, judged_nowhere, judged_on_main,
            judged_where_git_starts_programs,
        },
    },
};

#[test]
fn every_sub_command_stands_on_one_list() {
    let mut names = std::collections::BTreeSet::new();
    for entry in super::LISTS.iter().copied().flatten() {
        for name in entry.names {
            assert!(names.insert(*name), "{name} stands on two lists");
        }
    }
}

#[test]
fn every_sub_command_of_git_has_a_place() {
    // `git --list-cmds=main,others` of 2.47, without aliases.
    const ALL: &str = "add am annotate apply archimport archive bisect blame branch bugreport bundle cat-file check-attr \
        check-ignore check-mailmap check-ref-format checkout checkout-index cherry cherry-pick citool clean clone column \
        commit commit-graph commit-tree config count-objects credential credential-cache credential-store \
        cvsexportcommit cvsimport cvsserver daemon describe diagnose diff diff-files diff-index diff-tree difftool \
        fast-export fast-import fetch fetch-pack filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch \
        fsck gc get-tar-commit-id grep gui hash-object help hook http-backend http-fetch http-push imap-send index-pack \
        init instaweb interpret-trailers log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base \
        merge-file merge-index merge-one-file merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes p4 \
        pack-objects pack-redundant pack-refs patch-id prune prune-packed pull push quiltimport range-diff read-tree \
        rebase receive-pack reflog remote repack replace request-pull rerere reset restore rev-list rev-parse revert rm \
        scalar send-email send-pack sh-i18n sh-setup shell shortlog show show-branch show-index show-ref \
        sparse-checkout stage stash status stripspace submodule svn switch symbolic-ref tag unpack-file unpack-objects \
        update-index update-ref update-server-info upload-archive upload-pack var verify-commit verify-pack verify-tag \
        version whatchanged worktree write-tree gitweb gitk";
    for name in ALL.split_whitespace() {
        assert!(super::BY_NAME.contains_key(name), "{name}");
    }
}

#[test]
fn an_alias_or_add_on_is_unknown() {
    all_are(UNKNOWN, &["git st", "git frobnicate --all", "git co main"]);
}

#[test]
fn everyday_reads_are_green() {
    all_are(
        READ,
        &[
            "git status -sb",
            "git status --porcelain=v2 -uno",
            "git diff --cached --stat",
            "git diff HEAD~1 -- src/lib.rs",
            "git diff -M90% --word-diff=color main..topic",
            "git log --oneline --graph --all -20",
            "git log --format=%h --since=\"2 weeks ago\" --author me",
            "git log -S 'git push --force' --oneline",
            "git log -L10,20:src/lib.rs",
            "git log -- *.rs",
            "git show HEAD:src/lib.rs",
            "git show --stat a1b2c3d",
            "git branch -a",
            "git branch --list 'feature/*'",
            "git branch --contains abc",
            "git rev-parse --abbrev-ref HEAD",
            "git ls-files -o --exclude-standard",
            "git blame -L 1,10 a",
            "git describe --tags --always",
            "git remote -v",
            "git stash list",
            "git tag --list",
            "git tag -l v*",
            "git --no-pager log -3",
        ],
    );
}

#[test]
fn other_options_in_front_of_the_sub_command_end_green() {
    all_weigh(
        Class::Read,
        Level::Yellow,
        &[
            "git -C sub status",
            "git -P log",
            "git -p log",
            "git --git-dir=x log",
            "git --work-tree x status",
            "git -c color.ui=never diff",
            "git --bare log",
        ],
    );
    all_are(
        UNKNOWN_RED,
        &[
            "git -c core.pager=./x log",
            "git -c alias.st='!./x' st",
            "git -c core.fsmonitor=./x status",
            "git -c CORE.SSHCOMMAND=x log",
            "git -c include.path=x status",
            "git --exec-path=./x status",
            "git --config-env=core.pager=X log",
            "git --frobnicate log",
            "git $X",
            "git -c",
        ],
    );
}

#[test]
fn options_that_start_programs_or_write_files_are_seen_shortened_too() {
    all_weigh(
        Class::Unknown,
        Level::Red,
        &[
            "git diff --ext-diff",
            "git diff --ext-d",
            "git log --textconv -p",
            "git show --textc",
            "git grep -O./x foo",
            "git grep --open-files-in-pager=./x foo",
            "git grep --open foo",
            "git rebase -x 'make test' main",
            "git rebase --exec ls main",
            "git submodule foreach make",
            "git difftool -x ./x",
            "git difftool --extc ./x",
            "git ls-remote --upload-pack=./x origin",
            "git ls-remote --upload-pa ./x origin",
            "git fetch --upload-pack ./x origin",
            "git clone --config core.fsmonitor=./x a",
            "git clone -c a.b=c a",
            "git clone -u ./x a",
            "git clone 'ext::sh -c x'",
            "git init --template=x",
            "git archive --exec=./x --remote=a HEAD",
            "git cat-file --textconv HEAD:a",
        ],
    );
    all_are(
        LOSES_FILE,
        &[
            "git diff --output=a",
            "git log --outp a",
            "git show --output a HEAD",
            "git archive -o a HEAD",
            "git fast-export --export-marks=a",
        ],
    );
}

#[test]
fn the_value_of_an_option_hides_no_other_option() {
    all_are_at_least(
        Level::Yellow,
        &[
            "git log --grep -- --output=x",
            "git log -S --output=x",
            "git diff --color --output=x",
            "git log -n --ext-diff",
            "git diff *",
            "git log $x",
        ],
    );
}

#[test]
fn a_repository_that_starts_programs_has_no_green_command() {
    for text in ["git status", "git log", "git diff", "git -C sub status"] {
        assert_eq!(judged_where_git_starts_programs(text).level, Level::Yellow, "{text}");
    }
    assert_eq!(judged_where_git_starts_programs("git add a").reach, Reach::File);
}

#[test]
fn writes_without_hooks_may_be_allowed_by_a_line() {
    all_are(
        WRITE,
        &[
            "git add -A",
            "git add src/a.rs",
            "git mv a b",
            "git tag v1",
            "git stash",
            "git stash push -m wip",
            "git stash pop",
            "git stash apply",
            "git branch feature/y",
            "git branch new main",
            "git restore --staged a",
            "git restore -S a",
            "git reset HEAD a",
            "git reset",
        ],
    );
}

#[test]
fn commands_that_run_hooks_are_for_a_permission_file_only() {
    all_are(
        WRITE_HOOKS,
        &[
            "git commit -m x",
            "git commit --amend --no-edit",
            "git merge --no-ff x",
            "git rebase main",
            "git rebase --continue",
            "git cherry-pick x",
            "git revert HEAD",
            "git am x.patch",
            "git checkout main",
            "git checkout -b x",
            "git checkout -b x origin/x",
            "git checkout v1.2.3",
            "git checkout 2.x",
            "git checkout -",
            "git switch x",
            "git switch -c x",
            "git worktree add wt x",
            "git bisect start",
        ],
    );
    all_are(RUNS_CODE, &["git bisect run ./t.sh", "git hook run x"]);
    all_are(
        WRITE_WIDE,
        &[
            "git apply x",
            "git config user.name Ana",
            "git branch -m x",
            "git reset HEAD~1",
            "git reset --soft HEAD~1",
            "git remote add x y",
            "git rm --cached a",
            "git gc",
        ],
    );
}

#[test]
fn losing_local_work_is_red_in_every_spelling() {
    all_are(
        DESTRUCTIVE,
        &[
            "git reset --hard",
            "git reset --har HEAD~3",
            "git reset HEAD --hard",
            "git reset --merge",
            "git reset --keep x",
            "git clean -fd",
            "git clean -xdf",
            "git clean -d --force",
            "git clean -nf",
            "git clean",
            "git checkout -- a",
            "git checkout .",
            "git checkout HEAD -- .",
            "git checkout HEAD a",
            "git checkout src/main.rs",
            "git checkout *",
            "git checkout -f x",
            "git checkout --fo x",
            "git checkout -B x",
            "git checkout -qf",
            "git checkout --ours a",
            "git checkout -p",
            "git restore a",
            "git restore .",
            "git restore -SW a",
            "git restore --source=HEAD~2 --worktree .",
            "git switch --discard-changes x",
            "git switch --disc x",
            "git switch -f x",
            "git switch -C x",
            "git stash drop",
            "git stash clear",
            "git branch -D x",
            "git branch -d -f x",
            "git branch --delete --force x",
            "git branch -M x",
            "git branch -f x HEAD~3",
            "git tag -d x",
            "git tag -f x",
            "git update-ref -d refs/heads/x",
            "git update-ref --stdin",
            "git reflog expire --all",
            "git reflog delete x",
            "git gc --prune=now",
            "git gc --pru",
            "git prune",
            "git repack -ad",
            "git filter-branch x",
            "git filter-repo --path x",
            "git worktree remove --force x",
            "git submodule deinit -f --all",
            "git submodule update --force",
            "git rm -r a",
            "git rm -rf a",
            "git rm '*.log'",
            "git rebase --abort",
            "git rebase --skip",
            "git merge --abort",
            "git fetch origin +a:b",
            "git read-tree -u --reset x",
            "git checkout-index -fa",
            "git symbolic-ref -d x",
            "git notes remove",
        ],
    );
    all_are(LOSES_FILE, &["git rm a", "git rm -f a b"]);
    all_weigh(
        Class::Destructive,
        Level::Red,
        &["git -C sub reset --hard", "git -c advice.x=false reset --hard", "git --no-pager clean -f"],
    );
}

#[test]
fn listing_what_would_be_lost_is_a_read() {
    all_are(
        READ_ASKS,
        &["git clean -nd", "git clean --dry-run", "git reflog", "git apply --check x", "git bisect log"],
    );
}

#[test]
fn the_network_is_red_and_only_a_plain_fetch_may_be_allowed_by_a_line() {
    all_are(
        NETWORK_READ,
        &["git fetch", "git fetch origin", "git fetch --all --tags", "git fetch origin main"],
    );
    all_are(
        NETWORK_READ_ASKS,
        &[
            "git fetch https://host.test/x",
            "git fetch git@host.test:x",
            "git fetch ../other",
            "git fetch origin a:b",
            "git clone https://host.test/x",
            "git ls-remote origin",
            "git submodule update --init",
            "git remote update",
            "git remote show origin",
            "git archive --remote=x HEAD",
            "git lfs pull",
            "git svn rebase",
        ],
    );
    all_weigh(Class::Write, Level::Red, &["git pull", "git pull --rebase origin main"]);
    all_are(
        OUTSIDE_ASKS,
        &["git send-email x", "git svn dcommit", "git lfs push origin topic", "git daemon"],
    );
    assert_eq!(judged("git clone git@host.test:x.git").hosts, ["host.test"]);
    assert_eq!(judged("git clone https://u:p@host.test:8443/x").hosts, ["host.test"]);
    assert!(judged("git pull").brings_in && judged("git fetch").brings_in);
}

/// Ways to name a protected branch as a push's target.
const TO_MAIN: &[&str] = &[
    "main",
    "master",
    "Release",
    "HEAD:main",
    "x:main",
    "x:refs/heads/master",
    "refs/heads/main",
    "heads/main",
    "refs/heads/x:refs/heads/main",
    "topic main",
    "topic x:main",
    "m'ai'n",
    "'refs/heads/*'",
    "'refs/heads/*:refs/heads/*'",
    "'ma*:ma*'",
    ":",
    "HEAD~1:main",
    "main:",
];

#[test]
fn a_push_to_a_protected_branch_is_refused_in_every_spelling() {
    let is_refused =
        |text: &str| judged(text).refused.is_some_and(|refused| refused.about == RefusedFor::ProtectedBranch);
    for target in TO_MAIN {
        for start in [
            "git push origin",
            "git push -u origin",
            "git push --tags origin",
            "git push -o ci.skip origin",
            "git push --push-option=x origin",
            "git push git@host.test:x.git",
            "git push --repo origin",
            "git push --repo=origin",
            "git push -- origin",
            "git push .",
            "git -C sub push origin",
            "git --no-pager -c push.default=current push origin",
            "/usr/bin/git push origin",
            "git-push origin",
            "git send-pack host",
            "hub push origin",
        ] {
            let text = format!("{start} {target}");
            assert!(is_refused(&text), "{text}");
            assert_eq!((judged(&text).class, judged(&text).level), (Class::External, Level::Red), "{text}");
        }
        for start in [
            "git push -f origin",
            "git push --force-with-lease origin",
            "git push --delete origin",
            "git push -d origin",
        ] {
            let text = format!("{start} {target}");
            assert!(is_refused(&text), "{text}");
            assert_eq!(judged(&text).class, Class::Destructive, "{text}");
        }
    }
    for text in [
        "git push --all",
        "git push --al origin",
        "git push --branches origin",
        "git push --mirror x",
        "git push origin +main",
        "git push origin :main",
        "git push origin +HEAD:main",
        "git subtree push --prefix=x origin main",
    ] {
        assert!(is_refused(text), "{text}");
    }
}

#[test]
fn a_push_without_a_branch_goes_where_the_repository_says() {
    for text in [
        "git push",
        "git push origin",
        "git push origin HEAD",
        "git push origin @",
        "git push -f",
        "git push --follow-tags",
    ] {
        assert!(judged_on_main(text).refused.is_some(), "{text}");
        assert!(judged(text).refused.is_none(), "{text}");
        let finding = judged_nowhere(text);
        assert!(
            finding.refused.is_none() && finding.level == Level::Red && finding.reach == Reach::Never,
            "{text}"
        );
    }
    assert!(judged_on_main("git push --tags").refused.is_none());
    assert!(judged_on_main("git push origin topic").refused.is_none());
}

#[test]
fn another_push_is_red_and_no_line_answers_it() {
    all_are(
        OUTSIDE_ASKS,
        &[
            "git push origin feature/x",
            "git push -u origin topic",
            "git push origin main:topic",
            "git push origin v0.4.0",
            "git push origin tag main",
            "git push origin refs/tags/main",
            "git push --tags",
            "git push origin Main",
            "git push origin mainline",
            "git push origin x/main",
            "git push -o main origin topic",
        ],
    );
    all_are(
        DESTRUCTIVE,
        &[
            "git push --force origin x",
            "git push -uf origin x",
            "git push origin +x",
            "git push origin :x",
            "git push --delete origin x",
            "git push --prune origin x",
            "git push --force-w origin x",
        ],
    );
    assert_eq!(judged("git push https://u:p@host.test/x.git topic").hosts, ["host.test"]);
    assert_eq!(
        judged("git push origin topic").headline.map(|words| words.as_str().to_owned()).as_deref(),
        Some("Wants to push to topic of origin")
    );
}

#[test]
fn settings_are_read_freely_and_written_with_care() {
    all_are(
        READ_ASKS,
        &["git config --get user.name", "git config user.email", "git config get core.editor"],
    );
    all_are(
        UNKNOWN_RED,
        &[
            "git config core.hooksPath ./x",
            "git config --global alias.x '!sh'",
            "git config set core.pager x",
            "git config --add remote.origin.push x",
            "git config --unset core.hooksPath",
            "git config --replace-all credential.helper x",
            "git config --file x filter.a.clean b",
            "git config user.name $x",
        ],
    );
    all_weigh(
        Class::Write,
        Level::Red,
        &["git config --global user.name x", "git config --system color.ui x"],
    );
}

proptest! {
    #[test]
    fn options_never_take_a_refusal_away(
        options in prop::collection::vec(prop::sample::select(vec!["-u", "-v", "-q", "-n", "--no-verify", "--tags", "--atomic", "--progress", "-o x", "--signed=false", "-4", "--thin"]), 0..5),
        target in prop::sample::select(TO_MAIN),
        is_last: bool,
    ) {
        let options = options.join(" ");
        let text = if is_last { format!("git push origin {target} {options}") } else { format!("git push {options} origin {target}") };
        prop_assert!(judged(&text).refused.is_some(), "{}", text);
    }

    #[test]
    fn any_words_behind_git_have_a_result(words in prop::collection::vec("[a-z+:*./-]{1,10}", 0..6)) {
        judged(&format!("git {}", words.join(" ")));
        judged(&format!("git push {}", words.join(" ")));
    }
}
