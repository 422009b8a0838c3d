//! Secrets of a text that is shown: folded to kind and length on a card, where a person can unfold them, and masked for
//! good wherever a text is kept, sent or printed without a card (CARD-2).

use core::fmt;

use super::{Foreign, Shown, secret};

/// How often a masked text is looked at again, since what is left may read in another way.
const TURNS: usize = 4;

/// A piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part<'a> {
    /// What may be seen.
    Text(&'a str),
    /// A secret.
    Secret(Folded<'a>),
}

/// A secret, folded to what it is and how long: that is what its [`fmt::Display`] says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Folded<'a> {
    kind: &'static str,
    text: &'a str,
}

impl<'a> Folded<'a> {
    /// What it is: `GitHub token`, `password` …
    #[must_use]
    pub const fn kind(self) -> &'static str {
        self.kind
    }

    /// Its length in characters.
    #[must_use]
    pub fn length(self) -> usize {
        self.text.chars().count()
    }

    /// The secret itself, for a card that a person unfolded.
    #[must_use]
    pub const fn unfolded(self) -> &'a str {
        self.text
    }
}

impl fmt::Display for Folded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = self.length();
        write!(f, "⟨{}, {length} character{}⟩", self.kind, if length == 1 { "" } else { "s" })
    }
}

impl fmt::Debug for Folded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Text that hides nothing but its secrets, which are gone: for logs, exports, notices and everything printed that is no
/// card. There is no way back to them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Masked(String);

impl Masked {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Masked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for Masked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl From<Masked> for String {
    fn from(masked: Masked) -> Self {
        masked.0
    }
}

impl From<Masked> for Foreign {
    fn from(masked: Masked) -> Self {
        Self::new(masked.0)
    }
}

impl Shown {
    /// The text in pieces, so that a card can fold its secrets. One of several lines is a piece a line, so that lines
    /// and their signs can be counted while it is folded.
    #[must_use]
    pub fn parts(&self) -> Vec<Part<'_>> {
        parts(self.as_str())
    }

    /// The pieces, line by line.
    #[must_use]
    pub fn rows(&self) -> Vec<Vec<Part<'_>>> {
        let mut rows = vec![Vec::new()];
        for part in self.parts() {
            // Secrets end with their line, so only other text has more.
            let Part::Text(text) = part else {
                push(&mut rows, part);
                continue;
            };
            for (at, line) in text.split('\n').enumerate() {
                if at > 0 {
                    rows.push(Vec::new());
                }
                if !line.is_empty() {
                    push(&mut rows, Part::Text(line));
                }
            }
        }
        rows
    }

    /// How many secrets it has.
    #[must_use]
    pub fn secrets(&self) -> usize {
        self.parts().iter().filter(|part| matches!(part, Part::Secret(_))).count()
    }

    /// The text without its secrets, for good.
    #[must_use]
    pub fn masked(&self) -> Masked {
        let mut text = self.as_str().to_owned();
        for _ in 0..TURNS {
            let parts = parts(&text);
            if !parts.iter().any(|part| matches!(part, Part::Secret(_))) {
                break;
            }
            text = parts.iter().map(folded).collect();
        }
        Masked(text)
    }
}

impl Foreign {
    /// What is kept or printed of it on one line.
    #[must_use]
    pub fn masked(&self) -> Masked {
        self.shown().masked()
    }

    /// What is kept or printed of it as a text with lines.
    #[must_use]
    pub fn masked_lines(&self) -> Masked {
        self.shown_lines().masked()
    }
}

fn push<'a>(rows: &mut [Vec<Part<'a>>], part: Part<'a>) {
    if let Some(row) = rows.last_mut() {
        row.push(part);
    }
}

fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut end = 0;
    for secret in secret::find(text) {
        parts.extend(plain(text.get(end..secret.range.start)));
        let lines = text.get(secret.range.clone()).unwrap_or_default().split_inclusive('\n');
        for (at, line) in lines.enumerate() {
            let (line, line_end) = line.strip_suffix('\n').map_or((line, None), |line| (line, Some("\n")));
            // What stands first in a later line may be the sign of a changed one.
            let sign = usize::from(at > 0 && line.starts_with(['+', '-', ' ']));
            let (sign, line) = line.split_at_checked(sign).unwrap_or(("", line));
            parts.extend(plain(Some(sign)));
            if !line.is_empty() {
                parts.push(Part::Secret(Folded { kind: secret.kind, text: line }));
            }
            parts.extend(plain(line_end));
        }
        end = secret.range.end;
    }
    parts.extend(plain(text.get(end..)));
    parts
}

fn plain(text: Option<&str>) -> Option<Part<'_>> {
    text.filter(|text| !text.is_empty()).map(Part::Text)
}

fn folded(part: &Part<'_>) -> String {
    match part {
        Part::Text(text) => (*text).to_owned(),
        Part::Secret(secret) => secret.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TOKEN: &str = "ghp_aB3dE5gH1jK2mN4pQ6rS8tU0vW9xY7zA1b2C";

    #[test]
    fn a_text_that_is_printed_or_debugged_says_of_a_secret_only_what_it_is() {
        let text = format!("git push https://ada:{TOKEN}@github.com");
        let shown = Shown::line(&text);
        let expected = "git push https://ada:⟨GitHub token, 40 characters⟩@github.com";
        assert_eq!(shown.to_string(), expected);
        assert_eq!(shown.masked().as_str(), expected);
        assert_eq!(Foreign::new(text.clone()).masked().as_str(), expected);
        for debugged in [format!("{shown:?}"), format!("{:?}", Foreign::new(text.clone()))] {
            assert!(!debugged.contains(TOKEN), "{debugged}");
        }
        assert_eq!(shown.as_str(), text, "a request keeps it whole");
    }

    #[test]
    fn the_parts_of_a_text_are_all_of_it() {
        let shown = Shown::lines(&format!("PGPASSWORD=hunter2 psql\n{TOKEN}\n"));
        let parts = shown.parts();
        let whole: String = parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => *text,
                Part::Secret(secret) => secret.unfolded(),
            })
            .collect();
        assert_eq!(whole, shown.as_str());
        let secrets: Vec<String> = parts
            .iter()
            .filter_map(|part| match part {
                Part::Secret(secret) => Some(secret.to_string()),
                Part::Text(_) => None,
            })
            .collect();
        assert_eq!(secrets, ["⟨password, 7 characters⟩", "⟨GitHub token, 40 characters⟩"]);
        assert_eq!(shown.secrets(), 2);
    }

    #[test]
    fn a_secret_of_several_lines_is_folded_line_by_line_behind_their_signs() {
        let text = " a\n+-----BEGIN PRIVATE KEY-----\n+MIIEvQ\n+-----END PRIVATE KEY-----\n b";
        let shown = Shown::lines(text);
        let lines: Vec<String> = shown.rows().iter().map(|row| row.iter().map(folded).collect()).collect();
        let key = "+⟨private key, 27 characters⟩";
        let end = "+⟨private key, 25 characters⟩";
        assert_eq!(lines, [" a", key, "+⟨private key, 6 characters⟩", end, " b"]);
        assert_eq!(shown.masked().as_str(), lines.join("\n"));
        assert_eq!(Shown::lines("a\n\nb").rows().len(), 3);
        assert_eq!(Shown::lines("").rows().len(), 1);
    }

    proptest! {
        #[test]
        fn masking_twice_changes_nothing(
            pieces in prop::collection::vec(prop::sample::select(vec![
                "password=", "token: ", "hunter2", "aB3dE5gH1jK2mN4pQ6rS", " ", "\"", "ghp_", "\n", "://a:", "@h", "Bearer ",
                "Authorization: ", "mysql -p", "⟨", "⟩", ", 7 characters", "Cookie: a=b",
            ]), 0..16),
        ) {
            let once = Shown::lines(&pieces.concat()).masked();
            prop_assert_eq!(&Shown::lines(once.as_str()).masked(), &once);
        }
    }
}
