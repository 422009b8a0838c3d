//! A line that is being typed: the words that go with a denial.

use countersign_proto::limits::NOTE_CHARS;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The words so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Note {
    before: Vec<char>,
    after: Vec<char>,
}

/// What a key did.
#[derive(Debug, PartialEq, Eq)]
pub enum Typed {
    /// The person goes on typing.
    On,
    /// They are done; the words, of which there is at least one.
    Done(String),
    /// They gave it up.
    GivenUp,
}

impl Note {
    /// Takes a key.
    pub fn key(&mut self, key: KeyEvent) -> Typed {
        if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            if key.code == KeyCode::Char('u') {
                self.before.clear();
            }
            return Typed::On;
        }
        match key.code {
            KeyCode::Esc => return Typed::GivenUp,
            KeyCode::Enter => {
                let text = self.text().trim().to_owned();
                return if text.is_empty() { Typed::On } else { Typed::Done(text) };
            }
            KeyCode::Char(c) => self.insert(c),
            KeyCode::Backspace => drop(self.before.pop()),
            KeyCode::Delete => drop(self.after.pop()),
            KeyCode::Left => self.after.extend(self.before.pop()),
            KeyCode::Right => self.before.extend(self.after.pop()),
            KeyCode::Home => self.after.extend(self.before.drain(..).rev()),
            KeyCode::End => self.before.extend(self.after.drain(..).rev()),
            _ => {}
        }
        Typed::On
    }

    /// Takes text that was pasted, as one line.
    pub fn paste(&mut self, text: &str) {
        text.chars().for_each(|c| self.insert(if c.is_control() { ' ' } else { c }));
    }

    /// The words.
    pub fn text(&self) -> String {
        self.before.iter().chain(self.after.iter().rev()).collect()
    }

    /// What stands before the cursor.
    pub fn before(&self) -> String {
        self.before.iter().collect()
    }

    fn insert(&mut self, c: char) {
        if self.before.len() + self.after.len() < NOTE_CHARS {
            self.before.push(c);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(note: &mut Note, code: KeyCode) -> Typed {
        note.key(KeyEvent::new(code, KeyModifiers::NONE))
    }

    #[test]
    fn words_are_typed_and_mended_in_the_middle() {
        let mut note = Note::default();
        note.paste("not\nthat");
        for code in [KeyCode::Home, KeyCode::Right, KeyCode::Delete, KeyCode::Char('0'), KeyCode::End] {
            assert_eq!(press(&mut note, code), Typed::On);
        }
        press(&mut note, KeyCode::Left);
        press(&mut note, KeyCode::Backspace);
        assert_eq!((note.text().as_str(), note.before().as_str()), ("n0t tht", "n0t th"));
        assert_eq!(press(&mut note, KeyCode::Enter), Typed::Done("n0t tht".into()));
    }

    #[test]
    fn an_empty_note_is_never_done_and_escape_gives_it_up() {
        let mut note = Note::default();
        press(&mut note, KeyCode::Char(' '));
        assert_eq!(press(&mut note, KeyCode::Enter), Typed::On);
        assert_eq!(press(&mut note, KeyCode::Esc), Typed::GivenUp);
    }

    #[test]
    fn a_note_never_grows_beyond_what_the_daemon_takes() {
        let mut note = Note::default();
        note.paste(&"x".repeat(NOTE_CHARS + 5));
        assert_eq!(note.text().chars().count(), NOTE_CHARS);
    }
}
