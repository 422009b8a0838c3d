//! What a relay, or somebody with a stolen relay key, can send: nothing of it does anything.

use countersign_mobile_core::choice::Choice;
use countersign_proto::{
    frame::{FromClient, FromRelay, Outcome},
    limits,
    message::{Message, Ping},
    session::{PairRecord, PhoneEnd, Received, Suite},
};

use crate::{
    clock::boot_ms,
    courier::{
        Heard, Reach, Socket,
        stage::{FakePhone, Ordered, RelayProcess, World},
    },
    keys::random,
};

async fn post(socket: &mut Socket, seq: u32, envelope: Vec<u8>, first: bool) {
    let frame = FromClient::Send { seq, ttl: 60, first, wake: false, envelope };
    socket.send(&frame).await.unwrap();
    loop {
        if let Heard::Frame(FromRelay::Ack { seq: of, outcome }) = socket.hear().await.unwrap()
            && of == seq
        {
            assert_eq!(outcome, Outcome::Held);
            return;
        }
    }
}

async fn delivery(socket: &mut Socket) -> Vec<u8> {
    loop {
        if let Heard::Frame(FromRelay::Deliver { id, envelope, .. }) = socket.hear().await.unwrap() {
            socket.send(&FromClient::Got { id }).await.unwrap();
            return envelope;
        }
    }
}

fn record(phone: &FakePhone) -> PairRecord {
    let desktop = &phone.pair.desktop;
    PairRecord {
        suite: Suite::X25519,
        channel: desktop.channel,
        desktop_id: desktop.desktop_id,
        device_id: desktop.device_id,
        own: desktop.own.clone(),
        peer: desktop.peer,
        psk: desktop.pair_psk.clone(),
    }
}

struct Scene {
    _folder: tempfile::TempDir,
    world: World,
    relay: RelayProcess,
    phone: FakePhone,
}

/// A paired phone that is away, so that a test can stand in its place.
async fn scene() -> Scene {
    let folder = tempfile::tempdir().unwrap();
    let world = World::start(&folder.path().join("state")).await;
    let relay = RelayProcess::start();
    let phone = world.pair(Some(relay.address.to_string()), 1).await;
    phone.order(Ordered::HangUp);
    let device = phone.pair.desktop.device_id;
    world.reaches(device, |reach| *reach == Reach::Online { phone: false }).await;
    Scene { _folder: folder, world, relay, phone }
}

impl Scene {
    async fn socket(&self) -> Socket {
        Socket::claim(&self.relay.address, &self.phone.claimed()).await.unwrap().0
    }

    /// The phone comes back, and everything works as before.
    async fn works(mut self) {
        self.phone.order(Ordered::Come);
        let asked = self.world.ask("echo hi").await;
        let card = self.phone.card().await;
        self.phone.order(Ordered::Decide(card, Choice::ApproveOnce));
        assert!(asked.answer().await.contains(r#""behavior":"allow""#));
        self.world.stop().await;
    }
}

#[tokio::test]
async fn forged_envelopes_change_nothing_and_blame_nobody() {
    let scene = scene().await;
    let before = scene.world.log().await;
    let mut socket = scene.socket().await;
    let mut seq = 0;
    for kind in 0..=5 {
        for size in limits::BUCKETS.into_iter().chain([1, 17, 300]) {
            let mut envelope = vec![0; size];
            if let [version, of_kind, ..] = envelope.as_mut_slice() {
                (*version, *of_kind) = (1, kind);
            }
            seq += 1;
            post(&mut socket, seq, envelope, kind == 2).await;
        }
    }
    socket.close().await;
    assert_eq!(scene.world.log().await, before, "nothing is the phone's but what verified");
    scene.works().await;
}

#[tokio::test]
async fn a_replayed_handshake_ends_no_session_and_a_phone_of_other_keys_gets_no_answer() {
    let scene = scene().await;
    let mut socket = scene.socket().await;
    let mut phone = PhoneEnd::new(record(&scene.phone));
    let hello = phone.start(*random().unwrap()).unwrap();
    post(&mut socket, 1, hello.clone(), true).await;
    let answer = delivery(&mut socket).await;
    assert_eq!(phone.receive(&answer, boot_ms()), Ok(Received::Live(None)));
    // The same bytes once more, and those of somebody without the pair's secret.
    post(&mut socket, 2, hello, true).await;
    let mut stolen = record(&scene.phone);
    stolen.psk = countersign_proto::key::Secret32::new([0; 32]);
    let forged = PhoneEnd::new(stolen).start(*random().unwrap()).unwrap();
    post(&mut socket, 3, forged, true).await;
    // The session that the first one made is there all the same.
    let (kind, body) = Message::Ping(Ping { nonce: 7, pong: false }).encode();
    let ping = phone.seal(kind, body, boot_ms()).unwrap().remove(0);
    post(&mut socket, 4, ping, false).await;
    let pong = delivery(&mut socket).await;
    let Ok(Received::Message(pong)) = phone.receive(&pong, boot_ms()) else { panic!("a pong") };
    let pong = Message::decode(pong.kind, &pong.body);
    assert_eq!(pong, Ok(Message::Ping(Ping { nonce: 7, pong: true })));
    socket.close().await;
    scene.works().await;
}

#[tokio::test]
async fn sealed_nonsense_of_the_phone_itself_is_recorded_and_does_nothing() {
    let scene = scene().await;
    let mut socket = scene.socket().await;
    let mut phone = PhoneEnd::new(record(&scene.phone));
    post(&mut socket, 1, phone.start(*random().unwrap()).unwrap(), true).await;
    let answer = delivery(&mut socket).await;
    phone.receive(&answer, boot_ms()).unwrap();
    for (seq, kind) in [(2, 0x99), (3, 0x10), (4, 0x11)] {
        let nonsense = phone.seal(kind, vec![0xff; 40], boot_ms()).unwrap().remove(0);
        post(&mut socket, seq, nonsense, false).await;
    }
    let (kind, body) = Message::Ping(Ping { nonce: 7, pong: false }).encode();
    let ping = phone.seal(kind, body, boot_ms()).unwrap().remove(0);
    post(&mut socket, 5, ping, false).await;
    let pong = delivery(&mut socket).await;
    assert!(matches!(phone.receive(&pong, boot_ms()), Ok(Received::Message(_))));
    socket.close().await;
    scene.works().await;
}
