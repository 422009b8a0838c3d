//! What happens while the daemon runs, a line each.

use countersign_daemon::card::mask;
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

impl Show {
    /// The way that fits.
    pub(super) const fn of(is_json: bool) -> Self {
        if is_json { Self::Json } else { Self::Lines }
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

    /// Shows all that happens from now on, until the end.
    pub(super) async fn follow(mut self, show: Show, ended: &CancellationToken) -> Result<(), Trouble> {
        self.show = show;
        loop {
            tokio::select! {
                status = self.next() => drop(status?),
                () = ended.cancelled() => return Ok(()),
            }
        }
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
        match self.show {
            Show::Json => output::print_json(&masked(event.clone())),
            Show::Lines => lines(&masked(event.clone()))
                .iter()
                .try_for_each(|line| output::print(&format!("{}  {line}\n", moment::now()))),
            Show::Nothing => Ok(()),
        }
    }
}

/// An event as it may be printed: this is no card that anybody unfolds (CARD-2).
fn masked(event: WatchEvent) -> WatchEvent {
    match event {
        WatchEvent::Snapshot { status, cards } => {
            WatchEvent::Snapshot { status, cards: cards.into_iter().map(mask).collect() }
        }
        WatchEvent::Opened { card } => WatchEvent::Opened { card: Box::new(mask(*card)) },
        WatchEvent::Closed { .. } | WatchEvent::Status { .. } | WatchEvent::Notice { .. } => event,
    }
}

fn lines(event: &WatchEvent) -> Vec<String> {
    match event {
        WatchEvent::Snapshot { cards, .. } => cards.iter().map(opened).collect(),
        WatchEvent::Opened { card } => vec![opened(card)],
        WatchEvent::Closed { ending } => {
            let unheard = if ending.delivered { "" } else { " (its hook was gone already)" };
            vec![format!("{}  {}{unheard}", short(&ending.request_id), ending.text)]
        }
        WatchEvent::Notice { text } => vec![text.clone()],
        WatchEvent::Status { .. } => Vec::new(),
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
        let asked = "abababab  claude asks: Wants to run a command (/home/ann/project)";
        let card = samples::card("ab", "make all");
        assert_eq!(lines(&WatchEvent::Opened { card: Box::new(card.clone()) }), [asked]);
        let status = Box::new(samples::status());
        assert_eq!(lines(&WatchEvent::Snapshot { status, cards: vec![card] }), [asked], "it waited already");
        let ending = samples::ending("ab", Outcome::Allowed, "Allowed by demo phone");
        assert_eq!(lines(&WatchEvent::Closed { ending }), ["abababab  Allowed by demo phone"]);
    }

    #[test]
    fn what_is_printed_of_a_question_has_no_secret() {
        let card = samples::card("ab", "PGPASSWORD=hunter2 psql");
        let snapshot =
            WatchEvent::Snapshot { status: Box::new(samples::status()), cards: vec![card.clone()] };
        for event in [WatchEvent::Opened { card: Box::new(card) }, snapshot] {
            let said = serde_json::to_string(&masked(event)).unwrap();
            assert!(said.contains("⟨password, 7 characters⟩") && !said.contains("hunter2"), "{said}");
        }
    }

    #[test]
    fn a_change_of_status_is_no_line() {
        assert!(lines(&WatchEvent::Status { status: Box::new(samples::status()) }).is_empty());
    }
}
