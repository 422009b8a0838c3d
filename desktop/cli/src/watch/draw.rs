//! Draws the screen, and says which card it drew and how much of it: only that counts as seen.

use countersign_ipc::control::{Card, RelayState, Status};
use countersign_proto::text::Shown;
use ratatui::{
    Frame,
    layout::{Constraint, Layout, Rect},
    text::{Line, Span, Text},
    widgets::{Block, Borders, Paragraph, Wrap},
};

use super::{
    note::Note,
    palette::Palette,
    rows::{is_destructive, offers_project, offers_session, rows},
    screen::{COUNTDOWN_MS, Front, Line as Way, Mode, Screen, Step, Waiting},
};
use crate::moment;

/// The smallest window in which a card can be judged.
const SMALLEST: (u16, u16) = (40, 12);
/// Other waiting cards that are listed at once.
const LISTED: usize = 6;

pub(super) const KEYS: &str = "d deny  n note  t terminal  ? help  q leave";
const HELP: &str = "\
a          allow this call, once; the card must have been in front for half a second and seen to its end
s          always in this session: allow it, and from now on exactly the same call there
p          always in this project: the same, in every session that starts in its folder
u          unfold its secrets, or fold them; a card that has some is allowed only after they were read
d          deny it
n          deny it with a note that the agent reads
t          hand it back: the agent asks in its own terminal
Tab ← →    the other waiting cards
↑ ↓ PgUp PgDn Home End   the rest of this card
L          lock: deny everything that waits, and allow nothing
U          unlock
q          leave; waiting cards go on waiting

A key answers the card that is on the screen, and no other. Any key goes back.";

/// What was drawn.
#[derive(Debug, Default)]
pub struct Drawing {
    /// The card in front, where there is one.
    pub card: Option<DrawnCard>,
}

/// A card as it was drawn.
#[derive(Debug)]
pub struct DrawnCard {
    /// Its request.
    pub request_id: String,
    /// Its binding.
    pub binding: String,
    /// Rows of it above the window.
    pub scroll: usize,
    /// Rows of it in the window.
    pub page: usize,
    /// All its rows.
    pub rows: usize,
    /// Its width.
    pub width: u16,
    /// The rows that hold secrets.
    pub secrets: Vec<usize>,
    /// Whether those are unfolded.
    pub is_unfolded: bool,
}

/// Draws the screen.
pub fn draw(frame: &mut Frame<'_>, screen: &Screen, palette: Palette, now: u64) -> Drawing {
    let area = frame.area();
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        let text = format!("This window is too small: {} × {} are needed.", SMALLEST.0, SMALLEST.1);
        frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: false }), area);
        return Drawing::default();
    }
    let listed = if screen.waiting.len() > 1 { screen.waiting.len().min(LISTED) } else { 0 };
    let list_height = u16::try_from(listed).unwrap_or_default();
    let rows = [1, list_height].map(Constraint::Length);
    let below = [Constraint::Min(3), Constraint::Length(1), Constraint::Length(1)];
    let [bar, list, body, message, keys] = Layout::vertical(rows.into_iter().chain(below)).areas(area);
    frame.render_widget(bar_line(screen, palette), bar);
    frame.render_widget(list_text(screen, palette, listed, now), list);
    let drawing = draw_body(frame, screen, palette, now, body);
    draw_message(frame, screen, palette, message);
    frame.render_widget(keys_line(screen, palette, now), keys);
    drawing
}

fn bar_line(screen: &Screen, palette: Palette) -> Paragraph<'static> {
    let text = match &screen.line {
        Way::Connecting => " Countersign".to_owned(),
        Way::Away(_) => " Countersign is not running".to_owned(),
        Way::Live(status) => bar_text(status),
    };
    Paragraph::new(text).style(palette.bar())
}

fn bar_text(status: &Status) -> String {
    let demo = if status.demo { "  DEMO: software keys count" } else { "" };
    let locked = if status.locked { "  LOCKED: everything is denied" } else { "" };
    let paused = if status.paused { "  PAUSED: agents ask in their terminals" } else { "" };
    let phones = match status.phones {
        0 => "no phone paired".to_owned(),
        phones => format!("phones {} of {phones} online", status.phones_connected),
    };
    let relay = match &status.relay {
        RelayState::Connecting { trouble, .. } if !trouble.is_empty() => "  relay away",
        RelayState::Off {} | RelayState::Connecting { .. } | RelayState::Connected { .. } => "",
    };
    format!(" Countersign{demo}{locked}{paused}  {phones}{relay}")
}

/// The waiting cards, a line each, those around the one in front where there are many.
fn list_text(screen: &Screen, palette: Palette, listed: usize, now: u64) -> Paragraph<'static> {
    let in_front = screen.front.as_ref().and_then(Front::waiting_for);
    let is_front = |waiting: &Waiting| Some(waiting.card.request_id.as_str()) == in_front;
    let at = screen.waiting.iter().position(is_front).unwrap_or_default();
    let first = at.saturating_sub(listed / 2).min(screen.waiting.len().saturating_sub(listed));
    let lines = screen.waiting.iter().skip(first).take(listed).map(|waiting| {
        let mark = if is_front(waiting) { "▶ " } else { "  " };
        let style = if is_front(waiting) { palette.strong() } else { palette.faint() };
        let dot = Span::styled("● ", palette.session(session_place(screen, waiting)));
        // Printed, a shown text has no secrets.
        let (headline, folder) = (Shown::line(&waiting.card.headline), Shown::line(&waiting.card.folder));
        let text = format!("{headline}  {folder}{}", time_left(waiting, now));
        Line::from(vec![Span::raw(mark), dot, Span::styled(text, style)])
    });
    Paragraph::new(lines.collect::<Vec<_>>())
}

/// A session's place among those that wait.
fn session_place(screen: &Screen, of: &Waiting) -> usize {
    let mut sessions: Vec<&str> = Vec::new();
    for waiting in &screen.waiting {
        if !sessions.contains(&waiting.card.session.id.as_str()) {
            sessions.push(&waiting.card.session.id);
        }
    }
    sessions.iter().position(|session| *session == of.card.session.id).unwrap_or_default()
}

fn time_left(waiting: &Waiting, now: u64) -> String {
    let left = waiting.left_ms(now);
    if left > COUNTDOWN_MS { String::new() } else { format!("  goes back in {}", moment::left(left)) }
}

fn draw_body(frame: &mut Frame<'_>, screen: &Screen, palette: Palette, now: u64, area: Rect) -> Drawing {
    if screen.mode == Mode::Help {
        let help = Paragraph::new(HELP).wrap(Wrap { trim: false });
        frame.render_widget(help.block(Block::new().borders(Borders::ALL).title(" Keys ")), area);
        return Drawing::default();
    }
    match &screen.front {
        Some(Front::Card { request_id, .. } | Front::Answered { request_id }) => {
            let Some(waiting) = screen.waiting(request_id) else { return Drawing::default() };
            Drawing { card: Some(draw_card(frame, screen, waiting, palette, now, area)) }
        }
        Some(Front::Ended { ending, headline, .. }) => {
            let text = vec![
                Line::default(),
                Line::styled(ending.text.clone(), palette.outcome(ending.outcome)),
                Line::styled(headline.clone(), palette.faint()),
            ];
            frame.render_widget(
                Paragraph::new(text).centered().block(Block::new().borders(Borders::ALL)),
                area,
            );
            Drawing::default()
        }
        None => {
            frame.render_widget(Paragraph::new(rest(screen, palette)).wrap(Wrap { trim: false }), area);
            Drawing::default()
        }
    }
}

fn draw_card(
    frame: &mut Frame<'_>,
    screen: &Screen,
    waiting: &Waiting,
    palette: Palette,
    now: u64,
    area: Rect,
) -> DrawnCard {
    let card = &waiting.card;
    let block = Block::new().borders(Borders::ALL).border_style(palette.level(card.level));
    let inner = block.inner(area);
    let rows = rows(card, inner.width, palette, waiting.is_unfolded);
    let (count, page) = (rows.lines.len(), usize::from(inner.height));
    let scroll = waiting.scroll.min(count.saturating_sub(page));
    let below = count.saturating_sub(scroll + page);
    let at =
        screen.waiting.iter().position(|other| other.card.request_id == card.request_id).unwrap_or_default();
    let mut block = block.title_top(format!(" {} of {} ", at + 1, screen.waiting.len()));
    let left = waiting.left_ms(now);
    if left <= COUNTDOWN_MS {
        let text = format!(" Goes back to the terminal in {} ", moment::left(left));
        block = block.title_top(Line::styled(text, palette.alarm()).right_aligned());
    }
    if below > 0 {
        let text = format!(" {below} more {} below: PgDn ", if below == 1 { "row" } else { "rows" });
        block = block.title_bottom(Line::styled(text, palette.strong()).right_aligned());
    }
    let visible: Vec<Line<'static>> = rows.lines.into_iter().skip(scroll).take(page).collect();
    frame.render_widget(Paragraph::new(visible).block(block), area);
    DrawnCard {
        request_id: card.request_id.clone(),
        binding: card.binding.clone(),
        scroll,
        page,
        rows: count,
        width: inner.width,
        secrets: rows.secrets,
        is_unfolded: waiting.is_unfolded,
    }
}

/// What there is to say while no card waits.
fn rest(screen: &Screen, palette: Palette) -> Text<'static> {
    let mut lines = vec![Line::default()];
    match &screen.line {
        Way::Connecting => {}
        Way::Away(words) => {
            lines.push(Line::styled(words.text.clone(), palette.alarm()));
            lines.push(Line::from(words.hint.clone()));
            lines.push(Line::styled("This screen goes on by itself when it is back.", palette.faint()));
        }
        Way::Live(_) => lines.push(Line::styled("No card waits.", palette.strong())),
    }
    lines.push(Line::default());
    lines.extend(screen.steps.iter().map(|step| match step {
        Step::Ended(ending) => Line::styled(ending.text.clone(), palette.outcome(ending.outcome)),
        Step::Said(text) => Line::styled(text.clone(), palette.faint()),
    }));
    Text::from(lines)
}

fn draw_message(frame: &mut Frame<'_>, screen: &Screen, palette: Palette, area: Rect) {
    if let Mode::Note { note, .. } = &screen.mode {
        draw_note(frame, note, palette, area);
    } else if let Some(message) = screen.message() {
        frame.render_widget(Paragraph::new(message.to_owned()).style(palette.strong()), area);
    }
}

/// The end of the note where it is longer than the row, with the cursor in it.
fn draw_note(frame: &mut Frame<'_>, note: &Note, palette: Palette, area: Rect) {
    const PROMPT: &str = "Why not? ";
    let width = usize::from(area.width).saturating_sub(PROMPT.len() + 1);
    let before = Span::raw(note.before()).width();
    let hidden = before.saturating_sub(width);
    let text: String = note.text().chars().skip(hidden).collect();
    let line = Line::from(vec![Span::styled(PROMPT, palette.strong()), Span::raw(text)]);
    frame.render_widget(Paragraph::new(line), area);
    let column = u16::try_from(PROMPT.len() + before - hidden).unwrap_or_default();
    frame.set_cursor_position((area.x.saturating_add(column), area.y));
}

/// The keys that answer. On a destructive card Deny comes first and stands out, and Allow is red (CARD-4).
fn card_keys(card: Option<&Card>, not_yet: Option<&str>, palette: Palette) -> Line<'static> {
    let always = card.map_or("", |card| match (offers_session(card), offers_project(card)) {
        (true, true) => "  s p always",
        (true, false) => "  s always",
        (false, true) => "  p always",
        (false, false) => "",
    });
    let allow = not_yet.map_or_else(|| format!("a allow{always}"), |why| format!("a: {why}"));
    if card.is_some_and(is_destructive) {
        let (deny, rest) = KEYS.split_once("  ?").unwrap_or((KEYS, ""));
        return Line::from(vec![
            Span::styled(deny, palette.strong()),
            Span::styled(format!("  {allow}"), palette.alarm()),
            Span::styled(format!("  ?{rest}"), palette.faint()),
        ]);
    }
    Line::styled(format!("{allow}  {KEYS}"), palette.faint())
}

fn keys_line(screen: &Screen, palette: Palette, now: u64) -> Paragraph<'static> {
    let text = match (&screen.mode, &screen.front) {
        (Mode::Note { .. }, _) => "Enter denies with this note   Esc goes back".to_owned(),
        (Mode::Help, _) => "Any key goes back".to_owned(),
        (Mode::Cards, Some(Front::Card { request_id, .. })) => {
            let card = screen.waiting(request_id).map(|waiting| &waiting.card);
            return Paragraph::new(card_keys(card, screen.not_allowed_yet(now), palette));
        }
        (Mode::Cards, Some(Front::Answered { .. })) => "Answered …".to_owned(),
        (Mode::Cards, Some(Front::Ended { .. }) | None) => "L lock  U unlock  ? help  q leave".to_owned(),
    };
    Paragraph::new(text).style(palette.faint())
}
