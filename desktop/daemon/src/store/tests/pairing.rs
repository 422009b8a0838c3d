//! Pairing secrets: sealed where they lie, and gone with a revocation.

use std::fs;

use countersign_core::{
    approver::Standing,
    audit::{Body, Event},
    command::Write,
};
use countersign_proto::id::DeviceId;

use super::stage::*;

/// Whether any file of the state folder holds these bytes.
fn holds(stage: &Stage, bytes: &[u8]) -> bool {
    let files = fs::read_dir(&stage.folder).unwrap().map(|file| fs::read(file.unwrap().path()).unwrap());
    files.into_iter().any(|content| content.windows(bytes.len()).any(|window| window == bytes))
}

fn revoke(stage: &mut Stage) -> Vec<Write> {
    let entry = stage.entry(Body { device: Some(PHONE), ..Body::of(Event::Revoked) });
    vec![Write::Standing { device: PHONE, standing: Standing::Revoked }, entry]
}

#[tokio::test]
async fn a_pairing_comes_back_with_its_secrets_and_no_file_shows_them() {
    let stage = Stage::new().await;
    let pairing = pairing(&stage.store, PHONE);
    stage.commit_pairing(&pairing).await.unwrap();
    let stage = stage.reopen().await;
    let back = stage.store.pairings().await.unwrap().remove(0);
    assert_eq!(back.record.psk, pairing.record.psk);
    assert_eq!(back.record.own.expose(), pairing.record.own.expose());
    assert_eq!(back.record.peer, pairing.record.peer);
    assert_eq!(
        (back.record.channel, back.record.desktop_id),
        (pairing.record.channel, pairing.record.desktop_id)
    );
    assert_eq!(back.relay, pairing.relay);
    assert_eq!(back.relay_key.public(), pairing.relay_key.public());
    for secret in [[6; 32], [8; 32], [9; 32], *stage.store.desktop().seed().expose()] {
        assert!(!holds(&stage, &secret));
    }
}

#[tokio::test]
async fn a_pairing_is_stored_with_its_approver_or_not_at_all() {
    let stage = Stage::new().await;
    let pairing = pairing(&stage.store, PHONE);
    for nth in 1.. {
        stage.store.faults().fail(nth);
        let done = stage.commit_pairing(&pairing).await;
        let counts = (stage.count("approvers").await, stage.count("pairings").await);
        if done.is_ok() {
            assert_eq!(counts, (1, 1));
            break;
        }
        assert_eq!(counts, (0, 0));
    }
}

#[tokio::test]
async fn a_revocation_leaves_nothing_but_the_key_that_deletes_the_channel_until_that_is_done() {
    let mut stage = Stage::new().await;
    let pairing = pairing(&stage.store, PHONE);
    stage.commit_pairing(&pairing).await.unwrap();
    let sealed: Vec<u8> =
        sqlx::query_scalar("SELECT sealed FROM pairings").fetch_one(&stage.store.readers).await.unwrap();
    assert!(holds(&stage, &sealed));
    let writes = revoke(&mut stage);
    stage.commit(writes).await.unwrap();
    assert!(stage.store.pairings().await.unwrap().is_empty());
    assert!(!holds(&stage, &sealed), "what sealed the session keys is overwritten");

    let stage = stage.reopen().await;
    let ends = stage.store.channel_ends().await.unwrap();
    assert_eq!(ends.len(), 1);
    assert_eq!(ends[0].channel, pairing.record.channel);
    assert_eq!(ends[0].relay_key.public(), pairing.relay_key.public());
    stage.store.channel_ended(pairing.record.channel).await.unwrap();
    assert!(stage.store.channel_ends().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_database_put_back_from_a_backup_does_not_revive_a_revoked_phone() {
    let mut stage = Stage::new().await;
    let (phone, other) = (pairing(&stage.store, PHONE), DeviceId::new([44; 16]));
    stage.commit_pairing(&phone).await.unwrap();
    stage.commit(vec![approver(other)]).await.unwrap();
    let backup = stage.folder.with_extension("backup");
    let mut writer = stage.store.writer.lock().await;
    sqlx::query("VACUUM INTO ?").bind(backup.to_str().unwrap()).execute(writer.connection()).await.unwrap();
    drop(writer);
    let writes = revoke(&mut stage);
    stage.commit(writes).await.unwrap();
    assert!(stage.store.load().await.unwrap().revoked_elsewhere.is_empty());

    let file = stage.store.file().to_owned();
    let stage = stage.restored(&file, &backup).await;
    let loaded = stage.store.load().await.unwrap();
    assert_eq!(loaded.approvers.len(), 2);
    assert!(loaded.approvers.iter().all(|approver| approver.standing == Standing::Active));
    assert_eq!(loaded.revoked_elsewhere, [PHONE]);
}

#[tokio::test]
async fn the_second_file_is_mended_from_the_database_and_a_cut_off_line_spoils_no_other() {
    let mut stage = Stage::new().await;
    stage.commit(vec![approver(PHONE)]).await.unwrap();
    let writes = revoke(&mut stage);
    stage.commit(writes).await.unwrap();
    let file = stage.folder.join("revoked");
    fs::write(&file, "\n0303").unwrap();
    let stage = stage.reopen().await;
    stage.store.load().await.unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.lines().any(|line| line == PHONE.to_string()), "{text}");
}

#[tokio::test]
async fn a_revocation_stands_even_where_the_database_fails() {
    let mut stage = Stage::new().await;
    stage.commit(vec![approver(PHONE)]).await.unwrap();
    let writes = revoke(&mut stage);
    stage.store.faults().fail(2);
    stage.commit(writes).await.unwrap_err();
    let stage = stage.reopen().await;
    assert_eq!(stage.store.load().await.unwrap().revoked_elsewhere, [PHONE]);
}
