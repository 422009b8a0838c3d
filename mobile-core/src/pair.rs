//! What the phone keeps of a pairing, as one sealed record: the desktop's keys and names, and this phone's own keys for
//! it. No two pairings share a key.

use core::fmt;

use countersign_proto::{
    canonical,
    claim::Origin,
    id::{ChannelId, DesktopId, DeviceId, Hash},
    key::{AgreementKey, AgreementPublic, BioKey, Secret32, SigningKey, VerifyingKey},
    limits,
    pairing::{Link, PairedDesktop, RelayHost},
    refusal::Refusal,
    text::Foreign,
};
use minicbor::{Decode, Encode};
use zeroize::{Zeroize as _, Zeroizing};

use crate::vault::{Change, Part, Record};

/// One paired desktop.
#[derive(Clone)]
pub struct Pair {
    /// What the desktop proved, and what both agreed on.
    pub desktop: PairedDesktop,
    /// `P_sig`: signs every reply.
    pub device: SigningKey,
    /// `R_p`: claims this phone's mailbox.
    pub relay: SigningKey,
}

impl Pair {
    /// The records of a new pairing, in the order in which they are to be stored: without a counter there is no phone.
    #[must_use]
    pub fn records(&self) -> [Change; 2] {
        let record = |part| Record { desktop: self.desktop.desktop_id, part };
        [
            Change { record: record(Part::Counter), bytes: Zeroizing::new(0u64.to_be_bytes().to_vec()) },
            Change { record: record(Part::Pair), bytes: self.to_bytes() },
        ]
    }

    /// The address of the pair's relay, as its claim signs it.
    ///
    /// # Errors
    /// [`Refusal::Malformed`] where the record names no relay.
    pub fn origin(&self) -> Result<Origin, Refusal> {
        self.desktop.relay.origin(self.desktop.link.usual_port()).map_err(|_| Refusal::Malformed)
    }

    /// The record's bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let mut stored = Stored::from(self);
        let bytes = Zeroizing::new(canonical::encode(&stored));
        stored.wipe();
        bytes
    }

    /// Reads the record.
    ///
    /// # Errors
    /// [`Refusal::Malformed`], [`Refusal::NotCanonical`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Refusal> {
        let mut stored: Stored = canonical::decode(bytes, limits::MESSAGE)?;
        let pair = stored.open();
        stored.wipe();
        pair
    }
}

impl fmt::Debug for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pair({})", self.desktop.desktop_id)
    }
}

/// The record.
#[derive(Encode, Decode)]
#[cbor(map)]
struct Stored {
    #[n(0)]
    v: u32,
    #[n(1)]
    desktop: VerifyingKey,
    #[n(2)]
    desktop_id: DesktopId,
    #[n(3)]
    device_id: DeviceId,
    #[n(4)]
    name: Foreign,
    #[n(5)]
    account: Foreign,
    #[n(6)]
    relay_host: Foreign,
    #[n(7)]
    is_plain: bool,
    #[n(8)]
    pin: Option<Hash>,
    #[n(9)]
    channel: ChannelId,
    #[n(10)]
    #[cbor(with = "minicbor::bytes")]
    own: [u8; 32],
    #[n(11)]
    #[cbor(with = "minicbor::bytes")]
    peer: [u8; 32],
    #[n(12)]
    #[cbor(with = "minicbor::bytes")]
    pair_psk: [u8; 32],
    #[n(13)]
    #[cbor(with = "minicbor::bytes")]
    bio: Vec<u8>,
    #[n(14)]
    h: Hash,
    #[n(15)]
    #[cbor(with = "minicbor::bytes")]
    device: [u8; 32],
    #[n(16)]
    #[cbor(with = "minicbor::bytes")]
    relay: [u8; 32],
}

impl Stored {
    const VERSION: u32 = 1;

    fn from(pair: &Pair) -> Self {
        let desktop = &pair.desktop;
        Self {
            v: Self::VERSION,
            desktop: desktop.desktop,
            desktop_id: desktop.desktop_id,
            device_id: desktop.device_id,
            name: desktop.name.clone(),
            account: desktop.account.clone(),
            relay_host: Foreign::new(desktop.relay.to_string()),
            is_plain: desktop.link == Link::Plain,
            pin: match &desktop.link {
                Link::Pinned(pin) => Some(Hash::new(*pin)),
                Link::Tls | Link::Plain => None,
            },
            channel: desktop.channel,
            own: *desktop.own.expose(),
            peer: *desktop.peer.as_bytes(),
            pair_psk: *desktop.pair_psk.expose(),
            bio: desktop.bio.spki_der().to_vec(),
            h: desktop.h,
            device: *pair.device.seed().expose(),
            relay: *pair.relay.seed().expose(),
        }
    }

    fn open(&self) -> Result<Pair, Refusal> {
        let link = match (self.v, self.is_plain, self.pin) {
            (Self::VERSION, true, None) => Link::Plain,
            (Self::VERSION, false, None) => Link::Tls,
            (Self::VERSION, false, Some(pin)) => Link::Pinned(*pin.as_bytes()),
            _ => return Err(Refusal::Malformed),
        };
        let desktop = PairedDesktop {
            desktop: self.desktop,
            desktop_id: self.desktop_id,
            device_id: self.device_id,
            name: self.name.clone(),
            account: self.account.clone(),
            relay: RelayHost::parse(self.relay_host.raw()).map_err(|_| Refusal::Malformed)?,
            link,
            channel: self.channel,
            own: AgreementKey::from_bytes(self.own),
            peer: AgreementPublic::new(self.peer),
            pair_psk: Secret32::new(self.pair_psk),
            bio: BioKey::from_spki_der(&self.bio)?,
            h: self.h,
        };
        let (device, relay) = (SigningKey::from_seed(&self.device), SigningKey::from_seed(&self.relay));
        Ok(Pair { desktop, device, relay })
    }

    fn wipe(&mut self) {
        for secret in [&mut self.own, &mut self.pair_psk, &mut self.device, &mut self.relay] {
            secret.zeroize();
        }
    }
}
