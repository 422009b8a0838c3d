//! A pairing as a client starts, follows and ends it. Whoever carries pairings out takes a [`PairOrder`] at a time; this
//! side only passes events out and typed codes in.

use std::sync::Arc;

use countersign_ipc::control::{ControlReply, ErrorCode, Failure, PairEvent};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{Control, connection::Replies, words::failure};

/// Events that a client has not read yet.
const UNREAD: usize = 16;

/// One pairing to carry out.
#[derive(Debug)]
pub struct PairOrder {
    /// The relay's host and port; absent: the one on loopback.
    pub relay: Option<String>,
    /// The relay's invite token.
    pub invite: Option<String>,
    /// Where its steps go, up to [`PairEvent::Done`] or [`PairEvent::Failed`].
    pub events: mpsc::Sender<PairEvent>,
    /// Codes that the person types.
    pub codes: mpsc::Receiver<TypedCode>,
    /// The person gave it up, or the client is gone.
    pub given_up: CancellationToken,
}

/// Six digits that a person typed.
#[derive(Debug)]
pub struct TypedCode {
    /// What was typed.
    pub code: String,
    /// Told whether it was looked at; what became of it follows as an event.
    pub taken: oneshot::Sender<Result<(), Failure>>,
}

/// The client's hold on a pairing; dropped, it ends.
#[derive(Debug)]
pub(super) struct Typing {
    codes: mpsc::Sender<TypedCode>,
    _given_up: DropGuard,
}

impl Typing {
    pub(super) async fn code(&self, code: String) -> Result<(), Failure> {
        let (taken, was_taken) = oneshot::channel();
        self.codes.send(TypedCode { code, taken }).await.map_err(|_| none_runs())?;
        was_taken.await.unwrap_or_else(|_| Err(none_runs()))
    }
}

/// Begins a pairing, if none runs.
pub(super) fn start(
    control: &Arc<Control>,
    relay: Option<String>,
    invite: Option<String>,
    replies: Replies,
    gone: &CancellationToken,
) -> Result<Typing, Failure> {
    let (events, mut steps) = mpsc::channel(UNREAD);
    let (codes, typed) = mpsc::channel(1);
    let given_up = gone.child_token();
    let order = PairOrder { relay, invite, events, codes: typed, given_up: given_up.clone() };
    control.pairings.try_send(order).map_err(|_| busy())?;
    tokio::spawn(async move {
        while let Some(event) = steps.recv().await {
            if replies.send(ControlReply::Pair { event }).await.is_err() {
                return;
            }
        }
    });
    Ok(Typing { codes, _given_up: given_up.drop_guard() })
}

pub(super) fn none_runs() -> Failure {
    failure(ErrorCode::NoPairing, "no pairing runs here", "start one with `countersign pair`")
}

fn busy() -> Failure {
    failure(
        ErrorCode::PairingBusy,
        "another pairing runs, or this daemon can't pair",
        "finish or cancel the other one first",
    )
}
