//! JSON with places: which line and column a value begins at, in which order the keys of an object stand, and whether one
//! stands twice. Reading and checking is `serde_json`'s.

use core::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::policy::trouble::{ParseError, quoted};

/// A value in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value<'t> {
    text: &'t str,
    raw: &'t str,
}

/// A key and what it stands for.
pub(super) type Entry<'t> = (String, Value<'t>);

/// What a value is, so far as permission files have it.
pub(super) enum Kind<'t> {
    Text(String),
    Object(Vec<Entry<'t>>),
    Array(Vec<Value<'t>>),
    /// A number, `true`, `false` or `null`.
    Other,
}

impl<'t> Value<'t> {
    /// The one value that a text holds.
    pub(super) fn of(text: &'t str) -> Result<Self, ParseError> {
        match serde_json::from_str::<&RawValue>(text) {
            Ok(raw) => Ok(Self { text, raw: raw.get() }),
            Err(error) => Err(wrong(&error, 0, 0)),
        }
    }

    pub(super) fn kind(self) -> Result<Kind<'t>, ParseError> {
        let inner = |raw: &'t RawValue| Self { text: self.text, raw: raw.get() };
        let kind = match self.raw.bytes().next() {
            Some(b'"') => Kind::Text(self.read()?),
            Some(b'{') => {
                let Entries(entries) = self.read()?;
                Kind::Object(entries.into_iter().map(|(key, raw)| (key, inner(raw))).collect())
            }
            Some(b'[') => {
                let items: Vec<&'t RawValue> = self.read()?;
                Kind::Array(items.into_iter().map(inner).collect())
            }
            _ => Kind::Other,
        };
        let Kind::Object(entries) = &kind else { return Ok(kind) };
        let mut seen = std::collections::BTreeSet::new();
        match entries.iter().find(|(key, _)| !seen.insert(key.as_str())) {
            None => Ok(kind),
            Some((key, value)) => {
                let what = format!("{} stands here for the second time", quoted(key));
                Err(value.error(
                    what,
                    "The order of keys decides, so each may stand once; put its patterns together.",
                ))
            }
        }
    }

    fn read<T: Deserialize<'t>>(self) -> Result<T, ParseError> {
        let (line, column) = self.place();
        serde_json::from_str(self.raw).map_err(|error| wrong(&error, line - 1, column - 1))
    }

    /// Line and column where it begins, both from 1.
    pub(super) fn place(self) -> (u32, u32) {
        // The value is a piece of the text, so its address tells where.
        let at = (self.raw.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let before = self.text.get(..at).unwrap_or_default();
        let line = before.bytes().filter(|byte| *byte == b'\n').count();
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX).saturating_add(1);
        (number(line), number(column))
    }

    /// An error about it.
    pub(super) fn error(self, what: impl Into<String>, fix: impl Into<String>) -> ParseError {
        let (line, column) = self.place();
        ParseError { line, column, what: what.into(), fix: fix.into() }
    }
}

/// An object's keys and values, in their order, doubles included.
struct Entries<'t>(Vec<(String, &'t RawValue)>);

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Entries<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Entries<'de>, M::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(Reader)
    }
}

/// What `serde_json` found, with our own words for what to do. Lines and columns of a piece begin where the piece does.
fn wrong(error: &serde_json::Error, lines: u32, columns: u32) -> ParseError {
    let whole = error.to_string();
    let what = whole.split(" at line ").next().unwrap_or(&whole).to_owned();
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX).max(1);
    let columns = if error.line() <= 1 { columns } else { 0 };
    let fix = if what.contains("trailing comma") {
        "Take away the comma before it: JSON has none behind the last entry."
    } else if what.contains("EOF") {
        "The text ends too early: a `}`, `]` or `\"` is missing."
    } else if what.contains("trailing characters") {
        "Only one value may stand here."
    } else {
        "Write JSON: keys and texts in double quotes, `:` behind a key, `,` between entries, no comments."
    };
    ParseError {
        line: number(error.line()).saturating_add(lines),
        column: number(error.column()).saturating_add(columns),
        what,
        fix: fix.to_owned(),
    }
}
