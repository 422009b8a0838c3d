//! Package managers of the whole computer. Asking the local database is yellow; they change the computer for everybody,
//! so that installing is red, unlike a project's own packages.

use super::{
    super::entry::{DESTRUCTIVE, Does, Entry, NETWORK_READ_ASKS, READ_ASKS, RUNS_CODE, UNKNOWN_RED},
    args,
    cli::PROBE,
    own,
};
use crate::classify::{finding::Finding, word::Command};

/// Package managers of the computer.
#[rustfmt::skip] // rows of words
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        names: &[
            "apt", "apt-get", "aptitude", "apt-cache", "apt-mark", "apt-key", "apt-file", "apt-config",
            "add-apt-repository", "dpkg", "dpkg-query", "dpkg-deb", "nala", "tasksel", "dselect",
            "unattended-upgrade", "dnf", "dnf5", "yum", "microdnf", "rpm", "rpm-ostree", "zypper", "urpmi",
            "tdnf", "pacman", "yay", "paru", "pamac", "makepkg", "trizen", "apk", "emerge", "equery",
            "xbps-install", "xbps-query", "xbps-remove", "eopkg", "swupd", "opkg", "slackpkg", "pkg", "pkgin",
            "pkg_add", "pkg_delete", "pkg_info", "snap", "flatpak", "port", "fink", "mas", "softwareupdate",
            "choco", "winget", "scoop", "nix-env", "nix-channel", "nix-collect-garbage", "nix-store", "alien",
            "installer", "pkgutil", "bootc", "ostree", "transactional-update", "appimaged",
            "dpkg-scanpackages", "cnf",
        ],
        does: Does::Code(|c, _| system(c)),
        why: "changes the computer for everybody",
    },
    Entry {
        names: &["brew", "linuxbrew"],
        does: Does::Code(|c, _| brew(c)),
        why: "packages of the user; installs stay yellow",
    },
];

/// Verbs that ask the local database.
#[rustfmt::skip] // rows of words
const LOOKS: &[&str] = &[
    "list", "show", "policy", "depends", "rdepends", "showpkg", "pkgnames", "stats", "dump", "showmanual",
    "showauto", "showhold", "showsrc", "connections", "repolist", "provides", "repoquery", "deplist", "info",
    "installed", "history", "status", "services", "warnings", "changes", "contents", "leaves", "--list",
    "--status", "--listfiles", "--search", "--print-avail", "--get-selections", "--audit",
    "--print-architecture", "--version", "--info", "--contents",
];
const SEARCHES: &[&str] = &["search", "find", "remote-info", "remote-ls", "outdated", "--updates"];
const PURGES: &[&str] = &[
    "purge",
    "--purge",
    "autopurge",
    "autoremove",
    "clean",
    "autoclean",
    "cleanup",
    "repair",
    "--unused",
    "--delete-data",
    "reset",
    "gc",
    "--gc",
    "--delete",
    "--delete-old",
    "-d",
    "wipe",
    "wipe-history",
];

fn system(command: &Command) -> Finding {
    if args::is_probe(command) {
        return PROBE.finding();
    }
    let words: Vec<&str> = args::texts(command).collect();
    let verb = words.iter().find(|word| !args::is_option(word)).copied().unwrap_or_default();
    let first = words.first().copied().unwrap_or_default();
    let looks = match command.name() {
        "dpkg" => {
            ["-l", "-L", "-s", "-S", "-p", "-c", "-I", "-C", "-V"].contains(&first) || LOOKS.contains(&first)
        }
        "dpkg-query" | "xbps-query" | "pkg_info" | "apt-config" | "equery" => true,
        "dpkg-deb" => ["-c", "-I", "-f", "-W", "--contents", "--info", "--field", "--show"].contains(&first),
        "rpm" => first.starts_with("-q") || first == "--query" || first.starts_with("-V"),
        "pacman" | "yay" | "paru" => {
            first.starts_with("-Q") || matches!(first, "-Si" | "-Ss" | "-F" | "-Fl" | "-Fs")
        }
        "nix-store" => matches!(first, "-q" | "--query" | "--verify"),
        "pkgutil" => {
            matches!(first, "--pkgs" | "--files" | "--pkg-info" | "--file-info" | "--check-signature")
        }
        "apt-cache" | "apt-file" => verb != "gencaches" && verb != "update",
        "apt-mark" => verb.starts_with("show"),
        "apk" => matches!(verb, "info" | "list" | "policy" | "version" | "dot" | "stats"),
        _ => LOOKS.contains(&verb) && !args::has(command, &["--refresh"]),
    };
    let is_remote = matches!(
        command.name(),
        "choco"
            | "winget"
            | "scoop"
            | "mas"
            | "softwareupdate"
            | "snap"
            | "flatpak"
            | "dnf"
            | "dnf5"
            | "yum"
            | "zypper"
    );
    if looks && !(is_remote && matches!(verb, "info" | "show" | "repoquery" | "provides" | "list")) {
        return READ_ASKS.finding();
    }
    if looks || SEARCHES.contains(&verb) {
        return if is_remote { NETWORK_READ_ASKS.finding() } else { READ_ASKS.finding() };
    }
    let purges = words.iter().any(|word| PURGES.contains(word)) || command.name() == "nix-collect-garbage";
    own::unless_named(
        command,
        if purges {
            DESTRUCTIVE.because("removes packages with what belongs to them")
        } else {
            UNKNOWN_RED.because("changes this computer's packages")
        },
    )
}

fn brew(command: &Command) -> Finding {
    if args::is_probe(command) {
        return PROBE.finding();
    }
    let words: Vec<&str> = args::texts(command).collect();
    match words.as_slice() {
        [
            "list" | "ls" | "leaves" | "deps" | "uses" | "config" | "doctor" | "--prefix" | "--cellar"
            | "--cache" | "--repository" | "--env" | "commands" | "help" | "missing" | "shellenv"
            | "tap-info" | "desc",
            ..,
        ] => READ_ASKS.finding(),
        ["search" | "info" | "outdated" | "home" | "log" | "livecheck" | "cat" | "abv", ..] => {
            NETWORK_READ_ASKS.finding()
        }
        ["services"] | ["services", "list" | "info", ..] => READ_ASKS.finding(),
        ["services", ..] => own::unless_named(command, UNKNOWN_RED.because("changes services")),
        ["uninstall" | "remove" | "rm" | "unlink" | "link", ..] if own::is_named(command) => {
            own::refused("would remove Countersign")
        }
        ["uninstall" | "remove" | "rm", ..] if args::has(command, &["--zap"]) => DESTRUCTIVE.finding(),
        _ => RUNS_CODE.finding(),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::args::tests::command, *};
    use countersign_proto::request::{Class, Level};

    #[test]
    fn the_local_database_is_read_and_everything_else_is_red() {
        for line in
            ["apt list --installed", "apt-cache policy jq", "dpkg -l", "rpm -qa", "pacman -Qi jq", "apk info"]
        {
            let finding = system(&command(line));
            assert_eq!((finding.level, finding.class), (Level::Yellow, Class::Read), "{line}");
        }
        for line in [
            "apt-get install jq",
            "apt update",
            "dpkg -i a.deb",
            "rpm -e a",
            "pacman -Syu",
            "apk add jq",
            "snap install a",
            "dnf -y install a",
            "apt-mark hold a",
            "flatpak update",
        ] {
            assert_eq!(system(&command(line)).level, Level::Red, "{line}");
        }
        assert_eq!(system(&command("apt purge a")).class, Class::Destructive);
        assert!(system(&command("apt remove countersign")).refused.is_some());
    }

    #[test]
    fn a_users_own_packages_stay_yellow() {
        assert_eq!(brew(&command("brew install jq")).level, Level::Yellow);
        assert_eq!(brew(&command("brew list")).class, Class::Read);
        assert_eq!(brew(&command("brew search jq")).level, Level::Red);
        assert_eq!(brew(&command("brew services stop a")).level, Level::Red);
        assert!(brew(&command("brew uninstall countersign")).refused.is_some());
    }
}
