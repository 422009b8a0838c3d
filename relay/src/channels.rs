//! Making a channel (protocol.md §3.4). A relay on loopback asks for no invite, so one that is sent is not looked at.

use axum::{
    Json,
    extract::{State, rejection::JsonRejection},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use countersign_proto::{id::ChannelId, key::VerifyingKey, limits};
use data_encoding::BASE64URL_NOPAD;
use serde::Deserialize;
use tracing::{debug, error};

use crate::{
    clock,
    registry::{Channel, Keys, Made},
    router::{App, Dialled, refuse},
};

/// The request's body: bytes in base64url without padding, the time to live in seconds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewChannel {
    id: String,
    key0: String,
    key1: String,
    /// Seconds until the channel ends; 0 for one that ends only when it was idle for long.
    ttl: u64,
    invite: Option<String>,
}

pub async fn make(
    State(app): State<App>,
    Dialled(_): Dialled,
    body: Result<Json<NewChannel>, JsonRejection>,
) -> Response {
    let Json(body) = match body {
        Ok(body) => body,
        Err(rejection) => return refuse(rejection.status(), &rejection.body_text()),
    };
    let now = clock::wall_s();
    let channel = match body.read(now) {
        Ok(channel) => channel,
        Err(reason) => return refuse(StatusCode::BAD_REQUEST, reason),
    };
    match app.registry.make(channel, now).await {
        Ok(Made::New) => {
            debug!("a channel was made");
            StatusCode::CREATED.into_response()
        }
        Ok(Made::Same) => StatusCode::OK.into_response(),
        Ok(Made::Taken) => refuse(StatusCode::CONFLICT, "a channel of this id exists with other keys"),
        Err(error) => {
            error!(%error, "a channel could not be made");
            refuse(StatusCode::SERVICE_UNAVAILABLE, "the relay could not store the channel; try again later")
        }
    }
}

impl NewChannel {
    fn read(&self, now: u64) -> Result<Channel, &'static str> {
        let id = bytes(&self.id).ok_or("`id` is not 16 bytes in base64url without padding")?;
        let desktop =
            key(&self.key0).ok_or("`key0` is not an Ed25519 public key in base64url without padding")?;
        let phone =
            key(&self.key1).ok_or("`key1` is not an Ed25519 public key in base64url without padding")?;
        if desktop == phone {
            return Err("`key0` and `key1` are the same; each end needs its own");
        }
        if self.invite.as_deref().is_some_and(|invite| bytes::<16>(invite).is_none()) {
            return Err("`invite` is not 16 bytes in base64url without padding");
        }
        if self.ttl > limits::CHANNEL_IDLE.as_secs() {
            return Err("`ttl` is more than 90 days; 0 makes a channel that ends after 90 idle days");
        }
        let ends_at = (self.ttl != 0).then(|| now.saturating_add(self.ttl));
        Ok(Channel { id: ChannelId::new(id), keys: Keys { desktop, phone }, ends_at })
    }
}

fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    BASE64URL_NOPAD.decode(text.as_bytes()).ok()?.try_into().ok()
}

fn key(text: &str) -> Option<VerifyingKey> {
    VerifyingKey::from_bytes(&bytes(text)?).ok()
}
