//! Reports in words, for a terminal. Everything foreign arrives escaped, as [`Shown`], and prints without its secrets; a
//! card's texts go through [`CardView::said`].

use countersign_mobile_core::{
    card::Shape,
    inbox::{End, Turned},
    phone::Event,
};
use countersign_proto::{message::Closed, reply::Decision, request::Class, text::Shown};

use super::{CardView, LABEL, Report};

/// A digit in five rows.
const DIGITS: [[&str; 5]; 10] = [
    ["█████", "█   █", "█   █", "█   █", "█████"],
    ["  █  ", " ██  ", "  █  ", "  █  ", "█████"],
    ["█████", "    █", "█████", "█    ", "█████"],
    ["█████", "    █", " ████", "    █", "█████"],
    ["█   █", "█   █", "█████", "    █", "    █"],
    ["█████", "█    ", "█████", "    █", "█████"],
    ["█████", "█    ", "█████", "█   █", "█████"],
    ["█████", "    █", "   █ ", "  █  ", "  █  "],
    ["█████", "█   █", "█████", "█   █", "█████"],
    ["█████", "█   █", "█████", "    █", "█████"],
];

impl Report {
    /// Lines for a terminal, label first; `None` where a person need not be told.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        let words = match self {
            Self::Code(code) => {
                format!("type this code on the desktop:\n\n{}\n    {code}\n", large(code))
            }
            Self::Prompt(title) => format!("asks for a finger: {title}"),
            Self::Paired { name, account, device, .. } => {
                format!("paired with {name} ({account}); this phone is {device} there")
            }
            Self::Relay(Ok(())) => "connected to the relay".to_owned(),
            Self::Relay(Err(why)) => format!("not connected: {why}; trying again"),
            Self::Card(view) => return Some(card(view)),
            Self::Event(event) => return words(event).map(labelled),
            Self::Replayed(offer, outcome) => format!("sent {offer} once more: {outcome:?}"),
            Self::Held => "the signed reply is kept back".to_owned(),
            Self::NotDone(why) | Self::Bye(why) => why.clone(),
        };
        Some(labelled(words))
    }
}

fn labelled(words: impl AsRef<str>) -> String {
    format!("[{LABEL}] {}", words.as_ref())
}

/// A code that is read from across the desk.
fn large(code: &str) -> String {
    let digits: Vec<usize> = code.chars().filter_map(|c| c.to_digit(10)).map(|d| d as usize).collect();
    let row = |row: usize| {
        let parts: Vec<&str> =
            digits.iter().filter_map(|digit| DIGITS.get(*digit)?.get(row).copied()).collect();
        format!("    {}\n", parts.join("  "))
    };
    (0..5).map(row).collect()
}

fn card(view: &CardView) -> String {
    let card = &view.card;
    let mut lines = vec![
        format!("──[{LABEL}]── {} left ── 1 of {} ──", clock(view.left_ms), view.waiting.max(1)),
        view.said(&card.headline),
        String::new(),
    ];
    if card.class == Class::Destructive {
        lines.insert(1, "DESTRUCTIVE: this can't be undone".to_owned());
    }
    lines.extend(card.blocks.iter().map(|shape| block(view, shape)));
    lines.push(String::new());
    lines.extend(about(view));
    lines.push(format!("── {} ──", keys(view)));
    lines.join("\n")
}

fn block(view: &CardView, block: &Shape) -> String {
    match block {
        Shape::Command(command) => indented("$ ", &view.said(command)),
        Shape::Diff { path, is_new, added, removed, lines } => {
            let what = if *is_new { "writes new file" } else { "edits" };
            let path = view.said(path);
            format!("    {what} {path} (+{added} −{removed})\n{}", indented("  ", &view.said(lines)))
        }
        Shape::File(path) => indented("file ", &view.said(path)),
        Shape::Url(url) => indented("address ", &view.said(url)),
        Shape::Text { label, text } => {
            format!("    {}:\n{}", view.said(label), indented("  ", &view.said(text)))
        }
        Shape::Question { tag, text, options, many } => {
            let how = if *many { "choose any" } else { "choose one" };
            let options =
                options.iter().enumerate().map(|(at, option)| format!("\n      {at}. {}", view.said(option)));
            format!("    [{}] {} ({how}){}", view.said(tag), view.said(text), options.collect::<String>())
        }
    }
}

fn indented(first: &str, text: &str) -> String {
    let blank = " ".repeat(first.chars().count());
    let lines = text.split('\n').enumerate();
    let lines: Vec<String> =
        lines.map(|(at, line)| format!("    {}{line}", if at == 0 { first } else { &blank })).collect();
    lines.join("\n")
}

fn about(view: &CardView) -> Vec<String> {
    let card = &view.card;
    let said = |text: &Shown| view.said(text);
    let (agent, tool, session) = (said(&card.agent), said(&card.tool), said(&card.session));
    let mut lines = vec![format!("agent    {agent} · {tool} · session {session}")];
    lines.extend(card.subagent.iter().map(|subagent| format!("subagent {}", said(subagent))));
    lines.push(format!("folder   {}", said(&card.folder)));
    let start = card.start_folder.iter();
    lines.extend(start.map(|start| format!("         (the session began in {})", said(start))));
    lines.push(format!("host     {} · mode {}", said(&card.host), said(&card.mode)));
    let reasons: Vec<String> = card.reasons.iter().map(said).collect();
    let reasons = if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) };
    lines.push(format!("judged   {}, {}{reasons}", card.class.name(), card.level.name()));
    lines.push(format!("why      {}", said(&card.why)));
    lines.extend(card.line.iter().map(|line| format!("         {}", said(line))));
    lines.extend(card.depends.iter().map(|path| format!("runs     {}", said(path))));
    lines.extend(card.always.iter().map(|always| format!("always   {}", said(always))));
    lines.extend(card.warnings.iter().map(|warning| format!("! {}", warning.text())));
    if !card.words.as_str().is_empty() {
        lines.push(format!("the agent says:\n{}", indented("", &said(&card.words))));
    }
    lines
}

/// The keys that answer this card. One that is folded has none that allows it.
fn keys(view: &CardView) -> String {
    let all = [
        (Decision::ApproveOnce, "a allow (stands for the finger)"),
        (Decision::Deny, "d deny"),
        (Decision::DenyWithNote, "n deny with a note"),
        (Decision::Dismiss, "x hide"),
        (Decision::HandOff, "h hand off"),
    ];
    let offered = all.into_iter().filter(|(decision, _)| view.card.allows(*decision));
    let keys = offered.map(|(decision, key)| match decision {
        Decision::ApproveOnce if view.folded => "u unfold its secrets, then a allow",
        _ => key,
    });
    keys.chain(["l lock", "q quit"]).collect::<Vec<_>>().join(", ")
}

fn words(event: &Event) -> Option<String> {
    Some(match event {
        Event::Up => "the desktop is here".to_owned(),
        Event::Down => "the desktop is away".to_owned(),
        Event::Card(_) | Event::Touched(_) | Event::Unfolded(_) => return None,
        Event::NotTaken(_, why) => why.to_string(),
        Event::BioCancelled(_) => "no finger: the card waits on".to_owned(),
        Event::Sent(_, decision) => format!("{}: sent, not confirmed", named(*decision)),
        Event::Turned(_, turned) => format!("refused: {}; the card waits on", refusal(*turned)),
        Event::Ended(_, end) => ended(end),
        Event::Notice(_, text) => format!("the desktop says: {text}"),
        Event::Locking => "lock sent, not confirmed".to_owned(),
        Event::NotLocked(turned) => format!("not locked: {}", refusal(*turned)),
        Event::Alarm(alarm) => format!("ALARM: {alarm}"),
        Event::Revoked => "this phone was revoked; its keys are wiped".to_owned(),
    })
}

fn ended(end: &End) -> String {
    match end {
        End::Released(decision) => format!("{} by demo phone, receipt verified", past(*decision)),
        End::Unreleased(decision) => {
            format!("{} by demo phone, but the agent was gone; receipt verified", past(*decision))
        }
        End::Dismissed => "hidden on this phone; it still waits elsewhere".to_owned(),
        End::AlreadySettled(by) => format!("another answer was first: {by}"),
        End::Refused(turned) => format!("refused: {}", refusal(*turned)),
        End::Closed(how, by) => format!("{} {by}", closed(*how)),
        End::Expired => "nobody answered: it went back to the terminal".to_owned(),
        End::Unconfirmed(_) => "sent, but never confirmed: look at the computer".to_owned(),
        End::Gone => "the desktop no longer asks this".to_owned(),
        End::Changed => "the question changed; it can't be answered".to_owned(),
    }
}

const fn named(decision: Decision) -> &'static str {
    match decision {
        Decision::Deny => "deny",
        Decision::Dismiss => "hide",
        Decision::DenyWithNote => "deny with a note",
        Decision::ApproveOnce => "allow",
        Decision::ApproveAlways => "always allow",
        Decision::Answer => "answer",
        Decision::HandOff => "hand off",
        Decision::Grant => "allow one retry",
        Decision::ServiceAction => "confirm",
    }
}

const fn past(decision: Decision) -> &'static str {
    match decision {
        Decision::Deny => "denied",
        Decision::Dismiss => "hidden",
        Decision::DenyWithNote => "denied with a note",
        Decision::ApproveOnce => "allowed",
        Decision::ApproveAlways => "always allowed",
        Decision::Answer => "answered",
        Decision::HandOff => "handed off to the terminal",
        Decision::Grant => "one retry allowed",
        Decision::ServiceAction => "confirmed",
    }
}

const fn closed(how: Closed) -> &'static str {
    match how {
        Closed::Allowed => "allowed",
        Closed::Denied => "denied",
        Closed::HandedBack => "went back to the terminal:",
        Closed::Withdrawn => "withdrawn:",
        Closed::Superseded => "replaced by a new card:",
        Closed::Locked => "locked:",
    }
}

fn refusal(Turned(refusal): Turned) -> String {
    refusal.map_or_else(|| "the desktop does not say why".to_owned(), |refusal| refusal.to_string())
}

/// Minutes and seconds.
fn clock(ms: u64) -> String {
    let s = ms.div_ceil(1_000);
    format!("{}:{:02}", s / 60, s % 60)
}
