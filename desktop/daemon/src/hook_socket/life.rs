//! Whether an agent's process still lives: told by the kernel, so that its cards go within a second (WAIT-1).

use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::{
    peer::{Proc, ProcessId, Processes as _},
    readiness::readable,
};

/// Returns once the process has ended; never where there is none, or the kernel can't tell.
pub(super) async fn ended(process: Option<ProcessId>) {
    let Some(process) = process else { return std::future::pending().await };
    let opened = i32::try_from(process.pid)
        .ok()
        .and_then(Pid::from_raw)
        .map(|pid| pidfd_open(pid, PidfdFlags::NONBLOCK));
    // Another process may have got its number before we held on to it.
    let is_it = Proc.process(process.pid).is_some_and(|found| found.id == process);
    match opened {
        _ if !is_it => {}
        Some(Ok(fd)) => match readable(fd) {
            Ok(fd) => drop(fd.readable().await),
            Err(_) => std::future::pending().await,
        },
        _ => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[tokio::test]
    async fn an_end_is_seen_when_it_comes_and_when_it_has_been() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let id = Proc.process(child.id()).unwrap().id;
        let waiting = tokio::spawn(ended(Some(id)));
        drop(child.stdin.take());
        waiting.await.unwrap();
        child.wait().unwrap();
        ended(Some(id)).await;
    }

    #[tokio::test]
    async fn a_process_that_lives_is_waited_for() {
        let own = Proc.process(std::process::id()).unwrap().id;
        tokio::select! {
            biased;
            () = ended(Some(own)) => panic!("this process lives"),
            () = tokio::task::yield_now() => {}
        }
    }
}
