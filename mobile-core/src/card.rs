//! A card: one offer as a person sees it (CARD-1, CARD-2). Built from the very bytes that a reply's hash covers; every
//! text is escaped again here, whatever the desktop did, and nothing is left out or cut. Secrets are in it, folded: every
//! text prints as what it is without them, and [`Shown::parts`] unfolds them.

use countersign_proto::{
    id::{Hash, OfferId},
    limits,
    offer::OpenedOffer,
    reply::{Decision, Replies},
    request::{Block, Class, Diff, Kind, Level, Question, Request},
    text::{Foreign, Shown},
};

/// Everything a surface shows of an offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// The offer.
    pub offer_id: OfferId,
    /// The hash that a reply to it signs.
    pub offer_hash: Hash,
    /// What kind of answer it wants.
    pub kind: Kind,
    /// What it is about, in the desktop's words.
    pub headline: Shown,
    /// What Allow would allow, block by block.
    pub blocks: Vec<Shape>,
    /// Agent and version.
    pub agent: Shown,
    /// The tool's name.
    pub tool: Shown,
    /// The session's title.
    pub session: Shown,
    /// The subagent that asks, its type and its parent session.
    pub subagent: Option<Shown>,
    /// Current folder.
    pub folder: Shown,
    /// Folder in which the session started, where it is another one.
    pub start_folder: Option<Shown>,
    /// Host and user.
    pub host: Shown,
    /// The agent's permission mode.
    pub mode: Shown,
    /// What the action would do.
    pub class: Class,
    /// How loud the card is.
    pub level: Level,
    /// Why it has this class and level.
    pub reasons: Vec<Shown>,
    /// Why there is a card at all.
    pub why: Shown,
    /// The policy line or rule that made it.
    pub line: Option<Shown>,
    /// Programs and files the answer depends on.
    pub depends: Vec<Shown>,
    /// What else a person should know before answering.
    pub warnings: Vec<Warning>,
    /// The agent's own words, to be labelled so.
    pub words: Shown,
    /// What an *Always* would mean, in the order of its index.
    pub always: Vec<Shown>,
    /// How many secrets are folded in it: none of it may be allowed before they were unfolded and read.
    pub secrets: usize,
    /// What may be answered here.
    pub allowed: Replies,
    /// Desktop wall time of arrival, in ms.
    pub wall_ms: u64,
}

/// One block of a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// A command line or script.
    Command(Shown),
    /// A change of a file.
    Diff {
        /// The file.
        path: Shown,
        /// Whether it is new.
        is_new: bool,
        /// Lines added, counted here.
        added: usize,
        /// Lines removed, counted here.
        removed: usize,
        /// Every line; long runs of blank ones are shown as their count.
        lines: Shown,
    },
    /// A file that is named.
    File(Shown),
    /// An address that is named; never made a link.
    Url(Shown),
    /// A named argument or other text.
    Text {
        /// Its label.
        label: Shown,
        /// The text.
        text: Shown,
    },
    /// A question of the agent's.
    Question {
        /// Its tag.
        tag: Shown,
        /// Its text.
        text: Shown,
        /// Its options.
        options: Vec<Shown>,
        /// Whether several may be chosen.
        many: bool,
    },
}

/// Something a card warns about by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Warning {
    /// Characters that hide, reorder or imitate had to be escaped, here or on the desktop.
    Hidden,
    /// Letters that are written from right to left may turn the order of what is drawn.
    Reordered,
    /// There are secrets to unfold.
    Secrets,
    /// The adapter did not see the folder or every argument.
    NotWhole,
    /// The session read outside content.
    Taint,
    /// The request is too big to be allowed from a phone.
    TooBig,
}

impl Warning {
    /// In words.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Hidden => "contains invisible or look-alike characters, shown as escapes",
            Self::Reordered => {
                "contains letters written from right to left; what stands around them may be drawn in another order \
                 than it runs"
            }
            Self::Secrets => "contains secrets; unfold and read them before you allow it",
            Self::NotWhole => "the agent did not say in which folder, or left arguments out",
            Self::Taint => "this session has read external content",
            Self::TooBig => "too big for the phone: review on the computer",
        }
    }
}

impl Card {
    /// The card of a verified offer.
    #[must_use]
    pub fn new(opened: &OpenedOffer) -> Self {
        let (offer, request) = (opened.offer(), opened.request());
        let mut eye = Eye::default();
        let too_big = offer.request.len() > limits::REQUEST;
        let mut card = Self {
            offer_id: offer.offer_id,
            offer_hash: opened.hash(),
            kind: request.kind,
            headline: eye.line(&request.judgement.headline),
            blocks: request.view.iter().map(|block| eye.block(block)).collect(),
            agent: eye.joined(&[&request.agent.id, &request.agent.version], " "),
            tool: eye.line(&request.tool),
            session: eye.line(&request.session.title),
            subagent: request
                .subagent
                .as_ref()
                .map(|sub| eye.joined(&[&sub.kind, &sub.id, &sub.parent], " · ")),
            folder: eye.bytes(&request.folder),
            start_folder: request
                .start_folder
                .as_ref()
                .filter(|start| **start != request.folder)
                .map(|start| eye.bytes(start)),
            host: eye.joined(&[&request.place.user, &request.place.host], "@"),
            mode: eye.line(&request.mode),
            class: request.judgement.class,
            level: request.judgement.level,
            reasons: request.judgement.reasons.iter().map(|reason| eye.line(reason)).collect(),
            why: eye.line(&request.why.text),
            line: request.why.line.as_ref().map(|line| eye.lines(line)),
            depends: request.depends.iter().map(|dependency| eye.line(&dependency.path)).collect(),
            warnings: Vec::new(),
            words: eye.lines(&request.words),
            always: request
                .always
                .iter()
                .map(|always| eye.joined(&[&always.scope, &always.text], ": "))
                .collect(),
            secrets: 0,
            allowed: allowed(offer.allowed, request),
            wall_ms: request.wall_ms,
        };
        card.secrets = card.texts().into_iter().map(Shown::secrets).sum();
        card.warnings = card.warn(request, too_big, &eye);
        card
    }

    /// Every text on the card. Every field is named, so that a new one is thought about.
    #[must_use]
    pub fn texts(&self) -> Vec<&Shown> {
        let Self {
            offer_id: _,
            offer_hash: _,
            kind: _,
            headline,
            blocks,
            agent,
            tool,
            session,
            subagent,
            folder,
            start_folder,
            host,
            mode,
            class: _,
            level: _,
            reasons,
            why,
            line,
            depends,
            warnings: _,
            words,
            always,
            secrets: _,
            allowed: _,
            wall_ms: _,
        } = self;
        let fixed = [headline, agent, tool, session, folder, host, mode, why, words];
        let optional = subagent.iter().chain(start_folder).chain(line);
        let lists = reasons.iter().chain(depends).chain(always);
        fixed.into_iter().chain(optional).chain(lists).chain(blocks.iter().flat_map(Shape::texts)).collect()
    }

    fn warn(&self, request: &Request, too_big: bool, eye: &Eye) -> Vec<Warning> {
        let all = [
            (Warning::TooBig, too_big),
            (Warning::Hidden, eye.escaped),
            (Warning::Reordered, eye.reordered),
            (Warning::Secrets, self.secrets > 0),
            (Warning::NotWhole, !request.whole),
            (Warning::Taint, request.taint),
        ];
        all.into_iter().filter(|(_, applies)| *applies).map(|(warning, _)| warning).collect()
    }

    /// Whether a decision may be given here.
    #[must_use]
    pub const fn allows(&self, decision: Decision) -> bool {
        self.allowed.contains(decision)
    }
}

impl Shape {
    fn texts(&self) -> Vec<&Shown> {
        match self {
            Self::Command(text) | Self::File(text) | Self::Url(text) => vec![text],
            Self::Diff { path, is_new: _, added: _, removed: _, lines } => vec![path, lines],
            Self::Text { label, text } => vec![label, text],
            Self::Question { tag, text, options, many: _ } => options.iter().chain([tag, text]).collect(),
        }
    }
}

/// Looks at foreign text, and remembers what a person must be told of it.
#[derive(Debug, Default)]
struct Eye {
    escaped: bool,
    reordered: bool,
}

impl Eye {
    fn line(&mut self, text: &Foreign) -> Shown {
        self.note(text, text.shown())
    }

    fn lines(&mut self, text: &Foreign) -> Shown {
        self.note(text, text.shown_lines())
    }

    fn bytes(&mut self, bytes: &[u8]) -> Shown {
        let shown = Shown::bytes(bytes);
        self.escaped |= shown.as_str().as_bytes() != bytes;
        self.see(shown)
    }

    fn joined(&mut self, texts: &[&Foreign], between: &str) -> Shown {
        let shown: Vec<String> = texts
            .iter()
            .map(|text| self.line(text).as_str().to_owned())
            .filter(|text| !text.is_empty())
            .collect();
        Shown::line(&shown.join(between))
    }

    fn note(&mut self, text: &Foreign, shown: Shown) -> Shown {
        self.escaped |= shown.differs_from(text.raw());
        self.see(shown)
    }

    fn see(&mut self, shown: Shown) -> Shown {
        self.escaped |= shown.has_escapes();
        self.reordered |= shown.may_be_reordered();
        shown
    }

    fn block(&mut self, block: &Block) -> Shape {
        match block {
            Block::Command(text) => Shape::Command(self.lines(text)),
            Block::Diff(diff) => self.diff(diff),
            Block::File(path) => Shape::File(self.line(path)),
            Block::Url(url) => Shape::Url(self.line(url)),
            Block::Text(labelled) => {
                Shape::Text { label: self.line(&labelled.label), text: self.lines(&labelled.text) }
            }
            Block::Question(question) => self.question(question),
        }
    }

    fn diff(&mut self, diff: &Diff) -> Shape {
        let lines = diff.lines.raw().split('\n');
        Shape::Diff {
            path: self.line(&diff.path),
            is_new: diff.is_new,
            added: lines.clone().filter(|line| line.starts_with('+')).count(),
            removed: lines.filter(|line| line.starts_with('-')).count(),
            lines: self.note(&diff.lines, Shown::change(diff.lines.raw())),
        }
    }

    fn question(&mut self, question: &Question) -> Shape {
        Shape::Question {
            tag: self.line(&question.tag),
            text: self.lines(&question.text),
            options: question.options.iter().map(|option| self.line(option)).collect(),
            many: question.many,
        }
    }
}

/// What was offered, less everything that makes no sense for this request: the phone never offers more than both the
/// request and the offer name, and no yes of another kind. (An offer that allows a request too big to be shown does not
/// open at all.)
fn allowed(offered: Replies, request: &Request) -> Replies {
    let either = offered.and(request.replies);
    let sensible: Vec<Decision> = either
        .iter()
        .filter(|decision| match decision {
            Decision::Deny | Decision::Dismiss | Decision::DenyWithNote | Decision::HandOff => true,
            Decision::ApproveOnce => request.kind == Kind::Tool,
            Decision::ApproveAlways => may_be_remembered(request),
            Decision::Answer => request.kind == Kind::Question,
            Decision::Grant => request.kind == Kind::Grant,
            Decision::ServiceAction => request.kind == Kind::ServiceAction,
        })
        .collect();
    Replies::of(&sensible)
}

fn may_be_remembered(request: &Request) -> bool {
    request.kind == Kind::Tool
        && request.judgement.level != Level::Red
        && match request.judgement.class {
            Class::Spend | Class::Destructive | Class::Guard => false,
            Class::Read | Class::ReadExternal | Class::Write | Class::External | Class::Unknown => true,
        }
        && !request.always.is_empty()
}

#[cfg(test)]
mod tests;
