//! The one task that owns the core. It takes what happened, one thing at a time, and carries out what the core commands
//! before it takes the next. When it ends, however it ends, every waiting hook hears silence.

mod ending;
mod handle;
mod hooks;
mod run;

use std::{collections::BTreeMap, io, sync::Arc};

use countersign_core::Core;
use countersign_proto::id::DeviceId;
use tokio::sync::{broadcast, mpsc};

use self::{ending::Endings, handle::Told, hooks::Hooks};
pub use self::{
    handle::{Ended, Handle, Happened, Outcome, View},
    hooks::{Answered, Waiting},
};
use crate::{errand::Errand, store::Store, timer::BootTimer};

/// Things told and not yet taken; whoever tells more waits.
const TOLD: usize = 256;
/// Events a surface may fall behind before it is shown everything anew.
const HAPPENED: usize = 256;

/// The loop's own state.
#[derive(Debug)]
pub struct EventLoop {
    core: Core,
    store: Arc<Store>,
    told: mpsc::Receiver<Told>,
    happened: broadcast::Sender<Happened>,
    errands: mpsc::UnboundedSender<Errand>,
    timer: BootTimer,
    hooks: Hooks,
    endings: Endings,
    last_seen: BTreeMap<DeviceId, u64>,
    is_ending: bool,
}

impl EventLoop {
    /// A loop around a core that was just started, and the handle through which it is told things.
    ///
    /// # Errors
    /// The system gives no timer.
    pub fn new(
        core: Core,
        store: Arc<Store>,
        errands: mpsc::UnboundedSender<Errand>,
    ) -> io::Result<(Self, Handle)> {
        let (teller, told) = mpsc::channel(TOLD);
        let (happened, _) = broadcast::channel(HAPPENED);
        let handle = Handle::new(teller, happened.clone());
        let this = Self {
            core,
            store,
            told,
            happened,
            errands,
            timer: BootTimer::new()?,
            hooks: Hooks::default(),
            endings: Endings::default(),
            last_seen: BTreeMap::new(),
            is_ending: false,
        };
        Ok((this, handle))
    }
}
