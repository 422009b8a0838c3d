//! What the line language takes, and how it says no.

use proptest::prelude::*;

use super::*;
use crate::policy::line::LineClass;

const HOME: &str = "/home/u";

fn first(text: &str) -> ParseError {
    parse(text, HOME).expect_err(text).remove(0)
}

#[test]
fn notes_blank_lines_and_line_ends_of_windows_are_fine() {
    let policy =
        parse("# note: «ünïcode»\r\n\r\n  allow read\r\n\tdeny\tcommand  git push\r\n", HOME).unwrap();
    let lines: Vec<String> = policy.lines.iter().map(|line| format!("{} {line}", line.number)).collect();
    assert_eq!(lines, ["3 allow read", "4 deny command git push"]);
    assert_eq!(parse("", HOME), Ok(Policy::default()));
}

#[test]
fn every_class_and_kind_of_object_is_read() {
    let text = "project ~/my site/\nagents claude codex claude\nallow read\nask read-external\nallow write\n\
                deny external\nallow command git diff *\ndeny command curl\nask tool WebFetch\ndeny server github\n\
                deny host Example.com\nask path ~/notes and more\ndeny recipient boss@example.com\n";
    let policy = parse(text, HOME).unwrap();
    assert_eq!(policy.project.as_ref().unwrap().path, "/home/u/my site");
    assert_eq!(policy.agents.as_deref().unwrap(), ["claude", "codex"]);
    assert_eq!(policy.lines[0].object, Object::Class(LineClass::Read));
    assert_eq!(
        policy.lines[4].object,
        Object::Command { words: vec!["git".into(), "diff".into()], is_open: true }
    );
    assert_eq!(policy.lines[8].object, Object::Host("example.com".into()));
    assert!(matches!(&policy.lines[9].object, Object::Path { path, .. } if path == "/home/u/notes and more"));
    assert!(policy.holds_in("/home/u/my site/app") && !policy.holds_in("/home/u/my site2"));
    assert!(policy.is_for("codex") && !policy.is_for("qwen"));
}

#[test]
fn each_error_of_the_language_names_its_line_and_column() {
    let cases: &[(&str, u32, u32)] = &[
        ("allow reads", 1, 7),
        ("allow read\n\n# note\nallow destructive", 4, 7),
        ("deny spend", 1, 6),
        ("deny unknown", 1, 6),
        ("permit read", 1, 1),
        ("Allow read", 1, 1),
        ("allow", 1, 6),
        ("allow read\ndeny", 2, 5),
        ("ask command", 1, 12),
        ("deny tool", 1, 10),
        ("allow command *", 1, 15),
        ("allow command git * status", 1, 19),
        ("allow command git*", 1, 15),
        ("allow tool Bash", 1, 12),
        ("allow tool run_shell_command", 1, 12),
        ("allow tool write_stdin", 1, 12),
        ("allow tool mcp__github__create_issue", 1, 12),
        ("allow tool Bash(git status)", 1, 12),
        ("deny tool mcp__github__*", 1, 11),
        ("deny tool Read Write", 1, 16),
        ("allow read write", 1, 12),
        ("allow read # because", 1, 12),
        ("project", 1, 8),
        ("project site", 1, 9),
        ("project ./site", 1, 9),
        ("project ~bob/site", 1, 9),
        ("project ~/a\nproject ~/b", 2, 1),
        ("project ~/a ~/b", 1, 13),
        ("project /", 1, 9),
        ("project ///", 1, 9),
        ("project ~", 1, 9),
        ("project ~/", 1, 9),
        ("project /home/u/", 1, 9),
        ("project ~/a/../..", 1, 9),
        ("agents", 1, 7),
        ("agents claude frob", 1, 15),
        ("agents claude, codex", 1, 8),
        ("agents claude\nagents codex", 2, 1),
        ("allow host example.com", 1, 7),
        ("allow server github", 1, 7),
        ("allow path ~/notes", 1, 7),
        ("allow recipient a@example.com", 1, 7),
        ("deny host https://example.com", 1, 11),
        ("deny host *.example.com", 1, 11),
        ("deny host", 1, 10),
        ("deny server mcp__github", 1, 13),
        ("deny path notes", 1, 11),
        ("deny path ~/*", 1, 11),
        ("deny amount 100", 1, 6),
        ("allow read\u{a0}", 1, 11),
        ("# a \u{202e}note", 1, 5),
    ];
    for (text, line, column) in cases {
        let error = first(text);
        assert_eq!((error.line, error.column), (*line, *column), "{text}: {error}");
        assert!(error.fix.ends_with('.'), "{error}");
    }
}

#[test]
fn an_error_says_what_would_be_right() {
    assert_eq!(
        first("allow reads").to_string(),
        "line 1, column 7: `reads` is no class. Did you mean `read`? Write `read`, `read-external`, `write` or \
         `external`, or `command` with its words, or `tool` with its name."
    );
    assert!(first("block read").fix.starts_with("Did you mean `deny`?"));
    assert!(first("agents claude-code").fix.starts_with("Did you mean `claude`?"));
    assert!(first("deny tool mcp__github__*").fix.contains("deny server"));
    assert!(first("allow comand ls").fix.starts_with("Did you mean `command`?"));
}

#[test]
fn what_an_error_quotes_hides_nothing() {
    let error = first("al\u{300}\u{301}\u{302}\u{303}\u{304}low read");
    assert!(!error.to_string().chars().any(is_hidden), "{error}");
    assert!(first(&format!("{} read", "a".repeat(3000))).what.len() < 300);
}

#[test]
fn all_errors_of_a_text_are_named_up_to_a_bound() {
    assert_eq!(parse("allow reads\nallow read\ndeny", HOME).unwrap_err().len(), 2);
    assert_eq!(parse(&"x\n".repeat(100), HOME).unwrap_err().len(), MOST);
}

#[test]
fn texts_beyond_the_bounds_are_refused_and_texts_at_them_are_read() {
    assert!(parse(&"\n".repeat(MOST_LINES - 1), HOME).is_ok());
    assert!(parse(&"\n".repeat(MOST_LINES + 1), HOME).is_err());
    assert!(parse(&"#".repeat(LONGEST_LINE), HOME).is_ok());
    assert!(parse(&"#".repeat(LONGEST_LINE + 1), HOME).is_err());
    assert!(parse(&"# x\n".repeat(LONGEST_TEXT), HOME).is_err());
}

#[test]
fn home_is_only_expanded_where_it_is_known() {
    assert!(first_of_home("project ~/a", "").what.contains("no home folder"));
    assert!(parse("project /srv/a", "").is_ok());
}

fn first_of_home(text: &str, home: &str) -> ParseError {
    parse(text, home).unwrap_err().remove(0)
}

#[test]
fn lines_that_can_never_do_what_they_say_are_remarked_upon() {
    for text in ["allow command ls 'a b'", "deny command git push # never", "ask command a && b"] {
        assert_eq!(parse(text, HOME).unwrap().remarks.len(), 1, "{text}");
    }
    for text in
        ["allow command git diff --stat HEAD~1", "allow command npm info @types/node", "deny command x #"]
    {
        assert_eq!(parse(text, HOME).unwrap().remarks.is_empty(), !text.contains('#'), "{text}");
    }
}

/// Texts that are close to the language.
fn almost() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "allow",
        "deny",
        "ask",
        "project",
        "agents",
        "read",
        "read-external",
        "write",
        "external",
        "destructive",
        "command",
        "tool",
        "host",
        "server",
        "path",
        "recipient",
        "git",
        "push",
        "*",
        "~/a",
        "/",
        "~",
        "~/a b",
        "claude",
        "codex",
        "Bash",
        "WebFetch",
        "mcp__x__y",
        "#",
        "x.example",
        "..",
        "é",
        "\u{200b}",
        "\t",
        "\r",
        "a@b.example",
    ]);
    let line = prop::collection::vec(words, 0..6).prop_map(|words| words.join(" "));
    prop::collection::vec(line, 0..8).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in any::<String>()) {
        let _ = parse(&text, HOME);
        let _ = parse(&text, "");
    }

    #[test]
    fn a_policy_that_is_written_back_parses_to_the_same(text in almost()) {
        if let Ok(policy) = parse(&text, HOME) {
            let again = parse(&policy.to_string(), HOME).unwrap();
            prop_assert_eq!(&again.project, &policy.project);
            prop_assert_eq!(&again.agents, &policy.agents);
            let said = |policy: &Policy| {
                policy.lines.iter().map(|line| (line.effect, line.object.clone())).collect::<Vec<_>>()
            };
            prop_assert_eq!(said(&again), said(&policy));
        }
    }

    #[test]
    fn an_error_is_in_the_text(text in almost()) {
        if let Err(errors) = parse(&text, HOME) {
            for error in errors {
                let line = text.split('\n').nth(error.line as usize - 1).unwrap();
                prop_assert!(error.column as usize <= line.chars().count() + 1, "{}", error);
            }
        }
    }
}
