//! Why a daemon did not start, or broke. Each text says what happened, what is safe, and what to do.

use std::{io, path::PathBuf};

use crate::{
    place::PlaceError,
    store::{OpenError, Store, StoreError},
};

/// Why a daemon did not start, or broke.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// Its folders can't be used, or another daemon is in them.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// Its store can't be opened.
    #[error(transparent)]
    Store(#[from] OpenError),
    /// Its store can't be written.
    #[error(
        "the store in `{}` can't be written, so nothing could be recorded and nothing was released; agents ask in \
         their terminals. Make room on the disk, then start again",
        .0.display()
    )]
    Unwritable(PathBuf),
    /// The system refused something.
    #[error("the system refused what the daemon needs: {0}")]
    System(#[from] io::Error),
    /// The system gives no random bytes.
    #[error("the system gives no random bytes: {0}")]
    Random(getrandom::Error),
    /// A demo daemon needs a name that says so.
    #[error("a demo daemon's instance has a name that begins with `demo`; give it one with --instance")]
    NotADemoName,
    /// A name that says demo is a demo daemon's.
    #[error("an instance whose name begins with `demo` is a demo daemon's; start it with --demo")]
    DemoName,
    /// A fault of ours.
    #[error(
        "the daemon broke and ended; nothing was allowed by that, and waiting calls went back to the agents' \
         terminals. Start it again; its log says more"
    )]
    Broke,
}

impl DaemonError {
    pub(super) fn unusable(store: &Store, source: StoreError) -> Self {
        Self::Store(OpenError::Unusable { file: store.file().to_owned(), source })
    }
}
