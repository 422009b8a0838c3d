//! How our hooks stand in a settings file, and who else answers there.

use countersign_proto::text::{Foreign, Shown};

use super::{
    Entry, Report, SetupError, State, command,
    document::{self, Node, Value},
    hooks::{HOOKS, HookFile},
    removal::ours,
};

impl HookFile {
    /// Reads how our hooks stand. What it means for this agent is added by its adapter.
    pub(crate) fn inspect(&self, text: Option<&str>, entry: &Entry) -> Result<Report, SetupError> {
        // A file that isn't there says as much as an empty one.
        let root = document::parse(text.unwrap_or("{}"))?;
        let differences = self.differences(&root, entry)?;
        let state = if ours(&root)?.is_empty() {
            State::Missing
        } else if differences.is_empty() {
            State::Installed
        } else {
            State::Outdated(differences.iter().map(|words| Shown::line(words)).collect())
        };
        let is_true = |name| matches!(root.get(name).map(|node| &node.value), Some(Value::Other(word)) if word == "true");
        let mode = root.get("permissions").and_then(|permissions| permissions.text("defaultMode"));
        let mut report = Report {
            state,
            foreign: self.foreign(&root)?,
            all_disabled: is_true("disableAllHooks"),
            managed_only: is_true("allowManagedHooksOnly"),
            default_mode: mode.map(Foreign::new),
            advice: Vec::new(),
        };
        report.advice = advice(&report);
        Ok(report)
    }

    /// Hooks of other programs on the event that we answer: their command, address or kind.
    fn foreign(&self, root: &Node) -> Result<Vec<Foreign>, SetupError> {
        let mut found = Vec::new();
        let Some(groups) = root.get(HOOKS).and_then(|hooks| hooks.get(self.waits)) else { return Ok(found) };
        for group in groups.items(self.waits)? {
            let Some(hooks) = group.get(HOOKS) else { continue };
            for hook in hooks.items(self.waits)? {
                let name = ["command", "url", "prompt", "type"].into_iter().find_map(|name| hook.text(name));
                let name = name.unwrap_or("a hook without a name");
                if !command::is_ours(name) {
                    found.push(Foreign::new(name));
                }
            }
        }
        Ok(found)
    }
}

fn advice(report: &Report) -> Vec<Shown> {
    let mut advice = Vec::new();
    if report.all_disabled {
        advice.push(Shown::line(
            "`disableAllHooks` is true in this file, so no hook runs and no card can come: take it out",
        ));
    }
    for other in &report.foreign {
        advice.push(Shown::line(&format!(
            "`{}` answers permission requests too; whichever hook decides first wins, so it can answer before you do",
            other.raw()
        )));
    }
    advice
}
