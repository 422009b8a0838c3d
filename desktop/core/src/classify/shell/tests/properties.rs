//! Known dangerous commands, hidden at random: the verdict never becomes weaker.

use proptest::prelude::*;

use super::{facts, judge};
use crate::classify::{Facts, Reach, Script, finding::rank, shell::lexer};
use countersign_proto::request::Level;

/// Commands of every kind, each in the restricted grammar.
const COMMANDS: &[&str] = &[
    "ls -la src",
    "cat README.md",
    "git status",
    "rm -rf build",
    "rm -r old",
    "rm notes.txt",
    "git reset --hard",
    "git push -f origin x",
    "git push origin main",
    "git push origin topic",
    "git clean -fdx",
    "git branch -D x",
    "cat /etc/passwd",
    "cat ../x",
    "cat ~/.ssh/id_rsa",
    "cat .env",
    "curl https://x.test",
    "ssh host uptime",
    "cargo test",
    "npm install",
    "mkdir a",
    "cp a b",
    "sed -i s/a/b/ c",
    "find . -delete",
    "dd if=a of=/dev/sda",
    "terraform destroy",
    "docker system prune -f",
    "kubectl delete pod x",
    "psql -c 'DROP TABLE x'",
    "shutdown now",
    "chmod -R 777 .",
    "sudo ls",
    "killall node",
    "crontab -r",
    "npm publish",
    "gh pr create --fill",
    "countersign approve x",
    "touch /tmp/x",
    "find . -exec rm {} \\;",
    "xargs rm -f",
    "unknown --flag",
    "./run.sh",
    "python3 x.py",
    "redis-cli flushall",
    "tee a",
    "mv a ..",
    "git checkout -- .",
];

/// Ways to hide a command in a longer text. `@` is the command, `Q` the command in single quotes.
const WAYS: &[&str] = &[
    "@; ls",
    "ls; @",
    "ls && @",
    "@ && ls",
    "ls || @",
    "@ || ls",
    "ls | @",
    "@ | wc -l",
    "@ & ls",
    "ls & @",
    "ls\n@",
    "@\nls",
    "( @ )",
    "{ @; }",
    "! @",
    "if true; then @; fi",
    "if @; then ls; fi",
    "for i in a b; do @; done",
    "while @; do ls; done",
    "case a in a) @;; esac",
    "f() { @; }; f",
    "echo $( @ )",
    "echo \"$( @ )\"",
    "echo `@`",
    "cat <(@)",
    "x=$( @ )",
    "X=1 @",
    "env @",
    "env A=1 @",
    "nice -n 5 @",
    "timeout 5 @",
    "nohup @ &",
    "time @",
    "command @",
    "stdbuf -oL @",
    "setsid @",
    "sudo @",
    "doas @",
    "bash -c Q",
    "sh -xc Q",
    "bash -lc Q",
    "eval Q",
    "trap Q EXIT",
    "bash <<< Q",
    "bash <<'E'\n@\nE",
    "cat <<E\n$( @ )\nE",
    "echo Q | sh",
    "su -c Q",
    "watch Q",
    "script -qc Q /dev/null",
    "ssh host Q",
    "find . -exec sh -c Q \\;",
    "@ 2>/dev/null",
    "@ > /dev/null",
    "@ >> log",
    "@ > out",
    "@ # done",
    "true; true; true; @",
    "coproc @",
    "@ 2>&1 | tail -3",
    "xargs -n1 @",
    "flock l @",
    "strace -f @",
    "busybox sh -c Q",
    "exec @",
    "  @  ",
    ": ${x:=$( @ )}",
    "echo $((a[$( @ )]))",
    "[[ -n $( @ ) ]]",
    "a=($( @ ))",
    "alias x=Q",
    "docker exec c sh -c Q",
    "parallel Q ::: a",
    "timeout --odd 5 @",
    "cd src; @",
    "git submodule foreach Q",
    "env -S Q",
    "uv run @",
    "until @; do :; done",
    "@ <<< x",
    "</dev/null @",
];

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn hide(command: &str, way: &str) -> String {
    // A here-document ends at its own delimiter, so a second one must not stand in its body.
    let way = way.replace('Q', &quoted(command));
    if way.contains('@') && !way.contains(&quoted(command)) { way.replace('@', command) } else { way }
}

/// What of a verdict is weaker than another.
fn weaker(before: &Facts, after: &Facts) -> Vec<&'static str> {
    let found = [
        ("level", after.level() < before.level()),
        ("class", rank(after.class()) < rank(before.class())),
        ("refused", before.refused().is_some() && after.refused().is_none()),
        ("may be remembered", after.may_remember() && !before.may_remember()),
        ("reach", after.reach() > before.reach()),
    ];
    found.into_iter().filter_map(|(what, is_weaker)| is_weaker.then_some(what)).collect()
}

fn assert_no_weaker(before: &Facts, after: &Facts, text: &str) {
    let weaker = weaker(before, after);
    assert!(weaker.is_empty(), "{text:?} is weaker in {weaker:?}: {after:?}");
}

#[test]
fn every_way_to_hide_a_command_shows_what_it_does() {
    let mut weaker_ones = Vec::new();
    for command in COMMANDS {
        let before = facts(command);
        for way in WAYS {
            let text = hide(command, way);
            let weaker = weaker(&before, &facts(&text));
            if !weaker.is_empty() {
                weaker_ones.push((text, weaker));
            }
        }
    }
    assert!(weaker_ones.is_empty(), "{weaker_ones:#?}");
}

/// One character, quoted in one of the ways that change nothing.
fn spelled(c: char, how: u8) -> String {
    match how % 6 {
        0 | 1 => c.to_string(),
        2 => format!("\\{c}"),
        3 => format!("'{c}'"),
        4 => format!("\"{c}\""),
        _ => format!("$'\\x{:02x}'", u32::from(c)),
    }
}

fn is_spellable(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | ',' | '+')
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn hiding_twice_shows_what_it_does(command in 0..COMMANDS.len(), first in 0..WAYS.len(), second in 0..WAYS.len()) {
        let before = facts(COMMANDS[command]);
        let once = hide(COMMANDS[command], WAYS[first]);
        // A here-document in quotes or a substitution would not end where it did.
        prop_assume!(!once.contains('\n') || WAYS[second].contains('Q'));
        // Backticks end the first ones.
        prop_assume!(!once.contains('`') || !WAYS[second].contains('`'));
        let text = hide(&once, WAYS[second]);
        assert_no_weaker(&before, &facts(&text), &text);
    }

    #[test]
    fn how_a_word_is_quoted_changes_nothing(command in 0..COMMANDS.len(), hows in prop::collection::vec(any::<u8>(), 64)) {
        let plain = COMMANDS[command];
        prop_assume!(!plain.contains(['\'', '"', '\\', '{', '*']));
        let mut hows = hows.into_iter().cycle();
        let text: String = plain.chars().map(|c| {
            // An unquoted tilde is a home folder, a quoted one is a name.
            if is_spellable(c) { spelled(c, hows.next().unwrap_or(0)) } else { c.to_string() }
        }).collect();
        let (before, after) = (facts(plain), facts(&text));
        if before.level() == Level::Red {
            assert_no_weaker(&before, &after, &text);
        } else {
            prop_assert!(after.level() >= before.level().min(Level::Yellow), "{text:?}");
            prop_assert!(rank(after.class()) >= rank(before.class()), "{text:?}: {:?}", after.class());
        }
    }

    #[test]
    fn no_text_stops_the_judgement_and_the_same_text_gives_the_same(text in "(\\PC|[ \n\t\\$`'\"(){}<>|&;#*?~=!\\[\\]\\\\]|rm -rf x|<<E|\nE\n|\\$\\(|\\$\\{|case x in|esac|EOF|\\$\\(\\(){0,40}") {
        let once = facts(&text);
        prop_assert_eq!(&once, &facts(&text));
        judge(Script::Typed(text.clone()));
        judge(Script::PowerShell(text.clone()));
        judge(Script::Words(text.split(' ').map(str::to_owned).collect()));
        // Only the restricted grammar is green, or for a policy to allow.
        let is_simple = lexer::lex(&text).is_some();
        prop_assert!(once.level() > Level::Green || is_simple, "{text:?}");
        prop_assert!(once.reach() == Reach::Never || is_simple, "{text:?}: {:?}", once.reach());
        let bare = once.shell().and_then(|shell| shell.bare.clone());
        prop_assert!(bare.is_none() || (is_simple && !text.contains(['\n', '\t', '\'', '"', '*', '|', '&', ';', '<', '>'])), "{text:?}");
    }

    #[test]
    fn a_path_outside_is_never_green(
        program in prop::sample::select(vec!["cat", "ls -la", "head -n 3", "grep x", "wc -l", "rg x", "stat", "diff a", "git -C", "sort", "tail", "du -sh", "find"]),
        path in prop::sample::select(vec!["/etc/passwd", "../x", "src/../../x", "~/x", "/", "~", "..", "/home/u/proj2/x", "/home/u", "//etc", "/home/u/proj/../x", "~bob/x", "./../x", "/proc/self/environ", "file:///etc/passwd"]),
        behind in prop::sample::select(vec!["", " README.md", " | wc -l", "; ls", " 2>/dev/null"]),
        how in any::<u8>(),
    ) {
        let path = if path.starts_with('~') || how % 3 == 0 { path.to_owned() } else if how % 3 == 1 { format!("'{path}'") } else { format!("\"{path}\"") };
        let text = format!("{program} {path}{behind}");
        let facts = facts(&text);
        prop_assert!(facts.level() == Level::Red, "{text}: {facts:?}");
        prop_assert!(!facts.may_remember() && facts.reach() <= Reach::File, "{text}: {facts:?}");
    }

    #[test]
    fn bytes_of_any_kind_are_judged(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        facts(&String::from_utf8_lossy(&bytes));
    }
}
