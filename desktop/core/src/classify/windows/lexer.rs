//! Takes PowerShell's text apart: statements of words, quotes and escapes taken off. Linear, no recursion; what it does
//! not understand stays a word.

/// One statement: what stands between `;`, `|`, `&&`, line ends, brackets and braces.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Statement {
    pub(super) words: Vec<String>,
    /// Whether something is piped into it.
    pub(super) is_fed: bool,
    /// Whether it began with the call operator.
    pub(super) is_called: bool,
    /// Whether `>` or `>>` stands in it.
    pub(super) overwrites: bool,
}

/// A text, taken apart.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) statements: Vec<Statement>,
    /// Whether it is nothing but plain words, so that a closed list of reads may hold for it.
    pub(super) is_plain: bool,
}

/// Takes a text apart.
pub(super) fn script(text: &str) -> Script {
    let mut lexer = Lexer {
        script: Script { is_plain: true, ..Script::default() },
        now: Statement::default(),
        word: None,
    };
    let letters: Vec<char> = text.chars().map(plain).collect();
    let mut at = 0;
    while let Some(letter) = letters.get(at) {
        let next = letters.get(at + 1).copied();
        at += lexer.step(*letter, next, &letters, at);
    }
    lexer.end_statement();
    lexer.script
}

/// Dashes and quotes that PowerShell takes for the plain ones.
const fn plain(letter: char) -> char {
    match letter {
        '\u{2013}' | '\u{2014}' | '\u{2015}' => '-',
        '\u{2018}' | '\u{2019}' | '\u{201A}' | '\u{201B}' => '\'',
        '\u{201C}' | '\u{201D}' | '\u{201E}' => '"',
        '\u{00A0}' | '\u{0085}' | '\t' => ' ',
        '\r' => '\n',
        _ => letter,
    }
}

struct Lexer {
    script: Script,
    now: Statement,
    word: Option<String>,
}

impl Lexer {
    /// Takes one step and says how many letters it used; at least one.
    fn step(&mut self, letter: char, next: Option<char>, letters: &[char], at: usize) -> usize {
        match letter {
            '`' => {
                self.script.is_plain = false;
                match next {
                    Some('\n') | None => self.end_word(),
                    Some(escaped) => self.push(escaped),
                }
                2
            }
            '\'' => self.quoted(letters, at, '\''),
            '"' => self.quoted(letters, at, '"'),
            '#' if self.word.is_none() => count_until(letters, at, |rest| rest.first() == Some(&'\n')),
            '<' if next == Some('#') => {
                count_until(letters, at + 2, |rest| rest.starts_with(&['#', '>'])) + 4
            }
            ' ' => {
                self.end_word();
                1
            }
            '\n' | ';' => {
                self.end_statement();
                1
            }
            '|' => {
                self.end_statement();
                let is_or = next == Some('|');
                self.now.is_fed = !is_or;
                if is_or { 2 } else { 1 }
            }
            '&' => {
                if next == Some('&') {
                    self.end_statement();
                    return 2;
                }
                self.end_statement();
                self.now.is_called = true;
                self.script.is_plain = false;
                1
            }
            '(' | ')' | '{' | '}' => {
                self.script.is_plain = false;
                let was_called = self.now.is_called && self.now.words.is_empty() && self.word.is_none();
                self.end_statement();
                if was_called {
                    // `& (…)`: what is called is made while it runs.
                    let words = vec!["$(".to_owned()];
                    self.script.statements.push(Statement { words, is_called: true, ..Statement::default() });
                }
                1
            }
            '>' => {
                self.end_word();
                self.now.overwrites = true;
                if next == Some('>') { 2 } else { 1 }
            }
            '$' | '@' | '%' | '*' | '[' | '?' => {
                self.script.is_plain &= letter == '*' || letter == '?' && self.word.is_some();
                self.push(letter);
                1
            }
            _ => {
                self.push(letter);
                1
            }
        }
    }

    fn push(&mut self, letter: char) {
        self.word.get_or_insert_with(String::new).push(letter);
    }

    /// A quoted text. One in double quotes may hold `$(…)`: what stands in it is a statement of its own.
    fn quoted(&mut self, letters: &[char], start: usize, quote: char) -> usize {
        let mut at = start + 1;
        let word = self.word.get_or_insert_with(String::new);
        let from = word.len();
        while let Some(letter) = letters.get(at) {
            at += 1;
            if *letter == quote {
                if letters.get(at) != Some(&quote) {
                    break;
                }
                at += 1;
                word.push(quote);
            } else if *letter == '`' && quote == '"' {
                word.extend(letters.get(at));
                at += 1;
            } else {
                word.push(*letter);
            }
        }
        let inner = word.get(from..).unwrap_or_default();
        if quote == '"' && inner.contains('$') {
            self.script.is_plain = false;
            if let Some((_, inside)) = inner.split_once("$(") {
                let words = inside
                    .split([' ', ')', '(', ';', '|'])
                    .filter(|word| !word.is_empty())
                    .map(str::to_owned)
                    .collect();
                self.script.statements.push(Statement { words, ..Statement::default() });
            }
        }
        at - start
    }

    fn end_word(&mut self) {
        self.now.words.extend(self.word.take());
    }

    fn end_statement(&mut self) {
        self.end_word();
        let done = core::mem::take(&mut self.now);
        if !done.words.is_empty() || done.overwrites {
            self.script.statements.push(done);
        }
    }
}

/// How many letters from `at` on stand before the end that `is_end` finds.
fn count_until(letters: &[char], at: usize, is_end: impl Fn(&[char]) -> bool) -> usize {
    let rest = letters.get(at..).unwrap_or_default();
    (0..rest.len()).find(|count| is_end(rest.get(*count..).unwrap_or_default())).unwrap_or(rest.len()).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Vec<String>> {
        script(text).statements.into_iter().map(|statement| statement.words).collect()
    }

    #[test]
    fn statements_end_where_powershell_ends_them() {
        assert_eq!(words("a b; c | d && e\nf"), [vec!["a", "b"], vec!["c"], vec!["d"], vec!["e"], vec!["f"]]);
        assert_eq!(words("a { b } (c)"), [["a"], ["b"], ["c"]]);
    }

    #[test]
    fn quotes_and_escapes_are_taken_off() {
        assert_eq!(words("R`emove-Item 'a b' \"c\"\"d\""), [["Remove-Item", "a b", "c\"d"]]);
        assert_eq!(words("rm –r a"), [["rm", "-r", "a"]]);
        assert_eq!(words("a # rm b\nc <# rm #> d"), [vec!["a"], vec!["c", "d"]]);
        assert_eq!(words("echo \"$(rm -r a)\""), [vec!["rm", "-r", "a"], vec!["echo", "$(rm -r a)"]]);
    }
}
