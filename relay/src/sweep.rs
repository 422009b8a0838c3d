//! Forgetting: now and then, envelopes and channels whose time is over are removed.

use tracing::{debug, warn};

use crate::{clock, registry::RegistryError, router::App};

/// Sweeps until the relay goes down.
pub async fn keep_swept(app: App) {
    let mut touched_on = None;
    loop {
        tokio::select! {
            () = tokio::time::sleep(app.limits.sweep) => {}
            () = app.stop.cancelled() => return,
        }
        app.hub.sweep(clock::boot_ms());
        if let Err(error) = sweep_registry(&app, &mut touched_on, clock::wall_s()).await {
            warn!(%error, "channels that are over could not be removed");
        }
    }
}

/// Channels in use are noted first, once a day, so that neither a socket that stays open for months nor a jump of the
/// clock makes them idle.
async fn sweep_registry(app: &App, touched_on: &mut Option<u64>, now: u64) -> Result<(), RegistryError> {
    let today = now / (24 * 60 * 60);
    if *touched_on != Some(today) {
        for channel in app.hub.attached() {
            app.registry.touch(channel, now).await?;
        }
        *touched_on = Some(today);
    }
    let removed = app.registry.remove_over(now).await?;
    for channel in &removed {
        app.hub.end(*channel);
    }
    if !removed.is_empty() {
        debug!(count = removed.len(), "channels that are over were removed");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use countersign_proto::{
        claim::End,
        frame::{CloseCode, FromRelay},
        id::ChannelId,
        key::SigningKey,
    };
    use tokio_util::{sync::CancellationToken, task::TaskTracker};

    use super::*;
    use crate::{
        config::Limits,
        hub::{Attachment, Hub, Step},
        registry::{Channel, Keys, MemoryRegistry, Registry},
    };

    const DAY: u64 = 24 * 60 * 60;
    const NOW: u64 = 20_000 * DAY;
    const ID: ChannelId = ChannelId::new([1; 16]);

    /// A relay with one channel and a desktop attached to it.
    async fn attached(ends_at: Option<u64>) -> (App, Attachment) {
        let key = |seed| SigningKey::from_seed(&[seed; 32]).public();
        let registry = MemoryRegistry::default();
        let channel = Channel { id: ID, keys: Keys { desktop: key(1), phone: key(2) }, ends_at };
        registry.make(channel, NOW).await.unwrap();
        let limits = Limits::default();
        let hub = Hub::new(limits.bounds);
        let desktop = hub.attach(ID, End::Desktop, 0);
        assert_eq!(desktop.next(0), Some(Step::Say(FromRelay::PeerPresence { online: false })));
        let (stop, sockets) = (CancellationToken::new(), TaskTracker::new());
        (App { registry: Arc::new(registry), hub, limits, origins: Arc::new([]), stop, sockets }, desktop)
    }

    #[tokio::test]
    async fn a_channel_whose_time_is_over_ends_for_those_who_are_there() {
        let (app, desktop) = attached(Some(NOW + 180)).await;
        sweep_registry(&app, &mut None, NOW + 179).await.unwrap();
        assert_eq!(desktop.next(0), None);
        sweep_registry(&app, &mut None, NOW + 180).await.unwrap();
        assert_eq!(desktop.next(0), Some(Step::Leave(CloseCode::Ended)));
    }

    #[tokio::test]
    async fn neither_months_at_a_socket_nor_a_jump_of_the_clock_make_its_channel_idle() {
        let (app, desktop) = attached(None).await;
        let mut touched_on = None;
        for days in (0..200).chain([1_000]) {
            sweep_registry(&app, &mut touched_on, NOW + days * DAY).await.unwrap();
        }
        assert_eq!(desktop.next(0), None);
        drop(desktop);
        sweep_registry(&app, &mut touched_on, NOW + 1_100 * DAY).await.unwrap();
        assert_eq!(app.registry.keys(ID, NOW + 1_100 * DAY).await.unwrap(), None);
    }
}
