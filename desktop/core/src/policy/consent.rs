//! The record that a person accepted one exact text (POL-2): what, when, on whose word, and how it stands. A consent that
//! ended stays ended; the same text is accepted anew.

use countersign_proto::{
    canonical,
    id::{DeviceId, Hash},
    limits,
};

use super::{ConsentId, InForce, Origin, parse::parse, text_hash, trouble::ParseError};
use crate::rule::OnWord;

/// What kind of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum TextKind {
    /// A policy in the line language.
    #[n(1)]
    Lines,
    /// A permission file.
    #[n(2)]
    Permission,
    /// The built-in policy by which green reads pass (LVL-1).
    #[n(3)]
    GreenReads,
    /// The built-in policy by which green writes pass (LVL-1).
    #[n(4)]
    GreenWrites,
}

impl TextKind {
    /// The name in lists, the log and `--json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lines => "policy",
            Self::Permission => "permission file",
            Self::GreenReads => "green reads",
            Self::GreenWrites => "green writes",
        }
    }
}

/// How a consent stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum ConsentState {
    /// In force.
    #[n(1)]
    Accepted,
    /// It answers nothing until a person looked at it: the phone on whose word it stands was revoked (PH-1).
    #[n(2)]
    Suspended,
    /// Its person ended it.
    #[n(3)]
    Revoked,
    /// A newer one for the same place took its place (POL-1).
    #[n(4)]
    Replaced,
    /// An edit of it named another folder (POL-2).
    #[n(5)]
    RevokedByEdit,
}

impl ConsentState {
    /// The name in the store, the log and `--json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Suspended => "suspended",
            Self::Revoked => "revoked",
            Self::Replaced => "replaced",
            Self::RevokedByEdit => "revoked-by-edit",
        }
    }

    const fn is_over(self) -> bool {
        match self {
            Self::Accepted | Self::Suspended => false,
            Self::Revoked | Self::Replaced | Self::RevokedByEdit => true,
        }
    }
}

/// A consent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent {
    /// Its id.
    pub id: ConsentId,
    /// What kind of text.
    pub kind: TextKind,
    /// The text, whole and exact.
    pub text: String,
    /// The folder it is for; `None` for everywhere.
    pub project: Option<String>,
    /// On whose word it stands.
    pub word: OnWord,
    /// When it was accepted, in ms since 1970; shown only.
    pub wall_ms: u64,
    /// How it stands.
    pub state: ConsentState,
}

/// Why a text can't be accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unacceptable {
    /// It holds errors.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Wrong(Vec<ParseError>),
    /// It is not the built-in text of this release.
    #[error("this is not the built-in text; run `countersign policy list` to see it, and accept that")]
    NotBuiltIn,
}

impl Consent {
    /// The consent to a text that holds no error. A permission file is for `folder`, or for everywhere; a policy says so
    /// itself. `home` is the user's home folder.
    ///
    /// # Errors
    /// [`Unacceptable`].
    pub fn accept(
        id: ConsentId,
        kind: TextKind,
        text: String,
        folder: Option<String>,
        home: &str,
        word: OnWord,
        wall_ms: u64,
    ) -> Result<Self, Unacceptable> {
        let project = match kind {
            TextKind::Lines => {
                let policy = parse(&text, home).map_err(Unacceptable::Wrong)?;
                policy.project.map(|project| project.path)
            }
            TextKind::Permission => {
                super::permission::parse(&text, home).map_err(|error| Unacceptable::Wrong(vec![error]))?;
                folder
            }
            TextKind::GreenReads | TextKind::GreenWrites if super::builtin::text(kind) == Some(&text) => None,
            TextKind::GreenReads | TextKind::GreenWrites => return Err(Unacceptable::NotBuiltIn),
        };
        Ok(Self { id, kind, text, project, word, wall_ms, state: ConsentState::Accepted })
    }

    /// Hash of its text.
    #[must_use]
    pub fn text_hash(&self) -> Hash {
        text_hash(&self.text)
    }

    /// What it is, in a few words: `policy for ~/site, accepted`.
    #[must_use]
    pub fn words(&self) -> String {
        let place = match (&self.project, self.kind) {
            (Some(project), _) => format!(" for {project}"),
            (None, TextKind::Lines | TextKind::Permission) => " for everywhere".to_owned(),
            (None, TextKind::GreenReads | TextKind::GreenWrites) => String::new(),
        };
        format!("{}{place}, {}", self.kind.name(), self.state.name())
    }

    /// This consent as it is once `new` is accepted; `None` where that changes nothing. One for the same place is replaced
    /// (POL-1); the one that was edited into `new` ends though `new` names another place (POL-2).
    #[must_use]
    pub fn ended_by(&self, new: &Self, instead_of: Option<ConsentId>) -> Option<Self> {
        if self.state.is_over() || self.id == new.id {
            return None;
        }
        let state = if self.kind == new.kind && self.project == new.project {
            ConsentState::Replaced
        } else if instead_of == Some(self.id) {
            ConsentState::RevokedByEdit
        } else {
            return None;
        };
        Some(Self { state, ..self.clone() })
    }

    /// This consent once its person ended it; `None` where it is over already.
    #[must_use]
    pub fn revoked(&self) -> Option<Self> {
        (!self.state.is_over()).then(|| Self { state: ConsentState::Revoked, ..self.clone() })
    }

    /// This consent once the phone on whose word it stands is revoked; `None` where it is not in force.
    #[must_use]
    pub fn suspended(&self) -> Option<Self> {
        (self.state == ConsentState::Accepted)
            .then(|| Self { state: ConsentState::Suspended, ..self.clone() })
    }

    /// Whether it answers calls: accepted, and of a built-in policy the text that this release has. One that lets more or
    /// less pass is another text, which is accepted anew (LVL-1).
    #[must_use]
    pub fn is_in_force(&self) -> bool {
        self.state == ConsentState::Accepted
            && super::builtin::text(self.kind).is_none_or(|text| text == self.text)
    }

    /// Its text, ready to be compared with calls; `None` where it is not in force, or says nothing by lines. A text that
    /// was accepted and can't be read any more, as an older release wrote it, makes everything ask: what it kept away is
    /// not known.
    #[must_use]
    pub fn in_force(&self, home: &str) -> Option<InForce> {
        if !self.is_in_force() {
            return None;
        }
        let origin = Origin::Person(self.id);
        let read = match self.kind {
            TextKind::Lines => {
                parse(&self.text, home).ok().map(|policy| InForce::lines(origin, &self.text, policy))
            }
            TextKind::Permission => {
                let file = super::permission::parse(&self.text, home).ok();
                file.map(|file| InForce::permissions(origin, &self.text, file, self.project.as_deref()))
            }
            TextKind::GreenReads | TextKind::GreenWrites => return None,
        };
        read.or_else(|| super::managed::asks_everything(origin))
    }

    /// The canonical bytes by which a store keeps it.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        canonical::encode(&Stored {
            id: self.id.0,
            kind: self.kind,
            text: self.text.clone(),
            project: self.project.clone(),
            device: match self.word {
                OnWord::Desktop => None,
                OnWord::Phone(device) => Some(device),
            },
            wall_ms: self.wall_ms,
            state: self.state,
        })
    }

    /// Reads what [`Self::encode`] wrote; `None` for anything else.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let stored: Stored = canonical::decode(bytes, limits::MESSAGE).ok()?;
        Some(Self {
            id: ConsentId(stored.id),
            kind: stored.kind,
            text: stored.text,
            project: stored.project,
            word: stored.device.map_or(OnWord::Desktop, OnWord::Phone),
            wall_ms: stored.wall_ms,
            state: stored.state,
        })
    }
}

#[derive(Debug, minicbor::Encode, minicbor::Decode)]
#[cbor(map)]
struct Stored {
    #[n(0)]
    #[cbor(with = "minicbor::bytes")]
    id: [u8; 16],
    #[n(1)]
    kind: TextKind,
    #[n(2)]
    text: String,
    #[n(3)]
    project: Option<String>,
    #[n(4)]
    device: Option<DeviceId>,
    #[n(5)]
    wall_ms: u64,
    #[n(6)]
    state: ConsentState,
}

#[cfg(test)]
mod tests {
    use countersign_proto::request::Class;

    use super::*;
    use crate::{
        classify::Reach,
        policy::{builtin, sample::bare, verdict},
    };

    fn consent(kind: TextKind, text: &str) -> Consent {
        let word = OnWord::Desktop;
        let id = ConsentId([7; 16]);
        Consent {
            id,
            kind,
            text: text.to_owned(),
            project: None,
            word,
            wall_ms: 0,
            state: ConsentState::Accepted,
        }
    }

    #[test]
    fn a_green_text_of_another_release_answers_nothing() {
        for kind in [TextKind::GreenReads, TextKind::GreenWrites] {
            assert!(consent(kind, builtin::text(kind).unwrap()).is_in_force());
            assert!(!consent(kind, "Green reads: as it was once").is_in_force());
        }
        assert!(consent(TextKind::Lines, "allow read").is_in_force());
        assert!(!consent(TextKind::Lines, "allow read").revoked().unwrap().is_in_force());
    }

    #[test]
    fn an_accepted_text_that_can_not_be_read_any_more_makes_everything_ask() {
        for (kind, text) in [(TextKind::Lines, "deny everything"), (TextKind::Permission, "{")] {
            let in_force = consent(kind, text).in_force("/home/u").unwrap();
            let sample = bare("git status", Class::Read, Reach::Class);
            assert!(verdict(&sample.asked(), &[in_force]).ask.is_some());
        }
    }

    #[test]
    fn whatever_can_be_accepted_can_be_stored_and_read_again() {
        let line = format!("# {}\n", "x".repeat(1000));
        let longest = line.repeat(super::super::parse::LONGEST_TEXT / line.len());
        let id = ConsentId([7; 16]);
        let accepted =
            Consent::accept(id, TextKind::Lines, longest.clone(), None, "/home/u", OnWord::Desktop, 1)
                .unwrap();
        assert_eq!(Consent::decode(&accepted.encode()), Some(accepted));
        let longer = longest.clone() + &line.repeat(2);
        assert!(Consent::accept(id, TextKind::Lines, longer, None, "/home/u", OnWord::Desktop, 1).is_err());
    }
}
