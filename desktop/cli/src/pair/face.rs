//! What a person sees of a pairing.

use countersign_ipc::control::{PairEvent, PhoneInfo};

use super::qr::{self, NotDrawn};
use crate::{
    moment,
    output::{self, Terminal},
    trouble::Trouble,
};

/// Goes back to the start of the line and empties it.
const ANEW: &str = "\r\x1b[2K";

/// Where a pairing is shown, and how.
#[derive(Debug)]
pub struct Face {
    is_json: bool,
    terminal: Terminal,
    is_counting: bool,
}

impl Face {
    pub fn new(is_json: bool, terminal: Terminal) -> Self {
        Self { is_json, terminal, is_counting: false }
    }

    /// Shows a step; a failure is told as every command's is.
    pub fn show(&mut self, event: &PairEvent) -> Result<(), Trouble> {
        if self.is_json && matches!(event, PairEvent::Failed { .. }) {
            return Ok(());
        }
        if self.is_json {
            return output::print_json(event);
        }
        let anew = if std::mem::take(&mut self.is_counting) { ANEW } else { "" };
        output::print(&format!("{anew}{}", words(event, self.terminal)))
    }

    /// Shows how long the ticket is still good for, where that can be done in place.
    pub fn count_down(&mut self, left_ms: u64) -> Result<(), Trouble> {
        if self.is_json || !self.terminal.is_smart {
            return Ok(());
        }
        self.is_counting = true;
        output::print(&format!("{ANEW}Good for {}.", moment::left(left_ms)))
    }

    /// Says a word outside the steps.
    pub fn say(&self, words: &str) -> Result<(), Trouble> {
        if self.is_json { Ok(()) } else { output::print(words) }
    }

    /// Whether somebody can be offered another try.
    pub fn can_ask(&self) -> bool {
        !self.is_json && output::is_interactive()
    }
}

fn words(event: &PairEvent, terminal: Terminal) -> String {
    match event {
        PairEvent::Ticket { text, expires_in_ms } => ticket(text, *expires_in_ms, terminal),
        PairEvent::Scanned {} => "A phone scanned the code.\n".to_owned(),
        PairEvent::PhoneInfo(phone) => phone_info(phone),
        PairEvent::CodeNeeded { expires_in_ms, tries_left } => format!(
            "The phone shows six digits. Type them here ({}, {}): ",
            moment::left(*expires_in_ms),
            tries(*tries_left)
        ),
        PairEvent::WrongCode { tries_left } => {
            format!("The phone shows other digits; {} left.\n", tries(*tries_left))
        }
        PairEvent::Done { phone, words, round_trip_ms, trouble } => {
            let test = match round_trip_ms {
                Some(ms) => format!("A test request went there and back in {ms} ms."),
                None => format!("The test request did not come back: {trouble}"),
            };
            format!("Paired with {} ({words}).\n{test}\n", phone.name)
        }
        PairEvent::Failed { .. } => String::new(),
    }
}

fn ticket(text: &str, expires_in_ms: u64, terminal: Terminal) -> String {
    let picture = match terminal.size {
        Some(size) if terminal.is_smart && terminal.is_unicode => match qr::draw(text, size) {
            Ok(code) => format!("\n{code}"),
            Err(NotDrawn::TooSmall { columns, rows }) => format!(
                "The code to scan needs a window of {columns} × {rows}; this one is {} × {}. Paste the text, or make \
                 the window larger and start again.\n",
                size.0, size.1
            ),
            Err(NotDrawn::TooLong) => "It is too long for a code to scan: paste the text.\n".to_owned(),
        },
        _ => "No code to scan can be drawn here: paste the text, or use --png FILE.\n".to_owned(),
    };
    let time = if terminal.is_smart {
        String::new()
    } else {
        format!("Good for {}.\n", moment::left(expires_in_ms))
    };
    format!(
        "Scan the code with the phone, or paste this text into it. It is a secret: whoever has it can try to pair.\n\n\
         {text}\n{picture}{time}"
    )
}

fn phone_info(phone: &PhoneInfo) -> String {
    format!(
        "  phone        {}\n  model        {}\n  fingerprint  {}\n  keys         {}\n",
        phone.name, phone.model, phone.fingerprint, phone.security
    )
}

fn tries(left: u32) -> String {
    if left == 1 { "1 try".to_owned() } else { format!("{left} tries") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Terminal =
        Terminal { size: Some((80, 24)), is_smart: true, is_unicode: true, is_coloured: true };

    fn shown(terminal: Terminal) -> String {
        let text = format!("CSGN1:{}", "A".repeat(105));
        let shown = words(&PairEvent::Ticket { text: text.clone(), expires_in_ms: 120_000 }, terminal);
        assert!(shown.lines().any(|line| line == text), "the text stands on a line of its own");
        shown
    }

    #[test]
    fn the_code_keeps_its_fixed_colours_where_text_is_not_coloured() {
        let plain = Terminal { is_coloured: false, ..WINDOW };
        assert_eq!(shown(plain), shown(WINDOW));
        assert!(shown(plain).contains('█'));
    }

    #[test]
    fn without_a_window_that_can_draw_there_is_the_text_alone() {
        for terminal in [
            Terminal { size: None, is_smart: false, ..WINDOW },
            Terminal { is_smart: false, ..WINDOW },
            Terminal { is_unicode: false, ..WINDOW },
        ] {
            let text = shown(terminal);
            assert!(!text.contains(['█', '\x1b']) && text.contains("--png"), "{text}");
        }
        let text = shown(Terminal { size: Some((30, 24)), ..WINDOW });
        assert!(text.contains("needs a window of ") && text.contains("this one is 30 × 24"), "{text}");
    }

    #[test]
    fn a_phone_is_shown_with_how_its_keys_are_kept() {
        let phone = PhoneInfo {
            name: "demo phone".into(),
            model: "demo".into(),
            fingerprint: "12 34".into(),
            security: "software keys (demo)".into(),
        };
        let text = words(&PairEvent::PhoneInfo(phone), WINDOW);
        assert!(
            text.contains("fingerprint  12 34\n") && text.contains("keys         software keys (demo)"),
            "{text}"
        );
    }
}
