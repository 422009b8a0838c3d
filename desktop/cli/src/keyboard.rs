//! Lines that are typed, or piped in, while something else goes on.

use std::io::{self, BufRead as _};

use tokio::sync::mpsc;

/// Standard input, a line at a time. Nothing is read before the first line is wanted.
#[derive(Debug, Default)]
pub struct Keyboard {
    lines: Option<mpsc::Receiver<String>>,
}

impl Keyboard {
    /// The next line, without its end; `None` at the end of the input. Nothing is lost where the future is dropped.
    pub async fn line(&mut self) -> Option<String> {
        self.lines.get_or_insert_with(read).recv().await
    }
}

fn read() -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel(1);
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}
