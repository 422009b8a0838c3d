//! The loop itself, and the carrying out of each command.

use std::{collections::VecDeque, sync::Arc};

use countersign_core::{
    command::{Change, Command, Transaction, Write},
    draft::Draft,
    input::{HookId, Input, Recall},
};
use countersign_proto::{
    canonical,
    id::{DeviceId, RequestId},
    limits,
    message::Message,
    receipt::Receipt,
    reply::Reply,
};
use tokio::sync::oneshot;

use super::{
    EventLoop, Happened, Outcome,
    ending::Gathered,
    handle::{Told, View},
};
use crate::{
    card, clock,
    derive::{Viewpoint, derive},
    errand::Errand,
    keys::random,
    store::Pairing,
};

/// A tick that could not do its work is not repeated before this much later.
const TICK_AGAIN_MS: u64 = 1_000;

impl EventLoop {
    /// Runs until the core was shut down and its last commands are carried out, or nobody can tell it anything more.
    pub async fn run(mut self) {
        self.drain(Gathered::default(), None, None).await;
        let mut not_before = 0;
        // An answer that is on its way to its hook when the daemon ends is waited for, so that the log knows of it.
        while !(self.is_ending && self.endings.due_boot_ms().is_none()) {
            let due = [self.core.poll_timeout().map(|at| at.max(not_before)), self.endings.due_boot_ms()];
            let due = due.into_iter().flatten().min();
            tokio::select! {
                told = self.told.recv() => match told {
                    Some(told) => self.take(told).await,
                    None => break,
                },
                rang = self.timer.until(due) => {
                    if let Err(error) = rang {
                        tracing::error!(%error, "the timer failed; every waiting hook is handed back");
                        break;
                    }
                    not_before = self.tick().await;
                }
            }
        }
        self.said(Input::Shutdown, None, None).await;
        self.hooks.clear();
    }

    /// Hands in the time. Returns when to do so again at the earliest: what a failing disk kept from being done is not
    /// tried again at once.
    async fn tick(&mut self) -> u64 {
        self.publish_overdue();
        self.said(Input::Tick, None, None).await;
        let boot_ms = clock::boot_ms();
        match self.core.poll_timeout() {
            Some(due) if due <= boot_ms => boot_ms.saturating_add(TICK_AGAIN_MS),
            _ => 0,
        }
    }

    async fn take(&mut self, told: Told) {
        match told {
            Told::Asked { hook, input, waiting } => {
                self.hooks.add(hook, *waiting);
                self.said(*input, None, None).await;
            }
            // What comes in now is still heard, but the next thing the core is told is that it is over.
            Told::Said { input, .. } if *input == Input::Shutdown => self.is_ending = true,
            Told::Said { input, pairing, reply } => self.said(*input, pairing, reply).await,
            Told::Looked(look) => look(View { core: &self.core, last_seen: &self.last_seen }),
        }
    }

    async fn said(
        &mut self,
        input: Input,
        pairing: Option<Box<Pairing>>,
        reply: Option<oneshot::Sender<Outcome>>,
    ) {
        let input = self.prepare(input).await;
        let mut inputs = VecDeque::from([(input, pairing, reply)]);
        while let Some((input, pairing, reply)) = inputs.pop_front() {
            let gathered = Gathered::of(&input);
            let delivered = match input {
                Input::Delivered { hook, written } => Some((hook, written)),
                _ => None,
            };
            self.core.handle(input, clock::now());
            let lost = self.drain(gathered, pairing, reply).await;
            inputs.extend(lost.into_iter().map(|lost| (lost, None, None)));
            // Only now: surfaces hear of a release once it is recorded.
            if let Some((hook, written)) = delivered {
                self.publish_delivered(hook, written);
            }
        }
    }

    /// Notes what the loop itself has to know, and adds what only the store remembers.
    async fn prepare(&mut self, input: Input) -> Input {
        match input {
            Input::Phone { device, message, recall: _ } => {
                self.last_seen.insert(device, clock::wall_ms());
                let recall = self.recall(device, &message).await;
                Input::Phone { device, message, recall }
            }
            Input::HookGone { hook, why } => {
                self.hooks.remove(hook);
                Input::HookGone { hook, why }
            }
            other => other,
        }
    }

    async fn recall(&self, device: DeviceId, message: &Message) -> Recall {
        let Message::Reply(signed) = message else { return Recall::default() };
        let claimed = canonical::decode::<Reply>(&signed.bytes, limits::MESSAGE).ok();
        let offer = claimed.map(|reply| reply.offer_id);
        let recalled = self.store.recall(device, offer, Receipt::reply_hash(&signed.bytes)).await;
        recalled.unwrap_or_else(|error| {
            // Without it a refusal is less exact; nothing else depends on it.
            tracing::error!(%error, "what the store remembers of a reply could not be looked up");
            Recall::default()
        })
    }

    /// Carries out everything the core wants done. Returns answers that reached no hook, to be handed in.
    async fn drain(
        &mut self,
        mut gathered: Gathered,
        mut pairing: Option<Box<Pairing>>,
        reply: Option<oneshot::Sender<Outcome>>,
    ) -> Vec<Input> {
        let mut lost = Vec::new();
        while let Some(command) = self.core.poll_command() {
            match command {
                Command::Commit(transaction) => {
                    let input = self.commit(&transaction, &mut pairing, &mut gathered).await;
                    self.core.handle(input, clock::now());
                }
                Command::Rederive(request) => {
                    let input = self.rederive(request).await;
                    self.core.handle(input, clock::now());
                }
                Command::Answer { hook, answer, deadline_boot_ms } => {
                    gathered.answer(hook);
                    if !self.hooks.answer(hook, &answer, deadline_boot_ms) {
                        lost.push(Input::Delivered { hook, written: false });
                    }
                }
                Command::Send { device, message, ttl_ms } => {
                    self.errand(Errand::Send { device, message: Box::new(message), ttl_ms });
                }
                Command::Wake(device) => self.errand(Errand::Wake(device)),
                Command::Forget(device) => self.errand(Errand::Forget(device)),
                Command::Changed(change) => self.changed(change, &mut gathered),
                Command::Report(report) => gathered.report = Some(report),
            }
        }
        self.publish(gathered, reply);
        lost
    }

    async fn commit(
        &mut self,
        transaction: &Transaction,
        pairing: &mut Option<Box<Pairing>>,
        gathered: &mut Gathered,
    ) -> Input {
        let stored = self.store.commit(transaction, pairing.as_deref(), clock::wall_ms()).await;
        gathered.note(transaction, stored.is_ok());
        match stored {
            Ok(()) => {
                let is_paired = transaction.writes.iter().any(|write| matches!(write, Write::Approver(_)));
                if let Some(pairing) = pairing.take_if(|_| is_paired) {
                    self.errand(Errand::Meet(pairing));
                }
                Input::Committed(transaction.id)
            }
            Err(error) => {
                tracing::error!(%error, "a transaction could not be stored; nothing of it is released");
                Input::CommitFailed(transaction.id)
            }
        }
    }

    async fn rederive(&self, request: RequestId) -> Input {
        let fresh = random::<{ RequestId::LEN }>().and_then(|id| Ok((RequestId::new(*id), *random::<32>()?)));
        match fresh {
            Ok((request_id, seed)) => {
                let draft = self.look_again(request).await.map(Box::new);
                Input::Rederived { request, draft, request_id, seed }
            }
            // Without random bytes no new card could be made: the call goes back to the terminal.
            Err(error) => {
                tracing::error!(%error, "the system gives no random bytes");
                Input::Rederived { request, draft: None, request_id: request, seed: [0; 32] }
            }
        }
    }

    async fn look_again(&self, request: RequestId) -> Option<Draft> {
        let hook = self.core.hook(request)?;
        let waiting = self.hooks.get(hook)?;
        let from = Viewpoint {
            protected: self.core.protected(),
            env_is_lifted: self.core.env_is_lifted(waiting.from.start_folder.as_deref()),
            ..waiting.from.clone()
        };
        Some(derive(Arc::clone(&waiting.call), from).await)
    }

    fn errand(&self, errand: Errand) {
        // Couriers end only with the daemon; what they no longer carry is offered again by the next run.
        let _ = self.errands.send(errand);
    }

    fn changed(&mut self, change: Change, gathered: &mut Gathered) {
        match change {
            Change::Opened(request) => {
                if let Some(card) = self.core.card(request) {
                    self.endings.open(request, card.hook);
                    gathered.opened.push(request);
                }
            }
            Change::Closed { request, how, by } => {
                let approvers = self.core.approvers();
                let name = |device: DeviceId| {
                    approvers.iter().find(|a| a.who.device_id == device).map(|a| a.who.name.shown())
                };
                gathered.close(request, how, &by, name);
            }
            Change::Passed { request: _, headline, how: _, by } => {
                self.tell_surfaces(Happened::Notice(format!("{headline}: {by}").into()));
            }
            Change::Alarm(words) => self.tell_surfaces(Happened::Notice(words.masked().as_str().into())),
            Change::Fronted(_) => {}
            Change::Phones | Change::Lock(_) | Change::Rules | Change::Policies => {
                self.tell_surfaces(Happened::Status);
            }
        }
    }

    /// Cards that went come before those that took their place.
    fn publish(&mut self, gathered: Gathered, reply: Option<oneshot::Sender<Outcome>>) {
        let boot_ms = clock::boot_ms();
        let opened = gathered.opened.clone();
        for ending in self.endings.take(gathered, reply, boot_ms) {
            self.tell_surfaces(Happened::Closed(Arc::new(ending)));
        }
        for request in opened {
            if let Some(card) = self.core.card(request) {
                self.tell_surfaces(Happened::Opened(Arc::new(card::draw(&card, boot_ms))));
            }
        }
    }

    fn publish_delivered(&mut self, hook: HookId, written: bool) {
        if let Some(ending) = self.endings.delivered(hook, written) {
            self.tell_surfaces(Happened::Closed(Arc::new(ending)));
        }
    }

    fn publish_overdue(&mut self) {
        for ending in self.endings.overdue(clock::boot_ms()) {
            self.tell_surfaces(Happened::Closed(Arc::new(ending)));
        }
    }

    fn tell_surfaces(&self, happened: Happened) {
        // Nobody may be watching.
        let _ = self.happened.send(happened);
    }
}
