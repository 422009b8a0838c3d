//! Labelled requests and policies (`tests/corpus`), judged and scored. A field is right when it equals its label or
//! another value that the label accepts.

mod case;
mod policy;
mod report;
mod score;

use std::path::{Path, PathBuf};

pub use self::{
    case::{Case, FIELDS, Verdict},
    policy::PolicyCase,
    report::{print, to_json},
    score::{About, Confusion, Field, Miss, Score, Tally},
};

/// A file of the corpus.
#[must_use]
pub fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name)
}

/// Judges a file of labelled requests.
///
/// # Panics
/// Where the file can't be read or a line of it is no case.
#[must_use]
pub fn requests(file: &Path) -> Score {
    let mut score = Score::default();
    for case in lines(file, |line| serde_json::from_str::<Case>(line)) {
        case.score(&Verdict::of(&case.request.judge()), &mut score);
    }
    score
}

/// Evaluates a file of labelled policies.
///
/// # Panics
/// Where the file can't be read or a line of it is no case.
#[must_use]
pub fn policies(file: &Path) -> Score {
    let mut score = Score::default();
    lines(file, PolicyCase::parse).iter().for_each(|case| case.score(&mut score));
    score
}

fn lines<T>(file: &Path, parse: impl Fn(&str) -> serde_json::Result<T>) -> Vec<T> {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    text.lines().map(|line| parse(line).unwrap_or_else(|error| panic!("{error} in {line}"))).collect()
}
