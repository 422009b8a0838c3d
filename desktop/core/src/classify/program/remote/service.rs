//! Services, timers and logs of the system. Looking is yellow; everything else is red, and refused where it is about
//! Countersign.

use super::{
    super::entry::{DESTRUCTIVE, Does, Entry, OUTSIDE_ASKS, READ_ASKS, RUNS_CODE, UNKNOWN_RED},
    args, cli, own,
};
use crate::classify::{finding::Finding, word::Command};

/// Services, timers, logs.
#[rustfmt::skip] // rows of words
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        names: &["systemctl"],
        does: Does::Code(|c, _| systemctl(c)),
        why: "services; also turns the computer off",
    },
    Entry {
        names: &[
            "service", "rc-service", "rc-update", "rc-status", "sv", "s6-svc", "s6-rc", "runsvdir", "initctl",
            "start", "stop", "restart", "status", "invoke-rc.d", "supervisorctl", "monit", "dinitctl",
            "svcadm", "rcctl", "launchctl", "openrc", "pm2", "forever", "circusctl",
        ],
        does: Does::Code(|c, _| service(c)),
        why: "services",
    },
    Entry {
        names: &[
            "loginctl", "hostnamectl", "timedatectl", "localectl", "networkctl", "coredumpctl",
            "systemd-analyze", "systemd-cgls", "systemd-cgtop", "systemd-detect-virt", "systemd-path",
            "systemd-escape", "systemd-delta", "userdbctl", "oomctl", "portablectl",
        ],
        does: Does::Code(|c, _| control(c)),
        why: "looks, or changes the computer",
    },
    Entry {
        names: &["journalctl"],
        does: Does::Code(|c, _| journal(c)),
        why: "reads or empties the journal",
    },
    Entry {
        names: &["crontab"],
        does: Does::Code(|c, _| crontab(c)),
        why: "lists, replaces or removes scheduled jobs",
    },
    Entry { names: &["atq"], does: Does::Always(READ_ASKS), why: "lists scheduled jobs" },
    Entry {
        names: &[
            "at", "batch", "atrm", "anacron", "fcron", "systemd-run", "systemd-tmpfiles", "systemd-sysusers",
            "systemd-firstboot", "logrotate", "cron", "crond", "launchd",
        ],
        does: Does::Code(|c, _| {
            own::unless_named(c, UNKNOWN_RED.because("runs something later or as a service"))
        }),
        why: "runs out of sight",
    },
];

/// Verbs of systemctl that only look.
#[rustfmt::skip] // rows of words
const LOOKS: &[&str] = &[
    "status", "show", "cat", "help", "is-active", "is-enabled", "is-failed", "is-system-running",
    "list-units", "list-unit-files", "list-timers", "list-sockets", "list-jobs", "list-dependencies",
    "list-machines", "list-paths", "list-automounts", "get-default", "show-environment", "whoami",
];

fn systemctl(command: &Command) -> Finding {
    let valued = [
        "-t",
        "--type",
        "-p",
        "--property",
        "-n",
        "--lines",
        "-o",
        "--output",
        "--state",
        "-s",
        "--signal",
        "--root",
        "-H",
        "--host",
        "-M",
        "--machine",
        "--job-mode",
        "--kill-who",
        "--kill-whom",
        "--kill-value",
        "--what",
        "--image",
        "--when",
        "--message",
        "--preset-mode",
        "--boot-loader-entry",
        "--boot-loader-menu",
        "--kernel-cmdline",
        "--drop-in",
        "-P",
    ];
    let found = args::operands(command, &valued);
    let verb = found.words.first().copied().unwrap_or("list-units");
    if args::has(command, &["-H", "--host", "-M", "--machine"]) {
        return OUTSIDE_ASKS.because("reaches another machine").finding();
    }
    let acts = |word: &&str| {
        matches!(
            *word,
            "start"
                | "stop"
                | "restart"
                | "reload"
                | "enable"
                | "disable"
                | "mask"
                | "kill"
                | "edit"
                | "link"
                | "set-property"
        )
    };
    let is_hidden = found.sure == 0 && found.words.iter().take(3).any(acts);
    if LOOKS.contains(&verb) && !is_hidden {
        return READ_ASKS.finding();
    }
    match verb {
        "poweroff"
        | "reboot"
        | "halt"
        | "kexec"
        | "suspend"
        | "hibernate"
        | "hybrid-sleep"
        | "suspend-then-hibernate"
        | "soft-reboot"
        | "rescue"
        | "emergency"
        | "isolate"
        | "exit"
        | "default"
        | "switch-root"
        | "sleep" => DESTRUCTIVE.because("stops or restarts this computer").finding(),
        "clean" | "reset-failed" | "revert" => own::unless_named(command, DESTRUCTIVE),
        _ => own::unless_named(command, UNKNOWN_RED.because("changes services")),
    }
}

fn service(command: &Command) -> Finding {
    if command.name() == "pm2" || command.name() == "forever" {
        return managed(command);
    }
    let words: Vec<&str> = args::texts(command).collect();
    let looks = matches!(
        (command.name(), words.as_slice()),
        ("service", ["--status-all"])
            | ("service" | "rc-service" | "sv", [_, "status"] | ["status", ..])
            | (
                "launchctl",
                ["list" | "print" | "blame" | "help" | "managername" | "version" | "print-disabled", ..],
            )
            | (
                "supervisorctl" | "initctl" | "rcctl" | "dinitctl" | "monit",
                ["status" | "list" | "avail" | "ls" | "summary", ..],
            )
            | ("rc-status" | "status", _)
    );
    if looks {
        READ_ASKS.finding()
    } else {
        own::unless_named(command, UNKNOWN_RED.because("changes services"))
    }
}

/// Process managers of a project.
fn managed(command: &Command) -> Finding {
    let words: Vec<&str> = args::texts(command).collect();
    match words.first().copied() {
        Some("list" | "ls" | "status" | "logs" | "show" | "describe" | "info" | "prettylist" | "jlist") => {
            READ_ASKS.finding()
        }
        Some("deploy" | "login" | "link" | "plus") => OUTSIDE_ASKS.finding(),
        Some("start" | "restart" | "reload" | "serve") => RUNS_CODE.finding(),
        _ => own::unless_named(command, UNKNOWN_RED.because("ends processes by name")),
    }
}

fn control(command: &Command) -> Finding {
    let found =
        args::operands(command, &["-p", "--property", "-o", "--output", "-H", "--host", "-M", "--machine"]);
    if args::has(command, &["-H", "--host", "-M", "--machine"]) {
        return OUTSIDE_ASKS.finding();
    }
    let verb = found.words.first().copied().unwrap_or("status");
    let looks = verb.starts_with("list")
        || verb.ends_with("-status")
        || matches!(
            verb,
            "status"
                | "show"
                | "hostname"
                | "info"
                | "blame"
                | "critical-chain"
                | "time"
                | "dump"
                | "plot"
                | "verify"
                | "security"
                | "lldp"
                | "user"
                | "session-status"
                | "user-status"
                | "show-timesync"
                | "timesync-status"
                | "calendar"
                | "timespan"
                | "timestamp"
                | "unit-paths"
        );
    let is_setting =
        verb == "hostname" && found.words.len() > 1 || command.name() == "coredumpctl" && verb == "dump";
    if looks && !is_setting && found.sure > 0 {
        return READ_ASKS.finding();
    }
    match verb {
        "poweroff" | "reboot" | "halt" | "suspend" | "hibernate" | "hybrid-sleep" => {
            DESTRUCTIVE.because("stops or restarts this computer").finding()
        }
        _ if cli::destroys(&found.words) || verb.starts_with("terminate") || verb.starts_with("kill") => {
            DESTRUCTIVE.because("ends sessions").finding()
        }
        _ => own::unless_named(command, UNKNOWN_RED.because("changes this computer's settings")),
    }
}

fn journal(command: &Command) -> Finding {
    let named = |prefixes: &[&str]| {
        args::texts(command).any(|text| prefixes.iter().any(|prefix| text.starts_with(prefix)))
    };
    if named(&["--va", "--rot", "--relinquish", "--smart-relinquish"]) {
        return DESTRUCTIVE.because("deletes the journal").finding();
    }
    if named(&["--fl", "--sync", "--setup-keys", "--update-catalog", "--cursor-file"]) {
        return UNKNOWN_RED.finding();
    }
    READ_ASKS.finding()
}

fn crontab(command: &Command) -> Finding {
    let words: Vec<&str> = args::texts(command).collect();
    match words.as_slice() {
        ["-l"] => READ_ASKS.finding(),
        _ if args::has(command, &["-r"]) => DESTRUCTIVE.because("removes all scheduled jobs").finding(),
        _ => UNKNOWN_RED.because("replaces scheduled jobs").finding(),
    }
}

#[cfg(test)]
mod tests {
    use countersign_proto::request::{Class, Level};

    use super::{super::args::tests::command, *};

    #[test]
    fn looking_at_services_is_yellow() {
        for line in [
            "systemctl status nginx",
            "systemctl --user list-units --type service",
            "systemctl",
            "systemctl is-active a",
        ] {
            assert_eq!(systemctl(&command(line)).level, Level::Yellow, "{line}");
        }
        assert_eq!(service(&command("service nginx status")).level, Level::Yellow);
        assert_eq!(journal(&command("journalctl -u api -n 50")).level, Level::Yellow);
        assert_eq!(crontab(&command("crontab -l")).level, Level::Yellow);
        assert_eq!(control(&command("timedatectl")).level, Level::Yellow);
    }

    #[test]
    fn changing_services_timers_and_journals_is_red() {
        for line in [
            "systemctl stop postgresql",
            "systemctl --user enable a",
            "systemctl -t x daemon-reload",
            "systemctl mask a",
            "systemctl edit a",
            "systemctl --odd show stop a",
        ] {
            assert_eq!(systemctl(&command(line)).level, Level::Red, "{line}");
        }
        assert_eq!(systemctl(&command("systemctl reboot")).class, Class::Destructive);
        assert_eq!(service(&command("service nginx restart")).level, Level::Red);
        assert_eq!(service(&command("launchctl bootout gui/501/a")).level, Level::Red);
        assert_eq!(journal(&command("journalctl --vacuum-time=1s")).class, Class::Destructive);
        assert_eq!(journal(&command("journalctl --vac=1s")).level, Level::Red);
        assert_eq!(crontab(&command("crontab -r")).class, Class::Destructive);
        assert_eq!(crontab(&command("crontab jobs.txt")).level, Level::Red);
        assert_eq!(control(&command("timedatectl set-time 12:00")).level, Level::Red);
        assert_eq!(control(&command("loginctl terminate-user u")).class, Class::Destructive);
    }

    #[test]
    fn countersigns_own_service_is_refused() {
        assert!(systemctl(&command("systemctl --user disable countersign")).refused.is_some());
        assert!(service(&command("launchctl unload countersign.plist")).refused.is_some());
        assert!(service(&command("service countersign stop")).refused.is_some());
        assert!(systemctl(&command("systemctl --user status countersign")).refused.is_none());
    }
}
