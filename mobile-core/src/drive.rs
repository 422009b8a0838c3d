//! Carries out what a [`Phone`] asks of its vault and its approval key, so that a shell is left with a socket, a clock
//! and a screen.

use countersign_proto::id::DesktopId;

use crate::{
    clock::{Fresh, Now},
    phone::{Command, Event, Input, Phone},
    signer::BioSigner,
    vault::{self, Vault, VaultError},
};

/// What is left for the shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outward {
    /// Hand an envelope to the relay.
    Send {
        /// Its bytes.
        envelope: Vec<u8>,
        /// How long it is good for, in s.
        ttl_s: u16,
        /// Whether it is a handshake.
        first: bool,
    },
    /// Tell the person.
    Show(Event),
    /// This phone was revoked, but its records could not be deleted: tell the person.
    NotWiped(VaultError),
}

/// A phone with its vault and its approval key.
#[derive(Debug)]
pub struct Driver<V, B> {
    phone: Phone,
    desktop: DesktopId,
    vault: V,
    bio: B,
}

impl<V: Vault, B: BioSigner> Driver<V, B> {
    /// Drives a phone.
    pub const fn new(phone: Phone, desktop: DesktopId, vault: V, bio: B) -> Self {
        Self { phone, desktop, vault, bio }
    }

    /// The phone.
    pub const fn phone(&self) -> &Phone {
        &self.phone
    }

    /// What asks for fingers.
    pub const fn bio(&mut self) -> &mut B {
        &mut self.bio
    }

    /// The vault.
    pub const fn vault(&mut self) -> &mut V {
        &mut self.vault
    }

    /// When to come back with [`Input::Tick`], as boot time in ms.
    pub fn poll_timeout(&self) -> Option<u64> {
        self.phone.poll_timeout()
    }

    /// Takes one input and carries out what follows from it: records are durable and prompts up when this returns.
    /// `random` gives fresh bytes each time it is called.
    pub fn handle(&mut self, input: Input, random: &mut dyn FnMut() -> Fresh, now: Now) -> Vec<Outward> {
        let mut outward = Vec::new();
        let mut next = Some(input);
        while let Some(input) = next {
            self.phone.handle(input, random(), now);
            next = self.perform(&mut outward);
        }
        outward
    }

    /// Carries out commands until one of them has a result to be told.
    fn perform(&mut self, outward: &mut Vec<Outward>) -> Option<Input> {
        while let Some(command) = self.phone.poll_command() {
            match command {
                Command::Send { envelope, ttl_s, first } => {
                    outward.push(Outward::Send { envelope, ttl_s, first });
                }
                Command::Show(event) => outward.push(Outward::Show(event)),
                Command::AskBio(pending) => self.bio.ask(pending),
                Command::CancelBio => self.bio.cancel(),
                Command::Store { store, change } => {
                    return Some(match change.apply(&mut self.vault) {
                        Ok(()) => Input::Stored(store),
                        Err(_) => Input::StoreFailed(store),
                    });
                }
                Command::Wipe => {
                    self.bio.destroy();
                    let wiped = vault::wipe(&mut self.vault, self.desktop);
                    outward.extend(wiped.err().map(Outward::NotWiped));
                }
            }
        }
        None
    }
}
