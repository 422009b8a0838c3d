//! The demo phone's socket to a relay: claims its end, hands envelopes over, and comes back after a loss with growing,
//! scattered pauses. It keeps nothing; what is lost the core sends again.

use std::time::Duration;

use countersign_proto::{
    claim::{Claim, End, Origin},
    frame::{self, CloseCode, FromClient, FromRelay},
    id::ChannelId,
    key::SigningKey,
};
use futures_util::{SinkExt, StreamExt};
use tokio::{net::TcpStream, sync::mpsc, time};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async_with_config,
    tungstenite::{
        Message,
        client::IntoClientRequest,
        http::{HeaderValue, header::SEC_WEBSOCKET_PROTOCOL},
        protocol::WebSocketConfig,
    },
};

use crate::clock;

/// For connecting and claiming.
const PATIENCE: Duration = Duration::from_secs(5);
/// Pauses between attempts: from here, doubling, up to there; each scattered between half and the whole.
const PAUSE: Duration = Duration::from_millis(200);
const PAUSE_MOST: Duration = Duration::from_secs(2);

/// Which mailbox, and how to prove that it is ours.
#[derive(Clone)]
pub struct Mailbox {
    /// The relay, as dialled.
    pub origin: Origin,
    /// The channel.
    pub channel: ChannelId,
    /// The phone's key there.
    pub key: SigningKey,
}

/// What the relay did.
#[derive(Debug)]
pub enum FromSocket {
    /// The claim was taken; whether the desktop is there.
    Up {
        /// Whether it is.
        online: bool,
    },
    /// The socket is gone; it is tried again.
    Down(Lost),
    /// The desktop came or left.
    Peer {
        /// Whether it is there.
        online: bool,
    },
    /// An envelope came.
    Delivered {
        /// Its bytes.
        envelope: Vec<u8>,
        /// How long the relay held it, in ms.
        age_ms: u32,
    },
}

/// Why there is no socket.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    /// The relay knows no such channel, or not this end's key.
    #[error("the relay knows no such channel")]
    Refused,
    /// The channel was deleted, or its time is over.
    #[error("the channel has ended")]
    Ended,
    /// A newer socket claimed this end.
    #[error("another program claimed this phone's end")]
    Replaced,
    /// Something that may be better the next time.
    #[error("{0}")]
    Broken(String),
}

/// What goes to the relay.
#[derive(Debug)]
pub enum ToSocket {
    /// An envelope.
    Send {
        /// Its bytes.
        envelope: Vec<u8>,
        /// How long it is good for, in s.
        ttl_s: u16,
        /// Whether it is a handshake.
        first: bool,
    },
    /// Drop the socket and come back, as after a loss.
    HangUp,
}

/// A mailbox's socket, kept up until this is dropped.
pub struct Socket {
    to: mpsc::UnboundedSender<ToSocket>,
    from: mpsc::UnboundedReceiver<FromSocket>,
}

impl Socket {
    /// Connects, and connects again.
    pub fn open(mailbox: Mailbox) -> Self {
        let (to, commands) = mpsc::unbounded_channel();
        let (reports, from) = mpsc::unbounded_channel();
        tokio::spawn(keep_up(mailbox, commands, reports));
        Self { to, from }
    }

    /// Hands something over. What can't be sent now is dropped.
    pub fn send(&self, command: ToSocket) {
        // A closed channel means that the task ended with the runtime.
        let _ = self.to.send(command);
    }

    /// What the relay did next.
    pub async fn next(&mut self) -> Option<FromSocket> {
        self.from.recv().await
    }
}

type Stream = WebSocketStream<MaybeTlsStream<TcpStream>>;

async fn keep_up(
    mailbox: Mailbox,
    mut commands: mpsc::UnboundedReceiver<ToSocket>,
    reports: mpsc::UnboundedSender<FromSocket>,
) {
    let mut pause = PAUSE;
    while !reports.is_closed() {
        let reason = match time::timeout(PATIENCE, dial(&mailbox)).await {
            Ok(Ok((stream, online))) => {
                pause = PAUSE;
                // What was meant for the lost socket is the core's to send again.
                while commands.try_recv().is_ok() {}
                let _ = reports.send(FromSocket::Up { online });
                serve(stream, &mut commands, &reports).await
            }
            Ok(Err(lost)) => lost,
            Err(_) => broken("the relay did not answer in time"),
        };
        if reports.send(FromSocket::Down(reason)).is_err() {
            return;
        }
        time::sleep(scattered(pause)).await;
        pause = (pause * 2).min(PAUSE_MOST);
    }
}

async fn dial(mailbox: &Mailbox) -> Result<(Stream, bool), Lost> {
    let url = format!("ws://{}{}", mailbox.origin, frame::PATH);
    let mut request = url.into_client_request().map_err(broken)?;
    request.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(frame::SUBPROTOCOL));
    let config =
        WebSocketConfig::default().max_message_size(Some(frame::MAX)).max_frame_size(Some(frame::MAX));
    let (mut stream, _) = connect_async_with_config(request, Some(config), true)
        .await
        .map_err(|error| broken(format!("cannot reach the relay at {}: {error}", mailbox.origin)))?;
    let FromRelay::Challenge { nonce, .. } = frame(&mut stream).await? else {
        return Err(broken("the relay did not begin with a challenge"));
    };
    let (channel, end) = (mailbox.channel, End::Phone);
    let sig = Claim { origin: &mailbox.origin, nonce: &nonce, channel, end }.sign(&mailbox.key);
    send(&mut stream, &FromClient::Auth { channel, end, sig }).await?;
    match frame(&mut stream).await? {
        FromRelay::PeerPresence { online } => Ok((stream, online)),
        _ => Err(broken("the relay did not answer the claim")),
    }
}

/// Carries frames until the socket is lost.
async fn serve(
    mut stream: Stream,
    commands: &mut mpsc::UnboundedReceiver<ToSocket>,
    reports: &mpsc::UnboundedSender<FromSocket>,
) -> Lost {
    let mut seq = 0;
    loop {
        let done = tokio::select! {
            command = commands.recv() => match command {
                Some(ToSocket::Send { envelope, ttl_s, first }) => {
                    seq += 1;
                    send(&mut stream, &FromClient::Send { seq, ttl: ttl_s, first, wake: false, envelope }).await
                }
                Some(ToSocket::HangUp) | None => {
                    let _ = stream.close(None).await;
                    return broken("hung up");
                }
            },
            frame = frame(&mut stream) => match frame {
                Ok(frame) => take(frame, &mut stream, reports).await,
                Err(error) => Err(error),
            },
        };
        if let Err(lost) = done {
            return lost;
        }
    }
}

async fn take(
    frame: FromRelay,
    stream: &mut Stream,
    reports: &mpsc::UnboundedSender<FromSocket>,
) -> Result<(), Lost> {
    match frame {
        FromRelay::Deliver { id, age_ms, envelope } => {
            let _ = reports.send(FromSocket::Delivered { envelope, age_ms });
            send(stream, &FromClient::Got { id }).await
        }
        FromRelay::PeerPresence { online } => {
            let _ = reports.send(FromSocket::Peer { online });
            Ok(())
        }
        FromRelay::Ack { .. } | FromRelay::Notice { .. } => Ok(()),
        FromRelay::Challenge { .. } => Err(broken("the relay sent a second challenge")),
    }
}

async fn send(stream: &mut Stream, frame: &FromClient) -> Result<(), Lost> {
    stream.send(Message::binary(frame.encode())).await.map_err(broken)
}

/// The relay's next frame.
async fn frame(stream: &mut Stream) -> Result<FromRelay, Lost> {
    loop {
        match stream.next().await {
            Some(Ok(Message::Binary(bytes))) => return FromRelay::decode(&bytes).map_err(broken),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            Some(Ok(Message::Close(close))) => return Err(closed(close.map(|close| close.code.into()))),
            Some(Ok(Message::Text(_) | Message::Frame(_))) => {
                return Err(broken("the relay sent what is no frame"));
            }
            Some(Err(error)) => return Err(broken(error)),
            None => return Err(broken("the relay is gone")),
        }
    }
}

fn closed(number: Option<u16>) -> Lost {
    match number.and_then(CloseCode::from_number) {
        Some(CloseCode::Refused) => Lost::Refused,
        Some(CloseCode::Ended) => Lost::Ended,
        Some(CloseCode::Replaced) => Lost::Replaced,
        Some(code) => broken(format!("the relay closed the socket: {}", code.reason())),
        None => broken("the relay closed the socket"),
    }
}

fn broken(why: impl ToString) -> Lost {
    Lost::Broken(why.to_string())
}

/// Between half of a pause and the whole, so that many phones don't come back at once.
fn scattered(pause: Duration) -> Duration {
    let half = pause / 2;
    let share = clock::random::<1>().map_or(255, |[byte]| u32::from(byte));
    half + half * share / 255
}
