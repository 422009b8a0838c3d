//! Opening: migrations, a second daemon, and files of another version, program or owner.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use countersign_core::audit::{Body, Event};
use sqlx::Connection as _;

use super::stage::*;
use crate::store::{OpenError, Store};

async fn run(file: &Path, sql: &'static str) {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file).create_if_missing(true);
    let mut connection = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
    sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

fn empty() -> (tempfile::TempDir, PathBuf) {
    let tmp = tempfile::tempdir().unwrap();
    let folder = tmp.path().join("state");
    countersign_ipc::folder::make(&folder).unwrap();
    (tmp, folder)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[tokio::test]
async fn every_file_of_the_state_folder_is_for_its_owner_only() {
    let mut stage = Stage::new().await;
    stage.ask().await;
    let mut seen = 0;
    for file in fs::read_dir(&stage.folder).unwrap() {
        let path = file.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{path:?}");
        seen += 1;
    }
    assert!(seen >= 5, "database, its journal and index, key, revocations");
}

#[tokio::test]
async fn a_store_of_a_newer_version_is_refused_and_left_as_it_is() {
    let (_tmp, folder) = empty();
    let store = Store::open(&folder).await.unwrap();
    let file = store.file().to_owned();
    store.close().await;
    run(
        &file,
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (99, 'of tomorrow', 1, x'00', 0)",
    )
    .await;
    let before = fs::read(&file).unwrap();
    let error = Store::open(&folder).await.unwrap_err();
    assert!(matches!(error, OpenError::Newer { found: 99, known: 2, .. }), "{error}");
    assert!(error.to_string().contains("newer version"), "{error}");
    assert!(fs::read(&file).unwrap() == before, "not a byte was changed");
}

#[tokio::test]
async fn a_file_that_is_no_store_is_refused_and_left_as_it_is() {
    for is_database in [false, true] {
        let (_tmp, folder) = empty();
        let file = folder.join("countersign.db");
        if is_database {
            run(&file, "PRAGMA application_id = 7; CREATE TABLE songs (title TEXT)").await;
        } else {
            fs::write(&file, "this is not a database at all").unwrap();
        }
        fs::write(folder.join("master.key"), [1; 32]).unwrap();
        for file in [&file, &folder.join("master.key")] {
            fs::set_permissions(file, Permissions::from_mode(0o600)).unwrap();
        }
        let before = fs::read(&file).unwrap();
        let error = Store::open(&folder).await.unwrap_err();
        assert!(matches!(error, OpenError::Foreign(_)), "{error}");
        assert!(fs::read(&file).unwrap() == before, "not a byte was changed");
    }
}

#[tokio::test]
async fn a_store_that_others_may_read_is_refused_with_what_to_do() {
    let (_tmp, folder) = empty();
    let store = Store::open(&folder).await.unwrap();
    let file = store.file().to_owned();
    store.close().await;
    fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    let error = Store::open(&folder).await.unwrap_err();
    assert!(error.to_string().contains("chmod 600"), "{error}");
}

#[tokio::test]
async fn a_first_start_that_was_cut_off_begins_anew() {
    let (_tmp, folder) = empty();
    let file = folder.join("countersign.db");
    fs::write(&file, "").unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    Store::open(&folder).await.unwrap();
}

#[tokio::test]
async fn a_log_whose_last_entry_was_altered_stops_the_start() {
    let mut stage = Stage::new().await;
    let entry = stage.entry(Body::of(Event::Started));
    stage.commit(vec![entry]).await.unwrap();
    let mut writer = stage.store.writer.lock().await;
    sqlx::raw_sql("DROP TRIGGER audit_stays_as_it_is; UPDATE audit SET bytes = x'a0'")
        .execute(writer.connection())
        .await
        .unwrap();
    drop(writer);
    assert!(stage.store.load().await.is_err());
}
