//! A card as rows of a given width: all of it, nothing cut. A row that goes on the one before is marked, so that it
//! can't pass for a line of its own. Every text is escaped here once more, and its secrets are folded to what they are and
//! how long, until the person unfolds them (CARD-2).

use countersign_daemon::card::change;
use countersign_ipc::control::{Block, Card, Decision, DiffLine, Sign};
use countersign_proto::text::{Part, Shown};
use ratatui::{
    style::Style,
    text::{Line, Span},
};

use super::palette::Palette;
use crate::cards::{level, who};

/// What stands before a row that goes on the one before.
const GOES_ON: &str = "↳ ";
const INDENT: &str = "  ";
/// Said of a card that destroys something.
const DESTRUCTIVE: &str = "DESTRUCTIVE: what this takes away may not come back.";
/// Said of a session that is marked (TAINT-1).
const TAINTED: &str =
    "This session has read content from outside: what it asks for may be someone else's idea.";
/// Columns between two stops of a tab.
const TAB: usize = 4;

/// Whether the call destroys something (CARD-4).
pub fn is_destructive(card: &Card) -> bool {
    card.class == "destructive"
}

/// Whether the card may become an *Always* of its session.
pub fn offers_session(card: &Card) -> bool {
    card.replies.contains(&Decision::AlwaysSession)
}

/// Whether the card may become an *Always* of its project.
pub fn offers_project(card: &Card) -> bool {
    card.replies.contains(&Decision::AlwaysProject)
}

/// A card's rows.
#[derive(Debug, Default)]
pub struct Rows {
    /// The rows.
    pub lines: Vec<Line<'static>>,
    /// Those that hold a secret, or a part of one.
    pub secrets: Vec<usize>,
}

/// A card's rows, its secrets folded or not.
pub fn rows(card: &Card, width: u16, palette: Palette, is_unfolded: bool) -> Rows {
    let width = usize::from(width).saturating_sub(INDENT.len());
    let mut page = Page { rows: Rows::default(), width, palette, is_unfolded };
    page.text("", &card.headline, palette.level(card.level).patch(palette.strong()));
    if is_destructive(card) {
        page.text("! ", DESTRUCTIVE, palette.orange());
    }
    if card.taint {
        page.text("! ", TAINTED, palette.alarm());
    }
    for warning in &card.warnings {
        page.text("! ", warning, palette.alarm());
    }
    for block in &card.blocks {
        page.gap();
        page.block(block);
    }
    page.gap();
    page.facts(card);
    page.always(card);
    if let Some(words) = &card.words {
        page.gap();
        page.text("", "the agent says:", palette.faint());
        page.text(INDENT, words, palette.faint());
    }
    page.rows
}

struct Page {
    rows: Rows,
    width: usize,
    palette: Palette,
    is_unfolded: bool,
}

impl Page {
    fn block(&mut self, block: &Block) {
        let (strong, plain) = (self.palette.strong(), Style::new());
        match block {
            Block::Command { text } => self.text(INDENT, text, strong),
            Block::Diff { path, new_file, added, removed, lines } => {
                let new = if *new_file { ", a new file" } else { "" };
                let (path, counts) = (Shown::line(path), format!(" (+{added} −{removed}{new})"));
                let mut parts = path.parts();
                // Our own sign is no imitation.
                parts.push(Part::Text(&counts));
                self.line("", &parts, strong);
                self.change(lines);
            }
            Block::File { path } => self.text(INDENT, path, strong),
            Block::Url { url } => self.text(INDENT, url, strong),
            Block::Text { label, text } => {
                self.text("", &format!("{label}:"), self.palette.faint());
                self.text(INDENT, text, plain);
            }
        }
    }

    /// The lines as one text, since a secret may go over several; its sign stands in front of each.
    fn change(&mut self, lines: &[DiffLine]) {
        let shown = Shown::change(&change(lines));
        for mut row in shown.rows() {
            let sign = match row.first_mut() {
                Some(Part::Text(text)) => {
                    let (sign, rest) = text.split_at_checked(1).unwrap_or(("", text));
                    *text = rest;
                    sign
                }
                Some(Part::Secret(_)) | None => "",
            };
            let (gutter, style) = match sign {
                "+" => ("+ ", self.palette.sign(Sign::Added)),
                "-" => ("- ", self.palette.sign(Sign::Removed)),
                _ => (INDENT, self.palette.sign(Sign::Same)),
            };
            self.line(gutter, &row, style);
        }
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
        let colour =
            if is_destructive(card) { self.palette.orange() } else { self.palette.level(card.level) };
        self.text("", &class, colour);
    }

    /// What an *Always* would match, to the letter, and the keys that say so.
    fn always(&mut self, card: &Card) {
        let keys = match (offers_session(card), offers_project(card)) {
            (true, true) => "s: always in this session   p: always in this project",
            (true, false) => "s: always in this session",
            (false, true) => "p: always in this project",
            (false, false) => return,
        };
        let Some(text) = &card.always else { return };
        self.gap();
        self.text("", "Always matches exactly:", self.palette.faint());
        self.text(INDENT, text, self.palette.strong());
        self.text("", keys, self.palette.faint());
    }

    fn gap(&mut self) {
        self.rows.lines.push(Line::default());
    }

    fn text(&mut self, gutter: &str, text: &str, style: Style) {
        Shown::lines(text).rows().iter().for_each(|row| self.line(gutter, row, style));
    }

    fn line(&mut self, gutter: &str, parts: &[Part<'_>], style: Style) {
        let secret = self.palette.alarm();
        let mut wrap = Wrap::new(self.width);
        for part in parts {
            match part {
                Part::Text(text) => wrap.push(text, style, false),
                Part::Secret(folded) if self.is_unfolded => wrap.push(folded.unfolded(), secret, true),
                Part::Secret(folded) => wrap.push(&folded.to_string(), secret, true),
            }
        }
        for (at, row) in wrap.rows.into_iter().enumerate() {
            if row.has_secret {
                self.rows.secrets.push(self.rows.lines.len());
            }
            let gutter = match (at, gutter.is_empty()) {
                (0, _) => format!("{gutter:<2}"),
                (_, _) => GOES_ON.to_owned(),
            };
            let pieces = row.pieces.into_iter().map(|(text, style)| Span::styled(text, style));
            let line = Line::from_iter(std::iter::once(Span::styled(gutter, style)).chain(pieces));
            self.rows.lines.push(line);
        }
    }
}

/// A line in rows that fit; at least one. Tabs become blanks behind a mark, since a screen would swallow them.
struct Wrap {
    rows: Vec<Row>,
    width: usize,
    in_row: usize,
    in_line: usize,
}

#[derive(Debug, Default)]
struct Row {
    pieces: Vec<(String, Style)>,
    has_secret: bool,
}

impl Wrap {
    fn new(width: usize) -> Self {
        Self { rows: vec![Row::default()], width, in_row: 0, in_line: 0 }
    }

    fn push(&mut self, text: &str, style: Style, is_secret: bool) {
        for (at, part) in text.split('\t').enumerate() {
            if at > 0 {
                let blanks = TAB - 1 - self.in_line % TAB;
                self.put("→", 1, style, is_secret);
                (0..blanks).for_each(|_| self.put(" ", 1, style, is_secret));
            }
            for piece in Span::raw(part).styled_graphemes(Style::new()) {
                self.put(piece.symbol, Span::raw(piece.symbol).width(), style, is_secret);
            }
        }
    }

    fn put(&mut self, piece: &str, cells: usize, style: Style, is_secret: bool) {
        if self.in_row > 0 && self.in_row + cells > self.width {
            self.rows.push(Row::default());
            self.in_row = 0;
        }
        if let Some(row) = self.rows.last_mut() {
            row.has_secret |= is_secret;
            match row.pieces.last_mut() {
                Some((text, of)) if *of == style => text.push_str(piece),
                _ => row.pieces.push((piece.to_owned(), style)),
            }
        }
        self.in_row += cells;
        self.in_line += cells;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{output::Terminal, samples};

    const KEY: &str = "-----BEGIN PRIVATE KEY-----";

    fn plain(card: &Card, width: u16) -> Vec<String> {
        let palette =
            Palette::of(Terminal { size: None, is_smart: true, is_unicode: true, is_coloured: false });
        rows(card, width, palette, false).lines.iter().map(ToString::to_string).collect()
    }

    fn unfolded(card: &Card, width: u16) -> (Vec<String>, Vec<usize>) {
        let palette =
            Palette::of(Terminal { size: None, is_smart: true, is_unicode: true, is_coloured: false });
        let rows = rows(card, width, palette, true);
        (rows.lines.iter().map(ToString::to_string).collect(), rows.secrets)
    }

    fn wrapped(line: &str, width: usize) -> Vec<String> {
        let mut wrap = Wrap::new(width);
        wrap.push(line, Style::new(), false);
        wrap.rows.into_iter().map(|row| row.pieces.into_iter().map(|(text, _)| text).collect()).collect()
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

    #[test]
    fn a_secret_is_folded_to_what_it_is_and_how_long_and_unfolded_it_is_all_there() {
        let card = samples::card("ab", "PGPASSWORD=hunter2 psql -h db");
        let folded = plain(&card, 60);
        assert!(
            folded.contains(&"  PGPASSWORD=⟨password, 7 characters⟩ psql -h db".to_owned()),
            "{folded:?}"
        );
        assert!(!folded.concat().contains("hunter2"));
        let (rows, secrets) = unfolded(&card, 60);
        let at = rows.iter().position(|row| row == "  PGPASSWORD=hunter2 psql -h db").unwrap();
        assert_eq!(secrets, [at]);
    }

    #[test]
    fn a_key_over_several_lines_of_a_change_is_folded_line_by_line_and_signs_and_counts_stay() {
        let mut card = samples::card("ab", "");
        let line = |sign, text: &str| DiffLine { sign, text: text.into() };
        let mut lines = vec![
            line(Sign::Removed, "-"),
            line(Sign::Added, KEY),
            line(Sign::Added, "MIIEvQIBADANBg"),
            line(Sign::Added, "-----END PRIVATE KEY-----"),
        ];
        lines.extend((0..300).map(|_| line(Sign::Added, "")));
        lines.push(line(Sign::Same, "end"));
        card.blocks =
            vec![Block::Diff { path: "/w/a".into(), new_file: false, added: 303, removed: 1, lines }];
        let rows = plain(&card, 60);
        let at = rows.iter().position(|row| row.contains("/w/a (+303 −1)")).unwrap();
        assert_eq!(
            rows[at + 1..at + 7],
            [
                "- -",
                "+ ⟨private key, 27 characters⟩",
                "+ ⟨private key, 14 characters⟩",
                "+ ⟨private key, 25 characters⟩",
                "+ ⟨300 blank lines⟩",
                "  end"
            ]
        );
        let (rows, secrets) = unfolded(&card, 20);
        assert!(rows.contains(&"+ MIIEvQIBADANBg".to_owned()));
        assert_eq!(secrets.len(), 5, "two of its lines are wrapped");
    }
}
