//! A waiting request as the control socket's clients draw it (CARD-1): every part of what is hashed, nothing added but
//! the time left and its place. All text was escaped where it was made and is escaped here once more.

use countersign_core::Card;
use countersign_ipc::control;
use countersign_proto::{
    reply::Decision,
    request::{Block, Diff, Level, Question, Request},
    text::{Foreign, Shown},
};

/// Draws a card.
#[must_use]
pub fn draw(card: &Card<'_>, boot_ms: u64) -> control::Card {
    let request = card.request;
    let start_folder = request.start_folder.as_ref().filter(|start| **start != request.folder);
    control::Card {
        request_id: request.id.to_string(),
        binding: card.binding.to_string(),
        headline: line(&request.judgement.headline),
        agent: control::Agent { id: line(&request.agent.id), version: line(&request.agent.version) },
        session: control::Session { id: line(&request.session.id), title: line(&request.session.title) },
        subagent: request.subagent.as_ref().map(|subagent| control::Subagent {
            id: line(&subagent.id),
            kind: line(&subagent.kind),
            parent_session: line(&subagent.parent),
        }),
        tool: line(&request.tool),
        folder: Shown::bytes(&request.folder).to_string(),
        start_folder: start_folder.map(|folder| Shown::bytes(folder).to_string()),
        host: format!("{}@{}", request.place.user.shown(), request.place.host.shown()),
        permission_mode: line(&request.mode),
        blocks: request.view.iter().map(block).collect(),
        class: request.judgement.class.name().to_owned(),
        level: level(request.judgement.level),
        reasons: request.judgement.reasons.iter().map(line).collect(),
        why: line(&request.why.text),
        words: (!request.words.raw().is_empty()).then(|| lines(&request.words)),
        warnings: warnings(request),
        whole: request.whole,
        deadline_in_ms: card.deadline_boot_ms.saturating_sub(boot_ms),
        position: control::Position { index: count(card.position), of: count(card.of) },
        replies: replies(request),
    }
}

fn block(block: &Block) -> control::Block {
    match block {
        Block::Command(text) => control::Block::Command { text: lines(text) },
        Block::Diff(of) => diff(of),
        Block::File(path) => control::Block::File { path: line(path) },
        Block::Url(url) => control::Block::Url { url: line(url) },
        Block::Text(of) => control::Block::Text { label: line(&of.label), text: lines(&of.text) },
        Block::Question(of) => question(of),
    }
}

fn diff(diff: &Diff) -> control::Block {
    let drawn = diff.lines.shown_lines();
    control::Block::Diff {
        path: line(&diff.path),
        new_file: diff.is_new,
        added: diff.added,
        removed: diff.removed,
        lines: drawn.as_str().split('\n').map(diff_line).collect(),
    }
}

/// Remarks between the lines keep the sign that tells them from the file's own.
fn diff_line(drawn: &str) -> control::DiffLine {
    let (sign, text) = match drawn.split_at_checked(1) {
        Some(("+", text)) => (control::Sign::Added, text),
        Some(("-", text)) => (control::Sign::Removed, text),
        Some((" ", text)) => (control::Sign::Same, text),
        _ => (control::Sign::Same, drawn),
    };
    control::DiffLine { sign, text: text.to_owned() }
}

fn question(question: &Question) -> control::Block {
    let options: String = question.options.iter().map(|option| format!("\n· {}", option.shown())).collect();
    control::Block::Text {
        label: line(&question.tag),
        text: format!("{}{options}", question.text.shown_lines()),
    }
}

fn warnings(request: &Request) -> Vec<String> {
    let mut warnings = Vec::new();
    if !request.whole {
        warnings.push("This call may not be shown completely: not every part of it is known.".to_owned());
    }
    warnings
}

fn replies(request: &Request) -> Vec<control::Decision> {
    let on_a_desk = |decision| match decision {
        Decision::ApproveOnce => Some(control::Decision::AllowOnce),
        Decision::Deny => Some(control::Decision::Deny),
        Decision::DenyWithNote => Some(control::Decision::DenyWithNote),
        Decision::HandOff => Some(control::Decision::HandOff),
        Decision::Dismiss
        | Decision::ApproveAlways
        | Decision::Answer
        | Decision::Grant
        | Decision::ServiceAction => None,
    };
    let mut replies: Vec<_> = request.replies.iter().filter_map(on_a_desk).collect();
    replies.sort_unstable();
    replies
}

const fn level(level: Level) -> control::Level {
    match level {
        Level::Green => control::Level::Green,
        Level::Yellow => control::Level::Yellow,
        Level::Red => control::Level::Red,
    }
}

fn line(text: &Foreign) -> String {
    text.shown().to_string()
}

fn lines(text: &Foreign) -> String {
    text.shown_lines().to_string()
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
