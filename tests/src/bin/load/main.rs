//! `make bench` without the hook's part: approvals through a relay beside a bare echo and a bare commit, binary sizes,
//! memory at rest, file lengths. Everything is on loopback, and ends with this program. `load [ROUNDS]`, `load lengths`.

mod approvals;
mod bare;
mod code;
mod disk;
mod lengths;
mod samples;
mod weight;

use std::{path::Path, process::ExitCode};

use anyhow::{Context as _, Result, bail};

const ROUNDS: usize = 1_000;

fn main() -> ExitCode {
    match start() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nnothing was measured to its end: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn start() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let runtime = tokio::runtime::Runtime::new()?;
    match arguments.as_slice() {
        [] => runtime.block_on(measure(ROUNDS)),
        ["lengths"] => lengths::measure(sources()?).map(|report| report.print()),
        [bare::FORWARD] => runtime.block_on(bare::forward()),
        [bare::ECHO, address] => runtime.block_on(bare::echo(address)),
        [rounds] => runtime.block_on(measure(rounds.parse().context("usage: load [ROUNDS | lengths]")?)),
        _ => bail!("usage: load [ROUNDS | lengths]"),
    }
}

/// What one measurement found: a table, and the line of it that counts.
struct Report {
    table: Vec<String>,
    summary: String,
}

impl Report {
    fn print(&self) {
        self.table.iter().for_each(|line| println!("{line}"));
        println!();
    }
}

async fn measure(rounds: usize) -> Result<()> {
    let (sizes, lengths) = (weight::sizes()?, lengths::measure(sources()?)?);
    let mut reports = tokio::select! {
        reports = approvals::measure(rounds) => reports?,
        interrupted = tokio::signal::ctrl_c() => {
            interrupted?;
            bail!("interrupted; all that was started is ended");
        }
    };
    reports.extend([sizes, lengths]);
    reports.iter().for_each(Report::print);
    println!("Summary");
    reports.iter().for_each(|report| println!("{}", report.summary));
    Ok(())
}

/// The workspace that this was built from.
fn sources() -> Result<&'static Path> {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the tests are a member of a workspace")
}
