//! A command's words, as far as they can be known without running anything.

/// One word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// Its text with quotes taken off; what can't be known stands as written (`$X`, `$(…)`).
    pub(crate) text: String,
    /// Whether the text is exactly what the program gets: nothing is expanded in it.
    pub(crate) is_known: bool,
    /// Whether any of it was quoted or escaped.
    pub(crate) is_quoted: bool,
    /// Whether an unquoted `*`, `?` or `[` makes it a pattern of file names.
    pub(crate) is_glob: bool,
}

impl Word {
    /// A word that is given as it is.
    pub(crate) fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), is_known: true, is_quoted: false, is_glob: false }
    }
}

/// One command in its surroundings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Command {
    /// Program and arguments; never empty.
    pub(crate) words: Vec<Word>,
    /// Names of variables set in front of it (`A=1 make`).
    pub(crate) assigned: Vec<String>,
    /// Whether something is piped or redirected into it.
    pub(crate) is_fed: bool,
    /// The text fed to it by a here-document or here-string, where that is known to the letter.
    pub(crate) fed_text: Option<String>,
    /// Folder it runs in, where a `cd` before it did not make that uncertain; absolute.
    pub(crate) folder: Option<String>,
}

impl Command {
    /// The program as written.
    pub(crate) fn written(&self) -> &str {
        self.words.first().map_or("", |word| word.text.as_str())
    }

    /// The program's bare name: `/usr/bin/rm` and `\rm` are `rm`.
    pub(crate) fn name(&self) -> &str {
        let written = self.written();
        written.rsplit('/').next().unwrap_or(written)
    }

    /// The words behind the program.
    pub(crate) fn arguments(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }
}
