//! The desktop's side of a pairing. It stores nothing itself: [`DesktopCommand::Store`] comes only after the code was
//! typed, the caller accepted the phone's chain, every signature held, and the time was not over.

mod candidate;
mod failure;

use self::candidate::{Candidate, Proven, Scanned, Vouched};
pub use self::{
    candidate::{PairedPhone, PhoneClaims},
    failure::{DesktopFailure, Objection},
};
use super::{
    AttestationPolicy, Code, Opening, OutOfTurn, Outgoing, PairDesktop, PairDone, PairPhone, Ticket,
    handshake, millis,
};
use crate::{
    canonical,
    envelope::{Header, Kind, RawMessage},
    id::{ChannelId, SessionTag},
    key::{AgreementKey, Secret32, SigningKey},
    limits,
    message::Type,
    noise::Role,
    refusal::Refusal,
    session::{Session, ephemeral_of, open_step, tag_of},
    text::Foreign,
};

/// What the desktop says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AboutDesktop {
    /// Its name, at most [`limits::NAME_CHARS`] characters.
    pub name: Foreign,
    /// `user@host`, as short.
    pub account: Foreign,
    /// How it will judge the approval key.
    pub policy: AttestationPolicy,
}

/// Fresh random bytes for a first message; used only if the envelope is one.
#[derive(Debug, Clone)]
pub struct DesktopRandom {
    /// For the handshake's ephemeral key.
    pub ephemeral: Secret32,
    /// `n_d`.
    pub nonce: Secret32,
    /// The attestation challenge.
    pub challenge: [u8; 32],
}

/// What the caller must do.
#[derive(Debug)]
pub enum DesktopCommand {
    /// Send this on the rendezvous channel.
    Send(Outgoing),
    /// Judge the phone's chain and look whether one of its keys is registered already; then call
    /// [`DesktopPairing::judged`].
    CheckPhone(Box<PhoneClaims>),
    /// Ask the person for the code on the phone; then call [`DesktopPairing::type_code`].
    AskCode,
    /// The code was wrong; ask again.
    WrongCode {
        /// Tries that are left.
        tries_left: u8,
    },
    /// Store the phone and open its channel; then call [`DesktopPairing::stored`].
    Store(Box<PairedPhone>),
    /// The pairing is over without a phone; tell the person why.
    Failed(DesktopFailure),
}

/// One pairing, from the ticket to its end.
#[derive(Debug)]
pub struct DesktopPairing {
    ticket: Ticket,
    own: AgreementKey,
    about: AboutDesktop,
    deadline_ms: u64,
    state: State,
}

#[derive(Debug)]
enum State {
    /// The ticket is shown; nobody came yet.
    Waiting,
    /// Message 2 is out.
    Scanned(Box<Scanned>),
    /// Message 3 is in; the caller judges.
    Judging(Box<Candidate>),
    /// The person types the code.
    Typing { candidate: Box<Candidate>, tries_left: u8 },
    /// The desktop's proof is out.
    Proving(Box<Vouched>),
    /// The phone's proof holds; the caller stores.
    Storing(Box<Proven>),
    /// Paired or failed.
    Over,
}

impl DesktopPairing {
    /// Starts a pairing whose ticket is shown from now on. `own` is `D_x`, whose public half the ticket names.
    #[must_use]
    pub fn start(ticket: Ticket, own: AgreementKey, about: AboutDesktop, boot_ms: u64) -> Self {
        let deadline_ms = boot_ms.saturating_add(millis(limits::PAIR_TTL));
        Self { ticket, own, about, deadline_ms, state: State::Waiting }
    }

    /// When to call [`expire`](Self::expire), as boot time.
    #[must_use]
    pub const fn poll_timeout(&self) -> Option<u64> {
        match self.state {
            State::Storing(_) | State::Over => None,
            _ => Some(self.deadline_ms),
        }
    }

    /// Ends the pairing if its time is over.
    pub fn expire(&mut self, boot_ms: u64) -> Option<DesktopCommand> {
        let is_over = self.poll_timeout().is_some_and(|deadline| boot_ms >= deadline);
        is_over.then(|| self.fail(DesktopFailure::Expired))
    }

    /// Takes an envelope of the rendezvous channel.
    ///
    /// # Errors
    /// Why the envelope is to be dropped; the pairing goes on as before.
    pub fn receive(
        &mut self,
        envelope: &[u8],
        random: DesktopRandom,
        boot_ms: u64,
    ) -> Result<DesktopCommand, Refusal> {
        if let Some(expired) = self.expire(boot_ms) {
            return Ok(expired);
        }
        let (header, noise) = Header::split(envelope)?;
        match header.kind {
            Kind::Pair if self.tag() == Some(header.tag) => self.take_third(noise, boot_ms),
            Kind::Pair => self.take_first(&header, noise, random),
            Kind::Data => self.take_proof(&header, noise, boot_ms),
            Kind::Hs1 | Kind::Hs2 => Err(Refusal::Malformed),
        }
    }

    /// The caller's judgement on [`DesktopCommand::CheckPhone`].
    ///
    /// # Errors
    /// [`OutOfTurn`].
    pub fn judged(
        &mut self,
        verdict: Result<(), Objection>,
        boot_ms: u64,
    ) -> Result<DesktopCommand, OutOfTurn> {
        if let Some(expired) = self.expire(boot_ms) {
            return Ok(expired);
        }
        let State::Judging(candidate) = self.take_if(|state| matches!(state, State::Judging(_)))? else {
            return Err(OutOfTurn);
        };
        if let Err(objection) = verdict {
            return Ok(self.fail(objection.into()));
        }
        self.state = State::Typing { candidate, tries_left: limits::PAIR_TRIES };
        Ok(DesktopCommand::AskCode)
    }

    /// What the person typed. `key` is `D_sig`.
    ///
    /// # Errors
    /// [`OutOfTurn`].
    pub fn type_code(
        &mut self,
        code: Code,
        key: &SigningKey,
        boot_ms: u64,
    ) -> Result<DesktopCommand, OutOfTurn> {
        if let Some(expired) = self.expire(boot_ms) {
            return Ok(expired);
        }
        let taken = self.take_if(|state| matches!(state, State::Typing { .. }))?;
        let State::Typing { candidate, tries_left } = taken else { return Err(OutOfTurn) };
        if code != candidate.code() {
            let tries_left = tries_left.saturating_sub(1);
            if tries_left == 0 {
                return Ok(self.fail(DesktopFailure::WrongCode));
            }
            self.state = State::Typing { candidate, tries_left };
            return Ok(DesktopCommand::WrongCode { tries_left });
        }
        Ok(self.prove(*candidate, key, boot_ms))
    }

    /// The caller stored the phone and opened its channel. `key` is `D_sig`.
    ///
    /// # Errors
    /// [`OutOfTurn`].
    pub fn stored(
        &mut self,
        channel: ChannelId,
        key: &SigningKey,
        boot_ms: u64,
    ) -> Result<DesktopCommand, OutOfTurn> {
        let taken = self.take_if(|state| matches!(state, State::Storing(_)))?;
        let State::Storing(mut proven) = taken else { return Err(OutOfTurn) };
        let done = PairDone::sign(&proven.bound, &proven.bio, channel, key);
        let message = RawMessage::new(Type::PairDone.code(), canonical::encode(&done));
        Ok(send(&mut proven.session, &message, boot_ms)
            .unwrap_or_else(|_| self.fail(DesktopFailure::BadPhone)))
    }

    fn take_first(
        &mut self,
        header: &Header,
        noise: &[u8],
        random: DesktopRandom,
    ) -> Result<DesktopCommand, Refusal> {
        if matches!(self.state, State::Storing(_) | State::Over) {
            return Err(Refusal::NoSession);
        }
        if header.tag != tag_of(noise)? {
            return Err(Refusal::Malformed);
        }
        let ephemeral = random.ephemeral.clone();
        let mut handshake = handshake(&self.ticket, Role::Responder, self.own.clone(), ephemeral)?;
        let payload = open_step(&mut handshake, noise)?;
        // Whoever gets here holds the ticket's secret.
        if !matches!(self.state, State::Waiting) {
            return Ok(self.fail(DesktopFailure::SomeoneElseScanned));
        }
        let Ok(opening) = Opening::parse(&payload) else { return Ok(self.fail(DesktopFailure::BadPhone)) };
        if !opening.speaks_ours() {
            return Ok(self.fail(DesktopFailure::OtherVersion));
        }
        let (scanned, outgoing) =
            Scanned::answer(handshake, ephemeral_of(noise)?, opening.commit, random, self.about.policy)?;
        self.state = State::Scanned(Box::new(scanned));
        Ok(DesktopCommand::Send(outgoing))
    }

    fn take_third(&mut self, noise: &[u8], boot_ms: u64) -> Result<DesktopCommand, Refusal> {
        let State::Scanned(scanned) = &mut self.state else { return Err(Refusal::CounterReplayed) };
        if ephemeral_of(noise)? == scanned.ephemeral {
            return Err(Refusal::CounterReplayed);
        }
        let payload = open_step(&mut scanned.handshake, noise)?;
        let State::Scanned(scanned) = core::mem::replace(&mut self.state, State::Over) else {
            return Err(Refusal::CounterReplayed);
        };
        match scanned.enrol(&payload, &self.ticket, boot_ms) {
            Ok(candidate) => {
                let claims = candidate.claims();
                self.deadline_ms = self.deadline_ms.saturating_add(millis(limits::PAIR_TYPING));
                self.state = State::Judging(Box::new(candidate));
                Ok(DesktopCommand::CheckPhone(Box::new(claims)))
            }
            Err(failure) => Ok(self.fail(failure)),
        }
    }

    fn prove(&mut self, candidate: Candidate, key: &SigningKey, boot_ms: u64) -> DesktopCommand {
        let mut vouched = candidate.vouch(self.ticket.desktop(), &key.public());
        let AboutDesktop { name, account, policy: _ } = self.about.clone();
        let proof = PairDesktop::sign(&vouched.bound, name, account, key);
        let message = RawMessage::new(Type::PairDesktop.code(), canonical::encode(&proof));
        match send(vouched.session(), &message, boot_ms) {
            Ok(command) => {
                self.state = State::Proving(Box::new(vouched));
                command
            }
            Err(_) => self.fail(DesktopFailure::BadPhone),
        }
    }

    fn take_proof(&mut self, header: &Header, noise: &[u8], boot_ms: u64) -> Result<DesktopCommand, Refusal> {
        let State::Proving(vouched) = &mut self.state else { return Err(Refusal::NoSession) };
        let message = vouched.session().open(header, noise, boot_ms)?.ok_or(Refusal::Malformed)?;
        let proof = match Type::from_code(message.kind) {
            Some(Type::PairPhone) => PairPhone::decode(&message.body),
            _ => Err(Refusal::Malformed),
        };
        let Ok(proof) = proof else { return Ok(self.fail(DesktopFailure::BadPhone)) };
        if proof.verify(&vouched.bound, vouched.bio()).is_err() {
            return Ok(self.fail(DesktopFailure::BadProof));
        }
        let State::Proving(vouched) = core::mem::replace(&mut self.state, State::Over) else {
            return Err(Refusal::NoSession);
        };
        let (proven, phone) = vouched.finish(&self.ticket, self.own.clone());
        self.state = State::Storing(Box::new(proven));
        Ok(DesktopCommand::Store(Box::new(phone)))
    }

    /// The tag of the phone that scanned first, while its pairing goes on.
    fn tag(&self) -> Option<SessionTag> {
        match &self.state {
            State::Scanned(scanned) => Some(scanned.tag()),
            State::Judging(candidate) | State::Typing { candidate, .. } => Some(candidate.tag()),
            State::Proving(vouched) => Some(vouched.tag()),
            State::Waiting | State::Storing(_) | State::Over => None,
        }
    }

    fn take_if(&mut self, is_due: impl Fn(&State) -> bool) -> Result<State, OutOfTurn> {
        if is_due(&self.state) {
            Ok(core::mem::replace(&mut self.state, State::Over))
        } else {
            Err(OutOfTurn)
        }
    }

    fn fail(&mut self, failure: DesktopFailure) -> DesktopCommand {
        self.state = State::Over;
        DesktopCommand::Failed(failure)
    }
}

/// Seals a message that fits one envelope.
fn send(session: &mut Session, message: &RawMessage, boot_ms: u64) -> Result<DesktopCommand, Refusal> {
    let envelope = session.seal(message, boot_ms)?.pop().ok_or(Refusal::Malformed)?;
    Ok(DesktopCommand::Send(Outgoing { envelope, first: false }))
}
