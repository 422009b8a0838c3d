//! The desktop's side of these tests: a relay process, its channels, a pairing and what follows it.

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use countersign_demo_phone::{
    DemoPhone, Start,
    order::Order,
    report::Report,
    settings::{Prompts, Settings},
    vault::DemoVault,
};
use countersign_mobile_core::phone::Event;
use countersign_proto::{
    claim::{CHANNELS_PATH, Claim, End, Origin},
    frame::{self, FromClient, FromRelay},
    id::{ChannelId, OfferId},
    key::{AgreementKey, Secret32, SigningKey, VerifyingKey},
    message::{Closed, Message},
    pairing::{
        AboutDesktop, AttestationPolicy, Code, DesktopCommand, DesktopPairing, DesktopRandom, Link,
        RelayHost, Ticket, TicketSecret,
    },
    text::Foreign,
};
use data_encoding::BASE64URL_NOPAD;
use futures_util::{SinkExt, StreamExt};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Message as Frame, client::IntoClientRequest, http::HeaderValue},
};

use crate::fake_desktop::{FakeDesktop, request};

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Relay {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Relay {
    pub(crate) fn start(listen: SocketAddr) -> Self {
        let mut child = Command::new(relay_binary())
            .args(["--memory", "--log", "error", "--parent-watch", "--listen", &listen.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: serde_json::Value = serde_json::from_str(&line).unwrap();
        let address = said["listening"].as_str().unwrap().parse().unwrap();
        Self { child, address }
    }

    pub(crate) fn kill(mut self) -> SocketAddr {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.address
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The relay's program beside ours, built where it is missing.
fn relay_binary() -> PathBuf {
    let ours = Path::new(env!("CARGO_BIN_EXE_countersign-demo-phone"));
    let relay = ours.with_file_name("countersign-relay");
    if !relay.exists() {
        let built = Command::new(env!("CARGO")).args(["build", "-p", "countersign-relay"]).status().unwrap();
        assert!(built.success());
    }
    relay
}

pub(crate) fn anywhere() -> SocketAddr {
    "127.0.0.1:0".parse().unwrap()
}

/// Makes a channel, or finds it made.
async fn make_channel(relay: SocketAddr, id: ChannelId, desktop: VerifyingKey, phone: VerifyingKey) {
    let text = |bytes: &[u8]| BASE64URL_NOPAD.encode(bytes);
    let body = serde_json::json!({
        "id": text(id.as_bytes()), "key0": text(desktop.as_bytes()), "key1": text(phone.as_bytes()), "ttl": 0,
    })
    .to_string();
    let mut stream = TcpStream::connect(relay).await.unwrap();
    let head = format!(
        "POST {CHANNELS_PATH} HTTP/1.1\r\nhost: {relay}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 20"), "{answer}");
}

/// The desktop's socket on one channel.
struct Line {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
    seq: u32,
}

impl Line {
    async fn dial(relay: SocketAddr, channel: ChannelId, key: &SigningKey) -> Self {
        let mut request = format!("ws://{relay}{}", frame::PATH).into_client_request().unwrap();
        let protocol = HeaderValue::from_static(frame::SUBPROTOCOL);
        request.headers_mut().insert("sec-websocket-protocol", protocol);
        let mut line = Self { stream: connect_async(request).await.unwrap().0, seq: 0 };
        let FromRelay::Challenge { nonce, .. } = line.frame().await else { panic!("no challenge") };
        let origin = Origin::parse(&relay.to_string(), 80).unwrap();
        let sig = Claim { origin: &origin, nonce: &nonce, channel, end: End::Desktop }.sign(key);
        line.say(FromClient::Auth { channel, end: End::Desktop, sig }).await;
        assert!(matches!(line.frame().await, FromRelay::PeerPresence { .. }));
        line
    }

    async fn frame(&mut self) -> FromRelay {
        loop {
            match timeout(PATIENCE, self.stream.next()).await.unwrap().unwrap().unwrap() {
                Frame::Binary(bytes) => return FromRelay::decode(&bytes).unwrap(),
                Frame::Ping(_) | Frame::Pong(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    async fn envelope(&mut self) -> Vec<u8> {
        loop {
            if let FromRelay::Deliver { id, envelope, .. } = self.frame().await {
                self.say(FromClient::Got { id }).await;
                return envelope;
            }
        }
    }

    async fn say(&mut self, frame: FromClient) {
        self.stream.send(Frame::binary(frame.encode())).await.unwrap();
    }

    async fn send(&mut self, envelope: Vec<u8>, first: bool) {
        self.seq += 1;
        self.say(FromClient::Send { seq: self.seq, ttl: 60, first, wake: false, envelope }).await;
    }
}

/// A ticket, and the desktop's side of it.
pub(crate) struct Open {
    pub(crate) ticket: Ticket,
    pairing: DesktopPairing,
    line: Line,
    random: u8,
}

impl Open {
    pub(crate) async fn new(relay: SocketAddr, policy: AttestationPolicy) -> Self {
        let own = AgreementKey::from_bytes([41; 32]);
        let host = RelayHost::parse(&relay.to_string()).unwrap();
        let secret = TicketSecret::new([42; 16]);
        let ticket = Ticket::new(secret, own.public(), host, Link::Plain).unwrap();
        let about = AboutDesktop { name: Foreign::new("desk"), account: Foreign::new("ada@desk"), policy };
        let pairing = DesktopPairing::start(ticket.clone(), own, about, boot_ms());
        let key = SigningKey::from_seed(&[43; 32]);
        make_channel(relay, ticket.rendezvous(), key.public(), ticket.phone_relay_key().public()).await;
        let line = Line::dial(relay, ticket.rendezvous(), &key).await;
        Self { ticket, pairing, line, random: 100 }
    }

    /// Answers message 1.
    pub(crate) async fn meet(&mut self) {
        while !matches!(self.receive().await, DesktopCommand::CheckPhone(_)) {}
        assert!(matches!(self.pairing.judged(Ok(()), boot_ms()).unwrap(), DesktopCommand::AskCode));
    }

    async fn receive(&mut self) -> DesktopCommand {
        loop {
            let envelope = self.line.envelope().await;
            self.random += 3;
            let bytes = |step| [self.random.wrapping_add(step); 32];
            let random = DesktopRandom {
                ephemeral: Secret32::new(bytes(0)),
                nonce: Secret32::new(bytes(1)),
                challenge: bytes(2),
            };
            match self.pairing.receive(&envelope, random, boot_ms()) {
                Ok(DesktopCommand::Send(outgoing)) => {
                    self.line.send(outgoing.envelope.clone(), outgoing.first).await;
                    return DesktopCommand::Send(outgoing);
                }
                Ok(command) => return command,
                Err(_) => {}
            }
        }
    }

    /// Types the code and finishes.
    pub(crate) async fn finish(mut self, code: &str, relay: SocketAddr) -> Desk {
        let key = SigningKey::from_seed(&[44; 32]);
        let typed = self.pairing.type_code(Code::parse(code).unwrap(), &key, boot_ms()).unwrap();
        let DesktopCommand::Send(outgoing) = typed else { panic!("{typed:?}") };
        self.line.send(outgoing.envelope, outgoing.first).await;
        let DesktopCommand::Store(phone) = self.receive().await else { panic!("not proved") };
        let (channel, relay_key) = (ChannelId::new([45; 16]), SigningKey::from_seed(&[46; 32]));
        let phone_key = phone.claims.relay;
        make_channel(relay, channel, relay_key.public(), phone_key).await;
        let stored = self.pairing.stored(channel, &key, boot_ms()).unwrap();
        let DesktopCommand::Send(outgoing) = stored else { panic!("{stored:?}") };
        self.line.send(outgoing.envelope, outgoing.first).await;
        let fake =
            FakeDesktop::new(key, phone.record(channel), phone.claims.device, phone.claims.bio.clone());
        let line = Line::dial(relay, channel, &relay_key).await;
        Desk { fake, line, relay, channel, relay_key, phone_key, _rendezvous: self.line }
    }
}

/// A paired desktop on its channel.
pub(crate) struct Desk {
    pub(crate) fake: FakeDesktop,
    line: Line,
    pub(crate) relay: SocketAddr,
    channel: ChannelId,
    relay_key: SigningKey,
    phone_key: VerifyingKey,
    _rendezvous: Line,
}

impl Desk {
    /// Answers whatever comes until the future is done.
    pub(crate) async fn until<T>(&mut self, done: impl Future<Output = T>) -> T {
        let mut done = core::pin::pin!(done);
        loop {
            let envelope = tokio::select! {
                biased;
                value = &mut done => return value,
                envelope = self.line.envelope() => envelope,
            };
            self.answer(&envelope).await;
        }
    }

    /// Answers whatever comes until the phone has greeted so many times.
    pub(crate) async fn until_greeted(&mut self, times: usize) {
        while self.fake.hellos.len() < times {
            let envelope = self.line.envelope().await;
            self.answer(&envelope).await;
        }
    }

    async fn answer(&mut self, envelope: &[u8]) {
        let answers = self.fake.receive(envelope, boot_ms());
        self.send(answers).await;
    }

    pub(crate) async fn send(&mut self, envelopes: Vec<Vec<u8>>) {
        for envelope in envelopes {
            let first = envelope[1] == 3;
            self.line.send(envelope, first).await;
        }
    }

    pub(crate) async fn offer(&mut self, command: &str) -> OfferId {
        let (offer_id, message) = self.fake.make_offer(&request(command), boot_ms());
        let envelopes = self.fake.say(&Message::Offer(message), boot_ms());
        assert!(!envelopes.is_empty(), "no session");
        self.send(envelopes).await;
        offer_id
    }

    pub(crate) async fn withdraw(&mut self, offer_id: OfferId) {
        let envelopes = self.fake.withdraw(offer_id, Closed::Withdrawn, boot_ms());
        self.send(envelopes).await;
    }

    pub(crate) async fn revoke(&mut self) {
        let envelopes = self.fake.revoke(boot_ms());
        self.send(envelopes).await;
    }

    /// Ends the channel.
    pub(crate) async fn delete(&mut self) {
        self.line.say(FromClient::Delete).await;
    }

    /// Comes back to a relay that forgot everything.
    pub(crate) async fn come_back(&mut self) {
        make_channel(self.relay, self.channel, self.relay_key.public(), self.phone_key).await;
        self.line = Line::dial(self.relay, self.channel, &self.relay_key).await;
    }
}

pub(crate) fn boot_ms() -> u64 {
    let boot = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    u64::try_from(boot.tv_sec).unwrap() * 1_000 + u64::try_from(boot.tv_nsec).unwrap() / 1_000_000
}

/// A phone in this process, with the reports it gave.
pub(crate) struct Hand {
    pub(crate) phone: DemoPhone,
    pub(crate) seen: VecDeque<Report>,
}

impl Hand {
    pub(crate) fn start(start: Start, vault: DemoVault, settings: Settings) -> Self {
        Self { phone: DemoPhone::start(start, vault, settings), seen: VecDeque::new() }
    }

    pub(crate) async fn order(&self, line: &str) {
        self.phone.orders.send(Order::parse(line).unwrap()).await.unwrap();
    }

    /// The next report of a kind; others before it are kept in `seen`.
    pub(crate) async fn find<T>(&mut self, mut is: impl FnMut(&Report) -> Option<T>) -> T {
        loop {
            let report = timeout(PATIENCE, self.phone.reports.recv()).await;
            let report = report.unwrap_or_else(|_| panic!("it never came; before: {:#?}", self.seen));
            let report = report.unwrap_or_else(|| panic!("the phone ended; before: {:#?}", self.seen));
            let found = is(&report);
            self.seen.push_back(report);
            if let Some(found) = found {
                return found;
            }
        }
    }

    pub(crate) async fn event(&mut self, event: &Event) {
        self.find(|report| matches!(report, Report::Event(happened) if happened == event).then_some(()))
            .await;
    }

    pub(crate) async fn prompt(&mut self) {
        self.find(|report| matches!(report, Report::Prompt(_)).then_some(())).await;
    }

    pub(crate) async fn card(&mut self) -> OfferId {
        self.find(|report| match report {
            Report::Card(view) => Some(view.card.offer_id),
            _ => None,
        })
        .await
    }
}

/// A relay, a desktop and a phone that talk.
pub(crate) async fn paired(vault: DemoVault, settings: Settings) -> (Relay, Desk, Hand) {
    let relay = Relay::start(anywhere());
    let mut open = Open::new(relay.address, AttestationPolicy::Demo).await;
    let is_asked = settings.prompts == Prompts::Asked;
    let mut hand = Hand::start(Start::Pair(open.ticket.clone()), vault, settings);
    open.meet().await;
    let code = hand.find(|report| match report {
        Report::Code(code) => Some(code.clone()),
        _ => None,
    });
    let code = code.await;
    let confirm = async {
        hand.prompt().await;
        if is_asked {
            hand.order("touch").await;
        }
    };
    let (mut desk, ()) = tokio::join!(open.finish(&code, relay.address), confirm);
    desk.until(hand.event(&Event::Up)).await;
    (relay, desk, hand)
}
