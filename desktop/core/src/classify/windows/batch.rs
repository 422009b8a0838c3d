//! Judges cmd's text: carets, quotes, case and glued switches (`del/s/q`) are no cover.

use super::{
    super::{
        facts::Reach,
        finding::Finding,
        program::{
            entry::{
                DESTRUCTIVE, Fixed, LOSES_FILE, NETWORK_READ_ASKS, OUTSIDE_ASKS, READ_ASKS, UNKNOWN,
                UNKNOWN_RED, WRITE_WIDE,
            },
            remote,
        },
        scene::Scene,
        word::{Command, Word},
    },
    power,
    words::LOSES,
};
use countersign_proto::request::{Class, Level};

/// A read that may be remembered, and no more.
const LOOKS: Fixed = Fixed { reach: Reach::Never, ..READ_ASKS };

/// Arguments of cmd itself.
pub(super) fn judge_start(words: &[&str], scene: &Scene<'_>, depth: u8) -> Finding {
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let low = word.to_ascii_lowercase();
        let Some(switch) = low.strip_prefix('/').or_else(|| low.strip_prefix('-')) else { continue };
        // `/c`, `/k`, `/r`, also glued: `/cdel`, `/d/c`.
        let place = switch.find(['c', 'k', 'r']);
        let is_switch = place.is_some_and(|place| {
            switch
                .get(..place)
                .is_some_and(|front| front.chars().all(|letter| "/-sqadefuvnot:".contains(letter)))
        });
        if let (true, Some(place)) = (is_switch, place) {
            let glued = switch.get(place + 1..).unwrap_or_default();
            let text = core::iter::once(glued).chain(rest.copied()).collect::<Vec<_>>().join(" ");
            return judge(text.trim(), scene, depth);
        }
    }
    UNKNOWN.finding()
}

/// What a text would do.
pub(super) fn judge(text: &str, scene: &Scene<'_>, depth: u8) -> Finding {
    let Some(depth) = depth.checked_sub(1) else {
        return UNKNOWN_RED.because("stands in too many shells to be read").finding();
    };
    let mut finding: Option<Finding> = None;
    for statement in statements(text) {
        let judged = statement_does(&statement, scene, depth);
        match &mut finding {
            Some(finding) => finding.worsen(judged),
            None => finding = Some(judged),
        }
    }
    finding.unwrap_or_else(|| UNKNOWN.finding())
}

/// Statements of words, carets and quotes taken off. `>` stays a word.
fn statements(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut is_quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let ends_statement = matches!(letter, '&' | '|' | '\n' | '\r' | '(' | ')');
        match letter {
            '^' if !is_quoted => word.extend(letters.next()),
            '"' => is_quoted = !is_quoted,
            // Quotes that the outer shell left keep a whole command together: `"rd /s /q a"` is read as one.
            ' ' | '\t' | ',' | ';' | '=' if !is_quoted || letter == ' ' => {
                if !word.is_empty() {
                    words.push(core::mem::take(&mut word));
                }
            }
            '>' if !is_quoted => {
                if !word.is_empty() {
                    words.push(core::mem::take(&mut word));
                }
                if letters.peek() == Some(&'>') {
                    letters.next();
                }
                words.push(">".into());
            }
            _ if ends_statement => {
                if !word.is_empty() {
                    words.push(core::mem::take(&mut word));
                }
                if !words.is_empty() {
                    found.push(core::mem::take(&mut words));
                }
            }
            '\'' => {}
            _ => word.push(letter),
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    if !words.is_empty() {
        found.push(words);
    }
    found
}

/// Words behind which a command begins.
const LEADS: &[&str] =
    &["call", "do", "else", "start", "if", "not", "for", "forfiles", "@", "cmd", "in", "then"];

fn statement_does(words: &[String], scene: &Scene<'_>, depth: u8) -> Finding {
    let Some((first, rest)) = words.split_first() else { return UNKNOWN.finding() };
    let mut finding = command_does(first, rest, scene, depth);
    let lead = first.trim_start_matches('@').to_ascii_lowercase();
    if LEADS.contains(&lead.as_str()) {
        // Where the inner command begins depends on the form; any of the words may be it. Only the first shell among
        // them is opened, since what stands behind it is its own.
        for at in 1..words.len().min(24) {
            let Some((inner, rest)) = words.get(at..).and_then(<[String]>::split_first) else { break };
            let judged = command_does(inner, rest, scene, depth.saturating_sub(1));
            if judged.level == Level::Red || judged.class == Class::Destructive {
                finding.worsen(judged);
            }
            if matches!(power::bare(inner).as_str(), "cmd" | "powershell" | "pwsh") {
                break;
            }
        }
    }
    if words.iter().any(|word| word == ">") && !words.iter().any(|word| word.eq_ignore_ascii_case("nul")) {
        finding.worsen(LOSES_FILE.because("overwrites a file").finding());
    }
    for word in words {
        let is_switch = word.starts_with('/') && word.len() <= 3;
        if !is_switch && !is_glued_switches(word) && power::is_outside(word) {
            finding.worsen(
                Fixed::of(Class::Read, Level::Red, Reach::Never)
                    .because("names a place outside the project")
                    .finding(),
            );
        }
    }
    finding
}

/// `/f/s/q`, `/mir`: switches, not a path.
fn is_glued_switches(word: &str) -> bool {
    word.starts_with('/')
        && word.split('/').all(|part| {
            part.len() <= 8
                && part.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == ':' || letter == '-')
        })
}

fn command_does(first: &str, rest: &[String], scene: &Scene<'_>, depth: u8) -> Finding {
    let written = first.trim_start_matches('@');
    // Switches may be glued to a built-in command.
    let glued =
        written.find('/').filter(|at| *at > 0).and_then(|at| Some((written.get(..at)?, written.get(at..)?)));
    let is_built_in = |name: &str| {
        matches!(
            name.to_ascii_lowercase().as_str(),
            "del"
                | "erase"
                | "rd"
                | "rmdir"
                | "dir"
                | "copy"
                | "move"
                | "type"
                | "md"
                | "format"
                | "robocopy"
                | "xcopy"
        )
    };
    let (name, switches) = match glued {
        Some((name, switches)) if is_built_in(name) => (name.to_ascii_lowercase(), switches),
        _ => (power::bare(written), ""),
    };
    let all: Vec<String> = core::iter::once(switches.to_ascii_lowercase())
        .chain(rest.iter().map(|word| word.to_ascii_lowercase()))
        .collect();
    let has = |switch: &str| all.iter().any(|word| word.split('/').skip(1).any(|part| part == switch));
    let has_word = |wanted: &str| all.iter().any(|word| word == wanted);
    let texts: Vec<&str> = rest.iter().map(String::as_str).collect();
    if written.contains('%') || written.contains('!') {
        return UNKNOWN_RED.because("runs a command that is made while it runs").finding();
    }
    if LOSES.contains(&name.as_str()) {
        return DESTRUCTIVE.because("can't be undone").finding();
    }
    let fixed = match name.as_str() {
        "del" | "erase" if has("s") || all.iter().any(|word| word.contains(['*', '?', '%'])) => {
            DESTRUCTIVE.because("removes files that are not named")
        }
        "rd" | "rmdir" if has("s") || all.iter().any(|word| word.contains('%')) => {
            DESTRUCTIVE.because("removes folders")
        }
        "del" | "erase" | "rd" | "rmdir" => LOSES_FILE.because("removes a named file"),
        "powershell" | "pwsh" => return power::judge_start(&texts, scene, depth),
        "cmd" => {
            return match depth.checked_sub(1) {
                Some(depth) => judge_start(&texts, scene, depth),
                None => UNKNOWN_RED.finding(),
            };
        }
        "robocopy" if has("mir") || has("purge") || has("mov") || has("move") => {
            DESTRUCTIVE.because("deletes at the target or the source")
        }
        "forfiles" => UNKNOWN_RED.because("runs a command for many files"),
        "reg" | "schtasks" | "sc" | "sc.exe" | "wmic" | "net" if has_word("delete") || has("delete") => {
            DESTRUCTIVE
        }
        "reg" if has_word("query") => LOOKS,
        "reg" | "regedit" | "schtasks" | "sc" | "sc.exe" | "wmic" | "net" | "net1" | "netsh" | "taskkill"
        | "tskill" | "runas" | "takeown" | "icacls" | "cacls" | "attrib" | "setx" | "subst" | "at"
        | "mshta" | "rundll32" | "regsvr32" | "cscript" | "wscript" | "msiexec" | "assoc" | "ftype"
        | "gpupdate" | "dism" => {
            return if rest.iter().any(|word| word.to_ascii_lowercase().contains("countersign")) {
                remote::countersign_is_meant()
            } else {
                UNKNOWN_RED.because("changes rights, services or the system").finding()
            };
        }
        "bitsadmin" | "certutil" | "ping" | "nslookup" | "tracert" | "pathping" => NETWORK_READ_ASKS,
        "ftp" | "tftp" | "telnet" | "winrs" | "psexec" | "ssh" | "scp" => OUTSIDE_ASKS,
        "copy" | "move" | "xcopy" | "robocopy" | "ren" | "rename" | "replace" | "mklink" | "md" | "mkdir" => {
            WRITE_WIDE
        }
        "dir" | "type" | "echo" | "echo." | "ver" | "vol" | "where.exe" | "where" | "findstr" | "find"
        | "fc" | "comp" | "more" | "tree" | "hostname" | "whoami" | "systeminfo" | "tasklist"
        | "ipconfig" | "driverquery" | "help" | "sort" | "rem" => LOOKS,
        _ => return external(&name, rest, scene),
    };
    fixed.finding()
}

/// A program that is no part of a Windows shell: as its own list says, but never green.
pub(super) fn external(name: &str, rest: &[String], scene: &Scene<'_>) -> Finding {
    let words = core::iter::once(name).chain(rest.iter().map(String::as_str)).map(Word::plain).collect();
    let command = Command { words, assigned: Vec::new(), is_fed: false, fed_text: None, folder: None };
    if name.is_empty() { UNKNOWN.finding() } else { remote::judge_from_windows(&command, scene) }
}
