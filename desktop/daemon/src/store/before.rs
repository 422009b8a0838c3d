//! What a person decided before, and what sessions have shown of themselves: written one by one, read at a start.

use std::collections::BTreeSet;

use countersign_core::{
    DecidedBefore, Marks,
    draft::SessionKey,
    policy::Consent,
    rule::{OnWord, Rule},
    settings::{Strict, setting as name},
};
use countersign_proto::text::{Foreign, Shown};
use sqlx::SqliteConnection;

use super::{Store, StoreError, write::one};

/// Marks that are kept, the newest: sessions end without a word.
const MARKS: i64 = 4_096;

fn place(table: &str, id: [u8; 16]) -> String {
    format!("{table}/{:032x}/1", u128::from_be_bytes(id))
}

pub(super) async fn rule(store: &Store, open: &mut SqliteConnection, rule: &Rule) -> Result<(), StoreError> {
    let device = match rule.word {
        OnWord::Desktop => None,
        OnWord::Phone(device) => Some(device.as_bytes().to_vec()),
    };
    let sealed = store.seals.rules.seal(&place("rules", rule.id.0), &rule.encode())?;
    let insert =
        sqlx::query("INSERT INTO rules (rule_id, device_id, is_suspended, sealed) VALUES (?, ?, ?, ?)")
            .bind(rule.id.0.as_slice())
            .bind(device)
            .bind(rule.is_suspended)
            .bind(sealed);
    one(open, insert).await
}

pub(super) async fn consent(
    store: &Store,
    open: &mut SqliteConnection,
    consent: &Consent,
) -> Result<(), StoreError> {
    let sealed = store.seals.consents.seal(&place("consents", consent.id.0), &consent.encode())?;
    let upsert = sqlx::query(
        "INSERT INTO consents (consent_id, state, sealed) VALUES (?1, ?2, ?3)
         ON CONFLICT (consent_id) DO UPDATE SET state = ?2, sealed = ?3",
    )
    .bind(consent.id.0.as_slice())
    .bind(consent.state.name())
    .bind(sealed);
    one(open, upsert).await
}

pub(super) async fn marks(
    open: &mut SqliteConnection,
    session: &SessionKey,
    is_tainted: bool,
    off: Option<&Shown>,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO marks (agent, session, is_tainted, off) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (agent, session) DO UPDATE SET
             is_tainted = max(is_tainted, ?3), off = coalesce(off, ?4)",
    )
    .bind(&session.agent)
    .bind(session.session.raw())
    .bind(is_tainted)
    .bind(off.map(Shown::as_str))
    .execute(&mut *open)
    .await?;
    sqlx::query("DELETE FROM marks WHERE rowid <= (SELECT max(rowid) FROM marks) - ?")
        .bind(MARKS)
        .execute(open)
        .await?;
    Ok(())
}

pub(super) async fn setting(
    open: &mut SqliteConnection,
    name: &str,
    values: &[String],
) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM settings WHERE name = ?").bind(name).execute(&mut *open).await?;
    for value in values {
        let insert = sqlx::query("INSERT INTO settings (name, value) VALUES (?, ?)").bind(name).bind(value);
        one(&mut *open, insert).await?;
    }
    Ok(())
}

/// What narrows everything that passes, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Narrowed {
    /// Whether Countersign is paused.
    pub is_paused: bool,
    /// What is strict, spelled out.
    pub strict: Vec<String>,
}

impl Store {
    /// Whether Countersign is paused, and what is strict.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn narrowed(&self) -> Result<Narrowed, StoreError> {
        let paused = self.settings(name::PAUSED).await?;
        Ok(Narrowed {
            is_paused: paused.iter().any(|value| value != "false"),
            strict: self.settings(name::STRICT).await?,
        })
    }

    /// What the person decided before, and sessions' marks.
    ///
    /// # Errors
    /// [`StoreError`]: what can't be read is no ground to answer anything.
    pub(super) async fn decided_before(&self) -> Result<DecidedBefore, StoreError> {
        let strict = self.settings(name::STRICT).await?;
        let strict = strict.iter().map(|text| Strict::read(text)).collect::<Option<BTreeSet<_>>>();
        Ok(DecidedBefore {
            rules: self.rules().await?,
            consents: self.consents().await?,
            marks: self.marks().await?,
            strict: strict.ok_or(StoreError::Damaged("what is strict"))?,
            // Whatever else may stand there: paused is the safe reading.
            is_paused: self.settings(name::PAUSED).await?.iter().any(|value| value != "false"),
            protected: self.settings(name::PROTECTED).await?.into_iter().collect(),
            env_lifted: self.settings(name::ENV).await?.into_iter().collect(),
            settings_accepted: self.settings(name::RISKS).await?.into_iter().collect(),
        })
    }

    async fn rules(&self) -> Result<Vec<Rule>, StoreError> {
        const DAMAGED: StoreError = StoreError::Damaged("a rule");
        let rows: Vec<(Vec<u8>, bool, Vec<u8>)> =
            sqlx::query_as("SELECT rule_id, is_suspended, sealed FROM rules ORDER BY rowid")
                .fetch_all(&self.readers)
                .await?;
        let read = |(id, is_suspended, sealed): (Vec<u8>, bool, Vec<u8>)| {
            let id: [u8; 16] = id.try_into().map_err(|_| DAMAGED)?;
            let bytes = self.seals.rules.open(&place("rules", id), &sealed)?;
            let rule = Rule::decode(&bytes).filter(|rule| rule.id.0 == id).ok_or(DAMAGED)?;
            Ok(Rule { is_suspended, ..rule })
        };
        rows.into_iter().map(read).collect()
    }

    async fn consents(&self) -> Result<Vec<Consent>, StoreError> {
        const DAMAGED: StoreError = StoreError::Damaged("a consent");
        let rows: Vec<(Vec<u8>, String, Vec<u8>)> =
            sqlx::query_as("SELECT consent_id, state, sealed FROM consents ORDER BY rowid")
                .fetch_all(&self.readers)
                .await?;
        let read = |(id, state, sealed): (Vec<u8>, String, Vec<u8>)| {
            let id: [u8; 16] = id.try_into().map_err(|_| DAMAGED)?;
            let bytes = self.seals.consents.open(&place("consents", id), &sealed)?;
            let is_it = |consent: &Consent| consent.id.0 == id && consent.state.name() == state;
            Consent::decode(&bytes).filter(is_it).ok_or(DAMAGED)
        };
        rows.into_iter().map(read).collect()
    }

    async fn marks(&self) -> Result<Vec<(SessionKey, Marks)>, StoreError> {
        let rows: Vec<(String, String, bool, Option<String>)> =
            sqlx::query_as("SELECT agent, session, is_tainted, off FROM marks ORDER BY rowid")
                .fetch_all(&self.readers)
                .await?;
        let read = |(agent, session, is_tainted, off): (String, String, bool, Option<String>)| {
            let key = SessionKey { agent, session: Foreign::new(session) };
            (key, Marks { is_tainted, off: off.map(|off| Shown::line(&off)) })
        };
        Ok(rows.into_iter().map(read).collect())
    }

    async fn settings(&self, name: &str) -> Result<Vec<String>, StoreError> {
        let values = sqlx::query_scalar("SELECT value FROM settings WHERE name = ? ORDER BY value");
        Ok(values.bind(name).fetch_all(&self.readers).await?)
    }
}
