//! One claimed end of a channel: a WebSocket whose challenge was answered. Frames go in and out; what is no frame, or
//! none that belongs here, ends it.

use std::time::Duration;

use countersign_proto::{
    claim::{Claim, End},
    frame::{self, BadFrame, CloseCode, FromClient, FromRelay},
    id::ChannelId,
    key::SigningKey,
};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::time::timeout;
use tokio_tungstenite::{
    WebSocketStream, client_async_with_config,
    tungstenite::{
        self, Message,
        client::IntoClientRequest as _,
        error::ProtocolError,
        handshake::client::Request,
        http::HeaderValue,
        protocol::{CloseFrame, WebSocketConfig, frame::coding::CloseCode as WebSocketClose},
    },
};

use super::{
    address::Address,
    dial::{PATIENCE, Stream, Trouble, dial},
};

/// How long a relay may take to answer our close.
const FAREWELL: Duration = Duration::from_secs(1);

/// Which end of which channel, and the key that claims it.
#[derive(Debug, Clone)]
pub struct Claimed {
    /// The channel.
    pub channel: ChannelId,
    /// Our end.
    pub end: End,
    /// Its key.
    pub key: SigningKey,
}

/// What a relay's socket brings.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// A frame.
    Frame(FromRelay),
    /// A sign of life.
    Alive,
}

/// A connection whose claim the relay took.
pub struct Socket {
    inner: WebSocketStream<Box<dyn Stream>>,
}

impl Socket {
    /// Dials, answers the challenge, and hears whether the other end is there.
    ///
    /// # Errors
    /// [`Trouble`]; [`Trouble::Refused`] where the relay does not know the channel or not this key for it.
    pub async fn claim(address: &Address, claimed: &Claimed) -> Result<(Self, bool), Trouble> {
        let stream = dial(address).await?;
        let (inner, _) =
            timeout(PATIENCE, client_async_with_config(request(address)?, stream, Some(config())))
                .await
                .map_err(|_| Trouble::Silent)?
                .map_err(trouble)?;
        let mut socket = Self { inner };
        let FromRelay::Challenge { nonce, relay_time: _ } = socket.answer().await? else {
            return Err(out_of_turn());
        };
        let Claimed { channel, end, key } = claimed;
        let claim = Claim { origin: address.origin(), nonce: &nonce, channel: *channel, end: *end };
        let sig = claim.sign(key);
        socket.send(&FromClient::Auth { channel: *channel, end: *end, sig }).await?;
        match socket.answer().await {
            Ok(FromRelay::PeerPresence { online }) => Ok((socket, online)),
            Ok(_) => Err(out_of_turn()),
            Err(Trouble::Closed(CloseCode::Refused)) => Err(Trouble::Refused),
            Err(other) => Err(other),
        }
    }

    /// The next thing that comes. May be dropped while it waits.
    ///
    /// # Errors
    /// Why the connection is over.
    pub async fn hear(&mut self) -> Result<Heard, Trouble> {
        match self.inner.next().await {
            Some(Ok(Message::Binary(bytes))) => FromRelay::decode(&bytes).map(Heard::Frame).map_err(nonsense),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(Heard::Alive),
            Some(Ok(Message::Close(why))) => Err(why.map_or(Trouble::Broken, |why| closed(why.code.into()))),
            Some(Ok(Message::Text(_) | Message::Frame(_))) => Err(out_of_turn()),
            Some(Err(error)) => Err(trouble(error)),
            None => Err(Trouble::Broken),
        }
    }

    /// Sends a frame.
    ///
    /// # Errors
    /// Why the connection is over.
    pub async fn send(&mut self, frame: &FromClient) -> Result<(), Trouble> {
        self.write(Message::Binary(frame.encode().into())).await
    }

    /// Asks for a sign of life.
    ///
    /// # Errors
    /// Why the connection is over.
    pub async fn ping(&mut self) -> Result<(), Trouble> {
        self.write(Message::Ping(Vec::new().into())).await
    }

    /// Ends the channel and waits until the relay says so.
    ///
    /// # Errors
    /// Why that is not known.
    pub async fn delete(mut self) -> Result<(), Trouble> {
        self.send(&FromClient::Delete).await?;
        let ended = async {
            loop {
                if let Err(trouble) = self.hear().await {
                    return trouble;
                }
            }
        };
        match timeout(PATIENCE, ended).await {
            Ok(Trouble::Closed(CloseCode::Ended)) => Ok(()),
            Ok(other) => Err(other),
            Err(_) => Err(Trouble::Silent),
        }
    }

    /// Leaves in order.
    pub async fn close(mut self) {
        let farewell = CloseFrame { code: WebSocketClose::Normal, reason: "".into() };
        let polite = async {
            self.inner.close(Some(farewell)).await?;
            while self.inner.next().await.transpose()?.is_some() {}
            Ok::<(), tungstenite::Error>(())
        };
        // The relay sees the end of the connection as well.
        let _ = timeout(FAREWELL, polite).await;
    }

    async fn write(&mut self, message: Message) -> Result<(), Trouble> {
        match timeout(PATIENCE, self.inner.send(message)).await {
            Ok(sent) => sent.map_err(trouble),
            Err(_) => Err(Trouble::Silent),
        }
    }

    /// The frame that the relay owes.
    async fn answer(&mut self) -> Result<FromRelay, Trouble> {
        let frame = async {
            loop {
                if let Heard::Frame(frame) = self.hear().await? {
                    return Ok(frame);
                }
            }
        };
        timeout(PATIENCE, frame).await.unwrap_or(Err(Trouble::Silent))
    }
}

impl std::fmt::Debug for Socket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Socket")
    }
}

/// The scheme in it is for the library alone; the stream below has its TLS already.
fn request(address: &Address) -> Result<Request, Trouble> {
    let url = format!("ws://{}{}", address.host(), frame::PATH);
    let mut request = url.into_client_request().map_err(trouble)?;
    let subprotocol = HeaderValue::from_static(frame::SUBPROTOCOL);
    request.headers_mut().insert("sec-websocket-protocol", subprotocol);
    Ok(request)
}

fn config() -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(16 << 10)
        .write_buffer_size(0)
        .max_write_buffer_size(2 * frame::MAX)
        .max_message_size(Some(frame::MAX))
        .max_frame_size(Some(frame::MAX))
}

fn closed(code: u16) -> Trouble {
    CloseCode::from_number(code).map_or(Trouble::Broken, Trouble::Closed)
}

fn nonsense(bad: BadFrame) -> Trouble {
    Trouble::NoRelay(bad.to_string())
}

fn out_of_turn() -> Trouble {
    Trouble::NoRelay("a frame came out of turn".to_owned())
}

fn trouble(error: tungstenite::Error) -> Trouble {
    use tungstenite::Error;
    match error {
        Error::Io(_) | Error::ConnectionClosed | Error::AlreadyClosed => Trouble::Broken,
        Error::Http(answer) => Trouble::NoRelay(format!("HTTP status {}", answer.status().as_u16())),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake | ProtocolError::HandshakeIncomplete) => {
            Trouble::Broken
        }
        other => Trouble::NoRelay(other.to_string()),
    }
}
