//! Refusals and endings in the control socket's words.

use countersign_core::authority::ClickRefusal;
use countersign_ipc::control::{ErrorCode, Failure};

use crate::store::StoreError;

pub(super) fn failure(code: ErrorCode, text: &str, hint: &str) -> Failure {
    Failure { code, text: text.to_owned(), hint: hint.to_owned() }
}

pub(super) fn is_over() -> Failure {
    failure(ErrorCode::Internal, "the daemon is ending", "start it again with `countersign up`")
}

pub(super) fn not_waiting() -> Failure {
    failure(ErrorCode::UnknownRequest, "no such request waits", "`countersign pending` lists those that do")
}

pub(super) fn not_stored(text: &str) -> Failure {
    failure(ErrorCode::StoreFailed, text, "look at the free space and at `countersign doctor`")
}

pub(super) fn store_failed(error: &StoreError) -> Failure {
    failure(ErrorCode::StoreFailed, &error.to_string(), "look at the free space and at `countersign doctor`")
}

pub(super) fn click_refused(refusal: ClickRefusal) -> Failure {
    let (code, hint) = match refusal {
        ClickRefusal::NotWaiting => (ErrorCode::UnknownRequest, ""),
        ClickRefusal::OtherCard | ClickRefusal::Changed => {
            (ErrorCode::StaleCard, "draw the card that waits now")
        }
        ClickRefusal::NotInFront | ClickRefusal::TooQuick => (ErrorCode::NotInFront, ""),
        ClickRefusal::NotSeenToEnd => (ErrorCode::NotSeenToEnd, ""),
        ClickRefusal::TooLate => (ErrorCode::TooLate, "answer in the agent's terminal"),
        ClickRefusal::Locked => (ErrorCode::Locked, "`countersign unlock` opens the doors again"),
        ClickRefusal::StoreFailed => {
            (ErrorCode::StoreFailed, "look at the free space and at `countersign doctor`")
        }
    };
    failure(code, &refusal.to_string(), hint)
}
