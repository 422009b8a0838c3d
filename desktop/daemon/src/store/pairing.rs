//! What opens sessions with a phone, and what is left of it once the phone is revoked: the key that deletes its channel
//! at the relay, until the relay confirms it.

use countersign_proto::{
    id::{ChannelId, DesktopId, DeviceId},
    key::{AgreementKey, AgreementPublic, Secret32, SigningKey, VerifyingKey},
    pairing::derive_desktop_id,
    session::{PairRecord, Suite},
};
use sqlx::SqliteConnection;
use zeroize::Zeroizing;

use super::{Store, StoreError, number, write::one};

/// A relay as it is dialled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relay {
    /// Host and port.
    pub host: String,
    /// SHA-256 of its certificate's SPKI, where the ticket carried it.
    pub pin: Option<[u8; 32]>,
    /// Without TLS: on loopback only.
    pub plain: bool,
}

/// The secrets of one pairing. Shown by nothing, sealed on disk.
#[derive(Debug, Clone)]
pub struct Pairing {
    /// What opens sessions.
    pub record: PairRecord,
    /// Where the pair meets.
    pub relay: Relay,
    /// `R_d`: claims our end of the channel.
    pub relay_key: SigningKey,
    /// `R_p.pub`: claims the phone's end. Kept to make the channel anew where its relay has forgotten it.
    pub phone_relay_key: VerifyingKey,
}

/// A revoked phone's channel that its relay still has.
#[derive(Debug, Clone)]
pub struct ChannelEnd {
    /// The channel.
    pub channel: ChannelId,
    /// Its relay.
    pub relay: Relay,
    /// `R_d`, kept for nothing but the deletion.
    pub relay_key: SigningKey,
}

type Row = (Vec<u8>, String, Option<Vec<u8>>, i64, Vec<u8>);

/// Stores a new pairing.
pub(super) async fn store(
    store: &Store,
    open: &mut SqliteConnection,
    pairing: &Pairing,
) -> Result<(), StoreError> {
    store.faults.statement()?;
    let device = pairing.record.device_id;
    let sealed = store.seals.pairings.seal(&place(&device), &to_bytes(pairing))?;
    let insert =
        sqlx::query("INSERT INTO pairings (device_id, relay, pin, plain, sealed) VALUES (?, ?, ?, ?, ?)")
            .bind(device.as_bytes().as_slice())
            .bind(pairing.relay.host.as_str())
            .bind(pairing.relay.pin.as_ref().map(<[u8; 32]>::as_slice))
            .bind(i64::from(pairing.relay.plain))
            .bind(sealed);
    one(open, insert).await
}

/// Ends a revoked phone's pairing: its secrets are gone, but for the key that deletes its channel.
pub(super) async fn end(
    store: &Store,
    open: &mut SqliteConnection,
    device: &DeviceId,
    wall_ms: u64,
) -> Result<(), StoreError> {
    store.faults.statement()?;
    let row: Option<Row> = sqlx::query_as(
        "DELETE FROM pairings WHERE device_id = ? RETURNING device_id, relay, pin, plain, sealed",
    )
    .bind(device.as_bytes().as_slice())
    .fetch_optional(&mut *open)
    .await?;
    let Some(row) = row else { return Ok(()) };
    let pairing = from_row(store, row)?;
    let channel = pairing.record.channel;
    let sealed = store.seals.channel_ends.seal(&end_place(&channel), pairing.relay_key.seed().expose())?;
    let insert = sqlx::query(
        "INSERT INTO channel_ends (channel, relay, pin, plain, since_ms, sealed) VALUES (?, ?, ?, ?, ?, ?)",
    )
    .bind(channel.as_bytes().as_slice())
    .bind(pairing.relay.host.as_str())
    .bind(pairing.relay.pin.as_ref().map(<[u8; 32]>::as_slice))
    .bind(i64::from(pairing.relay.plain))
    .bind(number(wall_ms)?)
    .bind(sealed);
    one(open, insert).await
}

impl Store {
    /// Every pairing that is not revoked.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn pairings(&self) -> Result<Vec<Pairing>, StoreError> {
        let rows: Vec<Row> = sqlx::query_as("SELECT device_id, relay, pin, plain, sealed FROM pairings")
            .fetch_all(&self.readers)
            .await?;
        rows.into_iter().map(|row| from_row(self, row)).collect()
    }

    /// Channels that relays have yet to delete.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn channel_ends(&self) -> Result<Vec<ChannelEnd>, StoreError> {
        let rows: Vec<Row> = sqlx::query_as("SELECT channel, relay, pin, plain, sealed FROM channel_ends")
            .fetch_all(&self.readers)
            .await?;
        rows.into_iter().map(|row| end_from_row(self, row)).collect()
    }

    /// A relay confirmed that a channel is gone: the last key of that pairing is wiped.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn channel_ended(&self, channel: ChannelId) -> Result<(), StoreError> {
        let mut writer = self.writer.lock().await;
        sqlx::query("DELETE FROM channel_ends WHERE channel = ?")
            .bind(channel.as_bytes().as_slice())
            .execute(writer.connection())
            .await?;
        self.empty_the_journal(writer.connection()).await;
        Ok(())
    }

    fn desktop_id(&self) -> DesktopId {
        derive_desktop_id(&self.desktop.public())
    }
}

fn place(device: &DeviceId) -> String {
    format!("pairings/{device}/1")
}

fn end_place(channel: &ChannelId) -> String {
    format!("channel_ends/{channel}/1")
}

/// `suite u8 ‖ channel 16 ‖ D_x 32 ‖ P_x.pub 32 ‖ pair_psk 32 ‖ R_d 32 ‖ R_p.pub 32`.
fn to_bytes(pairing: &Pairing) -> Zeroizing<Vec<u8>> {
    // The whole length at once, so that no half is left behind where the vector grew.
    let mut bytes = Zeroizing::new(Vec::with_capacity(1 + 16 + 5 * 32));
    bytes.push(pairing.record.suite.number());
    bytes.extend_from_slice(pairing.record.channel.as_bytes());
    bytes.extend_from_slice(pairing.record.own.expose().as_slice());
    bytes.extend_from_slice(pairing.record.peer.as_bytes());
    bytes.extend_from_slice(pairing.record.psk.expose());
    bytes.extend_from_slice(pairing.relay_key.seed().expose());
    bytes.extend_from_slice(pairing.phone_relay_key.as_bytes());
    bytes
}

fn from_row(store: &Store, (device, relay, pin, plain, sealed): Row) -> Result<Pairing, StoreError> {
    const DAMAGED: StoreError = StoreError::Damaged("a pairing");
    let device_id = DeviceId::from_slice(&device).ok_or(DAMAGED)?;
    let bytes = store.seals.pairings.open(&place(&device_id), &sealed)?;
    let (suite, rest) = bytes.split_first().ok_or(DAMAGED)?;
    let (channel, rest) = rest.split_first_chunk().ok_or(DAMAGED)?;
    let (own, rest) = rest.split_first_chunk().ok_or(DAMAGED)?;
    let (peer, rest) = rest.split_first_chunk().ok_or(DAMAGED)?;
    let (psk, rest) = rest.split_first_chunk().ok_or(DAMAGED)?;
    let (seed, phone) = rest.split_first_chunk().ok_or(DAMAGED)?;
    let phone = phone.try_into().map_err(|_| DAMAGED)?;
    let record = PairRecord {
        suite: Suite::from_number(*suite).ok_or(DAMAGED)?,
        channel: ChannelId::new(*channel),
        desktop_id: store.desktop_id(),
        device_id,
        own: AgreementKey::from_bytes(*own),
        peer: AgreementPublic::new(*peer),
        psk: Secret32::new(*psk),
    };
    let relay_key = SigningKey::from_seed(seed);
    let phone_relay_key = VerifyingKey::from_bytes(phone).map_err(|_| DAMAGED)?;
    Ok(Pairing { record, relay: relay_from(relay, pin, plain)?, relay_key, phone_relay_key })
}

fn end_from_row(store: &Store, (channel, relay, pin, plain, sealed): Row) -> Result<ChannelEnd, StoreError> {
    const DAMAGED: StoreError = StoreError::Damaged("a channel that is to be deleted");
    let channel = ChannelId::from_slice(&channel).ok_or(DAMAGED)?;
    let seed = store.seals.channel_ends.open(&end_place(&channel), &sealed)?;
    let relay_key = SigningKey::from_seed(seed.as_slice().try_into().map_err(|_| DAMAGED)?);
    Ok(ChannelEnd { channel, relay: relay_from(relay, pin, plain)?, relay_key })
}

fn relay_from(host: String, pin: Option<Vec<u8>>, plain: i64) -> Result<Relay, StoreError> {
    let pin = pin.map(|pin| pin.as_slice().try_into());
    let pin = pin.transpose().map_err(|_| StoreError::Damaged("a relay's pin"))?;
    Ok(Relay { host, pin, plain: plain != 0 })
}
