//! What any relay costs at least: a forwarder that joins two WebSockets, and an echo behind it, each a process of its own
//! as the relay and the phone are.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use countersign_tests::world::{BOUND, Process};
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::json;
use tokio::{
    net::{TcpListener, TcpStream},
    process::Command,
    time::timeout,
};
use tokio_tungstenite::{WebSocketStream, accept_async, client_async, tungstenite::Message};

pub const FORWARD: &str = "forward";
pub const ECHO: &str = "echo";

/// As large as the envelopes of a small approval: its offer on the way out, its reply on the way back.
const SIZE: usize = 1_024;

/// Both processes, and the near end.
pub struct Bare {
    near: WebSocketStream<TcpStream>,
    forwarder: Process,
    _echo: Process,
}

impl Bare {
    pub async fn start() -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(FORWARD);
        let mut forwarder = Process::spawn("the bare forwarder", command)?;
        let line = forwarder.take("where it listens", |line| line["listening"].is_string(), BOUND).await?;
        let address = line["listening"].as_str().context("an address")?;
        let mut command = Command::new(std::env::current_exe()?);
        command.args([ECHO, address]);
        let echo = Process::spawn("the echo", command)?;
        let mut bare = Self { near: connect(address).await?, forwarder, _echo: echo };
        bare.round_trip().await?;
        Ok(bare)
    }

    /// There and back, over two hops each way.
    pub async fn round_trip(&mut self) -> Result<Duration> {
        let began = Instant::now();
        self.near.send(Message::binary(vec![7; SIZE])).await?;
        let back = timeout(BOUND, self.near.next()).await?.context("the forwarder left")??;
        let took = began.elapsed();
        ensure!(back.len() == SIZE, "the echo came back as {} bytes", back.len());
        Ok(took)
    }

    pub fn forwarder_pid(&self) -> Option<u32> {
        self.forwarder.pid()
    }
}

/// Joins the first two that come, until one of them leaves.
pub async fn forward() -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", json!({ "listening": listener.local_addr()?.to_string() }));
    let mut one = accept(&listener).await?;
    let mut other = accept(&listener).await?;
    loop {
        tokio::select! {
            Some(Ok(message @ Message::Binary(_))) = one.next() => other.send(message).await?,
            Some(Ok(message @ Message::Binary(_))) = other.next() => one.send(message).await?,
            else => return Ok(()),
        }
    }
}

/// Sends back whatever comes, until it is left.
pub async fn echo(address: &str) -> Result<()> {
    let mut socket = connect(address).await?;
    while let Some(Ok(message @ Message::Binary(_))) = socket.next().await {
        socket.send(message).await?;
    }
    Ok(())
}

async fn accept(listener: &TcpListener) -> Result<WebSocketStream<TcpStream>> {
    let (stream, _) = timeout(BOUND, listener.accept()).await??;
    stream.set_nodelay(true)?;
    Ok(accept_async(stream).await?)
}

async fn connect(address: &str) -> Result<WebSocketStream<TcpStream>> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(client_async(format!("ws://{address}/"), stream).await?.0)
}
