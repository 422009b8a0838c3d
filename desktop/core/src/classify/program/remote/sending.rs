//! Programs that send: remote shells and copies, raw connections, mail, tunnels, storage. Red, `external`, never by a line.

use super::{
    super::entry::{
        DESTRUCTIVE, Does, Entry, NETWORK_READ_ASKS, OUTSIDE_ASKS, RUNS_CODE, UNKNOWN, UNKNOWN_RED,
    },
    args,
    cli::{Cli, PROBE, SERVICE},
};
use crate::classify::{finding::Finding, word::Command};

/// Programs that send.
#[rustfmt::skip] // rows of words
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        names: &[
            "ssh", "slogin", "autossh", "sshpass", "mosh", "et", "rsh", "rlogin", "rexec", "telnet", "tn",
            "pssh", "pdsh", "clush", "dsh", "parallel-ssh", "tsh", "sshfs", "gcsfuse", "s3fs", "waypipe",
            "xpra",
        ],
        does: Does::Code(|c, _| sends(c)),
        why: "runs something on another machine",
    },
    Entry {
        names: &[
            "scp", "sftp", "ftp", "ftps", "lftp", "ncftp", "ncftpput", "ncftpget", "tftp", "pscp", "rcp",
            "unison", "lsyncd", "csync2", "smbclient", "smbget", "davix", "cadaver", "curlftpfs", "zssh",
            "bbcp", "globus", "ascp", "fpsync",
        ],
        does: Does::Code(|c, _| sends(c)),
        why: "copies files to or from another machine",
    },
    Entry {
        names: &[
            "nc", "ncat", "netcat", "nc.traditional", "nc.openbsd", "socat", "cryptcat", "pwncat", "websocat",
            "wscat", "ws", "grpcurl", "grpc_cli", "evans", "mosquitto_pub", "mosquitto_sub", "mqttx", "kcat",
            "kafkacat", "nats", "stunnel", "uucp", "swaks", "dbclient", "chisel", "ligolo", "iodine",
            "dnscat", "hans", "proxychains", "proxychains4", "torsocks", "tor", "zerotier-cli", "rinetd",
            "redir", "gost",
        ],
        does: Does::Code(|c, _| sends(c)),
        why: "opens a raw connection",
    },
    Entry {
        names: &["openssl"],
        does: Does::Code(|c, _| openssl(c)),
        why: "s_client and kin connect; the rest is local",
    },
    Entry {
        names: &[
            "mail", "mailx", "mutt", "neomutt", "sendmail", "msmtp", "ssmtp", "exim", "exim4", "postfix",
            "nail", "s-nail", "aerc", "himalaya", "slack", "slackcat", "slack-cli", "discord",
            "telegram-send", "telegram-cli", "tg", "signal-cli", "matrix-commander", "ntfy", "pushover",
            "apprise", "wall", "write", "irssi", "weechat", "profanity", "toot", "tweet", "twurl",
            "matterhorn", "mmctl", "zulip-send", "teams", "gotify", "notify", "shoutrrr", "noti", "xmpp",
            "sendxmpp", "imessage", "khard", "notmuch",
        ],
        does: Does::Code(|c, _| sends(c)),
        why: "sends a message to somebody",
    },
    Entry {
        names: &[
            "ngrok", "cloudflared", "localtunnel", "lt", "bore", "frpc", "frps", "tailscale", "tailscaled",
            "wg", "wg-quick", "openvpn", "zrok", "pagekite", "inlets", "serveo", "devtunnel", "telebit",
            "pinggy", "expose", "rathole", "tunnelto", "sish", "wireproxy", "openconnect", "vpnc", "nordvpn",
            "mullvad", "protonvpn", "warp-cli", "netbird", "headscale", "sshuttle",
        ],
        does: Does::Code(|c, _| sends(c)),
        why: "opens this machine to the network, or another network to it",
    },
    Entry {
        names: &[
            "croc", "wormhole", "wormhole-william", "transfer", "transfersh", "ffsend", "send",
            "magic-wormhole", "ipfs", "ipget", "toss", "portal", "qrcp", "onionshare-cli", "pastebinit",
            "pastebin", "gist", "ix", "sprunge", "termbin", "tmate", "upterm", "ttyd", "gotty", "sshx",
            "asciinema", "dropbox", "gdrive", "drive", "onedrive", "mega-put", "mega-get", "megatools",
            "gupload", "imgur", "0x0", "syncthing", "nextcloudcmd", "owncloudcmd", "resilio",
        ],
        does: Does::Code(|c, _| sends(c)),
        why: "hands files or the terminal to somebody",
    },
    Entry {
        names: &["rclone"],
        does: Does::Code(|c, _| RCLONE.judge(c)),
        why: "storage elsewhere; sync deletes what is not here",
    },
    Entry {
        names: &[
            "s3cmd", "s4cmd", "s5cmd", "mc", "mcli", "minio", "b2", "ossutil", "coscmd", "obsutil", "azcopy",
            "wasabi", "storj", "uplink", "backblaze-b2", "cyberduck", "duck",
        ],
        does: Does::Code(|c, _| STORAGE.judge(c)),
        why: "storage elsewhere",
    },
    Entry {
        names: &[
            "restic", "borg", "borgmatic", "duplicity", "duplicacy", "kopia", "rustic", "tarsnap", "bup",
            "rdiff-backup", "autorestic", "rsnapshot",
        ],
        does: Does::Code(|c, _| SERVICE.judge(c)),
        why: "backups, mostly elsewhere; forget and prune lose them",
    },
    Entry {
        names: &["ssh-copy-id"],
        does: Does::Always(OUTSIDE_ASKS.because("opens another machine to a key")),
        why: "changes who may log in elsewhere",
    },
    Entry {
        names: &[
            "ssh-keygen", "ssh-add", "ssh-agent", "gpg", "gpg2", "gpgconf", "gpg-agent", "gpg-connect-agent",
            "keychain", "age-keygen", "certbot", "acme.sh", "lego", "mkcert", "step", "step-cli", "kinit",
            "klist", "kadmin", "ykman", "minisign", "signify", "cosign", "certutil",
        ],
        does: Does::Code(|c, _| keys(c)),
        why: "makes, uses or removes keys",
    },
    Entry {
        names: &[
            "xdg-open", "open", "gio", "sensible-browser", "x-www-browser", "google-chrome", "chromium",
            "firefox", "safari", "wslview", "explorer.exe", "brave", "msedge",
        ],
        does: Does::Code(|c, _| opens(c)),
        why: "opens a browser where an address is named",
    },
];

/// rclone's verbs that the general ones would misread.
const RCLONE: Cli = Cli {
    subs: &[
        ("sync", DESTRUCTIVE.because("deletes at the target what is not at the source")),
        ("bisync", DESTRUCTIVE.because("deletes on both sides")),
        ("move|moveto", DESTRUCTIVE.because("deletes at the source")),
        ("dedupe", DESTRUCTIVE),
        (
            "lsd|lsl|lsf|lsjson|size|tree|about|ncdu|md5sum|sha1sum|hashsum|listremotes|checksum",
            NETWORK_READ_ASKS,
        ),
    ],
    ..SERVICE
};

/// Object storage.
const STORAGE: Cli = Cli {
    subs: &[
        ("mirror|mv|move", OUTSIDE_ASKS),
        ("la|ls|du|info|cat|head|find|tree|stat", NETWORK_READ_ASKS),
        ("get", NETWORK_READ_ASKS),
    ],
    ..SERVICE
};

fn sends(command: &Command) -> Finding {
    if args::is_probe(command) {
        return PROBE.finding();
    }
    let mut finding = OUTSIDE_ASKS.because("reaches another machine").bringing_in().finding();
    finding.hosts = args::texts(command).filter_map(args::host).map(str::to_owned).collect();
    finding
}

fn openssl(command: &Command) -> Finding {
    let verb = args::texts(command).next().unwrap_or_default();
    match verb {
        "s_client" | "s_server" | "s_time" | "ocsp" | "tsget" | "cmp" => sends(command),
        "" => UNKNOWN.finding(),
        _ => RUNS_CODE.finding(),
    }
}

fn keys(command: &Command) -> Finding {
    if args::is_probe(command) {
        return PROBE.finding();
    }
    let text = || args::texts(command).map(str::to_ascii_lowercase);
    if text().any(|word| {
        word.contains("delete") || matches!(word.as_str(), "-r" | "-d" | "revoke" | "reset" | "clear")
    }) {
        return DESTRUCTIVE.because("removes keys").finding();
    }
    if text().any(|word| {
        word.contains("recv")
            || word.contains("send-key")
            || word.contains("keyserver")
            || word.contains("search-key")
    }) {
        return sends(command);
    }
    UNKNOWN_RED.because("makes or uses keys").finding()
}

fn opens(command: &Command) -> Finding {
    let is_address = |text: &str| text.contains("://") || text.starts_with("mailto:");
    if command.arguments().iter().any(|word| !word.is_known || is_address(&word.text)) {
        sends(command)
    } else {
        UNKNOWN.finding()
    }
}

#[cfg(test)]
mod tests {
    use countersign_proto::request::{Class, Level};

    use super::{super::args::tests::command, *};

    #[test]
    fn a_remote_shell_is_external_and_names_its_host() {
        let finding = sends(&command("ssh u@host.test uptime"));
        assert_eq!((finding.level, finding.class), (Level::Red, Class::External));
        assert_eq!(finding.hosts, ["host.test"]);
    }

    #[test]
    fn storage_is_read_sent_to_or_emptied() {
        for (line, class) in [
            ("rclone copy src remote:bucket", Class::External),
            ("rclone sync src remote:bucket", Class::Destructive),
            ("rclone purge remote:bucket", Class::Destructive),
            ("rclone lsd remote:", Class::ReadExternal),
        ] {
            assert_eq!(RCLONE.judge(&command(line)).class, class, "{line}");
        }
        for (line, class) in [
            ("s3cmd put a s3://b", Class::External),
            ("s3cmd del s3://b/a", Class::Destructive),
            ("mc rb --force play/b", Class::Destructive),
            ("s3cmd ls", Class::ReadExternal),
        ] {
            assert_eq!(STORAGE.judge(&command(line)).class, class, "{line}");
        }
    }

    #[test]
    fn a_browser_with_an_address_sends() {
        assert_eq!(opens(&command("open https://x.test/?d=1")).class, Class::External);
        assert_eq!(opens(&command("open README.md")).level, Level::Yellow);
    }

    #[test]
    fn openssl_is_local_unless_it_connects() {
        assert_eq!(openssl(&command("openssl s_client -connect x.test:443")).class, Class::External);
        assert_eq!(openssl(&command("openssl rand -hex 8")).level, Level::Yellow);
    }
}
