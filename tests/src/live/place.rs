//! A private place for one session: a home and a project folder that vanish when dropped, together with every
//! process that still calls this home its own.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use tempfile::TempDir;

/// A session's folders. Whatever else a test starts (a daemon, a relay) must not be given this home, unless it is
/// to end with the session.
pub struct Place {
    root: PathBuf,
    // Removed when dropped, after the processes are gone.
    _dir: TempDir,
}

impl Place {
    /// Makes the folders; the project is a git repository that holds `hello.txt` (`alpha`, `beta`).
    pub fn make() -> Result<Self> {
        let dir = tempfile::Builder::new().prefix("countersign-live-").tempdir()?;
        let root = fs::canonicalize(dir.path())?;
        let place = Self { root, _dir: dir };
        for folder in [place.home(), place.project(), place.scratch()] {
            fs::create_dir_all(folder)?;
        }
        fs::write(place.project().join("hello.txt"), "alpha\nbeta\n")?;
        let git = std::process::Command::new("git")
            .args(["init", "--quiet"])
            .current_dir(place.project())
            .env("HOME", place.home())
            .output()
            .context("cannot run git, which the live tests need")?;
        ensure!(git.status.success(), "git init failed: {}", String::from_utf8_lossy(&git.stderr));
        Ok(place)
    }

    /// The session's `HOME`.
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// The folder the session works in.
    pub fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// The session's `TMPDIR`.
    pub fn scratch(&self) -> PathBuf {
        self.root.join("tmp")
    }

    /// Ends every process whose environment names this home: hooks and servers of an agent run in sessions of
    /// their own and outlive it, but inherit `HOME`, which nobody else has.
    fn sweep(&self) {
        let mark = format!("HOME={}", self.home().display());
        // A second look catches what was being started during the first.
        while kill_marked(mark.as_bytes()) > 0 {}
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.sweep();
    }
}

/// Kills what carries the mark; returns how many. A killed process has no environment, so it counts once.
fn kill_marked(mark: &[u8]) -> usize {
    let Ok(processes) = fs::read_dir("/proc") else { return 0 };
    processes
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| kill_if_marked(*pid, mark).is_some())
        .count()
}

fn kill_if_marked(pid: i32, mark: &[u8]) -> Option<()> {
    // Opened before the look, so that the signal reaches the process that was looked at.
    let process = pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()?;
    let environment = fs::read(Path::new("/proc").join(pid.to_string()).join("environ")).ok()?;
    environment.split(|byte| *byte == 0).any(|variable| variable == mark).then_some(())?;
    pidfd_send_signal(&process, Signal::KILL).ok()
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        process::{Command, Stdio},
    };

    use super::*;

    #[test]
    fn a_process_of_the_home_ends_with_it_and_others_stay() {
        let place = Place::make().unwrap();
        let mut cat = Command::new("cat");
        cat.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut ours = cat.env("HOME", place.home()).spawn().unwrap();
        let mut other = cat.env("HOME", "/nowhere").spawn().unwrap();
        drop(place);
        assert!(!ours.wait().unwrap().success());
        other.stdin.as_mut().unwrap().write_all(b"here").unwrap();
        drop(other.stdin.take());
        let mut echoed = String::new();
        other.stdout.as_mut().unwrap().read_to_string(&mut echoed).unwrap();
        assert_eq!(echoed, "here");
        assert!(other.wait().unwrap().success());
    }
}
