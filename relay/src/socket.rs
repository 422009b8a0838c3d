//! One task for each socket: challenge, claim, then frames both ways until one side leaves. After a failed claim, or
//! any other reason to close, nothing that the client sends is read as a frame any more.

use std::sync::LazyLock;

use axum::{
    extract::{
        State,
        ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, rejection::WebSocketUpgradeRejection},
    },
    http::StatusCode,
    response::Response,
};
use countersign_proto::{
    claim::{Claim, NONCE, Origin},
    frame::{self, CloseCode, FromClient, FromRelay, NoticeCode},
    id::ChannelId,
    key::{Signature, SigningKey, VerifyingKey},
};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite;
use tracing::{debug, error, trace};

use crate::{
    clock,
    hub::{Attachment, Step},
    mailbox::Letter,
    router::{App, Dialled, refuse},
};

/// Read ahead per socket; small, since most sockets are idle.
const READ_BUFFER: usize = 4_096;
/// What may wait to be written to a socket: a frame, and the pongs and closes beside it.
const WRITE_BUFFER: usize = frame::MAX + 4_096;

/// Why a conversation is over.
enum Over {
    /// The client left, or its connection broke.
    Gone,
    /// The relay closes, and the client may still hear why.
    Close(CloseCode),
}

pub async fn open(
    State(app): State<App>,
    Dialled(origin): Dialled,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let Ok(upgrade) = upgrade else {
        return refuse(
            StatusCode::UPGRADE_REQUIRED,
            "this is a WebSocket; a proxy in between must pass the Upgrade and Connection headers on",
        );
    };
    let upgrade = upgrade.protocols([frame::SUBPROTOCOL]);
    if upgrade.selected_protocol().is_none() {
        return refuse(StatusCode::BAD_REQUEST, "this relay speaks the subprotocol countersign-relay.1");
    }
    let open = app.sockets.token();
    upgrade
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(0)
        .max_write_buffer_size(WRITE_BUFFER)
        .max_message_size(frame::MAX)
        .max_frame_size(frame::MAX)
        .on_upgrade(move |socket| async move {
            serve(socket, app, origin).await;
            drop(open);
        })
}

async fn serve(mut socket: WebSocket, app: App, origin: Origin) {
    trace!("a socket opened");
    let Err(over) = converse(&mut socket, &app, &origin).await;
    match over {
        Over::Gone => debug!("a client left"),
        Over::Close(code) => {
            debug!(?code, "a socket is closed");
            close(&mut socket, &app, code).await;
        }
    }
}

/// The whole conversation; it only ends by being over.
async fn converse(
    socket: &mut WebSocket,
    app: &App,
    origin: &Origin,
) -> Result<std::convert::Infallible, Over> {
    let attachment = claim(socket, app, origin).await?;
    loop {
        while let Some(step) = attachment.next(clock::boot_ms()) {
            match step {
                Step::Say(frame) => say(socket, app, &frame).await?,
                Step::Leave(code) => return Err(Over::Close(code)),
            }
        }
        tokio::select! {
            frame = hear(socket) => handle(frame?, &attachment, socket, app).await?,
            () = attachment.signalled() => {}
            () = app.stop.cancelled() => {
                say(socket, app, &FromRelay::Notice { code: NoticeCode::GoingDown, retry_after: 0 }).await?;
                return Err(Over::Close(CloseCode::GoingDown));
            }
        }
    }
}

/// Challenges the client and takes its claim; an unknown channel and a bad signature look the same from outside.
async fn claim(socket: &mut WebSocket, app: &App, origin: &Origin) -> Result<Attachment, Over> {
    let mut nonce = [0; NONCE];
    getrandom::fill(&mut nonce).map_err(|_| failed("no randomness"))?;
    say(socket, app, &FromRelay::Challenge { nonce, relay_time: clock::wall_ms() }).await?;
    let frame = tokio::select! {
        frame = timeout(app.limits.auth, hear(socket)) => frame.map_err(|_| Over::Close(CloseCode::TooLate))??,
        () = app.stop.cancelled() => return Err(Over::Close(CloseCode::GoingDown)),
    };
    let FromClient::Auth { channel, end, sig } = frame else {
        return Err(Over::Close(CloseCode::OutOfTurn));
    };
    verify(app, &Claim { origin, nonce: &nonce, channel, end }, &sig).await?;
    let attachment = app.hub.attach(channel, end, clock::boot_ms());
    // Only now: a channel deleted meanwhile has ended its sockets before this one was there.
    if app.registry.touch(channel, clock::wall_s()).await.map_err(failed)? {
        debug!("an end was claimed");
        Ok(attachment)
    } else {
        app.hub.end(channel);
        Err(Over::Close(CloseCode::Ended))
    }
}

async fn verify(app: &App, claim: &Claim<'_>, signature: &Signature) -> Result<(), Over> {
    let keys = app.registry.keys(claim.channel, clock::wall_s()).await.map_err(failed)?;
    // Verified against somebody's key in any case, so that an unknown channel takes no less time.
    let key = keys.as_ref().map_or(&*NOBODY, |keys| keys.of(claim.end));
    let verified = claim.verify(key, signature).is_ok();
    if verified && keys.is_some() { Ok(()) } else { Err(Over::Close(CloseCode::Refused)) }
}

/// A key that stands in for those of an unknown channel; whoever has it claims nothing.
static NOBODY: LazyLock<VerifyingKey> = LazyLock::new(|| SigningKey::from_seed(&[0; 32]).public());

async fn handle(
    frame: FromClient,
    attachment: &Attachment,
    socket: &mut WebSocket,
    app: &App,
) -> Result<(), Over> {
    let now = clock::boot_ms();
    match frame {
        FromClient::Auth { .. } => return Err(Over::Close(CloseCode::OutOfTurn)),
        FromClient::Send { seq, ttl, first, wake: _, envelope } => {
            let letter = Letter { envelope, first, ttl: std::time::Duration::from_secs(ttl.into()) };
            // A socket without its place hears why with its next step.
            if let Some(outcome) = attachment.send(letter, now) {
                trace!(?outcome, "an envelope came");
                say(socket, app, &FromRelay::Ack { seq, outcome }).await?;
            }
        }
        // This relay knows no wake-up addresses, so an absent end has nothing by which it could be woken.
        FromClient::Wake => {}
        FromClient::Got { id } => attachment.got(id),
        FromClient::Flush => attachment.flush(),
        FromClient::SetPush { .. } => {
            say(socket, app, &FromRelay::Notice { code: NoticeCode::NotAvailable, retry_after: 0 }).await?;
        }
        FromClient::Delete => delete(app, attachment.channel()).await?,
    }
    Ok(())
}

async fn delete(app: &App, channel: ChannelId) -> Result<(), Over> {
    app.registry.delete(channel).await.map_err(failed)?;
    app.hub.end(channel);
    debug!("a channel was deleted");
    Ok(())
}

/// The client's next frame.
async fn hear(socket: &mut WebSocket) -> Result<FromClient, Over> {
    loop {
        match socket.recv().await {
            Some(Ok(Message::Binary(bytes))) => {
                return FromClient::decode(&bytes).map_err(|bad| Over::Close(bad.close_code()));
            }
            Some(Ok(Message::Text(_))) => return Err(Over::Close(CloseCode::NotBinary)),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            Some(Ok(Message::Close(_))) | None => return Err(Over::Gone),
            Some(Err(error)) => return Err(broken(error)),
        }
    }
}

/// What a WebSocket error means for the client.
fn broken(error: axum::Error) -> Over {
    match error.into_inner().downcast_ref() {
        Some(tungstenite::Error::Capacity(_)) => Over::Close(CloseCode::TooBig),
        Some(tungstenite::Error::Utf8(_)) => Over::Close(CloseCode::NotBinary),
        _ => Over::Gone,
    }
}

async fn say(socket: &mut WebSocket, app: &App, frame: &FromRelay) -> Result<(), Over> {
    let message = Message::Binary(frame.encode().into());
    match timeout(app.limits.write, socket.send(message)).await {
        Ok(sent) => sent.map_err(|_| Over::Gone),
        Err(_) => Err(Over::Close(CloseCode::TooSlow)),
    }
}

fn failed(error: impl std::fmt::Display) -> Over {
    error!(%error, "a socket could not be served");
    Over::Close(CloseCode::Failed)
}

/// Says why, then waits for the client's own close, so that the reason is not lost with the connection.
async fn close(socket: &mut WebSocket, app: &App, code: CloseCode) {
    let farewell = CloseFrame { code: code.number(), reason: code.reason().into() };
    let polite = async {
        socket.send(Message::Close(Some(farewell))).await?;
        // What is too big would have to be read whole to be skipped.
        while code != CloseCode::TooBig && socket.recv().await.transpose()?.is_some() {}
        Ok::<(), axum::Error>(())
    };
    // Whether the client heard it is the client's business.
    let _ = timeout(app.limits.farewell, polite).await;
}

#[cfg(test)]
mod tests;
