//! Private keys in their armour, from its first line to its last; with no last line, all that follows.

use super::{Secret, scan::Scan};

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";
/// Longest name of what an armour holds: `OPENSSH PRIVATE KEY`, `PGP PRIVATE KEY BLOCK`.
const NAME: usize = 64;
/// How PuTTY's key files begin their secret part, and what follows it.
const PUTTY: (&str, &str) = ("Private-Lines:", "Private-MAC:");

pub(super) fn find(text: &str) -> Vec<Secret> {
    let mut found = pem(text);
    if let Some((start, _)) = text.match_indices(PUTTY.0).next() {
        let rest = text.get(start..).unwrap_or_default();
        let end = rest.find(PUTTY.1).map_or(text.len(), |length| start + length);
        found.push(Secret { range: start..end, kind: "private key" });
    }
    found
}

fn pem(text: &str) -> Vec<Secret> {
    let scan = Scan::new(text);
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = next(text, BEGIN, from) {
        let name = start + BEGIN.len();
        let name_end =
            scan.run(name, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ');
        from = name_end.max(name);
        let is_private = name_end - name <= NAME
            && scan.text(name, name_end).contains("PRIVATE KEY")
            && scan.is_at(name_end, DASHES);
        if !is_private {
            continue;
        }
        let end = next(text, END, from).map_or(text.len(), |last| {
            let name_end = scan.run(last + END.len(), |byte| byte != b'-' && byte != b'\n');
            if scan.is_at(name_end, DASHES) { name_end + DASHES.len() } else { name_end }
        });
        found.push(Secret { range: start..end, kind: "private key" });
        from = end;
    }
    found
}

fn next(text: &str, what: &str, from: usize) -> Option<usize> {
    text.get(from..)?.find(what).map(|at| from + at)
}
