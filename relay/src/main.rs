//! `countersign-relay`: holds and forwards sealed envelopes between a phone and its desktop, and can read none of them
//! (protocol.md §3). In this version it serves one machine: plain, on loopback.

mod channels;
mod clock;
mod config;
mod hub;
mod mailbox;
mod rate;
mod registry;
mod router;
mod socket;
mod stop;
mod sweep;

use std::{
    future::IntoFuture,
    io::{self, Write},
    net::SocketAddr,
    process::ExitCode,
    sync::Arc,
};

use axum::serve::ListenerExt;
use clap::Parser;
use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tracing::{error, info, level_filters::LevelFilter, warn};
use tracing_subscriber::{filter::Targets, layer::SubscriberExt, util::SubscriberInitExt};

use crate::{
    config::{Arguments, Limits, LogLevel, Storage},
    hub::Hub,
    registry::{MemoryRegistry, OpenError, Registry, SqliteRegistry},
    router::{App, loopback_origins, router},
};

/// Why the relay ends before it was asked to.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(
        "there is no home folder to keep the registry in; give one with --data, or --memory to keep none"
    )]
    NoFolder,
    #[error(transparent)]
    Registry(#[from] OpenError),
    #[error("cannot listen at {address}: {source}; give another with --listen, port 0 picks a free one")]
    Listen { address: SocketAddr, source: io::Error },
    #[error("the relay failed: {0}")]
    Running(#[from] io::Error),
}

impl Failure {
    fn exit_code(&self) -> u8 {
        match self {
            Self::Running(_) => 1,
            Self::NoFolder => 2,
            Self::Listen { .. } => 3,
            Self::Registry(_) => 4,
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    start_log(arguments.log);
    match tokio::runtime::Runtime::new()
        .map_err(Failure::from)
        .and_then(|runtime| runtime.block_on(run(&arguments)))
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // For the person who started it, whatever the log's level.
            let _ = writeln!(io::stderr(), "countersign-relay: {failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Only this program's own lines are logged, at any level: libraries may log what they carry.
fn start_log(level: LogLevel) {
    let level = match level {
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    let own = Targets::new().with_target(env!("CARGO_CRATE_NAME"), level);
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(false);
    tracing_subscriber::registry().with(lines).with(own).init();
}

async fn run(arguments: &Arguments) -> Result<(), Failure> {
    let stop = CancellationToken::new();
    stop::on_signals(stop.clone())?;
    if arguments.parent_watch {
        stop::with_parent(stop.clone())?;
    }
    let registry: Arc<dyn Registry> = match arguments.storage().ok_or(Failure::NoFolder)? {
        Storage::Memory => Arc::new(MemoryRegistry::default()),
        Storage::Folder(folder) => Arc::new(SqliteRegistry::open(&folder).await?),
    };
    let address = arguments.listen;
    let failed = |source| Failure::Listen { address, source };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    let limits = Limits::default();
    let app = App {
        registry,
        hub: Hub::new(limits.bounds),
        limits,
        origins: loopback_origins(bound),
        stop,
        sockets: TaskTracker::new(),
    };
    announce(bound)?;
    serve(listener, app).await?;
    info!("stopped");
    Ok(())
}

/// Tells whoever started the relay that it is ready, and where.
fn announce(bound: SocketAddr) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", serde_json::json!({ "listening": bound.to_string() }))?;
    out.flush()?;
    info!("ready");
    Ok(())
}

/// Serves until told to stop, then gives open sockets their time to leave.
async fn serve(listener: TcpListener, app: App) -> io::Result<()> {
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            error!(%error, "a connection will be slow");
        }
    });
    tokio::spawn(sweep::keep_swept(app.clone()));
    let server =
        axum::serve(listener, router(app.clone())).with_graceful_shutdown(app.stop.clone().cancelled_owned());
    let drained = async {
        app.stop.cancelled().await;
        tokio::time::sleep(app.limits.drain).await;
    };
    let sockets = app.sockets.clone();
    tokio::select! {
        ended = async {
            server.into_future().await?;
            sockets.close();
            sockets.wait().await;
            Ok(())
        } => ended,
        () = drained => {
            warn!("some sockets did not leave in time");
            Ok(())
        }
    }
}
