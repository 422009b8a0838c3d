//! Firewall, interfaces, routes and names of this computer. Looking is yellow, changing red.

use super::{
    super::entry::{DESTRUCTIVE, Does, Entry, READ_ASKS, UNKNOWN_RED},
    args, cli,
};
use crate::classify::{finding::Finding, word::Command};

/// Firewall and interfaces.
#[rustfmt::skip] // rows of words
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        names: &[
            "iptables", "ip6tables", "nft", "ufw", "firewall-cmd", "iptables-save", "iptables-restore",
            "ip6tables-save", "ip6tables-restore", "ebtables", "arptables", "ipset", "shorewall", "pfctl",
            "ipfw", "firewalld", "fail2ban-client", "csf", "tc", "bridge", "brctl", "ethtool", "mii-tool",
            "iw", "iwconfig", "iwctl", "wpa_cli", "wpa_supplicant", "rfkill", "bluetoothctl", "hciconfig",
            "dhclient", "dhcpcd", "udhcpc", "ifup", "ifdown", "vconfig", "ifenslave", "macchanger",
            "ovs-vsctl", "ovs-ofctl", "vtysh", "ntpdate", "chronyc", "ntpq", "hwclock", "networksetup",
            "dnsmasq", "named", "rndc", "airport", "hostapd", "batctl", "conntrack", "socketfilterfw",
            "nmtui", "netplan",
        ],
        does: Does::Code(|c, _| firewall(c)),
        why: "changes how this computer is reached",
    },
    Entry { names: &["ip"], does: Does::Code(|c, _| ip(c)), why: "looks at interfaces, or changes them" },
    Entry {
        names: &[
            "ifconfig", "route", "arp", "hostname", "domainname", "nisdomainname", "dnsdomainname", "nmcli",
        ],
        does: Does::Code(|c, _| interface(c)),
        why: "looks at interfaces and names, or changes them",
    },
];

fn firewall(command: &Command) -> Finding {
    let empties = |text: &str| {
        matches!(text, "-F" | "-X" | "--flush" | "--delete-chain" | "flush" | "reset" | "-Fa" | "destroy")
    };
    if args::texts(command).any(empties) {
        return DESTRUCTIVE.because("removes firewall or network settings").finding();
    }
    UNKNOWN_RED.because("looks at or changes how this computer is reached").finding()
}

fn ip(command: &Command) -> Finding {
    let found = args::operands(command, &["-n", "-netns", "-f", "-family", "-b", "-batch", "-l", "-rc"]);
    let changes = args::has(command, &["-batch", "-n", "-netns", "-force", "-a", "-all"])
        || args::texts(command).any(|text| text.starts_with("-b") && !text.starts_with("-br"));
    // Objects and verbs may be shortened; everything that is no look is a change.
    let looks = match found.words.as_slice() {
        [_] => !found.words.contains(&"netns"),
        [_, verb, ..] => {
            verb.len() >= 2 && ["show", "list", "get"].iter().any(|look| look.starts_with(verb))
                || matches!(*verb, "ls" | "s" | "sh" | "lst")
        }
        [] => true,
    };
    if looks && !changes {
        READ_ASKS.finding()
    } else {
        UNKNOWN_RED.because("changes interfaces or routes").finding()
    }
}

fn interface(command: &Command) -> Finding {
    let words: Vec<&str> = args::texts(command).filter(|text| !args::is_option(text)).collect();
    let looks = match command.name() {
        "ifconfig" => words.len() <= 1,
        "route" | "domainname" | "nisdomainname" | "dnsdomainname" => words.is_empty(),
        "hostname" => words.is_empty() && !args::has(command, &["-F", "--file", "-b", "--boot"]),
        "arp" => !args::has(command, &["-d", "-s", "-f", "--delete", "--set", "--file"]),
        _ => {
            matches!(words.as_slice(), [] | [_] | [_, "show" | "status" | "list" | "s" | "l", ..])
                && words.first() != Some(&"monitor")
        }
    };
    if looks {
        READ_ASKS.finding()
    } else if cli::destroys(&words) {
        DESTRUCTIVE.because("removes network settings").finding()
    } else {
        UNKNOWN_RED.because("changes interfaces, routes or names").finding()
    }
}

#[cfg(test)]
mod tests {
    use countersign_proto::request::Level;

    use super::{super::args::tests::command, *};

    #[test]
    fn interfaces_are_looked_at_or_changed() {
        for line in ["ip addr", "ip a", "ip -br addr show", "ip route get 1.1.1.1", "ip link ls"] {
            assert_eq!(ip(&command(line)).level, Level::Yellow, "{line}");
        }
        for line in [
            "ip link set eth0 down",
            "ip route add default via 10.0.0.1",
            "ip addr flush dev eth0",
            "ip netns exec a ls",
            "ip -batch x",
        ] {
            assert_eq!(ip(&command(line)).level, Level::Red, "{line}");
        }
        for (line, level) in [
            ("ifconfig", Level::Yellow),
            ("ifconfig eth0 down", Level::Red),
            ("hostname", Level::Yellow),
            ("hostname evil", Level::Red),
            ("nmcli device status", Level::Yellow),
            ("nmcli connection delete a", Level::Red),
        ] {
            assert_eq!(interface(&command(line)).level, level, "{line}");
        }
        assert_eq!(firewall(&command("iptables -F")).level, Level::Red);
        assert_eq!(firewall(&command("ufw disable")).level, Level::Red);
    }
}
