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
