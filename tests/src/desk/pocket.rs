//! A phone as tests hold it: its keys in the open, so that it can sign what an honest phone never would.

use countersign_core::approver::{KeyStrength, NewApprover};
use countersign_proto::{
    canonical, domain,
    id::{DesktopId, DeviceId},
    key::{BioKey, SigningKey, VerifyingKey},
    message::{Lock, Message},
    offer::{OpenedOffer, SignedOffer},
    reply::{Decision, Payload, Reply, SignedReply},
    request::Request,
    text::Foreign,
};
use p256::{
    ecdsa::{DerSignature, signature::Signer as _},
    pkcs8::EncodePublicKey as _,
};

/// A paired phone.
#[derive(Clone)]
pub struct Pocket {
    /// Its id.
    pub device: DeviceId,
    /// Its name.
    pub name: String,
    /// The desktop it is paired with.
    pub desktop: DesktopId,
    /// That desktop's key.
    pub desktop_key: VerifyingKey,
    /// Its device key.
    pub device_key: SigningKey,
    /// Its approval key.
    pub bio_key: p256::ecdsa::SigningKey,
    /// Counter of its last signed word.
    pub counter: u64,
}

/// How a reply is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signing {
    /// As the decision needs it.
    Honest,
    /// With the device key alone.
    DeviceOnly,
    /// By both keys, whatever the decision.
    Both,
}

impl Pocket {
    /// A phone whose keys follow from its name.
    #[must_use]
    pub fn make(name: &str, desktop: &SigningKey) -> Self {
        let desktop_key = desktop.public();
        let desktop = *domain::hash(domain::DESKTOP_ID, &[desktop_key.as_bytes()]).as_bytes();
        let desktop = DesktopId::new(desktop);
        let seed = |what: &str| *domain::hash(domain::RAW, &[name.as_bytes(), what.as_bytes()]).as_bytes();
        let device_key = SigningKey::from_seed(&seed("device"));
        let bio_key = p256::ecdsa::SigningKey::from_slice(&seed("bio")).expect("a hash is a valid scalar");
        let id = domain::hash(domain::DEVICE_ID, &[desktop.as_bytes(), device_key.public().as_bytes()]);
        let device = DeviceId::from_slice(&id.as_bytes()[..16]).expect("16 bytes");
        Self { device, name: name.to_owned(), desktop, desktop_key, device_key, bio_key, counter: 0 }
    }

    /// What pairing hands to the core.
    #[must_use]
    pub fn approver(&self) -> NewApprover {
        NewApprover {
            device_id: self.device,
            name: Foreign::new(self.name.clone()),
            model: Foreign::new("demo phone"),
            device_key: self.device_key.public(),
            bio_key: self.bio_public(),
            strength: KeyStrength::Demo,
            chain: vec![b"self-signed".to_vec()],
            paired_wall_ms: 1_700_000_000_000,
        }
    }

    /// The public half of the approval key.
    #[must_use]
    pub fn bio_public(&self) -> BioKey {
        let spki = self.bio_key.verifying_key().to_public_key_der().expect("a public key has an SPKI");
        BioKey::from_spki_der(spki.as_bytes()).expect("its own SPKI")
    }

    /// Opens an offer for this phone.
    #[must_use]
    pub fn open(&self, signed: &SignedOffer) -> Option<OpenedOffer> {
        signed.open(&self.desktop_key, &self.desktop, &self.device).ok()
    }

    /// The reply an honest phone would give, with its counter moved on.
    pub fn reply(&mut self, offer: &SignedOffer, decision: Decision) -> Reply {
        let opened = self.open(offer).expect("an offer of this phone's desktop");
        self.counter += 1;
        let payload = match decision {
            Decision::DenyWithNote => Some(Payload::Note(Foreign::new("use the staging host"))),
            Decision::ApproveAlways => {
                let request = Request::decode(&opened.offer().request).expect("a request");
                // A text that nobody offered, where nothing may be remembered.
                let text = request.always.first().map_or("", |always| always.text.raw());
                Some(Payload::Always(0, domain::hash(domain::OFFERED_TEXT, &[text.as_bytes()])))
            }
            Decision::Answer => Some(Payload::Answers(Vec::new())),
            Decision::Grant | Decision::ServiceAction => Some(Payload::Offered(opened.hash())),
            Decision::Deny | Decision::Dismiss | Decision::ApproveOnce | Decision::HandOff => None,
        };
        Reply {
            v: Reply::VERSION,
            desktop_id: self.desktop,
            device_id: self.device,
            offer_id: opened.offer().offer_id,
            offer_hash: opened.hash(),
            decision,
            counter: self.counter,
            payload,
            phone_time: 1_700_000_000_000,
        }
    }

    /// Signs a reply.
    #[must_use]
    pub fn sign(&self, reply: &Reply, signing: Signing) -> SignedReply {
        let bytes = canonical::encode(reply);
        let sig = self.device_key.sign(domain::REPLY_DEVICE, &[&bytes]);
        let with_bio = match signing {
            Signing::Honest => reply.decision.needs_bio(),
            Signing::DeviceOnly => false,
            Signing::Both => true,
        };
        let sig_bio = with_bio.then(|| self.sign_bio(domain::REPLY_BIO, &bytes));
        SignedReply { bytes, sig, sig_bio }
    }

    /// The approval key's signature under a label.
    #[must_use]
    pub fn sign_bio(&self, label: domain::Label, bytes: &[u8]) -> Vec<u8> {
        let signature: DerSignature = self.bio_key.sign(&domain::sig(label, &[bytes]));
        signature.as_bytes().to_vec()
    }

    /// An honest, signed reply as a message.
    pub fn decide(&mut self, offer: &SignedOffer, decision: Decision) -> Message {
        let reply = self.reply(offer, decision);
        Message::Reply(self.sign(&reply, Signing::Honest))
    }

    /// The same with a payload of the test's own.
    pub fn decide_with(
        &mut self,
        offer: &SignedOffer,
        decision: Decision,
        payload: Option<Payload>,
    ) -> Message {
        let reply = Reply { payload, ..self.reply(offer, decision) };
        Message::Reply(self.sign(&reply, Signing::Honest))
    }

    /// A signed lock.
    pub fn lock(&mut self) -> Message {
        self.counter += 1;
        let lock = Lock { v: 1, desktop_id: self.desktop, device_id: self.device, counter: self.counter };
        Message::Lock(lock.sign(&self.device_key))
    }
}
