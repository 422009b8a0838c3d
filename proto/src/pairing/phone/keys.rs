//! The keys of a pairing at the phone: those it brings, those it agrees on, and what it keeps in the end.

use crate::{
    id::{ChannelId, DesktopId, DeviceId, Hash},
    key::{AgreementKey, AgreementPublic, BioKey, Secret32, VerifyingKey},
    pairing::{
        Bound, Chain, Code, CodeKeys, Enrolment, Link, PairDesktop, RelayHost, Terms, Ticket, derive_code,
        derive_desktop_id, derive_device_id, derive_pair_psk,
    },
    session::{PairRecord, Session, Suite},
    text::Foreign,
};

/// What the phone brings: fresh keys, and what it says of itself.
#[derive(Debug, Clone)]
pub struct AboutPhone {
    /// `P_x`.
    pub own: AgreementKey,
    /// `P_sig.pub`.
    pub device: VerifyingKey,
    /// `R_p.pub`.
    pub relay: VerifyingKey,
    /// `n_p`: 32 random bytes.
    pub nonce: Secret32,
    /// The model, at most [`NAME_CHARS`](crate::limits::NAME_CHARS) characters.
    pub model: Foreign,
    /// The app's version, as short.
    pub app_version: Foreign,
    /// What the app can do beyond version 1.
    pub capabilities: u64,
}

impl AboutPhone {
    pub(super) fn enrolment(&self, chain: Chain) -> Enrolment {
        Enrolment {
            nonce: self.nonce.clone(),
            device: self.device,
            relay: self.relay,
            chain,
            model: self.model.clone(),
            app_version: self.app_version.clone(),
            capabilities: self.capabilities,
        }
    }

    pub(super) fn code(&self, terms: &Terms, h2: &Hash, ticket: &Ticket) -> Code {
        let (phone, desktop) = (self.own.public(), ticket.desktop());
        let keys = CodeKeys { phone: &phone, device: &self.device, desktop: &desktop };
        derive_code(&self.nonce, &terms.nonce, h2, keys)
    }

    pub(super) fn pair_psk(&self, terms: &Terms, h: &Hash, ticket: &Ticket) -> Secret32 {
        derive_pair_psk(ticket.secret(), &self.nonce, &terms.nonce, h)
    }

    /// What all proofs sign, for the installation of this key.
    pub(super) fn bound(&self, h: &Hash, ticket: &Ticket, desktop: &VerifyingKey) -> Bound {
        let device_id = derive_device_id(&derive_desktop_id(desktop), &self.device);
        Bound { h: *h, desktop: ticket.desktop(), phone: self.own.public(), device: self.device, device_id }
    }
}

/// Message 3 is out.
#[derive(Debug)]
pub(super) struct Enrolled {
    pub(super) session: Session,
    pub(super) h: Hash,
    pub(super) bio: BioKey,
    pub(super) pair_psk: Secret32,
}

impl Enrolled {
    pub(super) fn propose(self, bound: Bound, proof: PairDesktop) -> Proposed {
        let Self { session, bio, pair_psk, h: _ } = self;
        let PairDesktop { desktop, name, account, .. } = proof;
        Proposed { session, bio, pair_psk, bound, desktop, name, account }
    }
}

/// The desktop's proof holds.
#[derive(Debug)]
pub(super) struct Proposed {
    pub(super) session: Session,
    pub(super) bio: BioKey,
    pub(super) bound: Bound,
    pub(super) desktop: VerifyingKey,
    pair_psk: Secret32,
    name: Foreign,
    account: Foreign,
}

impl Proposed {
    pub(super) fn finish(self, channel: ChannelId, ticket: &Ticket, about: &AboutPhone) -> PairedDesktop {
        PairedDesktop {
            desktop: self.desktop,
            desktop_id: derive_desktop_id(&self.desktop),
            device_id: self.bound.device_id,
            name: self.name,
            account: self.account,
            relay: ticket.relay().clone(),
            link: ticket.link().clone(),
            channel,
            own: about.own.clone(),
            peer: ticket.desktop(),
            pair_psk: self.pair_psk,
            bio: self.bio,
            h: self.bound.h,
        }
    }
}

/// A desktop that proved everything and stored this phone; to be kept.
#[derive(Debug, Clone)]
pub struct PairedDesktop {
    /// `D_sig.pub`.
    pub desktop: VerifyingKey,
    /// The installation.
    pub desktop_id: DesktopId,
    /// This phone, as this pairing's device.
    pub device_id: DeviceId,
    /// The desktop's name.
    pub name: Foreign,
    /// `user@host`.
    pub account: Foreign,
    /// Where the relay is.
    pub relay: RelayHost,
    /// How it is reached.
    pub link: Link,
    /// The pair's channel there.
    pub channel: ChannelId,
    /// `P_x`, our key for this pair.
    pub own: AgreementKey,
    /// `D_x.pub`.
    pub peer: AgreementPublic,
    /// The pair's lasting secret.
    pub pair_psk: Secret32,
    /// Our approval key.
    pub bio: BioKey,
    /// The pairing's handshake hash.
    pub h: Hash,
}

impl PairedDesktop {
    /// The record to open sessions with.
    #[must_use]
    pub fn record(&self) -> PairRecord {
        PairRecord {
            suite: Suite::X25519,
            channel: self.channel,
            desktop_id: self.desktop_id,
            device_id: self.device_id,
            own: self.own.clone(),
            peer: self.peer,
            psk: self.pair_psk.clone(),
        }
    }
}
