//! The text of a Git configuration file, read strictly: what Git would not take for plain settings can't be told.

use super::Untold;

/// One setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    /// Its section, in lower case.
    pub(super) section: String,
    /// Its subsection: a remote's or a branch's name.
    pub(super) sub: Option<String>,
    /// Its key, in lower case.
    pub(super) key: String,
    /// Its value; `None` where only the key stands there, which means *true*.
    pub(super) value: Option<String>,
}

impl Setting {
    /// Whether it is this one, of any subsection.
    pub(super) fn is(&self, section: &str, key: &str) -> bool {
        self.section == section && self.key == key
    }

    /// Whether it is switched on, or off; `None` where it is neither.
    pub(super) fn truth(&self) -> Option<bool> {
        let Some(value) = &self.value else { return Some(true) };
        match value.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Some(true),
            "" | "false" | "no" | "off" | "0" => Some(false),
            _ => None,
        }
    }

    /// Its value as text.
    pub(super) fn text(&self) -> &str {
        self.value.as_deref().unwrap_or("true")
    }
}

/// Reads the settings of a file, in their order.
pub(super) fn parse(text: &str) -> Result<Vec<Setting>, Untold> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader =
        Reader { left: text.replace("\r\n", "\n").chars().collect::<Vec<_>>().into_iter().peekable() };
    let (mut found, mut section) = (Vec::new(), None::<(String, Option<String>)>);
    while let Some(c) = reader.left.peek().copied() {
        match c {
            c if c.is_ascii_whitespace() => drop(reader.left.next()),
            '#' | ';' => reader.comment(),
            '[' => section = Some(reader.header()?),
            c if c.is_ascii_alphabetic() => {
                let (section, sub) = section.clone().ok_or(Untold)?;
                let (key, value) = reader.setting()?;
                found.push(Setting { section, sub, key, value });
            }
            _ => return Err(Untold),
        }
    }
    Ok(found)
}

struct Reader {
    left: std::iter::Peekable<std::vec::IntoIter<char>>,
}

impl Reader {
    fn comment(&mut self) {
        while self.left.next_if(|c| *c != '\n').is_some() {}
    }

    fn blanks(&mut self) {
        while self.left.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
    }

    fn word(&mut self, may_hold: impl Fn(char) -> bool) -> String {
        let mut word = String::new();
        while let Some(c) = self.left.next_if(|c| may_hold(*c)) {
            word.push(c.to_ascii_lowercase());
        }
        word
    }

    /// `[section]`, `[section "sub"]` or the old `[section.sub]`.
    fn header(&mut self) -> Result<(String, Option<String>), Untold> {
        self.left.next();
        let name = self.word(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'));
        let old = name.split_once('.').map(|(section, sub)| (section.to_owned(), Some(sub.to_owned())));
        let (section, mut sub) = old.unwrap_or((name, None));
        self.blanks();
        if self.left.next_if_eq(&'"').is_some() {
            if sub.is_some() {
                return Err(Untold);
            }
            sub = Some(self.quoted_name()?);
        }
        let is_closed = self.left.next() == Some(']');
        if section.is_empty() || !is_closed { Err(Untold) } else { Ok((section, sub)) }
    }

    fn quoted_name(&mut self) -> Result<String, Untold> {
        let mut name = String::new();
        loop {
            match self.left.next() {
                Some('"') => return Ok(name),
                Some('\\') => name.push(self.left.next().filter(|c| *c != '\n').ok_or(Untold)?),
                Some('\n' | '\0') | None => return Err(Untold),
                Some(c) => name.push(c),
            }
        }
    }

    fn setting(&mut self) -> Result<(String, Option<String>), Untold> {
        let key = self.word(|c| c.is_ascii_alphanumeric() || c == '-');
        self.blanks();
        match self.left.peek() {
            None | Some('\n' | '#' | ';') => Ok((key, None)),
            Some('=') => {
                self.left.next();
                self.blanks();
                Ok((key, Some(self.value()?)))
            }
            Some(_) => Err(Untold),
        }
    }

    fn value(&mut self) -> Result<String, Untold> {
        let (mut value, mut kept, mut is_quoted) = (String::new(), 0, false);
        while let Some(c) = self.left.next() {
            match c {
                '\n' if is_quoted => return Err(Untold),
                '\n' => break,
                '#' | ';' if !is_quoted => {
                    self.comment();
                    break;
                }
                '"' => is_quoted = !is_quoted,
                '\\' => match self.left.next() {
                    // A line that goes on.
                    Some('\n') => continue,
                    Some('n') => value.push('\n'),
                    Some('t') => value.push('\t'),
                    Some('b') => value.push('\u{8}'),
                    Some(c @ ('"' | '\\')) => value.push(c),
                    Some(_) | None => return Err(Untold),
                },
                '\0' => return Err(Untold),
                // Blanks count once something follows them.
                ' ' | '\t' if !is_quoted => {
                    value.push(c);
                    continue;
                }
                c => value.push(c),
            }
            kept = value.len();
        }
        if is_quoted {
            return Err(Untold);
        }
        value.truncate(kept);
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(text: &str) -> Vec<String> {
        let shown = |one: Setting| {
            let sub = one.sub.map(|sub| format!(".{sub}")).unwrap_or_default();
            format!("{}{sub}.{}={}", one.section, one.key, one.value.unwrap_or_else(|| "(none)".into()))
        };
        parse(text).unwrap().into_iter().map(shown).collect()
    }

    #[test]
    fn settings_are_read_as_git_reads_them() {
        let text = "\u{feff}# note\r\n[core]\r\n\tbare = false ; no\n[Remote \"Up \\\"x\\\"\"]URL=a b  # c\n  push = \" +x:y \"z\n\
                    [branch.OLD] merge=refs/heads/\\\nmain\n[alias]\nst=\"!f() { \\\"x\\\"; }; f\"\n\tn-o\n[e]v=\nw= a\\tb\\\\";
        assert_eq!(
            all(text),
            [
                "core.bare=false",
                "remote.Up \"x\".url=a b",
                "remote.Up \"x\".push= +x:y z",
                "branch.old.merge=refs/heads/main",
                "alias.st=!f() { \"x\"; }; f",
                "alias.n-o=(none)",
                "e.v=",
                "e.w=a\tb\\",
            ]
        );
        assert!(all("").is_empty() && all("  \n# x").is_empty());
    }

    #[test]
    fn what_git_would_not_take_can_t_be_told() {
        for text in [
            "a=b",
            "[core",
            "[]\na=b",
            "[core\n]\na=b",
            "[core \"x]\na=b",
            "[core.x \"y\"]\na=b",
            "[core]\na b",
            "[core]\n=b",
            "[core]\na=\"b",
            "[core]\na=\"b\nc\"",
            "[core]\na=\\x",
            "[core]\na=b\\",
            "[core]\na=\0",
            "[core]\n_a=b",
            "{}",
        ] {
            assert_eq!(parse(text), Err(Untold), "{text:?}");
        }
    }

    #[test]
    fn a_setting_is_on_or_off_or_neither() {
        let truth = |text: &str| parse(&format!("[a]\n{text}")).unwrap()[0].truth();
        assert_eq!(
            (truth("b"), truth("b = yes"), truth("b=0"), truth("b=")),
            (Some(true), Some(true), Some(false), Some(false))
        );
        assert_eq!(truth("b = /usr/bin/x"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in any::<String>(), made in "([\\[\\]a-z \"=\\\\#;\n.]){0,60}") {
            let _ = (parse(&text), parse(&made));
        }
    }
}
