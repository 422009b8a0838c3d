//! A relay whose every word a test chooses, and a phone that a test speaks for.

use countersign_core::{
    approver::{KeyStrength, NewApprover},
    command::Report,
};
use countersign_proto::{
    canonical,
    claim::{Claim, Origin},
    domain,
    frame::{FromClient, FromRelay, SUBPROTOCOL},
    id::ChannelId,
    key::{AgreementKey, BioKey, Secret32, SigningKey},
    message::{Hello, Message},
    offer::SignedOffer,
    pairing::{derive_desktop_id, derive_device_id},
    reply::{Decision, Reply, SignedReply},
    session::{PairRecord, PhoneEnd, Received, Suite},
    text::Foreign,
};
use futures_util::{SinkExt as _, StreamExt as _};
use p256::{
    ecdsa::{DerSignature, signature::Signer as _},
    pkcs8::EncodePublicKey as _,
};
use tokio::{
    net::{TcpListener, TcpStream},
    time::timeout,
};
use tokio_tungstenite::{
    WebSocketStream, accept_hdr_async,
    tungstenite::{
        self, Message as WebSocketMessage,
        handshake::server::{ErrorResponse, Request, Response},
        http::HeaderValue,
    },
};

use super::{PATIENCE, World};
use crate::{clock::boot_ms, keys::random, store::Pairing};

/// One connection of a courier, as its relay has it.
pub(crate) struct Script {
    socket: WebSocketStream<TcpStream>,
}

impl Script {
    /// Takes the next connection and its claim.
    pub(crate) async fn accept(listener: &TcpListener, phone: bool) -> Self {
        let (stream, _) = timeout(PATIENCE, listener.accept()).await.expect("a courier comes").unwrap();
        let origin = Origin::parse(&listener.local_addr().unwrap().to_string(), 80).unwrap();
        #[expect(clippy::result_large_err, reason = "the library's signature")]
        let agree = |_: &Request, mut response: Response| -> Result<Response, ErrorResponse> {
            response.headers_mut().insert("sec-websocket-protocol", HeaderValue::from_static(SUBPROTOCOL));
            Ok(response)
        };
        let mut this = Self { socket: accept_hdr_async(stream, agree).await.unwrap() };
        let nonce = [7; 32];
        this.say(FromRelay::Challenge { nonce, relay_time: 0 }).await;
        let FromClient::Auth { channel, end, sig } = this.hear().await else { panic!("a claim comes first") };
        let claim = Claim { origin: &origin, nonce: &nonce, channel, end };
        claim.verify(&Puppet::relay_key().public(), &sig).unwrap();
        this.say(FromRelay::PeerPresence { online: phone }).await;
        this
    }

    pub(crate) async fn say(&mut self, frame: FromRelay) {
        self.socket.send(WebSocketMessage::Binary(frame.encode().into())).await.unwrap();
    }

    pub(crate) async fn raw(&mut self, bytes: Vec<u8>) {
        self.socket.send(WebSocketMessage::Binary(bytes.into())).await.unwrap();
    }

    pub(crate) async fn close(mut self, code: u16) {
        let close = tungstenite::protocol::CloseFrame { code: code.into(), reason: "".into() };
        self.socket.close(Some(close)).await.unwrap();
        while self.socket.next().await.is_some() {}
    }

    /// The courier's next frame.
    pub(crate) async fn hear(&mut self) -> FromClient {
        loop {
            let message = timeout(PATIENCE, self.socket.next()).await.expect("the courier says something");
            match message.unwrap().unwrap() {
                WebSocketMessage::Binary(bytes) => return FromClient::decode(&bytes).unwrap(),
                WebSocketMessage::Ping(_) | WebSocketMessage::Pong(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    /// The courier's next envelope, with its number.
    pub(crate) async fn envelope(&mut self) -> (u32, Vec<u8>) {
        loop {
            match self.hear().await {
                FromClient::Send { seq, envelope, .. } => return (seq, envelope),
                FromClient::Got { .. } => {}
                other => panic!("{other:?}"),
            }
        }
    }

    /// Whether the courier says nothing for as long as anything it had to say would have taken.
    pub(crate) async fn is_silent(&mut self) -> bool {
        self.socket.send(WebSocketMessage::Ping(vec![1].into())).await.unwrap();
        loop {
            match self.socket.next().await.unwrap().unwrap() {
                WebSocketMessage::Pong(_) => return true,
                WebSocketMessage::Binary(_) => return false,
                _ => {}
            }
        }
    }
}

/// A paired phone without a will of its own.
pub(crate) struct Puppet {
    pub(crate) end: PhoneEnd,
    device: SigningKey,
    bio: p256::ecdsa::SigningKey,
    next_id: u32,
    next_counter: u64,
}

impl Puppet {
    fn relay_key() -> SigningKey {
        SigningKey::from_seed(&[9; 32])
    }

    /// Has a world take it for paired, at the relay of this address.
    pub(crate) async fn adopted(world: &World, relay: &str) -> Self {
        let (device, bio) =
            (SigningKey::from_seed(&[3; 32]), p256::ecdsa::SigningKey::from_slice(&[4; 32]).unwrap());
        let (ours, theirs) = (AgreementKey::from_bytes([5; 32]), AgreementKey::from_bytes([6; 32]));
        let desktop_id = derive_desktop_id(&world.store.desktop().public());
        let record = PairRecord {
            suite: Suite::X25519,
            channel: ChannelId::new([7; 16]),
            desktop_id,
            device_id: derive_device_id(&desktop_id, &device.public()),
            own: ours.clone(),
            peer: theirs.public(),
            psk: Secret32::new([8; 32]),
        };
        let spki = bio.verifying_key().to_public_key_der().unwrap();
        let approver = NewApprover {
            device_id: record.device_id,
            name: Foreign::new("puppet"),
            model: Foreign::new("puppet"),
            device_key: device.public(),
            bio_key: BioKey::from_spki_der(spki.as_bytes()).unwrap(),
            strength: KeyStrength::Demo,
            chain: vec![vec![1]],
            paired_wall_ms: 0,
        };
        let pairing = Pairing {
            record: record.clone(),
            relay: crate::courier::Address::typed(relay).unwrap().to_record(),
            relay_key: Self::relay_key(),
            phone_relay_key: SigningKey::from_seed(&[10; 32]).public(),
        };
        let paired = world.handle.pair(Box::new(approver), [0; 32], Box::new(pairing)).await.unwrap();
        assert_eq!(paired.report, Some(Report::Done));
        let end = PhoneEnd::new(PairRecord { own: theirs, peer: ours.public(), ..record });
        Self { end, device, bio, next_id: 0, next_counter: 0 }
    }

    /// Opens a session through a relay, up to the desktop's welcome.
    pub(crate) async fn greet(&mut self, relay: &mut Script) {
        let first = self.end.start(*random().unwrap()).unwrap();
        self.deliver(relay, first).await;
        let (seq, answer) = relay.envelope().await;
        relay.say(held(seq)).await;
        assert_eq!(self.end.receive(&answer, boot_ms()), Ok(Received::Live(None)));
        let hello = Hello { app: Foreign::new("puppet"), versions: vec![1], counter: 0, head: None };
        self.say(relay, &Message::Hello(hello)).await;
        let welcome = self.hear(relay).await;
        assert!(matches!(welcome, Message::Welcome(_)), "{welcome:?}");
    }

    pub(crate) async fn say(&mut self, relay: &mut Script, message: &Message) {
        let (kind, body) = message.encode();
        for envelope in self.end.seal(kind, body, boot_ms()).unwrap() {
            self.deliver(relay, envelope).await;
        }
    }

    /// The desktop's next message.
    pub(crate) async fn hear(&mut self, relay: &mut Script) -> Message {
        loop {
            let (seq, envelope) = relay.envelope().await;
            relay.say(held(seq)).await;
            if let Received::Message(raw) = self.end.receive(&envelope, boot_ms()).unwrap() {
                return Message::decode(raw.kind, &raw.body).unwrap();
            }
        }
    }

    /// A reply that allows.
    pub(crate) fn approve(&mut self, signed: &SignedOffer) -> Message {
        self.next_counter += 1;
        let pair = self.end.pair();
        let (desktop_id, device_id) = (pair.desktop_id, pair.device_id);
        let offer: countersign_proto::offer::Offer =
            canonical::decode(&signed.bytes, countersign_proto::limits::MESSAGE).unwrap();
        let reply = Reply {
            v: Reply::VERSION,
            desktop_id,
            device_id,
            offer_id: offer.offer_id,
            offer_hash: signed.hash(),
            decision: Decision::ApproveOnce,
            counter: self.next_counter,
            payload: None,
            phone_time: 0,
        };
        let bytes = reply.encode();
        let sig = self.device.sign(domain::REPLY_DEVICE, &[&bytes]);
        let by_finger: DerSignature = self.bio.sign(&domain::sig(domain::REPLY_BIO, &[&bytes]));
        Message::Reply(SignedReply { bytes, sig, sig_bio: Some(by_finger.as_bytes().to_vec()) })
    }

    async fn deliver(&mut self, relay: &mut Script, envelope: Vec<u8>) {
        self.next_id += 1;
        relay.say(FromRelay::Deliver { id: self.next_id, age_ms: 0, envelope }).await;
    }
}

fn held(seq: u32) -> FromRelay {
    FromRelay::Ack { seq, outcome: countersign_proto::frame::Outcome::Held }
}

/// A free port on loopback, and its address.
pub(crate) async fn listen() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    (listener, address)
}
