//! A phone that holds the ticket's secret and lies.

use super::*;
use crate::{
    canonical,
    envelope::{Header, Kind},
    id::SessionTag,
    session::{open_step, seal_step},
};

/// A phone that follows the handshake with whatever keys and nonces it likes.
pub(super) struct Forger {
    pub(super) handshake: Handshake,
    pub(super) about: AboutPhone,
}

impl Forger {
    pub(super) fn new(ticket: &Ticket, seed: u8) -> Self {
        let about = AboutPhone {
            own: AgreementKey::from_bytes([seed; 32]),
            device: SigningKey::from_seed(&[seed; 32]).public(),
            nonce: secret(seed),
            ..about_phone()
        };
        let ephemeral = secret(seed ^ 0x80);
        let handshake = handshake(ticket, Role::Initiator, about.own.clone(), ephemeral).unwrap();
        Self { handshake, about }
    }

    pub(super) fn open(&mut self) -> Vec<u8> {
        let AboutPhone { nonce, own, device, .. } = &self.about;
        self.open_with(&Opening { versions: vec![1], commit: commit(nonce, &own.public(), device) })
    }

    pub(super) fn open_with(&mut self, opening: &Opening) -> Vec<u8> {
        seal_step(&mut self.handshake, Kind::Pair, None, &canonical::encode(opening)).unwrap().1
    }

    pub(super) fn read(&mut self, terms: &Outgoing) -> Terms {
        let (_, noise) = Header::split(&terms.envelope).unwrap();
        Terms::parse(&open_step(&mut self.handshake, noise).unwrap()).unwrap()
    }

    pub(super) fn enrol(&mut self, tag: SessionTag, change: impl FnOnce(&mut Enrolment)) -> Vec<u8> {
        let mut enrolment = Enrolment {
            nonce: self.about.nonce.clone(),
            device: self.about.device,
            relay: self.about.relay,
            chain: Chain::new(vec![LEAF.to_vec()]).unwrap(),
            model: self.about.model.clone(),
            app_version: self.about.app_version.clone(),
            capabilities: 0,
        };
        change(&mut enrolment);
        seal_step(&mut self.handshake, Kind::Pair, Some(tag), &canonical::encode(&enrolment)).unwrap().1
    }
}
