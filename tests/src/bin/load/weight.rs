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
    /// Its share of it, where pages are shared with other processes. Of a process that keeps debuggers out, as the
    /// daemon does, only root is told.
    pss: Option<u64>,
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
        let read = |file: &str| std::fs::read_to_string(format!("/proc/{pid}/{file}"));
        let rss = field(&read("status")?, "VmRSS:").context("a running process has a size")?;
        Ok(Self { rss, pss: read("smaps_rollup").ok().and_then(|text| field(&text, "Pss:")) })
    }

    fn columns(self) -> [String; 2] {
        let mib = |kib: u64| format!("{:.1}", kib as f64 / 1_024.0);
        [mib(self.rss), self.pss.map_or_else(|| "-".to_owned(), mib)]
    }
}

fn field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

/// Weighs processes.
pub fn weigh(title: &str, processes: &[(&str, Option<u32>)]) -> Result<Report> {
    let mut table = vec![format!("{title:40}{:>11}{:>11}", "RSS MiB", "PSS MiB")];
    let mut summary = Vec::new();
    for (name, pid) in processes {
        let [rss, pss] = Memory::of(pid.with_context(|| format!("the {name} runs"))?)?.columns();
        table.push(format!("  {name:38}{rss:>11}{pss:>11}"));
        summary.push(format!("{name} {rss} ({pss})"));
    }
    Ok(Report { table, summary: format!("{title}, RSS (PSS) in MiB: {}", summary.join(", ")) })
}
