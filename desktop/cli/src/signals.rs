//! Signals that ask a program to end.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::trouble::Trouble;

/// A token that is cancelled when a person or the system wants the end: Ctrl-C, SIGTERM, or the terminal is gone.
pub fn ending() -> Result<CancellationToken, Trouble> {
    let mut signals = open().map_err(Trouble::System)?;
    let ended = CancellationToken::new();
    let cancels = ended.clone();
    tokio::spawn(async move {
        let [interrupt, terminate, hangup] = &mut signals;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
        cancels.cancel();
    });
    Ok(ended)
}

fn open() -> io::Result<[Signal; 3]> {
    Ok([signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?, signal(SignalKind::hangup())?])
}
