//! Values that stand behind the name of a secret: in a shell, a file of settings, JSON, a header, a query, an option.

use super::{
    Secret,
    name::{self, Named},
    scan::{Scan, is_alnum},
    value,
};

/// Shortest password that is folded where its name leaves no doubt.
const PASSWORD: usize = 3;
/// Shortest token, key or secret of that kind.
const KEY: usize = 8;
/// Shortest one without a digit.
const WORDY_KEY: usize = 16;

/// How a value stands behind its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// `NAME=value`, `--name=value`, `--name value`: a shell gives it as it stands.
    Glued,
    /// `name = value`, `name: value`: code and prose look like that, too.
    Loose,
    /// In quotes.
    Quoted,
}

/// A value: where it is, and how it stands there.
#[derive(Debug, Clone, Copy)]
struct Value {
    start: usize,
    end: usize,
    way: Way,
    /// Whether it is the argument of a call, where names of variables stand for values.
    is_argument: bool,
}

pub(super) fn find(text: &str) -> Vec<Secret> {
    let scan = Scan::new(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < scan.len() {
        let is_name_start = is_name(scan.at(at)) && (!is_name(scan.before(at)) || scan.is_start(at));
        if !is_name_start {
            at += 1;
            continue;
        }
        let end = scan.run(at, is_name);
        let (next, secret) = behind(scan, at, end);
        found.extend(secret);
        at = next.max(end);
    }
    found
}

const fn is_name(byte: u8) -> bool {
    is_alnum(byte) || matches!(byte, b'_' | b'-' | b'.')
}

/// What stands behind a name, and from where to look on.
fn behind(scan: Scan<'_>, start: usize, end: usize) -> (usize, Option<Secret>) {
    let nothing = (end, None);
    let name = scan.text(start.max(end.saturating_sub(name::LONGEST)), end);
    if name.eq_ignore_ascii_case("bearer") {
        return bearer(scan, end);
    }
    let Some(named) = name::of(name) else { return nothing };
    let is_option = scan.is_at(start, "--");
    let Some(value) = value(scan, start, end, named, is_option) else { return nothing };
    let is_secret = is_secret(scan, named, value);
    (value.end, is_secret.then(|| Secret { range: value.start..value.end, kind: named.kind() }))
}

/// `Bearer TOKEN`, wherever it stands.
fn bearer(scan: Scan<'_>, end: usize) -> (usize, Option<Secret>) {
    let start = scan.blanks(end);
    if start == end {
        return (end, None);
    }
    let end = scan
        .run(start, |byte| is_alnum(byte) || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'+' | b'/' | b'='));
    let token = scan.text(start, end);
    let is_token = token.len() >= WORDY_KEY && value::is_mixed(token) && !value::is_path(token);
    (end.max(start), is_token.then_some(Secret { range: start..end, kind: "bearer token" }))
}

/// Steps over the end of a name in quotes or brackets, and over what joins it to its value.
fn value(scan: Scan<'_>, start: usize, end: usize, named: Named, is_option: bool) -> Option<Value> {
    let mut at = end;
    let is_in_quotes = quote(scan, at).is_some();
    if let Some((_, after)) = quote(scan, at) {
        at = after;
    }
    at = scan.run(at, |byte| byte == b']');
    let blanks = scan.blanks(at);
    let (after, colon) = match (scan.at(blanks), scan.at(blanks + 1)) {
        (b'=', b'=' | b'~') | (b':', b':') => return None,
        (b'=', b'>') | (b':' | b'?' | b'+', b'=') => (blanks + 2, false),
        (b'=', _) => (blanks + 1, false),
        (b':', _) => (blanks + 1, true),
        _ if is_option && blanks > end => (blanks, false),
        _ => return None,
    };
    // In an address a colon begins a port, in a header a value.
    let begin = scan.blanks(after);
    let is_spaced = begin > after || blanks > at;
    let way = match (is_option, colon || is_spaced || is_in_quotes) {
        (true, _) | (_, false) => Way::Glued,
        (false, true) => Way::Loose,
    };
    if matches!(named, Named::Header | Named::Cookie) {
        return header(scan, begin, named, is_in_quotes);
    }
    let is_argument = matches!(before_name(scan, start), b'(' | b',');
    if let Some((mark, start)) = quote(scan, begin) {
        let end = closing(scan, start, mark);
        return Some(Value { start, end, way: Way::Quoted, is_argument });
    }
    let is_path_like = |byte: u8| {
        !matches!(
            byte,
            0..=b' '
                | b'"'
                | b'\''
                | b'`'
                | b';'
                | b'&'
                | b'|'
                | b','
                | b'<'
                | b'>'
                | b')'
                | b'}'
                | b']'
                | 0x7f
        )
    };
    let mut stop = begin;
    while is_path_like(scan.at(stop)) && !scan.is_break(stop) {
        stop += 1;
    }
    (stop > begin && !(is_option && scan.at(begin) == b'-')).then_some(Value {
        start: begin,
        end: stop,
        way,
        is_argument,
    })
}

/// The credentials of a header: to the end of its line or of what quotes it, less the scheme.
fn header(scan: Scan<'_>, begin: usize, named: Named, is_in_quotes: bool) -> Option<Value> {
    let (from, mark) = match quote(scan, begin) {
        Some((mark, from)) => (from, Some(mark)),
        None if is_in_quotes => return None,
        None => (begin, None),
    };
    let mut end = from;
    let is_end = |at: usize| match mark {
        Some(mark) => quote(scan, at).is_some_and(|(found, _)| found == mark),
        None => quote(scan, at).is_some(),
    };
    while end < scan.len() && scan.at(end) != b'\n' && !scan.is_break(end) && !is_end(end) {
        end += 1;
    }
    let scheme = scan.run(from, |byte| byte.is_ascii_alphabetic() || byte == b'-');
    let start = scan.blanks(scheme);
    let is_scheme = named == Named::Header && start > scheme && start < end;
    Some(Value { start: if is_scheme { start } else { from }, end, way: Way::Quoted, is_argument: false })
}

/// The quote at a place, with or without a backslash before it, and what follows it.
fn quote(scan: Scan<'_>, at: usize) -> Option<(u8, usize)> {
    let is_quote = |byte| matches!(byte, b'"' | b'\'' | b'`');
    let slashes = scan.run(at, |byte| byte == b'\\') - at;
    // More than a few are no escape.
    (slashes <= 3 && is_quote(scan.at(at + slashes))).then(|| (scan.at(at + slashes), at + slashes + 1))
}

/// Where a quoted value ends: before its quote, or with its line.
fn closing(scan: Scan<'_>, start: usize, mark: u8) -> usize {
    let mut end = start;
    while end < scan.len() && scan.at(end) != b'\n' && scan.at(end) != mark {
        end += 1;
    }
    // The backslash of an escaped quote is none of the value's.
    while end > start && scan.at(end) == mark && scan.before(end) == b'\\' {
        end -= 1;
    }
    end
}

/// The byte before a name, blanks left out.
fn before_name(scan: Scan<'_>, start: usize) -> u8 {
    let mut at = start;
    // Call arguments stand on one line with little space.
    for _ in 0..4 {
        if scan.before(at) == b' ' {
            at -= 1;
        }
    }
    scan.before(at)
}

fn is_secret(scan: Scan<'_>, named: Named, at: Value) -> bool {
    let value = scan.text(at.start, at.end);
    if value.is_empty() || value::is_placeholder(value) {
        return false;
    }
    match named {
        Named::Header => return value.len() >= KEY && !value.contains(['$', '{']),
        Named::Cookie => return value.contains('=') && value.len() >= KEY,
        Named::Near => return value::is_random(value) && !value::is_path(value) && !value.contains(' '),
        Named::Password | Named::Key(_) => {}
    }
    let is_call = matches!(scan.at(at.end), b'(' | b'[') || value.contains('(');
    if value::is_path(value) || is_call {
        return false;
    }
    let (is_mixed, has_blanks) = (value::is_mixed(value), value.contains(' '));
    let is_long = value.chars().count();
    match (named, at.way) {
        (Named::Password, Way::Glued) if !at.is_argument => is_long >= PASSWORD && !value.starts_with('.'),
        (Named::Password, Way::Glued) => is_long >= 6 && is_mixed,
        (Named::Password, Way::Quoted) => is_long >= PASSWORD && (!has_blanks || is_mixed),
        (Named::Password, Way::Loose) => is_long >= 6 && has_digit_or_sign(value),
        (_, Way::Glued) if !at.is_argument => is_long >= KEY && (is_mixed || is_long >= WORDY_KEY),
        (_, Way::Glued | Way::Loose) => is_long >= 12 && is_mixed && !value.contains('.'),
        (_, Way::Quoted) => is_long >= KEY && !has_blanks && (is_mixed || is_long >= WORDY_KEY),
    }
}

fn has_digit_or_sign(value: &str) -> bool {
    value
        .bytes()
        .any(|byte| byte.is_ascii_digit() || matches!(byte, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'*'))
        && !value.bytes().all(|byte| byte.is_ascii_digit())
}
