//! `classify`: says what a command would do, by the files that are here, or judges requests that come as lines of JSON and
//! bring their own world along.

mod command;

use std::io::{self, BufRead, Read as _};

use countersign_agents::measure::{Line, Malformed};
use serde_json::Value;

use crate::{arguments::Classify, output, trouble::Trouble};

/// Longest line that is read.
const LONGEST: u64 = 4 << 20;

/// `classify`
pub async fn run(classify: &Classify) -> Result<(), Trouble> {
    match &classify.command {
        Some(command) => command::run(command, classify.json).await,
        None => judge_lines(&mut io::stdin().lock()),
    }
}

/// Judges line by line, each as soon as it is there.
fn judge_lines(lines: &mut impl BufRead) -> Result<(), Trouble> {
    while let Some(line) = next_line(lines).map_err(Trouble::System)? {
        match line.and_then(|line| Line::parse(&line)) {
            Ok(request) => output::print_json(&request.judge())?,
            Err(malformed) => output::print_json(&malformed)?,
        }
    }
    Ok(())
}

/// The next line without its end; nothing of one that is too long is kept.
pub fn next_line(lines: &mut impl BufRead) -> io::Result<Option<Result<Vec<u8>, Malformed>>> {
    let mut line = Vec::new();
    if lines.take(LONGEST).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.pop_if(|last| *last == b'\n').is_some() || (line.len() as u64) < LONGEST {
        return Ok(Some(Ok(line)));
    }
    lines.skip_until(b'\n')?;
    let error = format!("this line is longer than {} MiB", LONGEST >> 20);
    Ok(Some(Err(Malformed { id: Value::Null, error })))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &[u8]) -> Vec<Result<usize, String>> {
        let mut lines = io::BufReader::with_capacity(64, text);
        let mut found = Vec::new();
        while let Some(line) = next_line(&mut lines).unwrap() {
            found.push(line.map(|line| line.len()).map_err(|malformed| malformed.error));
        }
        found
    }

    #[test]
    fn lines_come_in_their_order_and_the_last_needs_no_end() {
        assert_eq!(all(b"ab\n\nc"), [Ok(2), Ok(0), Ok(1)]);
        assert_eq!(all(b""), []);
        assert_eq!(all(b"ab\n"), [Ok(2)]);
    }

    #[test]
    fn a_line_that_is_too_long_is_one_error_and_the_next_goes_on() {
        let longest = usize::try_from(LONGEST).unwrap();
        let long = vec![b'x'; longest + 10];
        let error = Err("this line is longer than 4 MiB".to_owned());
        assert_eq!(all(&[&long, &b"\nab\n"[..]].concat()), [error.clone(), Ok(2)]);
        assert_eq!(all(&long), [error]);
        let just = vec![b'x'; longest - 1];
        assert_eq!(all(&[&just, &b"\nab\n"[..]].concat()), [Ok(longest - 1), Ok(2)]);
    }
}
