//! The arguments of one call. `null` counts as absent: agents send it for what a model left out.

use serde_json::Value;

use super::table::Names;

/// The arguments of one call.
#[derive(Clone, Copy)]
pub(super) struct Arguments<'a>(pub(super) &'a serde_json::Map<String, Value>);

/// One argument, looked for under several names.
pub(super) enum Found<'a> {
    /// It is not there.
    Absent,
    /// Its texts, one a name that the call has; a list of texts counts as several.
    Texts(Vec<&'a str>),
    /// It is there in another shape.
    Odd,
}

impl<'a> Arguments<'a> {
    /// The texts that stand under these names.
    pub(super) fn texts(&self, names: Names) -> Found<'a> {
        let mut texts = Vec::new();
        for value in names.iter().filter_map(|name| self.value(name)) {
            match value {
                Value::String(text) => texts.push(text.as_str()),
                Value::Array(items) => {
                    for item in items {
                        let Some(text) = item.as_str() else { return Found::Odd };
                        texts.push(text);
                    }
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return Found::Odd,
            }
        }
        if texts.is_empty() && !names.iter().any(|name| self.value(name).is_some()) {
            return Found::Absent;
        }
        texts.dedup();
        Found::Texts(texts)
    }

    /// The one text under these names: `None` where there is none or another shape, or two that differ.
    pub(super) fn text(&self, names: Names) -> Option<&'a str> {
        let mut found = names.iter().filter_map(|name| self.value(name));
        let first = found.next()?.as_str()?;
        found.all(|other| other.as_str() == Some(first)).then_some(first)
    }

    /// An argument that is not `null`.
    pub(super) fn value(&self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// Arguments that are none of these.
    pub(super) fn besides<'b>(
        &self,
        known: &'b [&'static str],
    ) -> impl Iterator<Item = &'a Value> + use<'a, 'b> {
        self.0
            .iter()
            .filter(|(name, value)| !value.is_null() && !known.contains(&name.as_str()))
            .map(|(_, value)| value)
    }
}

/// Every text in a value, however deep, in its order, each with its dotted name.
pub(super) fn every_text(value: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    // The innermost open value is last; children are pushed backwards, so that they come out in their order.
    let mut open = vec![(String::new(), value)];
    while let Some((name, value)) = open.pop() {
        let under = |key: &str| if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
        match value {
            Value::String(text) => found.push((name, text.clone())),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
            Value::Array(items) => {
                open.extend(items.iter().enumerate().rev().map(|(at, item)| (under(&at.to_string()), item)));
            }
            Value::Object(members) => {
                open.extend(members.iter().rev().map(|(key, member)| (under(key), member)));
            }
        }
    }
    found
}
