//! Colours, or what stands for them where none are wanted.

use countersign_ipc::control::{Level, Outcome, Sign};
use ratatui::style::{Color, Modifier, Style};

use crate::output::Terminal;

/// Whether there are colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    is_coloured: bool,
}

impl Palette {
    /// The one of a terminal.
    pub const fn of(terminal: Terminal) -> Self {
        Self { is_coloured: terminal.is_coloured }
    }

    /// Text that matters most.
    pub const fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// Text that matters less.
    pub const fn faint(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// A word that must not be missed.
    pub fn alarm(self) -> Style {
        self.coloured(Color::Red).add_modifier(Modifier::BOLD)
    }

    /// What destroys something.
    pub fn orange(self) -> Style {
        self.coloured(Color::Indexed(208)).add_modifier(Modifier::BOLD)
    }

    /// The bar at the top.
    pub const fn bar(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// How loud a card is.
    pub fn level(self, level: Level) -> Style {
        self.coloured(match level {
            Level::Green => Color::Green,
            Level::Yellow => Color::Yellow,
            Level::Red => Color::Red,
        })
    }

    /// A line of a change.
    pub fn sign(self, sign: Sign) -> Style {
        match sign {
            Sign::Same => Style::new(),
            Sign::Added => self.coloured(Color::Green),
            Sign::Removed => self.coloured(Color::Red),
        }
    }

    /// What happened.
    pub fn outcome(self, outcome: Outcome) -> Style {
        let style = match outcome {
            Outcome::Allowed => self.coloured(Color::Green),
            Outcome::Denied => self.coloured(Color::Red),
            Outcome::HandedOff
            | Outcome::Expired
            | Outcome::Withdrawn
            | Outcome::Cancelled
            | Outcome::Abstained => self.coloured(Color::Gray),
        };
        style.add_modifier(Modifier::BOLD)
    }

    /// A session's dot; the same session, the same colour.
    pub fn session(self, place: usize) -> Style {
        let colours = [Color::Cyan, Color::Magenta, Color::Blue, Color::Yellow, Color::Green];
        self.coloured(colours.into_iter().cycle().nth(place).unwrap_or(Color::Cyan))
    }

    const fn coloured(self, colour: Color) -> Style {
        if self.is_coloured { Style::new().fg(colour) } else { Style::new() }
    }
}
