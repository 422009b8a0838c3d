//! What is read back: recall, the log and its filters, and what is kept for how long.

use countersign_core::{
    audit::{Body, Event},
    command::{OfferState, RequestState, Write},
};
use countersign_proto::{
    domain,
    id::{DeviceId, OfferId, RequestId},
    key::Signature,
    receipt::SignedReceipt,
    text::Foreign,
};

use super::stage::*;
use crate::store::Search;

const DAY: u64 = 24 * 60 * 60 * 1000;

#[tokio::test]
async fn a_replayed_reply_finds_its_receipt_and_an_earlier_offer_its_run() {
    let mut stage = Stage::new().await;
    stage.ask().await;
    let hash = domain::hash(domain::RAW, &[&signed_reply(3).bytes]);
    let receipt = SignedReceipt { bytes: vec![1, 2], sig: Signature::from_bytes([1; 64]) };
    stage
        .commit(vec![reply(3, Some(OFFER)), Write::Receipt { reply: hash, signed: receipt.clone() }])
        .await
        .unwrap();
    let stage = stage.reopen().await;
    let recall = stage.store.recall(PHONE, Some(OFFER), hash).await.unwrap();
    assert_eq!((recall.offer_run, recall.receipt), (Some(RUN), Some(receipt)));
    let nothing = stage
        .store
        .recall(PHONE, Some(OfferId::new([77; 16])), domain::hash(domain::RAW, &[b"x"]))
        .await
        .unwrap();
    assert_eq!((nothing.offer_run, nothing.receipt), (None, None));
    let others = stage.store.recall(DeviceId::new([78; 16]), Some(OFFER), hash).await.unwrap();
    assert_eq!(others.offer_run, None, "another phone's offer");
    assert_eq!(stage.store.recall(PHONE, None, hash).await.unwrap().offer_run, None);
}

#[tokio::test]
async fn the_log_is_found_by_every_part_of_a_search() {
    let mut stage = Stage::new().await;
    let bodies = [
        Body::of(Event::Started),
        Body { request: Some(REQUEST), session: Some(Foreign::new("s1")), ..Body::of(Event::Asked) },
        Body { request: Some(REQUEST), device: Some(PHONE), ..Body::of(Event::Allowed) },
        Body { session: Some(Foreign::new("s2")), ..Body::of(Event::Asked) },
    ];
    let entries = bodies.into_iter().map(|body| stage.entry(body)).collect();
    stage.commit(entries).await.unwrap();
    let found = |search: Search| {
        let store = &stage.store;
        async move { store.search_log(&search).await.unwrap().iter().map(|row| row.seq).collect::<Vec<_>>() }
    };
    assert_eq!(found(Search::default()).await, [1, 2, 3, 4]);
    assert_eq!(found(Search { newest: Some(2), ..Search::default() }).await, [3, 4]);
    assert_eq!(found(Search { event: Some("asked".into()), ..Search::default() }).await, [2, 4]);
    assert_eq!(found(Search { request: Some(REQUEST), ..Search::default() }).await, [2, 3]);
    assert_eq!(found(Search { device: Some(PHONE), ..Search::default() }).await, [3]);
    assert_eq!(found(Search { session: Some("s2".into()), ..Search::default() }).await, [4]);
    assert_eq!(found(Search { since_ms: Some(WALL + 3), ..Search::default() }).await, [3, 4]);
    assert_eq!(
        found(Search { event: Some("asked".into()), session: Some("s1".into()), ..Search::default() }).await,
        [2]
    );
}

#[tokio::test]
async fn calls_are_kept_for_thirty_days_sealed_and_then_only_their_hash() {
    let mut stage = Stage::new().await;
    stage.ask().await;
    let kept = stage.store.requests_after(0).await.unwrap().remove(0);
    assert_eq!(kept.raw.as_deref(), Some(b"{\"command\":\"true\"}".as_slice()));
    let sealed: Vec<Vec<u8>> =
        sqlx::query_scalar("SELECT sealed FROM blobs").fetch_all(&stage.store.readers).await.unwrap();
    assert!(sealed.iter().all(|blob| !blob.windows(7).any(|window| window == b"command")));

    assert_eq!(stage.store.prune(WALL + 31 * DAY).await.unwrap(), 0, "what still waits is kept");
    stage
        .commit(vec![
            Write::RequestState { id: REQUEST, state: RequestState::Expired },
            Write::OfferState { id: OFFER, state: OfferState::Expired },
        ])
        .await
        .unwrap();
    assert_eq!(stage.store.prune(WALL + 29 * DAY).await.unwrap(), 0);
    assert_eq!(stage.store.prune(WALL + 31 * DAY).await.unwrap(), 3);
    let pruned = stage.store.requests_after(0).await.unwrap().remove(0);
    assert_eq!((pruned.raw, pruned.bytes, pruned.raw_hash), (None, None, kept.raw_hash));
    assert_eq!(stage.store.offers_after(0).await.unwrap()[0].signed, None);
}

#[tokio::test]
async fn a_call_that_comes_again_is_kept_from_then_on() {
    let mut stage = Stage::new().await;
    stage.ask().await;
    let again = RequestId::new([51; 16]);
    let tx = countersign_core::command::Transaction {
        id: countersign_core::input::TxId(2),
        writes: vec![
            request(again),
            Write::RequestState { id: again, state: RequestState::Cancelled },
            Write::RequestState { id: REQUEST, state: RequestState::Cancelled },
        ],
    };
    stage.store.commit(&tx, None, WALL + 20 * DAY).await.unwrap();
    stage.store.prune(WALL + 35 * DAY).await.unwrap();
    let rows = stage.store.requests_after(0).await.unwrap();
    assert!(rows.iter().all(|row| row.raw.is_some()), "both name the same tool input");
}
