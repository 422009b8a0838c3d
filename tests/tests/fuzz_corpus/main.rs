//! Replays every committed input of every fuzz target, so that what a fuzzer once found stays found, and guards that
//! targets, binaries and corpus belong together.

#[path = "../../fuzz/src/lib.rs"]
mod fuzz;
mod seeds;

use std::{
    collections::BTreeSet,
    fs,
    panic::catch_unwind,
    path::{Path, PathBuf},
};

use fuzz::TARGETS;

/// Most inputs, and most bytes in all of them.
const FILES: usize = 300;
const BYTES: usize = 1 << 20;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz")
}

/// A folder's entries by name, in order.
fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// A target's inputs.
fn inputs(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = folder().join("corpus").join(target);
    let read = |name: String| {
        let bytes = fs::read(folder.join(&name)).unwrap();
        (name, bytes)
    };
    names(&folder).into_iter().map(read).collect()
}

#[test]
fn every_promise_holds_for_every_committed_input() {
    let mut broken = Vec::new();
    for (target, body) in TARGETS {
        for (name, bytes) in inputs(target) {
            if catch_unwind(|| body(&bytes)).is_err() {
                broken.push(format!("tests/fuzz/corpus/{target}/{name}"));
            }
        }
    }
    assert!(broken.is_empty(), "a promise is broken by (the reason is above):\n{}", broken.join("\n"));
}

/// A corpus that is refused at the door reaches nothing; one without anything refused shows no door.
#[test]
fn every_target_understands_some_of_its_inputs_and_refuses_others() {
    for (target, body) in TARGETS {
        let taken = inputs(target).iter().filter(|(_, bytes)| body(bytes)).count();
        assert!(taken > 0, "nothing in tests/fuzz/corpus/{target} is understood: write the seeds anew");
        assert!(taken < inputs(target).len(), "nothing in tests/fuzz/corpus/{target} is refused");
    }
}

#[test]
fn nothing_at_all_and_long_nonsense_hurt_no_parser() {
    for (_, body) in TARGETS {
        for bytes in [vec![], vec![0; 70_000], vec![0xff; 70_000], b"[{\"a\":".repeat(10_000)] {
            body(&bytes);
        }
    }
}

#[test]
fn targets_binaries_and_corpus_belong_together() {
    let targets: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(targets.len(), TARGETS.len());
    assert_eq!(names(&folder().join("corpus")), targets);
    let binaries = names(&folder().join("fuzz_targets"));
    assert_eq!(binaries, targets.iter().map(|name| format!("{name}.rs")).collect());
    let manifest = fs::read_to_string(folder().join("Cargo.toml")).unwrap();
    for name in &targets {
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name} is no binary");
        let binary = fs::read_to_string(folder().join(format!("fuzz_targets/{name}.rs"))).unwrap();
        assert!(binary.contains(&format!("::{name}(bytes)")), "{name}'s binary fuzzes something else");
    }
}

#[test]
fn the_corpus_stays_small() {
    let all: Vec<usize> =
        TARGETS.iter().flat_map(|(target, _)| inputs(target)).map(|(_, bytes)| bytes.len()).collect();
    assert!(all.len() <= FILES, "{} inputs: keep what reaches something new", all.len());
    assert!(all.iter().sum::<usize>() <= BYTES, "{} bytes", all.iter().sum::<usize>());
}

/// Only on demand (`COUNTERSIGN_WRITE_CORPUS=1`): makes the seeds anew from vectors and fixtures. What fuzzing found
/// (`found-…`) stays.
#[test]
fn seeds_are_written_on_demand() {
    if std::env::var_os("COUNTERSIGN_WRITE_CORPUS").is_none_or(|value| value != "1") {
        return;
    }
    for (target, seeds) in seeds::all() {
        let folder = folder().join("corpus").join(target);
        fs::create_dir_all(&folder).unwrap();
        for old in names(&folder).iter().filter(|name| name.starts_with("seed-")) {
            fs::remove_file(folder.join(old)).unwrap();
        }
        for (name, bytes) in seeds {
            fs::write(folder.join(format!("seed-{}", seeds::slug(&name))), bytes).unwrap();
        }
    }
}
