//! Standard input, read by a thread of its own, since it can't be read without blocking.

use std::{
    io::{self, BufRead, Read},
    thread,
};

use tokio::sync::mpsc;

/// What is read at once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A line, without its end.
    Line,
    /// A keypress.
    Key,
}

/// Standard input.
pub struct Stdin {
    read: mpsc::Receiver<String>,
}

impl Stdin {
    /// Starts reading.
    pub fn open(unit: Unit) -> Self {
        let (sender, read) = mpsc::channel(64);
        thread::spawn(move || match unit {
            Unit::Line => {
                let lines = io::stdin().lock().lines();
                lines.map_while(Result::ok).try_for_each(|line| sender.blocking_send(line))
            }
            Unit::Key => read_keys(&sender),
        });
        Self { read }
    }

    /// The next unit; `None` at the end.
    pub async fn next(&mut self) -> Option<String> {
        self.read.recv().await
    }
}

/// Sends one character at a time, put together from its bytes.
fn read_keys(sender: &mpsc::Sender<String>) -> Result<(), mpsc::error::SendError<String>> {
    let mut pending = Vec::new();
    let mut byte = [0; 1];
    let mut stdin = io::stdin().lock();
    while matches!(stdin.read(&mut byte), Ok(1)) {
        pending.extend_from_slice(&byte);
        match str::from_utf8(&pending) {
            Ok(key) => {
                sender.blocking_send(key.to_owned())?;
                pending.clear();
            }
            Err(error) if error.error_len().is_some() => pending.clear(),
            Err(_) => {}
        }
    }
    Ok(())
}
