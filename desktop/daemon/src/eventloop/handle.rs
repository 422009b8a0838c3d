//! How everybody else talks to the loop: tell it something, act and hear what became of it, or look at the core.

use countersign_core::{
    Core,
    approver::NewApprover,
    command::Report,
    input::{Ask, Before, HookId, Input},
};
use countersign_ipc::control::{Card, Ending};
use countersign_proto::id::DeviceId;
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::sync::{broadcast, mpsc, oneshot};

use super::hooks::Waiting;
use crate::store::Pairing;

/// The loop is over: the daemon is ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the daemon is ending")]
pub struct Ended;

/// What became of an act.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// The core's word, where it gave one.
    pub report: Option<Report>,
    /// The requests that it ended.
    pub endings: Vec<Ending>,
}

/// What every surface should know.
#[derive(Debug, Clone)]
pub enum Happened {
    /// A card came.
    Opened(Arc<Card>),
    /// A card went.
    Closed(Arc<Ending>),
    /// A word for the person.
    Notice(Arc<str>),
    /// Phones or doors changed.
    Status,
}

/// What is looked at.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The core.
    pub core: &'a Core,
    /// When each phone last said something in this run, wall time in ms.
    pub last_seen: &'a BTreeMap<DeviceId, u64>,
}

type Look = Box<dyn FnOnce(View<'_>) + Send>;

pub(super) enum Told {
    Said { input: Box<Input>, pairing: Option<Box<Pairing>>, reply: Option<oneshot::Sender<Outcome>> },
    Asked { hook: HookId, input: Box<Input>, waiting: Box<Waiting> },
    Looked(Look),
}

/// Talks to the loop. Cloned freely.
#[derive(Debug, Clone)]
pub struct Handle {
    teller: mpsc::Sender<Told>,
    happened: broadcast::Sender<Happened>,
    next: Arc<AtomicU64>,
}

impl Handle {
    pub(super) fn new(teller: mpsc::Sender<Told>, happened: broadcast::Sender<Happened>) -> Self {
        Self { teller, happened, next: Arc::new(AtomicU64::new(1)) }
    }

    /// A number for a hook or a surface, never used twice in a run.
    #[must_use]
    pub fn next_id(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Tells the loop that something happened.
    ///
    /// # Errors
    /// [`Ended`].
    pub async fn tell(&self, input: Input) -> Result<(), Ended> {
        self.send(Told::Said { input: Box::new(input), pairing: None, reply: None }).await
    }

    /// Tells the loop of a person's act and waits for what becomes of it.
    ///
    /// # Errors
    /// [`Ended`].
    pub async fn act(&self, input: Input) -> Result<Outcome, Ended> {
        self.said(input, None).await
    }

    /// Tells the loop of a completed pairing. Its secrets are stored in the transaction that makes the phone an approver.
    ///
    /// # Errors
    /// [`Ended`].
    pub async fn pair(
        &self,
        approver: Box<NewApprover>,
        seed: [u8; 32],
        pairing: Box<Pairing>,
    ) -> Result<Outcome, Ended> {
        self.said(Input::Paired { approver, seed }, Some(pairing)).await
    }

    /// Hands in a waiting tool call.
    ///
    /// # Errors
    /// [`Ended`].
    pub async fn ask(&self, ask: Box<Ask>, waiting: Waiting) -> Result<(), Ended> {
        self.hand_in(ask.hook, Input::Ask(ask), waiting).await
    }

    /// Hands in a tool call that is about to be made.
    ///
    /// # Errors
    /// [`Ended`].
    pub async fn before(&self, before: Box<Before>, waiting: Waiting) -> Result<(), Ended> {
        self.hand_in(before.hook, Input::Before(before), waiting).await
    }

    /// A hook was told, or was gone.
    ///
    /// # Errors
    /// [`Ended`].
    pub async fn delivered(&self, hook: HookId, written: bool) -> Result<(), Ended> {
        self.tell(Input::Delivered { hook, written }).await
    }

    /// Looks at the core between two inputs.
    ///
    /// # Errors
    /// [`Ended`].
    pub async fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(View<'_>) -> T + Send + 'static,
    ) -> Result<T, Ended> {
        let (answer, seen) = oneshot::channel();
        let look = move |view: View<'_>| {
            let _ = answer.send(look(view));
        };
        self.send(Told::Looked(Box::new(look))).await?;
        seen.await.map_err(|_| Ended)
    }

    /// Everything that happens from now on.
    #[must_use]
    pub fn watch(&self) -> broadcast::Receiver<Happened> {
        self.happened.subscribe()
    }

    /// Has every surface look at how the daemon is.
    pub fn status_changed(&self) {
        // Nobody may be watching.
        let _ = self.happened.send(Happened::Status);
    }

    async fn hand_in(&self, hook: HookId, input: Input, waiting: Waiting) -> Result<(), Ended> {
        self.send(Told::Asked { hook, input: Box::new(input), waiting: Box::new(waiting) }).await
    }

    async fn said(&self, input: Input, pairing: Option<Box<Pairing>>) -> Result<Outcome, Ended> {
        let (reply, outcome) = oneshot::channel();
        self.send(Told::Said { input: Box::new(input), pairing, reply: Some(reply) }).await?;
        outcome.await.map_err(|_| Ended)
    }

    async fn send(&self, told: Told) -> Result<(), Ended> {
        self.teller.send(told).await.map_err(|_| Ended)
    }
}
