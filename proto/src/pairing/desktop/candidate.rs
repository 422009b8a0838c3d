//! A phone on its way to being paired: what is known of it after each message, and what is stored in the end.

use super::{DesktopFailure, DesktopRandom};
use crate::{
    canonical,
    envelope::Kind,
    id::{ChannelId, DesktopId, DeviceId, Hash, SessionTag},
    key::{AgreementKey, AgreementPublic, BioKey, Secret32, VerifyingKey},
    noise::{Handshake, PUBLIC},
    pairing::{
        AttestationPolicy, Bound, Chain, Code, CodeKeys, Enrolment, Outgoing, Terms, Ticket, VERSION, commit,
        derive_code, derive_desktop_id, derive_device_id, derive_pair_psk,
    },
    refusal::Refusal,
    session::{PairRecord, Session, Suite, seal_step, tag_of},
    text::Foreign,
};

/// What a phone claims of itself in message 3, to be judged by the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhoneClaims {
    /// The approval key's attestation.
    pub chain: Chain,
    /// The challenge it must carry.
    pub challenge: [u8; 32],
    /// The approval key its leaf certifies.
    pub bio: BioKey,
    /// The device key.
    pub device: VerifyingKey,
    /// The phone's agreement key, `P_x.pub`.
    pub agreement: AgreementPublic,
    /// The phone's key at the relay.
    pub relay: VerifyingKey,
    /// The phone's model.
    pub model: Foreign,
    /// The app's version.
    pub app_version: Foreign,
    /// What the app can do beyond version 1.
    pub capabilities: u64,
}

/// A phone that proved everything; to be stored.
#[derive(Debug, Clone)]
pub struct PairedPhone {
    /// What it claimed and the caller accepted.
    pub claims: PhoneClaims,
    /// This desktop.
    pub desktop_id: DesktopId,
    /// The phone, as this pairing's device.
    pub device_id: DeviceId,
    /// `D_x`, our key for this pair.
    pub own: AgreementKey,
    /// The pair's lasting secret.
    pub pair_psk: Secret32,
    /// The pairing's handshake hash, for the audit log.
    pub h: Hash,
}

impl PairedPhone {
    /// The record to open sessions with, once the pair's channel is chosen.
    #[must_use]
    pub fn record(&self, channel: ChannelId) -> PairRecord {
        PairRecord {
            suite: Suite::X25519,
            channel,
            desktop_id: self.desktop_id,
            device_id: self.device_id,
            own: self.own.clone(),
            peer: self.claims.agreement,
            psk: self.pair_psk.clone(),
        }
    }
}

/// Between message 1 and message 3.
#[derive(Debug)]
pub(super) struct Scanned {
    pub(super) handshake: Handshake,
    pub(super) ephemeral: [u8; PUBLIC],
    tag: SessionTag,
    commit: Hash,
    nonce: Secret32,
    challenge: [u8; 32],
    h2: Hash,
}

impl Scanned {
    /// Answers message 1 with message 2.
    pub(super) fn answer(
        mut handshake: Handshake,
        ephemeral: [u8; PUBLIC],
        commit: Hash,
        random: DesktopRandom,
        policy: AttestationPolicy,
    ) -> Result<(Self, Outgoing), Refusal> {
        let DesktopRandom { ephemeral: _, nonce, challenge } = random;
        let terms = Terms { version: u32::from(VERSION), nonce: nonce.clone(), challenge, policy };
        let tag = tag_of(&ephemeral)?;
        let (_, envelope) = seal_step(&mut handshake, Kind::Pair, Some(tag), &canonical::encode(&terms))?;
        let h2 = handshake.hash();
        let scanned = Self { handshake, ephemeral, tag, commit, nonce, challenge, h2 };
        Ok((scanned, Outgoing { envelope, first: true }))
    }

    pub(super) const fn tag(&self) -> SessionTag {
        self.tag
    }

    /// Takes message 3, whose handshake part has verified.
    pub(super) fn enrol(
        self,
        payload: &[u8],
        ticket: &Ticket,
        boot_ms: u64,
    ) -> Result<Candidate, DesktopFailure> {
        let enrolment = Enrolment::parse(payload).map_err(|_| DesktopFailure::BadPhone)?;
        let peer = self.handshake.peer().ok_or(DesktopFailure::BadPhone)?;
        if commit(&enrolment.nonce, &peer, &enrolment.device) != self.commit {
            return Err(DesktopFailure::BrokenCommitment);
        }
        let bio = enrolment.chain.leaf_key().map_err(|_| DesktopFailure::KeyNotStrong)?;
        let keys = CodeKeys { phone: &peer, device: &enrolment.device, desktop: &ticket.desktop() };
        let code = derive_code(&enrolment.nonce, &self.nonce, &self.h2, keys);
        let h = self.handshake.hash();
        let transport = self.handshake.finish().map_err(|_| DesktopFailure::BadPhone)?;
        let session = Session::new(self.tag, transport, boot_ms);
        let Enrolment { nonce: phone_nonce, device, relay, chain, model, app_version, capabilities } =
            enrolment;
        let challenge = self.challenge;
        let agreement = peer;
        let claims =
            PhoneClaims { chain, challenge, bio, device, agreement, relay, model, app_version, capabilities };
        Ok(Candidate { session, h, claims, code, phone_nonce, desktop_nonce: self.nonce })
    }
}

/// After message 3.
#[derive(Debug)]
pub(super) struct Candidate {
    session: Session,
    h: Hash,
    claims: PhoneClaims,
    code: Code,
    phone_nonce: Secret32,
    desktop_nonce: Secret32,
}

impl Candidate {
    pub(super) const fn tag(&self) -> SessionTag {
        self.session.tag()
    }

    pub(super) const fn code(&self) -> Code {
        self.code
    }

    pub(super) fn claims(&self) -> PhoneClaims {
        self.claims.clone()
    }

    /// The person typed the code: what all proofs sign, for the installation of this key.
    pub(super) fn vouch(self, own: AgreementPublic, key: &VerifyingKey) -> Vouched {
        let device = self.claims.device;
        let desktop_id = derive_desktop_id(key);
        let device_id = derive_device_id(&desktop_id, &device);
        let bound = Bound { h: self.h, desktop: own, phone: self.claims.agreement, device, device_id };
        Vouched { candidate: self, bound, desktop_id }
    }
}

/// After the code.
#[derive(Debug)]
pub(super) struct Vouched {
    candidate: Candidate,
    pub(super) bound: Bound,
    desktop_id: DesktopId,
}

impl Vouched {
    pub(super) const fn tag(&self) -> SessionTag {
        self.candidate.tag()
    }

    pub(super) const fn bio(&self) -> &BioKey {
        &self.candidate.claims.bio
    }

    pub(super) const fn session(&mut self) -> &mut Session {
        &mut self.candidate.session
    }

    /// Everything holds: what is stored, and what the last word needs.
    pub(super) fn finish(self, ticket: &Ticket, own: AgreementKey) -> (Proven, PairedPhone) {
        let Self { candidate, bound, desktop_id } = self;
        let Candidate { session, h, claims, phone_nonce, desktop_nonce, code: _ } = candidate;
        let pair_psk = derive_pair_psk(ticket.secret(), &phone_nonce, &desktop_nonce, &h);
        let device_id = bound.device_id;
        let proven = Proven { session, bio: claims.bio.clone(), bound };
        (proven, PairedPhone { claims, desktop_id, device_id, own, pair_psk, h })
    }
}

/// After the phone's proof.
#[derive(Debug)]
pub(super) struct Proven {
    pub(super) session: Session,
    pub(super) bound: Bound,
    pub(super) bio: BioKey,
}
