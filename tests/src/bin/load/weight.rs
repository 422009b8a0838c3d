//! What the programs weigh: their files, and their memory as the kernel counts it.

use anyhow::{Context as _, Result};
use countersign_tests::world::program;

use crate::Report;

const PROGRAMS: [&str; 4] =
    ["countersign", "countersign-hook", "countersign-relay", "countersign-demo-phone"];

/// A process's memory in KiB.
#[derive(Debug, Clone, Copy)]
struct Memory {
    /// All that is resident.
    rss: u64,
    /// Its share of it, where pages are shared with other processes.
    pss: u64,
}

/// The sizes of our programs' files.
pub fn sizes() -> Result<Report> {
    let mut table = vec![format!("{:40}{:>11}", "binary sizes, stripped", "MB")];
    let mut summary = Vec::new();
    for name in PROGRAMS {
        let size = std::fs::metadata(program(name)).with_context(|| format!("{name} is built"))?.len();
        let megabytes = size as f64 / 1e6;
        table.push(format!("  {name:38}{megabytes:11.2}"));
        summary.push(format!("{name} {megabytes:.2}"));
    }
    Ok(Report { table, summary: format!("binary sizes in MB: {}", summary.join(", ")) })
}

impl Memory {
    fn of(pid: u32) -> Result<Self> {
        let path = format!("/proc/{pid}/smaps_rollup");
        let text = std::fs::read_to_string(&path).with_context(|| path.clone())?;
        let field = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
            number.with_context(|| format!("{path} has a line {name}"))
        };
        Ok(Self { rss: field("Rss:")?, pss: field("Pss:")? })
    }

    fn row(self, name: &str) -> String {
        let Self { rss, pss } = self;
        format!("  {name:38}{:11.1}{:11.1}", mib(rss), mib(pss))
    }
}

/// Weighs processes.
pub fn weigh(title: &str, processes: &[(&str, Option<u32>)]) -> Result<Report> {
    let mut table = vec![format!("{title:40}{:>11}{:>11}", "RSS MiB", "PSS MiB")];
    let mut summary = Vec::new();
    for (name, pid) in processes {
        let memory = Memory::of(pid.with_context(|| format!("the {name} runs"))?)?;
        table.push(memory.row(name));
        summary.push(format!("{name} {:.1} ({:.1})", mib(memory.rss), mib(memory.pss)));
    }
    Ok(Report { table, summary: format!("{title}, RSS (PSS) in MiB: {}", summary.join(", ")) })
}

fn mib(kib: u64) -> f64 {
    kib as f64 / 1_024.0
}
