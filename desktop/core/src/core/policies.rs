//! The texts that are in force: those a person accepted, and what root wrote down. Kept parsed, so that a call costs no
//! parsing.

use std::collections::BTreeMap;

use countersign_proto::id::DeviceId;

use crate::{
    policy::{Consent, ConsentId, InForce, ManagedText, TextKind},
    rule::OnWord,
};

/// Every consent, and what is in force of them.
#[derive(Debug, Default)]
pub(super) struct Policies {
    consents: BTreeMap<ConsentId, Consent>,
    managed: Option<ManagedText>,
    in_force: Vec<InForce>,
    home: String,
}

impl Policies {
    /// With the consents of earlier runs.
    pub(super) fn load(consents: Vec<Consent>, home: &str) -> Self {
        let mut policies = Self { home: home.to_owned(), ..Self::default() };
        policies.put(consents);
        policies
    }

    /// Every text in force, managed ones first.
    pub(super) fn in_force(&self) -> &[InForce] {
        &self.in_force
    }

    /// Every consent, ended ones included.
    pub(super) fn consents(&self) -> impl Iterator<Item = &Consent> {
        self.consents.values()
    }

    /// The consent to green reads, where it is in force.
    pub(super) fn green_reads(&self) -> Option<ConsentId> {
        self.accepted(TextKind::GreenReads)
    }

    /// The consent to green writes, where it is in force.
    pub(super) fn green_writes(&self) -> Option<ConsentId> {
        self.accepted(TextKind::GreenWrites)
    }

    fn accepted(&self, kind: TextKind) -> Option<ConsentId> {
        let mut all = self.consents.values();
        all.find(|consent| consent.kind == kind && consent.is_in_force()).map(|it| it.id)
    }

    /// What follows from accepting a text: its consent, and those that end with it (POL-1, POL-2).
    pub(super) fn accepting(&self, new: Consent, instead_of: Option<ConsentId>) -> Vec<Consent> {
        let mut changed: Vec<Consent> =
            self.consents.values().filter_map(|old| old.ended_by(&new, instead_of)).collect();
        changed.push(new);
        changed
    }

    /// A consent as it is once its person ended it; `None` where there is none to end.
    pub(super) fn revoking(&self, id: ConsentId) -> Option<Consent> {
        self.consents.get(&id)?.revoked()
    }

    /// The consents that stand on a phone's word, as they are once it is revoked.
    pub(super) fn suspending(&self, device: DeviceId) -> Vec<Consent> {
        let of_it = |consent: &&Consent| consent.word == OnWord::Phone(device);
        self.consents.values().filter(of_it).filter_map(Consent::suspended).collect()
    }

    /// Takes consents as they stand now.
    pub(super) fn put(&mut self, consents: Vec<Consent>) {
        self.consents.extend(consents.into_iter().map(|consent| (consent.id, consent)));
        self.renew();
    }

    /// Takes what root wrote down.
    pub(super) fn manage(&mut self, managed: ManagedText) {
        self.managed = Some(managed);
        self.renew();
    }

    /// The texts that would be in force, were these consents so.
    pub(super) fn with(&self, changed: &[Consent]) -> Vec<InForce> {
        let mut then = Self {
            consents: self.consents.clone(),
            managed: self.managed.clone(),
            in_force: Vec::new(),
            home: self.home.clone(),
        };
        then.put(changed.to_vec());
        then.in_force
    }

    fn renew(&mut self) {
        let managed = self.managed.iter().flat_map(ManagedText::in_force);
        let accepted = self.consents.values().filter_map(|consent| consent.in_force(&self.home));
        self.in_force = managed.chain(accepted).collect();
    }
}
