//! What was decided before is looked up: the table of ORD-1 over the facts of a call, and what follows from it at once.

use countersign_proto::text::{Foreign, Shown};

use super::{
    Core,
    ask::{Arrival, about, line_words},
    end::Decided,
    reply::Settling,
    sessions::{CallTold, Differs, Marks, Seen},
    transaction::{Then, Tx},
};
use crate::{
    answer::Answer,
    audit::{Body, Event},
    authority::{Authority, StandingYes},
    clock::Now,
    command::{Change, Command, Source, Verdict, Write},
    draft::{Draft, EndedCall, SessionKey},
    input::Before,
    order::{self, Door, Rests, Standing, Step, Why},
    policy::{self, Asked, LineRef, SessionView},
    rule::{Cover, Scope},
    settings::Strict,
};

/// What a denial at once rests on.
pub(super) struct Ground {
    pub(super) source: Source,
    pub(super) words: Shown,
    pub(super) line: Option<LineRef>,
}

impl Core {
    /// Walks the table for a call that came `repeats` times in a row.
    pub(super) fn step(&self, draft: &Draft, repeats: u32) -> Step {
        let marks = self.sessions.marks(&draft.session);
        let is_seen = draft.start_folder.is_some();
        let is_tainted = marks.is_tainted || !is_seen;
        let start = draft.start_folder.as_deref().map(String::from_utf8_lossy);
        let folder = String::from_utf8_lossy(&draft.folder);
        let asked = Asked {
            agent: &draft.session.agent,
            profile: draft.profile.as_ref().map(Foreign::raw),
            tool: draft.tool.raw(),
            action: &draft.action,
            facts: &draft.facts,
            folder: &folder,
            home: &draft.home,
            is_whole: draft.whole,
            takes_allow_lines: draft.takes_allow_lines,
            session: SessionView {
                start_folder: start.as_deref(),
                moved: self.sessions.has_moved(&draft.session),
                is_tainted,
                repeats,
            },
        };
        let verdict = policy::verdict(&asked, self.policies.in_force());
        let off = marks.off.or_else(|| self.risk(draft));
        let (rule, changed_rule) = self.rule_for(draft);
        let standing = Standing {
            facts: &draft.facts,
            verdict: &verdict,
            is_whole: draft.whole,
            off: off.as_ref(),
            is_tainted,
            is_strict: self.is_strict(draft),
            is_paused: self.is_paused,
            is_locked: self.locked,
            green_reads: self.policies.green_reads(),
            green_writes: self.policies.green_writes(),
            rule: rule.as_ref().map(|(id, _)| *id),
            rule_is_saved: rule.as_ref().is_some_and(|(_, scope)| *scope == Scope::Project),
            changed_rule,
        };
        order::step(&standing)
    }

    /// The rule that covers a call, and one that would, had nothing changed.
    fn rule_for(&self, draft: &Draft) -> (Option<(crate::rule::RuleId, Scope)>, Option<crate::rule::RuleId>) {
        let mut changed = None;
        let saved = self.rules.with_key(draft.rule_key);
        for rule in self.sessions.rules(&draft.session).chain(saved) {
            match rule.covers(draft) {
                Cover::Yes => return (Some((rule.id, rule.scope.clone())), None),
                Cover::Changed => changed = Some(rule.id),
                Cover::No => {}
            }
        }
        (None, changed)
    }

    /// What makes names and settings unreliable here, unless the person accepted exactly this (REQ-5).
    fn risk(&self, draft: &Draft) -> Option<Shown> {
        let risk = draft.risky.iter().find(|risk| !self.settings_accepted.contains(risk.raw()))?;
        Some(Shown::line(&format!("{}: nothing passes by itself here", risk.shown())))
    }

    /// Whether the call's project or agent is strict.
    pub(super) fn is_strict(&self, draft: &Draft) -> bool {
        let agent = Strict::Agent(draft.session.agent.clone());
        let project =
            draft.start_folder.as_deref().map(|folder| String::from_utf8_lossy(folder).into_owned());
        self.strict.contains(&agent)
            || project.is_some_and(|project| self.strict.contains(&Strict::Project(project)))
    }

    /// Steps 1 and 2: no card; the agent gets the reason once that is recorded.
    pub(super) fn deny_at_once(&mut self, draft: Draft, arrival: &Arrival, ground: Ground, now: Now) {
        let why = Why { step: 1, words: ground.words.clone(), line: ground.line.clone(), may_offer: false };
        let (pending, write) = self.pend(draft, arrival, &why, now);
        let request = pending.request.id;
        self.ledger.open(crate::ledger::Pending { unwritten: Some(write), ..pending }, Vec::new());
        let mut tx = self.begin(now);
        let decided = Decided {
            answer: Answer::refuse(ground.words.clone()),
            verdict: Verdict::Deny,
            source: ground.source,
            by: ground.words.clone(),
            winner: None,
            note: Some(ground.line.as_ref().map_or_else(|| ground.words.into(), line_words)),
            is_reported: false,
        };
        let partings = self.decide(&mut tx, request, decided).into_iter().collect();
        self.propose(tx, Then::End(partings, None));
    }

    /// Steps 6 to 8: no card; the facts are derived once more, then the answer is recorded and released.
    pub(super) fn allow_at_once(&mut self, draft: Draft, arrival: &Arrival, door: &Door, now: Now) {
        let words = Shown::line(rests_words(&door.rests()));
        let line = match door.rests() {
            Rests::Line(line) => Some(line),
            Rests::Green(_) | Rests::Rule(_) => None,
        };
        let why = Why { step: step_of(&door.rests()), words, line, may_offer: false };
        let (pending, write) = self.pend(draft, arrival, &why, now);
        let yes = StandingYes::through(door, pending.request.id, pending.binding);
        self.ledger.open(crate::ledger::Pending { unwritten: Some(write), ..pending }, Vec::new());
        self.rederive(Settling::standing(Authority::Standing(yes)));
    }

    /// A waiting request whose twin was just always allowed is answered by the rule (RULE-4).
    pub(super) fn answer_twin(&mut self, request: countersign_proto::id::RequestId) {
        let Some(pending) = self.ledger.get(request) else { return };
        if let Step::Allow(door) = self.step(&pending.draft, 1)
            && matches!(door.rests(), Rests::Rule(_))
        {
            let yes = StandingYes::through(&door, request, pending.binding);
            self.rederive(Settling::standing(Authority::Standing(yes)));
        }
    }

    /// A call is about to be made (REQ-4): denied, asked about, or left alone; never allowed, and nobody waits.
    pub(super) fn before(&mut self, before: Before, now: Now) {
        let Before { hook, draft, silence_runs, arrived_boot_ms: _ } = before;
        let repeats = self.sessions.note_call(&draft, Seen::Before);
        let (answer, told, event, source, words) = match self.step(&draft, repeats) {
            Step::Refuse(refused) => {
                let words = refused.words;
                (
                    Answer::refuse(words.clone()),
                    CallTold::Denied,
                    Event::Denied,
                    Source::Refused,
                    words.into(),
                )
            }
            Step::Deny(line) => {
                let said = Shown::line(&format!("a policy of its person says: {}", line.text));
                let source = Source::Policy { origin: line.origin, line: line.number };
                (Answer::refuse(said), CallTold::Denied, Event::Denied, source, line_words(&line))
            }
            Step::Card(why) if why.step != 9 => {
                let words = why.line.as_ref().map_or_else(|| why.words.clone().into(), line_words);
                (Answer::ask(why.words), CallTold::Nothing, Event::AskedFirst, Source::Before, words)
            }
            Step::Card(_) | Step::Allow(_) | Step::Abstain => {
                self.sessions.note_told(&draft, CallTold::Nothing);
                self.abstain(hook);
                return;
            }
        };
        self.sessions.note_told(&draft, told);
        let mut tx = self.begin(now);
        tx.record(Body {
            class: Some(draft.facts.class()),
            level: Some(draft.facts.level()),
            source: Some(Foreign::new(source.name())),
            note: Some(words),
            ..about(event, &draft)
        });
        // Where silence would let the call run, a denial or an *ask* that can't be recorded is told all the same (WHO-4).
        let unstored = if silence_runs { None } else { Some(Answer::abstain()) };
        self.propose(tx, Then::TellHook { hook, answer, unstored });
    }

    /// Compares what ran with what was answered (AG-5), and notes outside content that came in (TAINT-1).
    pub(super) fn compare(
        &mut self,
        tx: &mut Tx,
        session: &SessionKey,
        calls: &[EndedCall],
    ) -> Option<Marks> {
        let before = self.sessions.marks(session);
        let mut marks = before.clone();
        for call in calls.iter().filter(|call| call.ran) {
            let (differs, brings_in) = self.sessions.ran(session, call);
            marks.is_tainted |= brings_in;
            if let Some(differs) = differs {
                tx.record(self.differing(session, call, differs));
                marks.off.get_or_insert_with(|| Shown::line(differs.words()));
            }
        }
        self.marked(tx, session, &before, marks)
    }

    fn differing(&self, session: &SessionKey, call: &EndedCall, differs: Differs) -> Body {
        Body {
            agent: Some(Foreign::new(session.agent.clone())),
            session: Some(session.session.shown().into()),
            tool: Some(call.tool.shown().into()),
            raw: Some(countersign_proto::domain::hash(countersign_proto::domain::RAW, &[&call.raw])),
            note: Some(Foreign::new(differs.words())),
            ..Body::of(Event::Differed)
        }
    }

    /// Writes marks that grew; `None` where nothing changed.
    pub(super) fn marked(
        &self,
        tx: &mut Tx,
        session: &SessionKey,
        before: &Marks,
        after: Marks,
    ) -> Option<Marks> {
        if *before == after {
            return None;
        }
        tx.write(Write::Marks {
            session: session.clone(),
            is_tainted: after.is_tainted,
            off: after.off.clone(),
        });
        if after.is_tainted && !before.is_tainted {
            tx.record(Body {
                agent: Some(Foreign::new(session.agent.clone())),
                session: Some(session.session.shown().into()),
                ..Body::of(Event::Tainted)
            });
        }
        Some(after)
    }

    /// Tells surfaces and phones what marks mean.
    pub(super) fn mark(&mut self, session: &SessionKey, marks: &Marks) {
        let was_off = self.sessions.marks(session).off.is_some();
        self.sessions.mark(session, marks);
        if let (Some(off), false) = (&marks.off, was_off) {
            let words = off.clone();
            self.notice(countersign_proto::message::NoticeCode::Differed, words.as_str(), None);
            self.changed(Change::Alarm(words));
        }
    }

    /// Tells a hook something that needs no card.
    pub(super) fn tell_hook(&mut self, hook: crate::input::HookId, answer: Answer) {
        self.commands.push_back(Command::Answer { hook, answer, deadline_boot_ms: u64::MAX });
    }
}

const fn step_of(rests: &Rests) -> u8 {
    match rests {
        Rests::Green(_) => 6,
        Rests::Rule(_) => 7,
        Rests::Line(_) => 8,
    }
}

/// What a step of a session's activity says (RULE-4, POL-9).
pub(super) const fn rests_words(rests: &Rests) -> &'static str {
    match rests {
        Rests::Green(_) => "allowed by your green policy",
        Rests::Rule(_) => "always allowed",
        Rests::Line(_) => "allowed by your policy",
    }
}
