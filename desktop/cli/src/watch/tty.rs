//! The terminal as a screen: taken over while `watch` runs and given back however that ends.

use std::io::{self, Write as _, stdout};

use countersign_daemon::clock::boot_ms;
use ratatui::{
    DefaultTerminal,
    crossterm::{
        event::{self, DisableBracketedPaste, EnableBracketedPaste, Event, KeyEventKind},
        execute,
    },
};
use tokio::sync::mpsc;

use super::{
    draw::{Drawing, draw},
    palette::Palette,
    screen::{Happening, Screen},
};
use crate::trouble::Trouble;

/// The terminal, as long as it is ours.
#[derive(Debug)]
pub struct Tty {
    terminal: DefaultTerminal,
    palette: Palette,
}

impl Tty {
    /// Takes the terminal over. Text that is pasted comes as such, so that it never presses a key.
    pub fn open(palette: Palette) -> io::Result<Self> {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let _ = execute!(stdout(), DisableBracketedPaste);
            hook(panic);
        }));
        let this = Self { terminal: ratatui::try_init()?, palette };
        execute!(stdout(), EnableBracketedPaste)?;
        Ok(this)
    }

    /// Draws, and says what is on the screen now.
    pub fn draw(&mut self, screen: &Screen, boot_ms: u64) -> io::Result<Drawing> {
        let (palette, mut drawing) = (self.palette, Drawing::default());
        self.terminal.draw(|frame| drawing = draw(frame, screen, palette, boot_ms))?;
        Ok(drawing)
    }

    /// Rings the terminal's bell.
    pub fn ring(&mut self) -> io::Result<()> {
        let mut out = stdout();
        out.write_all(b"\x07").and_then(|()| out.flush())
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        let _ = execute!(stdout(), DisableBracketedPaste);
        let _ = ratatui::try_restore();
    }
}

/// Passes keys on, each with the time at which it was read, until the terminal is gone.
pub fn listen(happens: mpsc::Sender<Happening>) {
    std::thread::spawn(move || {
        loop {
            let happening = match event::read() {
                Ok(Event::Key(key)) if key.kind != KeyEventKind::Release => {
                    Happening::Key { key, at_boot_ms: boot_ms() }
                }
                Ok(Event::Paste(text)) => Happening::Pasted(text),
                Ok(_) => Happening::Tick,
                Err(error) => Happening::Over(Trouble::System(error)),
            };
            let is_over = matches!(happening, Happening::Over(_));
            if happens.blocking_send(happening).is_err() || is_over {
                return;
            }
        }
    });
}
