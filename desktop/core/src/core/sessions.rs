//! What is known of sessions: where they stand, what they were told, what they read. Marks outlive a run.

use std::collections::{BTreeMap, VecDeque};

use countersign_proto::{id::Hash, text::Foreign, text::Shown};

use crate::{
    draft::{Draft, EndedCall, SessionKey},
    rule::{Rule, RuleId},
};

/// Sessions that are remembered; the oldest are forgotten beyond this.
const SESSIONS: usize = 1_024;
/// Calls of a session that are remembered with what they were told.
const CALLS: usize = 64;
/// Rules of one session.
const RULES: usize = 256;
/// A terminal that comes alive this soon after our own answer was woken by it, in ms.
const OWN_ECHO_MS: u64 = 2_000;

/// What outlives the run (TAINT-1, AG-5).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marks {
    /// Whether it read outside content.
    pub is_tainted: bool,
    /// Why steps 4 to 8 of ORD-1 are off for it.
    pub off: Option<Shown>,
}

/// What one call was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallTold {
    /// To run.
    Allowed,
    /// Not to run.
    Denied,
    /// Nothing by us: it passed, or was asked in the terminal.
    Nothing,
}

#[derive(Debug, Clone)]
struct Noted {
    id: Option<Foreign>,
    tool: Foreign,
    input: Hash,
    told: CallTold,
    brings_in: bool,
}

#[derive(Debug, Default)]
pub(super) struct Known {
    answered_boot_ms: Option<u64>,
    marks: Marks,
    has_moved: bool,
    calls: VecDeque<Noted>,
    asked: Run,
    before: Run,
    rules: BTreeMap<RuleId, Rule>,
}

/// The same call, how often in a row.
#[derive(Debug, Default)]
struct Run {
    key: Option<Hash>,
    count: u32,
}

impl Run {
    fn note(&mut self, key: Hash) -> u32 {
        if self.key == Some(key) {
            self.count = self.count.saturating_add(1);
        } else {
            *self = Self { key: Some(key), count: 1 };
        }
        self.count
    }

    fn of(&self, key: Hash) -> u32 {
        if self.key == Some(key) { self.count } else { 0 }
    }
}

/// At which of its two hooks a call is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// Before it is decided at all (REQ-4).
    Before,
    /// As it asks.
    Asking,
}

/// What ran is not what was answered (AG-5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Differs {
    /// It ran though it was denied.
    Denied,
    /// It ran with another input than the one that was answered.
    Input,
}

impl Differs {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Denied => "A call of this session ran though it was denied",
            Self::Input => "A call of this session ran with another input than the one that was answered",
        }
    }
}

/// Every session that is remembered.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    known: BTreeMap<SessionKey, Known>,
    order: VecDeque<SessionKey>,
}

impl Sessions {
    /// Sessions with the marks that an earlier run left.
    pub(super) fn load(marks: Vec<(SessionKey, Marks)>) -> Self {
        let mut sessions = Self::default();
        for (key, marks) in marks {
            sessions.entry(&key).marks = marks;
        }
        sessions
    }

    fn entry(&mut self, key: &SessionKey) -> &mut Known {
        if !self.known.contains_key(key) {
            self.order.push_back(key.clone());
            while self.order.len() > SESSIONS {
                if let Some(oldest) = self.order.pop_front() {
                    self.known.remove(&oldest);
                }
            }
        }
        self.known.entry(key.clone()).or_default()
    }

    /// A session began: what is left of an earlier one with its name is its marks and rules, no count.
    pub(super) fn started(&mut self, key: &SessionKey) {
        let known = self.entry(key);
        known.has_moved = false;
        known.asked = Run::default();
        known.before = Run::default();
    }

    /// A session is over: its rules die with it (RULE-2).
    pub(super) fn over(&mut self, key: &SessionKey) {
        if let Some(known) = self.known.get_mut(key) {
            known.rules.clear();
            known.calls.clear();
        }
    }

    /// Notes a call as it comes in. Returns how often in a row it came, this time included.
    pub(super) fn note_call(&mut self, draft: &Draft, seen: Seen) -> u32 {
        let known = self.entry(&draft.session);
        if let Some(start) = &draft.start_folder
            && !is_below(&draft.folder, start)
        {
            known.has_moved = true;
        }
        let key = draft.rule_key;
        match seen {
            Seen::Before => known.before.note(key),
            Seen::Asking => known.asked.note(key).max(known.before.of(key)),
        }
    }

    /// Notes what a call was told; the newest word on a call counts.
    pub(super) fn note_told(&mut self, draft: &Draft, told: CallTold) {
        let known = self.entry(&draft.session);
        let is_same = |call: &Noted| call.tool == draft.tool && call.input == draft.input_hash;
        known.calls.retain(|call| !(is_same(call) && call.id == draft.call_id));
        if told != CallTold::Denied {
            // The same call, asked again and not denied this time, may run.
            known.calls.retain(|call| !(is_same(call) && call.told == CallTold::Denied));
        }
        known.calls.push_back(Noted {
            id: draft.call_id.clone(),
            tool: draft.tool.clone(),
            input: draft.input_hash,
            told,
            brings_in: draft.facts.brings_in(),
        });
        while known.calls.len() > CALLS {
            known.calls.pop_front();
        }
    }

    /// Compares a call that ran with what it was told (AG-5), and says whether it brought outside content in.
    pub(super) fn ran(&self, key: &SessionKey, call: &EndedCall) -> (Option<Differs>, bool) {
        let Some(known) = self.known.get(key) else { return (None, false) };
        let by_id = |noted: &&Noted| noted.id.is_some() && noted.id == call.id;
        // A call that asks may come without the id that it had before: then the newest word on exactly its input counts.
        let same = |noted: &&Noted| {
            let is_it = noted.id.is_none() || call.id.is_none() || noted.id == call.id;
            is_it && noted.tool == call.tool && noted.input == call.input_hash
        };
        if let Some(found) = known.calls.iter().rev().find(same) {
            let differs = match found.told {
                CallTold::Denied => Some(Differs::Denied),
                CallTold::Allowed | CallTold::Nothing => None,
            };
            return (differs, found.brings_in);
        }
        // Another hook may have changed a call that needed no word into one that would have.
        match known.calls.iter().rev().find(by_id) {
            Some(found) => (Some(Differs::Input), found.brings_in),
            None => (None, false),
        }
    }

    /// Its marks.
    pub(super) fn marks(&self, key: &SessionKey) -> Marks {
        self.known.get(key).map(|known| known.marks.clone()).unwrap_or_default()
    }

    /// Sets its marks; they only ever grow.
    pub(super) fn mark(&mut self, key: &SessionKey, marks: &Marks) {
        let known = self.entry(key);
        known.marks.is_tainted |= marks.is_tainted;
        if known.marks.off.is_none() {
            known.marks.off.clone_from(&marks.off);
        }
    }

    /// Whether it left the folder it started in.
    pub(super) fn has_moved(&self, key: &SessionKey) -> bool {
        self.known.get(key).is_some_and(|known| known.has_moved)
    }

    /// Keeps a rule for a session; the oldest goes where there are too many.
    pub(super) fn keep_rule(&mut self, key: &SessionKey, rule: Rule) {
        let rules = &mut self.entry(key).rules;
        rules.insert(rule.id, rule);
        while rules.len() > RULES {
            rules.pop_first();
        }
    }

    /// The rules of a session.
    pub(super) fn rules(&self, key: &SessionKey) -> impl Iterator<Item = &Rule> {
        self.known.get(key).into_iter().flat_map(|known| known.rules.values())
    }

    /// Every session's rules.
    pub(super) fn all_rules(&self) -> impl Iterator<Item = &Rule> {
        self.known.values().flat_map(|known| known.rules.values())
    }

    /// Changes every session's rules.
    pub(super) fn each_rule(&mut self, mut change: impl FnMut(&mut Rule)) {
        self.known.values_mut().flat_map(|known| known.rules.values_mut()).for_each(&mut change);
    }

    /// Takes a rule out; true where it was there.
    pub(super) fn drop_rule(&mut self, id: RuleId) -> bool {
        self.known.values_mut().any(|known| known.rules.remove(&id).is_some())
    }

    /// Notes that the daemon itself answered one of this session's hooks.
    pub(super) fn note_answer(&mut self, key: &SessionKey, boot_ms: u64) {
        self.entry(key).answered_boot_ms = Some(boot_ms);
    }

    pub(super) fn is_own_echo(&self, key: &SessionKey, boot_ms: u64) -> bool {
        self.known
            .get(key)
            .and_then(|known| known.answered_boot_ms)
            .is_some_and(|at| boot_ms.saturating_sub(at) < OWN_ECHO_MS)
    }
}

/// Whether a folder is another one or lies below it, by their words.
fn is_below(folder: &[u8], top: &[u8]) -> bool {
    let top = top.strip_suffix(b"/").unwrap_or(top);
    folder == top || folder.strip_prefix(top).is_some_and(|rest| rest.first() == Some(&b'/'))
}
