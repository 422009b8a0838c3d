//! What has to go from a settings file so that nothing of ours is left, and nothing else is touched.

use std::ops::Range;

use super::{
    SetupError, command,
    document::{Member, Node},
    hooks::HOOKS,
};

/// A hook of ours.
pub(super) struct Ours<'a> {
    pub(super) event: &'a str,
    pub(super) group: &'a Node,
    pub(super) hook: &'a Node,
    pub(super) command: &'a str,
}

/// Every hook of ours in the file.
pub(super) fn ours(root: &Node) -> Result<Vec<Ours<'_>>, SetupError> {
    let mut found = Vec::new();
    root.members("the file")?;
    let Some(hooks) = root.get(HOOKS) else { return Ok(found) };
    for member in hooks.members(HOOKS)? {
        for group in member.value.items(&member.name)? {
            let in_group = group.get(HOOKS).map_or(Ok(&[][..]), |hooks| hooks.items(&member.name))?;
            for hook in in_group {
                if let Some(command) = hook.text("command").filter(|command| command::is_ours(command)) {
                    found.push(Ours { event: &member.name, group, hook, command });
                }
            }
        }
    }
    Ok(found)
}

/// The ranges of text that have to go.
pub(super) fn ranges(text: &str, root: &Node) -> Result<Vec<Range<usize>>, SetupError> {
    let members = root.members("the file")?.iter();
    let items = members.map(|member| Ok((member.span.clone(), fate_of_member(text, member)?)));
    Ok(match fate(items.collect::<Result<_, SetupError>>()?) {
        Fate::Keep | Fate::Drop => Vec::new(),
        Fate::Inside(ranges) | Fate::Emptied(ranges) => ranges,
    })
}

/// What becomes of a part of the file when ours is taken out.
enum Fate {
    Keep,
    /// These ranges go.
    Inside(Vec<Range<usize>>),
    /// These ranges go, and nothing is left.
    Emptied(Vec<Range<usize>>),
    Drop,
}

fn fate_of_member(text: &str, member: &Member) -> Result<Fate, SetupError> {
    if member.name != HOOKS {
        return Ok(Fate::Keep);
    }
    let events = member
        .value
        .members(HOOKS)?
        .iter()
        .map(|event| Ok((event.span.clone(), fate_of_event(text, event)?)));
    Ok(unless_made_by_us(text, &member.value, fate(events.collect::<Result<_, SetupError>>()?)))
}

fn fate_of_event(text: &str, event: &Member) -> Result<Fate, SetupError> {
    let groups = event.value.items(&event.name)?.iter();
    let groups = groups.map(|group| Ok((group.span.clone(), fate_of_group(group)?)));
    Ok(unless_made_by_us(text, &event.value, fate(groups.collect::<Result<_, SetupError>>()?)))
}

/// A group that held only ours goes with it.
fn fate_of_group(group: &Node) -> Result<Fate, SetupError> {
    let Some(hooks) = group.get(HOOKS) else { return Ok(Fate::Keep) };
    let is_ours = |hook: &Node| hook.text("command").is_some_and(command::is_ours);
    let items = hooks.items(HOOKS)?.iter();
    let items = items.map(|hook| (hook.span.clone(), if is_ours(hook) { Fate::Drop } else { Fate::Keep }));
    Ok(match fate(items.collect()) {
        Fate::Emptied(_) => Fate::Drop,
        other => other,
    })
}

/// Something that was empty before has nothing between our last entry and its closing bracket; what we made has.
fn unless_made_by_us(text: &str, container: &Node, fate: Fate) -> Fate {
    let Fate::Emptied(ranges) = fate else { return fate };
    let inner = text.get(..container.span.end.saturating_sub(1)).unwrap_or_default();
    if inner.ends_with(|c: char| c.is_ascii_whitespace()) { Fate::Drop } else { Fate::Inside(ranges) }
}

/// The fate of what holds these items: the ranges to take out, each with the comma that belongs to it.
fn fate(items: Vec<(Range<usize>, Fate)>) -> Fate {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut kept_end = None;
    let mut dropped: Option<Range<usize>> = None;
    for (span, fate) in items {
        match fate {
            Fate::Drop => {
                let start = dropped.map_or(span.start, |dropped| dropped.start);
                dropped = Some(start..span.end);
                continue;
            }
            Fate::Inside(inner) | Fate::Emptied(inner) => ranges.extend(inner),
            Fate::Keep => {}
        }
        if let Some(dropped) = dropped.take() {
            ranges.push(match kept_end {
                Some(end) => end..dropped.end,
                None => dropped.start..span.start,
            });
        }
        kept_end = Some(span.end);
    }
    match (dropped, kept_end) {
        (Some(dropped), Some(end)) => ranges.push(end..dropped.end),
        (Some(dropped), None) => return Fate::Emptied(vec![dropped]),
        (None, _) => {}
    }
    if ranges.is_empty() { Fate::Keep } else { Fate::Inside(ranges) }
}
