//! The command line that `countersign setup` installed:
//! `countersign-hook --agent AGENT [--instance NAME] [--limit SECONDS] [EVENT]`.

use std::ffi::OsString;
use std::time::Duration;

use countersign_ipc::Instance;

/// What the command line says.
#[derive(Debug, PartialEq, Eq)]
pub struct Arguments {
    pub agent: String,
    pub instance: Instance,
    /// The agent's own limit for this hook.
    pub limit: Option<Duration>,
    /// Empty where none is named.
    pub event: String,
}

impl Arguments {
    /// Reads the arguments after the program's name. `None` for anything that setup never writes.
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Option<Self> {
        let mut arguments = arguments.into_iter().map(|argument| argument.into_string().ok());
        let mut parsed =
            Self { agent: String::new(), instance: Instance::MAIN, limit: None, event: String::new() };
        while let Some(argument) = arguments.next() {
            match argument?.as_str() {
                "--agent" => parsed.agent = arguments.next()??,
                "--instance" => parsed.instance = arguments.next()??.parse().ok()?,
                "--limit" => {
                    parsed.limit = Some(Duration::from_secs(arguments.next()??.parse::<u32>().ok()?.into()))
                }
                event if parsed.event.is_empty() && !event.starts_with('-') => {
                    parsed.event = event.to_owned()
                }
                _ => return None,
            }
        }
        (!parsed.agent.is_empty()).then_some(parsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Option<Arguments> {
        Arguments::parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn the_installed_command_is_read_in_any_order() {
        let expected = Arguments {
            agent: "claude".into(),
            instance: "demo".parse().unwrap(),
            limit: Some(Duration::from_secs(125)),
            event: "PermissionRequest".into(),
        };
        let line = "--agent claude --instance demo --limit 125 PermissionRequest";
        assert_eq!(parse(line).as_ref(), Some(&expected));
        assert_eq!(parse("PermissionRequest --limit 125 --agent claude --instance demo"), Some(expected));
        assert_eq!(parse("--agent claude").unwrap().instance, Instance::MAIN);
    }

    #[test]
    fn what_setup_never_writes_is_no_command() {
        for line in [
            "",
            "PermissionRequest",
            "--agent",
            "--agent claude --instance",
            "--agent claude --instance ../x",
            "--agent claude --limit soon",
            "--agent claude --limit -1",
            "--agent claude --help",
            "--agent claude One Two",
        ] {
            assert_eq!(parse(line), None, "{line}");
        }
    }
}
