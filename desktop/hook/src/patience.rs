//! How long the hook waits, on a clock that counts sleep: after a suspended night the question is over, however
//! little of it the processor saw.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, Result};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};

/// One deadline, and optionally somebody without whom waiting has no purpose.
pub struct Patience<'a> {
    timer: OwnedFd,
    listener: Option<BorrowedFd<'a>>,
}

impl<'a> Patience<'a> {
    /// Lasts for `time` from now; `None` where there is none.
    pub fn for_the_next(time: Duration) -> Option<Self> {
        if time.is_zero() {
            return None;
        }
        let value = Timespec { tv_sec: time.as_secs().try_into().ok()?, tv_nsec: time.subsec_nanos().into() };
        let spec = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value: value };
        let timer = timerfd_create(TimerfdClockId::Boottime, TimerfdFlags::CLOEXEC).ok()?;
        timerfd_settime(&timer, TimerfdTimerFlags::empty(), &spec).ok()?;
        Some(Self { timer, listener: None })
    }

    /// Ends as well once nobody reads from `output` any more: an agent that is gone takes no answer.
    pub fn while_read(self, output: BorrowedFd<'a>) -> Self {
        Self { listener: Some(output), ..self }
    }

    /// Waits until `fd` is ready; `None` once patience is over, ready or not.
    pub fn wait(&self, fd: impl AsFd, ready: PollFlags) -> Option<()> {
        let fd = fd.as_fd();
        loop {
            // Without a listener the timer stands in its place: the same answer twice.
            let listener = self.listener.unwrap_or(self.timer.as_fd());
            let mut fds = [
                PollFd::from_borrowed_fd(self.timer.as_fd(), PollFlags::IN),
                PollFd::from_borrowed_fd(listener, PollFlags::empty()),
                PollFd::from_borrowed_fd(fd, ready),
            ];
            match poll(&mut fds, None) {
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(_) => return None,
            }
            let [timer, listener, fd] = fds.map(|fd| !fd.revents().is_empty());
            if timer || listener {
                return None;
            }
            if fd {
                return Some(());
            }
        }
    }

    /// Repeats an operation on `fd` until it does something else than block; `None` when it fails or patience is over.
    pub fn retry<T>(
        &self,
        fd: impl AsFd,
        ready: PollFlags,
        mut operation: impl FnMut() -> Result<T>,
    ) -> Option<T> {
        loop {
            self.wait(&fd, ready)?;
            match operation() {
                Ok(done) => return Some(done),
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(_) => return None,
            }
        }
    }
}
