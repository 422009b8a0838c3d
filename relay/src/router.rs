//! Every route of the relay, and what all of them need.

use std::{net::SocketAddr, sync::Arc};

use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, FromRef, FromRequestParts},
    http::{HeaderMap, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
    routing::{any, get, post},
};
use countersign_proto::{
    claim::{CHANNELS_PATH, Origin},
    frame,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{channels, config::Limits, hub::Hub, registry::Registry, socket};

/// Largest body of a request: a channel to make, with room to spare.
const BODY: usize = 4_096;

/// What the routes share.
#[derive(Clone)]
pub struct App {
    pub registry: Arc<dyn Registry>,
    pub hub: Arc<Hub>,
    pub limits: Limits,
    /// The addresses a client may have dialled to get here.
    pub origins: Arc<[Origin]>,
    /// Cancelled when the relay goes down.
    pub stop: CancellationToken,
    /// The sockets that are open.
    pub sockets: TaskTracker,
}

pub fn router(app: App) -> Router {
    Router::new()
        .route(frame::PATH, any(socket::open))
        .route(CHANNELS_PATH, post(channels::make))
        .route("/healthz", get(StatusCode::OK))
        .layer(DefaultBodyLimit::max(BODY))
        .with_state(app)
}

/// The origins of a relay on loopback: what it is bound to, by number and by name.
pub fn loopback_origins(bound: SocketAddr) -> Arc<[Origin]> {
    let texts = [bound.to_string(), format!("localhost:{}", bound.port())];
    texts.iter().filter_map(|text| Origin::parse(text, bound.port()).ok()).collect()
}

/// The address that the client dialled, by its `Host` header, if it is one of ours. A claim is verified against this,
/// so a claim made for another relay holds here under no header; and a web page that had its own name point here
/// gets nowhere.
pub struct Dialled(pub Origin);

impl<S: Sync> FromRequestParts<S> for Dialled
where
    App: FromRef<S>,
{
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Response> {
        let app = App::from_ref(state);
        match host(&parts.headers).filter(|origin| app.origins.contains(origin)) {
            Some(origin) => Ok(Self(origin)),
            None => {
                Err(refuse(StatusCode::MISDIRECTED_REQUEST, "this relay is not the host that was asked for"))
            }
        }
    }
}

fn host(headers: &HeaderMap) -> Option<Origin> {
    Origin::parse(headers.get(header::HOST)?.to_str().ok()?, 80).ok()
}

/// A refusal with its reason, as JSON.
pub fn refuse(status: StatusCode, error: &str) -> Response {
    (status, Json(serde_json::json!({ "error": error }))).into_response()
}
