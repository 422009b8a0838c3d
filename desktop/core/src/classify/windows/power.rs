//! Judges PowerShell: each statement by its first word, the whole text by what it names. Case, backticks, quotes,
//! aliases and shortened switches are no cover.

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
    },
    batch,
    lexer::{self, Statement},
    words::{LOSES, NETWORK, OVERWRITES, POWERS, READS, REMOVES, REMOVES_NOTHING, SENDS, WRITES},
};
use countersign_proto::request::{Class, Level};

/// A read that may be remembered, and no more.
const LOOKS: Fixed = Fixed { reach: Reach::Never, ..READ_ASKS };
/// Names a place outside the project.
const OUTSIDE_PATH: Fixed =
    Fixed::of(Class::Read, Level::Red, Reach::Never).because("names a place outside the project");

/// What a text would do.
pub(super) fn judge(text: &str, scene: &Scene<'_>, depth: u8) -> Finding {
    let low = text.to_lowercase();
    let Some(depth) = depth.checked_sub(1) else {
        return shown(&low, UNKNOWN_RED.because("stands in too many shells to be read").finding());
    };
    let script = lexer::script(text);
    let mut finding: Option<Finding> = None;
    for statement in &script.statements {
        let judged = statement_does(statement, scene, depth);
        match &mut finding {
            Some(finding) => finding.worsen(judged),
            None => finding = Some(judged),
        }
    }
    let mut finding = finding.unwrap_or_else(|| UNKNOWN.finding());
    if !script.is_plain {
        finding.worsen(UNKNOWN.finding());
    }
    shown(&low, finding)
}

/// Adds what the text as a whole names: .NET calls and downloads that are no command of their own.
fn shown(low: &str, mut finding: Finding) -> Finding {
    let dense: String = low.chars().filter(|letter| !letter.is_whitespace() && *letter != '`').collect();
    let has = |list: &[&str]| list.iter().any(|one| dense.contains(one));
    if has(&[
        "]::delete(",
        ".delete(",
        "remove-item",
        "format-volume",
        "clear-disk",
        "clear-recyclebin",
        "stop-computer",
        "restart-computer",
        "deletedirectory",
        "deletefile(",
    ]) {
        let is_named = finding.class == Class::Destructive;
        if !is_named {
            finding.worsen(DESTRUCTIVE.because("names a removal").finding());
        }
    }
    if has(&[
        "net.webclient",
        "downloadstring",
        "downloadfile",
        "downloaddata",
        "httpclient",
        "net.sockets",
        "webrequest]::",
        "net.httpwebrequest",
        "uploadfile",
        "uploadstring",
        "bitstransfer",
        "msxml2.xmlhttp",
    ]) {
        finding.worsen(UNKNOWN_RED.because("uses the network").finding());
    }
    if has(&[
        "frombase64string",
        "[scriptblock]::create",
        "invoke-expression",
        "|iex",
        "iex(",
        "process]::start",
        "reflection.assembly",
        "wscript.shell",
        "shell.application",
        "invokecommand.invokescript",
        "newscriptblock",
        "[char]",
        "-encodedcommand",
        "virtualalloc",
        "securestringtobstr",
        "comobject",
    ]) {
        finding.worsen(UNKNOWN_RED.because("builds and runs text").finding());
    }
    finding
}

fn statement_does(statement: &Statement, scene: &Scene<'_>, depth: u8) -> Finding {
    let mut words = statement.words.as_slice();
    // `$x = Remove-Item a` assigns what the command gives.
    if let [name, sign, rest @ ..] = words
        && name.starts_with('$')
        && matches!(sign.as_str(), "=" | "+=")
    {
        words = rest;
    }
    while let [first, rest @ ..] = words
        && is_keyword(first)
    {
        words = rest;
    }
    let mut finding = match words.split_first() {
        Some((first, rest)) => command_does(first, rest, statement, scene, depth),
        None => UNKNOWN.finding(),
    };
    if statement.overwrites && !words.iter().any(|word| word.eq_ignore_ascii_case("$null")) {
        finding.worsen(LOSES_FILE.because("overwrites a file").finding());
    }
    for word in words {
        if is_outside(word) {
            finding.worsen(OUTSIDE_PATH.finding());
        }
    }
    // A removal that is handed on by name: `sal x Remove-Item`, `ForEach-Object Remove-Item`.
    let hands_on =
        |word: &String| word.eq_ignore_ascii_case("remove-item") || word.eq_ignore_ascii_case("ri");
    if words.iter().skip(1).any(hands_on) {
        finding.worsen(DESTRUCTIVE.because("hands a removal on").finding());
    }
    if words.iter().any(|word| word.to_ascii_lowercase().contains("countersign"))
        && finding.level == Level::Red
    {
        finding.worsen(remote::countersign_is_meant());
    }
    finding
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word.to_ascii_lowercase().as_str(),
        "if" | "else"
            | "elseif"
            | "while"
            | "do"
            | "try"
            | "catch"
            | "finally"
            | "return"
            | "throw"
            | "foreach"
            | "for"
            | "switch"
            | "process"
            | "begin"
            | "end"
            | "."
            | "in"
            | "function"
            | "filter"
            | "param"
            | "@"
    )
}

/// The bare name: no module, folder, case or ending.
pub(super) fn bare(written: &str) -> String {
    let low = written.to_ascii_lowercase();
    let name = low.rsplit(['\\', '/']).next().unwrap_or_default();
    let is_listed = name == "where.exe" || name == "sc.exe";
    if is_listed {
        name.to_owned()
    } else {
        name.trim_end_matches(".exe").trim_end_matches(".cmd").to_owned()
    }
}

/// Whether a switch stands there, spelled out or shortened.
fn has_switch(rest: &[String], name: &str, least: usize) -> bool {
    rest.iter().any(|word| {
        let low = word.to_ascii_lowercase();
        let Some(switch) = low.strip_prefix('-').or_else(|| low.strip_prefix('/')) else { return false };
        let switch = switch.split(':').next().unwrap_or_default();
        switch.len() >= least && name.starts_with(switch) && !low.ends_with(":$false")
    })
}

fn command_does(
    first: &str,
    rest: &[String],
    statement: &Statement,
    scene: &Scene<'_>,
    depth: u8,
) -> Finding {
    let name = bare(first);
    let is_in = |list: &[&str]| list.contains(&name.as_str());
    let texts: Vec<&str> = rest.iter().map(String::as_str).collect();
    if first.starts_with('$') || first.starts_with('@') || first.starts_with('[') || first.contains('$') {
        // A value by itself is nothing; called, or with words behind it, it is a command that nobody can read.
        let is_run = statement.is_called
            || (first.starts_with('$')
                && rest
                    .first()
                    .is_some_and(|word| word.starts_with('-') && word.len() > 1 && !is_operator(word)));
        return if is_run {
            UNKNOWN_RED.because("runs a command that is made while it runs").finding()
        } else {
            UNKNOWN.finding()
        };
    }
    match name.as_str() {
        "powershell" | "pwsh" | "powershell_ise" => return judge_start(&texts, scene, depth),
        "cmd" => return batch::judge_start(&texts, scene, depth),
        "start-process" | "saps" | "start" => return starts(rest, scene, depth),
        "stop-process" | "spps" | "kill" => {
            let by_id = !statement.is_fed
                && !has_switch(rest, "name", 1)
                && !texts.iter().any(|text| text.contains('*'));
            return if by_id { UNKNOWN } else { UNKNOWN_RED.because("ends processes by name") }.finding();
        }
        "robocopy" => {
            let mirrors = has_switch(rest, "mir", 3)
                || has_switch(rest, "purge", 5)
                || has_switch(rest, "move", 3)
                || has_switch(rest, "mov", 3);
            return if mirrors { DESTRUCTIVE } else { WRITE_WIDE }.finding();
        }
        "invoke-expression" | "iex" => {
            let mut finding = UNKNOWN_RED.because("runs text").finding();
            finding.worsen(judge(&texts.join(" "), scene, depth));
            return finding;
        }
        _ => {}
    }
    if is_in(REMOVES) {
        return removes(rest, statement);
    }
    if is_in(LOSES) {
        return DESTRUCTIVE.because("can't be undone").finding();
    }
    if is_in(REMOVES_NOTHING) {
        return UNKNOWN.finding();
    }
    if is_in(NETWORK) {
        return reaches(&name, rest);
    }
    if is_in(SENDS) {
        return OUTSIDE_ASKS.because("reaches another machine").finding();
    }
    if is_in(POWERS) {
        let deletes = texts
            .iter()
            .any(|text| matches!(text.to_ascii_lowercase().as_str(), "delete" | "/delete" | "-delete"));
        return if deletes {
            DESTRUCTIVE
        } else {
            UNKNOWN_RED.because("changes rights, services or the system, or runs text")
        }
        .finding();
    }
    if is_in(OVERWRITES) {
        return LOSES_FILE.because("overwrites a file").finding();
    }
    if is_in(WRITES) {
        return WRITE_WIDE.finding();
    }
    if is_in(READS) {
        return LOOKS.finding();
    }
    by_verb(&name).unwrap_or_else(|| batch::external(&name, rest, scene))
}

fn is_operator(word: &str) -> bool {
    [
        "-eq",
        "-ne",
        "-gt",
        "-lt",
        "-ge",
        "-le",
        "-and",
        "-or",
        "-not",
        "-like",
        "-match",
        "-is",
        "-in",
        "-contains",
        "-f",
        "-replace",
        "-split",
        "-join",
        "-as",
        "-notlike",
        "-notmatch",
    ]
    .iter()
    .any(|one| word.eq_ignore_ascii_case(one))
}

/// What a cmdlet's approved verb says, where no list names the cmdlet.
fn by_verb(name: &str) -> Option<Finding> {
    let (verb, noun) = name.split_once('-')?;
    let fixed = match verb {
        "remove" | "uninstall" | "clear" | "reset" | "dismount" | "revoke" | "unregister" | "deny"
            if noun != "host" =>
        {
            DESTRUCTIVE.because("removes something")
        }
        "stop" | "disable" | "suspend" | "restart" | "grant" | "enable" | "block" | "unblock" | "protect"
        | "unprotect" | "install"
            if noun != "module" && noun != "package" && noun != "script" && noun != "psresource" =>
        {
            UNKNOWN_RED.because("changes services or the system")
        }
        "publish" | "send" | "connect" | "push" | "submit" => OUTSIDE_ASKS,
        _ => return None,
    };
    Some(fixed.finding())
}

fn removes(rest: &[String], statement: &Statement) -> Finding {
    let recurses = has_switch(rest, "recurse", 1) || has_switch(rest, "s", 1);
    let is_clear = !rest.is_empty() && rest.iter().all(|word| !word.contains(['*', '?', '$', '@', '[']));
    if recurses || statement.is_fed || !is_clear {
        return DESTRUCTIVE.because("removes folders, or files that are not named").finding();
    }
    LOSES_FILE.because("removes a named file").finding()
}

fn reaches(name: &str, rest: &[String]) -> Finding {
    let sends = has_switch(rest, "body", 1)
        || has_switch(rest, "infile", 3)
        || has_switch(rest, "form", 2)
        || has_switch(rest, "headers-none", 12)
        || rest.iter().any(|word| {
            matches!(
                word.to_ascii_lowercase().as_str(),
                "post"
                    | "put"
                    | "patch"
                    | "delete"
                    | "upload"
                    | "/upload"
                    | "-d"
                    | "-t"
                    | "-f"
                    | "--data"
                    | "--upload-file"
            )
        });
    let mut finding =
        if sends && !matches!(name, "ping" | "test-connection" | "tnc" | "test-netconnection") {
            OUTSIDE_ASKS.because("sends data to the network")
        } else {
            NETWORK_READ_ASKS.because("reads from the network")
        }
        .finding();
    finding.hosts = rest
        .iter()
        .filter(|word| word.contains("://"))
        .filter_map(|word| remote::host(word))
        .map(str::to_owned)
        .collect();
    finding
}

/// `Start-Process NAME ARGUMENTS`: the program is judged as if it stood alone.
fn starts(rest: &[String], scene: &Scene<'_>, depth: u8) -> Finding {
    let mut finding = UNKNOWN.finding();
    if has_switch(rest, "verb", 2) {
        finding.worsen(UNKNOWN_RED.because("asks for other rights").finding());
    }
    if rest.iter().any(|word| word.contains("://")) {
        finding.worsen(OUTSIDE_ASKS.because("opens an address").finding());
    }
    let words: Vec<&str> = rest
        .iter()
        .map(String::as_str)
        .filter(|word| {
            !matches!(
                word.to_ascii_lowercase().as_str(),
                "-filepath" | "-argumentlist" | "-args" | "-wait" | "-nonewwindow"
            )
        })
        .collect();
    let inner = words.join(" ").replace(',', " ");
    if !inner.is_empty() && inner.len() < rest.iter().map(|word| word.len() + 1).sum::<usize>() + 1 {
        finding.worsen(judge(&inner, scene, depth));
    }
    finding
}

/// Arguments of PowerShell itself.
pub(super) fn judge_start(words: &[&str], scene: &Scene<'_>, depth: u8) -> Finding {
    let mut finding = UNKNOWN.finding();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let low = word.to_ascii_lowercase().replace(['\u{2013}', '\u{2014}', '\u{2015}'], "-");
        let low = if low.starts_with('/') { low.replacen('/', "-", 1) } else { low };
        let Some(name) = low.strip_prefix('-') else {
            // The first word that is no option is the command, or a script.
            let text = core::iter::once(word).chain(rest).copied().collect::<Vec<_>>().join(" ");
            finding.worsen(judge(&text, scene, depth));
            return finding;
        };
        let name = name.trim_start_matches('-');
        let is = |full: &str, least: usize| name.len() >= least && full.starts_with(name);
        if is("encodedcommand", 1) && !is("executionpolicy", 2)
            || matches!(name, "ec" | "encodedarguments" | "ea")
        {
            finding.worsen(UNKNOWN_RED.because("runs an encoded command").finding());
            return finding;
        }
        if is("command", 1) || name == "cwa" || is("commandwithargs", 8) {
            let text = rest.copied().collect::<Vec<_>>().join(" ");
            let is_from_pipe = text.trim() == "-" || text.trim().is_empty();
            finding.worsen(if is_from_pipe { UNKNOWN_RED.finding() } else { judge(&text, scene, depth) });
            return finding;
        }
        if is("file", 1) {
            if let Some(script) = rest.next() {
                finding.drivers.push((*script).to_owned());
                if script.contains("://") || *script == "-" {
                    finding.worsen(UNKNOWN_RED.finding());
                }
                if is_outside(script) {
                    finding.worsen(OUTSIDE_PATH.finding());
                }
            }
            return finding;
        }
        if is("executionpolicy", 2) || name == "ep" {
            let policy = rest.next().map(|policy| policy.to_ascii_lowercase()).unwrap_or_default();
            if matches!(policy.as_str(), "bypass" | "unrestricted") {
                finding.worsen(UNKNOWN_RED.because("switches off which scripts may run").finding());
            }
        } else if is("windowstyle", 1)
            || is("inputformat", 3)
            || is("outputformat", 1)
            || is("version", 1)
            || is("workingdirectory", 2)
            || name == "wd"
            || is("psconsolefile", 2)
            || is("configurationname", 6)
            || is("settingsfile", 2)
            || is("custompipename", 2)
        {
            rest.next();
        }
    }
    finding
}

/// Whether a word names a place outside the project: a drive, a share, a home, a step up, a registry hive.
pub(super) fn is_outside(word: &str) -> bool {
    let word = word.rsplit_once('=').map_or(word, |(_, value)| value);
    let low = word.to_ascii_lowercase().replace('\\', "/");
    let mut letters = low.chars();
    let is_drive = letters.next().is_some_and(|letter| letter.is_ascii_alphabetic())
        && letters.next() == Some(':')
        && letters.next().is_none_or(|letter| letter == '/');
    let is_hive = ["hklm:", "hkcu:", "hkcr:", "hku:", "registry:", "cert:", "env:", "wsman:"]
        .iter()
        .any(|hive| low.starts_with(hive));
    let is_share = low.starts_with("//") || low.starts_with("/") && low.len() > 3;
    let is_home = low.starts_with('~')
        || low.starts_with("$home")
        || low.starts_with("$env:")
        || low.starts_with("${env:")
        || low.contains("%userprofile%")
        || low.contains("%appdata%")
        || low.contains("%systemroot%")
        || low.contains("%windir%")
        || low.contains("%temp%");
    let steps_up = low.split('/').any(|part| part == "..");
    !low.contains("://") && (is_drive || is_hive || is_share || is_home || steps_up)
}
