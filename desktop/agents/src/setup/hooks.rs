//! Settings files that keep hooks as Claude Code does: `{"hooks": {EVENT: [{"hooks": [{"type": "command", …}]}]}}`.
//! Adds our entries at the end of what is there, in the file's own indentation, and takes exactly them out again.

#[cfg(test)]
mod tests;

use countersign_proto::text::Shown;
use similar::TextDiff;

use super::{
    Change, Entry, SetupError,
    document::{self, Node, Value},
    layout::{Lines, Place, Style, spliced, wrapped},
    removal::{self, Ours, ours},
};
use crate::json;

/// A settings file of this kind, and what of ours belongs into it.
#[derive(Debug)]
pub(crate) struct HookFile {
    /// The agent's id.
    pub(crate) agent: &'static str,
    /// The file's name, for people.
    pub(crate) name: &'static str,
    /// The event whose hook waits for an answer.
    pub(crate) waits: &'static str,
    /// The event whose hook is answered at once before every call (REQ-4).
    pub(crate) before: &'static str,
    /// What the agent says while it waits.
    pub(crate) status: &'static str,
    /// Every event, in the order in which they are written.
    pub(crate) events: &'static [&'static str],
    /// The events of earlier releases, so that a file which one of them made is known as ours.
    pub(crate) earlier: &'static [&'static [&'static str]],
}

/// The agent's limit for hooks that only tell, in seconds.
const TELLING_SECS: u32 = 5;

/// The agent's limit for the hook before every call, in seconds. The hook itself keeps a margin of five before its
/// agent's limit, so it waits for one second at most.
const BEFORE_SECS: u32 = 6;

/// Where hooks stand.
pub(super) const HOOKS: &str = "hooks";

impl HookFile {
    /// Adds our hooks, or brings outdated ones up to date; no change where they stand as they should.
    pub(crate) fn install(&self, before: Option<&str>, entry: &Entry) -> Result<Change, SetupError> {
        let Some(text) = before else {
            return Ok(self.change(None, Some(self.fresh(self.events, entry))));
        };
        let is_current = self.differences(&document::parse(text)?, entry)?.is_empty();
        if is_current {
            return Ok(self.change(before, before.map(str::to_owned)));
        }
        let after = match self.without(text)? {
            None => self.fresh(self.events, entry),
            Some(clean) => self.added(&clean, entry)?,
        };
        Ok(self.change(before, Some(after)))
    }

    /// Takes our hooks out.
    pub(crate) fn remove(&self, before: Option<&str>) -> Result<Change, SetupError> {
        let after = match before {
            None => None,
            Some(text) => self.without(text)?,
        };
        Ok(self.change(before, after))
    }

    fn change(&self, before: Option<&str>, after: Option<String>) -> Change {
        let (old, new) = (before.unwrap_or_default(), after.as_deref().unwrap_or_default());
        let diff = TextDiff::from_lines(old, new);
        let mut unified = diff.unified_diff();
        let name = |there| if there { self.name } else { "/dev/null" };
        let unified = unified.header(name(before.is_some()), name(after.is_some())).to_string();
        let diff =
            if before == after.as_deref() { Shown::default() } else { Shown::lines(unified.trim_end()) };
        Change { before: before.map(str::to_owned), after, diff }
    }

    /// The file that we make where there is none.
    fn fresh(&self, events: &[&str], entry: &Entry) -> String {
        let style = Style { newline: "\n", unit: "  ".to_owned() };
        format!("{{\n  {}\n}}\n", style.write(&self.all(events, entry), "  "))
    }

    fn added(&self, text: &str, entry: &Entry) -> Result<String, SetupError> {
        let root = document::parse(text)?;
        let style = Style::of(text, &root)?;
        let Some(hooks) = root.get(HOOKS) else {
            let place = Place::last(text, &root, 1, &style)?;
            return Ok(spliced(text, vec![place.insert(&[self.all(self.events, entry)], &style)]));
        };
        let there = hooks.members(HOOKS)?;
        let mut insertions = Vec::new();
        let mut missing = Vec::new();
        for event in self.events {
            match there.iter().find(|member| member.name == *event) {
                None => missing.push(self.event(event, entry)),
                Some(member) => {
                    let place = Place::last(text, &member.value, 3, &style)?;
                    insertions.push(place.insert(&[self.group(event, entry)], &style));
                }
            }
        }
        if !missing.is_empty() {
            insertions.push(Place::last(text, hooks, 2, &style)?.insert(&missing, &style));
        }
        Ok(spliced(text, insertions))
    }

    /// The text without anything of ours; `None` where the file was ours alone.
    fn without(&self, text: &str) -> Result<Option<String>, SetupError> {
        let root = document::parse(text)?;
        // Entries that tell carry another limit than the one that waits, so each entry that is there is tried.
        let mut made_for = ours(&root)?.into_iter().filter_map(|found| Entry::of_command(found.command));
        let made_by = || self.earlier.iter().copied().chain([self.events]);
        if made_for.any(|entry| made_by().any(|events| self.fresh(events, &entry) == text)) {
            return Ok(None);
        }
        let ranges = removal::ranges(text, &root)?;
        Ok(Some(spliced(text, ranges.into_iter().map(|range| (range, String::new())).collect())))
    }

    /// How what is there differs from what would be installed now, a sentence each.
    pub(super) fn differences(&self, root: &Node, entry: &Entry) -> Result<Vec<String>, SetupError> {
        let found = ours(root)?;
        let mut differences = Vec::new();
        for event in self.events {
            let here: Vec<&Ours<'_>> = found.iter().filter(|ours| ours.event == *event).collect();
            match here.as_slice() {
                [] if *event == self.before => differences.push(format!(
                    "there is no hook of ours for {event}, so what the agent does not ask about is not checked"
                )),
                [] => differences.push(format!("there is no hook of ours for {event}")),
                [one] => differences.extend(self.difference(one, event, entry)),
                _ => differences.push(format!("there are several hooks of ours for {event}")),
            }
        }
        let stray = found.iter().filter(|ours| !self.events.contains(&ours.event));
        differences.extend(
            stray.map(|ours| format!("there is a hook of ours for {}, which needs none", ours.event)),
        );
        Ok(differences)
    }

    fn difference(&self, found: &Ours<'_>, event: &str, entry: &Entry) -> Option<String> {
        let command = entry.command(self.agent, event, self.limit(event, entry));
        if found.command != command {
            return Some(format!("the hook for {event} runs `{}` instead of `{command}`", found.command));
        }
        if !self.is_as_written(found.hook, event, entry) {
            return Some(format!("the hook for {event} has other settings than it should"));
        }
        let matcher = found.group.get("matcher").map(|matcher| &matcher.value);
        let is_for_all = match matcher {
            None => true,
            Some(Value::Text(matcher)) => matcher.is_empty() || matcher == "*",
            Some(Value::Object(_) | Value::Array(_) | Value::Other(_)) => false,
        };
        (!is_for_all).then(|| format!("the hook for {event} is not asked about every tool"))
    }

    fn is_as_written(&self, hook: &Node, event: &str, entry: &Entry) -> bool {
        let limit = self.limit(event, entry).to_string();
        let waits = event == self.waits;
        let Ok(members) = hook.members(event) else { return false };
        members.len() == if waits { 4 } else { 3 }
            && hook.text("type") == Some("command")
            && matches!(hook.get("timeout").map(|node| &node.value), Some(Value::Other(secs)) if *secs == limit)
            && (!waits || hook.text("statusMessage") == Some(self.status))
    }

    fn limit(&self, event: &str, entry: &Entry) -> u32 {
        if event == self.waits {
            entry.limit_secs()
        } else if event == self.before {
            BEFORE_SECS
        } else {
            TELLING_SECS
        }
    }

    fn all(&self, events: &[&str], entry: &Entry) -> Lines {
        let events: Vec<Lines> = events.iter().map(|event| self.event(event, entry)).collect();
        wrapped(&format!("{}: {{", json::quoted(HOOKS)), events, "}")
    }

    fn event(&self, event: &str, entry: &Entry) -> Lines {
        wrapped(&format!("{}: [", json::quoted(event)), vec![self.group(event, entry)], "]")
    }

    fn group(&self, event: &str, entry: &Entry) -> Lines {
        let hooks = wrapped(&format!("{}: [", json::quoted(HOOKS)), vec![self.hook(event, entry)], "]");
        wrapped("{", vec![hooks], "}")
    }

    fn hook(&self, event: &str, entry: &Entry) -> Lines {
        let limit = self.limit(event, entry);
        let command = entry.command(self.agent, event, limit);
        let mut members = vec![
            format!("\"type\": {}", json::quoted("command")),
            format!("\"command\": {}", json::quoted(&command)),
            format!("\"timeout\": {limit}"),
        ];
        if event == self.waits {
            members.push(format!("\"statusMessage\": {}", json::quoted(self.status)));
        }
        wrapped("{", members.into_iter().map(|member| vec![(0, member)]).collect(), "}")
    }
}
