//! The phone's side of a pairing. The shell makes the approval key and asks for the finger; nothing is stored before
//! the desktop said that it stored the phone.

mod failure;
mod keys;

use self::keys::{Enrolled, Proposed};
pub use self::{
    failure::PhoneFailure,
    keys::{AboutPhone, PairedDesktop},
};
use super::{
    AttestationPolicy, Chain, Code, Enrolment, Opening, OutOfTurn, Outgoing, PairDesktop, PairDone,
    PairPhone, Terms, Ticket, VERSION, commit, handshake, millis,
};
use crate::{
    canonical,
    envelope::{Header, Kind, RawMessage},
    id::SessionTag,
    key::{BioKey, Secret32, SigningKey},
    limits,
    message::Type,
    noise::{Handshake, Role},
    refusal::Refusal,
    session::{Session, open_step, seal_step},
    text::Foreign,
};

/// What the shell must do.
#[derive(Debug)]
pub enum PhoneCommand {
    /// Make the approval key with this attestation challenge; then call [`PhonePairing::bio_key_made`].
    MakeBioKey {
        /// The challenge.
        challenge: [u8; 32],
        /// How the desktop will judge the key.
        policy: AttestationPolicy,
    },
    /// Send this, and show the code for the person to type on the desktop.
    ShowCode {
        /// Message 3.
        outgoing: Outgoing,
        /// The code.
        code: Code,
    },
    /// Ask for the finger, naming the desktop, and sign exactly these bytes with the approval key; then call
    /// [`PhonePairing::bio_signed`].
    SignBio {
        /// The bytes to sign.
        bytes: Vec<u8>,
        /// The desktop's name.
        name: Foreign,
        /// `user@host`.
        account: Foreign,
    },
    /// Send this.
    Send(Outgoing),
    /// Store the desktop: the pairing is done.
    Store(Box<PairedDesktop>),
    /// The pairing is over; tell the person why.
    Failed(PhoneFailure),
}

/// One pairing, from the scan to its end.
#[derive(Debug)]
pub struct PhonePairing {
    ticket: Ticket,
    about: AboutPhone,
    deadline_ms: u64,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Message 1 is out.
    Greeting { handshake: Box<Handshake>, tag: SessionTag },
    /// Message 2 is in; the shell makes the approval key.
    MakingKey { handshake: Box<Handshake>, tag: SessionTag, terms: Terms },
    /// Message 3 is out; the person types.
    Showing(Box<Enrolled>),
    /// The desktop's proof holds; the shell asks for the finger.
    Signing(Box<Proposed>),
    /// The phone's proof is out.
    Proving(Box<Proposed>),
    /// Paired or failed.
    Over,
}

impl PhonePairing {
    /// Starts a pairing with a scanned ticket: message 1 is to be sent on [`Ticket::rendezvous`].
    ///
    /// # Errors
    /// [`PhoneFailure::BadTicket`] where the ticket's key is none that can be agreed with.
    pub fn start(
        ticket: Ticket,
        about: AboutPhone,
        ephemeral: Secret32,
        boot_ms: u64,
    ) -> Result<(Self, Outgoing), PhoneFailure> {
        let commit = commit(&about.nonce, &about.own.public(), &about.device);
        let opening = Opening { versions: vec![u32::from(VERSION)], commit };
        let mut handshake = handshake(&ticket, Role::Initiator, about.own.clone(), ephemeral)
            .map_err(|_| PhoneFailure::BadTicket)?;
        let (tag, envelope) = seal_step(&mut handshake, Kind::Pair, None, &canonical::encode(&opening))
            .map_err(|_| PhoneFailure::BadTicket)?;
        let life = millis(limits::PAIR_TTL) + millis(limits::PAIR_TYPING);
        let deadline_ms = boot_ms.saturating_add(life);
        let state = State::Greeting { handshake: Box::new(handshake), tag };
        Ok((Self { ticket, about, deadline_ms, state }, Outgoing { envelope, first: true }))
    }

    /// When to call [`expire`](Self::expire), as boot time.
    #[must_use]
    pub const fn poll_timeout(&self) -> Option<u64> {
        match self.state {
            State::Over => None,
            _ => Some(self.deadline_ms),
        }
    }

    /// Ends the pairing if its time is over. The desktop's clock decides; this one only stops the waiting.
    pub fn expire(&mut self, boot_ms: u64) -> Option<PhoneCommand> {
        let is_over = self.poll_timeout().is_some_and(|deadline| boot_ms >= deadline);
        is_over.then(|| self.fail(PhoneFailure::Expired))
    }

    /// Takes an envelope of the rendezvous channel.
    ///
    /// # Errors
    /// Why the envelope is to be dropped; the pairing goes on as before.
    pub fn receive(&mut self, envelope: &[u8], boot_ms: u64) -> Result<PhoneCommand, Refusal> {
        if let Some(expired) = self.expire(boot_ms) {
            return Ok(expired);
        }
        let (header, noise) = Header::split(envelope)?;
        match header.kind {
            Kind::Pair => self.take_second(&header, noise),
            Kind::Data => self.take_proof(&header, noise, boot_ms),
            Kind::Hs1 | Kind::Hs2 => Err(Refusal::Malformed),
        }
    }

    /// The shell made the approval key; its chain, leaf first.
    ///
    /// # Errors
    /// [`OutOfTurn`].
    pub fn bio_key_made(
        &mut self,
        certificates: Vec<Vec<u8>>,
        boot_ms: u64,
    ) -> Result<PhoneCommand, OutOfTurn> {
        if let Some(expired) = self.expire(boot_ms) {
            return Ok(expired);
        }
        let taken = self.take_if(|state| matches!(state, State::MakingKey { .. }))?;
        let State::MakingKey { handshake, tag, terms } = taken else { return Err(OutOfTurn) };
        let chain = Chain::new(certificates).and_then(|chain| chain.leaf_key().map(|bio| (chain, bio)));
        let Ok((chain, bio)) = chain else { return Ok(self.fail(PhoneFailure::BadChain)) };
        let enrolment = self.about.enrolment(chain);
        match self.enrol(*handshake, tag, &terms, &enrolment, bio, boot_ms) {
            Ok(command) => Ok(command),
            Err(_) => Ok(self.fail(PhoneFailure::BadChain)),
        }
    }

    /// The approval key signed the bytes of [`PhoneCommand::SignBio`]. `device` is `P_sig`.
    ///
    /// # Errors
    /// [`OutOfTurn`].
    pub fn bio_signed(
        &mut self,
        der: Vec<u8>,
        device: &SigningKey,
        boot_ms: u64,
    ) -> Result<PhoneCommand, OutOfTurn> {
        if let Some(expired) = self.expire(boot_ms) {
            return Ok(expired);
        }
        let taken = self.take_if(|state| matches!(state, State::Signing(_)))?;
        let State::Signing(mut proposed) = taken else { return Err(OutOfTurn) };
        let proof = PairPhone::sign(&proposed.bound, &proposed.bio, der, device);
        if proof.verify(&proposed.bound, &proposed.bio).is_err() {
            return Ok(self.fail(PhoneFailure::BadSignature));
        }
        let message = RawMessage::new(Type::PairPhone.code(), canonical::encode(&proof));
        let sealed = proposed.session.seal(&message, boot_ms).ok().and_then(|mut all| all.pop());
        let Some(envelope) = sealed else { return Ok(self.fail(PhoneFailure::BadDesktop)) };
        self.state = State::Proving(proposed);
        Ok(PhoneCommand::Send(Outgoing { envelope, first: false }))
    }

    fn take_second(&mut self, header: &Header, noise: &[u8]) -> Result<PhoneCommand, Refusal> {
        let State::Greeting { handshake, tag } = &mut self.state else {
            return Err(Refusal::CounterReplayed);
        };
        if header.tag != *tag {
            return Err(Refusal::NoSession);
        }
        let payload = open_step(handshake, noise)?;
        let Ok(terms) = Terms::parse(&payload) else { return Ok(self.fail(PhoneFailure::BadDesktop)) };
        if terms.version != u32::from(VERSION) {
            return Ok(self.fail(PhoneFailure::OtherVersion));
        }
        let State::Greeting { handshake, tag } = core::mem::replace(&mut self.state, State::Over) else {
            return Err(Refusal::CounterReplayed);
        };
        let Terms { challenge, policy, .. } = terms;
        self.state = State::MakingKey { handshake, tag, terms };
        Ok(PhoneCommand::MakeBioKey { challenge, policy })
    }

    fn enrol(
        &mut self,
        mut handshake: Handshake,
        tag: SessionTag,
        terms: &Terms,
        enrolment: &Enrolment,
        bio: BioKey,
        boot_ms: u64,
    ) -> Result<PhoneCommand, Refusal> {
        let code = self.about.code(terms, &handshake.hash(), &self.ticket);
        let (_, envelope) = seal_step(&mut handshake, Kind::Pair, Some(tag), &canonical::encode(enrolment))?;
        let h = handshake.hash();
        let session = Session::new(tag, handshake.finish()?, boot_ms);
        let pair_psk = self.about.pair_psk(terms, &h, &self.ticket);
        self.state = State::Showing(Box::new(Enrolled { session, h, bio, pair_psk }));
        Ok(PhoneCommand::ShowCode { outgoing: Outgoing { envelope, first: true }, code })
    }

    fn take_proof(&mut self, header: &Header, noise: &[u8], boot_ms: u64) -> Result<PhoneCommand, Refusal> {
        let session = match &mut self.state {
            State::Showing(enrolled) => &mut enrolled.session,
            State::Proving(proposed) => &mut proposed.session,
            State::Greeting { .. } | State::MakingKey { .. } | State::Signing(_) | State::Over => {
                return Err(Refusal::NoSession);
            }
        };
        let message = session.open(header, noise, boot_ms)?.ok_or(Refusal::Malformed)?;
        match core::mem::replace(&mut self.state, State::Over) {
            State::Showing(enrolled) => Ok(self.take_desktop(*enrolled, &message)),
            State::Proving(proposed) => Ok(self.take_done(*proposed, &message)),
            State::Greeting { .. } | State::MakingKey { .. } | State::Signing(_) | State::Over => {
                Err(Refusal::NoSession)
            }
        }
    }

    fn take_desktop(&mut self, enrolled: Enrolled, message: &RawMessage) -> PhoneCommand {
        let proof = match Type::from_code(message.kind) {
            Some(Type::PairDesktop) => PairDesktop::decode(&message.body),
            _ => Err(Refusal::Malformed),
        };
        let Ok(proof) = proof else { return self.fail(PhoneFailure::BadDesktop) };
        let bound = self.about.bound(&enrolled.h, &self.ticket, &proof.desktop);
        if proof.verify(&bound).is_err() {
            return self.fail(PhoneFailure::BadProof);
        }
        let bytes = bound.bio_bytes(&enrolled.bio);
        let (name, account) = (proof.name.clone(), proof.account.clone());
        self.state = State::Signing(Box::new(enrolled.propose(bound, proof)));
        PhoneCommand::SignBio { bytes, name, account }
    }

    fn take_done(&mut self, proposed: Proposed, message: &RawMessage) -> PhoneCommand {
        let done = match Type::from_code(message.kind) {
            Some(Type::PairDone) => PairDone::decode(&message.body),
            _ => Err(Refusal::Malformed),
        };
        let Ok(done) = done else { return self.fail(PhoneFailure::BadDesktop) };
        if done.verify(&proposed.bound, &proposed.bio, &proposed.desktop).is_err() {
            return self.fail(PhoneFailure::BadProof);
        }
        PhoneCommand::Store(Box::new(proposed.finish(done.channel, &self.ticket, &self.about)))
    }

    fn take_if(&mut self, is_due: impl Fn(&State) -> bool) -> Result<State, OutOfTurn> {
        if is_due(&self.state) {
            Ok(core::mem::replace(&mut self.state, State::Over))
        } else {
            Err(OutOfTurn)
        }
    }

    fn fail(&mut self, failure: PhoneFailure) -> PhoneCommand {
        self.state = State::Over;
        PhoneCommand::Failed(failure)
    }
}
