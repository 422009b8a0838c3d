//! The ceremony: what comes from the phone, the person and the clock goes into the machine of `proto`, and what it
//! commands is done, one thing at a time.

use countersign_core::approver::{KeyStrength, NewApprover, Standing};
use countersign_ipc::control::{ErrorCode, Failure, PairEvent, PhoneInfo};
use countersign_proto::{
    id::ChannelId,
    key::{Secret32, SigningKey},
    limits,
    pairing::{
        Code, DesktopCommand, DesktopPairing, DesktopRandom, Objection, OutOfTurn, Outgoing, PairedPhone,
        PhoneClaims, derive_desktop_id, derive_device_id,
    },
    text::Foreign,
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{failure::NoPhone, judge::judge, name, rendezvous::Rendezvous};
use crate::{
    clock,
    control_socket::TypedCode,
    courier::Trouble,
    eventloop::{Ended, Handle},
    keys::random,
    phones,
    timer::BootTimer,
};

/// A phone that proved everything, and what it will be called.
#[derive(Debug)]
pub(super) struct Proven {
    pub(super) phone: Box<PairedPhone>,
    pub(super) approver: Box<NewApprover>,
}

/// One pairing, from its ticket on.
pub(super) struct Ceremony {
    pub(super) machine: DesktopPairing,
    pub(super) rendezvous: Rendezvous,
    pub(super) events: mpsc::Sender<PairEvent>,
    pub(super) codes: mpsc::Receiver<TypedCode>,
    pub(super) handle: Handle,
    /// `D_sig`.
    pub(super) key: SigningKey,
    pub(super) is_demo: bool,
    pub(super) timer: BootTimer,
    /// The phone that scanned, once it said what it is.
    pub(super) candidate: Candidate,
}

/// What is known of a phone so far.
#[derive(Debug)]
pub(super) enum Candidate {
    /// Nobody scanned.
    Nobody,
    /// Somebody did.
    Someone,
    /// It said what it is, and was judged.
    Known(Box<NewApprover>),
}

impl Ceremony {
    /// Goes on until a phone proved everything.
    pub(super) async fn run(&mut self, given_up: &CancellationToken) -> Result<Proven, NoPhone> {
        loop {
            let command = tokio::select! {
                envelope = self.rendezvous.receive() => self.receive(&envelope.ok_or(Trouble::Broken)?)?,
                typed = self.codes.recv() => self.type_code(typed.ok_or(NoPhone::GivenUp)?),
                rang = self.timer.until(self.machine.poll_timeout()) => {
                    rang.map_err(NoPhone::Timer)?;
                    self.machine.expire(clock::boot_ms())
                }
                () = given_up.cancelled() => return Err(NoPhone::GivenUp),
            };
            if let Some(command) = command
                && let Some(proven) = self.follow(command).await?
            {
                return Ok(proven);
            }
        }
    }

    /// The phone is stored and its channel is open: tells it so.
    pub(super) fn stored(&mut self, channel: ChannelId) -> Result<(), NoPhone> {
        match self.machine.stored(channel, &self.key, clock::boot_ms()) {
            Ok(DesktopCommand::Send(outgoing)) => {
                self.send(outgoing);
                Ok(())
            }
            Ok(DesktopCommand::Failed(failure)) => Err(failure.into()),
            Ok(_) | Err(OutOfTurn) => Err(NoPhone::GivenUp),
        }
    }

    fn receive(&mut self, envelope: &[u8]) -> Result<Option<DesktopCommand>, NoPhone> {
        let fresh = DesktopRandom {
            ephemeral: Secret32::new(*random()?),
            nonce: Secret32::new(*random()?),
            challenge: *random()?,
        };
        let received = self.machine.receive(envelope, fresh, clock::boot_ms());
        if let Err(refusal) = &received {
            tracing::debug!(code = refusal.code(), "an envelope was dropped at the rendezvous");
        }
        Ok(received.ok())
    }

    fn type_code(&mut self, typed: TypedCode) -> Option<DesktopCommand> {
        let (command, taken) = match Code::parse(&typed.code) {
            Ok(code) => match self.machine.type_code(code, &self.key, clock::boot_ms()) {
                Ok(command) => (Some(command), Ok(())),
                Err(OutOfTurn) => (None, Err(failure(ErrorCode::NoPairing, "no code is asked for now"))),
            },
            Err(bad) => (None, Err(failure(ErrorCode::BadRequest, &bad.to_string()))),
        };
        // Whoever typed it may be gone.
        let _ = typed.taken.send(taken);
        command
    }

    /// Does what the machine commands, and whatever follows from that.
    async fn follow(&mut self, command: DesktopCommand) -> Result<Option<Proven>, NoPhone> {
        let mut next = Some(command);
        while let Some(command) = next.take() {
            match command {
                DesktopCommand::Send(outgoing) => {
                    self.send(outgoing);
                    if matches!(self.candidate, Candidate::Nobody) {
                        self.candidate = Candidate::Someone;
                        self.tell(PairEvent::Scanned {}).await;
                    }
                }
                DesktopCommand::CheckPhone(claims) => {
                    let verdict = self.check(&claims).await?;
                    next = self.machine.judged(verdict, clock::boot_ms()).ok();
                }
                DesktopCommand::AskCode => self.ask_code(limits::PAIR_TRIES).await,
                DesktopCommand::WrongCode { tries_left } => {
                    self.tell(PairEvent::WrongCode { tries_left: tries_left.into() }).await;
                    self.ask_code(tries_left).await;
                }
                DesktopCommand::Store(phone) => {
                    let candidate = std::mem::replace(&mut self.candidate, Candidate::Someone);
                    let Candidate::Known(approver) = candidate else { return Err(NoPhone::GivenUp) };
                    return Ok(Some(Proven { phone, approver }));
                }
                DesktopCommand::Failed(failure) => return Err(failure.into()),
            }
        }
        Ok(None)
    }

    /// Judges a phone, and introduces it where it is taken.
    async fn check(&mut self, claims: &PhoneClaims) -> Result<Result<(), Objection>, NoPhone> {
        let others = Others::look(&self.handle).await?;
        if others.know(claims) {
            return Ok(Err(Objection::AlreadyRegistered));
        }
        let strength = match judge(&claims.chain, self.is_demo) {
            Ok(strength) => strength,
            Err(objection) => return Ok(Err(objection)),
        };
        let approver = self.introduce(claims, strength, &others);
        let info = PhoneInfo {
            name: approver.name.shown().to_string(),
            model: approver.model.shown().to_string(),
            fingerprint: phones::fingerprint(&approver),
            security: phones::security(strength).to_owned(),
        };
        self.candidate = Candidate::Known(Box::new(approver));
        self.tell(PairEvent::PhoneInfo(info)).await;
        Ok(Ok(()))
    }

    fn introduce(&self, claims: &PhoneClaims, strength: KeyStrength, others: &Others) -> NewApprover {
        let words = name::words(&claims.bio);
        let model = match claims.app_version.raw() {
            "" => claims.model.clone(),
            version => Foreign::new(format!("{}, app {version}", claims.model.raw())),
        };
        NewApprover {
            device_id: derive_device_id(&derive_desktop_id(&self.key.public()), &claims.device),
            name: name::name(&claims.model, &words, |name| others.names.iter().any(|other| other == name)),
            model,
            device_key: claims.device,
            bio_key: claims.bio.clone(),
            strength,
            chain: claims.chain.certificates().to_vec(),
            paired_wall_ms: clock::wall_ms(),
        }
    }

    async fn ask_code(&self, tries_left: u8) {
        let until_ms = self.machine.poll_timeout().unwrap_or_default();
        let expires_in_ms = until_ms.saturating_sub(clock::boot_ms());
        self.tell(PairEvent::CodeNeeded { expires_in_ms, tries_left: tries_left.into() }).await;
    }

    fn send(&self, outgoing: Outgoing) {
        let ttl_ms = u64::try_from(limits::ENVELOPE_TTL.as_millis()).unwrap_or(u64::MAX);
        self.rendezvous.send(outgoing, clock::boot_ms().saturating_add(ttl_ms));
    }

    async fn tell(&self, event: PairEvent) {
        // Whoever started the pairing may be gone; that gives it up by another way.
        let _ = self.events.send(event).await;
    }
}

/// The phones that are known already.
struct Others {
    /// Of those that are not revoked.
    names: Vec<String>,
    keys: Vec<(countersign_proto::key::VerifyingKey, countersign_proto::key::BioKey)>,
}

impl Others {
    async fn look(handle: &Handle) -> Result<Self, Ended> {
        let look = |view: crate::eventloop::View<'_>| {
            let approvers = view.core.approvers();
            let active = approvers.iter().filter(|approver| approver.standing != Standing::Revoked);
            Self {
                names: active.map(|approver| approver.who.name.raw().to_owned()).collect(),
                keys: approvers.iter().map(|a| (a.who.device_key, a.who.bio_key.clone())).collect(),
            }
        };
        handle.look(look).await
    }

    fn know(&self, claims: &PhoneClaims) -> bool {
        self.keys.iter().any(|(device, bio)| *device == claims.device || *bio == claims.bio)
    }
}

fn failure(code: ErrorCode, text: &str) -> Failure {
    Failure { code, text: text.to_owned(), hint: String::new() }
}
