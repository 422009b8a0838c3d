//! Every statement failing in turn, and a disk that is really full.

use countersign_core::{
    approver::Standing,
    audit::{Body, Event},
    command::{RequestState, Write},
};
use countersign_proto::{
    domain,
    id::{DeviceId, OfferId, RequestId},
};

use super::stage::*;
use crate::store::StoreError;

/// One of everything.
fn everything(stage: &mut Stage) -> Vec<Write> {
    let (request_id, offer_id, phone) =
        (RequestId::new([31; 16]), OfferId::new([32; 16]), DeviceId::new([33; 16]));
    vec![
        stage.entry(Body::of(Event::Allowed)),
        approver(phone),
        request(request_id),
        offer(offer_id, request_id, 2),
        decision(request_id, 8),
        reply(8, Some(offer_id)),
        Write::RequestState { id: request_id, state: RequestState::Releasing },
        Write::Standing { device: phone, standing: Standing::Revoked },
        Write::Locked(true),
    ]
}

#[tokio::test]
async fn a_transaction_that_fails_at_any_statement_leaves_nothing_behind_and_can_be_tried_again() {
    let mut stage = Stage::new().await;
    stage.ask().await;
    let writes = everything(&mut stage);
    let before = stage.all().await;
    let mut failed = 0;
    for nth in 1.. {
        stage.store.faults().fail(nth);
        match stage.commit(writes.clone()).await {
            Err(error) => {
                assert!(matches!(error, StoreError::Fault), "{error}");
                assert_eq!(stage.all().await, before, "statement {nth}");
                failed += 1;
            }
            Ok(()) => break,
        }
    }
    stage.store.faults().clear();
    assert!(failed > writes.len(), "each write and both ends of the transaction failed once: {failed}");
    assert_ne!(stage.all().await, before);
}

fn large(nth: u8) -> Write {
    match request(RequestId::new([nth; 16])) {
        Write::Request { id, run, binding, bytes, .. } => {
            let raw = vec![nth; 100_000];
            Write::Request { id, run, binding, bytes, raw_hash: domain::hash(domain::RAW, &[&raw]), raw }
        }
        other => other,
    }
}

#[tokio::test]
async fn a_database_that_may_not_grow_fails_the_commit_and_nothing_of_it_is_stored() {
    let mut stage = Stage::new().await;
    stage.ask().await;
    let before = stage.all().await;
    stage.store.limit_growth(2).await.unwrap();
    let error = stage.commit(vec![large(41)]).await.unwrap_err();
    assert!(error.to_string().contains("full"), "{error}");
    assert_eq!(stage.all().await, before);
    // Room again: the same store goes on.
    stage.store.limit_growth(1_000).await.unwrap();
    stage.commit(vec![large(41)]).await.unwrap();
}

/// A small disk of its own; only root can mount one.
struct Disk(std::path::PathBuf);

impl Disk {
    fn mount(folder: &std::path::Path) -> Option<Self> {
        let mounted = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=1m,mode=0700", "tmpfs"])
            .arg(folder)
            .stderr(std::process::Stdio::null())
            .status();
        mounted.is_ok_and(|status| status.success()).then(|| Self(folder.to_owned()))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

#[tokio::test]
async fn a_disk_that_is_really_full_fails_the_commit_and_nothing_of_it_is_stored() {
    let tmp = tempfile::tempdir().unwrap();
    let Some(disk) = Disk::mount(tmp.path()) else { return };
    let filler = disk.0.join("filler");
    std::fs::write(&filler, vec![0; 300_000]).unwrap();
    let mut stage = Stage::at(disk.0.join("state")).await;
    stage.ask().await;
    let mut stored = 0;
    let before = loop {
        let before = stage.all().await;
        match stage.commit(vec![large(50 + stored)]).await {
            Ok(()) => stored += 1,
            Err(error) => {
                assert!(error.to_string().contains("full"), "{error}");
                break before;
            }
        }
    };
    assert_eq!(stage.all().await, before);
    let stage = stage.reopen().await;
    assert_eq!(stage.all().await, before, "the journal holds nothing of it either");
    std::fs::remove_file(&filler).unwrap();
    stage.commit(vec![large(50 + stored)]).await.unwrap();
}
