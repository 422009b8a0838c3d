//! The command line.

use std::{path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand, ValueEnum};
use countersign_demo_phone::settings::{Auto, Prompts, Settings};

/// DEMO PHONE with software keys: approves for demos and tests, and pairs only with a desktop that was started with
/// `countersign up --demo`. It is no substitute for a phone.
#[derive(Debug, Parser)]
#[command(name = "countersign-demo-phone", version, max_term_width = 100, after_help = AFTER)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

const AFTER: &str = "\
At a terminal it is operated with single keys, shown under each card. Otherwise it reads one order a line: allow, deny, \
note, dismiss or handoff, then the beginning of a card's id (left out: the first card), for a note also the text; or \
lock, hangup, quit. It ends when its desktop is gone or revokes it.

Exit codes:
  0  ended as asked, or with its desktop
  1  was not paired, or failed
  2  the command line is wrong";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Pair with the desktop that shows a ticket, then stay on duty
    Pair {
        /// The ticket's text (CSGN1:…), or - to read it from standard input
        #[arg(required_unless_present = "image")]
        ticket: Option<String>,

        /// Read the ticket from a picture of its QR code instead
        #[arg(long, value_name = "FILE.png", conflicts_with = "ticket")]
        image: Option<PathBuf>,

        #[command(flatten)]
        duty: Duty,
    },
    /// Go on with a pairing that `pair --state` kept
    Run {
        #[command(flatten)]
        duty: Duty,
    },
}

#[derive(Debug, Args)]
pub struct Duty {
    /// What this phone is called at the desktop
    #[arg(long, value_name = "NAME", default_value = "demo phone")]
    name: String,

    /// Keep keys and counter in this folder (mode 0700), so that `run` can go on; without it they are in memory only
    #[arg(long, value_name = "FOLDER")]
    pub state: Option<PathBuf>,

    /// Answer every card by itself
    #[arg(long, value_name = "ANSWER", default_value = "none")]
    auto: AutoArgument,

    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,

    /// How long to wait for a desktop that is away before ending
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    linger: u64,

    /// End when standard input ends, so that the phone never outlives the program that started it
    #[arg(long)]
    pub parent_watch: bool,

    /// For tests: every prompt for a finger waits for an order, `touch` or `refuse`
    #[arg(long, hide = true)]
    ask_finger: bool,

    /// For tests: sign, but keep the first reply back until the order `flush`
    #[arg(long, hide = true)]
    hold: bool,

    /// For tests: offer software keys to a desktop that is not in demo mode, which must refuse them
    #[arg(long, hide = true)]
    insist: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum AutoArgument {
    None,
    Allow,
    Deny,
}

impl Duty {
    pub fn settings(&self) -> Settings {
        Settings {
            name: self.name.clone(),
            auto: match self.auto {
                AutoArgument::None => Auto::None,
                AutoArgument::Allow => Auto::Allow,
                AutoArgument::Deny => Auto::Deny,
            },
            prompts: if self.ask_finger { Prompts::Asked } else { Prompts::AtOnce },
            hold: self.hold,
            insist: self.insist,
            linger: Duration::from_secs(self.linger),
        }
    }
}
