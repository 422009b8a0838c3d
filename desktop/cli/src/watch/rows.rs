//! A card as rows of a given width: all of it, nothing cut. A row that goes on the one before is marked, so that it
//! can't pass for a line of its own.

use countersign_ipc::control::{Block, Card, DiffLine, Sign};
use ratatui::{
    style::Style,
    text::{Line, Span},
};

use super::palette::Palette;
use crate::cards::{level, who};

/// What stands before a row that goes on the one before.
const GOES_ON: &str = "↳ ";
const INDENT: &str = "  ";
/// Columns between two stops of a tab.
const TAB: usize = 4;

/// A card's rows.
pub fn rows(card: &Card, width: u16, palette: Palette) -> Vec<Line<'static>> {
    let mut page = Page { rows: Vec::new(), width: usize::from(width).saturating_sub(INDENT.len()), palette };
    page.text("", &card.headline, palette.level(card.level).patch(palette.strong()));
    for warning in &card.warnings {
        page.text("! ", warning, palette.alarm());
    }
    for block in &card.blocks {
        page.gap();
        page.block(block);
    }
    page.gap();
    page.facts(card);
    if let Some(words) = &card.words {
        page.gap();
        page.text("", "the agent says:", palette.faint());
        page.text(INDENT, words, palette.faint());
    }
    page.rows
}

struct Page {
    rows: Vec<Line<'static>>,
    width: usize,
    palette: Palette,
}

impl Page {
    fn block(&mut self, block: &Block) {
        let (strong, plain) = (self.palette.strong(), Style::new());
        match block {
            Block::Command { text } => self.text(INDENT, text, strong),
            Block::Diff { path, new_file, added, removed, lines } => {
                let new = if *new_file { ", a new file" } else { "" };
                self.text("", &format!("{path} (+{added} −{removed}{new})"), strong);
                lines.iter().for_each(|line| self.diff_line(line));
            }
            Block::File { path } => self.text(INDENT, path, strong),
            Block::Url { url } => self.text(INDENT, url, strong),
            Block::Text { label, text } => {
                self.text("", &format!("{label}:"), self.palette.faint());
                self.text(INDENT, text, plain);
            }
        }
    }

    fn diff_line(&mut self, line: &DiffLine) {
        let gutter = match line.sign {
            Sign::Same => INDENT,
            Sign::Added => "+ ",
            Sign::Removed => "- ",
        };
        self.text(gutter, &line.text, self.palette.sign(line.sign));
    }

    fn facts(&mut self, card: &Card) {
        let plain = Style::new();
        self.text("", &format!("{}.", card.why), plain);
        self.text("", &format!("folder   {}", card.folder), plain);
        if let Some(start) = &card.start_folder {
            self.text("", &format!("started  {start}"), plain);
        }
        self.text("", &format!("agent    {}", who(card)), plain);
        if let Some(subagent) = &card.subagent {
            self.text("", &format!("works for session {}", subagent.parent_session), plain);
        }
        self.text("", &format!("machine  {}", card.host), plain);
        self.text("", &format!("tool     {}, permission mode {}", card.tool, card.permission_mode), plain);
        let mut class = format!("class    {}, {}", card.class, level(card.level));
        card.reasons.iter().for_each(|reason| class.push_str(&format!("; {reason}")));
        self.text("", &class, plain);
    }

    fn gap(&mut self) {
        self.rows.push(Line::default());
    }

    fn text(&mut self, gutter: &str, text: &str, style: Style) {
        for line in text.split('\n') {
            for (at, row) in wrapped(line, self.width).into_iter().enumerate() {
                let gutter = match (at, gutter.is_empty()) {
                    (0, _) => format!("{gutter:<2}"),
                    (_, _) => GOES_ON.to_owned(),
                };
                self.rows.push(Line::from(vec![Span::styled(gutter, style), Span::styled(row, style)]));
            }
        }
    }
}

/// A line in pieces that fit; at least one. Tabs become blanks behind a mark, since a screen would swallow them.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    let mut wrap = Wrap { rows: vec![String::new()], width, in_row: 0, in_line: 0 };
    for (at, part) in line.split('\t').enumerate() {
        if at > 0 {
            let blanks = TAB - 1 - wrap.in_line % TAB;
            wrap.push("→", 1);
            (0..blanks).for_each(|_| wrap.push(" ", 1));
        }
        for piece in Span::raw(part).styled_graphemes(Style::new()) {
            wrap.push(piece.symbol, Span::raw(piece.symbol).width());
        }
    }
    wrap.rows
}

struct Wrap {
    rows: Vec<String>,
    width: usize,
    in_row: usize,
    in_line: usize,
}

impl Wrap {
    fn push(&mut self, piece: &str, cells: usize) {
        if self.in_row > 0 && self.in_row + cells > self.width {
            self.rows.push(String::new());
            self.in_row = 0;
        }
        if let Some(row) = self.rows.last_mut() {
            row.push_str(piece);
        }
        self.in_row += cells;
        self.in_line += cells;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{output::Terminal, samples};

    fn plain(card: &Card, width: u16) -> Vec<String> {
        let palette =
            Palette::of(Terminal { size: None, is_smart: true, is_unicode: true, is_coloured: false });
        rows(card, width, palette).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_character_of_a_long_command_is_in_the_rows_and_wrapped_ones_are_marked() {
        let command = format!("echo {}\nrm -rf build", "x".repeat(100));
        let rows = plain(&samples::card("ab", &command), 40);
        let first = rows.iter().position(|row| row.starts_with("  echo")).unwrap();
        assert!(rows[first + 1].starts_with("↳ xxx") && rows[first + 2].starts_with("↳ xxx"), "{rows:?}");
        assert_eq!(rows[first + 3], "  rm -rf build", "a line of its own is not marked");
        let all: String =
            rows[first..first + 3].iter().map(|row| row.chars().skip(2).collect::<String>()).collect();
        assert_eq!(all, command.lines().next().unwrap());
        assert!(rows.iter().all(|row| Span::raw(row).width() <= 40));
    }

    #[test]
    fn wide_characters_never_stick_out_and_none_is_lost() {
        let rows = wrapped(&"字e\u{301}".repeat(9), 5);
        assert!(rows.iter().all(|row| Span::raw(row).width() <= 5), "{rows:?}");
        assert_eq!(rows.concat(), "字e\u{301}".repeat(9));
    }

    #[test]
    fn the_agents_own_words_stand_under_their_label() {
        let rows = plain(&samples::card("ab", "true"), 60);
        let label = rows.iter().position(|row| row.trim() == "the agent says:").unwrap();
        assert_eq!(rows[label + 1], "  Cleans up");
        assert_eq!(
            rows.len(),
            label + 2,
            "nothing of ours follows, that could pass for theirs or theirs for ours"
        );
    }

    #[test]
    fn a_change_shows_every_line_with_its_sign() {
        let mut card = samples::card("ab", "");
        let line = |sign, text: &str| DiffLine { sign, text: text.into() };
        card.blocks = vec![Block::Diff {
            path: "/w/a.rs".into(),
            new_file: false,
            added: 1,
            removed: 1,
            lines: vec![line(Sign::Same, "a"), line(Sign::Removed, "\tb"), line(Sign::Added, "-c")],
        }];
        let rows = plain(&card, 60);
        let at = rows.iter().position(|row| row.contains("/w/a.rs (+1 −1)")).unwrap();
        assert_eq!(rows[at + 1..at + 4], ["  a", "- →   b", "+ -c"]);
    }
}
