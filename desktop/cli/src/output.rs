//! Standard output and standard error, and what kind of terminal they are.

use std::io::{self, IsTerminal as _, Write as _};

use serde::Serialize;

use crate::trouble::{Trouble, Words};

/// Prints text as it is, at once.
pub fn print(text: &str) -> Result<(), Trouble> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Trouble::Output)
}

/// Prints a value as JSON on a line of its own.
pub fn print_json<T: Serialize>(value: &T) -> Result<(), Trouble> {
    let line = serde_json::to_string(value).map_err(|error| Trouble::Output(error.into()))?;
    print(&format!("{line}\n"))
}

/// Says what went wrong, on standard error.
pub fn complain(words: &Words) {
    let hint = if words.hint.is_empty() { String::new() } else { format!("\n{}", words.hint) };
    // Where even that fails there is nobody left to tell.
    let _ = writeln!(io::stderr().lock(), "{}{hint}", words.text);
}

/// What standard output can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terminal {
    /// Columns and rows; absent where it is no terminal.
    pub size: Option<(u16, u16)>,
    /// Whether it takes escape sequences.
    pub is_smart: bool,
    /// Whether it takes characters beyond ASCII.
    pub is_unicode: bool,
    /// Whether text should be coloured.
    pub is_coloured: bool,
}

impl Terminal {
    /// The one that standard output is.
    pub fn of_stdout() -> Self {
        let stdout = io::stdout();
        let is_terminal = stdout.is_terminal();
        let size = is_terminal
            .then(|| rustix::termios::tcgetwinsize(&stdout).ok())
            .flatten()
            .map(|size| (size.ws_col, size.ws_row))
            .filter(|(columns, rows)| *columns > 0 && *rows > 0);
        Self::of(is_terminal, size, |name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    }

    fn of(is_terminal: bool, size: Option<(u16, u16)>, variable: impl Fn(&str) -> Option<String>) -> Self {
        let is_smart = is_terminal && !matches!(variable("TERM").as_deref(), None | Some("dumb"));
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| variable(name));
        let is_unicode = locale.is_none_or(|locale| {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        });
        Self { size, is_smart, is_unicode, is_coloured: is_smart && variable("NO_COLOR").is_none() }
    }
}

/// Whether a person can be asked: both ends of the conversation are a terminal.
pub fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Terminal {
        Terminal::of(true, Some((80, 24)), |name| {
            variables.iter().find(|(of, _)| *of == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_dumb_terminal_gets_no_escape_sequence_and_no_color_no_colour() {
        let dumb = of(&[("TERM", "dumb")]);
        assert!(!dumb.is_smart && !dumb.is_coloured);
        assert!(!of(&[]).is_smart);
        let plain = of(&[("TERM", "xterm"), ("NO_COLOR", "1")]);
        assert!(plain.is_smart && !plain.is_coloured);
        assert!(of(&[("TERM", "xterm")]).is_coloured);
        assert!(!Terminal::of(false, None, |_| Some("xterm".into())).is_smart);
    }

    #[test]
    fn the_first_locale_variable_that_is_set_tells_the_characters() {
        assert!(of(&[("LC_ALL", "de_DE.UTF-8"), ("LANG", "C")]).is_unicode);
        assert!(!of(&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")]).is_unicode);
        assert!(of(&[("LANG", "C.utf8")]).is_unicode && of(&[]).is_unicode);
    }
}
