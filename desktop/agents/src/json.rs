//! JSON as an agent wrote it: members in their order, numbers as their text, members that are there twice refused.
//! Escapes of half characters (lone surrogates), which no Rust text can hold, become visible text.

use std::collections::BTreeSet;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::event::Ignored;

/// Containers inside each other beyond this depth are kept as their text.
const DEEPEST: usize = 32;

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Json {
    /// `null`, `true`, `false`, a number, or something nested too deep, as its text.
    Plain(String),
    /// A string, decoded.
    Text(String),
    /// An array.
    List(Vec<Self>),
    /// An object.
    Map(Vec<(String, Self)>),
}

impl Json {
    /// Reads a value.
    pub(crate) fn parse(text: &str) -> Result<Self, Ignored> {
        Self::at_depth(text.trim(), 0)
    }

    fn at_depth(text: &str, depth: usize) -> Result<Self, Ignored> {
        match text.as_bytes().first() {
            Some(b'"') => serde_json::from_str(text).map(Self::Text).map_err(|_| Ignored::Malformed),
            Some(b'[') if depth < DEEPEST => {
                let items: Vec<&RawValue> = serde_json::from_str(text).map_err(|_| Ignored::Malformed)?;
                items
                    .into_iter()
                    .map(|item| Self::at_depth(item.get(), depth + 1))
                    .collect::<Result<_, _>>()
                    .map(Self::List)
            }
            Some(b'{') if depth < DEEPEST => Members::parse(text)?
                .0
                .into_iter()
                .map(|(key, value)| Ok((key, Self::at_depth(value.get(), depth + 1)?)))
                .collect::<Result<_, _>>()
                .map(Self::Map),
            _ => Ok(Self::Plain(text.to_owned())),
        }
    }

    /// The text, if it is one.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Plain(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// The truth value, if it is one.
    pub(crate) fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Plain(text) => text.parse().ok(),
            Self::Text(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// A member of an object.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Map(members) => members.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            Self::Plain(_) | Self::Text(_) | Self::List(_) => None,
        }
    }

    /// What a card shows of an argument: a text as it is, anything else as JSON. Never blank.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Text(text) if !text.trim().is_empty() => text.clone(),
            Self::Plain(_) | Self::Text(_) | Self::List(_) | Self::Map(_) => self.pretty(),
        }
    }

    fn pretty(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, 0);
        out
    }

    fn write(&self, out: &mut String, depth: usize) {
        match self {
            Self::Plain(text) => out.push_str(text),
            Self::Text(text) => out.push_str(&quoted(text)),
            Self::List(items) => {
                write_items(out, depth, ('[', ']'), items, |out, item| item.write(out, depth + 1))
            }
            Self::Map(members) => write_items(out, depth, ('{', '}'), members, |out, (key, value)| {
                out.push_str(&quoted(key));
                out.push_str(": ");
                value.write(out, depth + 1);
            }),
        }
    }
}

/// A text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn write_items<T>(
    out: &mut String,
    depth: usize,
    (open, close): (char, char),
    items: &[T],
    write: impl Fn(&mut String, &T),
) {
    out.push(open);
    for (at, item) in items.iter().enumerate() {
        out.push_str(if at == 0 { "\n" } else { ",\n" });
        out.push_str(&"  ".repeat(depth + 1));
        write(out, item);
    }
    if !items.is_empty() {
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
    }
    out.push(close);
}

/// An object's members, each value still the slice of the text it came in.
#[derive(Debug, Default)]
pub(crate) struct Members<'a>(pub(crate) Vec<(String, &'a RawValue)>);

impl<'a> Members<'a> {
    /// Reads an object; anything else is malformed.
    pub(crate) fn parse(text: &'a str) -> Result<Self, Ignored> {
        let members: Self = serde_json::from_str(text).map_err(|_| Ignored::Malformed)?;
        let mut seen = BTreeSet::new();
        if members.0.iter().all(|(key, _)| seen.insert(key)) { Ok(members) } else { Err(Ignored::Twice) }
    }

    /// A member's slice; `null` counts as absent.
    pub(crate) fn raw(&self, name: &str) -> Option<&'a str> {
        let found = self.0.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.get()).filter(|text| *text != "null")
    }

    /// A member that has to be text where it is there.
    pub(crate) fn text(&self, name: &str) -> Result<Option<String>, Ignored> {
        let Some(raw) = self.raw(name) else { return Ok(None) };
        serde_json::from_str(&mended(raw)).map(Some).map_err(|_| Ignored::Malformed)
    }

    /// A member that has to be a text which isn't empty.
    pub(crate) fn some_text(&self, name: &str) -> Result<String, Ignored> {
        self.text(name)?.filter(|text| !text.is_empty()).ok_or(Ignored::Malformed)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(Collect).map(Self)
    }
}

/// Whether JSON text holds half characters.
pub(crate) fn is_broken(text: &str) -> bool {
    mended(text) != text
}

/// JSON text in which each escape of half a character is spelled out as the text `\u{d800}`.
pub(crate) fn mended(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, escaped)) = rest.find('\\').and_then(|at| rest.split_at_checked(at)) {
        let (length, half) = escape(escaped);
        let (escape, after) = escaped.split_at_checked(length).unwrap_or((escaped, ""));
        out.push_str(before);
        match half {
            Some(unit) => out.push_str(&format!("\\\\u{{{unit:x}}}")),
            None => out.push_str(escape),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The length of the escape at the start, both halves of a character together, and its unit if it is a half alone.
fn escape(text: &str) -> (usize, Option<u32>) {
    match unit(text) {
        Some(0xd800..=0xdbff) if matches!(text.get(6..).and_then(unit), Some(0xdc00..=0xdfff)) => (12, None),
        Some(half @ 0xd800..=0xdfff) => (6, Some(half)),
        Some(_) => (6, None),
        None => (text.chars().take(2).map(char::len_utf8).sum(), None),
    }
}

/// The number of a `\uXXXX` at the start.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_keep_their_text_and_members_their_order() {
        let json = Json::parse(r#"{"b": 12345678901234567890.10, "a": [1e400, null, {}]}"#).unwrap();
        let expected =
            "{\n  \"b\": 12345678901234567890.10,\n  \"a\": [\n    1e400,\n    null,\n    {}\n  ]\n}";
        assert_eq!(json.shown(), expected);
    }

    #[test]
    fn a_member_that_is_there_twice_is_refused_at_any_depth() {
        assert_eq!(Json::parse(r#"{"a":1,"a":2}"#), Err(Ignored::Twice));
        assert_eq!(Json::parse(r#"[{"a":{"x":1,"x":1}}]"#), Err(Ignored::Twice));
    }

    #[test]
    fn half_characters_become_visible_and_whole_ones_stay() {
        let parse = |text: &str| serde_json::from_str::<String>(&mended(text)).unwrap();
        assert_eq!(parse(r#""a\ud800b""#), "a\\u{d800}b");
        assert_eq!(parse(r#""\udc00\ud83d\ude00\ud83d""#), "\\u{dc00}😀\\u{d83d}");
        assert_eq!(parse(r#""\\ud800 \n \u00e9 \"""#), "\\ud800 \n é \"");
        assert_eq!(parse(r#""\ud800\ud83d\ude00""#), "\\u{d800}😀");
    }

    #[test]
    fn what_is_nested_too_deep_is_kept_as_its_text() {
        let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
        let shown = Json::parse(&deep).unwrap().shown();
        assert_eq!(shown.matches('[').count(), 200);
        let deeper = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
        assert!(Json::parse(&deeper).is_ok() || Json::parse(&deeper).is_err());
    }

    proptest! {
        #[test]
        fn any_text_reads_back_from_its_own_json(text in any::<String>()) {
            let json = quoted(&text);
            prop_assert_eq!(Json::parse(&mended(&json)).unwrap(), Json::Text(text));
        }

        #[test]
        fn anything_can_be_mended(text in any::<String>()) {
            mended(&text);
        }
    }
}
