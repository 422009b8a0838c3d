//! How long our own Rust files are, counted in lines that hold code.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};

use crate::{
    Report,
    code::{lines_of_code, without_tests},
};

/// One file.
struct Length {
    path: PathBuf,
    lines: usize,
}

/// Median, 90th percentile and largest, of all files and of the programs alone.
pub fn measure(root: &Path) -> Result<Report> {
    let mut files = Vec::new();
    collect(root, &mut files)?;
    let mut sources = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        sources.push((path.strip_prefix(root)?.to_owned(), text));
    }
    let tests: Vec<PathBuf> = sources.iter().flat_map(|(path, text)| modules_of_tests(path, text)).collect();
    let is_program = |path: &Path| {
        !is_outside(path)
            && !tests.iter().any(|module| path.starts_with(module) || path == module.with_extension("rs"))
    };
    let (mut all, mut programs) = (Vec::new(), Vec::new());
    for (path, text) in sources {
        if is_program(&path) {
            programs.push(Length { path: path.clone(), lines: lines_of_code(without_tests(&text)) });
        }
        all.push(Length { lines: lines_of_code(&text), path });
    }
    let (all, programs) = (Lengths::of(all), Lengths::of(programs));
    let table = vec![
        format!(
            "{:30}{:>9}{:>9}{:>9}{:>9}{:>9}",
            "lines of code in a file", "files", "lines", "median", "p90", "largest"
        ),
        all.row("all our Rust sources"),
        programs.row("without tests"),
    ];
    let Lengths { median, p90, largest, .. } = all;
    let summary = format!(
        "lines of code in a file: median {median}, 90th percentile {p90}, largest {largest}; without tests {}, {}, {}",
        programs.median, programs.p90, programs.largest
    );
    Ok(Report { table, summary })
}

struct Lengths {
    files: usize,
    lines: usize,
    median: usize,
    p90: usize,
    largest: usize,
    longest: String,
}

impl Lengths {
    fn of(mut files: Vec<Length>) -> Self {
        files.sort_by(|a, b| (a.lines, &a.path).cmp(&(b.lines, &b.path)));
        let at = |percent: usize| {
            let rank = (files.len() * percent).div_ceil(100).max(1);
            files.get(rank - 1).map_or(0, |file| file.lines)
        };
        Self {
            files: files.len(),
            lines: files.iter().map(|file| file.lines).sum(),
            median: at(50),
            p90: at(90),
            largest: at(100),
            longest: files.last().map(|file| file.path.display().to_string()).unwrap_or_default(),
        }
    }

    fn row(&self, name: &str) -> String {
        let Self { files, lines, median, p90, largest, longest } = self;
        format!("  {name:28}{files:9}{lines:9}{median:9}{p90:9}{largest:9}  {longest}")
    }
}

/// The modules that a file has only in tests, as paths without an extension.
fn modules_of_tests(path: &Path, text: &str) -> Vec<PathBuf> {
    let folder = match path.file_stem().and_then(|stem| stem.to_str()) {
        Some("lib" | "main" | "mod") => path.parent().map(Path::to_owned).unwrap_or_default(),
        _ => path.with_extension(""),
    };
    let declared =
        text.split("#[cfg(test)]\n").skip(1).filter_map(|after| after.lines().next()?.strip_suffix(';'));
    declared.filter_map(|line| line.rsplit_once("mod ")).map(|(_, name)| folder.join(name)).collect()
}

/// What is no part of a program: tests, fuzzing, examples. The demo phone is one.
fn is_outside(path: &Path) -> bool {
    let is_test = |part: &OsStr| part == "tests" || part == "examples";
    path.iter().any(is_test) && !path.starts_with("tests/demo-phone/src")
}

/// Every Rust source below a folder, but for what is built or hidden.
fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        let is_skipped = name == "target" || name.to_string_lossy().starts_with('.');
        if is_skipped {
            continue;
        }
        if entry.file_type()?.is_dir() {
            collect(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_that_only_tests_have_are_found_beside_the_file_that_declares_them() {
        let text = "mod a;\n\n#[cfg(test)]\nmod tests;\n#[cfg(test)]\npub(crate) mod stage;\n#[cfg(test)]\nmod inline {\n";
        let found = modules_of_tests(Path::new("x/src/courier.rs"), text);
        assert_eq!(found, [Path::new("x/src/courier/tests"), Path::new("x/src/courier/stage")]);
        assert_eq!(modules_of_tests(Path::new("x/src/lib.rs"), text)[0], Path::new("x/src/tests"));
    }

    #[test]
    fn the_demo_phone_is_a_program_and_what_tests_it_is_none() {
        assert!(!is_outside(Path::new("tests/demo-phone/src/main.rs")));
        assert!(is_outside(Path::new("tests/demo-phone/tests/approval/main.rs")));
        assert!(is_outside(Path::new("tests/src/world.rs")));
    }
}
