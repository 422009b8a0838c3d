//! The parties of these tests: a relay process, the channels made there, and clients that speak its frames.

use std::{
    fs::File,
    io::{Read, Seek},
    path::Path,
    process::{ExitStatus, Stdio},
    time::Duration,
};

use countersign_proto::{
    claim::{CHANNELS_PATH, Claim, End, Origin},
    frame::{self, CloseCode, FromClient, FromRelay, Outcome},
    id::ChannelId,
    key::{Signature, SigningKey},
};
use data_encoding::BASE64URL_NOPAD;
use futures_util::{SinkExt, StreamExt};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
    process::{Child, Command},
    time::timeout,
};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Error, Message, client::IntoClientRequest, http::HeaderValue},
};

/// Far longer than anything takes; ends a test that would wait for ever.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A relay process; it ends with its value.
pub struct Relay {
    child: Child,
    /// A file, so that no unread pipe ever makes the relay wait.
    log: File,
    pub address: String,
}

/// A command line of the relay.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_countersign-relay"));
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

impl Relay {
    /// A relay that keeps its registry in memory.
    pub async fn start() -> Self {
        Self::start_with(&["--memory"]).await
    }

    pub async fn start_in(folder: &Path) -> Self {
        Self::start_with(&["--data", folder.to_str().unwrap()]).await
    }

    pub async fn start_with(arguments: &[&str]) -> Self {
        Self::spawn(command(&[&["--listen", "127.0.0.1:0", "--log", "trace"], arguments].concat())).await
    }

    pub async fn spawn(mut command: Command) -> Self {
        let log = tempfile::tempfile().unwrap();
        let mut child = command.stderr(log.try_clone().unwrap()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).await.unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not ready: {line:?}"));
        Self { child, log, address: ready["listening"].as_str().unwrap().to_owned() }
    }

    pub fn origin(&self) -> Origin {
        Origin::parse(&self.address, 80).unwrap()
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_raw(self.child.id().unwrap().try_into().unwrap()).unwrap(), signal).unwrap();
    }

    /// Closes the relay's standard input.
    pub fn abandon(&mut self) {
        drop(self.child.stdin.take());
    }

    /// How it ended, and everything it logged.
    pub async fn ended(mut self) -> (ExitStatus, String) {
        let status =
            timeout(PATIENCE, self.child.wait()).await.expect("the relay should have ended").unwrap();
        let mut log = String::new();
        self.log.rewind().unwrap();
        self.log.read_to_string(&mut log).unwrap();
        (status, log)
    }

    /// Sends one HTTP request, and returns the status and the body.
    pub async fn http(
        &self,
        method: &str,
        path: &str,
        host: &str,
        headers: &str,
        body: &str,
    ) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).await.unwrap();
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close, Upgrade\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        timeout(PATIENCE, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer.split_once("\r\n\r\n").unwrap().1.to_owned())
    }

    /// Asks for a channel with this body.
    pub async fn make(&self, body: &Value) -> (u16, String) {
        let json = "Content-Type: application/json\r\n";
        self.http("POST", CHANNELS_PATH, &self.address, json, &body.to_string()).await
    }

    /// Makes a lasting channel.
    pub async fn channel(&self, seed: u8) -> Channel {
        let channel = Channel::of(seed);
        assert_eq!(self.make(&channel.to_json(0)).await.0, 201);
        channel
    }

    /// A client that was challenged and has not claimed anything.
    pub async fn dial(&self) -> Client {
        let mut request = format!("ws://{}{}", self.address, frame::PATH).into_client_request().unwrap();
        request.headers_mut().insert("sec-websocket-protocol", HeaderValue::from_static(frame::SUBPROTOCOL));
        let stream = TcpStream::connect(&self.address).await.unwrap();
        let local = stream.local_addr().unwrap().to_string();
        let (socket, _) = client_async(request, stream).await.unwrap();
        let mut client = Client { socket, local, nonce: [0; 32] };
        let FromRelay::Challenge { nonce, .. } = client.frame().await else {
            panic!("a challenge comes first")
        };
        client.nonce = nonce;
        client
    }

    /// A client at one end of a channel, and whether the other end was there.
    pub async fn attach(&self, channel: &Channel, end: End) -> (Client, bool) {
        let mut client = self.dial().await;
        let auth = client.auth(&self.origin(), channel, end);
        client.send(auth).await;
        match client.frame().await {
            FromRelay::PeerPresence { online } => (client, online),
            other => panic!("{other:?}"),
        }
    }
}

/// A channel with the keys of both ends.
pub struct Channel {
    pub id: ChannelId,
    pub desktop: SigningKey,
    pub phone: SigningKey,
}

impl Channel {
    pub fn of(seed: u8) -> Self {
        let key = |end| SigningKey::from_seed(&[seed.wrapping_add(end); 32]);
        Self { id: ChannelId::new([seed; 16]), desktop: key(1), phone: key(2) }
    }

    pub fn key(&self, end: End) -> &SigningKey {
        match end {
            End::Desktop => &self.desktop,
            End::Phone => &self.phone,
        }
    }

    pub fn to_json(&self, ttl: u64) -> Value {
        json!({
            "id": BASE64URL_NOPAD.encode(self.id.as_bytes()),
            "key0": BASE64URL_NOPAD.encode(self.desktop.public().as_bytes()),
            "key1": BASE64URL_NOPAD.encode(self.phone.public().as_bytes()),
            "ttl": ttl,
        })
    }
}

/// One socket to a relay.
pub struct Client {
    socket: WebSocketStream<TcpStream>,
    /// This socket's own address.
    pub local: String,
    pub nonce: [u8; 32],
}

impl Client {
    /// The claim that this socket's challenge asks for.
    pub fn auth(&self, origin: &Origin, channel: &Channel, end: End) -> FromClient {
        let claim = Claim { origin, nonce: &self.nonce, channel: channel.id, end };
        FromClient::Auth { channel: channel.id, end, sig: claim.sign(channel.key(end)) }
    }

    pub async fn send(&mut self, frame: FromClient) {
        self.send_raw(Message::Binary(frame.encode().into())).await.unwrap();
    }

    pub async fn send_raw(&mut self, message: Message) -> Result<(), Error> {
        self.socket.send(message).await
    }

    /// Sends an envelope and returns what became of it.
    pub async fn post(&mut self, seq: u32, envelope: Vec<u8>) -> Outcome {
        self.send(FromClient::Send { seq, ttl: 120, first: false, wake: false, envelope }).await;
        self.ack(seq).await
    }

    pub async fn ack(&mut self, expected: u32) -> Outcome {
        match self.frame().await {
            FromRelay::Ack { seq, outcome } if seq == expected => outcome,
            other => panic!("{other:?}"),
        }
    }

    /// The next message.
    pub async fn message(&mut self) -> Option<Result<Message, Error>> {
        timeout(PATIENCE, self.socket.next()).await.expect("the relay should have said something")
    }

    /// The relay's next frame.
    pub async fn frame(&mut self) -> FromRelay {
        loop {
            match self.message().await {
                Some(Ok(Message::Binary(bytes))) => return FromRelay::decode(&bytes).unwrap(),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                other => panic!("a frame, not {other:?}"),
            }
        }
    }

    /// The next frame, which is an envelope: its id and bytes.
    pub async fn delivery(&mut self) -> (u32, Vec<u8>) {
        match self.frame().await {
            FromRelay::Deliver { id, envelope, .. } => (id, envelope),
            other => panic!("a delivery, not {other:?}"),
        }
    }

    /// The next thing that comes is the relay's close.
    pub async fn closed(&mut self) -> CloseCode {
        match self.message().await {
            Some(Ok(Message::Close(Some(close)))) => CloseCode::from_number(close.code.into()).unwrap(),
            other => panic!("a close, not {other:?}"),
        }
    }

    /// Nothing waits: the answer to a ping comes before any frame.
    pub async fn has_nothing(&mut self) {
        self.send_raw(Message::Ping(vec![1].into())).await.unwrap();
        match self.message().await {
            Some(Ok(Message::Pong(_))) => {}
            other => panic!("nothing, not {other:?}"),
        }
    }

    pub async fn leave(mut self) {
        self.socket.close(None).await.unwrap();
        while let Some(Ok(_)) = self.message().await {}
    }
}

/// A signature of the right length and nothing else.
pub fn no_signature() -> Signature {
    Signature::from_bytes([0x5a; 64])
}
