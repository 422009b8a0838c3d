//! Commit before release: what is proposed, and what follows once the shell stored it or could not.

use countersign_proto::{
    checkpoint::SignedCheckpoint,
    id::{DeviceId, RunId},
    key::SigningKey,
    message::{Message, Notice, NoticeCode},
    text::Foreign,
};

use super::{Core, Wait, end::Parting, precedent::Precedent, sessions::Marks};
use crate::{
    answer::Answer,
    approver::{NewApprover, Standing},
    audit::{Body, CHECKPOINT_EVERY, Head},
    clock::Now,
    command::{Change, Command, Report, Transaction, Write},
    draft::SessionKey,
    input::{HookId, TxId},
    ledger::{OpenOffer, Pending},
    rule::Rule,
};

/// A transaction in the making: entries are linked as they are recorded.
#[derive(Debug)]
pub(super) struct Tx {
    run: RunId,
    now: Now,
    desktop: SigningKey,
    head: Head,
    checkpoint: Option<SignedCheckpoint>,
    writes: Vec<Write>,
}

impl Tx {
    /// When it was begun.
    pub(super) const fn now(&self) -> Now {
        self.now
    }

    /// Appends an audit entry, and a checkpoint where one is due.
    pub(super) fn record(&mut self, body: Body) {
        let row = self.head.append(self.run, self.now, body.masked());
        let is_due = row.seq.is_multiple_of(CHECKPOINT_EVERY);
        self.writes.push(Write::Entry(row));
        if is_due {
            self.checkpoint();
        }
    }

    /// Whether there is nothing to store.
    pub(super) fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// Adds a write that is no audit entry.
    pub(super) fn write(&mut self, write: Write) {
        self.writes.push(write);
    }

    /// Appends a checkpoint of the log as it stands.
    pub(super) fn checkpoint(&mut self) {
        let signed = self.head.checkpoint(&self.desktop, self.now);
        self.writes.push(Write::Checkpoint { seq: self.head.seq, signed: signed.clone() });
        self.checkpoint = Some(signed);
    }
}

/// What follows a commit.
#[derive(Debug)]
pub(super) enum Then {
    /// Nothing.
    Nothing,
    /// Say that it is done.
    Say(Report),
    /// The request waits from now on.
    Open { pending: Box<Pending>, offers: Vec<OpenOffer>, replaced: Option<Box<Parting>> },
    /// The request can't wait.
    TurnAway(HookId),
    /// These requests are over, and this is remembered from now on.
    End(Vec<Parting>, Option<Box<Rule>>),
    /// These requests are over, and a session's marks grew.
    Mark { session: SessionKey, marks: Option<Marks>, partings: Vec<Parting> },
    /// A hook is told this; where it could not be recorded, that.
    TellHook { hook: HookId, answer: Answer, unstored: Option<Answer> },
    /// What was decided before changed.
    Decided(Box<Precedent>),
    /// Send a phone its receipt; another one where nothing was stored.
    Tell { device: DeviceId, message: Box<Message>, otherwise: Box<Message>, counter: Option<u64> },
    /// The phone is an approver from now on.
    Paired { approver: Box<NewApprover>, offers: Vec<OpenOffer> },
    /// The phone's words count less or more.
    Stand { device: DeviceId, standing: Standing },
    /// Doors close or open.
    Lock { locked: bool, partings: Vec<Parting>, counter: Option<(DeviceId, u64)> },
}

impl Core {
    pub(super) fn begin(&self, now: Now) -> Tx {
        Tx {
            run: self.run_id,
            now,
            desktop: self.desktop.clone(),
            head: self.head,
            checkpoint: None,
            writes: Vec::new(),
        }
    }

    /// Asks the shell to commit; nothing else is taken until it said how that went.
    pub(super) fn propose(&mut self, tx: Tx, then: Then) {
        let id = TxId(self.next_tx);
        self.next_tx += 1;
        self.wait =
            Some(Wait::Commit { tx: id, head: tx.head, checkpoint: tx.checkpoint, then: Box::new(then) });
        self.commands.push_back(Command::Commit(Transaction { id, writes: tx.writes }));
    }

    pub(super) fn committed(&mut self, tx: TxId, now: Now) {
        let Some(Wait::Commit { tx: _, head, checkpoint, then }) = self.take_commit(tx) else { return };
        if head.seq != self.head.seq {
            self.changed_boot_ms.get_or_insert(now.boot_ms);
        }
        self.head = head;
        if let Some(checkpoint) = checkpoint {
            self.changed_boot_ms = None;
            self.tell_all(&Message::AuditHead(checkpoint.clone()), None);
            self.checkpoint = Some(checkpoint);
        }
        self.follow(*then, now);
    }

    fn follow(&mut self, then: Then, now: Now) {
        match then {
            Then::Nothing => {}
            Then::Say(report) => self.report(report),
            Then::Open { pending, offers, replaced } => {
                if let Some(parting) = replaced {
                    self.part(*parting, now, true);
                }
                self.open(*pending, offers, now);
            }
            Then::TurnAway(hook) => self.abstain(hook),
            Then::End(partings, rule) => {
                self.part_all(partings, now, true);
                if let Some(rule) = rule {
                    self.remember(*rule);
                }
            }
            Then::Mark { session, marks, partings } => {
                if let Some(marks) = marks {
                    self.mark(&session, &marks);
                }
                self.part_all(partings, now, true);
            }
            Then::TellHook { hook, answer, unstored: _ } => self.tell_hook(hook, answer),
            Then::Decided(change) => self.decided_before(*change),
            Then::Tell { device, message, counter, otherwise: _ } => {
                if let (Some(approver), Some(counter)) = (self.approvers.get_mut(&device), counter) {
                    approver.counter = counter;
                }
                self.send(device, *message);
            }
            Then::Paired { approver, offers } => self.welcome_approver(*approver, offers, now),
            Then::Stand { device, standing } => self.stand(device, standing, Report::Done),
            Then::Lock { locked, partings, counter } => self.set_locked(locked, partings, counter, now, true),
        }
    }

    /// Nothing of the transaction is stored: no answer is released, and what narrows holds all the same.
    pub(super) fn commit_failed(&mut self, tx: TxId, now: Now) {
        let Some(Wait::Commit { then, .. }) = self.take_commit(tx) else { return };
        match *then {
            Then::Nothing => {}
            Then::Say(_) | Then::Paired { .. } => self.report(Report::NotStored),
            Then::Open { pending, replaced, offers: _ } => {
                if let Some(parting) = replaced {
                    self.part(*parting, now, false);
                }
                self.abstain(pending.hook);
            }
            Then::TurnAway(hook) => self.abstain(hook),
            Then::End(partings, _) => self.part_all(partings, now, false),
            // What narrows holds all the same, until the daemon ends.
            Then::Mark { session, marks, partings } => {
                if let Some(marks) = marks {
                    self.mark(&session, &marks);
                }
                self.part_all(partings, now, false);
            }
            Then::TellHook { hook, answer, unstored } => self.tell_hook(hook, unstored.unwrap_or(answer)),
            Then::Decided(change) => self.undecided(*change),
            Then::Tell { device, otherwise, .. } => self.send(device, *otherwise),
            Then::Stand { device, standing: standing @ (Standing::Revoked | Standing::Suspended(_)) } => {
                self.stand(device, standing, Report::NotStored);
            }
            Then::Stand { device: _, standing: Standing::Active } => self.report(Report::NotStored),
            Then::Lock { locked: true, partings, counter } => {
                self.set_locked(true, partings, counter, now, false)
            }
            Then::Lock { locked: false, .. } => self.report(Report::NotStored),
        }
    }

    fn part_all(&mut self, partings: Vec<Parting>, now: Now, is_stored: bool) {
        for parting in partings {
            self.part(parting, now, is_stored);
        }
    }

    fn take_commit(&mut self, tx: TxId) -> Option<Wait> {
        match self.wait.take() {
            Some(wait @ Wait::Commit { tx: awaited, .. }) if awaited == tx => Some(wait),
            other => {
                self.wait = other;
                None
            }
        }
    }

    pub(super) fn report(&mut self, report: Report) {
        self.commands.push_back(Command::Report(report));
    }

    pub(super) fn changed(&mut self, change: Change) {
        self.commands.push_back(Command::Changed(change));
    }

    /// Sends a notice to every live phone, save one.
    pub(super) fn notice(&mut self, code: NoticeCode, text: &str, but: Option<DeviceId>) {
        self.tell_all(&Message::Notice(Notice { code, text: Foreign::new(text) }), but);
    }
}
