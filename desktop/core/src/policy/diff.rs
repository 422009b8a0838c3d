//! What a person is shown before they accept a text (POL-2, POL-7): its change against the one in force line by line, how
//! wide each of its lines is in words, and what it ends or no longer keeps away.

mod width;

use core::fmt;
use std::collections::BTreeSet;

use countersign_proto::text::Shown;
use similar::TextDiff;

use self::width::{of_line, of_rule};
use super::{
    Effect, TextKind,
    line::{Line, Policy},
    parse::parse,
    permission,
    trouble::{ParseError, Remark},
};

/// Up to this product of old and new lines a change is aligned line by line; beyond it, all old lines stand before all
/// new ones, so that no text keeps anybody waiting.
const ALIGNED: usize = 4_000_000;

/// A text, ready to be accepted, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    /// The change: `+`, `-` or a blank in front of each line; whole where nothing is in force.
    pub change: Shown,
    /// Each line that is new and how wide it is, in words; by its number in the new text.
    pub widths: Vec<(u32, Shown)>,
    /// What gets wider by lines that are gone, what ends, what is probably not meant: in words.
    pub warnings: Vec<Shown>,
    /// Whether it lets nothing pass that did not pass before.
    pub narrows_only: bool,
}

/// Reviews a text against the one in force.
///
/// # Errors
/// Everything that is wrong with the new text.
pub fn review(kind: TextKind, now: Option<&str>, new: &str, home: &str) -> Result<Review, Vec<ParseError>> {
    let change = Shown::lines(&change(now.unwrap_or_default(), new));
    match kind {
        TextKind::Lines => {
            let policy = parse(new, home)?;
            let old = now.and_then(|now| parse(now, home).ok());
            Ok(lines(change, old.as_ref(), &policy))
        }
        TextKind::Permission => {
            let file = permission::parse(new, home).map_err(|error| vec![error])?;
            let old = now.and_then(|now| permission::parse(now, home).ok()).unwrap_or_default();
            Ok(permissions(change, &old, &file))
        }
        TextKind::GreenReads | TextKind::GreenWrites => {
            Ok(Review { change, widths: Vec::new(), warnings: Vec::new(), narrows_only: false })
        }
    }
}

fn change(old: &str, new: &str) -> String {
    let aligned = old.lines().count().saturating_mul(new.lines().count()) <= ALIGNED;
    if !aligned {
        let with =
            |sign: char, text: &str| text.lines().map(|line| format!("{sign}{line}\n")).collect::<String>();
        return with('-', old) + &with('+', new);
    }
    let diff = TextDiff::from_lines(old, new);
    diff.unified_diff().context_radius(3).missing_newline_hint(false).to_string()
}

fn lines(change: Shown, old: Option<&Policy>, new: &Policy) -> Review {
    let (before, after) = (old.map(said).unwrap_or_default(), said(new));
    let is_new = |line: &&Line| !before.contains(&line.to_string());
    let same_reach = old.is_some_and(|old| old.project == new.project && old.agents == new.agents);
    let added: Vec<&Line> = new.lines.iter().filter(|line| is_new(line) || !same_reach).collect();
    let gone: Vec<&Line> =
        old.iter().flat_map(|old| &old.lines).filter(|line| !after.contains(&line.to_string())).collect();
    let mut warnings: Vec<Shown> = gone
        .iter()
        .filter(|line| line.effect != Effect::Allow)
        .map(|line| {
            Shown::line(&format!("No longer there: `{line}`. What it kept away may pass or ask again."))
        })
        .collect();
    let place =
        |policy: &Policy| policy.project.as_ref().map_or("everywhere".to_owned(), |it| it.written.clone());
    if let Some(old) = old.filter(|old| old.project != new.project) {
        let words = format!(
            "This text is for {}, the one that it was edited from for {}: accepting it ends the old one.",
            place(new),
            place(old)
        );
        warnings.push(Shown::line(&words));
    }
    warnings.extend(
        new.remarks.iter().map(|Remark { line, words }| Shown::line(&format!("Line {line}: {words}"))),
    );
    let allows = added.iter().any(|line| line.effect == Effect::Allow);
    if allows {
        warnings.push(Shown::line(ANYBODY));
    }
    let widths = added.iter().map(|line| (line.number, Shown::line(&of_line(line)))).collect();
    let narrowing_gone = gone.iter().any(|line| line.effect != Effect::Allow);
    Review {
        change,
        widths,
        warnings,
        narrows_only: !allows && !narrowing_gone && (old.is_none() || same_reach),
    }
}

/// What no text can keep away.
const ANYBODY: &str = "A program that runs as you can do what you can: also accept a text in your name. Allow lines \
                       save you cards; they are no fence.";

/// What the lines of a policy say, whatever their order.
fn said(policy: &Policy) -> BTreeSet<String> {
    policy.lines.iter().map(ToString::to_string).collect()
}

fn permissions(change: Shown, old: &permission::Permissions, new: &permission::Permissions) -> Review {
    let told = |file: &permission::Permissions| -> Vec<(Option<String>, String)> {
        file.rules().map(|(profile, rule)| (profile.map(str::to_owned), rule.to_string())).collect()
    };
    let before = told(old);
    let known: BTreeSet<_> = before.iter().cloned().collect();
    let mut widths = Vec::new();
    let mut allows = false;
    for (profile, rule) in new.rules() {
        if known.contains(&(profile.map(str::to_owned), rule.to_string())) {
            continue;
        }
        allows |= rule.effect() == Effect::Allow;
        let of = profile.map_or(String::new(), |name| format!(" For the profile `{name}` only."));
        widths.push((rule.number(), Shown::line(&format!("{}{of}", of_rule(rule)))));
    }
    let mut warnings = Vec::new();
    if allows {
        warnings.push(Shown::line(ANYBODY));
    }
    // The order of rules decides, so that any change among old ones may widen.
    let narrows_only = !allows && told(new).starts_with(&before);
    if !narrows_only && !before.is_empty() {
        warnings.push(Shown::line(
            "The last rule that matches wins: read the change as a whole, not rule by rule.",
        ));
    }
    Review { change, widths, warnings, narrows_only }
}

impl fmt::Display for Review {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.change)?;
        for (number, words) in &self.widths {
            writeln!(f, "line {number}: {words}")?;
        }
        for warning in &self.warnings {
            writeln!(f, "! {warning}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: &str = "/home/u";

    fn of(now: Option<&str>, new: &str) -> Review {
        review(TextKind::Lines, now, new, HOME).unwrap()
    }

    #[test]
    fn the_change_is_shown_with_its_signs_and_a_first_text_whole() {
        let change = of(Some("allow read\nallow write\n"), "allow read\ndeny external\n").change;
        assert_eq!(change.as_str(), "@@ -1,2 +1,2 @@\n allow read\n-allow write\n+deny external\n");
        assert!(of(None, "allow read\n").change.as_str().contains("+allow read"));
    }

    #[test]
    fn each_new_line_says_how_wide_it_is() {
        let review = of(Some("allow read\n"), "allow read\nallow external\nallow write\n");
        assert_eq!(review.widths.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 3]);
        assert!(review.widths[0].1.as_str().contains("out of the project"), "{review}");
        assert!(review.widths[1].1.as_str().contains("run later"), "{review}");
        assert!(review.warnings.iter().any(|it| it.as_str().contains("A program that runs as you")));
    }

    #[test]
    fn lines_that_are_gone_and_other_folders_are_warned_of() {
        let review = of(Some("project ~/a\ndeny external\n"), "project ~/b\nallow read\n");
        assert!(review.to_string().contains("No longer there: `deny external`"), "{review}");
        assert!(review.to_string().contains("ends the old one"), "{review}");
        assert!(!review.narrows_only);
        assert!(of(Some("allow read\n"), "allow read\ndeny write\n").narrows_only);
        assert!(!of(Some("agents claude\ndeny read\n"), "agents codex\ndeny read\n").narrows_only);
    }

    #[test]
    fn a_line_that_can_never_allow_says_so() {
        for line in [
            "allow command git commit *",
            "allow command cargo test",
            "allow command rm a",
            "allow command frob x",
        ] {
            let review = of(None, line);
            assert!(review.widths[0].1.as_str().contains("always asks"), "{line}: {review}");
        }
        assert!(!of(None, "allow command git status").to_string().contains("always asks"));
    }

    #[test]
    fn permission_files_are_reviewed_too() {
        let file = |value: &str| format!("{{\"permission\": {value}}}");
        let new = file(r#"{"bash": {"*": "ask", "git *": "allow"}}"#);
        let review = review(TextKind::Permission, None, &new, HOME).unwrap();
        assert_eq!(review.widths.len(), 2);
        assert!(!review.narrows_only && review.to_string().contains("code of the project"), "{review}");
        let wrong = super::review(TextKind::Permission, None, "{", HOME);
        assert_eq!(wrong.unwrap_err().len(), 1);
    }

    #[test]
    fn a_text_as_long_as_may_be_is_reviewed_at_once() {
        let text = |word: &str| {
            (0..5_000).map(|number| format!("deny command {word}{number}\n")).collect::<String>()
        };
        assert!(of(Some(&text("a")), &text("b")).change.as_str().starts_with("-deny command a0\n"));
    }
}
