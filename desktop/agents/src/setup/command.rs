//! The command line of our hook: written for `/bin/sh`, and known again wherever it stands.

use super::{Entry, SetupError};

/// The file name of the hook program.
const PROGRAM: &str = "countersign-hook";

impl Entry {
    /// The entry of a hook program, given by its absolute path.
    ///
    /// # Errors
    /// [`SetupError::Hook`] or [`SetupError::Instance`].
    pub fn new(hook: &str, instance: Option<&str>, limit_secs: u32) -> Result<Self, SetupError> {
        let is_hook = hook.starts_with('/')
            && hook.ends_with(&format!("/{PROGRAM}"))
            && !hook.contains(char::is_control);
        if !is_hook {
            return Err(SetupError::Hook(hook.to_owned()));
        }
        let is_name = |name: &&str| {
            (1..=32).contains(&name.len())
                && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        };
        if let Some(name) = instance.filter(|name| !is_name(name)) {
            return Err(SetupError::Instance(name.to_owned()));
        }
        Ok(Self { hook: hook.to_owned(), instance: instance.map(str::to_owned), limit_secs })
    }

    /// The agent's limit for the hook that waits, in seconds.
    pub(super) const fn limit_secs(&self) -> u32 {
        self.limit_secs
    }

    /// The command line for one event.
    pub(super) fn command(&self, agent: &str, event: &str, limit_secs: u32) -> String {
        let program = self.hook.replace('\'', r"'\''");
        let instance = self.instance.as_ref().map_or_else(String::new, |name| format!(" --instance {name}"));
        format!("'{program}' --agent {agent}{instance} --limit {limit_secs} {event}")
    }

    /// The entry that a command line of ours was written for.
    pub(super) fn of_command(command: &str) -> Option<Self> {
        let words = words(command)?;
        let value = |name: &str| words.iter().skip_while(|word| *word != name).nth(1).map(String::as_str);
        let limit_secs = value("--limit")?.parse().ok()?;
        Self::new(words.first()?, value("--instance"), limit_secs).ok()
    }
}

/// Whether a command line starts our hook, whatever its arguments.
pub(super) fn is_ours(command: &str) -> bool {
    let words = words(command);
    let program = words.as_deref().and_then(<[String]>::first);
    program.and_then(|program| program.rsplit('/').next()) == Some(PROGRAM)
}

/// The words of a command line as a shell splits it, quotes and backslashes taken off; `None` where a quote stays open.
fn words(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        end if end == c => break,
                        '\\' if c == '"' => word.push(chars.next()?),
                        inner => word.push(inner),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(chars.next()?),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_quoted_for_a_shell_and_read_back() {
        let entry = Entry::new("/opt/it's here/countersign-hook", Some("demo"), 125).unwrap();
        let command = entry.command("claude", "PermissionRequest", 125);
        let expected = r"'/opt/it'\''s here/countersign-hook' --agent claude --instance demo --limit 125 PermissionRequest";
        assert_eq!(command, expected);
        assert_eq!(Entry::of_command(&command), Some(entry));
        assert!(is_ours(&command));
    }

    #[test]
    fn ours_is_known_however_it_is_written_and_nothing_else_is() {
        for ours in
            ["/usr/bin/countersign-hook", "\"/a b/countersign-hook\" --agent claude", "countersign-hook -x"]
        {
            assert!(is_ours(ours), "{ours}");
        }
        for other in
            ["", "echo countersign-hook", "/usr/bin/countersign-hook-old", "'/countersign-hook", "/usr/bin/x"]
        {
            assert!(!is_ours(other), "{other}");
        }
    }

    #[test]
    fn only_an_absolute_path_of_the_hook_can_be_installed() {
        for hook in ["countersign-hook", "./countersign-hook", "/usr/bin/sh", "/a\n/countersign-hook", ""] {
            assert_eq!(Entry::new(hook, None, 125), Err(SetupError::Hook(hook.into())));
        }
        for name in ["", "a b", "../x", "Ä"] {
            let refused = Entry::new("/usr/bin/countersign-hook", Some(name), 125);
            assert_eq!(refused, Err(SetupError::Instance(name.into())));
        }
    }
}
