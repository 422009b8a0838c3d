//! How a daemon begins: its folders, what an earlier run left, and what it refuses to start with.

use std::{fs, os::unix::fs::PermissionsExt as _, sync::Arc};

use countersign_core::{
    approver::Standing,
    command::{Transaction, Write},
    input::TxId,
};
use countersign_proto::id::RunId;

use super::super::{DaemonError, begin::begin};
use crate::{
    keys::Protection,
    status::About,
    store::{Store, test_approver},
};

async fn store() -> (tempfile::TempDir, Arc<Store>, About) {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    countersign_ipc::folder::make(&state).unwrap();
    let about = About {
        instance: None,
        demo: true,
        run_id: RunId::new([1; 16]),
        started_wall_ms: 0,
        sockets: folder.path().to_owned(),
        state: state.clone(),
        protection: Protection { is_closed: true, is_kept_in_memory: false },
    };
    (folder, Arc::new(Store::open(&state).await.unwrap()), about)
}

#[tokio::test]
async fn a_start_that_cannot_be_recorded_is_no_start() {
    let (_folder, store, about) = store().await;
    store.faults().fail(1);
    let error = begin(&store, &about).await.err().unwrap();
    assert!(matches!(error, DaemonError::Unwritable(_)), "{error}");
    assert!(error.to_string().contains("nothing was released"), "{error}");
}

#[tokio::test]
async fn a_phone_that_only_the_second_file_calls_revoked_is_revoked_before_anything_else() {
    let (_folder, store, about) = store().await;
    let new = test_approver(3);
    let device = new.device_id;
    let writes = vec![Write::Approver(Box::new(new))];
    store.commit(&Transaction { id: TxId(1), writes }, None, 1).await.unwrap();
    let state = about.state.clone();
    drop(store);
    fs::write(state.join("revoked"), format!("\n{device}")).unwrap();
    fs::set_permissions(state.join("revoked"), fs::Permissions::from_mode(0o600)).unwrap();

    let store = Arc::new(Store::open(&state).await.unwrap());
    let begun = begin(&store, &about).await.unwrap();
    assert_eq!(begun.phones, 0);
    let approvers = store.approvers().await.unwrap();
    assert_eq!((approvers[0].who.device_id, approvers[0].standing), (device, Standing::Revoked));
    assert_eq!(begun.handle.look(|view| view.core.head().seq).await.unwrap(), 2, "started, and revoked");
}
