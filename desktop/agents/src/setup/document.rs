//! A settings file's JSON with the place of every value in its text, so that a change touches nothing else.

use std::ops::Range;

use super::SetupError;

/// A value and where it stands.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) value: Value,
}

/// What a value is.
#[derive(Debug)]
pub(super) enum Value {
    Object(Vec<Member>),
    Array(Vec<Node>),
    Text(String),
    Other(String),
}

/// A member of an object; its span covers name and value.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) span: Range<usize>,
    pub(super) value: Node,
}

impl Node {
    /// A member's value.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        match &self.value {
            Value::Object(members) => {
                members.iter().find(|member| member.name == name).map(|member| &member.value)
            }
            Value::Array(_) | Value::Text(_) | Value::Other(_) => None,
        }
    }

    /// A member's text.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        match &self.get(name)?.value {
            Value::Text(text) => Some(text),
            Value::Object(_) | Value::Array(_) | Value::Other(_) => None,
        }
    }

    /// The members of what has to be an object; none twice.
    pub(super) fn members(&self, place: &str) -> Result<&[Member], SetupError> {
        let Value::Object(members) = &self.value else {
            return Err(SetupError::Shape { place: place.to_owned(), expected: "an object" });
        };
        for (at, member) in members.iter().enumerate() {
            if members.iter().skip(at + 1).any(|other| other.name == member.name) {
                return Err(SetupError::Twice(member.name.clone()));
            }
        }
        Ok(members)
    }

    /// The items of what has to be an array.
    pub(super) fn items(&self, place: &str) -> Result<&[Self], SetupError> {
        match &self.value {
            Value::Array(items) => Ok(items),
            Value::Object(_) | Value::Text(_) | Value::Other(_) => {
                Err(SetupError::Shape { place: place.to_owned(), expected: "a list" })
            }
        }
    }
}

/// Reads a settings file.
pub(super) fn parse(text: &str) -> Result<Node, SetupError> {
    if let Err(error) = serde_json::from_str::<serde_json::Value>(text) {
        return Err(refusal(text, &error));
    }
    let mut reader = Reader { text, at: 0 };
    reader.node().ok_or(SetupError::Shape { place: "the file".to_owned(), expected: "readable JSON" })
}

fn refusal(text: &str, error: &serde_json::Error) -> SetupError {
    let what = error.to_string();
    let what = what.split(" at line ").next().unwrap_or_default().to_owned();
    let start_of =
        |line: usize| text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum::<usize>();
    let (line, column) = match (error.line(), error.column()) {
        // The parser counts the end of a line as the next line's column 0.
        (line @ 2.., 0) => (line - 1, start_of(line) - start_of(line - 1)),
        place => place,
    };
    let at = start_of(line) + column.saturating_sub(1);
    match text.get(at..) {
        Some(rest) if rest.starts_with("//") || rest.starts_with("/*") => SetupError::Comment { line },
        _ => SetupError::Unparsable { line, column, what },
    }
}

/// Walks text that is known to be JSON; `None` would mean that it isn't.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn node(&mut self) -> Option<Node> {
        self.skip_blanks();
        let start = self.at;
        let value = match self.peek()? {
            b'{' => Value::Object(self.items(b'}', Self::member)?),
            b'[' => Value::Array(self.items(b']', Self::node)?),
            b'"' => Value::Text(self.string()?),
            _ => {
                let ends = |c: char| matches!(c, ',' | '}' | ']') || c.is_ascii_whitespace();
                let rest = self.text.get(start..)?;
                let word = rest.split(ends).next()?;
                self.at += word.len();
                Value::Other(word.to_owned())
            }
        };
        Some(Node { span: start..self.at, value })
    }

    fn member(&mut self) -> Option<Member> {
        let start = self.at;
        let name = self.string()?;
        self.skip_blanks();
        self.take(b':')?;
        let value = self.node()?;
        Some(Member { name, span: start..value.span.end, value })
    }

    fn items<T>(&mut self, close: u8, read: fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip_blanks();
            match self.peek()? {
                b if b == close => {
                    self.at += 1;
                    return Some(items);
                }
                b',' => self.at += 1,
                _ => items.push(read(self)?),
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        let start = self.at;
        self.take(b'"')?;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        serde_json::from_str(self.text.get(start..self.at)?).ok()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_knows_its_place() {
        let text = " {\"a\\\"\" : [1, \"x]\" , {}],\n\"b\":null}\n";
        let root = parse(text).unwrap();
        let members = root.members("the file").unwrap();
        let of = |span: &Range<usize>| text.get(span.clone()).unwrap();
        assert_eq!(of(&members[0].span), "\"a\\\"\" : [1, \"x]\" , {}]");
        assert_eq!(of(&members[1].value.span), "null");
        let items = members[0].value.items("a").unwrap();
        assert_eq!(items.iter().map(|item| of(&item.span)).collect::<Vec<_>>(), ["1", "\"x]\"", "{}"]);
    }

    #[test]
    fn a_refusal_names_line_and_column() {
        let error = parse("{\n  \"a\": 1,\n  \"b\": tru\n}").unwrap_err();
        assert!(matches!(error, SetupError::Unparsable { line: 3, .. }), "{error}");
        let words = parse("{\"a\": 1,}").unwrap_err().to_string();
        assert!(words.contains("line 1, column 9") && words.ends_with("nothing was changed"), "{words}");
    }

    #[test]
    fn comments_are_refused_by_name() {
        for text in [
            "// mine\n{}",
            "{\n  \"a\": 1, // why\n  \"b\": 2\n}",
            "{ /* x */ }",
            "{\"a\": /* x */ 1}",
            "{} // end",
        ] {
            assert!(matches!(parse(text), Err(SetupError::Comment { .. })), "{text:?}: {:?}", parse(text));
        }
        assert!(parse("{\"a\": \"// no comment\"}").is_ok());
    }

    #[test]
    fn a_name_that_is_there_twice_is_refused() {
        let root = parse("{\"hooks\":{},\"hooks\":{}}").unwrap();
        assert_eq!(root.members("the file").unwrap_err(), SetupError::Twice("hooks".into()));
    }
}
