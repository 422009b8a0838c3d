//! A connection to the daemon's control socket: requests go out, replies come in, each with the number of its request.

use countersign_ipc::{
    Instance, client,
    control::{BadLine, ControlReply, ControlRequest, REPLY_LINE, decode_reply, encode_request},
    place,
};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::{
        UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
};

use crate::trouble::Trouble;

/// A connection.
#[derive(Debug)]
pub struct Connection {
    reader: BufReader<OwnedReadHalf>,
    writer: OwnedWriteHalf,
    line: Vec<u8>,
    last_id: u64,
}

impl Connection {
    /// Connects to an instance's daemon.
    pub fn open(instance: &Instance) -> Result<Self, Trouble> {
        let socket = place::control_socket(instance)?;
        let stream = client::open(&socket).map_err(|error| match error {
            client::NoDaemon::Away(_) => Trouble::NotRunning(instance.clone()),
            other => Trouble::NoDaemon(other),
        })?;
        let stream = UnixStream::from_std(stream).map_err(Trouble::System)?;
        let (reader, writer) = stream.into_split();
        Ok(Self { reader: BufReader::new(reader), writer, line: Vec::new(), last_id: 0 })
    }

    /// Sends a request and returns its number.
    pub async fn send(&mut self, request: &ControlRequest) -> Result<u64, Trouble> {
        self.last_id += 1;
        let line = encode_request(self.last_id, request)?;
        self.writer.write_all(&line).await.map_err(|_| Trouble::Lost)?;
        Ok(self.last_id)
    }

    /// The next reply. Nothing is lost where the future is dropped before it is done.
    pub async fn receive(&mut self) -> Result<(u64, ControlReply), Trouble> {
        loop {
            let bytes = self.reader.fill_buf().await.map_err(|_| Trouble::Lost)?;
            if bytes.is_empty() {
                return Err(Trouble::Lost);
            }
            let end = bytes.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
            let taken = bytes.len().min(end.unwrap_or(bytes.len()));
            self.line.extend(bytes.iter().take(taken));
            self.reader.consume(taken);
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                return Ok(decode_reply(&line)?);
            }
            if self.line.len() > REPLY_LINE {
                return Err(BadLine::TooLong(REPLY_LINE).into());
            }
        }
    }

    /// The next reply to one request; a refusal is an error.
    pub async fn reply_to(&mut self, id: u64) -> Result<ControlReply, Trouble> {
        loop {
            match self.receive().await? {
                (of, ControlReply::Failed(failure)) if of == id => return Err(Trouble::Refused(failure)),
                (of, reply) if of == id => return Ok(reply),
                (_, _) => {}
            }
        }
    }

    /// Sends a request and waits for its first reply.
    pub async fn ask(&mut self, request: &ControlRequest) -> Result<ControlReply, Trouble> {
        let id = self.send(request).await?;
        self.reply_to(id).await
    }
}

/// Asks one thing on a connection of its own.
pub async fn ask(instance: &Instance, request: &ControlRequest) -> Result<ControlReply, Trouble> {
    Connection::open(instance)?.ask(request).await
}
