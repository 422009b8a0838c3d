//! What agents did, as their events tell: hooks that left, calls that ended, sessions that began and were over.

use countersign_proto::{id::RequestId, text::Foreign};

use super::{Core, transaction::Then};
use crate::{
    clock::Now,
    draft::{EndedCall, Observed, SessionKey},
    input::{HookGone, HookId},
    ledger::Pending,
};

impl Core {
    pub(super) fn hook_gone(&mut self, hook: HookId, why: HookGone, now: Now) {
        let found =
            self.ledger.waiting().find(|pending| pending.hook == hook).map(|pending| pending.request.id);
        let words = match why {
            HookGone::Closed => "the agent moved on",
            HookGone::AgentGone => "the agent is gone",
        };
        self.withdraw(found.into_iter().collect(), words, false, now);
    }

    pub(super) fn observed(&mut self, session: SessionKey, what: Observed, now: Now) {
        let ours = |pending: &&Pending| pending.draft.session == session;
        match what {
            Observed::Started { folder: _ } => self.sessions.started(&session),
            Observed::Ended { calls, subagent } => {
                self.ended(session, &calls, subagent.as_ref(), now);
            }
            Observed::MovedOn => {
                let over = self.ledger.waiting().filter(ours).filter(|p| !p.is_of_subagent());
                let over = over.map(|pending| pending.request.id).collect();
                self.withdraw(over, "the agent moved on", true, now);
            }
            Observed::AnsweredInTerminal => {
                // Its dialogs come one at a time and oldest first; what our own answer woke is no answer.
                if self.sessions.is_own_echo(&session, now.boot_ms) {
                    return;
                }
                let over = self.ledger.waiting().filter(ours).find(|p| !p.is_of_subagent());
                let over = over.map(|pending| pending.request.id).into_iter().collect();
                self.withdraw(over, "answered in the terminal", true, now);
            }
            Observed::SessionOver => {
                self.sessions.over(&session);
                let over = self.ledger.waiting().filter(ours).map(|pending| pending.request.id).collect();
                self.withdraw(over, "the session ended", true, now);
            }
        }
    }

    fn withdraw(&mut self, over: Vec<RequestId>, words: &str, is_waiting: bool, now: Now) {
        if over.is_empty() {
            return;
        }
        let mut tx = self.begin(now);
        let partings =
            over.into_iter().filter_map(|id| self.withdrawal(&mut tx, id, words, is_waiting)).collect();
        self.propose(tx, Then::End(partings, None));
    }

    /// Calls are over: what ran is compared with what was answered, and cards that are left are withdrawn.
    fn ended(&mut self, session: SessionKey, calls: &[EndedCall], subagent: Option<&Foreign>, now: Now) {
        let mut tx = self.begin(now);
        let marks = self.compare(&mut tx, &session, calls);
        let mut over = Vec::new();
        for call in calls {
            let same = |pending: &&Pending| {
                pending.draft.session == session
                    && pending.draft.subagent.as_ref().map(|subagent| &subagent.id) == subagent
                    && pending.draft.tool == call.tool
                    && (pending.draft.raw == call.raw || pending.draft.input_hash == call.input_hash)
                    && !over.contains(&pending.request.id)
            };
            over.extend(self.ledger.waiting().find(same).map(|pending| pending.request.id));
        }
        let words = "answered in the terminal";
        let partings: Vec<_> =
            over.into_iter().filter_map(|id| self.withdrawal(&mut tx, id, words, true)).collect();
        if !tx.is_empty() {
            self.propose(tx, Then::Mark { session, marks, partings });
        }
    }
}
