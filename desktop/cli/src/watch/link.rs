//! The way to the daemon: connects, watches, asks, and connects again whenever the daemon comes back.

use std::{collections::BTreeMap, time::Duration};

use countersign_ipc::{
    Instance,
    control::{ControlReply, ControlRequest},
};
use tokio::sync::mpsc;

use super::screen::Happening;
use crate::{connection::Connection, trouble::Trouble};

/// Between two tries to connect.
const PAUSE: Duration = Duration::from_millis(500);

/// The link of one screen.
#[derive(Debug)]
pub struct Link {
    instance: Instance,
    happens: mpsc::Sender<Happening>,
}

impl Link {
    pub fn new(instance: Instance, happens: mpsc::Sender<Happening>) -> Self {
        Self { instance, happens }
    }

    /// Runs until the screen is gone, or the daemon wants nothing to do with us.
    pub async fn run(self, mut asked: mpsc::UnboundedReceiver<ControlRequest>) {
        loop {
            let happening = match self.watch(&mut asked).await {
                Trouble::Refused(failure) => Happening::Over(Trouble::Refused(failure)),
                trouble => Happening::Away(trouble.words()),
            };
            let is_over = matches!(happening, Happening::Over(_));
            if self.happens.send(happening).await.is_err() || is_over {
                return;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Passes on what happens and what is asked, until the connection ends.
    async fn watch(&self, asked: &mut mpsc::UnboundedReceiver<ControlRequest>) -> Trouble {
        self.try_to_watch(asked).await.err().unwrap_or(Trouble::Lost)
    }

    async fn try_to_watch(&self, asked: &mut mpsc::UnboundedReceiver<ControlRequest>) -> Result<(), Trouble> {
        let mut connection = Connection::open(&self.instance)?;
        let watching = connection.send(&ControlRequest::Watch {}).await?;
        // Asked of a daemon that is gone, about cards that it had.
        while asked.try_recv().is_ok() {}
        let mut open = BTreeMap::new();
        loop {
            let happening = tokio::select! {
                reply = connection.receive() => match reply? {
                    (id, ControlReply::Watch { event }) if id == watching => Happening::Daemon(event),
                    (id, ControlReply::Failed(failure)) if id == watching => return Err(Trouble::Refused(failure)),
                    (id, reply) => match open.remove(&id) {
                        Some(to) => Happening::Replied { to, reply: Box::new(reply) },
                        None => continue,
                    },
                },
                request = asked.recv() => {
                    let Some(request) = request else { return Ok(()) };
                    let id = connection.send(&request).await?;
                    open.insert(id, request);
                    continue;
                }
            };
            if self.happens.send(happening).await.is_err() {
                return Ok(());
            }
        }
    }
}
