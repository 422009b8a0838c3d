//! A pairing as the shell drives it: a ticket in, a [`Pair`] with its records out (PH-1). The keys of the pairing are
//! made here from fresh random bytes; the approval key is the shell's.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use countersign_proto::{
    id::ChannelId,
    key::{AgreementKey, Secret32, SigningKey},
    pairing::{
        AboutPhone, AttestationPolicy, Code, Outgoing, PhoneCommand, PhoneFailure, PhonePairing, Ticket,
    },
    text::{Foreign, Shown},
};

use crate::{
    clock::{Fresh, Now},
    pair::Pair,
    signer::{Pending, Subject},
};

/// The prompt of a pairing; there is only one.
const PROMPT: u64 = 0;

/// Why no desktop was paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PairingFailure {
    /// The ceremony itself failed.
    #[error(transparent)]
    Ceremony(#[from] PhoneFailure),
    /// This phone could make no approval key.
    #[error("this phone could not make an approval key, so it can't be paired")]
    NoKey,
    /// The finger did not come.
    #[error(
        "the desktop was not confirmed with a finger, so it was not paired; show a new code to try again"
    )]
    NotConfirmed,
    /// The records could not be stored.
    #[error("this phone could not store the pairing; revoke it at the desktop and pair again")]
    NotStored,
}

/// What this phone says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Myself {
    /// Its model, at most 64 characters.
    pub model: Foreign,
    /// The app's version, as short.
    pub app_version: Foreign,
}

/// Fresh random bytes for the keys of one pairing.
#[derive(Debug, Clone)]
pub struct PairingRandom {
    /// For the handshake.
    pub ephemeral: Fresh,
    /// For `P_x`.
    pub agreement: Fresh,
    /// For the device key.
    pub device: Fresh,
    /// For the relay key.
    pub relay: Fresh,
    /// For `n_p`.
    pub nonce: Fresh,
}

/// What happened, from the shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PairingInput {
    /// An envelope of the rendezvous channel arrived.
    Delivered(Vec<u8>),
    /// The approval key was made: its chain, leaf first.
    KeyMade(Vec<Vec<u8>>),
    /// It could not be made.
    KeyFailed,
    /// The approval key signed.
    BioSigned(Vec<u8>),
    /// The finger did not come.
    BioCancelled,
    /// The records of [`PairingCommand::Store`] are durable.
    Stored,
    /// They could not be stored.
    StoreFailed,
    /// Time passed; see [`Pairing::poll_timeout`].
    Tick,
}

/// What the shell must do, in this order.
#[derive(Debug)]
pub enum PairingCommand {
    /// Hand an envelope to the relay, on the rendezvous channel.
    Send(Outgoing),
    /// Make the approval key with this attestation challenge.
    MakeKey {
        /// The challenge.
        challenge: [u8; 32],
        /// How the desktop will judge the key.
        policy: AttestationPolicy,
    },
    /// Show the code for the person to type on the desktop.
    ShowCode(Code),
    /// Ask for a finger.
    AskBio(Pending),
    /// Write the records of this pairing durably, in their order; then say so.
    Store(Box<Pair>),
    /// Paired; the rendezvous channel is done with.
    Paired(Box<Pair>),
    /// The pairing is over; tell the person why.
    Failed(PairingFailure),
}

/// One pairing, from the scan to its end.
#[derive(Debug)]
pub struct Pairing {
    ceremony: PhonePairing,
    rendezvous: ChannelId,
    rendezvous_key: SigningKey,
    device: SigningKey,
    relay: SigningKey,
    step: Step,
    commands: VecDeque<PairingCommand>,
}

#[derive(Debug)]
enum Step {
    Underway,
    Storing(Box<Pair>),
    Over,
}

impl Pairing {
    /// Starts a pairing with a scanned ticket. The first command is the envelope that opens it.
    ///
    /// # Errors
    /// [`PhoneFailure::BadTicket`].
    pub fn start(
        ticket: Ticket,
        myself: Myself,
        random: PairingRandom,
        now: Now,
    ) -> Result<Self, PairingFailure> {
        let device = SigningKey::from_seed(&random.device.take());
        let relay = SigningKey::from_seed(&random.relay.take());
        let about = AboutPhone {
            own: AgreementKey::from_bytes(random.agreement.take()),
            device: device.public(),
            relay: relay.public(),
            nonce: Secret32::new(random.nonce.take()),
            model: myself.model,
            app_version: myself.app_version,
            capabilities: 0,
        };
        let (rendezvous, rendezvous_key) = (ticket.rendezvous(), ticket.phone_relay_key());
        let ephemeral = Secret32::new(random.ephemeral.take());
        let (ceremony, first) = PhonePairing::start(ticket, about, ephemeral, now.boot_ms)?;
        let commands = VecDeque::from([PairingCommand::Send(first)]);
        Ok(Self { ceremony, rendezvous, rendezvous_key, device, relay, step: Step::Underway, commands })
    }

    /// The channel to meet on.
    #[must_use]
    pub const fn rendezvous(&self) -> ChannelId {
        self.rendezvous
    }

    /// The key that claims the phone's end of it.
    #[must_use]
    pub const fn rendezvous_key(&self) -> &SigningKey {
        &self.rendezvous_key
    }

    /// Takes one input. What does not belong to the present step changes nothing.
    pub fn handle(&mut self, input: PairingInput, now: Now) {
        let boot_ms = now.boot_ms;
        let command = match (&self.step, input) {
            (Step::Over, _) => return,
            (Step::Storing(_), PairingInput::Stored) => return self.stored(),
            (Step::Storing(_), PairingInput::StoreFailed) => return self.fail(PairingFailure::NotStored),
            (Step::Storing(_), _) => return,
            (Step::Underway, PairingInput::Delivered(envelope)) => {
                self.ceremony.receive(&envelope, boot_ms).ok()
            }
            (Step::Underway, PairingInput::KeyMade(chain)) => self.ceremony.bio_key_made(chain, boot_ms).ok(),
            (Step::Underway, PairingInput::BioSigned(der)) => {
                self.ceremony.bio_signed(der, &self.device, boot_ms).ok()
            }
            (Step::Underway, PairingInput::KeyFailed) => return self.fail(PairingFailure::NoKey),
            (Step::Underway, PairingInput::BioCancelled) => return self.fail(PairingFailure::NotConfirmed),
            (Step::Underway, PairingInput::Tick) => self.ceremony.expire(boot_ms),
            (Step::Underway, PairingInput::Stored | PairingInput::StoreFailed) => return,
        };
        if let Some(command) = command {
            self.follow(command);
        }
    }

    /// The next thing to be done.
    pub fn poll_command(&mut self) -> Option<PairingCommand> {
        self.commands.pop_front()
    }

    /// When to come back with [`PairingInput::Tick`], as boot time in ms.
    #[must_use]
    pub const fn poll_timeout(&self) -> Option<u64> {
        match self.step {
            Step::Underway => self.ceremony.poll_timeout(),
            Step::Storing(_) | Step::Over => None,
        }
    }

    fn follow(&mut self, command: PhoneCommand) {
        match command {
            PhoneCommand::MakeBioKey { challenge, policy } => {
                self.commands.push_back(PairingCommand::MakeKey { challenge, policy });
            }
            PhoneCommand::ShowCode { outgoing, code } => {
                self.commands.push_back(PairingCommand::Send(outgoing));
                self.commands.push_back(PairingCommand::ShowCode(code));
            }
            PhoneCommand::SignBio { bytes, name, account } => {
                let title = Shown::line(&format!("Pair with {} ({})", name.shown(), account.shown()));
                let pending = Pending { prompt: PROMPT, subject: Subject::Pairing, title, bytes };
                self.commands.push_back(PairingCommand::AskBio(pending));
            }
            PhoneCommand::Send(outgoing) => self.commands.push_back(PairingCommand::Send(outgoing)),
            PhoneCommand::Store(desktop) => {
                let (device, relay) = (self.device.clone(), self.relay.clone());
                let pair = Box::new(Pair { desktop: *desktop, device, relay });
                self.commands.push_back(PairingCommand::Store(pair.clone()));
                self.step = Step::Storing(pair);
            }
            PhoneCommand::Failed(failure) => self.fail(failure.into()),
        }
    }

    fn stored(&mut self) {
        if let Step::Storing(pair) = core::mem::replace(&mut self.step, Step::Over) {
            self.commands.push_back(PairingCommand::Paired(pair));
        }
    }

    fn fail(&mut self, failure: PairingFailure) {
        self.step = Step::Over;
        self.commands.push_back(PairingCommand::Failed(failure));
    }
}
