//! A phone: the real phone's core with software keys, over a real relay. It shows its code to the test, which is also its
//! finger.

use std::{collections::BTreeMap, time::Duration};

use countersign_mobile_core::{
    choice::Choice,
    clock::{Fresh, Now},
    drive::{Driver, Outward},
    inbox::End as Ended,
    pair::Pair,
    pairing::{Myself, Pairing, PairingCommand, PairingFailure, PairingInput, PairingRandom},
    phone::{Event, Input, Phone},
    signer::{BioSigner, Pending},
    vault::{Vault, VaultError},
};
use countersign_proto::{
    claim::End,
    frame::{FromClient, FromRelay},
    id::OfferId,
    pairing::Ticket,
    text::Foreign,
};
use p256::ecdsa::{DerSignature, SigningKey, signature::Signer as _};
use tokio::{
    sync::{mpsc, oneshot},
    time::{sleep, timeout},
};
use zeroize::Zeroizing;

use super::{PATIENCE, self_signed};
use crate::{
    clock,
    courier::{Address, Claimed, Heard, Socket},
    keys::random,
    timer::BootTimer,
};

/// What a test wants of its phone.
pub(crate) enum Ordered {
    Decide(OfferId, Choice),
    HangUp,
    Come,
}

/// A paired phone that is on its own.
pub(crate) struct FakePhone {
    orders: mpsc::UnboundedSender<Ordered>,
    events: mpsc::UnboundedReceiver<Event>,
    pub(crate) pair: Pair,
}

fn now() -> Now {
    let now = clock::now();
    Now { boot_ms: now.boot_ms, wall_ms: now.wall_ms }
}

fn fresh() -> Fresh {
    Fresh::new(*random().unwrap())
}

fn bio_key(seed: u8) -> SigningKey {
    SigningKey::from_slice(&[seed; 32]).unwrap()
}

fn sign(key: &SigningKey, pending: &Pending) -> Vec<u8> {
    let signature: DerSignature = key.sign(&pending.bytes);
    signature.as_bytes().to_vec()
}

/// Pairs with a ticket. `seed` makes the approval key; the code goes to `code`.
pub(crate) async fn pair(
    ticket: &str,
    seed: u8,
    code: oneshot::Sender<String>,
) -> Result<Pair, PairingFailure> {
    let ticket = Ticket::parse(ticket).unwrap();
    let address = Address::new(ticket.relay().clone(), ticket.link().clone()).unwrap();
    let myself = Myself { model: Foreign::new("demo phone"), app_version: Foreign::new("0.1") };
    let random = PairingRandom {
        ephemeral: fresh(),
        agreement: fresh(),
        device: fresh(),
        relay: fresh(),
        nonce: fresh(),
    };
    let mut pairing = Pairing::start(ticket, myself, random, now())?;
    let key = pairing.rendezvous_key().clone();
    let claimed = Claimed { channel: pairing.rendezvous(), end: End::Phone, key };
    let mut line = Line { address, claimed, socket: None, seq: 0 };
    let mut code = Some(code);
    let mut timer = BootTimer::new().unwrap();
    loop {
        while let Some(command) = pairing.poll_command() {
            let input = match command {
                PairingCommand::Send(outgoing) => {
                    line.send(outgoing.envelope, 120, outgoing.first).await;
                    continue;
                }
                PairingCommand::MakeKey { .. } => PairingInput::KeyMade(vec![self_signed(&bio_key(seed))]),
                PairingCommand::ShowCode(shown) => {
                    let _ = code.take().map(|code| code.send(shown.to_string()));
                    continue;
                }
                PairingCommand::AskBio(pending) => PairingInput::BioSigned(sign(&bio_key(seed), &pending)),
                PairingCommand::Store(_) => PairingInput::Stored,
                PairingCommand::Paired(pair) => return Ok(*pair),
                PairingCommand::Failed(failure) => return Err(failure),
            };
            pairing.handle(input, now());
        }
        tokio::select! {
            envelope = line.envelope() => pairing.handle(PairingInput::Delivered(envelope), now()),
            rang = timer.until(pairing.poll_timeout()) => {
                rang.unwrap();
                pairing.handle(PairingInput::Tick, now());
            }
        }
    }
}

impl FakePhone {
    /// Has a paired phone come to its relay.
    pub(crate) fn start(pair: Pair, seed: u8) -> Self {
        let (orders, ordered) = mpsc::unbounded_channel();
        let (told, events) = mpsc::unbounded_channel();
        tokio::spawn(Life::new(pair.clone(), seed, ordered, told).live());
        Self { orders, events, pair }
    }

    pub(crate) fn order(&self, order: Ordered) {
        self.orders.send(order).unwrap();
    }

    /// The first event that the test has a use for.
    pub(crate) async fn until<T>(&mut self, wanted: impl Fn(&Event) -> Option<T>) -> T {
        let event = async {
            loop {
                let event = self.events.recv().await.expect("the phone goes on");
                if let Some(found) = wanted(&event) {
                    return found;
                }
            }
        };
        timeout(PATIENCE, event).await.expect("the phone should have seen this")
    }

    pub(crate) async fn card(&mut self) -> OfferId {
        self.until(|event| match event {
            Event::Card(offer) => Some(*offer),
            _ => None,
        })
        .await
    }

    /// How a card ended.
    pub(crate) async fn ended(&mut self, card: OfferId) -> Ended {
        self.until(|event| match event {
            Event::Ended(offer, end) if *offer == card => Some(end.clone()),
            _ => None,
        })
        .await
    }

    /// Our end of its channel, for tests that look at it from outside.
    pub(crate) fn claimed(&self) -> Claimed {
        Claimed { channel: self.pair.desktop.channel, end: End::Phone, key: self.pair.relay.clone() }
    }
}

/// One end of a channel that comes back whenever it lost its relay.
struct Line {
    address: Address,
    claimed: Claimed,
    socket: Option<Socket>,
    seq: u32,
}

impl Line {
    async fn socket(&mut self) -> &mut Socket {
        while self.socket.is_none() {
            match Socket::claim(&self.address, &self.claimed).await {
                Ok((socket, _)) => self.socket = Some(socket),
                Err(_) => sleep(Duration::from_millis(20)).await,
            }
        }
        self.socket.as_mut().unwrap()
    }

    async fn send(&mut self, envelope: Vec<u8>, ttl: u16, first: bool) {
        self.seq += 1;
        let frame = FromClient::Send { seq: self.seq, ttl, first, wake: false, envelope };
        while self.socket().await.send(&frame).await.is_err() {
            self.socket = None;
        }
    }

    async fn envelope(&mut self) -> Vec<u8> {
        loop {
            match self.socket().await.hear().await {
                Ok(Heard::Frame(FromRelay::Deliver { id, envelope, .. })) => {
                    let _ = self.socket().await.send(&FromClient::Got { id }).await;
                    return envelope;
                }
                Ok(_) => {}
                Err(_) => self.socket = None,
            }
        }
    }
}

/// A paired phone's own task.
struct Life {
    driver: Driver<Shelf, Finger>,
    address: Address,
    claimed: Claimed,
    orders: mpsc::UnboundedReceiver<Ordered>,
    events: mpsc::UnboundedSender<Event>,
    timer: BootTimer,
    seq: u32,
}

impl Life {
    fn new(
        pair: Pair,
        seed: u8,
        orders: mpsc::UnboundedReceiver<Ordered>,
        events: mpsc::UnboundedSender<Event>,
    ) -> Self {
        let address = Address::new(pair.desktop.relay.clone(), pair.desktop.link.clone()).unwrap();
        let claimed = Claimed { channel: pair.desktop.channel, end: End::Phone, key: pair.relay.clone() };
        let mut shelf = Shelf::default();
        pair.records().iter().for_each(|change| change.apply(&mut shelf).unwrap());
        let desktop = pair.desktop.desktop_id;
        let phone = Phone::new(pair, Foreign::new("test phone"));
        let finger = Finger { key: bio_key(seed), asked: None };
        let driver = Driver::new(phone, desktop, shelf, finger);
        Self { driver, address, claimed, orders, events, timer: BootTimer::new().unwrap(), seq: 0 }
    }

    /// Until the test or the pairing is over.
    async fn live(mut self) {
        while self.driver.phone().pair().is_some() {
            match Socket::claim(&self.address, &self.claimed).await {
                Ok((mut socket, online)) => {
                    self.handle(Input::Connected, Some(&mut socket)).await;
                    self.handle(Input::Peer { online }, Some(&mut socket)).await;
                    let hung_up = self.talk(&mut socket).await;
                    self.handle(Input::Disconnected, None).await;
                    match hung_up {
                        Some(Ordered::HangUp) => {
                            socket.close().await;
                            while !matches!(self.orders.recv().await, Some(Ordered::Come)) {}
                        }
                        Some(_) => {}
                        None => return,
                    }
                }
                Err(_) => {
                    while let Ok(order) = self.orders.try_recv() {
                        if let Ordered::Decide(offer_id, choice) = order {
                            self.decide(offer_id, choice, None).await;
                        }
                    }
                    sleep(Duration::from_millis(20)).await;
                }
            }
        }
    }

    async fn decide(&mut self, offer_id: OfferId, choice: Choice, mut socket: Option<&mut Socket>) {
        self.handle(Input::SeenToEnd { offer_id }, socket.as_deref_mut()).await;
        self.handle(Input::Decide { offer_id, choice }, socket).await;
    }

    /// The order that ended it; `Come` where the relay did.
    async fn talk(&mut self, socket: &mut Socket) -> Option<Ordered> {
        loop {
            let due = self.driver.poll_timeout();
            tokio::select! {
                heard = socket.hear() => match heard {
                    Ok(Heard::Frame(FromRelay::Deliver { id, age_ms, envelope })) => {
                        let _ = socket.send(&FromClient::Got { id }).await;
                        self.handle(Input::Delivered { envelope, age_ms }, Some(socket)).await;
                    }
                    Ok(Heard::Frame(FromRelay::PeerPresence { online })) => {
                        self.handle(Input::Peer { online }, Some(socket)).await;
                    }
                    Ok(_) => {}
                    Err(_) => return Some(Ordered::Come),
                },
                order = self.orders.recv() => match order? {
                    Ordered::Decide(offer_id, choice) => self.decide(offer_id, choice, Some(socket)).await,
                    Ordered::HangUp => return Some(Ordered::HangUp),
                    Ordered::Come => {}
                },
                rang = self.timer.until(due) => {
                    rang.unwrap();
                    self.handle(Input::Tick, Some(socket)).await;
                }
            }
        }
    }

    async fn handle(&mut self, input: Input, mut socket: Option<&mut Socket>) {
        let mut next = Some(input);
        while let Some(input) = next.take() {
            for outward in self.driver.handle(input, &mut fresh, now()) {
                match outward {
                    Outward::Send { envelope, ttl_s, first } => {
                        self.seq += 1;
                        let frame =
                            FromClient::Send { seq: self.seq, ttl: ttl_s, first, wake: false, envelope };
                        if let Some(socket) = socket.as_deref_mut() {
                            let _ = socket.send(&frame).await;
                        }
                    }
                    Outward::Show(event) => drop(self.events.send(event)),
                    Outward::NotWiped(error) => panic!("{error}"),
                }
            }
            let finger = self.driver.bio();
            if let Some(pending) = finger.asked.take() {
                let signature = sign(&finger.key, &pending);
                next = Some(Input::BioSigned { prompt: pending.prompt, signature });
            }
        }
    }
}

/// Touches whatever prompt is up.
struct Finger {
    key: SigningKey,
    asked: Option<Pending>,
}

impl BioSigner for Finger {
    fn ask(&mut self, pending: Pending) {
        self.asked = Some(pending);
    }

    fn cancel(&mut self) {
        self.asked = None;
    }

    fn destroy(&mut self) {}
}

/// Records in memory.
#[derive(Default)]
struct Shelf(BTreeMap<String, Vec<u8>>);

impl Vault for Shelf {
    fn get(&self, name: &str) -> Result<Option<Zeroizing<Vec<u8>>>, VaultError> {
        Ok(self.0.get(name).cloned().map(Zeroizing::new))
    }

    fn put(&mut self, name: &str, bytes: &[u8]) -> Result<(), VaultError> {
        self.0.insert(name.to_owned(), bytes.to_vec());
        Ok(())
    }

    fn delete(&mut self, name: &str) -> Result<(), VaultError> {
        self.0.remove(name);
        Ok(())
    }

    fn names(&self) -> Result<Vec<String>, VaultError> {
        Ok(self.0.keys().cloned().collect())
    }
}
