//! Takes up what the store holds: the core is started, what an earlier run left is finished and recorded, and phones
//! that only the second file calls revoked are revoked, all before anybody can say anything.

use std::sync::Arc;

use countersign_core::{Core, Start, approver::Standing, command::Report, input::Input, settings::Settings};
use countersign_proto::{id::DeviceId, limits};
use tokio::{sync::mpsc, task::JoinHandle};

use super::DaemonError;
use crate::{
    clock,
    errand::Errand,
    eventloop::{EventLoop, Handle},
    status::About,
    store::{Loaded, Store},
    whereabouts,
};

/// A loop that runs and whose start is recorded.
pub(super) struct Begun {
    pub(super) handle: Handle,
    pub(super) looping: JoinHandle<()>,
    pub(super) errands: mpsc::UnboundedReceiver<Errand>,
    pub(super) phones: usize,
}

pub(super) async fn begin(store: &Arc<Store>, about: &About) -> Result<Begun, DaemonError> {
    let loaded = store.load().await.map_err(|source| DaemonError::unusable(store, source))?;
    let (head, revoked) = (loaded.head, loaded.revoked_elsewhere.clone());
    let core = Core::start(start(store, about, loaded), clock::now());
    let (errand, errands) = mpsc::unbounded_channel();
    let (eventloop, handle) = EventLoop::new(core, Arc::clone(store), errand)?;
    let looping = tokio::spawn(eventloop.run());
    let now = handle.look(|view| view.core.head()).await.map_err(|_| DaemonError::Broke)?;
    if now.seq == head.seq {
        return Err(DaemonError::Unwritable(about.state.clone()));
    }
    for device in revoked {
        revoke(&handle, device).await?;
    }
    let phones = handle.look(|view| {
        let active = view.core.approvers().into_iter().filter(|a| a.standing != Standing::Revoked);
        active.count()
    });
    let phones = phones.await.map_err(|_| DaemonError::Broke)?;
    Ok(Begun { handle, looping, errands, phones })
}

fn start(store: &Store, about: &About, loaded: Loaded) -> Start {
    let Loaded { head, checkpoint, approvers, locked, unfinished, before, revoked_elsewhere: _ } = loaded;
    let decision_timeout_ms = u64::try_from(limits::SERVER_DECISION_TIMEOUT.as_millis()).unwrap_or(u64::MAX);
    Start {
        run_id: about.run_id,
        desktop: store.desktop().clone(),
        settings: Settings {
            demo: about.demo,
            decision_timeout_ms,
            place: whereabouts::place(),
            home: whereabouts::home(),
        },
        head,
        checkpoint,
        approvers,
        locked,
        unfinished,
        before,
    }
}

async fn revoke(handle: &Handle, device: DeviceId) -> Result<(), DaemonError> {
    tracing::warn!(%device, "the database was put back from before this phone was revoked; it stays revoked");
    let outcome = handle.act(Input::Revoke(device)).await.map_err(|_| DaemonError::Broke)?;
    if outcome.report == Some(Report::NotStored) {
        tracing::error!(%device, "its revocation could not be stored again; it holds until this daemon ends");
    }
    Ok(())
}
