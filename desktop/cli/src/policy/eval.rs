//! `policy eval --jsonl`: cases in, what comes of them out, each as soon as it is there.

use std::io::BufRead;

use countersign_agents::measure::policies::Case;

use crate::{classify::next_line, output, trouble::Trouble};

/// `policy eval`
pub fn run(lines: &mut impl BufRead) -> Result<(), Trouble> {
    while let Some(line) = next_line(lines).map_err(Trouble::System)? {
        match line.and_then(|line| Case::parse(&line)) {
            Ok(case) => output::print_json(&case.evaluate())?,
            Err(malformed) => output::print_json(&malformed)?,
        }
    }
    Ok(())
}
