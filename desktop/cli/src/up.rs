//! `up`: the daemon in this terminal. Says what it does, what happens, and what to do next; whatever ends it ends all it
//! started, and waiting calls go back to the agents' terminals.

mod activity;
mod demo;
mod greeting;

use std::{io, process::ExitCode};

use countersign_daemon::{
    carrier::carry,
    daemon::{self, DaemonError, Options, Ready},
};
use countersign_ipc::Instance;
use serde_json::json;
use tokio::{sync::oneshot, task::JoinHandle};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::{
    filter::{LevelFilter, Targets},
    layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

use self::activity::{Activity, Show};
use crate::{
    arguments::{LogLevel, Up},
    output, signals,
    trouble::Trouble,
};

/// The instance of a demo that was given no name.
const DEMO: &str = "demo";

/// `up`
pub async fn run(instance: &Instance, up: Up) -> Result<ExitCode, Trouble> {
    start_log(up.log);
    let instance = instance_of(instance, up.demo);
    let ended = signals::ending()?;
    if !up.json {
        output::print(&greeting::starting(up.demo))?;
    }
    let (ready, daemon) = start(&instance, up.demo, ended.clone()).await?;
    let accompanied = accompany(&instance, ready, &up, &ended).await;
    // Whatever ends the conversation ends the daemon. Where that ended first, the conversation only lost its daemon.
    let was_ended = ended.is_cancelled();
    ended.cancel();
    daemon.await.map_err(|_| DaemonError::Broke)??;
    if !was_ended {
        accompanied?;
    }
    if up.json {
        output::print_json(&json!({ "type": "over" }))?;
    } else {
        output::print("Ended. Agents ask in their own terminal.\n")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn instance_of(instance: &Instance, is_demo: bool) -> Instance {
    match instance.name() {
        None if is_demo => DEMO.parse().unwrap_or_default(),
        _ => instance.clone(),
    }
}

type Daemon = JoinHandle<Result<(), DaemonError>>;

/// Starts the daemon and waits until it takes calls.
async fn start(
    instance: &Instance,
    is_demo: bool,
    ended: CancellationToken,
) -> Result<(Ready, Daemon), Trouble> {
    let (told, ready) = oneshot::channel();
    let options = Options { instance: instance.clone(), demo: is_demo };
    let tell = move |ready| {
        // Who no longer listens has ended it already.
        let _ = told.send(ready);
    };
    let running = tokio::spawn(daemon::run(options, carry, ended, tell));
    match ready.await {
        Ok(ready) => Ok((ready, running)),
        Err(_) => {
            running.await.map_err(|_| DaemonError::Broke)??;
            Err(DaemonError::Broke.into())
        }
    }
}

/// Talks to the person until the end.
async fn accompany(
    instance: &Instance,
    ready: Ready,
    up: &Up,
    ended: &CancellationToken,
) -> Result<(), Trouble> {
    // Whoever was told that it is ready may ask at once, and should see that here.
    let activity = if up.demo { None } else { Some(Activity::open(instance, Show::Nothing).await) };
    if up.json {
        output::print_json(&greeting::as_json(&ready))?;
    } else {
        output::print(&greeting::running(instance, &ready))?;
    }
    let phones = ready.phones;
    drop(ready);
    match activity {
        None => demo::accompany(instance, phones, up.json, ended).await,
        Some(Ok((activity, _))) => activity.follow(Show::of(up.json), ended).await,
        // Calls are taken all the same; only this terminal belongs to an agent, which may not look.
        Some(Err(Trouble::Refused(failure))) => {
            output::complain(&Trouble::Refused(failure).words());
            ended.cancelled().await;
            Ok(())
        }
        Some(Err(trouble)) => Err(trouble),
    }
}

/// Only our own lines: libraries may log what they carry.
fn start_log(level: LogLevel) {
    let level = match level {
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
    };
    let own = Targets::new().with_target("countersign_daemon", level);
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(false).with_target(false);
    tracing_subscriber::registry().with(lines).with(own).init();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_demo_without_a_name_has_a_state_of_its_own_and_the_everyday_one_has_none() {
        assert_eq!(instance_of(&Instance::MAIN, true).name(), Some("demo"));
        assert_eq!(instance_of(&Instance::MAIN, false), Instance::MAIN);
        let named: Instance = "demo-two".parse().unwrap();
        assert_eq!(instance_of(&named, true), named);
    }
}
