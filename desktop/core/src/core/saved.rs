//! The rules saved for projects, found by what must be the same: a call looks only at rules with its own key, however
//! many there are.

use std::collections::{BTreeMap, BTreeSet};

use countersign_proto::id::Hash;

use crate::rule::{Rule, RuleId};

/// Every saved rule, suspended ones included.
#[derive(Debug, Default)]
pub(super) struct SavedRules {
    by_id: BTreeMap<RuleId, Rule>,
    by_key: BTreeMap<Hash, BTreeSet<RuleId>>,
}

impl SavedRules {
    pub(super) fn insert(&mut self, rule: Rule) {
        self.remove(rule.id);
        self.by_key.entry(rule.key).or_default().insert(rule.id);
        self.by_id.insert(rule.id, rule);
    }

    pub(super) fn remove(&mut self, id: RuleId) {
        let Some(rule) = self.by_id.remove(&id) else { return };
        if let Some(ids) = self.by_key.get_mut(&rule.key) {
            ids.remove(&id);
            if ids.is_empty() {
                self.by_key.remove(&rule.key);
            }
        }
    }

    pub(super) fn get(&self, id: RuleId) -> Option<&Rule> {
        self.by_id.get(&id)
    }

    /// The rules with this key.
    pub(super) fn with_key(&self, key: Hash) -> impl Iterator<Item = &Rule> {
        self.by_key.get(&key).into_iter().flatten().filter_map(|id| self.by_id.get(id))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.by_id.values()
    }

    /// A suspended rule answers again.
    pub(super) fn resume(&mut self, id: RuleId) {
        if let Some(rule) = self.by_id.get_mut(&id) {
            rule.is_suspended = false;
        }
    }

    /// Suspends the rules this is true of.
    pub(super) fn suspend(&mut self, is_meant: impl Fn(&Rule) -> bool) {
        for rule in self.by_id.values_mut() {
            rule.is_suspended |= is_meant(rule);
        }
    }
}

impl FromIterator<Rule> for SavedRules {
    fn from_iter<I: IntoIterator<Item = Rule>>(rules: I) -> Self {
        let mut saved = Self::default();
        rules.into_iter().for_each(|rule| saved.insert(rule));
        saved
    }
}
