//! Labelled requests (`tests/corpus/dev.jsonl`), judged and scored. A field is right when it equals its label or another
//! value that the label accepts.

mod case;
mod report;
mod score;

use std::path::{Path, PathBuf};

pub use self::{
    case::{Case, FIELDS, Verdict},
    report::{print, to_json},
    score::{Miss, Score, Tally},
};

/// A file of the corpus.
#[must_use]
pub fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name)
}

/// The labelled requests of a file.
///
/// # Panics
/// Where the file can't be read or a line of it is no case.
#[must_use]
pub fn cases(file: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}")))
        .collect()
}

/// Judges every case and scores what comes out.
#[must_use]
pub fn score(cases: &[Case]) -> Score {
    let mut score = Score::default();
    for case in cases {
        score.add(case, &Verdict::of(&case.request.judge()));
    }
    score
}
