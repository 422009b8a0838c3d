//! Waiting until a boot time. Tokio's own timers run on `CLOCK_MONOTONIC`, which stands still in suspend, so a laptop's
//! closed lid would stretch a deadline; a timer of the kernel on `CLOCK_BOOTTIME` rings at the moment of resume.

use std::{io, os::fd::OwnedFd};

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use tokio::io::unix::AsyncFd;

use crate::readiness::readable;

/// One timer, set anew for each wait.
#[derive(Debug)]
pub struct BootTimer(AsyncFd<OwnedFd>);

impl BootTimer {
    /// Makes a timer.
    ///
    /// # Errors
    /// The system's.
    pub fn new() -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        Ok(Self(readable(timerfd_create(TimerfdClockId::Boottime, flags)?)?))
    }

    /// Returns once it is this boot time or later; never where there is none. May be dropped while it waits.
    ///
    /// # Errors
    /// The system's.
    pub async fn until(&mut self, boot_ms: Option<u64>) -> io::Result<()> {
        let Some(boot_ms) = boot_ms else { return std::future::pending().await };
        // A timer set to zero would never ring.
        let at = boot_ms.max(1);
        let value = Timespec {
            tv_sec: i64::try_from(at / 1_000).unwrap_or(i64::MAX),
            tv_nsec: i64::try_from(at % 1_000 * 1_000_000).unwrap_or(0),
        };
        let spec = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value: value };
        timerfd_settime(self.0.get_ref(), TimerfdTimerFlags::ABSTIME, &spec)?;
        loop {
            let mut ready = self.0.readable().await?;
            let mut rang = [0; 8];
            // It may only look ready, from an earlier setting that was read already.
            if let Ok(done) = ready.try_io(|timer| Ok(rustix::io::read(timer.get_ref(), &mut rang)?)) {
                return done.map(drop);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::boot_ms;

    #[tokio::test]
    async fn it_rings_at_its_time_and_at_once_for_a_time_that_is_past() {
        let mut timer = BootTimer::new().unwrap();
        let at = boot_ms() + 30;
        timer.until(Some(at)).await.unwrap();
        assert!(boot_ms() >= at);
        timer.until(Some(1)).await.unwrap();
        timer.until(Some(0)).await.unwrap();
    }

    #[tokio::test]
    async fn a_wait_that_was_given_up_does_not_make_the_next_one_ring_early() {
        let mut timer = BootTimer::new().unwrap();
        tokio::select! {
            biased;
            _ = timer.until(Some(boot_ms() + 10)) => panic!("it has not been polled twice"),
            () = std::future::ready(()) => {}
        }
        let at = boot_ms() + 40;
        timer.until(Some(at)).await.unwrap();
        assert!(boot_ms() >= at);
    }

    #[tokio::test]
    async fn without_a_time_it_never_rings() {
        let mut timer = BootTimer::new().unwrap();
        tokio::select! {
            biased;
            _ = timer.until(None) => panic!("there was no time"),
            () = tokio::task::yield_now() => {}
        }
    }
}
