//! An agent's own note of what a session does, looked at only while one of its calls waits: a session that waited and is
//! busy again was answered in its terminal. It can only withdraw a card, never answer one.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    os::unix::ffi::OsStringExt as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use countersign_agents::{
    Adapter, FileSeen,
    note::{Doing, SessionNote},
};
use countersign_core::{
    draft::{Observed, SessionKey},
    input::Input,
};
use countersign_ipc::account;
use zeroize::Zeroizing;

use crate::{agents::AgentProcess, eventloop::Handle, resolver};

/// Between two looks.
const EVERY: Duration = Duration::from_millis(200);

type Watched = Arc<Mutex<BTreeMap<PathBuf, usize>>>;

/// The notes that are looked at: one look for each, however many calls of its session wait.
#[derive(Debug)]
pub(super) struct Notes {
    handle: Handle,
    watched: Watched,
}

/// Keeps a note looked at.
#[derive(Debug)]
pub(super) struct Watch {
    file: PathBuf,
    watched: Watched,
}

impl Notes {
    pub(super) fn new(handle: Handle) -> Self {
        Self { handle, watched: Watched::default() }
    }

    /// Looks at a session's note for as long as the watch is held.
    pub(super) fn watch(
        &self,
        session: &SessionKey,
        adapter: &Adapter,
        agent: Option<&AgentProcess>,
    ) -> Option<Watch> {
        let (note, agent) = (adapter.session_note?, agent?);
        let file = (note.file)(&home_of(agent.id.pid)?, agent.id.pid);
        match self.watched.lock().unwrap_or_else(PoisonError::into_inner).entry(file.clone()) {
            Entry::Occupied(mut others) => *others.get_mut() += 1,
            Entry::Vacant(first) => {
                first.insert(1);
                let (session, handle, watched) =
                    (session.clone(), self.handle.clone(), Arc::clone(&self.watched));
                tokio::spawn(look(note, file.clone(), session, handle, watched));
            }
        }
        Some(Watch { file, watched: Arc::clone(&self.watched) })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = watched.get_mut(&self.file) {
            *count -= 1;
        }
    }
}

async fn look(note: SessionNote, file: PathBuf, session: SessionKey, handle: Handle, watched: Watched) {
    let mut dialog = Dialog::default();
    while is_wanted(&file, &watched) {
        if dialog.is_answered(read(note, &file).await) {
            let input = Input::Observed { session: session.clone(), what: Observed::AnsweredInTerminal };
            if handle.tell(input).await.is_err() {
                return;
            }
        }
        tokio::time::sleep(EVERY).await;
    }
}

/// The agent's own dialog, as its note tells of it.
#[derive(Debug, Default)]
struct Dialog {
    was_open: bool,
}

impl Dialog {
    /// Whether it was open and the session works again. A note that says neither changes nothing.
    fn is_answered(&mut self, doing: Option<Doing>) -> bool {
        match doing {
            Some(Doing::Waiting) => {
                self.was_open = true;
                false
            }
            Some(Doing::Busy) => std::mem::take(&mut self.was_open),
            None => false,
        }
    }
}

/// Whether anybody still waits; the last one that doesn't takes the note off the list.
fn is_wanted(file: &Path, watched: &Watched) -> bool {
    let mut watched = watched.lock().unwrap_or_else(PoisonError::into_inner);
    let is_wanted = watched.get(file).is_some_and(|count| *count > 0);
    if !is_wanted {
        watched.remove(file);
    }
    is_wanted
}

async fn read(note: SessionNote, file: &Path) -> Option<Doing> {
    match resolver::look(vec![file.to_owned()]).await.remove(file)? {
        FileSeen::Content(text) => (note.read)(&text),
        FileSeen::Absent | FileSeen::Unreadable(_) | FileSeen::TooBig(_) => None,
    }
}

/// The home that the agent itself uses: its own `HOME`, or that of the passwd file. Of its environment nothing else is
/// looked at.
fn home_of(pid: u32) -> Option<PathBuf> {
    // It holds keys and tokens too.
    let environment = Zeroizing::new(std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default());
    let own = environment.split(|b| *b == 0).find_map(|variable| variable.strip_prefix(b"HOME="));
    let own = own.map(|home| PathBuf::from(std::ffi::OsString::from_vec(home.to_vec())));
    own.filter(|home| home.is_absolute()).or_else(|| account::home(account::uid()).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialog_is_answered_once_each_time_it_was_open() {
        use Doing::{Busy, Waiting};
        let mut dialog = Dialog::default();
        let seen = [
            Some(Busy),
            Some(Waiting),
            None,
            Some(Waiting),
            Some(Busy),
            Some(Busy),
            Some(Waiting),
            Some(Busy),
        ];
        let answered: Vec<bool> = seen.into_iter().map(|doing| dialog.is_answered(doing)).collect();
        assert_eq!(answered, [false, false, false, false, true, false, false, true]);
    }
}
