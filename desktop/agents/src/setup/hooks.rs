//! Settings files that keep hooks as Claude Code does: `{"hooks": {EVENT: [{"hooks": [{"type": "command", …}]}]}}`.
//! Adds our entries at the end of what is there, in the file's own indentation, and takes exactly them out again.

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
    /// What the agent says while it waits.
    pub(crate) status: &'static str,
    /// Every event, in the order in which they are written.
    pub(crate) events: &'static [&'static str],
}

/// The agent's limit for hooks that only tell, in seconds.
const TELLING_SECS: u32 = 5;

/// Where hooks stand.
pub(super) const HOOKS: &str = "hooks";

impl HookFile {
    /// Adds our hooks, or brings outdated ones up to date; no change where they stand as they should.
    pub(crate) fn install(&self, before: Option<&str>, entry: &Entry) -> Result<Change, SetupError> {
        let Some(text) = before else {
            return Ok(self.change(None, Some(self.fresh(entry))));
        };
        let is_current = self.differences(&document::parse(text)?, entry)?.is_empty();
        if is_current {
            return Ok(self.change(before, before.map(str::to_owned)));
        }
        let after = match self.without(text)? {
            None => self.fresh(entry),
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
    fn fresh(&self, entry: &Entry) -> String {
        let style = Style { newline: "\n", unit: "  ".to_owned() };
        format!("{{\n  {}\n}}\n", style.write(&self.all(entry), "  "))
    }

    fn added(&self, text: &str, entry: &Entry) -> Result<String, SetupError> {
        let root = document::parse(text)?;
        let style = Style::of(text, &root)?;
        let Some(hooks) = root.get(HOOKS) else {
            let place = Place::last(text, &root, 1, &style)?;
            return Ok(spliced(text, vec![place.insert(&[self.all(entry)], &style)]));
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
        if made_for.any(|entry| self.fresh(&entry) == text) {
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
        if event == self.waits { entry.limit_secs() } else { TELLING_SECS }
    }

    fn all(&self, entry: &Entry) -> Lines {
        let events: Vec<Lines> = self.events.iter().map(|event| self.event(event, entry)).collect();
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        claude,
        setup::{LIMIT_SECS, State},
    };

    fn entry() -> Entry {
        Entry::new("/usr/lib/countersign/countersign-hook", None, LIMIT_SECS).unwrap()
    }

    fn installed(text: Option<&str>) -> String {
        claude::install(text, &entry()).unwrap().after.unwrap()
    }

    fn comes_back(text: &str) {
        let with = installed(Some(text));
        assert_eq!(claude::inspect(Some(&with), &entry()).unwrap().state, State::Installed, "{with}");
        assert!(claude::install(Some(&with), &entry()).unwrap().is_none(), "{with}");
        let without = claude::remove(Some(&with)).unwrap();
        assert_eq!(without.after.as_deref(), Some(text), "{with}");
        let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        let mut value = json(&with);
        value.as_object_mut().unwrap().remove("hooks");
        let mut before = json(text);
        before.as_object_mut().unwrap().remove("hooks");
        assert_eq!(value, before);
    }

    #[test]
    fn a_missing_file_is_made_and_goes_again() {
        let change = claude::install(None, &entry()).unwrap();
        let made = change.after.as_deref().unwrap();
        assert_eq!(made, include_str!("../../fixtures/claude/setup/missing.after.json"));
        assert!(
            change.diff.as_str().starts_with("--- /dev/null\n+++ ~/.claude/settings.json\n"),
            "{}",
            change.diff
        );
        assert_eq!(claude::remove(Some(made)).unwrap().after, None);
        assert_eq!(claude::remove(None).unwrap().after, None);
    }

    #[test]
    fn everything_else_in_the_file_stays_byte_for_byte() {
        let before = include_str!("../../fixtures/claude/setup/foreign.before.json");
        let change = claude::install(Some(before), &entry()).unwrap();
        assert_eq!(
            change.after.as_deref(),
            Some(include_str!("../../fixtures/claude/setup/foreign.after.json"))
        );
        let removed =
            change.diff.as_str().lines().filter(|line| line.starts_with('-') && !line.starts_with("---"));
        // A comma is all that is added to lines that were there.
        assert!(
            removed.clone().count() > 0 && removed.clone().all(|line| line.trim_end().ends_with(['}', ']']))
        );
        comes_back(before);
    }

    #[test]
    fn files_of_every_layout_come_back_as_they_were() {
        for text in [
            "{}",
            "{}\n",
            "{ }",
            "{\n}\n",
            " {\n\n  }  \n\n",
            "{\"model\":\"x\"}",
            "{\n\t\"model\": \"x\"\n}\n",
            "{\r\n    \"model\": \"x\",\r\n    \"env\": {}\r\n}\r\n",
            "{\"hooks\":{}}",
            "{\n  \"hooks\": {\n  }\n}",
            "{\"hooks\":{\"Stop\":[]}}",
            "{\"hooks\": {\"Stop\": [ ], \"PermissionRequest\": [\n]}}",
            "{\"hooks\": {\"Other\": [{\"hooks\": []}]}, \"z\": [1,\n2]}",
            "{\"hooks\":{\"PermissionRequest\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]}}",
            "{\"a\":1,\"hooks\":{\"SessionEnd\":[{\"hooks\":[]}],\"X\":[]},\"b\":{\"c\":\"}]\"}}",
        ] {
            comes_back(text);
        }
    }

    #[test]
    fn our_entries_take_over_the_indentation_and_line_breaks_of_the_file() {
        let tabs = installed(Some("{\n\t\"model\": \"x\"\n}\n"));
        assert!(tabs.contains("\n\t\"hooks\": {\n\t\t\"SessionStart\": [\n\t\t\t{"), "{tabs}");
        let crlf = installed(Some("{\r\n    \"model\": \"x\"\r\n}\r\n"));
        assert_eq!(crlf.matches('\n').count(), crlf.matches("\r\n").count());
        assert!(crlf.contains("\r\n    \"hooks\": {\r\n        \"SessionStart\""), "{crlf}");
    }

    #[test]
    fn an_outdated_entry_is_replaced_and_nothing_is_left_of_it() {
        let before = "{\n  \"hooks\": {\n    \"Stop\": []\n  },\n  \"a\": 1\n}\n";
        let old = Entry::new("/opt/old place/countersign-hook", Some("demo"), 30).unwrap();
        for before in [Some(before), None] {
            let outdated = claude::install(before, &old).unwrap().after.unwrap();
            let report = claude::inspect(Some(&outdated), &entry()).unwrap();
            assert!(matches!(report.state, State::Outdated(why) if why.len() == 8));
            let updated = claude::install(Some(&outdated), &entry()).unwrap().after.unwrap();
            assert_eq!(updated, installed(before));
            assert_eq!(claude::remove(Some(&updated)).unwrap().after.as_deref(), before);
        }
    }

    #[test]
    fn one_missing_or_changed_entry_is_noticed_and_repaired() {
        let with = installed(Some("{\"a\": 1}"));
        for (from, to) in [
            ("\"timeout\": 125", "\"timeout\": 60"),
            ("\"Stop\": [", "\"Stopped\": ["),
            ("\"type\": \"command\",", "\"async\": true, \"type\": \"command\","),
            ("Waiting for your answer in Countersign", "Waiting"),
            ("{\n        \"hooks\"", "{\n        \"matcher\": \"Bash\", \"hooks\""),
        ] {
            let changed = with.replacen(from, to, 1);
            assert_ne!(changed, with, "{from}");
            let report = claude::inspect(Some(&changed), &entry()).unwrap();
            assert!(matches!(report.state, State::Outdated(_)), "{to}");
            assert_eq!(installed(Some(&changed)), with);
        }
    }

    #[test]
    fn our_hook_leaves_a_group_that_others_share() {
        let command = entry().command("claude", "Stop", 5);
        let hook = |command: &str| format!("{{\"type\":\"command\",\"command\":{}}}", json::quoted(command));
        let text = |hooks: &str| format!("{{\"hooks\":{{\"Stop\":[{{\"hooks\":[{hooks}]}}]}}}}");
        for ours in
            [format!("{}, {}", hook(&command), hook("x")), format!("{}, {}", hook("x"), hook(&command))]
        {
            assert_eq!(claude::remove(Some(&text(&ours))).unwrap().after, Some(text(&hook("x"))));
        }
        let between = format!("{},{},{}", hook("x"), hook(&command), hook("y"));
        let left = format!("{},{}", hook("x"), hook("y"));
        assert_eq!(claude::remove(Some(&text(&between))).unwrap().after, Some(text(&left)));
    }

    #[test]
    fn a_file_that_claude_code_wrote_again_loses_only_our_hooks() {
        let before =
            "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]},\"a\":1}";
        let value: serde_json::Value = serde_json::from_str(&installed(Some(before))).unwrap();
        let rewritten = serde_json::to_string_pretty(&value).unwrap();
        let without = claude::remove(Some(&rewritten)).unwrap().after.unwrap();
        let before: serde_json::Value = serde_json::from_str(before).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&without).unwrap(), before);
    }

    #[test]
    fn what_is_no_settings_file_is_left_alone() {
        for text in
            ["", "{", "[]", "{\"hooks\": []}", "{\"hooks\": {\"Stop\": {}}}", "{\"hooks\": null}", "// x\n{}"]
        {
            assert!(claude::install(Some(text), &entry()).is_err(), "{text}");
        }
        let error = claude::remove(Some("{\"hooks\": {\"Stop\": [{\"hooks\": 1}]}}")).unwrap_err();
        assert_eq!(error.to_string(), "`Stop` in the settings file is not a list; nothing was changed");
    }

    fn settings() -> impl Strategy<Value = String> {
        let blank = "[ ]{0,2}(\n|\r\n)?[ \t]{0,3}";
        let scalar = prop_oneof![
            Just("1".to_owned()),
            Just("\"a, ]}\"".to_owned()),
            Just("[ ]".to_owned()),
            Just("{\"hooks\":[]}".to_owned())
        ];
        let group = prop_oneof![
            Just("{\"hooks\":[]}".to_owned()),
            Just(
                "{\"matcher\":\"Bash\", \"hooks\" : [{\"type\":\"command\",\n\"command\":\"y\"}]}".to_owned()
            ),
            Just("{\"hooks\": [\n{\"type\":\"http\",\"url\":\"http://x\"} ] }".to_owned()),
        ];
        let list = |item: BoxedStrategy<String>, open: &'static str, close: &'static str| {
            (proptest::collection::vec((blank, item, blank), 0..3), blank).prop_map(move |(items, end)| {
                let items: Vec<String> =
                    items.into_iter().map(|(a, item, b)| format!("{a}{item}{b}")).collect();
                let inner = if items.is_empty() { end } else { items.join(",") };
                format!("{open}{inner}{close}")
            })
        };
        let name = prop_oneof![Just("Stop"), Just("PermissionRequest"), Just("Unknown"), Just("SessionEnd")];
        let event = (name, blank, list(group.boxed(), "[", "]"))
            .prop_map(|(name, blank, groups)| (name, format!("\"{name}\"{blank}:{groups}")));
        let hooks =
            (proptest::collection::vec((blank, event, blank), 0..3), blank).prop_map(|(mut events, end)| {
                let mut seen = std::collections::BTreeSet::new();
                events.retain(|(_, (name, _), _)| seen.insert(*name));
                let events: Vec<String> =
                    events.into_iter().map(|(a, (_, event), b)| format!("{a}{event}{b}")).collect();
                format!("{{{}}}", if events.is_empty() { end } else { events.join(",") })
            });
        let others = (scalar.clone(), scalar);
        (proptest::option::of(hooks), others, blank, blank, blank, 0..4_usize).prop_map(
            |(hooks, (first, second), a, b, c, which)| {
                let mut members = Vec::new();
                if which & 1 == 1 {
                    members.push(format!("\"first\":{b}{first}"));
                }
                members.extend(hooks.map(|hooks| format!("\"hooks\":{c}{hooks}")));
                if which & 2 == 2 {
                    members.push(format!("\"second\": {second}"));
                }
                let members: Vec<String> =
                    members.into_iter().map(|member| format!("{a}{member}{b}")).collect();
                format!("{b}{{{}}}{a}", if members.is_empty() { c } else { members.join(",") })
            },
        )
    }

    proptest! {
        #[test]
        fn taking_out_what_was_added_restores_every_file(text in settings()) {
            comes_back(&text);
        }

        #[test]
        fn no_text_makes_it_panic(text in any::<String>()) {
            let _ = claude::install(Some(&text), &entry());
            let _ = claude::remove(Some(&text));
            let _ = claude::inspect(Some(&text), &entry());
        }
    }
}
