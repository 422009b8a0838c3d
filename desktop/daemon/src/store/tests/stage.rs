//! A store in a folder of its own, and writes as the core makes them.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use countersign_core::{
    approver::{KeyStrength, NewApprover},
    audit::{self, Body, Entry, Event},
    clock::Now,
    command::{EntryRow, Source, Transaction, Verdict, Write},
    input::TxId,
};
use countersign_proto::{
    canonical, domain,
    id::{ChannelId, DeviceId, Hash, OfferId, RequestId, RunId},
    key::{AgreementKey, AgreementPublic, BioKey, Secret32, Signature, SigningKey},
    offer::SignedOffer,
    pairing::derive_desktop_id,
    reply::{Decision, SignedReply},
    session::{PairRecord, Suite},
    text::Foreign,
};

use crate::store::{Pairing, Relay, Store, StoreError};

pub(super) const WALL: u64 = 1_800_000_000_000;

pub(super) struct Stage {
    pub(super) folder: PathBuf,
    pub(super) store: Store,
    next: u64,
    prev: Hash,
    tmp: Option<tempfile::TempDir>,
}

pub(super) const REQUEST: RequestId = RequestId::new([1; 16]);
pub(super) const OFFER: OfferId = OfferId::new([2; 16]);
pub(super) const PHONE: DeviceId = DeviceId::new([3; 16]);
pub(super) const RUN: RunId = RunId::new([4; 16]);

impl Stage {
    pub(super) async fn new() -> Self {
        let tmp = tempfile::tempdir().unwrap();
        let stage = Self::at(tmp.path().join("state")).await;
        Self { tmp: Some(tmp), ..stage }
    }

    /// In a folder that somebody else removes.
    pub(super) async fn at(folder: PathBuf) -> Self {
        countersign_ipc::folder::make(&folder).unwrap();
        let store = Store::open(&folder).await.unwrap();
        Self { folder, store, next: 1, prev: Hash::new([0; 32]), tmp: None }
    }

    /// As after a crash: the file is opened again with whatever is in it.
    pub(super) async fn reopen(self) -> Self {
        let Self { folder, store, next, prev, tmp } = self;
        drop(store);
        let store = Store::open(&folder).await.unwrap();
        Self { folder, store, next, prev, tmp }
    }

    /// As after somebody put a backup back in the database's place.
    pub(super) async fn restored(self, file: &Path, backup: &Path) -> Self {
        let Self { folder, store, next, prev, tmp } = self;
        store.close().await;
        drop(store);
        fs::copy(backup, file).unwrap();
        fs::set_permissions(file, Permissions::from_mode(0o600)).unwrap();
        let store = Store::open(&folder).await.unwrap();
        Self { folder, store, next, prev, tmp }
    }

    pub(super) async fn commit(&self, writes: Vec<Write>) -> Result<(), StoreError> {
        self.store.commit(&Transaction { id: TxId(1), writes }, None, WALL).await
    }

    pub(super) async fn commit_pairing(&self, pairing: &Pairing) -> Result<(), StoreError> {
        let writes = vec![approver(pairing.record.device_id)];
        self.store.commit(&Transaction { id: TxId(1), writes }, Some(pairing), WALL).await
    }

    /// The next entry of the log.
    pub(super) fn entry(&mut self, body: Body) -> Write {
        let now = Now::new(1_000 * self.next, WALL + self.next);
        let entry = Entry {
            seq: self.next,
            prev: self.prev,
            wall_ms: now.wall_ms,
            boot_ms: now.boot_ms,
            run_id: RUN,
            body,
        };
        let bytes = canonical::encode(&entry);
        let row = EntryRow { seq: self.next, hash: audit::hash(&bytes), bytes };
        self.next += 1;
        self.prev = row.hash;
        Write::Entry(row)
    }

    /// A waiting request with one offer to one phone.
    pub(super) async fn ask(&mut self) {
        let asked = self.entry(Body { request: Some(REQUEST), ..Body::of(Event::Asked) });
        self.commit(vec![approver(PHONE), request(REQUEST), offer(OFFER, REQUEST, 1), asked]).await.unwrap();
    }

    pub(super) async fn count(&self, table: &str) -> i64 {
        let sql = sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
        sqlx::query_scalar(sql).fetch_one(&self.store.readers).await.unwrap()
    }

    /// Everything in the database, to compare before and after.
    pub(super) async fn all(&self) -> Vec<(String, i64)> {
        let tables = [
            "approvers",
            "certificates",
            "pairings",
            "channel_ends",
            "blobs",
            "requests",
            "decisions",
            "offers",
            "replies",
            "receipts",
            "audit",
            "checkpoints",
            "meta",
        ];
        let mut counts = Vec::new();
        for table in tables {
            counts.push((table.to_owned(), self.count(table).await));
        }
        for state in [
            "SELECT coalesce(sum(counter), 0) FROM approvers",
            "SELECT count(*) FROM approvers WHERE standing = 'revoked'",
            "SELECT count(*) FROM requests WHERE state = 'pending'",
            "SELECT count(*) FROM offers WHERE state = 'open'",
        ] {
            counts.push((
                state.to_owned(),
                sqlx::query_scalar(state).fetch_one(&self.store.readers).await.unwrap(),
            ));
        }
        counts
    }
}

pub(super) fn request(id: RequestId) -> Write {
    let bytes = [b"request ".as_slice(), id.as_bytes()].concat();
    let raw = b"{\"command\":\"true\"}".to_vec();
    Write::Request {
        id,
        run: RUN,
        binding: domain::hash(domain::REQUEST, &[&bytes]),
        bytes,
        raw_hash: domain::hash(domain::RAW, &[&raw]),
        raw,
    }
}

pub(super) fn offer(id: OfferId, request: RequestId, seq: u64) -> Write {
    let signed = SignedOffer { bytes: id.as_bytes().to_vec(), sig: Signature::from_bytes([0; 64]) };
    Write::Offer { id, request, device: PHONE, run: RUN, seq, hash: signed.hash(), signed }
}

pub(super) fn decision(request: RequestId, counter: u64) -> Write {
    let source = Source::Phone { device: PHONE, counter, decision: Decision::ApproveOnce };
    Write::Decision { request, answer: Verdict::Allow, source }
}

pub(super) fn reply(counter: u64, offer: Option<OfferId>) -> Write {
    let signed = signed_reply(counter);
    let hash = domain::hash(domain::RAW, &[&signed.bytes]);
    Write::Reply { device: PHONE, counter, offer, hash, signed: Some(signed) }
}

pub(super) fn signed_reply(counter: u64) -> SignedReply {
    SignedReply {
        bytes: format!("reply {counter}").into(),
        sig: Signature::from_bytes([9; 64]),
        sig_bio: Some(vec![1]),
    }
}

pub(super) fn approver(device: DeviceId) -> Write {
    Write::Approver(Box::new(new_approver(device)))
}

/// An approver by its number.
pub(crate) fn new_approver_of(nth: u8) -> NewApprover {
    new_approver(DeviceId::new([nth; 16]))
}

pub(super) fn new_approver(device: DeviceId) -> NewApprover {
    let nth = device.as_bytes()[0];
    NewApprover {
        device_id: device,
        name: Foreign::new("Fairphone"),
        model: Foreign::new("FP5, app 1.0"),
        device_key: SigningKey::from_seed(&[nth; 32]).public(),
        bio_key: BioKey::from_spki_der(&spki(nth)).unwrap(),
        strength: KeyStrength::Demo,
        chain: vec![vec![1, nth], vec![2, nth]],
        paired_wall_ms: WALL,
    }
}

/// A P-256 key of one of the first multiples of the generator, as SPKI.
fn spki(nth: u8) -> Vec<u8> {
    use p256::pkcs8::EncodePublicKey as _;
    let mut scalar = [0; 32];
    scalar[31] = nth;
    let key = p256::SecretKey::from_slice(&scalar).unwrap();
    key.public_key().to_public_key_der().unwrap().as_bytes().to_vec()
}

pub(super) fn pairing(store: &Store, device: DeviceId) -> Pairing {
    Pairing {
        record: PairRecord {
            suite: Suite::X25519,
            channel: ChannelId::new([5; 16]),
            desktop_id: derive_desktop_id(&store.desktop().public()),
            device_id: device,
            own: AgreementKey::from_bytes([6; 32]),
            peer: AgreementPublic::new([7; 32]),
            psk: Secret32::new([8; 32]),
        },
        relay: Relay { host: "127.0.0.1:7700".into(), pin: None, plain: true },
        relay_key: SigningKey::from_seed(&[9; 32]),
        phone_relay_key: SigningKey::from_seed(&[10; 32]).public(),
    }
}
