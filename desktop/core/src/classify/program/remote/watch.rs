//! Looking at this computer: processes, ports, memory, hardware. Yellow, and a line may allow it.

use super::{
    super::entry::{Does, Entry, READ_ASKS, UNKNOWN, UNKNOWN_RED},
    args,
};
use crate::classify::{finding::Finding, word::Command};

/// Looks at this computer.
#[rustfmt::skip] // rows of words
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        names: &[
            "lsof", "netstat", "free", "vmstat", "iostat", "mpstat", "pidstat", "top", "htop", "btop", "atop",
            "glances", "pstree", "pgrep", "pidof", "pidwait", "lscpu", "lsblk", "lsusb", "lspci", "lsmem",
            "lsmod", "lshw", "lsns", "lslocks", "lsipc", "lslogins", "modinfo", "nproc", "arch", "id",
            "groups", "who", "w", "users", "last", "lastb", "lastlog", "tty", "logname", "sw_vers",
            "system_profiler", "locale", "getconf", "hwinfo", "inxi", "neofetch", "fastfetch", "screenfetch",
            "sensors", "acpi", "upower", "nvidia-smi", "rocm-smi", "pmap", "slabtop", "numastat", "dmidecode",
            "blkid", "getfattr", "lsattr", "getcap", "getenforce", "sestatus", "aa-status", "ipcs", "jps",
            "vm_stat", "ioreg", "hostid", "uuidgen", "cal", "ncal", "getfacl", "dircolors", "infocmp", "tput",
            "resolveip", "runlevel", "lsb_release", "fc-list", "fc-match", "xdpyinfo", "xprop", "procs",
            "smem", "dstat", "nmon", "sockstat", "powertop",
        ],
        does: Does::Code(|c, _| looks(c)),
        why: "looks at this computer, outside the green list",
    },
    Entry {
        names: &["ss"],
        does: Does::Code(|c, _| sockets(c)),
        why: "lists sockets; -K closes them, -D writes a file",
    },
    Entry {
        names: &[
            "xset", "xrandr", "stty", "setterm", "amixer", "pactl", "brightnessctl", "light", "notify-send",
            "terminal-notifier", "say", "espeak", "wl-copy", "wl-paste", "xclip", "xsel", "pbcopy", "pbpaste",
            "screencapture", "scrot", "grim", "import", "gnome-screenshot", "flameshot", "clip.exe",
        ],
        does: Does::Always(UNKNOWN),
        why: "the person's desktop",
    },
];

fn looks(command: &Command) -> Finding {
    // Options of a few of these act: `nvidia-smi -r`, `lsof` and the rest have none.
    let acts = match command.name() {
        "nvidia-smi" => args::has(
            command,
            &[
                "-r",
                "--gpu-reset",
                "-pm",
                "-pl",
                "-f",
                "--filename",
                "-c",
                "-ac",
                "-rac",
                "-mig",
                "--persistence-mode",
            ],
        ),
        "rocm-smi" => args::texts(command)
            .any(|text| text.starts_with("--set") || text.starts_with("--reset") || text == "--save"),
        "powertop" => {
            args::texts(command).any(|text| text.starts_with("--auto") || text.starts_with("--cal"))
        }
        "tput" | "upower" | "xprop" => args::has(command, &["-set", "-remove"]),
        "dmidecode" => args::has(command, &["--dump-bin"]),
        "atop" => args::has(command, &["-w"]),
        "glances" => args::has(command, &["-w", "-s", "--export", "-c"]),
        _ => false,
    };
    if acts { UNKNOWN_RED.finding() } else { READ_ASKS.finding() }
}

fn sockets(command: &Command) -> Finding {
    if args::has(command, &["-K", "--kill", "-D", "--diag"]) {
        UNKNOWN_RED.because("closes other programs' connections").finding()
    } else {
        READ_ASKS.finding()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::args::tests::command, *};
    use crate::classify::facts::Reach;
    use countersign_proto::request::{Class, Level};

    #[test]
    fn looking_at_this_computer_is_yellow_and_a_line_may_allow_it() {
        for line in ["lsof -i :3000", "free -h", "pgrep -f node"] {
            let finding = looks(&command(line));
            assert_eq!(
                (finding.class, finding.level, finding.reach),
                (Class::Read, Level::Yellow, Reach::Class),
                "{line}"
            );
        }
        assert_eq!(sockets(&command("ss -tlnp")).level, Level::Yellow);
        assert_eq!(sockets(&command("ss -K dst 1.1.1.1")).level, Level::Red);
    }
}
