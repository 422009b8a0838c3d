//! What root wrote down for this machine (PERM-5). It narrows only, the person can't change or weaken it, and a text that
//! somebody else could have written is ignored with an alarm. A text of root's that can't be read makes everything ask:
//! what it meant to keep away is not known.

use countersign_proto::{id::Hash, text::Shown};

use super::{InForce, Origin, parse::parse, permission, text_hash, trouble::ParseError};

/// The managed policy.
pub const POLICY: &str = "/etc/countersign/managed.policy";
/// The managed permission file.
pub const PERMISSION: &str = "/etc/countersign/managed.json";

/// What stands in for a text of root's that can't be read.
const EVERYTHING_ASKS: &str = "ask read\nask read-external\nask write\nask external\nask tool Bash\n";

/// A managed file as a shell saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManagedFile {
    /// Its path: [`POLICY`] or [`PERMISSION`].
    pub path: String,
    /// What it holds, or why that can't be told.
    pub text: Result<String, Shown>,
    /// Whether root owns it and every folder above it.
    pub is_roots: bool,
    /// Whether anybody else may write it, or put another file in its place.
    pub is_open: bool,
}

/// Everything that root wrote down.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ManagedText {
    read: Vec<Read>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Read {
    path: String,
    home: String,
    state: State,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    /// In force.
    Good(String),
    /// Root's, and in force as [`EVERYTHING_ASKS`]: this is wrong with it.
    Wrong(Shown),
    /// Not in force: somebody else could have written it.
    Ignored,
}

impl ManagedText {
    /// Takes the files that there are; none is fine. `home` is the user's home folder, for `~`.
    #[must_use]
    pub fn of(files: Vec<ManagedFile>, home: &str) -> Self {
        let read = |file: ManagedFile| {
            let state = match file.text {
                _ if !file.is_roots || file.is_open => State::Ignored,
                Err(why) => State::Wrong(why),
                Ok(text) => match check(&file.path, &text, home) {
                    None => State::Good(text),
                    Some(error) => State::Wrong(Shown::line(&error.to_string())),
                },
            };
            Read { path: file.path, home: home.to_owned(), state }
        };
        Self { read: files.into_iter().map(read).collect() }
    }

    /// Its texts, ready to be compared with calls.
    #[must_use]
    pub fn in_force(&self) -> Vec<InForce> {
        self.read.iter().filter_map(Read::in_force).collect()
    }

    /// Hash of all that is in force; `None` where nothing is.
    #[must_use]
    pub fn text_hash(&self) -> Option<Hash> {
        let good: Vec<&str> = self
            .read
            .iter()
            .filter_map(|read| match &read.state {
                State::Good(text) => Some(text.as_str()),
                State::Wrong(_) => Some(EVERYTHING_ASKS),
                State::Ignored => None,
            })
            .collect();
        (!good.is_empty()).then(|| text_hash(&good.concat()))
    }

    /// What is there and how it stands, for the log.
    #[must_use]
    pub fn words(&self) -> Shown {
        if self.read.is_empty() {
            return Shown::line("no managed policy");
        }
        let words: Vec<String> = self
            .read
            .iter()
            .map(|read| match &read.state {
                State::Good(_) => format!("{} is in force", read.path),
                State::Wrong(_) | State::Ignored => read.alarm().unwrap_or_default(),
            })
            .collect();
        Shown::line(&words.join("; "))
    }

    /// What the person must be told, where something is wrong.
    #[must_use]
    pub fn alarm(&self) -> Option<Shown> {
        let alarms: Vec<String> = self.read.iter().filter_map(Read::alarm).collect();
        (!alarms.is_empty()).then(|| Shown::line(&alarms.join(" ")))
    }
}

impl Read {
    fn in_force(&self) -> Option<InForce> {
        let text = match &self.state {
            State::Ignored => return None,
            State::Good(text) => text,
            State::Wrong(_) => return asks_everything(Origin::Managed),
        };
        let read = if is_json(&self.path) {
            let file = permission::parse(text, &self.home).ok();
            file.map(|file| InForce::permissions(Origin::Managed, text, file, None))
        } else {
            parse(text, &self.home).ok().map(|policy| InForce::lines(Origin::Managed, text, policy))
        };
        read.or_else(|| asks_everything(Origin::Managed))
    }

    fn alarm(&self) -> Option<String> {
        match &self.state {
            State::Good(_) => None,
            State::Wrong(why) => Some(format!(
                "{} can't be read ({why}), so that every call asks; whoever manages this machine can mend it.",
                self.path
            )),
            State::Ignored => Some(format!(
                "{} is ignored: somebody else than root could have written it. Give it and its folder to root, writable \
                 by root alone.",
                self.path
            )),
        }
    }
}

/// What stands in for a text that was in force and can't be read any more: nothing passes, and nothing is forgotten.
pub(super) fn asks_everything(origin: Origin) -> Option<InForce> {
    parse(EVERYTHING_ASKS, "").ok().map(|policy| InForce::lines(origin, EVERYTHING_ASKS, policy))
}

fn is_json(path: &str) -> bool {
    path == PERMISSION
}

fn check(path: &str, text: &str, home: &str) -> Option<ParseError> {
    if is_json(path) {
        return permission::parse(text, home).err();
    }
    parse(text, home).err().and_then(|errors| errors.into_iter().next())
}

#[cfg(test)]
mod tests {
    use countersign_proto::request::Class;

    use super::*;
    use crate::{
        classify::Reach,
        policy::{sample::bare, verdict},
    };

    fn file(path: &str, text: &str) -> ManagedFile {
        ManagedFile { path: path.to_owned(), text: Ok(text.to_owned()), is_roots: true, is_open: false }
    }

    fn denies(managed: &ManagedText) -> bool {
        let sample = bare("git push", Class::External, Reach::Never);
        verdict(&sample.asked(), &managed.in_force()).deny.is_some()
    }

    #[test]
    fn both_forms_hold_and_nothing_there_is_fine() {
        let lines = file(POLICY, "deny command git push");
        let json = file(PERMISSION, r#"{"permission": {"bash": {"git push*": "deny"}}}"#);
        assert!(denies(&ManagedText::of(vec![lines.clone()], "/home/u")));
        assert!(denies(&ManagedText::of(vec![json.clone()], "/home/u")));
        let both = ManagedText::of(vec![lines, json], "/home/u");
        assert_eq!((both.in_force().len(), both.alarm()), (2, None));
        let none = ManagedText::default();
        assert!(none.in_force().is_empty() && none.alarm().is_none() && none.text_hash().is_none());
    }

    #[test]
    fn a_text_that_is_not_roots_alone_is_ignored_with_an_alarm() {
        for spoil in
            [|file: &mut ManagedFile| file.is_roots = false, |file: &mut ManagedFile| file.is_open = true]
        {
            let mut file = file(POLICY, "deny command git push");
            spoil(&mut file);
            let managed = ManagedText::of(vec![file], "/home/u");
            assert!(managed.in_force().is_empty() && managed.text_hash().is_none());
            assert!(managed.alarm().unwrap().as_str().contains("root"));
        }
    }

    #[test]
    fn a_text_of_roots_that_can_not_be_read_makes_everything_ask() {
        let unreadable = ManagedFile { text: Err(Shown::line("no permission")), ..file(POLICY, "") };
        for wrong in [file(POLICY, "deny everything"), file(PERMISSION, "{"), unreadable] {
            let managed = ManagedText::of(vec![wrong], "/home/u");
            let sample = bare("git status", Class::Read, Reach::Class);
            assert!(verdict(&sample.asked(), &managed.in_force()).ask.is_some());
            assert!(managed.alarm().unwrap().as_str().contains("every call asks"));
        }
    }
}
