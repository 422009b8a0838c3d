//! A process as the checks see it, and where such views come from.

use std::ffi::OsString;
use std::path::PathBuf;

/// One process and no later one with the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessId {
    /// Its number.
    pub pid: u32,
    /// When it started, in clock ticks since the machine did.
    pub start: u64,
}

/// What is known of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Which it is.
    pub id: ProcessId,
    /// Its parent's number; 0 at the top.
    pub parent: u32,
    /// The file it runs; unknown for other users' processes.
    pub executable: Option<PathBuf>,
    /// Its first arguments, with its own name at the front. The process may write there what it likes.
    pub arguments: Vec<OsString>,
    /// Its control group, as the path below the hierarchy's root.
    pub group: Option<String>,
}

/// The processes of this machine: those of `/proc`, or made-up ones in tests.
pub trait Processes {
    /// One process, if it is there now.
    fn process(&self, pid: u32) -> Option<Process>;

    /// The numbers of all that are there now.
    fn all(&self) -> Vec<u32>;
}
