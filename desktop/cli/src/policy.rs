//! `policy`: write policies and permission files, check them, and measure what they would say. What only reads and writes
//! texts stands here and needs no daemon.

mod check;
mod eval;
mod template;

use std::{
    fs::OpenOptions,
    io::{self, Read as _, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, Subcommand};
use countersign_core::policy::TextKind;
use countersign_ipc::account;

use crate::{arguments::Format, output, trouble::Trouble};

/// The longest text that is read; the parsers have limits of their own below it.
const LONGEST: u64 = 4 << 20;

/// What `policy` takes.
#[derive(Debug, Args)]
pub struct Policy {
    /// What to do
    #[command(subcommand)]
    pub command: PolicyCommand,
}

/// What can be done with policies.
#[derive(Debug, Subcommand)]
pub enum PolicyCommand {
    /// Write a policy to start from, with notes that say what each line means
    New(New),
    /// Say what is wrong with a policy or permission file, and how wide its lines are
    Check(Check),
    /// Measure: read cases from standard input and say what comes of each
    Eval(Eval),
}

/// What `policy new` takes.
#[derive(Debug, Args)]
pub struct New {
    /// Where to write it; it must not exist yet [default: standard output]
    pub file: Option<PathBuf>,

    /// The folder it is for, absolute or beginning with `~/` [default: everywhere]
    #[arg(long, value_name = "FOLDER")]
    pub project: Option<String>,
}

/// What `policy check` takes.
#[derive(Debug, Args)]
pub struct Check {
    /// The file; one that ends in .json is read as a permission file; `-` is standard input
    pub file: PathBuf,

    /// Read it as a permission file, whatever its name
    #[arg(long)]
    pub permission: bool,

    #[command(flatten)]
    pub format: Format,
}

/// What `policy eval` takes.
#[derive(Debug, Args)]
pub struct Eval {
    /// One case as a JSON object a line; looks at no file
    #[arg(long, required = true)]
    pub jsonl: bool,
}

impl Policy {
    /// Whether all it says should be JSON.
    pub const fn is_json(&self) -> bool {
        match &self.command {
            PolicyCommand::New(_) => false,
            PolicyCommand::Check(check) => check.format.json,
            PolicyCommand::Eval(_) => true,
        }
    }
}

/// `policy`
pub fn run(policy: &Policy) -> Result<ExitCode, Trouble> {
    match &policy.command {
        PolicyCommand::New(new) => write_new(new).map(|()| ExitCode::SUCCESS),
        PolicyCommand::Check(check) => check::run(check),
        PolicyCommand::Eval(_) => eval::run(&mut io::stdin().lock()).map(|()| ExitCode::SUCCESS),
    }
}

fn write_new(new: &New) -> Result<(), Trouble> {
    let home = home()?;
    let text = template::text(new.project.as_deref());
    // What is written must be a policy: a folder that can't be one is told before anything is there.
    if let Err(errors) = countersign_core::policy::parse::parse(&text, &home) {
        let what = errors.first().map_or(String::new(), |error| format!("{}.", error.what));
        let fix = errors.into_iter().next().map_or(String::new(), |error| error.fix);
        return Err(Trouble::said(format!("This can't be the folder of a policy: {what}"), fix));
    }
    let Some(file) = &new.file else { return output::print(&text) };
    let mut options = OpenOptions::new();
    let opened = options.write(true).create_new(true).mode(0o600).open(file);
    let written = opened.and_then(|mut opened| opened.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Trouble::said(
            format!("`{}` exists already, and was left as it is.", file.display()),
            "Name another file, or edit that one and run `countersign policy check` on it.",
        ),
        _ => Trouble::file(file, error),
    })?;
    output::print(&format!(
        "Written to {}. It holds nowhere yet. Edit it, then run `countersign policy check {0}`.\n",
        file.display()
    ))
}

/// The user's home folder, as texts mean it with `~`.
fn home() -> Result<String, Trouble> {
    Ok(account::home(account::uid())?.to_str().unwrap_or_default().to_owned())
}

/// A file's text, or that of standard input.
fn text_of(file: &Path) -> Result<String, Trouble> {
    let mut text = String::new();
    let read = if file == Path::new("-") {
        io::stdin().lock().take(LONGEST + 1).read_to_string(&mut text)
    } else {
        std::fs::File::open(file).and_then(|opened| opened.take(LONGEST + 1).read_to_string(&mut text))
    };
    match read {
        Ok(length) if length as u64 > LONGEST => Err(Trouble::said(
            format!("`{}` is longer than {} MiB, and was not read.", file.display(), LONGEST >> 20),
            "Neither policies nor permission files are that long.",
        )),
        Ok(_) => Ok(text),
        Err(error) => Err(Trouble::file(file, error)),
    }
}

/// What kind of text a file holds, by its name.
fn kind_of(file: &Path, is_permission: bool) -> TextKind {
    let is_json = file.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"));
    if is_permission || is_json { TextKind::Permission } else { TextKind::Lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_a_policy_for_its_folder_or_for_everywhere() {
        let everywhere = countersign_core::policy::parse::parse(&template::text(None), "/home/ann").unwrap();
        assert!(everywhere.project.is_none() && everywhere.remarks.is_empty());
        let there =
            countersign_core::policy::parse::parse(&template::text(Some("~/site")), "/home/ann").unwrap();
        assert_eq!(there.project.unwrap().path, "/home/ann/site");
        assert!(countersign_core::policy::parse::parse(&template::text(Some("site")), "/home/ann").is_err());
    }

    #[test]
    fn a_new_file_is_never_written_over_one_that_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.policy");
        let new = New { file: Some(file.clone()), project: Some("~/site".to_owned()) };
        write_new(&new).unwrap();
        let text = text_of(&file).unwrap();
        assert!(text.contains("project ~/site"));
        let error = write_new(&new).unwrap_err();
        assert!(error.to_string().contains("left as it is"), "{error}");
        let wrong = New { file: Some(folder.path().join("y")), project: Some("site".to_owned()) };
        assert!(write_new(&wrong).is_err() && !folder.path().join("y").exists());
    }

    #[test]
    fn the_name_says_what_kind_of_text_it_is() {
        assert_eq!(kind_of(Path::new("a.policy"), false), TextKind::Lines);
        assert_eq!(kind_of(Path::new("a.JSON"), false), TextKind::Permission);
        assert_eq!(kind_of(Path::new("-"), true), TextKind::Permission);
    }
}
