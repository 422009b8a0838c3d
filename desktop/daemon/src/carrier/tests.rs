//! The carrier as a daemon runs it.

use countersign_core::input::Input;
use countersign_ipc::control::PairEvent;
use countersign_proto::id::RunId;
use tokio::{
    net::TcpStream,
    sync::{oneshot, watch},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::{
    courier::stage::{Begun, FakePhone, Inner, PATIENCE, pair, relay_program},
    keys::Protection,
    status::About,
};

struct Carried {
    _folder: tempfile::TempDir,
    handle: crate::eventloop::Handle,
    looping: JoinHandle<()>,
    orders: mpsc::Sender<PairOrder>,
    relay: watch::Receiver<RelayState>,
    shutdown: CancellationToken,
    carrying: JoinHandle<()>,
}

async fn carried(demo: bool) -> Carried {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let Inner { handle, store, errands, looping } = Inner::start(&state).await;
    let (orders, pairings) = mpsc::channel(1);
    let (told, relay) = watch::channel(RelayState::Off {});
    let shutdown = CancellationToken::new();
    let about = About {
        instance: None,
        demo,
        run_id: RunId::new([1; 16]),
        started_wall_ms: 0,
        sockets: folder.path().join("run"),
        state,
        protection: Protection { is_closed: false, is_kept_in_memory: false },
    };
    let way = Way {
        handle: handle.clone(),
        store,
        about,
        errands,
        pairings,
        relay: told,
        shutdown: shutdown.clone(),
    };
    let carrying = tokio::spawn(carry_with(relay_program(), way));
    Carried { _folder: folder, handle, looping, orders, relay, shutdown, carrying }
}

impl Carried {
    async fn end(self) {
        self.handle.tell(Input::Shutdown).await.unwrap();
        self.looping.await.unwrap();
        self.shutdown.cancel();
        timeout(PATIENCE, self.carrying).await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_pairing_switches_the_phone_on_and_a_second_one_at_the_same_time_is_turned_away() {
    let mut carried = carried(true).await;
    let (mut first, order) = Begun::order(None);
    carried.orders.send(order).await.unwrap();
    let ticket = first.ticket().await;
    let (mut second, order) = Begun::order(None);
    carried.orders.send(order).await.unwrap();
    assert!(second.failure().await.contains("another pairing runs"));

    assert_eq!(*carried.relay.borrow(), RelayState::Off {}, "no phone is paired yet");
    let (code, shown) = oneshot::channel();
    let phone = tokio::spawn(async move { pair(&ticket, 1, code).await });
    first.type_code(&shown.await.unwrap()).await;
    let phone = FakePhone::start(phone.await.unwrap().unwrap(), 1);
    assert!(matches!(first.last().await, PairEvent::Done { round_trip_ms: Some(_), .. }));
    let connected = |state: &RelayState| matches!(state, RelayState::Connected { .. });
    timeout(PATIENCE, carried.relay.wait_for(connected)).await.unwrap().unwrap();

    let address = phone.pair.desktop.relay.to_string();
    carried.end().await;
    assert!(TcpStream::connect(&address).await.is_err(), "its relay ended with it");
}

#[tokio::test]
async fn a_daemon_without_phones_ends_without_ever_having_dialled() {
    let carried = carried(false).await;
    let relay = carried.relay.clone();
    carried.end().await;
    assert_eq!(*relay.borrow(), RelayState::Off {});
}
