//! The real store behind the tests' trait: the daemon's SQLite file in a folder of its own.

use std::collections::BTreeMap;

use countersign_core::{
    command::{RequestState, Transaction, Verdict},
    input::Recall,
};
use countersign_daemon::store::{Search, Store};
use countersign_proto::{
    id::{Hash, RequestId},
    receipt::Receipt,
    reply::Reply,
};
use tokio::runtime::Runtime;

use super::shelf::{Loaded, Shelf};

const STATES: [RequestState; 7] = [
    RequestState::Pending,
    RequestState::Releasing,
    RequestState::Released,
    RequestState::Unreleased,
    RequestState::Unknown,
    RequestState::Expired,
    RequestState::Cancelled,
];

/// The daemon's own store.
pub struct Sqlite {
    /// Commits that will fail, counted down: the disk is full before anything of them is written.
    pub failing: u32,
    runtime: Runtime,
    store: Option<Store>,
    folder: tempfile::TempDir,
    audited: BTreeMap<RequestId, Verdict>,
}

impl Sqlite {
    /// A store in a fresh folder.
    #[must_use]
    pub fn fresh() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let folder = tempfile::Builder::new()
            .prefix("countersign-store-")
            .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700))
            .tempdir()
            .expect("a folder");
        let mut sqlite = Self { failing: 0, runtime, store: None, folder, audited: BTreeMap::new() };
        sqlite.reopen();
        sqlite
    }

    /// Drops the store without closing it, as a kill would, and opens the file again.
    pub fn reopen(&mut self) {
        drop(self.store.take());
        let store = self.runtime.block_on(Store::open(self.folder.path()));
        self.store = Some(store.expect("the store opens again"));
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &Store {
        self.store.as_ref().expect("the store is open")
    }
}

impl Shelf for Sqlite {
    fn commit(&mut self, tx: &Transaction) -> bool {
        if self.failing > 0 {
            self.failing -= 1;
            return false;
        }
        let done = self.runtime.block_on(self.store().commit(tx, None, 1_700_000_000_000));
        if done.is_ok() {
            self.audited.extend(super::shelf::verdicts(tx));
        }
        done.is_ok()
    }

    fn load(&mut self) -> Loaded {
        self.reopen();
        let loaded = self.runtime.block_on(self.store().load()).expect("the store loads");
        Loaded {
            head: Some(loaded.head),
            checkpoint: loaded.checkpoint,
            approvers: loaded.approvers,
            locked: loaded.locked,
            before: loaded.before,
            unfinished: loaded.unfinished,
            desktop: Some(self.store().desktop().clone()),
        }
    }

    fn recall(&self, reply: &[u8]) -> Recall {
        let said: Option<Reply> = countersign_proto::canonical::decode(reply, 1 << 20).ok();
        let Some(said) = said else { return Recall::default() };
        let recall = self.store().recall(said.device_id, Some(said.offer_id), Receipt::reply_hash(reply));
        self.runtime.block_on(recall).expect("the store recalls")
    }

    fn entries(&self) -> Vec<(Hash, Vec<u8>)> {
        let mut rows = self.runtime.block_on(self.store().search_log(&Search::default())).expect("the log");
        rows.sort_by_key(|row| row.seq);
        rows.into_iter().map(|row| (row.hash, row.bytes)).collect()
    }

    fn decisions(&self) -> BTreeMap<RequestId, Verdict> {
        self.audited.clone()
    }

    fn request_state(&self, id: RequestId) -> Option<RequestState> {
        let mut after = 0;
        loop {
            let rows = self.runtime.block_on(self.store().requests_after(after)).expect("the requests");
            after = rows.last()?.row;
            if let Some(found) = rows.iter().find(|row| row.id == id) {
                return STATES.into_iter().find(|state| state.name() == found.state);
            }
        }
    }

    fn fail(&mut self, commits: u32) {
        self.failing = commits;
    }
}
