//! The command line. What it may say is decided here; a wrong one is refused with what would be right.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use clap::{Parser, ValueEnum};
use countersign_proto::limits;
use directories::ProjectDirs;

use crate::{hub::Bounds, rate::Allowance};

/// A blind relay for Countersign: it holds sealed envelopes for a phone and its desktop, in memory, for at most two
/// minutes, and can read none of them.
///
/// When it is ready it prints one line to standard output: {"listening":"127.0.0.1:8440"}. Its log goes to standard
/// error and never names an envelope, key, channel or address.
#[derive(Debug, Parser)]
#[command(name = "countersign-relay", version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Arguments {
    /// Where to listen; port 0 picks a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8440", value_parser = loopback)]
    pub listen: SocketAddr,

    /// The folder of the channel registry [default: the relay's folder under ~/.local/state]
    #[arg(long, value_name = "FOLDER", conflicts_with = "memory")]
    data: Option<PathBuf>,

    /// Keep the channel registry in memory: it is forgotten when the relay stops
    #[arg(long)]
    memory: bool,

    /// Stop when standard input ends, so that the relay never outlives the program that started it
    #[arg(long)]
    pub parent_watch: bool,

    /// How much to log
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    pub log: LogLevel,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  stopped as asked (a signal, or the end of standard input with --parent-watch)
  1  failed while running
  2  the command line is wrong
  3  cannot listen at the address
  4  cannot open the channel registry";

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum LogLevel {
    Off,
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

/// Where channels are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Storage {
    Memory,
    Folder(PathBuf),
}

impl Arguments {
    /// `None` where no folder was given and this user has no home to put one in.
    pub fn storage(&self) -> Option<Storage> {
        if self.memory {
            return Some(Storage::Memory);
        }
        self.data.clone().or_else(own_folder).map(Storage::Folder)
    }
}

fn own_folder() -> Option<PathBuf> {
    ProjectDirs::from("", "", "countersign-relay")?.state_dir().map(PathBuf::from)
}

fn loopback(text: &str) -> Result<SocketAddr, String> {
    let address: SocketAddr = text
        .parse()
        .map_err(|_| "write an address and a port, such as 127.0.0.1:8440 or [::1]:8440".to_owned())?;
    if address.ip().is_loopback() {
        return Ok(address);
    }
    Err("other machines can reach this address, and this relay has no TLS yet: it listens on loopback only, \
         such as 127.0.0.1:8440 (a relay for the LAN and the internet comes with a later version)"
        .to_owned())
}

/// The times and sizes a relay keeps to.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// For a socket to claim its end.
    pub auth: Duration,
    /// For a client to take one frame.
    pub write: Duration,
    /// For a client to answer a close.
    pub farewell: Duration,
    /// For all sockets to leave when the relay goes down.
    pub drain: Duration,
    /// Between two looks for what is over.
    pub sweep: Duration,
    /// Memory, and what a channel may send.
    pub bounds: Bounds,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            auth: limits::RELAY_AUTH,
            write: Duration::from_secs(10),
            farewell: Duration::from_secs(2),
            drain: Duration::from_secs(5),
            sweep: Duration::from_secs(10),
            bounds: Bounds { memory: 256 << 20, rate: Allowance { per_second: 20, burst: 60 } },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_loopback_address_will_do_and_no_other() {
        for address in ["127.0.0.1:0", "127.1.2.3:80", "[::1]:8440"] {
            assert_eq!(loopback(address).unwrap().to_string(), address);
        }
        for address in ["0.0.0.0:8440", "[::]:8440", "192.168.1.2:8440", "[::ffff:192.168.1.2]:8440"] {
            assert!(loopback(address).unwrap_err().contains("loopback only"), "{address}");
        }
        assert!(loopback("localhost:8440").unwrap_err().contains("127.0.0.1:8440"));
    }

    #[test]
    fn a_folder_and_memory_exclude_each_other() {
        let parse =
            |arguments: &[&str]| Arguments::try_parse_from([&["countersign-relay"], arguments].concat());
        assert_eq!(parse(&["--memory"]).unwrap().storage(), Some(Storage::Memory));
        assert_eq!(parse(&["--data", "/x"]).unwrap().storage(), Some(Storage::Folder("/x".into())));
        assert!(parse(&["--memory", "--data", "/x"]).is_err());
    }
}
