//! A surface of the test's own, as a window on the desktop would be: it watches, fronts cards and clicks over the control
//! socket, word by word, so that a test can also say what no well-behaved client would.

use std::{path::Path, time::Duration};

use anyhow::{Context as _, Result, anyhow, bail};
use countersign_ipc::control::{
    Card, ControlReply, ControlRequest, Decision, Ending, ErrorCode, WatchEvent, decode_reply, encode_request,
};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::{
        UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    time::timeout,
};

use super::BOUND;

/// A connection that watches.
pub struct Surface {
    reader: BufReader<OwnedReadHalf>,
    writer: OwnedWriteHalf,
    last_id: u64,
    told: Vec<WatchEvent>,
}

impl Surface {
    /// Connects to a desktop's control socket and watches from now on.
    pub async fn open(socket: &Path) -> Result<Self> {
        let mut this = Self::connect(socket).await?;
        match this.ask(&ControlRequest::Watch {}).await? {
            ControlReply::Watch { event } => this.told.push(event),
            other => bail!("watching was answered with {other:?}"),
        }
        Ok(this)
    }

    /// Connects and does not watch.
    pub async fn connect(socket: &Path) -> Result<Self> {
        let (reader, writer) = UnixStream::connect(socket).await?.into_split();
        Ok(Self { reader: BufReader::new(reader), writer, last_id: 0, told: Vec::new() })
    }

    /// Asks one thing and gives its first reply.
    pub async fn ask(&mut self, request: &ControlRequest) -> Result<ControlReply> {
        self.last_id += 1;
        let id = self.last_id;
        self.writer.write_all(&encode_request(id, request)?).await?;
        let answered = async {
            loop {
                match self.receive().await? {
                    (of, reply) if of == id => return Ok(reply),
                    (_, ControlReply::Watch { event }) => self.told.push(event),
                    (_, _) => {}
                }
            }
        };
        timeout(BOUND, answered).await.map_err(|_| anyhow!("{request:?} was not answered in time"))?
    }

    /// Waits for something that happens, and takes it out of what is kept.
    pub async fn wait<T>(&mut self, what: &str, pick: impl Fn(&WatchEvent) -> Option<T>) -> Result<T> {
        self.wait_for(what, pick, BOUND).await
    }

    /// The same with a bound of its own.
    pub async fn wait_for<T>(
        &mut self,
        what: &str,
        pick: impl Fn(&WatchEvent) -> Option<T>,
        bound: Duration,
    ) -> Result<T> {
        let found = async {
            loop {
                let at = self.told.iter().position(|event| pick(event).is_some());
                if let Some(picked) = at.and_then(|at| pick(&self.told.remove(at))) {
                    return Ok(picked);
                }
                if let (_, ControlReply::Watch { event }) = self.receive().await? {
                    self.told.push(event);
                }
            }
        };
        match timeout(bound, found).await {
            Ok(found) => found,
            Err(_) => bail!("the desktop did not tell {what} in time; it told {:?}", self.told),
        }
    }

    /// Waits for the next card.
    pub async fn card(&mut self) -> Result<Card> {
        let opened = |event: &WatchEvent| match event {
            WatchEvent::Opened { card } => Some(Card::clone(card)),
            _ => None,
        };
        self.wait("that a card came", opened).await
    }

    /// Waits for a request's end.
    pub async fn ending(&mut self, request_id: &str) -> Result<Ending> {
        let closed = |event: &WatchEvent| match event {
            WatchEvent::Closed { ending } if ending.request_id == request_id => Some(ending.clone()),
            _ => None,
        };
        self.wait("that a card went", closed).await
    }

    /// Says that a card was drawn here, to its end.
    pub async fn front(&mut self, card: &Card) -> Result<ControlReply> {
        let (request_id, binding) = (card.request_id.clone(), card.binding.clone());
        self.ask(&ControlRequest::Fronted { request_id, binding, seen_to_end: true }).await
    }

    /// Clicks.
    pub async fn click(&mut self, card: &Card, decision: Decision) -> Result<ControlReply> {
        let (request_id, binding) = (card.request_id.clone(), card.binding.clone());
        self.ask(&ControlRequest::Click { request_id, binding, decision, note: None }).await
    }

    /// Allows a card that is in front here, as soon as it has been there for long enough: what the desktop says then.
    pub async fn allow(&mut self, card: &Card) -> Result<ControlReply> {
        self.decide(card, Decision::AllowOnce).await
    }

    /// The same with any decision that allows.
    pub async fn decide(&mut self, card: &Card, decision: Decision) -> Result<ControlReply> {
        let allowed = async {
            loop {
                match self.click(card, decision).await? {
                    ControlReply::Failed(failure) if failure.code == ErrorCode::NotInFront => {
                        // Half a second by the desktop's own clock; asking again is the way to wait for it.
                        tokio::time::sleep(Duration::from_millis(50)).await;
                    }
                    reply => return Ok(reply),
                }
            }
        };
        timeout(BOUND, allowed).await.map_err(|_| anyhow!("a card in front can't be allowed"))?
    }

    async fn receive(&mut self) -> Result<(u64, ControlReply)> {
        let mut line = Vec::new();
        self.reader.read_until(b'\n', &mut line).await?;
        if line.is_empty() {
            bail!("the desktop closed the connection");
        }
        decode_reply(&line).with_context(|| format!("it said {:?}", String::from_utf8_lossy(&line)))
    }
}
