//! Bodies of here-documents: the lines after the one that announced them, up to the delimiter alone on a line.

use super::{
    Scanner,
    frame::{Here, feed_all},
    scan_into,
};
use crate::classify::shell::part::Feed;

impl Scanner<'_> {
    /// Reads the bodies that the line just ended announced.
    pub(super) fn read_here_documents(&mut self) {
        for here in core::mem::take(&mut self.frame.here) {
            self.read_here_document(&here);
        }
    }

    fn read_here_document(&mut self, here: &Here) {
        let Some(delimiter) = &here.delimiter else {
            self.out.is_odd = true;
            return;
        };
        let delimiter: Vec<char> = delimiter.chars().collect();
        let mut body = Vec::new();
        let mut is_closed = false;
        while self.at < self.text.len() {
            let line = self.line();
            let line = if here.is_indented { without_tabs(line) } else { line };
            if line == delimiter.as_slice() {
                is_closed = true;
                break;
            }
            body.extend_from_slice(line);
            body.push('\n');
        }
        self.out.is_odd |= !is_closed;
        let is_expanded = !here.is_literal && body.iter().any(|c| matches!(c, '$' | '`' | '\\'));
        let text: String = body.iter().collect();
        let feed = if is_expanded { Feed::Expanded(text.into()) } else { Feed::Text(text.into()) };
        if let Some(readers) = &here.readers {
            feed_all(self.out, readers.clone(), &feed);
        }
        if is_expanded {
            scan_into(&body, self.frame.nest + 1, true, self.out);
        }
    }

    /// The next line, without its end.
    fn line(&mut self) -> &[char] {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|&c| c == '\n').unwrap_or(rest.len());
        self.at += length + 1;
        rest.get(..length).unwrap_or_default()
    }
}

fn without_tabs(line: &[char]) -> &[char] {
    let tabs = line.iter().position(|&c| c != '\t').unwrap_or(line.len());
    line.get(tabs..).unwrap_or_default()
}
