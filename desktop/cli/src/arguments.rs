//! The command line: every command, what it takes, and the exit codes.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use countersign_ipc::Instance;

const EXIT_CODES: &str = "\
Exit codes:
  0  done; for doctor and log verify: nothing is wrong
  1  failed, or something is wrong
  2  the command line is wrong
  3  Countersign is not running
  4  Countersign refused it; nothing was done
  5  up: Countersign is running already

There is no command that approves: a yes is given on a phone, or at the card in `countersign watch`.";

/// Answer what your AI coding agents ask before they act, from your phone or your desktop.
///
/// Without a command it says how things stand and what to do next.
#[derive(Debug, Parser)]
#[command(name = "countersign", version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Arguments {
    /// Another Countersign of yours, by its name (demo, tests)
    #[arg(long, global = true, value_name = "NAME")]
    pub instance: Option<Instance>,

    /// What to do
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// A command.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run Countersign in this terminal; Ctrl-C ends it and all it started
    Up(Up),
    /// Pair a phone: shows the code to scan, asks for the digits the phone shows
    Pair(Pair),
    /// List the paired phones, or end a phone's right to decide
    Phones(Phones),
    /// Answer cards here: a screen with the card whole, and keys to allow and deny
    Watch,
    /// List the cards that wait
    Pending(Format),
    /// Deny a waiting card
    Deny(Which),
    /// Hand a waiting card back: its agent asks in its own terminal
    Release(Which),
    /// Deny everything that waits, and allow nothing until unlocked
    Lock(Format),
    /// Lift the lock
    Unlock(Format),
    /// No cards, and nothing passes by itself, until `resume`; what is refused and denied still is
    Pause(Format),
    /// Back to work after `pause`
    Resume(Format),
    /// List what is always allowed, or take it back
    Rules(Rules),
    /// Make an agent or a project strict: no green writes, no allow lines for writes, no Always for the project
    Strict(Strict),
    /// Let no agent push to a branch of this name, besides main and master
    Protect(Protect),
    /// Let agents of a project read its .env files, or no longer
    Env(Env),
    /// Accept a risk that a card named, such as a project's settings that set variables
    AcceptRisk(AcceptRisk),
    /// Say how Countersign is
    Status(Format),
    /// Show, check or export the audit log
    Log(Log),
    /// Look for what is wrong, and say how to mend it
    Doctor(Format),
    /// Say what a command would do, without running it
    Classify(Classify),
    /// Write, check and measure policies
    Policy(crate::policy::Policy),
    /// Install Countersign's hooks in an agent's settings, or take them out
    Setup(Setup),
    /// Say which version this is
    Version(Format),
}

impl Command {
    /// Whether all it says should be JSON.
    pub fn is_json(&self) -> bool {
        match self {
            Self::Up(up) => up.json,
            Self::Pair(pair) => pair.json,
            Self::Watch => false,
            Self::Phones(phones) => match &phones.command {
                None => phones.format.json,
                Some(PhonesCommand::List(format)) => format.json,
                Some(PhonesCommand::Revoke(which)) => which.format.json,
                Some(PhonesCommand::Unsuspend(one)) => one.format.json,
            },
            Self::Deny(which) | Self::Release(which) => which.format.json,
            Self::Log(log) => match &log.command {
                None => log.list.json,
                Some(LogCommand::Verify(verify)) => verify.format.json,
                Some(LogCommand::Export(_)) => false,
            },
            Self::Rules(rules) => match &rules.command {
                None => rules.format.json,
                Some(RulesCommand::List(format)) => format.json,
                Some(RulesCommand::Remove(one) | RulesCommand::Resume(one)) => one.format.json,
            },
            Self::Strict(strict) => strict.format.json,
            Self::Protect(protect) => protect.format.json,
            Self::Env(env) => env.format.json,
            Self::AcceptRisk(accept) => accept.format.json,
            Self::Classify(classify) => classify.jsonl || classify.json,
            Self::Policy(policy) => policy.is_json(),
            Self::Setup(setup) => setup.json,
            Self::Pending(format)
            | Self::Pause(format)
            | Self::Resume(format)
            | Self::Lock(format)
            | Self::Unlock(format)
            | Self::Status(format)
            | Self::Doctor(format)
            | Self::Version(format) => format.json,
        }
    }
}

/// How to say it.
#[derive(Debug, Clone, Copy, Args)]
pub struct Format {
    /// Say it as JSON
    #[arg(long)]
    pub json: bool,
}

/// What `up` takes.
#[derive(Debug, Args)]
pub struct Up {
    /// Try it out: state of its own (instance `demo`), a demo phone with software keys, over when that phone leaves
    #[arg(long)]
    pub demo: bool,

    /// How much of its own doings to log, on standard error
    #[arg(long, value_name = "LEVEL", default_value = "warn")]
    pub log: LogLevel,

    /// Say what happens as JSON, one object a line
    #[arg(long)]
    pub json: bool,
}

/// How much is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogLevel {
    /// Nothing.
    Off,
    /// What failed.
    Error,
    /// What may be wrong.
    Warn,
    /// What is done.
    Info,
    /// What it is done with.
    Debug,
}

/// What `pair` takes.
#[derive(Debug, Args)]
pub struct Pair {
    /// The relay to meet the phone at [default: the one on this machine]
    #[arg(long, value_name = "HOST[:PORT]")]
    pub relay: Option<String>,

    /// The invite token that the relay wants
    #[arg(long, value_name = "TOKEN")]
    pub invite: Option<String>,

    /// Write the code as a picture too; the file is removed when the code is over
    #[arg(long, value_name = "FILE")]
    pub png: Option<PathBuf>,

    /// Say what happens as JSON, one object a line; the digits are read from standard input
    #[arg(long)]
    pub json: bool,
}

/// What `phones` takes.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Phones {
    /// What to do with them
    #[command(subcommand)]
    pub command: Option<PhonesCommand>,

    #[command(flatten)]
    pub format: Format,
}

/// What can be done with phones.
#[derive(Debug, Subcommand)]
pub enum PhonesCommand {
    /// List them, the revoked ones too
    List(Format),
    /// End a phone's right to decide, for good
    Revoke(WhichPhone),
    /// Let a suspended phone decide again
    Unsuspend(OnePhone),
}

/// One phone, or all.
#[derive(Debug, Args)]
pub struct WhichPhone {
    /// Its id, or how the id begins
    #[arg(required_unless_present = "all")]
    pub id: Option<String>,

    /// All phones
    #[arg(long, conflicts_with = "id")]
    pub all: bool,

    #[command(flatten)]
    pub format: Format,
}

/// One phone.
#[derive(Debug, Args)]
pub struct OnePhone {
    /// Its id, or how the id begins
    pub id: String,

    #[command(flatten)]
    pub format: Format,
}

/// What `rules` takes.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Rules {
    /// What to do with them
    #[command(subcommand)]
    pub command: Option<RulesCommand>,

    #[command(flatten)]
    pub format: Format,
}

/// What can be done with rules.
#[derive(Debug, Subcommand)]
pub enum RulesCommand {
    /// List them, each with the text that is matched
    List(Format),
    /// Take one out
    Remove(OneRule),
    /// Put one back in force whose phone was revoked
    Resume(OneRule),
}

/// One rule.
#[derive(Debug, Args)]
pub struct OneRule {
    /// Its id, or how the id begins
    pub id: String,

    #[command(flatten)]
    pub format: Format,
}

/// What `strict` takes.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("what").required(true))]
pub struct Strict {
    /// Strict, or no longer
    pub state: StrictState,

    /// An agent: claude, codex, opencode, qwen or copilot
    #[arg(long, value_name = "NAME", group = "what")]
    pub agent: Option<String>,

    /// A project: the folder its sessions start in
    #[arg(long, value_name = "FOLDER", group = "what")]
    pub project: Option<PathBuf>,

    #[command(flatten)]
    pub format: Format,
}

/// Strict, or no longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StrictState {
    /// Strict.
    On,
    /// No longer.
    Off,
}

/// What `protect` takes.
#[derive(Debug, Args)]
pub struct Protect {
    /// The branch's name
    pub branch: String,

    /// Take it out again; main and master stay protected
    #[arg(long)]
    pub no_longer: bool,

    #[command(flatten)]
    pub format: Format,
}

/// What `env` takes.
#[derive(Debug, Args)]
pub struct Env {
    /// Whether they may be read
    pub state: EnvState,

    /// The project: the folder its sessions start in
    #[arg(long, value_name = "FOLDER")]
    pub project: PathBuf,

    #[command(flatten)]
    pub format: Format,
}

/// Whether `.env` files may be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EnvState {
    /// Agents may ask to.
    Allow,
    /// They are refused.
    Refuse,
}

/// What `accept-risk` takes.
#[derive(Debug, Args)]
pub struct AcceptRisk {
    /// The risk, in the words of the card, without what stands behind its colon
    pub risk: String,

    #[command(flatten)]
    pub format: Format,
}

/// One waiting card, or all.
#[derive(Debug, Args)]
pub struct Which {
    /// The id of its request, or how the id begins [default: the one that waits, where only one does]
    pub id: Option<String>,

    /// All that wait
    #[arg(long, conflicts_with = "id")]
    pub all: bool,

    #[command(flatten)]
    pub format: Format,
}

/// What `log` takes.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Log {
    /// What to do with it
    #[command(subcommand)]
    pub command: Option<LogCommand>,

    #[command(flatten)]
    pub list: LogList,
}

/// Which entries of the log.
#[derive(Debug, Args)]
pub struct LogList {
    /// The newest N entries only
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub last: Option<u32>,

    /// Entries of this event only, such as `allowed` or `reply_refused`
    #[arg(long, value_name = "EVENT")]
    pub event: Option<String>,

    /// Entries about this request only
    #[arg(long, value_name = "ID")]
    pub request: Option<String>,

    /// Entries about this phone only
    #[arg(long, value_name = "ID")]
    pub phone: Option<String>,

    /// Entries about this session of an agent only
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,

    /// Entries that rest on this rule or consent, or are about it, only
    #[arg(long, value_name = "ID")]
    pub by: Option<String>,

    /// Say it as JSON, one object a line
    #[arg(long)]
    pub json: bool,
}

/// What can be done with the log.
#[derive(Debug, Subcommand)]
pub enum LogCommand {
    /// Check its chain, its checkpoints and its signatures
    Verify(LogVerify),
    /// Write it out so that it can be checked elsewhere
    Export(LogExport),
}

/// What `log verify` takes.
#[derive(Debug, Args)]
pub struct LogVerify {
    /// An entry that you or a phone wrote down earlier; it must still be there
    #[arg(long, value_name = "SEQ:HASH")]
    pub head: Option<crate::log::Head>,

    #[command(flatten)]
    pub format: Format,
}

/// What `log export` takes.
#[derive(Debug, Args)]
pub struct LogExport {
    /// As JSON Lines, the only form there is
    #[arg(long, required = true)]
    pub jsonl: bool,

    /// Leave out what the calls said
    #[arg(long)]
    pub redact: bool,

    /// Where to; it must not exist yet [default: standard output]
    pub file: Option<PathBuf>,
}

/// What `classify` takes.
#[derive(Debug, Args)]
pub struct Classify {
    /// The command, as an agent would give it to a shell here; in quotes
    #[arg(required_unless_present = "jsonl")]
    pub command: Option<String>,

    /// Read requests from standard input, one JSON object a line, and say what each would do; looks at no file
    #[arg(long, conflicts_with_all = ["command", "json"])]
    pub jsonl: bool,

    /// Say it as JSON
    #[arg(long)]
    pub json: bool,
}

/// What `setup` takes.
#[derive(Debug, Args)]
pub struct Setup {
    /// Which agent: claude
    pub agent: Option<String>,

    /// Take our hooks out instead
    #[arg(long, requires = "agent")]
    pub remove: bool,

    /// Don't ask before writing
    #[arg(long, short, requires = "agent")]
    pub yes: bool,

    /// Show the change and write nothing
    #[arg(long, requires = "agent")]
    pub dry_run: bool,

    /// The hook program [default: countersign-hook beside this program]
    #[arg(long, value_name = "PATH", requires = "agent", conflicts_with = "remove")]
    pub hook: Option<PathBuf>,

    /// The agent's settings file [default: the agent's own, in your home]
    #[arg(long, value_name = "PATH", requires = "agent")]
    pub settings: Option<PathBuf>,

    /// Say it as JSON; never asks, so it needs --yes or --dry-run to go with it
    #[arg(long, requires = "agent")]
    pub json: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    fn parse(words: &[&str]) -> Result<Arguments, clap::Error> {
        Arguments::try_parse_from([&["countersign"], words].concat())
    }

    #[test]
    fn the_commands_are_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn the_instance_may_stand_before_or_after_the_command() {
        for words in [["--instance", "demo", "status"], ["status", "--instance", "demo"]] {
            assert_eq!(parse(&words).unwrap().instance, Some("demo".parse().unwrap()));
        }
        assert!(parse(&["--instance", "../x", "status"]).is_err());
    }

    #[test]
    fn setup_takes_its_agent_on_either_side_of_remove() {
        for words in [["setup", "--remove", "claude"], ["setup", "claude", "--remove"]] {
            let Some(Command::Setup(setup)) = parse(&words).unwrap().command else { panic!("{words:?}") };
            assert!(setup.remove && setup.agent.as_deref() == Some("claude"));
        }
        assert!(parse(&["setup", "--remove"]).is_err());
    }

    #[test]
    fn classify_takes_a_command_or_lines() {
        assert!(parse(&["classify", "git push"]).is_ok() && parse(&["classify", "--jsonl"]).is_ok());
        assert!(parse(&["classify"]).is_err() && parse(&["classify", "--jsonl", "ls"]).is_err());
        assert!(parse(&["classify", "git", "push"]).is_err(), "unquoted words are not guessed at");
    }

    #[test]
    fn policies_are_measured_as_lines_of_json_only() {
        assert!(parse(&["policy", "eval", "--jsonl"]).is_ok() && parse(&["policy", "eval"]).is_err());
        assert!(parse(&["policy", "check", "x.policy", "--json"]).unwrap().command.unwrap().is_json());
        assert!(parse(&["policy"]).is_err());
    }

    #[test]
    fn one_and_all_exclude_each_other() {
        assert!(parse(&["deny", "ab", "--all"]).is_err());
        assert!(parse(&["phones", "revoke"]).is_err());
        assert!(parse(&["phones", "revoke", "ab", "--all"]).is_err());
        assert!(parse(&["phones", "revoke", "--all"]).is_ok() && parse(&["deny", "--all"]).is_ok());
    }
}
