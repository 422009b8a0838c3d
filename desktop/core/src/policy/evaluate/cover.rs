//! What deny and ask lines cover (POL-3, EFF-2). They are broad on purpose: a program by whatever path, inside wrappers,
//! chains and substitutions; and where a call only mentions what such a line is about, that line's shadow keeps every
//! allow away.

use std::{cell::OnceCell, collections::BTreeSet};

use super::index::{Index, bare};
use crate::{
    classify::{Action, Facts, Reach, Script, facts::Ran},
    policy::{
        Asked, Effect,
        line::{Line, LineClass, Object},
        place,
    },
};
use countersign_proto::request::Class;

/// A call as lines see it. What only some lines need is worked out when the first of them is there.
pub(super) struct Seen<'a> {
    pub(super) asked: &'a Asked<'a>,
    pieces: OnceCell<BTreeSet<&'a str>>,
    paths: OnceCell<BTreeSet<String>>,
}

impl<'a> Seen<'a> {
    pub(super) fn of(asked: &'a Asked<'a>) -> Self {
        Self { asked, pieces: OnceCell::new(), paths: OnceCell::new() }
    }

    pub(super) fn facts(&self) -> &'a Facts {
        self.asked.facts
    }

    /// Every command it runs, as far as that is known.
    fn ran(&self) -> &'a [Ran] {
        self.asked.facts.shell().map_or(&[], |shell| shell.ran.as_slice())
    }

    /// Every piece of the command that could be a word of it, however it is quoted, nested or assembled.
    fn pieces(&self) -> &BTreeSet<&'a str> {
        self.pieces.get_or_init(|| {
            let mut pieces = BTreeSet::new();
            for word in self.ran().iter().flat_map(|ran| &ran.words) {
                pieces.extend([word.as_str(), bare(word)]);
            }
            if let Action::Shell(shell) = self.asked.action {
                match &shell.script {
                    Script::Bash(text) | Script::PowerShell(text) | Script::Typed(text) => {
                        split(text, &mut pieces)
                    }
                    Script::Words(words) => words.iter().for_each(|word| split(word, &mut pieces)),
                }
            }
            pieces
        })
    }

    /// Every path it names: where it leads, and what was written, both absolute.
    fn paths(&self) -> &BTreeSet<String> {
        self.paths.get_or_init(|| {
            let mut paths = BTreeSet::new();
            for fact in self.facts().paths() {
                paths.extend(fact.real.as_deref().and_then(place::plain));
                paths.extend(place::absolute(&fact.written, self.asked.folder, self.asked.home));
            }
            paths
        })
    }

    /// Texts in which a recipient may stand: arguments of tools and words of commands.
    fn texts(&self) -> impl Iterator<Item = &'a str> {
        let arguments = match self.asked.action {
            Action::Server { arguments, .. } | Action::Unknown(arguments) => arguments.as_slice(),
            Action::Shell(_) | Action::Files(_) | Action::Fetch { .. } | Action::WebSearch { .. } => &[],
        };
        let words = self.ran().iter().flat_map(|ran| &ran.words);
        arguments.iter().map(|(_, text)| text.as_str()).chain(words.map(String::as_str))
    }
}

/// Splits a text wherever a shell might.
fn split<'a>(text: &'a str, pieces: &mut BTreeSet<&'a str>) {
    let is_between = |c: char| c.is_whitespace() || c.is_control() || ";|&()<>{}[]$`'\"\\=,!#*?".contains(c);
    for piece in text.split(is_between).filter(|piece| !piece.is_empty()) {
        pieces.extend([piece, bare(piece)]);
    }
}

/// The deny and ask lines that cover a call.
pub(super) fn covering<'l>(
    seen: &Seen<'_>,
    lines: &'l [Line],
    index: &Index,
) -> impl Iterator<Item = &'l Line> {
    let mut at = BTreeSet::new();
    classes(seen, index, &mut at);
    tools(seen, index, &mut at);
    if !index.commands.is_empty() {
        for ran in seen.ran() {
            let program = ran.words.first().map_or("", |word| bare(word));
            let same = index.commands.get(program).into_iter().flatten();
            at.extend(same.filter(|at| lines.get(**at).is_some_and(|line| begins(line, &ran.words))));
        }
    }
    for host in seen.facts().hosts().iter().filter(|_| !index.hosts.is_empty()) {
        at.extend(above_host(&host_name(host)).filter_map(|host| index.hosts.get(host)).flatten());
    }
    if !index.paths.is_empty() {
        for path in seen.paths() {
            at.extend(above_path(path).filter_map(|path| index.paths.get(path)).flatten());
        }
    }
    if !index.recipients.is_empty() {
        for text in seen.texts() {
            at.extend(addressees(text).filter_map(|who| index.recipients.get(&who)).flatten());
        }
    }
    at.into_iter().filter_map(|at| lines.get(*at)).filter(|line| line.effect != Effect::Allow)
}

/// Lines about a class that the call, or any part of it, has.
fn classes<'i>(seen: &Seen<'_>, index: &'i Index, at: &mut BTreeSet<&'i usize>) {
    if index.classes.is_empty() {
        return;
    }
    let parts = seen.ran().iter().map(|ran| ran.class);
    for class in parts.chain([seen.facts().class()]).filter_map(line_class) {
        at.extend(index.classes.get(&class).into_iter().flatten());
    }
}

const fn line_class(class: Class) -> Option<LineClass> {
    match class {
        Class::Read => Some(LineClass::Read),
        Class::ReadExternal => Some(LineClass::ReadExternal),
        Class::Write => Some(LineClass::Write),
        Class::External => Some(LineClass::External),
        Class::Spend | Class::Destructive | Class::Guard | Class::Unknown => None,
    }
}

/// Lines about the tool itself, the shells as one, or the MCP server it belongs to.
fn tools<'i>(seen: &Seen<'_>, index: &'i Index, at: &mut BTreeSet<&'i usize>) {
    at.extend(index.tools.get(seen.asked.tool).into_iter().flatten());
    match seen.asked.action {
        Action::Shell(_) => at.extend(&index.shells),
        Action::Server { server, tool, .. } => {
            at.extend(index.tools.get(&format!("mcp__{server}__{tool}")).into_iter().flatten());
            at.extend(index.servers.get(server).into_iter().flatten());
        }
        Action::Files(_) | Action::Fetch { .. } | Action::WebSearch { .. } | Action::Unknown(_) => {}
    }
}

/// Whether a command begins with a line's words; the program counts by its bare name, unless the line gives a path.
fn begins(line: &Line, ran: &[String]) -> bool {
    let Object::Command { words, .. } = &line.object else { return false };
    let (Some((program, rest)), Some((ran, arguments))) = (words.split_first(), ran.split_first()) else {
        return false;
    };
    is_program(program, ran) && arguments.starts_with(rest)
}

/// Whether a line's program is the one that runs. `./a/run` is another one than `b/run`; `/usr/bin/curl` is `curl`.
fn is_program(named: &str, ran: &str) -> bool {
    if !named.contains('/') || named.starts_with('/') {
        return bare(named) == bare(ran);
    }
    named.trim_start_matches("./") == ran.trim_start_matches("./")
}

/// The first deny or ask line whose first two words, host or folder the call mentions, though it does not cover it.
pub(super) fn shadowing<'l>(seen: &Seen<'_>, lines: &'l [Line], index: &Index) -> Option<&'l Line> {
    let mut first: Option<usize> = None;
    let mut note = |at: usize| first = Some(first.map_or(at, |there| there.min(at)));
    if !index.commands.is_empty() || !index.hosts.is_empty() {
        for piece in seen.pieces() {
            let lines_of = index.commands.get(*piece).into_iter().flatten();
            lines_of
                .filter(|at| lines.get(**at).is_some_and(|line| mentions(seen, line)))
                .for_each(|at| note(*at));
            let hosts = piece.split(['/', ':', '@']).filter(|_| !index.hosts.is_empty());
            for host in hosts.map(str::to_lowercase) {
                above_host(&host).filter_map(|host| index.hosts.get(host)).flatten().for_each(|at| note(*at));
            }
        }
    }
    if !index.paths.is_empty() {
        // A folder around what a line is about may be searched or changed as a whole.
        for path in seen.paths() {
            let inside =
                index.paths.range(path.clone()..).take_while(|(line, _)| line.starts_with(path.as_str()));
            inside
                .filter(|(line, _)| place::is_within(line, path))
                .flat_map(|(_, at)| at)
                .for_each(|at| note(*at));
        }
    }
    first.and_then(|at| lines.get(at))
}

/// Whether a command holds the first two words of a deny or ask line anywhere. The program of a line of one word may
/// stand in a command that is known to do nothing but read: `grep curl notes.md` runs no curl.
fn mentions(seen: &Seen<'_>, line: &Line) -> bool {
    let Object::Command { words, .. } = &line.object else { return false };
    if line.effect == Effect::Allow {
        return false;
    }
    match words.get(1) {
        Some(second) => seen.pieces().contains(second.as_str()),
        None => !only_reads(seen.facts()),
    }
}

/// Whether all it runs is known, and known to read.
fn only_reads(facts: &Facts) -> bool {
    facts.shell().is_some_and(|shell| {
        shell.is_simple && shell.ran.iter().all(|ran| ran.class == Class::Read && ran.reach == Reach::Class)
    })
}

/// A host without port, account and final dot, in lower case.
fn host_name(written: &str) -> String {
    let host = written.rsplit('@').next().unwrap_or(written);
    let host = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None if host.matches(':').count() == 1 => host.split(':').next().unwrap_or(host),
        None => host,
    };
    host.trim_end_matches('.').to_lowercase()
}

/// A host and the names above it: `a.example.com`, `example.com`, `com`.
fn above_host(host: &str) -> impl Iterator<Item = &str> {
    core::iter::successors(Some(host), |host| host.split_once('.').map(|(_, above)| above))
}

/// A path and the folders above it.
fn above_path(path: &str) -> impl Iterator<Item = &str> {
    core::iter::successors(Some(path), |path| match path.rsplit_once('/') {
        Some(("", "")) | None => None,
        Some(("", _)) => Some("/"),
        Some((above, _)) => Some(above),
    })
}

/// What may name a recipient in a text: the text itself, and each address-like piece of it, in lower case.
fn addressees(text: &str) -> impl Iterator<Item = String> {
    let is_between = |c: char| c.is_whitespace() || ",;<>\"'()[]{}=".contains(c);
    let pieces = text.split(is_between).filter(|piece| !piece.is_empty());
    core::iter::once(text.trim())
        .chain(pieces)
        .map(|piece| piece.trim_start_matches("mailto:").to_lowercase())
}
