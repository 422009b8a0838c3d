//! A decision with what belongs to it, checked against what was offered before anything is signed.

use countersign_proto::{
    domain, limits,
    reply::{Decision, Payload, QuestionAnswer, Reply},
    request::{Block, Kind, Request},
    text::Foreign,
};

/// What a person chose on a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// No.
    Deny,
    /// Hide the card on this phone.
    Dismiss,
    /// No, with words for the agent.
    DenyWithNote(Foreign),
    /// Yes, this once.
    ApproveOnce,
    /// Yes, and remember the text with this index.
    ApproveAlways(u8),
    /// One answer to each question.
    Answer(Vec<QuestionAnswer>),
    /// Ask in the terminal.
    HandOff,
    /// Allow one identical retry.
    Grant,
    /// Do this act on the desktop.
    ServiceAction,
}

impl Choice {
    /// The decision on the wire.
    #[must_use]
    pub const fn decision(&self) -> Decision {
        match self {
            Self::Deny => Decision::Deny,
            Self::Dismiss => Decision::Dismiss,
            Self::DenyWithNote(_) => Decision::DenyWithNote,
            Self::ApproveOnce => Decision::ApproveOnce,
            Self::ApproveAlways(_) => Decision::ApproveAlways,
            Self::Answer(_) => Decision::Answer,
            Self::HandOff => Decision::HandOff,
            Self::Grant => Decision::Grant,
            Self::ServiceAction => Decision::ServiceAction,
        }
    }
}

/// Why a choice can't be given. Nothing was signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CannotAnswer {
    /// There is no such card.
    #[error("there is no such card on this phone")]
    Unknown,
    /// The card is over.
    #[error("this card is over")]
    Over,
    /// It was decided here already.
    #[error("this card was answered here already; its reply is on the way")]
    Answered,
    /// The decision is not offered.
    #[error("this answer is not offered on this card")]
    NotOffered,
    /// Secrets are still folded.
    #[error("this card holds secrets: unfold them and read them first")]
    Folded,
    /// The card's end was not on the screen yet.
    #[error("read the card to its end first")]
    NotSeen,
    /// A note that is empty, too long, or hides something.
    #[error(
        "a note needs 1 to {} visible characters on one line, without control characters",
        limits::NOTE_CHARS
    )]
    BadNote,
    /// Answers that are incomplete, out of range or too long.
    #[error(
        "answer every question: an option that it has, or 1 to {} visible characters",
        limits::FREE_TEXT_CHARS
    )]
    BadAnswers,
    /// The approval key is gone.
    #[error("the approval key is gone since fingerprints changed on this phone; pair it anew")]
    KeyGone,
    /// The phone's counter is used up or could not be stored.
    #[error("the phone could not store its counter, so nothing was signed")]
    StoreFailed,
    /// Everything was locked from here.
    #[error("everything is being locked from this phone")]
    Locked,
    /// This phone was revoked.
    #[error("this phone was revoked; pair it anew")]
    Revoked,
}

/// What the payload of a reply to one request must name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Terms {
    always: Vec<Foreign>,
    questions: Vec<Options>,
    offered: Option<Foreign>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Options {
    count: usize,
    many: bool,
}

impl Terms {
    pub(crate) fn new(request: &Request) -> Self {
        let questions = request.view.iter().filter_map(|block| match block {
            Block::Question(question) => Some(Options { count: question.options.len(), many: question.many }),
            _ => None,
        });
        Self {
            always: request.always.iter().map(|always| always.text.clone()).collect(),
            questions: questions.collect(),
            offered: offered_text(request),
        }
    }

    /// The payload of a choice.
    pub(crate) fn payload(&self, choice: &Choice) -> Result<Option<Payload>, CannotAnswer> {
        Ok(match choice {
            Choice::Deny | Choice::Dismiss | Choice::ApproveOnce | Choice::HandOff => None,
            Choice::DenyWithNote(note) => Some(Payload::Note(note.clone())),
            Choice::ApproveAlways(index) => {
                let text = self.always.get(usize::from(*index)).ok_or(CannotAnswer::NotOffered)?;
                Some(Payload::Always(*index, domain::hash(domain::OFFERED_TEXT, &[text.raw().as_bytes()])))
            }
            Choice::Answer(answers) => {
                self.check_answers(answers)?;
                Some(Payload::Answers(answers.clone()))
            }
            Choice::Grant | Choice::ServiceAction => {
                let text = self.offered.as_ref().ok_or(CannotAnswer::NotOffered)?;
                Some(Payload::Offered(domain::hash(domain::OFFERED_TEXT, &[text.raw().as_bytes()])))
            }
        })
    }

    fn check_answers(&self, answers: &[QuestionAnswer]) -> Result<(), CannotAnswer> {
        let fits = |(options, answer): (&Options, &QuestionAnswer)| {
            let in_range = answer.options.iter().all(|option| usize::from(*option) < options.count);
            let ascending = answer.options.is_sorted_by(|a, b| a < b);
            let chosen = answer.options.len() + usize::from(answer.text.is_some());
            in_range && ascending && (chosen == 1 || (chosen > 1 && options.many))
        };
        let complete = !self.questions.is_empty() && answers.len() == self.questions.len();
        if complete && self.questions.iter().zip(answers).all(fits) {
            Ok(())
        } else {
            Err(CannotAnswer::BadAnswers)
        }
    }
}

/// The whole text that a grant or a service action offers: the one text block of its card.
fn offered_text(request: &Request) -> Option<Foreign> {
    match (request.kind, request.view.as_slice()) {
        (Kind::Grant | Kind::ServiceAction, [Block::Text(labelled)]) => Some(labelled.text.clone()),
        (Kind::Grant | Kind::ServiceAction | Kind::Tool | Kind::Question, _) => None,
    }
}

/// Refuses a reply whose text does not fit, in words for the person who wrote it.
pub(crate) fn check(reply: &Reply) -> Result<(), CannotAnswer> {
    reply.check_payload().map_err(|_| match reply.decision {
        Decision::DenyWithNote => CannotAnswer::BadNote,
        Decision::Answer => CannotAnswer::BadAnswers,
        Decision::Deny
        | Decision::Dismiss
        | Decision::ApproveOnce
        | Decision::ApproveAlways
        | Decision::HandOff
        | Decision::Grant
        | Decision::ServiceAction => CannotAnswer::NotOffered,
    })
}
