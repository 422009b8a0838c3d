//! A process and its ancestors up to the first of all, put together so that no number that was used twice slips in.

use super::process::{Process, ProcessId, Processes};

/// How often a chain is read anew when a process ends under our eyes.
const TRIES: u32 = 5;
/// Longer chains than this don't occur; a loop would.
const DEEPEST: usize = 512;

/// A process and its ancestors, nearest first, complete up to one without a parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lineage {
    process: Process,
    ancestors: Vec<Process>,
}

/// The chain can't be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unclear {
    /// The process itself is gone.
    #[error("the process that connected is gone")]
    Gone,
    /// Its ancestors came and went while we looked.
    #[error("the ancestors of the process that connected can't be told")]
    Changing,
}

impl Lineage {
    /// Reads the chain of a process.
    ///
    /// # Errors
    /// [`Unclear`].
    pub fn of(pid: u32, processes: &dyn Processes) -> Result<Self, Unclear> {
        let first = processes.process(pid).ok_or(Unclear::Gone)?.id;
        for _ in 0..TRIES {
            // When a parent ends, its children get another one: read again from the start.
            let Some(process) = processes.process(pid).filter(|process| process.id == first) else {
                return Err(Unclear::Gone);
            };
            if let Some(ancestors) = ancestors(&process, processes) {
                return Ok(Self { process, ancestors });
            }
        }
        Err(Unclear::Changing)
    }

    /// The process itself.
    #[must_use]
    pub fn process(&self) -> &Process {
        &self.process
    }

    /// Its ancestors, nearest first.
    #[must_use]
    pub fn ancestors(&self) -> &[Process] {
        &self.ancestors
    }

    /// The process and its ancestors, nearest first.
    pub fn iter(&self) -> impl Iterator<Item = &Process> {
        std::iter::once(&self.process).chain(&self.ancestors)
    }

    /// Whether this process is that one, or descends from it.
    #[must_use]
    pub fn contains(&self, id: ProcessId) -> bool {
        self.iter().any(|process| process.id == id)
    }
}

fn ancestors(process: &Process, processes: &dyn Processes) -> Option<Vec<Process>> {
    let mut ancestors: Vec<Process> = Vec::new();
    let (mut parent, mut youngest) = (process.parent, process.id.start);
    while parent != 0 {
        let found = processes.process(parent)?;
        // A parent younger than its child is another process that got the number of the one that ended.
        if found.id.start > youngest || ancestors.len() == DEEPEST {
            return None;
        }
        (parent, youngest) = (found.parent, found.id.start);
        ancestors.push(found);
    }
    Some(ancestors)
}
