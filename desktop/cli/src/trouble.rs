//! What went wrong, as it is told to the person: what happened, what is safe now, what to do next. Every trouble has an
//! exit code; none of them has allowed anything.

use std::{io, path::PathBuf};

use countersign_agents::setup::SetupError;
use countersign_daemon::{daemon::DaemonError, place::PlaceError};
use countersign_ipc::{
    Instance,
    client::NoDaemon,
    control::{BadLine, Failure},
    folder::NotPrivate,
    place::NoHome,
};
use serde::Serialize;

/// It failed, or a check found something wrong.
pub const FAILED: u8 = 1;
/// The command line is wrong.
pub const USAGE: u8 = 2;
/// There is no daemon.
pub const NOT_RUNNING: u8 = 3;
/// The daemon refused.
pub const REFUSED: u8 = 4;

/// A daemon runs already.
pub const RUNS_ALREADY: u8 = 5;

/// Why a command did not do what it should.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// Nobody listens.
    #[error("Countersign is not running. Agents ask in their own terminal.")]
    NotRunning(Instance),
    /// Somebody listens, but can't be talked to.
    #[error(transparent)]
    NoDaemon(NoDaemon),
    /// The daemon ended in between.
    #[error("Countersign ended before it answered. Waiting agents ask in their own terminal.")]
    Lost,
    /// The daemon speaks otherwise.
    #[error(transparent)]
    Line(#[from] BadLine),
    /// The daemon answered something else than was asked.
    #[error("Countersign gave an answer that does not fit the question.")]
    Unexpected,
    /// The daemon said no.
    #[error("Not done: {}.", .0.text)]
    Refused(Failure),
    /// The daemon did not start, or broke.
    #[error(transparent)]
    Daemon(#[from] DaemonError),
    /// No phone was paired.
    #[error("Not paired: {why}.")]
    NotPaired {
        /// Why.
        why: String,
        /// What to do.
        hint: String,
    },
    /// A ticket's time passed.
    #[error("The code is over, and no phone scanned it. Nothing was changed.")]
    Expired,
    /// No home folder.
    #[error(transparent)]
    NoHome(#[from] NoHome),
    /// A folder that can't be trusted.
    #[error(transparent)]
    NotPrivate(#[from] NotPrivate),
    /// The output is gone or full.
    #[error("the output can't be written: {0}")]
    Output(io::Error),
    /// A file.
    #[error("`{}`: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An agent's settings file.
    #[error("`{}`: {source}", path.display())]
    Settings {
        /// Which.
        path: PathBuf,
        /// Why it was left alone.
        source: SetupError,
    },
    /// The system.
    #[error("the system refused: {0}")]
    System(io::Error),
    /// In words.
    #[error("{text}")]
    Said {
        /// What happened.
        text: String,
        /// What to do.
        hint: String,
    },
}

/// A trouble for people and programs.
#[derive(Debug, Serialize)]
pub struct Words {
    /// For programs.
    pub code: String,
    /// What happened, and what is safe now.
    pub text: String,
    /// What to do; may be empty.
    pub hint: String,
}

impl Trouble {
    /// One in words.
    pub fn said(text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Said { text: text.into(), hint: hint.into() }
    }

    /// One about a file.
    pub fn file(path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self::File { path: path.into(), source }
    }

    /// The exit code.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::NotRunning(_) => NOT_RUNNING,
            Self::Refused(_) => REFUSED,
            Self::Daemon(DaemonError::Place(PlaceError::Taken { .. })) => RUNS_ALREADY,
            Self::Daemon(_) => FAILED,
            Self::NoDaemon(_)
            | Self::Lost
            | Self::Line(_)
            | Self::Unexpected
            | Self::Expired
            | Self::NotPaired { .. }
            | Self::NoHome(_)
            | Self::NotPrivate(_)
            | Self::Output(_)
            | Self::File { .. }
            | Self::Settings { .. }
            | Self::System(_)
            | Self::Said { .. } => FAILED,
        }
    }

    /// Whether the reader of our output is gone, which needs no words.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// It in words.
    pub fn words(&self) -> Words {
        Words { code: self.code(), text: self.to_string(), hint: self.hint() }
    }

    fn code(&self) -> String {
        match self {
            Self::NotRunning(_) => "not_running",
            Self::NoDaemon(_) => "no_daemon",
            Self::Lost => "lost",
            Self::Line(_) | Self::Unexpected => "version",
            Self::Refused(failure) => return name(&failure.code),
            Self::Daemon(_) if self.exit_code() == RUNS_ALREADY => "runs_already",
            Self::Daemon(_) => "daemon",
            Self::NotPaired { .. } => "not_paired",
            Self::Expired => "expired",
            Self::NoHome(_) => "no_home",
            Self::NotPrivate(_) => "not_private",
            Self::Output(_) | Self::File { .. } => "file",
            Self::Settings { .. } => "settings",
            Self::System(_) => "system",
            Self::Said { .. } => "failed",
        }
        .to_owned()
    }

    fn hint(&self) -> String {
        match self {
            Self::NotRunning(instance) => format!("Start it with `{}`.", command(instance, "up")),
            Self::Lost => {
                "Look at the terminal it ran in, then start it again with `countersign up`.".to_owned()
            }
            Self::Line(_) | Self::Unexpected => {
                "Program and running daemon seem to be of different versions: end it and start it again."
                    .to_owned()
            }
            Self::Expired => "Run it again for a new one.".to_owned(),
            Self::Refused(failure) => failure.hint.clone(),
            Self::NotPaired { hint, .. } | Self::Said { hint, .. } => hint.clone(),
            Self::NoDaemon(_)
            | Self::Daemon(_)
            | Self::NoHome(_)
            | Self::NotPrivate(_)
            | Self::Output(_)
            | Self::File { .. }
            | Self::Settings { .. }
            | Self::System(_) => String::new(),
        }
    }
}

/// A command as the person has to type it for this instance.
pub fn command(instance: &Instance, words: &str) -> String {
    match instance.name() {
        None => format!("countersign {words}"),
        Some(name) => format!("countersign --instance {name} {words}"),
    }
}

/// The name that a value without fields has in JSON.
pub fn name<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name,
        Ok(_) | Err(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use countersign_ipc::control::ErrorCode;

    use super::*;

    #[test]
    fn a_daemon_that_is_away_is_told_with_what_is_safe_and_what_to_do() {
        let words = Trouble::NotRunning(Instance::MAIN).words();
        assert_eq!(words.text, "Countersign is not running. Agents ask in their own terminal.");
        assert_eq!(words.hint, "Start it with `countersign up`.");
        let words = Trouble::NotRunning("demo".parse().unwrap()).words();
        assert_eq!(words.hint, "Start it with `countersign --instance demo up`.");
    }

    #[test]
    fn a_refusal_keeps_the_daemons_words_and_code() {
        let failure = Failure {
            code: ErrorCode::CalledByAgent,
            text: "an agent asks".into(),
            hint: "ask yourself".into(),
        };
        let trouble = Trouble::Refused(failure);
        let words = trouble.words();
        assert_eq!((words.code.as_str(), trouble.exit_code()), ("called_by_agent", REFUSED));
        assert_eq!((words.text.as_str(), words.hint.as_str()), ("Not done: an agent asks.", "ask yourself"));
    }
}
