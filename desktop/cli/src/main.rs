//! `countersign`: the daemon in a terminal, and everything a person says to it from one. It approves nothing by itself:
//! a yes is a key pressed at a card in `watch`, or a phone's.

mod arguments;
mod cards;
mod classify;
mod connection;
mod doctor;
mod keyboard;
mod log;
mod moment;
mod narrow;
mod output;
mod pair;
mod phones;
mod pick;
mod policy;
mod rules;
mod setup;
mod signals;
mod spelling;
mod status;
mod trouble;
mod up;
mod watch;

#[cfg(test)]
mod samples;

use std::process::ExitCode;

use clap::Parser as _;
use countersign_ipc::Instance;
use serde_json::json;
use tokio::runtime::Builder;

use self::{
    arguments::{Arguments, Command},
    trouble::Trouble,
};

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return spelling::refuse(&error),
    };
    let is_json = arguments.command.as_ref().is_some_and(Command::is_json);
    match start(arguments) {
        Ok(code) => code,
        Err(trouble) if trouble.is_closed_pipe() => ExitCode::from(trouble.exit_code()),
        Err(trouble) => {
            let words = trouble.words();
            let told = is_json && output::print_json(&json!({ "error": words })).is_ok();
            if !told {
                output::complain(&words);
            }
            ExitCode::from(trouble.exit_code())
        }
    }
}

fn start(arguments: Arguments) -> Result<ExitCode, Trouble> {
    let instance = arguments.instance.unwrap_or(Instance::MAIN);
    let mut builder = match &arguments.command {
        Some(Command::Up(_)) => Builder::new_multi_thread(),
        _ => Builder::new_current_thread(),
    };
    let runtime = builder.enable_all().build().map_err(Trouble::System)?;
    let code = runtime.block_on(run(&instance, arguments.command));
    // A thread that still waits for a key must not hold the end up.
    runtime.shutdown_background();
    code
}

async fn run(instance: &Instance, command: Option<Command>) -> Result<ExitCode, Trouble> {
    let Some(command) = command else {
        return status::bare(instance).await.map(|()| ExitCode::SUCCESS);
    };
    match command {
        Command::Doctor(format) => return doctor::run(instance, format).await,
        Command::Log(log) => return log::run(instance, log).await,
        Command::Up(up) => return up::run(instance, up).await,
        Command::Policy(policy) => return policy::run(&policy),
        Command::Watch => return watch::run(instance).await,
        Command::Pair(pair) => return pair::run(instance, pair).await,
        Command::Phones(phones) => phones::run(instance, phones).await,
        Command::Pending(format) => cards::pending(instance, format).await,
        Command::Deny(which) => cards::deny(instance, which).await,
        Command::Release(which) => cards::release(instance, which).await,
        Command::Lock(format) => cards::lock(instance, format).await,
        Command::Unlock(format) => cards::unlock(instance, format).await,
        Command::Pause(format) => narrow::pause(instance, format, true).await,
        Command::Resume(format) => narrow::pause(instance, format, false).await,
        Command::Rules(rules) => rules::run(instance, rules).await,
        Command::Strict(strict) => narrow::strict(instance, strict).await,
        Command::Protect(protect) => narrow::protect(instance, protect).await,
        Command::Env(env) => narrow::env(instance, env).await,
        Command::AcceptRisk(accept) => narrow::accept_risk(instance, accept).await,
        Command::Status(format) => status::run(instance, format).await,
        Command::Classify(classify) => classify::run(&classify).await,
        Command::Setup(setup) => setup::run(instance, &setup),
        Command::Version(format) => status::version(format),
    }
    .map(|()| ExitCode::SUCCESS)
}
