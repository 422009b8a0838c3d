//! One client: a connection is one surface, so that a click counts only for the card that was drawn on it (WHO-6). It
//! may watch and decide at once; everything it asks is answered in order, all but what streams.

use std::{sync::Arc, time::Duration};

use countersign_core::input::{Input, SurfaceId};
use countersign_ipc::control::{
    self, BadLine, ControlReply, ControlRequest, ErrorCode, Failure, REQUEST_LINE, RelayState, WatchEvent,
};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{
        UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::{broadcast::error::RecvError, mpsc, watch},
};
use tokio_util::sync::CancellationToken;

use super::{
    Control, act, gate, list,
    pair::{self, Typing},
    words::failure,
};
use crate::{eventloop::Happened, peer::Peer, status::House};

/// Replies that wait to be written; a client that doesn't read makes its own requests wait.
const UNWRITTEN: usize = 64;

/// How long a client may take to read its last replies.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A client's connection.
pub(super) struct Connected {
    control: Arc<Control>,
    peer: Peer,
    surface: SurfaceId,
    typing: Option<Typing>,
    gone: CancellationToken,
}

/// Where the replies to one request go.
#[derive(Debug, Clone)]
pub(super) struct Replies {
    id: u64,
    out: mpsc::Sender<(u64, ControlReply)>,
}

/// The client is gone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unread;

impl Replies {
    pub(super) async fn send(&self, reply: ControlReply) -> Result<(), Unread> {
        self.out.send((self.id, reply)).await.map_err(|_| Unread)
    }
}

impl Connected {
    pub(super) fn new(control: Arc<Control>, peer: Peer) -> Self {
        let surface = SurfaceId(control.house.handle.next_id());
        Self { control, peer, surface, typing: None, gone: CancellationToken::new() }
    }

    pub(super) async fn run(mut self, stream: UnixStream) {
        let (read, write) = stream.into_split();
        let (out, unwritten) = mpsc::channel(UNWRITTEN);
        let gone = self.gone.clone();
        let writing = tokio::spawn(write_replies(write, unwritten, gone.clone()));
        let shutdown = self.control.house.shutdown.clone();
        tokio::select! {
            () = self.read(BufReader::new(read), out) => {}
            () = gone.cancelled() => {}
            () = shutdown.cancelled() => {}
        }
        // Whatever it watched or began ends with it.
        self.gone.cancel();
        self.typing = None;
        let _ = self.control.house.handle.tell(Input::SurfaceGone(self.surface)).await;
        let abort = writing.abort_handle();
        if tokio::time::timeout(LAST_WORDS, writing).await.is_err() {
            // It doesn't read what it asked for.
            abort.abort();
        }
    }

    async fn read(&mut self, mut lines: BufReader<OwnedReadHalf>, out: mpsc::Sender<(u64, ControlReply)>) {
        loop {
            let mut line = Vec::new();
            let longest = REQUEST_LINE as u64 + 1;
            match (&mut lines).take(longest).read_until(b'\n', &mut line).await {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
            let is_whole = line.ends_with(b"\n");
            match control::decode_request(&line) {
                Ok((id, request)) if is_whole => {
                    let replies = Replies { id, out: out.clone() };
                    if self.take(request, replies).await.is_err() {
                        return;
                    }
                }
                // What follows a line that is no request can't be told apart from it.
                Ok(_) => return,
                Err(bad) => {
                    let _ = out.send((0, ControlReply::Failed(not_a_request(&bad)))).await;
                    return;
                }
            }
        }
    }

    async fn take(&mut self, request: ControlRequest, replies: Replies) -> Result<(), Unread> {
        let agents = Arc::clone(&self.control.house.agents);
        let peer = Peer { pid: self.peer.pid, lineage: self.peer.lineage.clone() };
        // Who is asking is looked at for each request: an agent may have been seen only since.
        let caller = tokio::task::spawn_blocking(move || agents.caller(&peer)).await;
        let caller = caller.unwrap_or_else(|_| crate::peer::Caller::Agent("something unknown".to_owned()));
        if let Err(refused) = gate::pass(&request, &caller) {
            return replies.send(ControlReply::Failed(refused)).await;
        }
        match request {
            ControlRequest::Watch {} => {
                tokio::spawn(watch_until_gone(Arc::clone(&self.control), replies, self.gone.clone()));
                Ok(())
            }
            ControlRequest::PairStart { relay, invite } => {
                match pair::start(&self.control, relay, invite, replies.clone(), &self.gone) {
                    Ok(typing) => {
                        self.typing = Some(typing);
                        Ok(())
                    }
                    Err(failure) => replies.send(ControlReply::Failed(failure)).await,
                }
            }
            ControlRequest::PairCode { code } => {
                let typed = match &self.typing {
                    Some(typing) => typing.code(code).await,
                    None => Err(pair::none_runs()),
                };
                replies.send(typed.map_or_else(ControlReply::Failed, |()| ControlReply::Done {})).await
            }
            ControlRequest::PairCancel {} => {
                self.typing = None;
                replies.send(ControlReply::Done {}).await
            }
            ControlRequest::LogList { filter } => list::log(&self.control.house, filter, &replies).await,
            ControlRequest::LogExport { redact } => list::export(&self.control.house, redact, &replies).await,
            other => replies.send(act::act(&self.control.house, self.surface, other).await).await,
        }
    }
}

fn not_a_request(bad: &BadLine) -> Failure {
    let code = match bad {
        BadLine::Version(_) => ErrorCode::Version,
        BadLine::TooLong(_) | BadLine::Json(_) => ErrorCode::BadRequest,
    };
    Failure { code, text: bad.to_string(), hint: "the connection was closed".to_owned() }
}

async fn write_replies(
    mut write: OwnedWriteHalf,
    mut unwritten: mpsc::Receiver<(u64, ControlReply)>,
    gone: CancellationToken,
) {
    while let Some((id, reply)) = unwritten.recv().await {
        let line = control::encode_reply(id, &reply).or_else(|bad| {
            let failure = failure(ErrorCode::Internal, &format!("the reply can't be sent: {bad}"), "");
            control::encode_reply(id, &ControlReply::Failed(failure))
        });
        let Ok(line) = line else { break };
        if write.write_all(&line).await.is_err() {
            break;
        }
    }
    gone.cancel();
}

/// Everything that happens, from a first look on; a surface that fell behind is shown everything anew.
async fn watch_until_gone(control: Arc<Control>, replies: Replies, gone: CancellationToken) {
    tokio::select! {
        _ = stream(&control.house, &replies) => {}
        () = gone.cancelled() => {}
    }
}

async fn stream(house: &House, replies: &Replies) -> Option<()> {
    let mut happened = house.handle.watch();
    let mut relay = house.relay.clone();
    let mut event = house.snapshot().await.ok()?;
    loop {
        replies.send(ControlReply::Watch { event }).await.ok()?;
        let next = tokio::select! {
            next = happened.recv() => next,
            () = changed(&mut relay) => Ok(Happened::Status),
        };
        event = match next {
            Ok(Happened::Opened(card)) => WatchEvent::Opened { card: Box::new((*card).clone()) },
            Ok(Happened::Closed(ending)) => WatchEvent::Closed { ending: (*ending).clone() },
            Ok(Happened::Notice(text)) => WatchEvent::Notice { text: text.to_string() },
            Ok(Happened::Status) => WatchEvent::Status { status: Box::new(house.status().await.ok()?) },
            Err(RecvError::Lagged(_)) => {
                happened = happened.resubscribe();
                house.snapshot().await.ok()?
            }
            Err(RecvError::Closed) => return None,
        };
    }
}

/// The way to the phones is another one. Where nobody tells of it any more, nothing changes.
async fn changed(relay: &mut watch::Receiver<RelayState>) {
    if relay.changed().await.is_err() {
        std::future::pending().await
    }
}
