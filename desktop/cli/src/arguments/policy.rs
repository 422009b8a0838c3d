//! What `policy` takes.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Format;

/// What `policy` takes.
#[derive(Debug, Args)]
pub struct Policy {
    /// What to do with them
    #[command(subcommand)]
    pub command: PolicyCommand,
}

/// What can be done with policies.
#[derive(Debug, Subcommand)]
pub enum PolicyCommand {
    /// Write a policy to start from, with notes that say what each line means
    New(crate::policy::New),
    /// Say what is wrong with a policy or permission file, and how wide its lines are
    Check(crate::policy::Check),
    /// Measure: read cases from standard input and say what comes of each
    Eval(crate::policy::Eval),
    /// List what was accepted and is in force
    List(PolicyList),
    /// Show a text against the one in force: each change, how wide it is, and what it would have answered lately
    Diff(PolicyDiff),
    /// Show a text in the same way, and accept it
    Accept(PolicyAccept),
    /// End what was accepted; what it allowed asks again at once
    Revoke(OnePolicy),
    /// Say what would become of a command in this folder, with every line that has a say
    Explain(PolicyExplain),
}

impl PolicyCommand {
    /// Whether all it says should be JSON.
    pub fn is_json(&self) -> bool {
        match self {
            Self::New(_) => false,
            Self::Check(check) => check.format.json,
            Self::Eval(_) => true,
            Self::List(list) => list.format.json,
            Self::Diff(diff) => diff.format.json,
            Self::Accept(accept) => accept.format.json,
            Self::Revoke(one) => one.format.json,
            Self::Explain(explain) => explain.format.json,
        }
    }
}

/// What `policy list` takes.
#[derive(Debug, Args)]
pub struct PolicyList {
    /// Those that ended, too
    #[arg(long)]
    pub all: bool,

    /// With their texts, whole
    #[arg(long)]
    pub text: bool,

    #[command(flatten)]
    pub format: Format,
}

/// A text.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("which").required(true))]
pub struct WhichText {
    /// The file that holds it
    #[arg(group = "which")]
    pub file: Option<PathBuf>,

    /// The built-in policy by which simple reads inside a project pass
    #[arg(long, group = "which")]
    pub green_reads: bool,

    /// The built-in policy by which file tools may write inside a project
    #[arg(long, group = "which")]
    pub green_writes: bool,

    /// The file is a permission file (JSON) and no policy
    #[arg(long, requires = "file")]
    pub permissions: bool,

    /// The folder that a permission file is for [default: everywhere]
    #[arg(long, value_name = "FOLDER", requires = "permissions")]
    pub project: Option<PathBuf>,

    /// What it was edited from, by the beginning of its id: that ends, though this text is for another folder
    #[arg(long, value_name = "ID", requires = "file")]
    pub instead_of: Option<String>,
}

/// What `policy diff` takes.
#[derive(Debug, Args)]
pub struct PolicyDiff {
    #[command(flatten)]
    pub which: WhichText,

    #[command(flatten)]
    pub format: Format,
}

/// What `policy accept` takes.
#[derive(Debug, Args)]
pub struct PolicyAccept {
    #[command(flatten)]
    pub which: WhichText,

    /// The hash of exactly this text, as `policy diff` shows it: nobody is asked then
    #[arg(long, value_name = "HASH")]
    pub hash: Option<String>,

    #[command(flatten)]
    pub format: Format,
}

/// One text that was accepted.
#[derive(Debug, Args)]
pub struct OnePolicy {
    /// Its id, or how the id begins
    pub id: String,

    #[command(flatten)]
    pub format: Format,
}

/// What `policy explain` takes.
#[derive(Debug, Args)]
pub struct PolicyExplain {
    /// The command, as an agent would give it to a shell here; in quotes
    pub command: String,

    /// A policy in place of what was accepted; may be given several times
    #[arg(long, value_name = "FILE")]
    pub policy: Vec<PathBuf>,

    /// A permission file in place of what was accepted; may be given several times
    #[arg(long, value_name = "FILE")]
    pub permissions: Vec<PathBuf>,

    #[command(flatten)]
    pub format: Format,
}
