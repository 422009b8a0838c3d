//! A daemon from its start to its end. It settles in its folders, takes up what an earlier run left, opens its sockets
//! only then, and on its way out hands every waiting call back before the store is closed.

mod begin;
mod error;
mod way;

#[cfg(test)]
mod tests;

use std::{sync::Arc, time::Duration};

use countersign_core::input::Input;
use countersign_ipc::Instance;
use countersign_proto::id::RunId;
use tokio::task::JoinHandle;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::begin::{Begun, begin};
pub use self::{
    error::DaemonError,
    way::{Way, stay_home},
};
use crate::{
    agents::{Agents, Machine},
    clock,
    control_socket::{self, Control, PairOrder},
    eventloop::Handle,
    hook_socket::{self, Hooks},
    keys::{protect_process, random},
    managed,
    peer::Proc,
    place::Place,
    socket::Socket,
    status::{About, House},
    store::Store,
};

/// How long conversations and couriers may take to end.
const PARTING: Duration = Duration::from_secs(8);
/// Between two looks for calls that were kept long enough.
const PRUNING: Duration = Duration::from_secs(6 * 60 * 60);

/// What a daemon is started with.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Which daemon it is. A demo daemon has a name that begins with `demo`, and no other has.
    pub instance: Instance,
    /// Whether software keys count, and only projects in a temporary folder (PH-8).
    pub demo: bool,
}

/// What a daemon that takes calls says of itself.
#[derive(Debug, Clone)]
pub struct Ready {
    /// Everything that does not change while it runs.
    pub about: About,
    /// How many phones may decide.
    pub phones: usize,
    /// Ways to everything, for whoever started it.
    pub house: Arc<House>,
}

/// Runs a daemon until `shutdown`, or until it breaks. `carry` does everything beyond this machine
/// ([`crate::carrier::carry`], or [`stay_home`]).
///
/// # Errors
/// [`DaemonError`]: what happened, what is safe, and what to do.
pub async fn run<C, F>(
    options: Options,
    carry: C,
    shutdown: CancellationToken,
    ready: impl FnOnce(Ready),
) -> Result<(), DaemonError>
where
    C: FnOnce(Way) -> F,
    F: Future<Output = ()> + Send + 'static,
{
    let is_demo_name = options.instance.name().is_some_and(|name| name.starts_with("demo"));
    match (options.demo, is_demo_name) {
        (true, false) => Err(DaemonError::NotADemoName),
        (false, true) => Err(DaemonError::DemoName),
        (true, true) | (false, false) => {
            let place = Place::open(&options.instance)?;
            run_at(place, Arc::new(Proc), options, carry, shutdown, ready).await
        }
    }
}

/// Runs a daemon that has settled already among the processes of a machine, as [`run`] does.
///
/// # Errors
/// [`DaemonError`].
pub async fn run_at<C, F>(
    mut place: Place,
    machine: Machine,
    options: Options,
    carry: C,
    shutdown: CancellationToken,
    ready: impl FnOnce(Ready),
) -> Result<(), DaemonError>
where
    C: FnOnce(Way) -> F,
    F: Future<Output = ()> + Send + 'static,
{
    let store = Arc::new(Store::open(place.state()).await?);
    let about = about(&place, options)?;
    let Begun { handle, mut looping, errands, phones } = begin(&store, &about).await?;
    let (way, home) = Way::open(handle.clone(), errands, Arc::clone(&store), &about);
    let house = Arc::new(House {
        about: about.clone(),
        handle: handle.clone(),
        store: Arc::clone(&store),
        agents: Arc::new(Agents::new(machine)),
        relay: home.relay,
        shutdown: shutdown.clone(),
    });
    let carrier_ends = way.shutdown.clone();
    let carrying = tokio::spawn(carry(way));
    let tasks = TaskTracker::new();
    let managed = managed::bring_in(&handle).await;
    let watching = tokio::spawn(managed::watch(handle.clone(), managed));
    let serving = serve(&mut place, &house, home.pairings, &tasks)?;
    ready(Ready { about, phones, house });
    let ended = tokio::select! {
        () = shutdown.cancelled() => stop(&handle, &mut looping).await,
        // It ends by itself only when it breaks; every waiting hook hears silence then.
        _ = &mut looping => Err(DaemonError::Broke),
    };
    shutdown.cancel();
    serving.into_iter().chain([watching]).for_each(|task| task.abort());
    tasks.close();
    let _ = tokio::time::timeout(PARTING, tasks.wait()).await;
    carrier_ends.cancel();
    let _ = tokio::time::timeout(PARTING, carrying).await;
    store.close().await;
    ended
}

fn about(place: &Place, options: Options) -> Result<About, DaemonError> {
    Ok(About {
        instance: options.instance.name().map(str::to_owned),
        demo: options.demo,
        run_id: RunId::new(*random().map_err(DaemonError::Random)?),
        started_wall_ms: clock::wall_ms(),
        sockets: place.sockets().to_owned(),
        state: place.state().to_owned(),
        protection: protect_process(),
    })
}

/// Opens both sockets and begins to serve them.
fn serve(
    place: &mut Place,
    house: &Arc<House>,
    pairings: tokio::sync::mpsc::Sender<PairOrder>,
    tasks: &TaskTracker,
) -> Result<[JoinHandle<()>; 3], DaemonError> {
    let machine = house.agents.machine();
    let hook_socket = Socket::new(place.bind_hook_socket()?, hook_socket::SEATS, Arc::clone(machine))?;
    let control_socket =
        Socket::new(place.bind_control_socket()?, control_socket::SEATS, Arc::clone(machine))?;
    let hooks = Arc::new(Hooks::new(house.handle.clone(), Arc::clone(&house.agents), house.about.demo));
    let control = Arc::new(Control::new(Arc::clone(house), pairings));
    Ok([
        tokio::spawn(hooks.serve(hook_socket, tasks.clone())),
        tokio::spawn(control.serve(control_socket, tasks.clone())),
        tokio::spawn(prune(Arc::clone(&house.store))),
    ])
}

async fn prune(store: Arc<Store>) {
    loop {
        match store.prune(clock::wall_ms()).await {
            Ok(0) => {}
            Ok(count) => {
                tracing::info!(count, "calls that were kept for 30 days are gone; their hashes stay")
            }
            Err(error) => tracing::error!(%error, "calls that were kept long enough could not be removed"),
        }
        tokio::time::sleep(PRUNING).await;
    }
}

/// Hands every waiting call back and waits until the loop recorded it.
async fn stop(handle: &Handle, looping: &mut JoinHandle<()>) -> Result<(), DaemonError> {
    // Where it is over already it broke, which the join tells.
    let _ = handle.tell(Input::Shutdown).await;
    looping.await.map_err(|_| DaemonError::Broke)
}
