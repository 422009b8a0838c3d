//! What a person decided before and what became of it: rules and consents come, go, are suspended and looked at again.
//! What narrows holds at once, stored or not; what widens holds once it is stored.

use countersign_proto::{
    id::{DeviceId, RequestId},
    text::{Foreign, Shown},
};

use super::{
    Core,
    transaction::{Then, Tx},
};
use crate::{
    audit::{Body, Event},
    clock::Now,
    command::{Change, Report, Source, Write},
    draft::SessionKey,
    input::Accept,
    policy::{Consent, ConsentId, ConsentState, InForce, ManagedText, Unacceptable},
    rule::{OnWord, Rule, RuleId, Scope},
    settings::{Strict, setting},
};

/// What accepting a text would do.
#[derive(Debug, Clone)]
pub struct Review {
    /// The consents that would end with it, as they would be then.
    pub ends: Vec<Consent>,
    /// The texts in force.
    pub now: Vec<InForce>,
    /// The texts that would be.
    pub then: Vec<InForce>,
}

/// A change of what was decided before, on its way into the store.
#[derive(Debug)]
pub(super) enum Precedent {
    /// A rule is gone.
    RuleRemoved(RuleId),
    /// A suspended rule answers again.
    RuleResumed(RuleId),
    /// These consents stand as they are here.
    Consents(Vec<Consent>),
    /// What root wrote down.
    Managed(Box<ManagedText>),
    /// Strict from now on, or no longer.
    Strict(Strict, bool),
    /// Paused, or back to work.
    Paused(bool),
    /// A project's settings were accepted.
    Risk(String),
    /// A branch is protected, or no longer.
    Protected(String, bool),
    /// A project's `.env` files may be read, or no longer.
    EnvLifted(String, bool),
}

impl Precedent {
    /// Whether it lets nothing pass that did not pass before.
    const fn narrows(&self) -> bool {
        match self {
            Self::RuleRemoved(_)
            | Self::Strict(_, true)
            | Self::Paused(true)
            | Self::Protected(_, true)
            | Self::EnvLifted(_, false) => true,
            Self::RuleResumed(_)
            | Self::Strict(_, false)
            | Self::Paused(false)
            | Self::Protected(_, false)
            | Self::EnvLifted(_, true) => false,
            // Ends of consents are proposed as such; an accepted text widens.
            Self::Consents(_) | Self::Managed(_) | Self::Risk(_) => false,
        }
    }
}

impl Core {
    /// Records the rule of an *Always* together with the answer; `None` where the request may not be remembered, so that
    /// the answer is a plain one (CARD-4).
    pub(super) fn record_rule(
        &self,
        tx: &mut Tx,
        request: RequestId,
        scope: Scope,
        source: Source,
        now: Now,
    ) -> Option<Rule> {
        let pending = self.ledger.get(request)?;
        let word = match source {
            Source::Phone { device, .. } => OnWord::Phone(device),
            _ => OnWord::Desktop,
        };
        // Unique, since a request is settled once.
        let rule = Rule::of(RuleId(*request.as_bytes()), &pending.draft, scope, word, now.wall_ms)?;
        if rule.scope == Scope::Project {
            tx.write(Write::Rule(Box::new(rule.clone())));
        }
        let scope = format!("for this {}: {}", rule.scope.name(), rule.shown());
        tx.record(Body {
            request: Some(request),
            basis: Some(rule.id.0),
            source: Some(Foreign::new(source.name())),
            note: Some(Shown::line(&scope).into()),
            ..super::ask::about(Event::RuleSaved, &pending.draft)
        });
        Some(rule)
    }

    /// A rule is in force from now on, and answers its waiting twins (RULE-4).
    pub(super) fn remember(&mut self, rule: Rule) {
        let twins =
            self.ledger.waiting().filter(|pending| rule.covers(&pending.draft) == crate::rule::Cover::Yes);
        self.twins.extend(twins.map(|pending| pending.request.id));
        match rule.scope.clone() {
            Scope::Session(session) => self.sessions.keep_rule(&session, rule),
            Scope::Project => self.rules.insert(rule),
        }
        self.changed(Change::Rules);
    }

    pub(super) fn remove_rule(&mut self, id: RuleId, now: Now) {
        let Some((note, is_saved)) = self.rule_note(id) else { return self.report(Report::Nothing) };
        let mut tx = self.begin(now);
        if is_saved {
            tx.write(Write::RuleRemoved(id));
        }
        tx.record(Body { basis: Some(id.0), note: Some(note), ..Body::of(Event::RuleRemoved) });
        self.propose(tx, Then::Decided(Box::new(Precedent::RuleRemoved(id))));
    }

    pub(super) fn resume_rule(&mut self, id: RuleId, now: Now) {
        let is_suspended = self.rules.get(id).is_some_and(|rule| rule.is_suspended);
        let Some((note, _)) = self.rule_note(id).filter(|_| is_suspended && !self.locked) else {
            return self.report(Report::Nothing);
        };
        let mut tx = self.begin(now);
        tx.write(Write::RuleSuspended { id, is_suspended: false });
        tx.record(Body { basis: Some(id.0), note: Some(note), ..Body::of(Event::RuleResumed) });
        self.propose(tx, Then::Decided(Box::new(Precedent::RuleResumed(id))));
    }

    fn rule_note(&self, id: RuleId) -> Option<(Foreign, bool)> {
        let saved = self.rules.get(id);
        let rule = saved.or_else(|| self.sessions.all_rules().find(|rule| rule.id == id))?;
        Some((rule.shown().into(), saved.is_some()))
    }

    /// A text that the person was shown and confirmed at the desktop.
    pub(super) fn accept_text(&mut self, accept: Accept, now: Now) {
        if self.locked {
            return self.report(Report::Refused(Shown::line(
                "Countersign is locked; unlock it before you accept anything",
            )));
        }
        let consent = match Consent::accept(
            accept.id,
            accept.kind,
            accept.text,
            accept.folder,
            &self.settings.home,
            OnWord::Desktop,
            now.wall_ms,
        ) {
            Ok(consent) => consent,
            Err(error) => return self.report(Report::Refused(Shown::lines(&error.to_string()))),
        };
        let changed = self.policies.accepting(consent, accept.instead_of);
        self.record_consents(changed, now);
    }

    pub(super) fn revoke_consent(&mut self, id: ConsentId, now: Now) {
        let Some(consent) = self.policies.revoking(id) else { return self.report(Report::Nothing) };
        self.record_consents(vec![consent], now);
    }

    fn record_consents(&mut self, changed: Vec<Consent>, now: Now) {
        let mut tx = self.begin(now);
        for consent in &changed {
            let event =
                if consent.state == ConsentState::Accepted { Event::Accepted } else { Event::ConsentEnded };
            tx.write(Write::Consent(Box::new(consent.clone())));
            tx.record(Body {
                basis: Some(consent.id.0),
                text_hash: Some(consent.text_hash()),
                source: Some(Foreign::new("terminal")),
                note: Some(Shown::line(&consent.words()).into()),
                ..Body::of(event)
            });
        }
        self.propose(tx, Then::Decided(Box::new(Precedent::Consents(changed))));
    }

    /// What root wrote down for this machine was read again. It is in force whether or not that could be recorded.
    pub(super) fn managed(&mut self, managed: ManagedText, now: Now) {
        let mut tx = self.begin(now);
        tx.record(Body {
            text_hash: managed.text_hash(),
            note: Some(managed.words().into()),
            ..Body::of(Event::Managed)
        });
        self.propose(tx, Then::Decided(Box::new(Precedent::Managed(Box::new(managed)))));
    }

    pub(super) fn set_strict(&mut self, what: Strict, is_strict: bool, now: Now) {
        if self.strict.contains(&what) == is_strict || (self.locked && !is_strict) {
            return self.report(Report::Nothing);
        }
        let mut all = self.strict.clone();
        if is_strict {
            all.insert(what.clone());
        } else {
            all.remove(&what);
        }
        let mut tx = self.begin(now);
        tx.write(Write::Setting { name: setting::STRICT, value: all.iter().map(Strict::spelled).collect() });
        let words =
            format!("{} {}", what.spelled(), if is_strict { "is strict" } else { "is no longer strict" });
        tx.record(Body { note: Some(Shown::line(&words).into()), ..Body::of(Event::Setting) });
        self.propose(tx, Then::Decided(Box::new(Precedent::Strict(what, is_strict))));
    }

    pub(super) fn pause(&mut self, is_paused: bool, now: Now) {
        if self.is_paused == is_paused || (self.locked && !is_paused) {
            return self.report(Report::Nothing);
        }
        let mut tx = self.begin(now);
        tx.write(Write::Setting { name: setting::PAUSED, value: vec![is_paused.to_string()] });
        let words = if is_paused { "paused: no cards, nothing passes" } else { "back to work" };
        tx.record(Body { note: Some(Foreign::new(words)), ..Body::of(Event::Setting) });
        self.propose(tx, Then::Decided(Box::new(Precedent::Paused(is_paused))));
    }

    pub(super) fn protect(&mut self, branch: String, is_protected: bool, now: Now) {
        let is_name = !branch.is_empty() && !branch.contains(char::is_whitespace);
        if !is_name || self.protected.contains(&branch) == is_protected || (self.locked && !is_protected) {
            return self.report(Report::Nothing);
        }
        let words = if is_protected { "no agent pushes to" } else { "agents may ask again to push to" };
        let mut all = self.protected.clone();
        set(&mut all, branch.clone(), is_protected);
        let mut tx = self.begin(now);
        tx.write(Write::Setting { name: setting::PROTECTED, value: all.into_iter().collect() });
        let note = Shown::line(&format!("{words} {branch}"));
        tx.record(Body { note: Some(note.into()), ..Body::of(Event::Setting) });
        self.propose(tx, Then::Decided(Box::new(Precedent::Protected(branch, is_protected))));
    }

    pub(super) fn lift_env(&mut self, project: String, is_lifted: bool, now: Now) {
        let is_folder = project.starts_with('/');
        if !is_folder || self.env_lifted.contains(&project) == is_lifted || (self.locked && is_lifted) {
            return self.report(Report::Nothing);
        }
        let words = if is_lifted { "agents may read .env files in" } else { "agents read no .env file in" };
        let mut all = self.env_lifted.clone();
        set(&mut all, project.clone(), is_lifted);
        let mut tx = self.begin(now);
        tx.write(Write::Setting { name: setting::ENV, value: all.into_iter().collect() });
        let note = Shown::line(&format!("{words} {project}"));
        tx.record(Body { note: Some(note.into()), ..Body::of(Event::Setting) });
        self.propose(tx, Then::Decided(Box::new(Precedent::EnvLifted(project, is_lifted))));
    }

    /// Branches that no agent pushes to, besides the built-in ones.
    #[must_use]
    pub fn protected(&self) -> Vec<String> {
        self.protected.iter().cloned().collect()
    }

    /// Whether agents may read the `.env` files of the project whose sessions start in this folder.
    #[must_use]
    pub fn env_is_lifted(&self, start_folder: Option<&[u8]>) -> bool {
        let folder = start_folder.and_then(|folder| std::str::from_utf8(folder).ok());
        folder.is_some_and(|folder| self.env_lifted.contains(folder))
    }

    /// A project's settings make names and programs unreliable, and the person looked at exactly these (REQ-5).
    pub(super) fn accept_risk(&mut self, risk: String, now: Now) {
        if self.locked || self.settings_accepted.contains(&risk) {
            return self.report(Report::Nothing);
        }
        let mut all = self.settings_accepted.clone();
        all.insert(risk.clone());
        let mut tx = self.begin(now);
        tx.write(Write::Setting { name: setting::RISKS, value: all.into_iter().collect() });
        tx.record(Body { note: Some(Shown::line(&risk).into()), ..Body::of(Event::Setting) });
        self.propose(tx, Then::Decided(Box::new(Precedent::Risk(risk))));
    }

    /// Stored: it holds.
    pub(super) fn decided_before(&mut self, precedent: Precedent) {
        self.apply(precedent);
        self.report(Report::Done);
    }

    /// It could not be stored: what narrows holds until the daemon ends, what widens was not done.
    pub(super) fn undecided(&mut self, precedent: Precedent) {
        match precedent {
            Precedent::Consents(consents) => {
                let ended = |consent: &Consent| consent.state != ConsentState::Accepted;
                let ends: Vec<Consent> = consents.into_iter().filter(ended).collect();
                self.apply(Precedent::Consents(ends));
            }
            managed @ Precedent::Managed(_) => self.apply(managed),
            other if other.narrows() => self.apply(other),
            Precedent::RuleRemoved(_)
            | Precedent::RuleResumed(_)
            | Precedent::Strict(..)
            | Precedent::Paused(_)
            | Precedent::Protected(..)
            | Precedent::EnvLifted(..)
            | Precedent::Risk(_) => {}
        }
        self.report(Report::NotStored);
    }

    fn apply(&mut self, precedent: Precedent) {
        match precedent {
            Precedent::RuleRemoved(id) => {
                self.rules.remove(id);
                self.sessions.drop_rule(id);
                self.changed(Change::Rules);
            }
            Precedent::RuleResumed(id) => {
                self.rules.resume(id);
                self.changed(Change::Rules);
            }
            Precedent::Consents(consents) => {
                self.policies.put(consents);
                self.changed(Change::Policies);
            }
            Precedent::Managed(managed) => {
                if let Some(alarm) = managed.alarm() {
                    self.changed(Change::Alarm(alarm));
                }
                self.policies.manage(*managed);
                self.changed(Change::Policies);
            }
            Precedent::Strict(what, true) => {
                self.strict.insert(what);
            }
            Precedent::Strict(what, false) => {
                self.strict.remove(&what);
            }
            Precedent::Paused(is_paused) => self.is_paused = is_paused,
            Precedent::Risk(risk) => {
                self.settings_accepted.insert(risk);
            }
            Precedent::Protected(branch, is_protected) => set(&mut self.protected, branch, is_protected),
            Precedent::EnvLifted(project, is_lifted) => set(&mut self.env_lifted, project, is_lifted),
        }
    }

    /// Rules and consents that stand on a phone's word answer nothing any more once it is revoked (PH-1); recorded in the
    /// same transaction.
    pub(super) fn suspend_word_of(&self, tx: &mut Tx, device: DeviceId) {
        let word = OnWord::Phone(device);
        for rule in self.rules.iter().filter(|rule| rule.word == word && !rule.is_suspended) {
            tx.write(Write::RuleSuspended { id: rule.id, is_suspended: true });
            tx.record(Body {
                device: Some(device),
                basis: Some(rule.id.0),
                note: Some(rule.shown().into()),
                ..Body::of(Event::RuleSuspended)
            });
        }
        for consent in self.policies.suspending(device) {
            tx.record(Body {
                device: Some(device),
                basis: Some(consent.id.0),
                text_hash: Some(consent.text_hash()),
                ..Body::of(Event::RuleSuspended)
            });
            tx.write(Write::Consent(Box::new(consent)));
        }
    }

    /// The same in memory.
    pub(super) fn suspended_word_of(&mut self, device: DeviceId) {
        let word = OnWord::Phone(device);
        self.rules.suspend(|rule| rule.word == word);
        self.sessions.each_rule(|rule| rule.is_suspended |= rule.word == word);
        let consents = self.policies.suspending(device);
        self.policies.put(consents);
    }

    /// What accepting a text would do, were it accepted now.
    ///
    /// # Errors
    /// [`Unacceptable`].
    pub fn review(&self, accept: &Accept) -> Result<Review, Unacceptable> {
        let new = Consent::accept(
            accept.id,
            accept.kind,
            accept.text.clone(),
            accept.folder.clone(),
            &self.settings.home,
            OnWord::Desktop,
            0,
        )?;
        let mut changed = self.policies.accepting(new, accept.instead_of);
        let now = self.policies.in_force().to_vec();
        let then = self.policies.with(&changed);
        changed.retain(|consent| consent.state != ConsentState::Accepted);
        Ok(Review { ends: changed, now, then })
    }

    /// Every rule, saved ones first.
    #[must_use]
    pub fn rules(&self) -> Vec<&Rule> {
        self.rules.iter().chain(self.sessions.all_rules()).collect()
    }

    /// Every consent, ended ones included.
    #[must_use]
    pub fn consents(&self) -> Vec<&Consent> {
        self.policies.consents().collect()
    }

    /// A session's marks.
    #[must_use]
    pub fn marks(&self, session: &SessionKey) -> super::sessions::Marks {
        self.sessions.marks(session)
    }
}

fn set(all: &mut std::collections::BTreeSet<String>, one: String, is_in: bool) {
    if is_in {
        all.insert(one);
    } else {
        all.remove(&one);
    }
}
