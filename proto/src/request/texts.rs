//! Every foreign text of a request, as it is shown: whoever looks for something in a request looks at all of it.

use super::{
    Agent, Always, Block, Dependency, Diff, Judgement, Labelled, Place, Question, Request, Session, Subagent,
    Why,
};
use crate::text::{Foreign, Shown};

impl Request {
    /// All texts that somebody else may have written. Every field is named, so that a new one is thought about.
    #[must_use]
    pub fn texts(&self) -> Vec<Shown> {
        let Self {
            v: _,
            id: _,
            kind: _,
            agent: Agent { id: agent, version, adapter: _ },
            session: Session { id: session, title },
            folder,
            tool,
            raw: _,
            view_version: _,
            view,
            judgement: Judgement { class: _, level: _, reasons, headline },
            why: Why { step: _, text: why, line },
            taint: _,
            place: Place { host, user },
            wall_ms: _,
            ttl_ms: _,
            always,
            replies: _,
            subagent,
            mode,
            start_folder,
            words,
            whole: _,
            depends,
        } = self;
        let mut all = vec![agent, version, session, title, tool, headline, why, host, user, mode, words];
        all.extend(reasons);
        all.extend(line);
        all.extend(always.iter().flat_map(|Always { scope, text }| [scope, text]));
        all.extend(subagent.iter().flat_map(|Subagent { id, kind, parent }| [id, kind, parent]));
        all.extend(depends.iter().map(|Dependency { path, hash: _ }| path));
        all.extend(view.iter().flat_map(block));
        let folders = start_folder.iter().chain([folder]).map(|folder| Shown::bytes(folder));
        all.into_iter().map(Foreign::shown_lines).chain(folders).collect()
    }

    /// How many secrets a person would have to unfold in it.
    #[must_use]
    pub fn secrets(&self) -> usize {
        self.texts().iter().map(Shown::secrets).sum()
    }
}

fn block(block: &Block) -> Vec<&Foreign> {
    match block {
        Block::Command(text) | Block::File(text) | Block::Url(text) => vec![text],
        Block::Diff(Diff { path, is_new: _, added: _, removed: _, lines }) => vec![path, lines],
        Block::Text(Labelled { label, text }) => vec![label, text],
        Block::Question(Question { tag, text, options, many: _ }) => {
            options.iter().chain([tag, text]).collect()
        }
    }
}
