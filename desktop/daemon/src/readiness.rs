//! Waiting for a descriptor of the kernel's own kind (a timer, a process) to have something to say.

use std::{io, os::fd::OwnedFd};

use tokio::io::{Interest, unix::AsyncFd};

/// A descriptor whose reading side can be waited for.
///
/// # Errors
/// The system's.
#[expect(
    deprecated,
    reason = "its successor is unsafe only for types that may close what they show; an owned descriptor does not"
)]
pub fn readable(descriptor: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(descriptor, Interest::READABLE)
}
