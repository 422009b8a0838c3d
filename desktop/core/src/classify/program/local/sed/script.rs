//! What a `sed` script does besides printing. Taken apart far enough to see `w`, `W`, `e` and their forms as flags of
//! `s`; a script that does not parse is unclear.

use core::{iter::Peekable, str::Chars};

/// What a script does, the worst of its commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Script {
    /// Prints lines, changed or not; reads files at most.
    Prints,
    /// It can't be read.
    Unclear,
    /// Writes files.
    Writes,
    /// Runs programs.
    Runs,
}

impl Script {
    /// Reads a script.
    pub(super) fn of(script: &str) -> Self {
        let mut rest = script.chars().peekable();
        let mut worst = Self::Prints;
        loop {
            while rest.next_if(|c| c.is_whitespace() || matches!(c, ';' | '{' | '}')).is_some() {}
            if rest.peek().is_none() {
                return worst;
            }
            match command(&mut rest) {
                Some(does) => worst = worst.max(does),
                // The rest is lost; what stands in it may be anything.
                None => return worst.max(Self::guess(script)),
            }
        }
    }

    /// What a script that does not parse could do at worst, by the letters in it.
    fn guess(script: &str) -> Self {
        let has = |letter: char| {
            script
                .split(letter)
                .skip(1)
                .any(|behind| behind.is_empty() || behind.starts_with([' ', ';', '\n', '}', '.', '/']))
        };
        if has('e') {
            Self::Runs
        } else if has('w') || has('W') {
            Self::Writes
        } else {
            Self::Unclear
        }
    }
}

type Rest<'s> = Peekable<Chars<'s>>;

/// One command with its addresses; nothing where it does not parse.
fn command(rest: &mut Rest<'_>) -> Option<Script> {
    address(rest)?;
    spaces(rest);
    if rest.next_if_eq(&',').is_some() {
        spaces(rest);
        rest.next_if(|c| matches!(c, '+' | '~'));
        address(rest)?;
        spaces(rest);
    }
    while rest.next_if(|c| *c == '!' || *c == ' ').is_some() {}
    match rest.next()? {
        '{' | '}' => Some(Script::Prints),
        '=' | 'd' | 'D' | 'h' | 'H' | 'g' | 'G' | 'x' | 'n' | 'N' | 'p' | 'P' | 'z' | 'F' => end(rest),
        'l' | 'L' | 'q' | 'Q' => {
            while rest.next_if(|c| c.is_ascii_digit() || *c == ' ').is_some() {}
            end(rest)
        }
        // A label ends with the line, for some versions with a semicolon: reading on after it sees more.
        ':' | 'b' | 't' | 'T' | 'v' => {
            while rest.next_if(|c| !matches!(c, ';' | '\n' | '}')).is_some() {}
            Some(Script::Prints)
        }
        '#' | 'a' | 'i' | 'c' | 'r' | 'R' => {
            text(rest);
            Some(Script::Prints)
        }
        'w' | 'W' => {
            text(rest);
            Some(Script::Writes)
        }
        'e' => {
            text(rest);
            Some(Script::Runs)
        }
        's' => substitution(rest),
        'y' => {
            let mark = rest.next()?;
            part(rest, mark)?;
            part(rest, mark)?;
            end(rest)
        }
        _ => None,
    }
}

/// Skips an address, if there is one.
fn address(rest: &mut Rest<'_>) -> Option<()> {
    match rest.peek() {
        Some('/') => {
            rest.next();
            part(rest, '/')?;
            while rest.next_if(|c| matches!(c, 'I' | 'M')).is_some() {}
        }
        Some('\\') => {
            rest.next();
            let mark = rest.next()?;
            part(rest, mark)?;
            while rest.next_if(|c| matches!(c, 'I' | 'M')).is_some() {}
        }
        Some(_) | None => while rest.next_if(|c| c.is_ascii_digit() || matches!(c, '$' | '~')).is_some() {},
    }
    Some(())
}

fn spaces(rest: &mut Rest<'_>) {
    while rest.next_if_eq(&' ').is_some() {}
}

/// Skips to an unescaped mark. Inside `[…]` a mark is none for some versions: that both readings agree is demanded.
fn part(rest: &mut Rest<'_>, mark: char) -> Option<()> {
    if mark == '\\' || mark == '\n' {
        return None;
    }
    let mut is_in_class = false;
    loop {
        match rest.next()? {
            '\\' => {
                rest.next()?;
            }
            c if c == mark => return (!is_in_class).then_some(()),
            '[' => is_in_class = true,
            ']' => is_in_class = false,
            _ => {}
        }
    }
}

/// Skips a text, file name or comment, which ends with the line.
fn text(rest: &mut Rest<'_>) {
    while let Some(c) = rest.next() {
        match c {
            '\\' => {
                rest.next();
            }
            '\n' => return,
            _ => {}
        }
    }
}

fn end(rest: &mut Rest<'_>) -> Option<Script> {
    spaces(rest);
    match rest.peek() {
        None | Some(';' | '\n' | '}') => Some(Script::Prints),
        Some('#') => {
            text(rest);
            Some(Script::Prints)
        }
        Some(_) => None,
    }
}

fn substitution(rest: &mut Rest<'_>) -> Option<Script> {
    let mark = rest.next()?;
    part(rest, mark)?;
    part(rest, mark)?;
    let mut does = Script::Prints;
    loop {
        match rest.peek() {
            Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {
                rest.next();
            }
            Some('e') => {
                rest.next();
                does = Script::Runs;
            }
            Some('w') => {
                text(rest);
                return Some(does.max(Script::Writes));
            }
            Some(_) | None => return end(rest).map(|_| does),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_that_only_print_are_seen_as_such() {
        for script in [
            "s/a/b/",
            "s/foo/bar/g",
            "s|/usr|/opt|2",
            "/x/d",
            "1d",
            "$d",
            "/a/,/b/p",
            "2,+3p",
            "s/a/b/;s/c/d/",
            "1!G;h;$!d",
            "/^$/d",
            "y/abc/xyz/",
            "1i\\\nhello",
            "a text with w and e",
            ":a;N;$!ba;s/\\n/ /g",
            "/x/{p;q}",
            "$=",
            "p",
            "",
            "s/we/ew/Ig",
            "/start/,/end/{/x/d}",
            "r other.txt",
            "\\,x,d",
            "5q",
            "# w file",
        ] {
            assert_eq!(Script::of(script), Script::Prints, "{script}");
        }
    }

    #[test]
    fn a_script_that_writes_or_runs_is_seen_wherever_it_says_so() {
        for (script, does) in [
            ("w out.txt", Script::Writes),
            ("1,5w out.txt", Script::Writes),
            ("/x/w out.txt", Script::Writes),
            ("s/a/b/w out.txt", Script::Writes),
            ("s/a/b/gw out.txt", Script::Writes),
            ("p;w out.txt", Script::Writes),
            ("/a/{p;w x\n}", Script::Writes),
            ("1!w x", Script::Writes),
            ("e", Script::Runs),
            ("1e ./x.sh", Script::Runs),
            ("s/a/b/e", Script::Runs),
            ("s/a/b/ge", Script::Runs),
            ("s,a,b,e", Script::Runs),
            ("p\ne ls", Script::Runs),
            ("/x/ e ls", Script::Runs),
            ("s/[/]/x/e", Script::Runs),
        ] {
            assert_eq!(Script::of(script), does, "{script}");
        }
    }

    #[test]
    fn a_script_that_can_not_be_read_is_unclear_at_least() {
        for script in ["s/a", "k", "1,", "s\\a\\b\\", "y/a"] {
            assert!(Script::of(script) >= Script::Unclear, "{script}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_script_has_a_result(script in "\\PC{0,60}") {
            Script::of(&script);
        }
    }
}
