//! `countersign-demo-phone`: a phone for demos and tests, with software keys. Only a daemon in demo mode pairs with it.

mod arguments;
mod face;
mod stdin;

use std::{
    io::{self, IsTerminal, Write},
    process::ExitCode,
};

use anyhow::Context;
use clap::Parser;
use countersign_demo_phone::{
    DemoPhone, Start,
    keys::Terminal,
    picture,
    report::LABEL,
    settings::{Auto, Prompts},
    vault::DemoVault,
};
use countersign_proto::pairing::Ticket;
use zeroize::Zeroizing;

use crate::{
    arguments::{Arguments, Command, Duty},
    face::Face,
    stdin::Stdin,
};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let ended = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(Into::into)
        .and_then(|runtime| {
            let ended = runtime.block_on(run(arguments));
            // A thread may still be reading standard input; the process does not wait for it.
            runtime.shutdown_background();
            ended
        });
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "[{LABEL}] {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> anyhow::Result<()> {
    let (start, duty) = match arguments.command {
        Command::Pair { ticket, image, duty } => (Some((ticket, image)), duty),
        Command::Run { duty } => (None, duty),
    };
    let is_terminal = !duty.json && io::stdin().is_terminal() && io::stdout().is_terminal();
    let mut stdin = Stdin::open(if is_terminal { stdin::Unit::Key } else { stdin::Unit::Line });
    let start = match start {
        Some((_, Some(image))) => Start::Pair(read_ticket(&picture::read(&image)?)?),
        Some((Some(text), None)) if text == "-" => {
            let line = stdin.next().await.context("standard input ended before it gave a ticket")?;
            Start::Pair(read_ticket(&Zeroizing::new(line))?)
        }
        Some((Some(text), None)) => Start::Pair(read_ticket(&Zeroizing::new(text))?),
        Some((None, None)) | None => Start::Resume,
    };
    let phone = DemoPhone::start(start, vault(&duty)?, settings(&duty, is_terminal));
    let face = Face::new(phone, stdin, duty.parent_watch);
    if is_terminal { face.keys(Terminal::open()?).await } else { face.lines(duty.json).await }
}

fn read_ticket(text: &str) -> anyhow::Result<Ticket> {
    Ok(Ticket::parse(text)?)
}

fn vault(duty: &Duty) -> anyhow::Result<DemoVault> {
    duty.state.as_deref().map_or_else(|| Ok(DemoVault::memory()), DemoVault::folder)
}

/// At a terminal a person confirms the pairing with a key, unless the phone answers by itself.
fn settings(duty: &Duty, is_terminal: bool) -> countersign_demo_phone::settings::Settings {
    let mut settings = duty.settings();
    if is_terminal && settings.auto == Auto::None {
        settings.prompts = Prompts::ForPairing;
    }
    settings
}
