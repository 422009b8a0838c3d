//! What only shows with other limits, another clock or a registry that fails: the router in this process, over
//! loopback. The rest is tested against the built binary in `tests/relay`.

use std::{future::ready, sync::Arc, time::Duration};

use axum::extract::ws::CloseCode as Number;
use countersign_proto::{
    claim::{Claim, End, Origin},
    frame::{self, CloseCode, FromClient, FromRelay},
    id::ChannelId,
    key::SigningKey,
    limits,
};
use futures_util::{SinkExt, StreamExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Message, client::IntoClientRequest, http::HeaderValue},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    config::Limits,
    hub::{Bounds, Hub},
    rate::Allowance,
    registry::{Answer, Channel, Keys, Made, MemoryRegistry, Registry, RegistryError},
    router::{App, loopback_origins, router},
};

const ID: ChannelId = ChannelId::new([1; 16]);

#[tokio::test]
async fn a_socket_that_claims_nothing_is_closed() {
    let limits = Limits { auth: Duration::from_millis(10), ..Limits::default() };
    let mut client = Client::dial(start(limits, MemoryRegistry::default()).await).await;
    assert!(matches!(client.frame().await, FromRelay::Challenge { .. }));
    assert_eq!(client.closed().await, CloseCode::TooLate.number());
}

#[tokio::test]
async fn a_client_that_takes_nothing_loses_its_socket_and_the_sender_goes_on() {
    let limits = Limits {
        write: Duration::from_millis(200),
        farewell: Duration::from_millis(10),
        bounds: Bounds { memory: 64 << 20, rate: Allowance { per_second: 1_000_000, burst: 1_000_000 } },
        ..Limits::default()
    };
    let registry = MemoryRegistry::default();
    registry.make(channel(None), now()).await.unwrap();
    let app = start(limits, registry).await;
    let mut desktop = Client::claim(app.clone(), End::Desktop).await;
    let phone = Client::claim(app, End::Phone).await;
    assert_eq!(desktop.frame().await, FromRelay::PeerPresence { online: true });
    let mut sent = 0;
    loop {
        let envelope = vec![7; limits::ENVELOPE];
        desktop.send(FromClient::Send { seq: sent, ttl: 120, first: true, wake: false, envelope }).await;
        sent += 1;
        match desktop.frame().await {
            FromRelay::Ack { .. } => {}
            FromRelay::PeerPresence { online } => break assert!(!online),
            other => panic!("{other:?}"),
        }
    }
    drop(phone);
}

#[tokio::test]
async fn a_registry_that_fails_lets_nobody_in_and_says_to_try_later() {
    for registry in [Fixed { keys: failure, touch: failure }, Fixed { keys: both_keys, touch: failure }] {
        let mut client = Client::dial(start(Limits::default(), registry).await).await;
        client.auth(End::Desktop).await;
        assert_eq!(client.closed().await, CloseCode::Failed.number());
    }
}

#[tokio::test]
async fn a_channel_deleted_while_it_is_claimed_keeps_no_socket() {
    let registry = Fixed { keys: both_keys, touch: || Box::pin(ready(Ok(false))) };
    let app = start(Limits::default(), registry).await;
    let mut client = Client::dial(app.clone()).await;
    client.auth(End::Desktop).await;
    assert_eq!(client.closed().await, CloseCode::Ended.number());
    assert_eq!(app.hub.attached(), []);
}

/// Serves until the test's runtime ends.
async fn start(limits: Limits, registry: impl Registry + 'static) -> App {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let app = App {
        registry: Arc::new(registry),
        hub: Hub::new(limits.bounds),
        limits,
        origins: loopback_origins(listener.local_addr().unwrap()),
        stop: CancellationToken::new(),
        sockets: TaskTracker::new(),
    };
    let served = router(app.clone());
    tokio::spawn(async move { axum::serve(listener, served).await.unwrap() });
    app
}

fn now() -> u64 {
    crate::clock::wall_s()
}

fn key(end: End) -> SigningKey {
    SigningKey::from_seed(&[end.number() + 1; 32])
}

fn channel(ends_at: Option<u64>) -> Channel {
    let keys = Keys { desktop: key(End::Desktop).public(), phone: key(End::Phone).public() };
    Channel { id: ID, keys, ends_at }
}

struct Client {
    socket: WebSocketStream<TcpStream>,
    origin: Origin,
}

impl Client {
    async fn dial(app: App) -> Self {
        let origin = app.origins[0].clone();
        let mut request = format!("ws://{origin}{}", frame::PATH).into_client_request().unwrap();
        request.headers_mut().insert("sec-websocket-protocol", HeaderValue::from_static(frame::SUBPROTOCOL));
        let stream = TcpStream::connect(origin.as_str()).await.unwrap();
        let (socket, _) = client_async(request, stream).await.unwrap();
        Self { socket, origin }
    }

    async fn claim(app: App, end: End) -> Self {
        let mut client = Self::dial(app).await;
        client.auth(end).await;
        assert!(matches!(client.frame().await, FromRelay::PeerPresence { .. }));
        client
    }

    async fn auth(&mut self, end: End) {
        let FromRelay::Challenge { nonce, .. } = self.frame().await else {
            panic!("a challenge comes first")
        };
        let sig = Claim { origin: &self.origin, nonce: &nonce, channel: ID, end }.sign(&key(end));
        self.send(FromClient::Auth { channel: ID, end, sig }).await;
    }

    async fn send(&mut self, frame: FromClient) {
        self.socket.send(Message::Binary(frame.encode().into())).await.unwrap();
    }

    async fn frame(&mut self) -> FromRelay {
        match self.socket.next().await {
            Some(Ok(Message::Binary(bytes))) => FromRelay::decode(&bytes).unwrap(),
            other => panic!("a frame, not {other:?}"),
        }
    }

    async fn closed(&mut self) -> Number {
        match self.socket.next().await {
            Some(Ok(Message::Close(Some(close)))) => close.code.into(),
            other => panic!("a close, not {other:?}"),
        }
    }
}

/// A registry whose answers are fixed: its disk is full, or its channels vanish.
struct Fixed {
    keys: fn() -> Answer<'static, Option<Keys>>,
    touch: fn() -> Answer<'static, bool>,
}

fn failure<T: Send + 'static>() -> Answer<'static, T> {
    Box::pin(ready(Err(RegistryError("no space left".into()))))
}

fn both_keys() -> Answer<'static, Option<Keys>> {
    Box::pin(ready(Ok(Some(channel(None).keys))))
}

impl Registry for Fixed {
    fn make(&self, _: Channel, _: u64) -> Answer<'_, Made> {
        failure()
    }

    fn keys(&self, _: ChannelId, _: u64) -> Answer<'_, Option<Keys>> {
        (self.keys)()
    }

    fn touch(&self, _: ChannelId, _: u64) -> Answer<'_, bool> {
        (self.touch)()
    }

    fn delete(&self, _: ChannelId) -> Answer<'_, bool> {
        failure()
    }

    fn remove_over(&self, _: u64) -> Answer<'_, Vec<ChannelId>> {
        failure()
    }
}
