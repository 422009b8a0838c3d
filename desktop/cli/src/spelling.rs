//! Command lines that can't be read: told with what was meant, where that can be guessed. Nothing is ever run on a guess.

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::{output, trouble::USAGE, trouble::Words};

/// What people type, and what to tell them.
const MEANT: &[(&[&str], &str)] = &[
    (
        &["approve", "allow", "accept", "yes", "answer", "confirm"],
        "Nothing can be approved from here: a yes is given on a phone, or at the card in `countersign watch`.",
    ),
    (
        &["qr", "auth", "login", "signin", "link", "connect", "scan", "code", "register"],
        "Did you mean `countersign pair`?",
    ),
    (&["start", "run", "daemon", "serve", "server"], "Did you mean `countersign up`?"),
    (&["stop", "down", "quit", "kill"], "Ctrl-C ends it, in the terminal of `countersign up`."),
    (&["demo"], "Did you mean `countersign up --demo`?"),
    (
        &["list", "ls", "queue", "cards", "requests"],
        "Did you mean `countersign pending`, or `countersign phones list`?",
    ),
    (&["reject", "refuse", "no"], "Did you mean `countersign deny`?"),
    (&["hand-off", "handoff", "skip", "dismiss"], "Did you mean `countersign release`?"),
    (&["devices", "phone", "device"], "Did you mean `countersign phones`?"),
    (&["revoke", "unpair", "forget"], "Did you mean `countersign phones revoke`?"),
    (&["logs", "audit", "history"], "Did you mean `countersign log`?"),
    (&["verify"], "Did you mean `countersign log verify`?"),
    (&["export"], "Did you mean `countersign log export --jsonl`?"),
    (&["install", "init", "hooks", "hook"], "Did you mean `countersign setup claude`?"),
    (&["uninstall", "remove"], "Did you mean `countersign setup --remove claude`?"),
    (&["check", "diagnose", "health"], "Did you mean `countersign doctor`?"),
    (&["ui", "tui", "screen", "open", "console"], "Did you mean `countersign watch`?"),
];

/// Tells what is wrong with a command line; help and version are no wrong.
pub fn refuse(error: &clap::Error) -> ExitCode {
    if let Some(meant) = unknown_word(error).and_then(|word| meant(&word)) {
        let text = format!("{}", error.render()).lines().next().unwrap_or_default().to_owned();
        output::complain(&Words { code: "usage".to_owned(), text, hint: meant });
        return ExitCode::from(USAGE);
    }
    // Where it can't be written nobody is there to read it.
    let _ = error.print();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(USAGE))
}

fn unknown_word(error: &clap::Error) -> Option<String> {
    let kind = match error.kind() {
        ErrorKind::InvalidSubcommand => ContextKind::InvalidSubcommand,
        ErrorKind::UnknownArgument => ContextKind::InvalidArg,
        _ => return None,
    };
    match error.get(kind)? {
        ContextValue::String(word) => Some(word.clone()),
        _ => None,
    }
}

/// What is meant by a word that is no command; an option that is one without its dashes is meant as that command.
fn meant(word: &str) -> Option<String> {
    let word = word.trim_start_matches('-').to_ascii_lowercase();
    let known = MEANT.iter().find(|(words, _)| words.contains(&word.as_str()));
    let command =
        ["up", "pair", "phones", "watch", "pending", "deny", "release", "lock", "unlock", "status", "log"]
            .into_iter()
            .chain(["doctor", "setup"])
            .find(|command| *command == word);
    known
        .map(|(_, meant)| (*meant).to_owned())
        .or_else(|| command.map(|command| format!("Did you mean `countersign {command}`?")))
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser as _};

    use super::*;
    use crate::arguments::Arguments;

    fn guess(words: &[&str]) -> Option<String> {
        let error = Arguments::try_parse_from([&["countersign"], words].concat()).unwrap_err();
        unknown_word(&error).and_then(|word| meant(&word))
    }

    #[test]
    fn other_words_for_pairing_lead_to_pair() {
        for words in [["qr"], ["auth"], ["--pair"], ["link"], ["--qr"]] {
            assert_eq!(guess(&words).as_deref(), Some("Did you mean `countersign pair`?"), "{words:?}");
        }
    }

    #[test]
    fn no_word_approves_and_each_that_might_leads_to_phone_and_watch() {
        for word in ["approve", "allow", "yes", "accept"] {
            let meant = guess(&[word]).unwrap();
            assert!(meant.contains("phone") && meant.contains("watch"), "{word}: {meant}");
        }
    }

    #[test]
    fn no_command_is_listed_as_a_wrong_word() {
        for command in Arguments::command().get_subcommands() {
            let name = command.get_name();
            assert!(!MEANT.iter().any(|(words, _)| words.contains(&name)), "{name}");
        }
        assert_eq!(guess(&["sdfkjh"]), None);
    }
}
