//! Families of commands on this machine, each with forms that no list spells out.

use countersign_proto::request::{Class, Level};
use proptest::prelude::*;

use super::{
    super::{
        entry::{
            DESTRUCTIVE, LOSES_FILE, READ, READ_ASKS, RUNS_CODE, UNKNOWN, UNKNOWN_RED, WRITE, WRITE_WIDE,
        },
        tests::{all_are, all_are_at_least, all_weigh, judged, judged_beside_private_files},
    },
    READ_NEVER, READ_SECRETS, WRITE_RED,
};

#[test]
fn everyday_reads_are_green() {
    all_are(
        READ,
        &[
            "ls",
            "ls -lah --color=auto src",
            "ls -d src/*",
            "pwd",
            "cat -n src/main.rs",
            "head -n 40 a",
            "head -5 a",
            "tail -n +5 a",
            "tail -f log",
            "wc -l a *.rs",
            "grep -rn --include=*.py TODO .",
            "grep -nE 'a|b' -A3 a",
            "rg -n \"struct S\" crates -t rust",
            "find . -name '*.rs' -type f -not -path './target/*'",
            "find . -path ./node_modules -prune -o -name '*.js' -print",
            "echo rm -rf /",
            "true",
            "uname -a",
            "df -h .",
            "ps aux",
            "ps -ef",
            "ps -eo pid,cmd --sort=-%cpu",
            "which cargo",
            "whoami",
            "date +%F",
            "date -u",
            "stat -c %s a",
            "file -b a",
            "du -sh --max-depth=1 target",
            "tree -L 2 -I target",
            "diff -ru a b",
            "cmp -s a b",
            "sort -t, -k2 -n a",
            "uniq -c a",
            "cut -d: -f1 a",
            "tr -d x",
            "nl a",
            "sed -n 1,60p a",
            "sed -n 5p a",
            "sed -n '10,$p' a",
            "cd src",
        ],
    );
}

#[test]
fn an_option_that_no_list_holds_ends_green() {
    all_are_at_least(
        Level::Yellow,
        &[
            "ls --frobnicate",
            "wc --files0-from=x",
            "grep --lin foo a",
            "rg --search-zip foo",
            "rg --pre=./x foo",
            "find . -frob",
            "find -files0-from x",
            "file -m x a",
            "file -C -m x",
            "file -z a",
            "diff -l a b",
            "sort -T /x a",
            "sort --files0-from=x",
            "du --files0-from=x",
            "df --sync",
            "tail --foll a",
            "date -f x",
            "sed -n -e 1p a",
            "sed -n 1,5p -i a",
            "uniq --frob",
        ],
    );
}

#[test]
fn the_value_of_an_option_hides_no_other_option() {
    all_are_at_least(
        Level::Yellow,
        &[
            "grep -e --frob a",
            "head -n -- a",
            "rg -e -- --pre=./x",
            "rg -g -z foo",
            "sort -k -o a",
            "ls -I --frob",
        ],
    );
}

#[test]
fn a_pattern_that_may_match_an_option_ends_green_where_options_do_more_than_read() {
    all_are_at_least(
        Level::Yellow,
        &["sort *", "uniq *", "tree *", "rg foo *", "rg foo -g *", "find *", "find . -name *"],
    );
    all_are(READ, &["ls *", "cat *.md", "find . -name *.rs", "sort -- *"]);
}

#[test]
fn processes_environments_are_shown_to_nobody() {
    all_are(
        READ_SECRETS,
        &[
            "ps e",
            "ps auxe",
            "ps auxeww",
            "ps -E",
            "ps -auxe",
            "ps -o env",
            "env",
            "printenv PATH",
            "export -p",
        ],
    );
}

#[test]
fn a_search_beside_private_files_is_not_green() {
    for text in ["grep -r key .", "grep -rn key src", "rg key", "rg key src", "grep --recursive key ."] {
        assert_eq!(judged(text).level, Level::Green, "{text}");
        assert_eq!(judged_beside_private_files(text).level, Level::Yellow, "{text}");
    }
    assert_eq!(judged_beside_private_files("grep key a.txt").level, Level::Green);
}

#[test]
fn deleting_named_files_is_yellow_and_anything_wider_is_red() {
    all_are(
        LOSES_FILE,
        &["rm a", "rm -f a b", "rm -- -rf", "unlink a", "rmdir a", "shred -u a", "truncate -s 0 a"],
    );
    all_are(
        DESTRUCTIVE,
        &[
            "rm -rf a",
            "rm -fr a",
            "rm -r -f a",
            "rm -Rf a",
            "rm --recursive a",
            "rm --rec a",
            "rm a -rf",
            "rm -vfr a",
            "rm *",
            "rm -f *.log",
            "rm $x",
            "rm",
            "rm -f",
            "rm .",
            "rm a --no-preserve-root",
            "shred *.txt",
            "shred /dev/sda",
            "truncate -s 0 $f",
            "unlink",
        ],
    );
}

#[test]
fn a_card_for_a_deletion_says_what_goes() {
    let headline = |text: &str| judged(text).headline.map(|words| words.as_str().to_owned());
    assert_eq!(headline("rm -rf build").as_deref(), Some("Wants to delete build and everything in it"));
    assert_eq!(headline("rm a b c d").as_deref(), Some("Wants to delete or empty a, b and 2 more"));
    assert_eq!(headline("rm a\u{202e}b").as_deref(), Some("Wants to delete or empty a\\u{202e}b"));
}

proptest! {
    #[test]
    fn a_recursive_deletion_is_red_however_its_letters_are_arranged(
        letters in prop::sample::subsequence(vec!['f', 'v', 'i', 'I', 'd'], 0..5), at in 0usize..5, is_capital: bool, is_last: bool,
    ) {
        let mut cluster: String = letters.into_iter().collect();
        cluster.insert(at.min(cluster.len()), if is_capital { 'R' } else { 'r' });
        let text = if is_last { format!("rm build -{cluster}") } else { format!("rm -{cluster} build") };
        let finding = judged(&text);
        prop_assert_eq!((finding.class, finding.level), (Class::Destructive, Level::Red), "{}", text);
    }
}

#[test]
fn find_is_red_where_it_deletes_or_starts_something_and_destructive_where_it_writes() {
    all_are(DESTRUCTIVE, &["find . -delete", "find . -name '*.log' -delete", "find . -mindepth 1 -delete"]);
    all_weigh(
        Class::Unknown,
        Level::Red,
        &["find . -exec ./x {} +", "find . -okdir ./x {} +", "find . -execdir x {} +"],
    );
    all_are(LOSES_FILE, &["find . -fprint a", "find . -fprintf a %p", "find . -fls a", "find . -fprint0 a"]);
}

#[test]
fn overwriting_a_file_is_destructive_in_every_program() {
    all_are(
        LOSES_FILE,
        &[
            "cp /dev/null a",
            "sort -o a a",
            "sort a -oa",
            "sort --output=a b",
            "sort --outp a b",
            "sort -uo a b",
            "tee a",
            "uniq a b",
            "uniq -c a b",
            "tree -o a",
            "xxd a b",
            "xxd -r a b",
            "dd if=a of=b",
            "shuf -o a b",
            "base64 -o a b",
            "ln -sf a b",
            "time -o a ls",
            "zip -d a.zip b",
        ],
    );
    all_are(
        DESTRUCTIVE,
        &["dd if=a of=/dev/sda", "tee /dev/sda", "cp a /dev/sda", "mv a /dev/null", "dd if=a of=$x", "tee *"],
    );
}

#[test]
fn writes_that_overwrite_nothing_may_be_allowed_by_a_line() {
    all_are(
        WRITE,
        &[
            "mkdir -p a/b",
            "touch a b",
            "chmod +x a",
            "chmod 644 a",
            "cp -n a b",
            "cp -rn a b",
            "mv -n a b",
            "tee -a a",
            "install -d a",
        ],
    );
}

#[test]
fn writes_that_may_overwrite_or_unpack_ask() {
    all_are(
        WRITE_WIDE,
        &[
            "cp a b",
            "cp -r a b",
            "cp -nf a b",
            "cp --no-clobber --force a b",
            "mv a b",
            "mv -n -f a b",
            "ln -s a b",
            "install a b",
            "sed -i s/a/b/ a",
            "sed -i '' s/a/b/ a",
            "sed -i.bak s/a/b/ a",
            "tar xzf a.tgz",
            "tar -xf a.tar -C b",
            "tar czf a.tgz src",
            "unzip a.zip -d b",
            "zip -r a.zip src",
            "gzip a",
            "patch -p1",
            "rsync -a a/ b/",
            "split a",
            "chown me a",
            "chmod 777 a",
            "chmod a+w a",
        ],
    );
}

#[test]
fn changing_a_whole_tree_or_giving_rights_away_is_red() {
    all_are(
        WRITE_RED,
        &[
            "chmod -R 755 a",
            "chmod --recursive u+x a",
            "chmod --rec u+x a",
            "chown -R a b",
            "chgrp -hR a b",
            "chmod u+s a",
            "chmod 4755 a",
            "chmod g=rxs a",
        ],
    );
}

#[test]
fn a_script_of_sed_counts_for_what_it_does() {
    all_are(
        READ_NEVER,
        &["sed s/a/b/ a", "sed -n '/a/,/b/p' a", "sed -E 's/(x)/y/g;1d' a", "sed -e 1d -e 2d a"],
    );
    all_are(
        LOSES_FILE,
        &["sed -n 'w out' a", "sed 's/a/b/w out' a", "sed -e p -e 'w out' a", "sed -i 'w out' a"],
    );
    all_are(
        UNKNOWN_RED,
        &[
            "sed '1e ./x' a",
            "sed s/a/b/e a",
            "sed -e '1e ./x' a",
            "sed --expression '1e ./x' a",
            "sed --expression=1e a",
            "sed -ne '1e ./x' a",
            "sed -i s/a/b/e a",
        ],
    );
    let file = judged("sed -f x.sed a");
    assert_eq!((file.class, file.drivers.as_slice()), (Class::Unknown, ["x.sed".to_owned()].as_slice()));
}

#[test]
fn a_program_of_awk_counts_for_what_it_does() {
    all_are(READ_NEVER, &["awk '{print $1}' a", "awk -F: '$3 > 100 {print $1}' a", "awk '$1 || $2' a"]);
    all_are(LOSES_FILE, &["awk '{print > \"b\"}' a", "awk '{print >> \"b\"}' a"]);
    all_are_at_least(
        Level::Red,
        &[
            "awk 'BEGIN{system(\"./x\")}'",
            "awk '{print | \"sh\"}' a",
            "awk '{\"date\" | getline}' a",
            "awk '@load \"x\"' a",
        ],
    );
    assert_eq!(judged("awk -f x.awk a").drivers, ["x.awk"]);
    assert_eq!(judged("gawk --file=x.awk a").reach, RUNS_CODE.reach.min(READ_NEVER.reach));
}

#[test]
fn options_that_start_programs_are_red_in_every_program() {
    all_weigh(
        Class::Unknown,
        Level::Red,
        &[
            "rg --pre ./x foo",
            "rg --hostname-bin=./x foo",
            "sort --compress-program=./x a",
            "sort --compress-pro ./x a",
            "tar xf a --to-command=./x",
            "tar xf a --to-comm ./x",
            "tar cf a --checkpoint-action=exec=./x b",
            "tar -I ./x -xf a",
            "tar cf a --use-compress-program ./x b",
            "zip a b -T --unzip-command ./x",
            "zip a b -TT ./x",
            "split --filter=./x a",
            "rsync -e ./x a b",
            "rsync --rsync-path=./x a b",
            "man --html=./x ls",
            "man -P ./x ls",
            "less +!./x a",
            "less -o a b",
            "vim -c ':!./x' a",
            "vim +x a",
            "nvim --cmd x a",
            "fd foo -x rm",
            "bat --pager=./x a",
            "install -s --strip-program=./x a b",
        ],
    );
}

#[test]
fn archives_say_when_they_delete_and_when_they_are_elsewhere() {
    all_are(READ_ASKS, &["tar tf a", "tar -tvzf a.tgz", "unzip -l a", "gzip -dc a", "7z l a", "zcat a"]);
    all_weigh(
        Class::Destructive,
        Level::Red,
        &[
            "tar cf a --remove-files b",
            "zip -m a b",
            "zip -rm a b",
            "7z a a b -sdel",
            "rsync -a --delete a/ b/",
            "rsync --remove-source-files a b",
        ],
    );
    all_weigh(
        Class::External,
        Level::Red,
        &["tar cf host:a b", "rsync -a a h:b", "rsync -a u@h:a b", "rsync rsync://h/a b"],
    );
    assert_eq!(judged("rsync -a --delete a h:b").class, Class::Destructive);
}

#[test]
fn ending_one_process_by_number_is_yellow_and_anything_else_is_red() {
    all_are(UNKNOWN, &["kill 48213", "kill -9 48213", "kill -s TERM 1234", "kill %1"]);
    all_are(DESTRUCTIVE, &["kill -1", "kill -9 -1", "kill 0", "kill -- -77", "kill -TERM -77"]);
    all_weigh(Class::Unknown, Level::Red, &["kill $PID", "kill node", "kill", "kill -9", "kill 1"]);
    assert!(judged("kill $(pgrep countersign)").refused.is_some());
}

#[test]
fn what_changes_later_commands_is_never_green() {
    all_weigh(
        Class::Unknown,
        Level::Yellow,
        &[
            "export A=1",
            "alias gs='git status'",
            "source ./env.sh",
            ". x",
            "set -e",
            "unset A",
            "trap x EXIT",
            "read x",
            "history -s ./x",
            "cd -",
        ],
    );
    all_are(
        UNKNOWN_RED,
        &[
            "export PATH=./bin",
            "declare -x LD_PRELOAD=./x",
            "export $(x)",
            "hash -p ./x ls",
            "source $x",
            "typeset BASH_ENV=x",
        ],
    );
}

#[test]
fn editors_are_unknown_and_pagers_are_reads() {
    all_are(UNKNOWN, &["vim a", "nano a"]);
    all_are(READ_NEVER, &["less a", "more a", "man ls"]);
}

#[test]
fn the_clock_and_temporary_folders_are_not_the_projects() {
    all_are(UNKNOWN_RED, &["date -s 2020-01-01", "date 010100002020", "date --set=x"]);
    all_are(WRITE_RED, &["mktemp", "mktemp -d", "mktemp -p x a.XXX"]);
}
