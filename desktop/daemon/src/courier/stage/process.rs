//! A relay that a test starts, kills and starts again, as a stranger would run it.

use std::{
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use countersign_proto::key::SigningKey;
use sqlx::{Connection as _, SqliteConnection};

use crate::courier::{Address, Claimed, Socket, Trouble};

/// The relay's program beside this test's. Tests never skip: where it is missing they say how to build it.
pub(crate) fn relay_program() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().and_then(|deps| deps.parent()).unwrap().join(crate::relay_child::PROGRAM);
    assert!(program.exists(), "{} is missing: run `cargo build -p countersign-relay`", program.display());
    program
}

/// A relay of its own, which forgets its channels when it ends unless it has a folder for them.
pub(crate) struct RelayProcess {
    child: Child,
    pub(crate) address: Address,
}

impl RelayProcess {
    pub(crate) fn start() -> Self {
        Self::start_at("127.0.0.1:0")
    }

    /// Kills it and starts another at its port, which knows none of its channels.
    pub(crate) fn restart(self) -> Self {
        let address = self.address.to_string();
        drop(self);
        Self::start_at(&address)
    }

    pub(crate) fn start_at(address: &str) -> Self {
        Self::spawn(&["--memory", "--listen", address])
    }

    /// One whose channels can be counted.
    pub(crate) fn start_in(folder: &Path) -> Self {
        Self::spawn(&["--data", folder.to_str().unwrap(), "--listen", "127.0.0.1:0"])
    }

    /// A port that was free a moment ago may be some connection's for another.
    fn spawn(arguments: &[&str]) -> Self {
        (0..100).find_map(|_| Self::try_spawn(arguments)).expect("the relay should have started")
    }

    fn try_spawn(arguments: &[&str]) -> Option<Self> {
        let mut command = Command::new(relay_program());
        command.args(["--log", "error", "--parent-watch"]).args(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        if line.is_empty() {
            child.wait().unwrap();
            return None;
        }
        let ready: serde_json::Value = serde_json::from_str(&line).unwrap();
        Some(Self { child, address: Address::typed(ready["listening"].as_str().unwrap()).unwrap() })
    }
}

impl Drop for RelayProcess {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Whether a relay has a channel: it is claimed there with a key of one of its ends.
pub(crate) async fn has_channel(address: &Address, claimed: &Claimed) -> bool {
    match Socket::claim(address, claimed).await {
        Ok((socket, _)) => {
            socket.close().await;
            true
        }
        Err(Trouble::Refused) => false,
        Err(other) => panic!("{other}"),
    }
}

/// How many channels a relay keeps in its folder.
pub(crate) async fn channels(folder: &Path) -> i64 {
    let file = folder.join("relay.db");
    let mut registry =
        SqliteConnection::connect(&format!("sqlite:{}?mode=ro", file.display())).await.unwrap();
    sqlx::query_scalar("SELECT count(*) FROM channel").fetch_one(&mut registry).await.unwrap()
}

/// A key that is nobody's.
pub(crate) fn stranger() -> SigningKey {
    SigningKey::from_seed(&[0x5a; 32])
}
