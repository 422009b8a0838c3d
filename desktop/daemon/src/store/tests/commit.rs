//! Each write of a transaction, and transactions that are refused whole.

use countersign_core::{
    approver::{Standing, Suspicion},
    audit::{Body, Event, Head},
    command::{OfferState, RequestState, Write},
};
use countersign_proto::id::{DeviceId, OfferId, RequestId};

use super::stage::*;
use crate::store::StoreError;

#[tokio::test]
async fn what_was_committed_is_there_after_a_crash() {
    let mut stage = Stage::new().await;
    stage.ask().await;
    let locked = stage.entry(Body::of(Event::Locked));
    stage.commit(vec![Write::Locked(true), locked]).await.unwrap();
    let (log_id, desktop) = (stage.store.log_id(), stage.store.desktop().public());

    let stage = stage.reopen().await;
    let loaded = stage.store.load().await.unwrap();
    assert_eq!((stage.store.log_id(), stage.store.desktop().public()), (log_id, desktop));
    assert_eq!((loaded.head.log_id, loaded.head.seq), (log_id, 2));
    assert!(loaded.locked);
    assert_eq!(loaded.approvers.len(), 1);
    assert_eq!(loaded.approvers[0].who, new_approver(PHONE));
    assert_eq!((loaded.approvers[0].counter, loaded.approvers[0].offer_seq), (0, 1));
    assert_eq!(loaded.unfinished.len(), 1);
    assert_eq!(loaded.unfinished[0].request, REQUEST);
    assert_eq!(loaded.unfinished[0].state, RequestState::Pending);
    assert_eq!(loaded.unfinished[0].offers, [OFFER]);
}

#[tokio::test]
async fn a_decided_request_that_was_not_released_is_found_so() {
    let mut stage = Stage::new().await;
    stage.ask().await;
    let allowed = stage.entry(Body { request: Some(REQUEST), ..Body::of(Event::Allowed) });
    stage
        .commit(vec![
            decision(REQUEST, 7),
            Write::RequestState { id: REQUEST, state: RequestState::Releasing },
            Write::OfferState { id: OFFER, state: OfferState::Answered },
            reply(7, Some(OFFER)),
            allowed,
        ])
        .await
        .unwrap();
    let stage = stage.reopen().await;
    let loaded = stage.store.load().await.unwrap();
    assert_eq!(loaded.unfinished[0].state, RequestState::Releasing);
    assert!(loaded.unfinished[0].offers.is_empty());
    assert_eq!(loaded.approvers[0].counter, 7);
}

/// Invariants 5 to 7 and 12, as the schema keeps them: each of these is refused, and with it everything else that was
/// in the transaction.
#[tokio::test]
async fn what_must_not_happen_twice_or_go_back_rolls_the_whole_transaction_back() {
    let mut stage = Stage::new().await;
    stage.ask().await;
    let other = RequestId::new([11; 16]);
    let revoked = DeviceId::new([12; 16]);
    let second = stage.entry(Body::of(Event::Asked));
    stage
        .commit(vec![
            request(other),
            offer(OfferId::new([13; 16]), other, 2),
            decision(REQUEST, 5),
            reply(5, Some(OFFER)),
            Write::RequestState { id: REQUEST, state: RequestState::Releasing },
            Write::OfferState { id: OFFER, state: OfferState::Answered },
            approver(revoked),
            Write::Standing { device: revoked, standing: Standing::Revoked },
            second.clone(),
        ])
        .await
        .unwrap();
    let gap = {
        let _skipped = stage.entry(Body::of(Event::Asked));
        stage.entry(Body::of(Event::Asked))
    };
    let before = stage.all().await;
    let forbidden: Vec<(&str, Write)> = vec![
        ("a second decision", decision(REQUEST, 6)),
        ("a used counter", reply(5, None)),
        ("a lower counter", reply(4, None)),
        ("a second reply to one offer", reply(9, Some(OFFER))),
        ("a request a second time", request(other)),
        ("an offer a second time", offer(OFFER, other, 3)),
        ("an offer of no request", offer(OfferId::new([14; 16]), RequestId::new([15; 16]), 3)),
        ("a request that goes back", Write::RequestState { id: REQUEST, state: RequestState::Pending }),
        ("a release without a decision", Write::RequestState { id: other, state: RequestState::Released }),
        (
            "an unknown request's end",
            Write::RequestState { id: RequestId::new([16; 16]), state: RequestState::Expired },
        ),
        ("an offer opened again", Write::OfferState { id: OFFER, state: OfferState::Open }),
        ("an offer that ends twice", Write::OfferState { id: OFFER, state: OfferState::Expired }),
        ("a revoked phone's return", Write::Standing { device: revoked, standing: Standing::Active }),
        (
            "a revoked phone's suspension",
            Write::Standing { device: revoked, standing: Standing::Suspended(Suspicion::BadSignatures) },
        ),
        ("a phone a second time", approver(PHONE)),
        ("an entry a second time", second),
        ("an entry that leaves one out", gap),
    ];
    for (what, write) in forbidden {
        let bystander = request(RequestId::new([21; 16]));
        let error = stage.commit(vec![bystander, Write::Locked(true), write]).await.unwrap_err();
        assert!(matches!(error, StoreError::Sql(_) | StoreError::Unstorable(_)), "{what}: {error}");
        assert_eq!(stage.all().await, before, "{what}");
    }
}

#[tokio::test]
async fn nothing_that_the_log_rests_on_can_be_changed_or_removed() {
    let mut stage = Stage::new().await;
    stage.ask().await;
    let entry = stage.entry(Body::of(Event::Started));
    let head = Head { log_id: stage.store.log_id(), seq: 1, hash: countersign_proto::id::Hash::new([1; 32]) };
    let signed = head.checkpoint(stage.store.desktop(), crate::clock::now());
    stage
        .commit(vec![entry, Write::Checkpoint { seq: 1, signed }, decision(REQUEST, 1), reply(1, None)])
        .await
        .unwrap();
    let mut writer = stage.store.writer.lock().await;
    for sql in [
        "UPDATE audit SET bytes = x'00'",
        "UPDATE audit SET event = 'denied'",
        "DELETE FROM audit",
        "DELETE FROM audit WHERE seq = 2",
        "INSERT OR REPLACE INTO audit SELECT * FROM audit WHERE seq = 2",
        "UPDATE checkpoints SET signed = x'00'",
        "DELETE FROM checkpoints",
        "UPDATE decisions SET answer = 'deny'",
        "DELETE FROM decisions",
        "UPDATE replies SET counter = 9",
        "DELETE FROM replies",
        "DELETE FROM approvers",
        "UPDATE approvers SET counter = 0",
    ] {
        let refused = sqlx::query(sql).execute(writer.connection()).await;
        assert!(refused.is_err(), "{sql}");
    }
}
