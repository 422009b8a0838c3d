//! What makes the relay stop: a signal, or the end of the program that started it.

use std::io::{self, Read};

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tracing::info;

/// Cancels `stop` at the first SIGTERM or SIGINT.
pub fn on_signals(stop: CancellationToken) -> io::Result<()> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => info!("stopping: asked to terminate"),
            _ = interrupt.recv() => info!("stopping: interrupted"),
        }
        stop.cancel();
    });
    Ok(())
}

/// Cancels `stop` when standard input ends. A thread of its own, which may stay blocked when the program ends.
pub fn with_parent(stop: CancellationToken) -> io::Result<()> {
    let watch = move || {
        let mut ignored = [0; 256];
        let mut input = io::stdin().lock();
        while input.read(&mut ignored).is_ok_and(|read| read > 0) {}
        stop.cancel();
        info!("stopping: the program that started this relay has ended");
    };
    std::thread::Builder::new().name("parent-watch".into()).spawn(watch).map(|_| ())
}
