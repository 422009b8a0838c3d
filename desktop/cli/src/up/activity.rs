//! What happens while the daemon runs, a line each.

use countersign_ipc::{
    Instance,
    control::{Card, ControlReply, ControlRequest, Status, WatchEvent},
};
use tokio_util::sync::CancellationToken;

use crate::{connection::Connection, moment, output, pick::short, trouble::Trouble};

/// How it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Show {
    /// A line each.
    Lines,
    /// A JSON object each.
    Json,
    /// Not at all.
    Nothing,
}

/// Everything that happens, as the daemon tells it.
#[derive(Debug)]
pub(super) struct Activity {
    connection: Connection,
    watching: u64,
    show: Show,
}

/// Shows what happens until the end.
pub(super) async fn follow(
    instance: &Instance,
    is_json: bool,
    ended: &CancellationToken,
) -> Result<(), Trouble> {
    let show = if is_json { Show::Json } else { Show::Lines };
    let mut activity = match Activity::open(instance, show).await {
        Ok((activity, _)) => activity,
        // It runs all the same; only this terminal may not look, as it belongs to an agent.
        Err(Trouble::Refused(failure)) => {
            output::print(&format!("Nothing is shown here: {}.\n", failure.text))?;
            ended.cancelled().await;
            return Ok(());
        }
        Err(trouble) => return Err(trouble),
    };
    loop {
        tokio::select! {
            status = activity.next() => drop(status?),
            () = ended.cancelled() => return Ok(()),
        }
    }
}

impl Activity {
    /// Begins to look at an instance's daemon, and says how that is now.
    pub(super) async fn open(instance: &Instance, show: Show) -> Result<(Self, Box<Status>), Trouble> {
        let mut connection = Connection::open(instance)?;
        let watching = connection.send(&ControlRequest::Watch {}).await?;
        let mut this = Self { connection, watching, show };
        let status = this.next().await?;
        Ok((this, status))
    }

    /// Shows what happens until it is about the daemon itself, and says how that is then. Nothing is lost where the
    /// future is dropped.
    pub(super) async fn next(&mut self) -> Result<Box<Status>, Trouble> {
        loop {
            let event = match self.connection.receive().await? {
                (id, ControlReply::Watch { event }) if id == self.watching => event,
                (id, ControlReply::Failed(failure)) if id == self.watching => {
                    return Err(Trouble::Refused(failure));
                }
                (_, _) => continue,
            };
            self.tell(&event)?;
            match event {
                WatchEvent::Snapshot { status, .. } | WatchEvent::Status { status } => return Ok(status),
                WatchEvent::Opened { .. } | WatchEvent::Closed { .. } | WatchEvent::Notice { .. } => {}
            }
        }
    }

    fn tell(&self, event: &WatchEvent) -> Result<(), Trouble> {
        match (self.show, line(event)) {
            (Show::Json, _) => output::print_json(event),
            (Show::Lines, Some(line)) => output::print(&format!("{}  {line}\n", moment::now())),
            (Show::Lines, None) | (Show::Nothing, _) => Ok(()),
        }
    }
}

fn line(event: &WatchEvent) -> Option<String> {
    match event {
        WatchEvent::Opened { card } => Some(opened(card)),
        WatchEvent::Closed { ending } => {
            let unheard = if ending.delivered { "" } else { " (its hook was gone already)" };
            Some(format!("{}  {}{unheard}", short(&ending.request_id), ending.text))
        }
        WatchEvent::Notice { text } => Some(text.clone()),
        WatchEvent::Snapshot { .. } | WatchEvent::Status { .. } => None,
    }
}

fn opened(card: &Card) -> String {
    format!("{}  {} asks: {} ({})", short(&card.request_id), card.agent.id, card.headline, card.folder)
}

#[cfg(test)]
mod tests {
    use countersign_ipc::control::Outcome;

    use super::*;
    use crate::samples;

    #[test]
    fn a_question_and_its_end_are_a_line_each_that_name_the_same_request() {
        let opened = line(&WatchEvent::Opened { card: Box::new(samples::card("ab", "make all")) }).unwrap();
        assert_eq!(opened, "abababab  claude asks: Wants to run a command (/home/ann/project)");
        let ending = samples::ending("ab", Outcome::Allowed, "Allowed by demo phone");
        assert_eq!(line(&WatchEvent::Closed { ending }).unwrap(), "abababab  Allowed by demo phone");
    }

    #[test]
    fn a_change_of_status_is_no_line() {
        assert_eq!(line(&WatchEvent::Status { status: Box::new(samples::status()) }), None);
    }
}
