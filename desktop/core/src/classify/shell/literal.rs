//! Text that a command is known to print, so that what is piped into a shell can be read.

use super::part::{Feed, Part};

/// How many words of wrappers may stand before it.
const MOST_BEFORE: usize = 12;

fn name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// What a command prints, where that stands in it to the letter.
pub(super) fn printed(part: &Part) -> Option<String> {
    // Behind a wrapper too: `env echo …`.
    let is_printer =
        |word: &crate::classify::word::Word| matches!(name(&word.text), "echo" | "printf" | "cat" | "tee");
    let first = part.words.iter().take(MOST_BEFORE).position(is_printer)?;
    let (program, arguments) = part.words.get(first..)?.split_first()?;
    let name = name(&program.text);
    match name {
        "echo" => {
            let options = arguments.iter().take_while(|word| is_echo_option(&word.text)).count();
            let words = arguments.get(options..)?;
            Some(unescape(&joined(words.iter().map(|word| word.text.as_str()))))
        }
        "printf" => {
            let (format, rest) = arguments.split_first()?;
            Some(printed_by_format(&format.text, rest.iter().map(|word| word.text.as_str())))
        }
        "cat" | "tee" => match &part.feed {
            Feed::Text(text) | Feed::Expanded(text) => Some(text.to_string()),
            Feed::Nothing | Feed::Pipe | Feed::File => None,
        },
        _ => None,
    }
}

fn joined<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

fn is_echo_option(text: &str) -> bool {
    text.strip_prefix('-')
        .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| matches!(c, 'n' | 'e' | 'E')))
}

/// The format with its arguments in place, near enough to see what it says.
fn printed_by_format<'w>(format: &str, mut rest: impl Iterator<Item = &'w str>) -> String {
    let mut out = String::new();
    let mut signs = format.chars();
    while let Some(c) = signs.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        match signs.find(|c| c.is_ascii_alphabetic() || *c == '%') {
            Some('%') | None => out.push('%'),
            Some(_) => out.push_str(rest.next().unwrap_or_default()),
        }
    }
    let left = joined(rest);
    if !left.is_empty() {
        out.push('\n');
        out.push_str(&left);
    }
    unescape(&out)
}

/// Escapes as `printf` and `echo -e` read them.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let Some(escape) = rest.next() else { break };
        let mut number = |radix: u32, most: usize, first: u32| {
            let mut value = first;
            let mut taken = 0;
            while taken < most {
                let Some(digit) = rest.peek().and_then(|c| c.to_digit(radix)) else { break };
                value = value * radix + digit;
                rest.next();
                taken += 1;
            }
            char::from_u32(value).unwrap_or(' ')
        };
        match escape {
            'n' | 'r' => out.push('\n'),
            't' | 'v' | 'f' => out.push(' '),
            'x' => out.push(number(16, 2, 0)),
            'u' | 'U' => out.push(number(16, 4, 0)),
            '0'..='7' => out.push(number(8, 3, escape.to_digit(8).unwrap_or(0))),
            'a' | 'b' | 'e' | 'c' => {}
            other => out.push(other),
        }
    }
    out
}
