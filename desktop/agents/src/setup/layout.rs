//! How our entries are written into a settings file: in its own indentation and line breaks, at the end of what is
//! there.

use std::ops::Range;

use super::{
    SetupError,
    document::{Node, Value},
};

/// Lines with the depth of each.
pub(super) type Lines = Vec<(usize, String)>;

/// Items, one deeper, between two brackets.
pub(super) fn wrapped(open: &str, items: Vec<Lines>, close: &str) -> Lines {
    let mut lines = vec![(0, open.to_owned())];
    let of = items.len();
    for (at, item) in items.into_iter().enumerate() {
        lines.extend(item.into_iter().map(|(depth, line)| (depth + 1, line)));
        if let Some((_, last)) = lines.last_mut().filter(|_| at + 1 < of) {
            last.push(',');
        }
    }
    lines.push((0, close.to_owned()));
    lines
}

/// How a file is laid out.
pub(super) struct Style {
    pub(super) newline: &'static str,
    pub(super) unit: String,
}

impl Style {
    pub(super) fn of(text: &str, root: &Node) -> Result<Self, SetupError> {
        let first = root.members("the file")?.first();
        let before =
            first.and_then(|member| text.get(root.span.start + 1..member.span.start)).unwrap_or_default();
        let unit =
            before.rsplit_once('\n').map(|(_, unit)| unit).filter(|unit| !unit.is_empty()).unwrap_or("  ");
        Ok(Self { newline: if text.contains("\r\n") { "\r\n" } else { "\n" }, unit: unit.to_owned() })
    }

    /// Lines as text, all but the first behind `base`.
    pub(super) fn write(&self, lines: &Lines, base: &str) -> String {
        let mut out = String::new();
        for (at, (depth, line)) in lines.iter().enumerate() {
            if at > 0 {
                out.push_str(self.newline);
                out.push_str(base);
                out.push_str(&self.unit.repeat(*depth));
            }
            out.push_str(line);
        }
        out
    }
}

/// Where something can be added at the end of an object or array.
pub(super) struct Place {
    at: usize,
    /// What stands before the last item there; `None` where there is no item.
    between: Option<String>,
    /// Indentation of an item.
    base: String,
}

impl Place {
    pub(super) fn last(
        text: &str,
        container: &Node,
        depth: usize,
        style: &Style,
    ) -> Result<Self, SetupError> {
        let spans: Vec<&Range<usize>> = match &container.value {
            Value::Object(members) => members.iter().map(|member| &member.span).collect(),
            Value::Array(items) => items.iter().map(|item| &item.span).collect(),
            Value::Text(_) | Value::Other(_) => {
                return Err(SetupError::Shape {
                    place: "hooks".to_owned(),
                    expected: "made of objects and lists",
                });
            }
        };
        let deep = style.unit.repeat(depth);
        let Some(last) = spans.last() else {
            return Ok(Self { at: container.span.end.saturating_sub(1), between: None, base: deep });
        };
        let before = text.get(..last.start).unwrap_or_default();
        let between = before.get(before.trim_end().len()..).unwrap_or_default();
        let base = between.rsplit_once('\n').map_or(deep, |(_, base)| base.to_owned());
        Ok(Self { at: last.end, between: Some(between.to_owned()), base })
    }

    pub(super) fn insert(&self, items: &[Lines], style: &Style) -> (Range<usize>, String) {
        let mut out = String::new();
        for (at, item) in items.iter().enumerate() {
            match &self.between {
                // Right before the closing bracket and nothing after it: that tells what was empty before from what
                // we made ourselves, when our entries are taken out again.
                None if at == 0 => {}
                None => out.push_str(&format!(",{}{}", style.newline, self.base)),
                Some(between) => out.push_str(&format!(",{between}")),
            }
            out.push_str(&style.write(item, &self.base));
        }
        (self.at..self.at, out)
    }
}

/// The text with each range replaced.
pub(super) fn spliced(text: &str, mut changes: Vec<(Range<usize>, String)>) -> String {
    changes.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, replacement) in changes {
        out.push_str(text.get(at..range.start).unwrap_or_default());
        out.push_str(&replacement);
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}
