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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use countersign_proto::{id::OfferId, message::Message, text::Foreign};
    use zeroize::Zeroizing;

    use super::*;
    use crate::{
        choice::{CannotAnswer, Choice},
        fake_desktop::{FakeDesktop, Finger, pair, request},
        inbox::Stage,
        pair::Pair,
        signer::Pending,
    };

    const NOW: Now = Now { boot_ms: 1_000, wall_ms: 0 };

    /// A vault that works until it does not.
    struct Shaky {
        records: BTreeMap<String, Vec<u8>>,
        works: bool,
    }

    impl Shaky {
        fn check(&self) -> Result<(), VaultError> {
            if self.works { Ok(()) } else { Err(VaultError::Failed("no space left".into())) }
        }
    }

    impl Vault for Shaky {
        fn get(&self, name: &str) -> Result<Option<Zeroizing<Vec<u8>>>, VaultError> {
            Ok(self.records.get(name).cloned().map(Zeroizing::new))
        }

        fn put(&mut self, name: &str, bytes: &[u8]) -> Result<(), VaultError> {
            self.check()?;
            self.records.insert(name.into(), bytes.to_vec());
            Ok(())
        }

        fn delete(&mut self, name: &str) -> Result<(), VaultError> {
            self.check()?;
            self.records.remove(name);
            Ok(())
        }

        fn names(&self) -> Result<Vec<String>, VaultError> {
            Ok(self.records.keys().cloned().collect())
        }
    }

    #[derive(Default)]
    struct Prompter {
        prompt: Option<Pending>,
        destroyed: bool,
    }

    impl BioSigner for Prompter {
        fn ask(&mut self, pending: Pending) {
            self.prompt = Some(pending);
        }

        fn cancel(&mut self) {
            self.prompt = None;
        }

        fn destroy(&mut self) {
            self.destroyed = true;
        }
    }

    struct World {
        desktop: FakeDesktop,
        driver: Driver<Shaky, Prompter>,
        random: u8,
    }

    impl World {
        fn new() -> Self {
            let (desktop, paired, [device, relay]) = pair(&Finger::new());
            let pair = Pair { desktop: paired, device, relay };
            let mut vault = Shaky { records: BTreeMap::new(), works: true };
            for record in pair.records() {
                record.apply(&mut vault).unwrap();
            }
            let phone = Phone::new(pair, Foreign::new("test 1"));
            let driver = Driver::new(phone, desktop.desktop_id, vault, Prompter::default());
            let mut world = Self { desktop, driver, random: 0 };
            world.input(Input::Connected);
            world.input(Input::Peer { online: true });
            world
        }

        /// Gives an input and lets phone and desktop talk until both are done.
        fn input(&mut self, input: Input) -> Vec<Event> {
            let mut events = Vec::new();
            let mut inputs = vec![input];
            while let Some(input) = inputs.pop() {
                let random = &mut self.random;
                let mut fresh = || {
                    *random += 1;
                    Fresh::new([*random; 32])
                };
                for outward in self.driver.handle(input, &mut fresh, NOW) {
                    match outward {
                        Outward::Send { envelope, .. } => {
                            let answers = self.desktop.receive(&envelope, NOW.boot_ms);
                            let delivered = |envelope| Input::Delivered { envelope, age_ms: 0 };
                            inputs.extend(answers.into_iter().map(delivered));
                        }
                        Outward::Show(event) => events.push(event),
                        Outward::NotWiped(error) => panic!("{error}"),
                    }
                }
            }
            events
        }

        fn offer(&mut self) -> OfferId {
            let (offer_id, message) = self.desktop.make_offer(&request("ls"), NOW.boot_ms);
            for envelope in self.desktop.say(&Message::Offer(message), NOW.boot_ms) {
                self.input(Input::Delivered { envelope, age_ms: 0 });
            }
            self.input(Input::SeenToEnd { offer_id });
            offer_id
        }
    }

    #[test]
    fn the_counter_is_in_the_vault_when_the_prompt_comes_up() {
        let mut world = World::new();
        let offer_id = world.offer();
        world.input(Input::Decide { offer_id, choice: Choice::ApproveOnce });
        let pending = world.driver.bio().prompt.clone().unwrap();
        let record = format!("{}/counter", world.desktop.desktop_id);
        assert_eq!(pending.prompt, 1);
        assert_eq!(world.driver.vault().records.get(&record).unwrap(), &1u64.to_be_bytes());
    }

    #[test]
    fn a_full_disk_signs_nothing_and_says_so() {
        let mut world = World::new();
        let offer_id = world.offer();
        world.driver.vault().works = false;
        let events = world.input(Input::Decide { offer_id, choice: Choice::ApproveOnce });
        assert_eq!(events, [Event::NotTaken(offer_id, CannotAnswer::StoreFailed)]);
        assert!(world.driver.bio().prompt.is_none());
        let entry = world.driver.phone().inbox().get(offer_id).unwrap();
        assert_eq!(entry.stage(), &Stage::Waiting(None));
    }

    #[test]
    fn a_revocation_destroys_the_key_and_every_record_or_says_what_stayed() {
        let mut world = World::new();
        for envelope in world.desktop.revoke(NOW.boot_ms) {
            let events = world.input(Input::Delivered { envelope, age_ms: 0 });
            assert_eq!(events, [Event::Revoked]);
        }
        assert!(world.driver.bio().destroyed && world.driver.vault().records.is_empty());

        let mut world = World::new();
        world.driver.vault().works = false;
        let envelope = world.desktop.revoke(NOW.boot_ms).remove(0);
        let mut fresh = || Fresh::new([99; 32]);
        let input = Input::Delivered { envelope, age_ms: 0 };
        let outward = world.driver.handle(input, &mut fresh, NOW);
        let error = VaultError::Failed("no space left".into());
        assert!(outward.contains(&Outward::NotWiped(error)), "{outward:?}");
    }
}
