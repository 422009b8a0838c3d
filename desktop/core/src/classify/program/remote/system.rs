//! Privilege, accounts, processes by name, the kernel, and this machine's settings and secrets. Red (LVL-3).

use super::{
    super::entry::{DESTRUCTIVE, Does, Entry, Fixed, READ_ASKS, UNKNOWN_RED},
    args, cli, own,
};
use crate::classify::{facts::Reach, finding::Finding, word::Command};
use countersign_proto::request::{Class, Level};

/// Privilege, accounts, processes, kernel, settings.
#[rustfmt::skip] // rows of words
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        names: &[
            "sudo", "sudoedit", "doas", "su", "pkexec", "runuser", "run0", "gosu", "su-exec", "setuidgid",
            "gksudo", "kdesu", "kdesudo", "lxsudo", "please", "calife", "super", "sg", "newgrp", "sudo-rs",
            "dzdo", "pfexec", "runas", "gsudo",
        ],
        does: Does::Always(UNKNOWN_RED.because("runs with other rights than yours")),
        why: "privilege",
    },
    Entry {
        names: &[
            "chroot", "unshare", "nsenter", "pivot_root", "switch_root", "capsh", "setcap", "setpriv",
            "systemd-nspawn", "schroot", "fakechroot", "proot",
        ],
        does: Does::Always(UNKNOWN_RED.because("changes what a program may do")),
        why: "privilege",
    },
    Entry {
        names: &[
            "useradd", "adduser", "usermod", "passwd", "chpasswd", "groupadd", "addgroup", "groupmod",
            "gpasswd", "chsh", "chfn", "visudo", "vipw", "vigr", "chage", "newusers", "pwck", "grpck",
            "pwconv", "faillock", "pam_tally2", "authselect", "authconfig", "realm", "sssctl", "smbpasswd",
            "dscl", "dseditgroup", "sysadminctl", "pwpolicy", "homectl", "lpasswd", "fscrypt", "dsconfigad",
            "createhomedir",
        ],
        does: Does::Always(UNKNOWN_RED.because("changes accounts")),
        why: "accounts",
    },
    Entry {
        names: &["userdel", "deluser", "groupdel", "delgroup"],
        does: Does::Always(DESTRUCTIVE.because("removes an account")),
        why: "accounts",
    },
    Entry {
        names: &[
            "killall", "killall5", "pkill", "skill", "snice", "xkill", "slay", "taskkill", "fkill",
            "kill-port", "killport",
        ],
        does: Does::Code(|c, _| own::ends_by_name(c)),
        why: "ends processes by name or by what they hold",
    },
    Entry {
        names: &["fuser"],
        does: Does::Code(|c, _| fuser(c)),
        why: "shows who holds a file; -k ends them",
    },
    Entry {
        names: &[
            "shutdown", "reboot", "halt", "poweroff", "init", "telinit", "pm-suspend", "pm-hibernate",
            "pm-powerdown", "systemd-soft-reboot", "kexec", "zzz",
        ],
        does: Does::Always(DESTRUCTIVE.because("stops or restarts this computer")),
        why: "ends everything that runs",
    },
    Entry {
        names: &[
            "modprobe", "insmod", "rmmod", "depmod", "dkms", "kmod", "grub-install", "grub-mkconfig",
            "update-grub", "grub2-mkconfig", "grubby", "efibootmgr", "bootctl", "mokutil", "update-initramfs",
            "mkinitcpio", "dracut", "mkinitrd", "kernelstub", "nvram", "bless", "csrutil", "spctl",
            "kextload", "kextunload", "kextutil", "kmutil", "fwupdmgr", "flashrom", "setpci", "cpupower",
            "tuned-adm", "sensors-detect", "rtcwake", "tpm2_clear", "bpftool", "bpftrace", "auditctl",
            "setenforce", "semanage", "setsebool", "semodule", "restorecon", "chcon", "fixfiles",
            "aa-disable", "aa-enforce", "aa-complain", "apparmor_parser", "aa-teardown", "usbguard",
        ],
        does: Does::Code(|c, _| {
            own::unless_named(c, UNKNOWN_RED.because("changes the kernel or how it starts"))
        }),
        why: "kernel and boot",
    },
    Entry {
        names: &["sysctl"],
        does: Does::Code(|c, _| sysctl(c)),
        why: "reads or sets the kernel's settings",
    },
    Entry {
        names: &["dmesg"],
        does: Does::Code(|c, _| dmesg(c)),
        why: "reads or clears the kernel's messages",
    },
    Entry {
        names: &[
            "chattr", "setfacl", "setfattr", "update-alternatives", "alternatives", "ldconfig", "update-rc.d",
            "chkconfig", "ntsysv", "debconf-set-selections", "dpkg-reconfigure", "dpkg-divert",
            "dpkg-statoverride", "locale-gen", "update-locale", "update-ca-certificates", "update-ca-trust",
            "trust", "mandb", "updatedb", "depscan", "ubuntu-drivers", "do-release-upgrade", "eselect",
            "etc-update", "xcode-select", "duti", "lsregister", "mdutil", "tccutil", "profiles",
            "systemsetup", "scutil", "pmset", "nixos-rebuild", "home-manager", "darwin-rebuild", "guix",
            "etckeeper", "sysprep", "setx", "reg", "regedit", "bcdedit", "sc", "netsh", "wmic", "icacls",
            "takeown", "cacls", "schtasks", "gpupdate", "dism", "vssadmin", "cipher", "diskpart",
        ],
        does: Does::Code(|c, _| {
            own::unless_named(c, UNKNOWN_RED.because("changes this computer's settings"))
        }),
        why: "settings of the whole computer",
    },
    Entry {
        names: &[
            "defaults", "gsettings", "dconf", "kwriteconfig5", "kwriteconfig6", "plutil", "PlistBuddy",
            "xfconf-query",
        ],
        does: Does::Code(|c, _| settings(c)),
        why: "reads or changes the desktop's settings",
    },
    Entry {
        names: &[
            "security", "secret-tool", "keyctl", "pass", "gopass", "op", "bw", "bws", "rbw", "lpass",
            "keepassxc-cli", "kpcli", "kwallet-query", "kwalletcli", "gnome-keyring-daemon", "gnome-keyring",
            "dashlane", "dcli", "nordpass", "protonpass", "enpasscli", "passage", "prs", "cmdkey", "vaultcmd",
            "git-credential-store", "git-credential-osxkeychain", "git-credential-libsecret",
            "git-credential-manager", "docker-credential-pass", "docker-credential-osxkeychain",
            "docker-credential-secretservice", "docker-credential-desktop", "pass-otp", "oathtool",
            "authenticator", "systemd-creds",
        ],
        does: Does::Code(|c, _| secrets(c)),
        why: "reads or changes stored secrets",
    },
    Entry {
        names: &[
            "xdotool", "ydotool", "wtype", "dotool", "xte", "cliclick", "AutoHotkey", "sikulix", "nircmd",
            "wmctrl", "dbus-send", "gdbus", "busctl", "qdbus", "qdbus6",
        ],
        does: Does::Code(|c, _| {
            own::unless_named(
                c,
                UNKNOWN_RED.because("types or clicks for the person, or commands other programs"),
            )
        }),
        why: "could press the person's own buttons",
    },
];

/// Reads what is secret.
const SECRET: Fixed = Fixed::of(Class::Read, Level::Red, Reach::Never);

fn fuser(command: &Command) -> Finding {
    if args::has(command, &["-k", "--kill"]) { own::ends_by_name(command) } else { READ_ASKS.finding() }
}

fn sysctl(command: &Command) -> Finding {
    let sets = args::has(command, &["-w", "-p", "-f", "--write", "--load", "--system"]);
    let assigns = args::texts(command).any(|text| !args::is_option(text) && text.contains('='));
    if sets || assigns {
        UNKNOWN_RED.because("changes the kernel's settings").finding()
    } else {
        READ_ASKS.finding()
    }
}

fn dmesg(command: &Command) -> Finding {
    const SETS: &[&str] = &[
        "-C",
        "-c",
        "--clear",
        "--read-clear",
        "-D",
        "-E",
        "-n",
        "--console-off",
        "--console-on",
        "--console-level",
    ];
    if args::has(command, SETS)
        || args::texts(command)
            .any(|text| text.starts_with("--c") && text != "--color" && !text.starts_with("--color="))
    {
        return DESTRUCTIVE.because("clears the kernel's messages").finding();
    }
    READ_ASKS.finding()
}

fn settings(command: &Command) -> Finding {
    let verb = args::texts(command).find(|text| !args::is_option(text)).unwrap_or_default();
    match verb {
        "read" | "find" | "domains" | "list-schemas" | "list-keys" | "list-recursively" | "list" | "get"
        | "range" | "describe" | "help" => READ_ASKS.finding(),
        "delete" | "reset" | "reset-recursively" | "remove" => {
            own::unless_named(command, DESTRUCTIVE.because("loses settings"))
        }
        _ => own::unless_named(command, UNKNOWN_RED.because("changes settings outside the project")),
    }
}

fn secrets(command: &Command) -> Finding {
    let words: Vec<&str> = args::texts(command).filter(|text| !args::is_option(text)).collect();
    if cli::destroys(&words)
        || words.first().is_some_and(|verb| verb.starts_with("delete"))
        || words.contains(&"clear")
    {
        return DESTRUCTIVE.because("deletes stored secrets").finding();
    }
    let changes = words.first().is_some_and(|verb| {
        [
            "add", "set", "insert", "generate", "edit", "create", "store", "import", "unlock", "login",
            "init", "update", "git", "mv", "cp",
        ]
        .iter()
        .any(|one| verb.starts_with(one))
    });
    if changes {
        UNKNOWN_RED.because("changes stored secrets").finding()
    } else {
        SECRET.because("reads stored secrets").finding()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::args::tests::command, *};

    #[test]
    fn looking_at_the_kernel_is_a_read_and_setting_is_red() {
        assert_eq!(sysctl(&command("sysctl -a")).level, Level::Yellow);
        assert_eq!(sysctl(&command("sysctl vm.swappiness")).class, Class::Read);
        assert_eq!(sysctl(&command("sysctl -w kernel.randomize_va_space=0")).level, Level::Red);
        assert_eq!(sysctl(&command("sysctl vm.swappiness=1")).level, Level::Red);
        assert_eq!(dmesg(&command("dmesg -T")).level, Level::Yellow);
        assert_eq!(dmesg(&command("dmesg -C")).level, Level::Red);
        assert_eq!(dmesg(&command("dmesg --clea")).level, Level::Red);
    }

    #[test]
    fn ending_by_name_is_red_and_looking_who_holds_a_file_is_not() {
        assert_eq!(own::ends_by_name(&command("killall node")).level, Level::Red);
        assert_eq!(fuser(&command("fuser 3000/tcp")).level, Level::Yellow);
        assert_eq!(fuser(&command("fuser -k 3000/tcp")).level, Level::Red);
    }

    #[test]
    fn stored_secrets_are_red_to_read_and_to_change() {
        assert_eq!(secrets(&command("pass show work/key")).class, Class::Read);
        assert_eq!(secrets(&command("security find-generic-password -w")).level, Level::Red);
        assert_eq!(secrets(&command("security delete-keychain a")).class, Class::Destructive);
        assert_eq!(secrets(&command("pass rm -rf work")).class, Class::Destructive);
    }
}
