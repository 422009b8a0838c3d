//! What no finding may exceed: *Always* only for one short line that hides nothing (RULE-3), nothing at all for what is
//! refused, no line for what destroys, pays or guards (POL-4).

use countersign_proto::{
    request::{Class, Level},
    text::is_hidden,
};

use super::{
    Action, Reach, Script, action::FileHow, finding::Finding, is_closed, shell::lexer::MOST_CHARACTERS,
};

/// Cuts a finding down to what may be offered for its action.
pub(super) fn cap(finding: &mut Finding, action: &Action) {
    if finding.refused.is_some() {
        finding.level = Level::Red;
        finding.reach = Reach::Never;
    }
    if matches!(finding.class, Class::Destructive | Class::Spend | Class::Guard) {
        finding.level = finding.level.max(Level::Yellow);
        finding.reach = Reach::Never;
    }
    finding.may_remember &= !is_closed(finding.class, finding.level) && targets(action).all(is_rememberable);
}

/// One line of at most 300 characters, nothing hidden.
fn is_rememberable(target: String) -> bool {
    target.chars().count() <= MOST_CHARACTERS && !target.chars().any(is_hidden)
}

/// What a rule would be compared with.
fn targets(action: &Action) -> Box<dyn Iterator<Item = String> + '_> {
    match action {
        Action::Shell(shell) => {
            let folder = shell.folder.iter().cloned();
            let text = match &shell.script {
                Script::Bash(text) | Script::PowerShell(text) | Script::Typed(text) => text.clone(),
                Script::Words(words) => words.join(" "),
            };
            Box::new(folder.chain(core::iter::once(text)))
        }
        Action::Files(files) => Box::new(files.iter().flat_map(|file| {
            let to = match &file.how {
                FileHow::Move(to) => Some(to.clone()),
                FileHow::Read
                | FileHow::List
                | FileHow::Search
                | FileHow::Match
                | FileHow::Write
                | FileHow::Delete
                | FileHow::Unclear => None,
            };
            core::iter::once(file.path.clone()).chain(to)
        })),
        Action::Fetch { url } => Box::new(core::iter::once(url.clone())),
        Action::WebSearch { query } => Box::new(core::iter::once(query.clone())),
        Action::Server { server, tool, .. } => Box::new([server.clone(), tool.clone()].into_iter()),
        Action::Unknown(_) => Box::new(core::iter::empty()),
    }
}
