//! The processes of `/proc`.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use super::process::{Process, ProcessId, Processes};

/// How much of a command line is read.
const COMMAND_LINE: u64 = 4096;

/// Reads `/proc`, each time anew.
#[derive(Debug, Clone, Copy, Default)]
pub struct Proc;

impl Processes for Proc {
    fn process(&self, pid: u32) -> Option<Process> {
        let folder = PathBuf::from(format!("/proc/{pid}"));
        let before = stat(&folder)?;
        let process = Process {
            id: ProcessId { pid, start: before.start },
            parent: before.parent,
            executable: executable(&folder),
            arguments: arguments(&folder),
            group: std::fs::read_to_string(folder.join("cgroup")).ok().and_then(|text| group(&text)),
        };
        // The files were read one after the other: all of one process only if it is still that one.
        (stat(&folder)?.start == before.start).then_some(process)
    }

    fn all(&self) -> Vec<u32> {
        let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
        entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
    }
}

struct Stat {
    parent: u32,
    start: u64,
}

fn stat(folder: &Path) -> Option<Stat> {
    parse_stat(&std::fs::read(folder.join("stat")).ok()?)
}

/// The parent and the start are the 4th and the 22nd field; the 2nd is a name in parentheses that may hold anything.
fn parse_stat(stat: &[u8]) -> Option<Stat> {
    let name_end = stat.iter().rposition(|b| *b == b')')?;
    let rest = std::str::from_utf8(stat.get(name_end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let parent = fields.nth(1)?.parse().ok()?;
    let start = fields.nth(17)?.parse().ok()?;
    Some(Stat { parent, start })
}

/// The file a process runs; also where an update has replaced that file since.
fn executable(folder: &Path) -> Option<PathBuf> {
    let path = std::fs::read_link(folder.join("exe")).ok()?.into_os_string().into_vec();
    let path = path.strip_suffix(b" (deleted)").unwrap_or(&path);
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(path)))
}

fn arguments(folder: &Path) -> Vec<OsString> {
    let mut line = Vec::new();
    let read =
        File::open(folder.join("cmdline")).and_then(|file| file.take(COMMAND_LINE).read_to_end(&mut line));
    if read.is_err() {
        return Vec::new();
    }
    let line = line.strip_suffix(b"\0").unwrap_or(&line);
    line.split(|b| *b == 0).map(|argument| OsString::from_vec(argument.to_vec())).collect()
}

/// The path in the unified hierarchy; where everything sits at its root, that in systemd's own older one.
fn group(text: &str) -> Option<String> {
    let path = |wanted: &str| {
        text.lines().find_map(|line| {
            let mut parts = line.splitn(3, ':');
            let (number, kind, path) = (parts.next()?, parts.next()?, parts.next()?);
            let found = if wanted.is_empty() { number == "0" && kind.is_empty() } else { kind == wanted };
            found.then(|| path.to_owned())
        })
    };
    let unified = path("");
    match unified.as_deref() {
        Some(path) if path != "/" => unified,
        _ => path("name=systemd").or(unified),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_name_full_of_parentheses_and_line_ends_does_not_shift_the_fields() {
        let stat = b"42 (a) R 7 (b\n) S 1 42 42 0 -1 4194304 99 0 0 0 0 0 0 0 20 0 1 0 234315 3133440 379";
        let parsed = parse_stat(stat).unwrap();
        assert_eq!((parsed.parent, parsed.start), (1, 234_315));
        assert!(parse_stat(b"42 (x) S 1 2").is_none());
        assert!(parse_stat(b"").is_none());
    }

    #[test]
    fn the_unified_group_counts_before_the_older_ones() {
        let user = "/user.slice/user-1000.slice/vte-spawn-1.scope";
        assert_eq!(group(&format!("0::{user}\n")).as_deref(), Some(user));
        assert_eq!(group(&format!("2:name=systemd:{user}\n1:cpu:/x\n0::/\n")).as_deref(), Some(user));
        assert_eq!(group("9:name=systemd:/old\n0::/new:a\n").as_deref(), Some("/new:a"));
        assert_eq!(group("0::/\n").as_deref(), Some("/"));
        assert_eq!(group("1:cpu:/x\n"), None);
    }
}
