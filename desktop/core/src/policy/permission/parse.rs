//! Reads permission files. Total: every text gives permissions, or an error that says where, what, and what would be
//! right.

use super::{
    Permissions, Rule,
    json::{Kind, Value},
    wildcard::Wildcard,
};
use crate::policy::{
    Effect,
    names::nearest,
    place,
    trouble::{ParseError, choice, quoted},
};

/// The longest text that is read, in bytes.
pub const LONGEST_TEXT: usize = 128 * 1024;
/// The most rules that a file may have.
pub const MOST_RULES: usize = 10_000;
/// The longest key or pattern, in bytes.
pub const LONGEST_PATTERN: usize = 1024;

const ACTIONS: &[&str] = &["allow", "ask", "deny"];

/// Reads a whole file: an object with `permission`, and with `agent` and `references` where it has them.
///
/// # Errors
/// The first thing that is wrong.
pub fn parse(text: &str, home: &str) -> Result<Permissions, ParseError> {
    let whole = value(text)?;
    let Kind::Object(entries) = whole.kind()? else {
        return Err(whole.error("this is no object", "Write `{\"permission\": {…}}`."));
    };
    let mut permissions = Permissions::default();
    let mut is_said = false;
    for (key, value) in entries {
        match key.as_str() {
            "permission" => {
                is_said = true;
                permissions.rules = rules(value, home)?;
            }
            "agent" => {
                is_said = true;
                permissions.profiles = profiles(value, home)?;
            }
            "references" => permissions.references = references(value, home)?,
            "$schema" => {}
            _ => {
                let what = format!("{} means nothing in a permission file", quoted(&key));
                return Err(value.error(what, "It has `permission`, and may have `agent` and `references`."));
            }
        }
    }
    if !is_said {
        return Err(whole.error("`permission` is missing", "Write `{\"permission\": {…}}`."));
    }
    bounded(permissions, whole)
}

/// Reads a value of `permission` alone: an action, or an object of rules.
///
/// # Errors
/// The first thing that is wrong.
pub fn parse_value(text: &str, home: &str) -> Result<Permissions, ParseError> {
    let whole = value(text)?;
    bounded(Permissions { rules: rules(whole, home)?, ..Permissions::default() }, whole)
}

fn value(text: &str) -> Result<Value<'_>, ParseError> {
    if text.len() > LONGEST_TEXT {
        let fix = format!("A permission file has at most {LONGEST_TEXT} bytes.");
        return Err(ParseError { line: 1, column: 1, what: "this text is too long".to_owned(), fix });
    }
    Value::of(text)
}

fn bounded(permissions: Permissions, whole: Value<'_>) -> Result<Permissions, ParseError> {
    if permissions.len() <= MOST_RULES {
        return Ok(permissions);
    }
    Err(whole.error("there are too many rules", format!("A permission file has at most {MOST_RULES} rules.")))
}

fn rules(value: Value<'_>, home: &str) -> Result<Vec<Rule>, ParseError> {
    let entries = match value.kind()? {
        Kind::Text(_) => {
            let (number, _) = value.place();
            return Ok(vec![Rule {
                number,
                key: Wildcard::new("*", "*"),
                subject: None,
                effect: action(value)?,
            }]);
        }
        Kind::Object(entries) => entries,
        Kind::Array(_) | Kind::Other => {
            let fix = format!("Write {}, or an object of tools: `{{\"bash\": \"ask\"}}`.", choice(ACTIONS));
            return Err(value.error("this is neither an action nor an object", fix));
        }
    };
    let mut rules = Vec::new();
    for (key, value) in entries {
        let tools = pattern(&key, value, "")?;
        match value.kind()? {
            Kind::Object(subjects) => {
                for (subject, value) in subjects {
                    let subject = Some(pattern(&subject, value, home)?);
                    let (number, _) = value.place();
                    rules.push(Rule { number, key: tools.clone(), subject, effect: action(value)? });
                }
            }
            Kind::Text(_) | Kind::Array(_) | Kind::Other => {
                let (number, _) = value.place();
                rules.push(Rule { number, key: tools, subject: None, effect: action(value)? });
            }
        }
    }
    Ok(rules)
}

fn action(value: Value<'_>) -> Result<Effect, ParseError> {
    let known = choice(ACTIONS);
    let Kind::Text(word) = value.kind()? else {
        return Err(value.error("an action is a text", format!("Write {known}, in double quotes.")));
    };
    match word.as_str() {
        "allow" => Ok(Effect::Allow),
        "ask" => Ok(Effect::Ask),
        "deny" => Ok(Effect::Deny),
        _ => {
            let fix = match nearest(&word, ACTIONS) {
                Some(meant) => format!("Did you mean `{meant}`? Write {known}."),
                None => format!("Write {known}."),
            };
            Err(value.error(format!("{} is no action", quoted(&word)), fix))
        }
    }
}

fn pattern(written: &str, value: Value<'_>, home: &str) -> Result<Wildcard, ParseError> {
    if written.is_empty() {
        return Err(value.error("a key is empty", "Write the name of a tool or a pattern; `*` is for all."));
    }
    if written.len() > LONGEST_PATTERN {
        let fix = format!("A key has at most {LONGEST_PATTERN} bytes.");
        return Err(value.error(format!("{} is too long", quoted(written)), fix));
    }
    // `~` and `$HOME` stand for the home folder at the beginning only (PERM-1).
    let whole = place::at_home(written, home);
    Ok(Wildcard::new(written, whole.as_deref().unwrap_or(written)))
}

fn profiles(value: Value<'_>, home: &str) -> Result<Vec<(String, Vec<Rule>)>, ParseError> {
    const FIX: &str = "Write `{\"NAME\": {\"permission\": {…}}}`.";
    let Kind::Object(entries) = value.kind()? else {
        return Err(value.error("the agents are no object", FIX));
    };
    let mut profiles = Vec::new();
    for (name, value) in entries {
        let Kind::Object(block) = value.kind()? else {
            return Err(value.error(format!("{} is no object", quoted(&name)), FIX));
        };
        for (key, value) in block {
            if key != "permission" {
                return Err(value.error(format!("{} means nothing here", quoted(&key)), FIX));
            }
            profiles.push((name.clone(), rules(value, home)?));
        }
    }
    Ok(profiles)
}

/// The tools that read, for which a reference says `allow`.
const READERS: &[&str] = &["read", "list", "grep", "glob"];

fn references(value: Value<'_>, home: &str) -> Result<Vec<Rule>, ParseError> {
    const FIX: &str = "Write a list of folders: `[\"~/docs\"]`, absolute or beginning with `~/`.";
    let Kind::Array(items) = value.kind()? else {
        return Err(value.error("the references are no list", FIX));
    };
    let mut rules = Vec::new();
    for item in items {
        let Kind::Text(written) = item.kind()? else {
            return Err(item.error("a reference is a text", FIX));
        };
        let whole = place::at_home(&written, home).unwrap_or_else(|| written.clone());
        let Some(path) = place::plain(&whole).filter(|_| !written.contains(['*', '?'])) else {
            return Err(item.error(format!("{} is no such folder", quoted(&written)), FIX));
        };
        if path == "/" || place::plain(home).is_some_and(|home| place::is_within(&home, &path)) {
            let what = format!("{} holds too much to be read without asking", quoted(&written));
            return Err(item.error(what, "Name a folder in it."));
        }
        let (number, _) = item.place();
        // Folders are compared with a `/` behind them, so that this is the folder and all below it.
        let folder = Wildcard::new(&written, &format!("{path}/*"));
        rules.extend(READERS.iter().map(|tool| Rule {
            number,
            key: Wildcard::new("references", tool),
            subject: Some(folder.clone()),
            effect: Effect::Allow,
        }));
    }
    Ok(rules)
}
