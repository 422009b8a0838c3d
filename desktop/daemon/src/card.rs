//! A waiting request as the control socket's clients draw it (CARD-1): every part of what is hashed, nothing added but
//! the time left and its place. All text was escaped where it was made and is escaped here once more. A surface that can
//! unfold secrets gets a card whole; everyone else gets it masked (CARD-2).

use countersign_core::Card;
use countersign_ipc::control;
use countersign_proto::{
    reply::Decision,
    request::{Block, Diff, Level, Question, Request},
    text::{Foreign, Shown},
};

/// Said of a card with escapes.
const HIDDEN: &str = "Holds characters that hide, reorder or imitate others; they are shown as escapes.";
/// Said of a card with letters that turn the order of what is drawn.
const REORDERED: &str = "Holds letters that are written from right to left; what stands around them may be drawn in another \
                         order than it runs.";
/// Said of a card that may not be whole.
const NOT_WHOLE: &str = "This call may not be shown completely: not every part of it is known.";

/// Draws a card, its secrets with it: for a surface that folds them until a person unfolds them.
#[must_use]
pub fn draw(card: &Card<'_>, boot_ms: u64) -> control::Card {
    let request = card.request;
    let start_folder = request.start_folder.as_ref().filter(|start| **start != request.folder);
    let mut eye = Eye::default();
    let mut drawn = control::Card {
        request_id: request.id.to_string(),
        binding: card.binding.to_string(),
        headline: eye.line(&request.judgement.headline),
        agent: control::Agent { id: eye.line(&request.agent.id), version: eye.line(&request.agent.version) },
        session: control::Session {
            id: eye.line(&request.session.id),
            title: eye.line(&request.session.title),
        },
        subagent: request.subagent.as_ref().map(|subagent| control::Subagent {
            id: eye.line(&subagent.id),
            kind: eye.line(&subagent.kind),
            parent_session: eye.line(&subagent.parent),
        }),
        tool: eye.line(&request.tool),
        folder: eye.see(Shown::bytes(&request.folder)),
        start_folder: start_folder.map(|folder| eye.see(Shown::bytes(folder))),
        host: format!("{}@{}", eye.line(&request.place.user), eye.line(&request.place.host)),
        permission_mode: eye.line(&request.mode),
        blocks: request.view.iter().map(|block| eye.block(block)).collect(),
        class: request.judgement.class.name().to_owned(),
        level: level(request.judgement.level),
        reasons: request.judgement.reasons.iter().map(|reason| eye.line(reason)).collect(),
        why: eye.line(&request.why.text),
        words: (!request.words.raw().is_empty()).then(|| eye.lines(&request.words)),
        warnings: Vec::new(),
        whole: request.whole,
        deadline_in_ms: card.deadline_boot_ms.saturating_sub(boot_ms),
        position: control::Position { index: count(card.position), of: count(card.of) },
        replies: replies(request),
        always: request.always.first().map(|always| eye.line(&always.text)),
        taint: request.taint,
    };
    drawn.warnings = eye.warnings(request.whole);
    drawn
}

/// A card with every secret masked for good: for lists, JSON and whoever may only look.
#[must_use]
pub fn mask(card: control::Card) -> control::Card {
    // Every field is named, so that a new one is thought about.
    let control::Card {
        request_id,
        binding,
        headline,
        agent,
        session,
        subagent,
        tool,
        folder,
        start_folder,
        host,
        permission_mode,
        blocks,
        class,
        level,
        reasons,
        why,
        words,
        warnings,
        whole,
        deadline_in_ms,
        position,
        replies,
        always,
        taint,
    } = card;
    control::Card {
        request_id,
        binding,
        headline: masked(&headline),
        agent: control::Agent { id: masked(&agent.id), version: masked(&agent.version) },
        session: control::Session { id: masked(&session.id), title: masked(&session.title) },
        subagent: subagent.map(|subagent| control::Subagent {
            id: masked(&subagent.id),
            kind: masked(&subagent.kind),
            parent_session: masked(&subagent.parent_session),
        }),
        tool: masked(&tool),
        folder: masked(&folder),
        start_folder: start_folder.as_deref().map(masked),
        host: masked(&host),
        permission_mode: masked(&permission_mode),
        blocks: blocks.into_iter().map(mask_block).collect(),
        class,
        level,
        reasons: reasons.iter().map(|reason| masked(reason)).collect(),
        why: masked(&why),
        words: words.as_deref().map(masked_lines),
        warnings,
        whole,
        deadline_in_ms,
        position,
        replies,
        always: always.as_deref().map(masked),
        taint,
    }
}

fn mask_block(block: control::Block) -> control::Block {
    match block {
        control::Block::Command { text } => control::Block::Command { text: masked_lines(&text) },
        control::Block::Diff { path, new_file, added, removed, lines } => control::Block::Diff {
            path: masked(&path),
            new_file,
            added,
            removed,
            lines: masked_lines(&change(&lines)).split('\n').map(diff_line).collect(),
        },
        control::Block::File { path } => control::Block::File { path: masked(&path) },
        control::Block::Url { url } => control::Block::Url { url: masked(&url) },
        control::Block::Text { label, text } => {
            control::Block::Text { label: masked(&label), text: masked_lines(&text) }
        }
    }
}

/// The lines of a change as one text, each behind its sign: a secret may go over several.
#[must_use]
pub fn change(lines: &[control::DiffLine]) -> String {
    let signed = lines.iter().map(|line| {
        let sign = match line.sign {
            control::Sign::Same => ' ',
            control::Sign::Added => '+',
            control::Sign::Removed => '-',
        };
        format!("{sign}{}", line.text)
    });
    signed.collect::<Vec<_>>().join("\n")
}

fn masked(text: &str) -> String {
    Shown::line(text).masked().into()
}

fn masked_lines(text: &str) -> String {
    Shown::lines(text).masked().into()
}

/// Looks at foreign text, and remembers what a person must be told of it.
#[derive(Debug, Default)]
struct Eye {
    hides: bool,
    reorders: bool,
}

impl Eye {
    fn line(&mut self, text: &Foreign) -> String {
        self.see(text.shown())
    }

    fn lines(&mut self, text: &Foreign) -> String {
        self.see(text.shown_lines())
    }

    fn see(&mut self, shown: Shown) -> String {
        self.hides |= shown.has_escapes();
        self.reorders |= shown.may_be_reordered();
        shown.as_str().to_owned()
    }

    fn warnings(&self, whole: bool) -> Vec<String> {
        let all = [(NOT_WHOLE, !whole), (HIDDEN, self.hides), (REORDERED, self.reorders)];
        all.into_iter().filter(|(_, applies)| *applies).map(|(words, _)| words.to_owned()).collect()
    }

    fn block(&mut self, block: &Block) -> control::Block {
        match block {
            Block::Command(text) => control::Block::Command { text: self.lines(text) },
            Block::Diff(of) => self.diff(of),
            Block::File(path) => control::Block::File { path: self.line(path) },
            Block::Url(url) => control::Block::Url { url: self.line(url) },
            Block::Text(of) => {
                control::Block::Text { label: self.line(&of.label), text: self.lines(&of.text) }
            }
            Block::Question(of) => self.question(of),
        }
    }

    /// What is counted is what is drawn, whatever the adapter says.
    fn diff(&mut self, diff: &Diff) -> control::Block {
        let lines: Vec<control::DiffLine> = self.lines(&diff.lines).split('\n').map(diff_line).collect();
        let of = |sign| count(lines.iter().filter(|line| line.sign == sign).count());
        control::Block::Diff {
            path: self.line(&diff.path),
            new_file: diff.is_new,
            added: of(control::Sign::Added),
            removed: of(control::Sign::Removed),
            lines,
        }
    }

    fn question(&mut self, question: &Question) -> control::Block {
        let options: String =
            question.options.iter().map(|option| format!("\n· {}", self.line(option))).collect();
        control::Block::Text {
            label: self.line(&question.tag),
            text: format!("{}{options}", self.lines(&question.text)),
        }
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
    replies.extend(request.always.iter().filter_map(|always| match always.scope.raw() {
        "session" => Some(control::Decision::AlwaysSession),
        "project" => Some(control::Decision::AlwaysProject),
        _ => None,
    }));
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

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
