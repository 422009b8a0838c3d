//! One pairing after another, until a phone is paired or the person gives up.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use countersign_daemon::clock;
use countersign_ipc::{
    Instance,
    control::{ControlReply, ControlRequest, PairEvent, Phone},
    folder,
};
use tokio_util::sync::CancellationToken;

use super::{face::Face, qr};
use crate::{connection::Connection, keyboard::Keyboard, output::Terminal, trouble::Trouble};

/// Between two looks at the time left.
const SECOND: Duration = Duration::from_secs(1);

/// How to pair.
#[derive(Debug, Default)]
pub struct Wishes {
    /// The relay's host and port.
    pub relay: Option<String>,
    /// Its invite token.
    pub invite: Option<String>,
    /// Where to write the code as a picture.
    pub png: Option<PathBuf>,
    /// Whether all is said as JSON.
    pub is_json: bool,
}

/// How one try ended.
enum Ended {
    Paired(Box<Phone>),
    Expired,
}

/// Where a try stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Starting,
    Shown { until_boot_ms: u64 },
    Met,
    Typing,
}

/// Pairs a phone; a ticket that nobody scanned in time may be followed by another.
pub async fn ceremony(
    instance: &Instance,
    wishes: &Wishes,
    keyboard: &mut Keyboard,
    ended: &CancellationToken,
) -> Result<Phone, Trouble> {
    if let Some(path) = wishes.png.as_ref().filter(|path| path.exists()) {
        return Err(in_the_way(path));
    }
    loop {
        // The window may have been made larger in between.
        let mut face = Face::new(wishes.is_json, Terminal::of_stdout());
        match Try::start(instance, wishes, keyboard, &mut face).await?.run(ended).await? {
            Ended::Paired(phone) => return Ok(*phone),
            Ended::Expired => {}
        }
        if !wants_another(&face, keyboard, ended).await? {
            return Err(Trouble::Expired);
        }
    }
}

async fn wants_another(
    face: &Face,
    keyboard: &mut Keyboard,
    ended: &CancellationToken,
) -> Result<bool, Trouble> {
    if !face.can_ask() {
        return Ok(false);
    }
    face.say("\nThe code is over. r and Enter for a new one, Enter alone to end: ")?;
    tokio::select! {
        line = keyboard.line() => Ok(line.is_some_and(|line| line.trim().eq_ignore_ascii_case("r"))),
        () = ended.cancelled() => Ok(false),
    }
}

/// One ticket's life.
struct Try<'a> {
    connection: Connection,
    pairing: u64,
    wishes: &'a Wishes,
    keyboard: &'a mut Keyboard,
    face: &'a mut Face,
    step: Step,
    /// Removed with the ticket.
    picture: Option<Picture>,
}

impl<'a> Try<'a> {
    async fn start(
        instance: &Instance,
        wishes: &'a Wishes,
        keyboard: &'a mut Keyboard,
        face: &'a mut Face,
    ) -> Result<Self, Trouble> {
        let mut connection = Connection::open(instance)?;
        let start = ControlRequest::PairStart { relay: wishes.relay.clone(), invite: wishes.invite.clone() };
        let pairing = connection.send(&start).await?;
        Ok(Self { connection, pairing, wishes, keyboard, face, step: Step::Starting, picture: None })
    }

    async fn run(mut self, ended: &CancellationToken) -> Result<Ended, Trouble> {
        let mut second = tokio::time::interval(SECOND);
        loop {
            tokio::select! {
                reply = self.connection.receive() => {
                    if let Some(end) = self.take(reply?)? {
                        return Ok(end);
                    }
                }
                line = self.keyboard.line(), if self.step == Step::Typing => self.typed(line).await?,
                _ = second.tick() => self.count_down()?,
                () = ended.cancelled() => return self.give_up().await,
            }
        }
    }

    fn take(&mut self, (id, reply): (u64, ControlReply)) -> Result<Option<Ended>, Trouble> {
        match reply {
            ControlReply::Pair { event } if id == self.pairing => self.step(event),
            ControlReply::Failed(failure) if id == self.pairing => Err(Trouble::Refused(failure)),
            // Digits that were not even looked at.
            ControlReply::Failed(failure) => self.face.say(&format!("{}\n", failure.text)).map(|()| None),
            _ => Ok(None),
        }
    }

    fn step(&mut self, event: PairEvent) -> Result<Option<Ended>, Trouble> {
        if let PairEvent::Ticket { text, .. } = &event {
            self.picture = self.wishes.png.as_deref().map(|path| Picture::write(path, text)).transpose()?;
        }
        self.face.show(&event)?;
        let is_unscanned = self.is_over();
        self.step = match event {
            PairEvent::Ticket { expires_in_ms, .. } => {
                Step::Shown { until_boot_ms: clock::boot_ms().saturating_add(expires_in_ms) }
            }
            PairEvent::Scanned {} | PairEvent::PhoneInfo(_) | PairEvent::WrongCode { .. } => Step::Met,
            PairEvent::CodeNeeded { .. } => Step::Typing,
            PairEvent::Done { phone, .. } => return Ok(Some(Ended::Paired(Box::new(phone)))),
            PairEvent::Failed { .. } if is_unscanned => return Ok(Some(Ended::Expired)),
            PairEvent::Failed { why, hint } => return Err(Trouble::NotPaired { why, hint }),
        };
        if self.step == Step::Met {
            self.picture = None;
        }
        self.count_down()?;
        Ok(None)
    }

    /// Whether nobody scanned the ticket in its time.
    fn is_over(&self) -> bool {
        matches!(self.step, Step::Shown { until_boot_ms } if until_boot_ms <= clock::boot_ms().saturating_add(1_000))
    }

    fn count_down(&mut self) -> Result<(), Trouble> {
        match self.step {
            Step::Shown { until_boot_ms } => {
                self.face.count_down(until_boot_ms.saturating_sub(clock::boot_ms()))
            }
            Step::Starting | Step::Met | Step::Typing => Ok(()),
        }
    }

    /// What can't be the digits is not sent: it would cost one of the tries.
    async fn typed(&mut self, line: Option<String>) -> Result<(), Trouble> {
        let Some(line) = line else {
            return Err(Trouble::said(
                "The digits can't be typed: standard input is closed. No phone was paired.",
                "Run it in a terminal, or give the digits on standard input.",
            ));
        };
        match digits(&line) {
            Some(code) => self.connection.send(&ControlRequest::PairCode { code }).await.map(|_| ()),
            None => self.face.say("Type the six digits, and nothing else: "),
        }
    }

    async fn give_up(&mut self) -> Result<Ended, Trouble> {
        // The daemon gives it up with the connection, too.
        let _ = self.connection.send(&ControlRequest::PairCancel {}).await;
        Err(Trouble::said("\nEnded before a phone was paired. Nothing was changed.", ""))
    }
}

fn digits(line: &str) -> Option<String> {
    let code: String = line.chars().filter(|c| !matches!(c, ' ' | '-')).collect();
    (code.len() == 6 && code.bytes().all(|b| b.is_ascii_digit())).then_some(code)
}

/// The ticket as a picture on disk; it goes when this does.
#[derive(Debug)]
struct Picture(PathBuf);

impl Picture {
    fn write(path: &Path, text: &str) -> Result<Self, Trouble> {
        let Some(png) = qr::picture(text) else {
            return Err(Trouble::said("The code is too long for a picture.", ""));
        };
        let opened = OpenOptions::new().write(true).create_new(true).mode(folder::FILE_MODE).open(path);
        let mut file = opened.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => in_the_way(path),
            _ => Trouble::file(path, error),
        })?;
        let this = Self(path.to_owned());
        file.write_all(&png).map_err(|error| Trouble::file(path, error))?;
        Ok(this)
    }
}

impl Drop for Picture {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn in_the_way(path: &Path) -> Trouble {
    let text = format!("`{}` is there already; it was left as it is, and no pairing began.", path.display());
    Trouble::said(text, "Give another name, or move it away.")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn six_digits_are_taken_however_they_are_grouped_and_nothing_else_is() {
        for line in ["123456", " 123 456 ", "123-456"] {
            assert_eq!(digits(line).as_deref(), Some("123456"));
        }
        for line in ["", "12345", "1234567", "12345a", "１２３４５６", "12.456"] {
            assert_eq!(digits(line), None, "{line:?}");
        }
    }

    #[test]
    fn a_picture_is_for_its_owner_only_overwrites_nothing_and_goes_with_the_ticket() {
        let tmp = tempfile::tempdir().unwrap();
        let path = tmp.path().join("code.png");
        let picture = Picture::write(&path, "CSGN1:ABC").unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert!(Picture::write(&path, "CSGN1:ABC").is_err());
        drop(picture);
        assert!(!path.exists());
    }
}
