//! What a person sees before they accept a text (POL-2, POL-7): the change against the one in force, how wide each new line
//! is, what ends with it, and what it would have answered in the last 30 days.

use std::fmt;

use countersign_core::policy::{diff, parse::parse, trouble::ParseError};
use countersign_ipc::control::{PolicyChange, PolicyInfo, PolicyKind, PolicyReview, PolicyText};
use countersign_proto::text::Shown;
use serde::Serialize;

use super::{hash, kind_of, list::title};
use crate::{pick::short, trouble::Trouble};

/// Two policies with so many lines in common, of a hundred, may be the same one, edited.
const ALIKE: usize = 50;

/// Everything that is shown of a text.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    /// The text itself.
    #[serde(skip)]
    pub(super) text: PolicyText,
    /// Its hash: what `policy accept --hash` takes.
    pub(super) text_hash: String,
    /// The folder it is for; absent for everywhere.
    project: Option<String>,
    /// What it is compared with.
    against: Option<String>,
    /// The change, line by line.
    change: String,
    /// How wide each new line is.
    widths: Vec<Width>,
    /// What a person must know.
    warnings: Vec<String>,
    /// What ends with it.
    pub(super) ends: Vec<PolicyInfo>,
    /// Calls of the last 30 days that were looked at.
    calls: u32,
    /// Whether there were more.
    more: bool,
    /// What would have come of them.
    changes: Vec<PolicyChange>,
}

#[derive(Debug, Serialize)]
struct Width {
    line: u32,
    words: String,
}

impl Told {
    /// A text against what is in force.
    pub(super) fn new(text: PolicyText, in_force: &[&PolicyInfo], home: &str) -> Result<Self, Trouble> {
        let project = match text.kind {
            PolicyKind::Policy => {
                let policy = parse(&text.text, home).map_err(|errors| wrong(&errors))?;
                policy.project.map(|project| project.path)
            }
            PolicyKind::PermissionFile => text.folder.clone(),
            PolicyKind::GreenReads | PolicyKind::GreenWrites => None,
        };
        let here = in_force.iter().find(|old| old.kind == text.kind && old.project == project);
        let edited = in_force.iter().find(|old| text.instead_of.as_ref() == Some(&old.consent_id));
        let old = edited.or(here).copied();
        let now = old.map(|old| old.text.as_str());
        let review =
            diff::review(kind_of(text.kind), now, &text.text, home).map_err(|errors| wrong(&errors))?;
        let mut warnings: Vec<String> = review.warnings.iter().map(ToString::to_string).collect();
        if here.is_none() && edited.is_none() {
            warnings.extend(in_force.iter().filter(|old| is_alike(old, &text)).map(|old| other_folder(old)));
        }
        Ok(Self {
            text_hash: hash(&text.text),
            project,
            against: old.map(|old| old.consent_id.clone()),
            change: review.change.to_string(),
            widths: review
                .widths
                .iter()
                .map(|(line, words)| Width { line: *line, words: words.to_string() })
                .collect(),
            warnings,
            ends: Vec::new(),
            calls: 0,
            more: false,
            changes: Vec::new(),
            text,
        })
    }

    /// With what the daemon says.
    pub(super) fn with(mut self, review: PolicyReview) -> Self {
        let PolicyReview { ends, calls, more, changes } = review;
        let elsewhere = ends.iter().filter(|old| old.project != self.project);
        self.warnings.extend(elsewhere.map(|old| {
            format!("The {} ends with this: its folder gets nothing from this text.", title(old))
        }));
        Self { ends, calls, more, changes, ..self }
    }
}

/// Whether a text in force for another folder is probably what this one was edited from.
fn is_alike(old: &PolicyInfo, new: &PolicyText) -> bool {
    if old.kind != new.kind || new.kind != PolicyKind::Policy {
        return false;
    }
    let lines = |text: &str| -> std::collections::BTreeSet<String> {
        let says = |line: &&str| !line.is_empty() && !line.starts_with('#') && !line.starts_with("project ");
        text.lines().map(str::trim).filter(says).map(str::to_owned).collect()
    };
    let (old, new) = (lines(&old.text), lines(&new.text));
    let common = old.intersection(&new).count();
    common > 0 && common * 100 >= old.len().max(new.len()) * ALIKE
}

fn other_folder(old: &PolicyInfo) -> String {
    let id = short(&old.consent_id);
    format!(
        "The {} looks much the same. If this is an edit of it, say so with --instead-of {id}, so that it ends; as it is, both \
         would be in force.",
        title(old)
    )
}

fn wrong(errors: &[ParseError]) -> Trouble {
    let text: Vec<String> = errors.iter().map(|error| Shown::line(&error.to_string()).to_string()).collect();
    Trouble::said(text.join("\n"), "Nothing was accepted; what was in force still is.")
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.project.as_deref().unwrap_or("everywhere");
        match &self.against {
            Some(old) => writeln!(f, "For {}, against {} in force:\n", Shown::line(place), short(old))?,
            None => writeln!(f, "For {}, where nothing is in force:\n", Shown::line(place))?,
        }
        write!(f, "{}", self.change)?;
        if !self.change.ends_with('\n') {
            writeln!(f)?;
        }
        if !self.widths.is_empty() {
            writeln!(f, "\nHow wide it is:")?;
        }
        for Width { line, words } in &self.widths {
            writeln!(f, "  line {line}: {words}")?;
        }
        if !self.warnings.is_empty() {
            writeln!(f)?;
        }
        for warning in &self.warnings {
            writeln!(f, "! {warning}")?;
        }
        writeln!(f, "\n{}", replayed(self))?;
        writeln!(f, "Hash of exactly this text: {}", self.text_hash)
    }
}

fn replayed(told: &Told) -> String {
    let newest = if told.more { "the newest " } else { "" };
    let mut text = format!("Of {newest}{} calls in the last 30 days:\n", told.calls);
    if told.changes.is_empty() {
        text.push_str("  nothing would have been answered otherwise.\n");
    }
    for change in &told.changes {
        let now = match change.from.as_str() {
            "allow" => "passed",
            "deny" => "were refused",
            _ => "asked",
        };
        let then = match change.to.as_str() {
            "allow" => "would have PASSED without a card",
            "deny" => "would have been refused",
            _ => "would have asked you",
        };
        text.push_str(&format!("  {} ({}) that {now} {then}:\n", change.count, change.class));
        text.extend(change.examples.iter().map(|example| format!("    {}\n", Shown::line(example).masked())));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    const HOME: &str = "/home/ann";

    fn told(text: &str, in_force: &[&PolicyInfo]) -> Told {
        let text = PolicyText { kind: PolicyKind::Policy, text: text.into(), folder: None, instead_of: None };
        Told::new(text, in_force, HOME).unwrap()
    }

    #[test]
    fn a_text_is_shown_against_the_one_for_the_same_place_only() {
        let site = samples::policy("ab", "project /home/ann/site\nallow read\n");
        let same = told("project /home/ann/site\nallow read\nallow write\n", &[&site]);
        assert_eq!(same.against.as_deref(), Some(site.consent_id.as_str()));
        let text = same.to_string();
        assert!(text.contains("+allow write") && !text.contains("+allow read"), "{text}");
        let other = told("project /home/ann/other\ndeny external\n", &[&site]);
        assert!(other.against.is_none() && other.to_string().contains("where nothing is in force"));
    }

    #[test]
    fn each_new_line_says_how_wide_it_is_and_the_hash_stands_below() {
        let text = told("allow external\n", &[]);
        assert_eq!(text.widths.len(), 1);
        let shown = text.to_string();
        assert!(shown.contains("How wide it is:\n  line 1: "), "{shown}");
        assert!(shown.ends_with(&format!("Hash of exactly this text: {}\n", hash("allow external\n"))));
    }

    #[test]
    fn an_edit_for_another_folder_is_warned_of_whether_it_was_named_or_not() {
        let site = samples::policy("ab", "project /home/ann/site\nallow read\nallow write\n");
        let moved = "project /home/ann/shop\nallow read\nallow write\n";
        assert!(told(moved, &[&site]).to_string().contains("--instead-of abababab"));
        assert!(!told("project /home/ann/shop\ndeny read\n", &[&site]).to_string().contains("instead-of"));
        let ended = PolicyReview { ends: vec![site.clone()], calls: 0, more: false, changes: vec![] };
        let shown = told(moved, &[]).with(ended).to_string();
        assert!(shown.contains("! The policy for /home/ann/site") && shown.contains("ends"), "{shown}");
    }

    #[test]
    fn what_it_would_have_answered_is_told_and_what_passes_is_loud() {
        let change = PolicyChange {
            from: "ask".into(),
            to: "allow".into(),
            class: "write".into(),
            count: 3,
            examples: vec!["Wants to write `a`".into()],
        };
        let review = PolicyReview { ends: vec![], calls: 12, more: false, changes: vec![change] };
        let shown = told("allow write\n", &[]).with(review).to_string();
        assert!(shown.contains("Of 12 calls in the last 30 days:"), "{shown}");
        assert!(shown.contains("3 (write) that asked would have PASSED without a card:"), "{shown}");
        assert!(shown.contains("    Wants to write `a`\n"), "{shown}");
    }

    #[test]
    fn an_error_is_told_with_its_place_and_that_nothing_changed() {
        let text = PolicyText {
            kind: PolicyKind::Policy,
            text: "allow everything\n".into(),
            folder: None,
            instead_of: None,
        };
        let words = Told::new(text, &[], HOME).unwrap_err().words();
        assert!(words.text.contains('1') && words.hint.contains("Nothing was accepted"), "{words:?}");
    }
}
