//! Claude Code's own note of what each session does. Undocumented, so it only ever withdraws a card: a session that
//! waited and is busy again was answered in its terminal.

use std::path::{Path, PathBuf};

use crate::{
    json::Members,
    note::{Doing, SessionNote},
};

/// The note of a session.
pub(super) const NOTE: SessionNote = SessionNote { file: session_file, read: read_session_file };

/// Where the note of the session of this process is; `home` is the agent user's.
fn session_file(home: &Path, claude_pid: u32) -> PathBuf {
    home.join(".claude/sessions").join(format!("{claude_pid}.json"))
}

/// Reads a note; `None` for anything that isn't clearly one of the two.
fn read_session_file(note: &[u8]) -> Option<Doing> {
    let note = Members::parse(std::str::from_utf8(note).ok()?).ok()?;
    let text = |name| note.text(name).ok().flatten();
    match text("status")?.as_str() {
        "busy" => Some(Doing::Busy),
        "waiting" if text("waitingFor")? == "permission prompt" => Some(Doing::Waiting),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_tells_waiting_from_busy_and_nothing_else() {
        let read = |text: &str| read_session_file(text.as_bytes());
        assert_eq!(
            read(r#"{"pid":7,"status":"waiting","waitingFor":"permission prompt"}"#),
            Some(Doing::Waiting)
        );
        assert_eq!(read(r#"{"pid":7,"status":"busy"}"#), Some(Doing::Busy));
        for other in [
            r#"{"status":"waiting"}"#,
            r#"{"status":"waiting","waitingFor":"a sandcastle"}"#,
            r#"{"status":"idle"}"#,
            r#"{"status":"busy","status":"waiting"}"#,
            r#"{"status":1}"#,
            r#"["busy"]"#,
            "",
            "{\"status\":\"bu",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
        assert_eq!(read_session_file(b"\xff"), None);
    }

    #[test]
    fn the_note_lies_beside_the_settings() {
        assert_eq!(session_file(Path::new("/home/dev"), 42), Path::new("/home/dev/.claude/sessions/42.json"));
    }
}
