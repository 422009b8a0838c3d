//! One phone's session as its courier holds it: envelopes become messages for the event loop, messages become envelopes.
//! The loop is told that a session is live only when the phone has just proved it, and that it is over when the phone
//! can't be told anything more; the keys stay, so that a word already on its way still counts.

use std::time::{Duration, Instant};

use countersign_core::input::{Input, Recall};
use countersign_proto::{
    envelope::RawMessage,
    id::DeviceId,
    message::{Message, Notice, NoticeCode, Ping},
    refusal::Refusal,
    session::{DesktopEnd, PairRecord, Received},
    text::Foreign,
};
use tokio::sync::oneshot;

use super::task::Leave;
use crate::{
    clock,
    eventloop::{Ended, Handle},
    keys::random,
};

/// What an envelope asks of the courier.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// Nothing.
    Nothing,
    /// To send this handshake.
    Reply(Vec<u8>),
    /// Nothing; a new session has taken over.
    Live,
}

/// A test request that waits for its answer (PH-1).
#[derive(Debug)]
struct Test {
    nonce: u64,
    sent: Option<Instant>,
    answer: oneshot::Sender<Duration>,
}

#[derive(Debug)]
pub(super) struct PhoneSession {
    device: DeviceId,
    end: DesktopEnd,
    handle: Handle,
    is_told_live: bool,
    test: Option<Test>,
}

impl PhoneSession {
    pub(super) fn new(pair: PairRecord, handle: Handle) -> Self {
        let device = pair.device_id;
        let end = DesktopEnd::new(pair);
        Self { device, end, handle, is_told_live: false, test: None }
    }

    /// Whether messages can be sent.
    pub(super) const fn is_live(&self) -> bool {
        self.is_told_live
    }

    /// Takes an envelope; what it says goes to the event loop.
    pub(super) async fn receive(&mut self, envelope: &[u8]) -> Result<Asked, Leave> {
        let fresh = random::<32>()?;
        match self.end.receive(envelope, *fresh, clock::boot_ms()) {
            Ok(Received::Nothing) => Ok(Asked::Nothing),
            Ok(Received::Reply(envelope)) => Ok(Asked::Reply(envelope)),
            Ok(Received::Live(message)) => {
                self.tell_live().await?;
                if let Some(message) = message {
                    self.hand_in(message).await?;
                }
                Ok(Asked::Live)
            }
            Ok(Received::Message(message)) => {
                self.tell_live().await?;
                self.hand_in(message).await?;
                Ok(Asked::Nothing)
            }
            Err(refusal) => {
                // Whoever can reach the relay can send such things; only what verified is the phone's.
                tracing::debug!(code = refusal.code(), "an envelope was dropped");
                Ok(Asked::Nothing)
            }
        }
    }

    /// The envelopes of a message; nothing where no session is live any more.
    pub(super) fn seal(&mut self, message: &Message) -> Option<Vec<Vec<u8>>> {
        let (kind, body) = message.encode();
        match self.end.seal(kind, body, clock::boot_ms()) {
            Ok(envelopes) => Some(envelopes),
            Err(Refusal::NoSession) => None,
            Err(refusal) => {
                tracing::warn!(code = refusal.code(), "a message could not be sealed and is not sent");
                Some(Vec::new())
            }
        }
    }

    /// The phone can't be told anything more.
    pub(super) async fn over(&mut self) -> Result<(), Ended> {
        if std::mem::take(&mut self.is_told_live) {
            self.handle.tell(Input::SessionOver(self.device)).await?;
        }
        Ok(())
    }

    /// Whether the session's keys are past their hard end.
    pub(super) fn is_spent(&self) -> bool {
        self.is_told_live && !self.end.is_live(clock::boot_ms())
    }

    /// Has the next test request answer here.
    pub(super) fn test(&mut self, answer: oneshot::Sender<Duration>) -> Result<(), getrandom::Error> {
        let nonce = u64::from_be_bytes(*random::<8>()?);
        self.test = Some(Test { nonce, sent: None, answer });
        Ok(())
    }

    /// The test request, once it can be sent; given once.
    pub(super) fn due_test(&mut self) -> Option<[Message; 2]> {
        let is_live = self.is_told_live;
        let test = self.test.as_mut().filter(|test| is_live && test.sent.is_none())?;
        test.sent = Some(Instant::now());
        let text = Foreign::new("this was a test: the desktop reaches this phone");
        let notice = Message::Notice(Notice { code: NoticeCode::Test, text });
        Some([notice, Message::Ping(Ping { nonce: test.nonce, pong: false })])
    }

    async fn tell_live(&mut self) -> Result<(), Ended> {
        if !std::mem::replace(&mut self.is_told_live, true) {
            self.handle.tell(Input::SessionLive(self.device)).await?;
        }
        Ok(())
    }

    async fn hand_in(&mut self, raw: RawMessage) -> Result<(), Ended> {
        let device = self.device;
        let input = match Message::decode(raw.kind, &raw.body) {
            Ok(Message::Ping(Ping { nonce, pong: true })) => {
                self.pong(nonce);
                return Ok(());
            }
            Ok(message) => Input::Phone { device, message, recall: Recall::default() },
            Err(_) => Input::PhoneGarbage { device },
        };
        self.handle.tell(input).await
    }

    fn pong(&mut self, nonce: u64) {
        let is_it = |test: &mut Test| test.nonce == nonce && test.sent.is_some();
        if let Some(Test { sent: Some(sent), answer, .. }) = self.test.take_if(is_it) {
            // Whoever asked may have given up.
            let _ = answer.send(sent.elapsed());
        }
    }
}
