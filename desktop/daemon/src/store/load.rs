//! What a start begins with: where the log ends, who may decide, and what an earlier run left unfinished.

use std::collections::BTreeMap;

use countersign_core::{
    DecidedBefore, Unfinished,
    approver::{Approver, KeyStrength, NewApprover, Standing, Suspicion},
    audit::{self, Head},
    command::RequestState,
};
use countersign_proto::{
    canonical,
    checkpoint::SignedCheckpoint,
    id::{DeviceId, Hash, OfferId, RequestId},
    key::{BioKey, VerifyingKey},
    limits,
    text::Foreign,
};

use super::{Store, StoreError, unsigned};

/// Everything a start needs from the store.
#[derive(Debug)]
pub struct Loaded {
    /// Where the log ends.
    pub head: Head,
    /// Its newest checkpoint.
    pub checkpoint: Option<SignedCheckpoint>,
    /// Every approver, revoked ones too.
    pub approvers: Vec<Approver>,
    /// Approvers that the second file calls revoked and the database does not: it was put back from a backup. They are
    /// to be revoked before anything else happens.
    pub revoked_elsewhere: Vec<DeviceId>,
    /// Whether every door but deny is closed.
    pub locked: bool,
    /// What an earlier run left behind.
    pub unfinished: Vec<Unfinished>,
    /// What the person decided before.
    pub before: DecidedBefore,
}

type ApproverColumns = (Vec<u8>, String, String, Vec<u8>, Vec<u8>, String, i64, String, i64, Option<i64>);

impl Store {
    /// Reads what a start begins with, and mends the file of revocations from the database.
    ///
    /// # Errors
    /// [`StoreError`], also where the newest entry of the log is not what its hash says.
    pub async fn load(&self) -> Result<Loaded, StoreError> {
        let approvers = self.approvers().await?;
        let is_revoked = |approver: &&Approver| approver.standing == Standing::Revoked;
        let revoked: Vec<DeviceId> = approvers.iter().filter(is_revoked).map(|a| a.who.device_id).collect();
        self.revoked.add(&revoked)?;
        let listed = self.revoked.listed();
        let revoked_elsewhere = approvers
            .iter()
            .filter(|approver| approver.standing != Standing::Revoked)
            .map(|approver| approver.who.device_id)
            .filter(|device| listed.contains(device))
            .collect();
        Ok(Loaded {
            head: self.head().await?,
            checkpoint: self.newest_checkpoint().await?,
            approvers,
            revoked_elsewhere,
            locked: self.is_locked().await?,
            unfinished: self.unfinished().await?,
            before: self.decided_before().await?,
        })
    }

    async fn head(&self) -> Result<Head, StoreError> {
        let newest: Option<(i64, Vec<u8>, Vec<u8>)> =
            sqlx::query_as("SELECT seq, hash, bytes FROM audit ORDER BY seq DESC LIMIT 1")
                .fetch_optional(&self.readers)
                .await?;
        let Some((seq, hash, bytes)) = newest else { return Ok(Head::empty(self.log_id)) };
        if audit::hash(&bytes).as_bytes().as_slice() != hash {
            return Err(StoreError::Damaged("the newest audit entry is not what its hash says"));
        }
        Ok(Head { log_id: self.log_id, seq: unsigned(seq)?, hash: audit::hash(&bytes) })
    }

    async fn newest_checkpoint(&self) -> Result<Option<SignedCheckpoint>, StoreError> {
        let signed: Option<Vec<u8>> =
            sqlx::query_scalar("SELECT signed FROM checkpoints ORDER BY seq DESC LIMIT 1")
                .fetch_optional(&self.readers)
                .await?;
        let read = |bytes: Vec<u8>| canonical::decode(&bytes, limits::MESSAGE);
        signed.map(read).transpose().map_err(|_| StoreError::Damaged("a checkpoint"))
    }

    async fn is_locked(&self) -> Result<bool, StoreError> {
        let locked: Option<Vec<u8>> = sqlx::query_scalar("SELECT value FROM meta WHERE name = 'locked'")
            .fetch_optional(&self.readers)
            .await?;
        // Whatever else may stand there: closed doors are the safe reading.
        Ok(locked.is_some_and(|value| value != [0]))
    }

    async fn unfinished(&self) -> Result<Vec<Unfinished>, StoreError> {
        let requests: Vec<(Vec<u8>, String)> = sqlx::query_as(
            "SELECT request_id, state FROM requests WHERE state IN ('pending', 'releasing') ORDER BY rowid",
        )
        .fetch_all(&self.readers)
        .await?;
        let mut unfinished = Vec::new();
        for (id, state) in requests {
            let offers: Vec<Vec<u8>> =
                sqlx::query_scalar("SELECT offer_id FROM offers WHERE request_id = ? AND state = 'open'")
                    .bind(&id)
                    .fetch_all(&self.readers)
                    .await?;
            let offers = offers.iter().map(|offer| OfferId::from_slice(offer));
            unfinished.push(Unfinished {
                request: RequestId::from_slice(&id).ok_or(StoreError::Damaged("a request's id"))?,
                state: match state.as_str() {
                    "releasing" => RequestState::Releasing,
                    _ => RequestState::Pending,
                },
                offers: offers.collect::<Option<_>>().ok_or(StoreError::Damaged("an offer's id"))?,
            });
        }
        Ok(unfinished)
    }

    /// Every approver, revoked ones too, in the order they were paired.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn approvers(&self) -> Result<Vec<Approver>, StoreError> {
        let rows: Vec<ApproverColumns> = sqlx::query_as(
            "SELECT device_id, name, model, device_key, bio_key, strength, paired_ms, standing, counter,
                 (SELECT max(seq) FROM offers WHERE offers.device_id = approvers.device_id)
             FROM approvers ORDER BY rowid",
        )
        .fetch_all(&self.readers)
        .await?;
        let mut chains = self.chains().await?;
        rows.into_iter().map(|row| approver(row, &mut chains)).collect()
    }

    async fn chains(&self) -> Result<BTreeMap<Vec<u8>, Vec<Vec<u8>>>, StoreError> {
        let rows: Vec<(Vec<u8>, Vec<u8>)> =
            sqlx::query_as("SELECT device_id, der FROM certificates ORDER BY device_id, position")
                .fetch_all(&self.readers)
                .await?;
        let mut chains = BTreeMap::<_, Vec<_>>::new();
        for (device, der) in rows {
            chains.entry(device).or_default().push(der);
        }
        Ok(chains)
    }
}

fn approver(
    (device, name, model, device_key, bio_key, strength, paired_ms, standing, counter, seq): ApproverColumns,
    chains: &mut BTreeMap<Vec<u8>, Vec<Vec<u8>>>,
) -> Result<Approver, StoreError> {
    const DAMAGED: StoreError = StoreError::Damaged("an approver");
    let device_key: [u8; 32] = device_key.try_into().map_err(|_| DAMAGED)?;
    let who = NewApprover {
        device_id: DeviceId::from_slice(&device).ok_or(DAMAGED)?,
        name: Foreign::new(name),
        model: Foreign::new(model),
        device_key: VerifyingKey::from_bytes(&device_key).map_err(|_| DAMAGED)?,
        bio_key: BioKey::from_spki_der(&bio_key).map_err(|_| DAMAGED)?,
        strength: strength_named(&strength).ok_or(DAMAGED)?,
        chain: chains.remove(&device).unwrap_or_default(),
        paired_wall_ms: unsigned(paired_ms)?,
    };
    let standing = standing_named(&standing).ok_or(DAMAGED)?;
    let seq = seq.map_or(Ok(0), unsigned)?;
    Ok(Approver::load(who, standing, unsigned(counter)?, seq))
}

fn strength_named(name: &str) -> Option<KeyStrength> {
    [KeyStrength::Demo, KeyStrength::Tee, KeyStrength::StrongBox].into_iter().find(|it| it.name() == name)
}

fn standing_named(name: &str) -> Option<Standing> {
    [
        Standing::Active,
        Standing::Suspended(Suspicion::BadSignatures),
        Standing::Suspended(Suspicion::CounterFell),
        Standing::Revoked,
    ]
    .into_iter()
    .find(|standing| super::write::standing_name(*standing) == name)
}

/// A hash as it is stored.
pub(super) fn hash(bytes: &[u8]) -> Result<Hash, StoreError> {
    Hash::from_slice(bytes).ok_or(StoreError::Damaged("a hash"))
}
