//! A relay that a test starts, kills and starts again, as a stranger would run it.

use std::{
    io::{BufRead as _, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use countersign_proto::key::SigningKey;

use crate::courier::{Address, Claimed, Socket, Trouble};

/// The relay's program beside this test's. Tests never skip: where it is missing they say how to build it.
pub(crate) fn relay_program() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().and_then(|deps| deps.parent()).unwrap().join(crate::relay_child::PROGRAM);
    assert!(program.exists(), "{} is missing: run `cargo build -p countersign-relay`", program.display());
    program
}

/// A relay that forgets its channels when it ends.
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
        let mut command = Command::new(relay_program());
        command.args(["--memory", "--log", "error", "--parent-watch", "--listen", address]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let ready: serde_json::Value = serde_json::from_str(&line).unwrap();
        Self { child, address: Address::typed(ready["listening"].as_str().unwrap()).unwrap() }
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

/// A key that is nobody's.
pub(crate) fn stranger() -> SigningKey {
    SigningKey::from_seed(&[0x5a; 32])
}
