//! Options and words of commands that take a secret under a name that says nothing: `mysql -pSECRET`, `curl -u ada:PW`.

use super::{
    Secret,
    name::{self, Named},
    scan::Scan,
    value,
};

/// How an option takes its secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// Behind the option's letter: `-pSECRET`.
    Glued,
    /// As the next word, or behind the letter.
    Either,
    /// As the next word.
    Next,
    /// Behind the first colon of the next word: `-u ada:SECRET`.
    AfterColon,
    /// Behind the first `%` of the next word: `-U ada%SECRET`.
    AfterPercent,
    /// Behind `pass:` at the start of the next word.
    Pass,
    /// Behind the second `=`: `--from-literal=name=SECRET`.
    AfterName,
}

/// Programs, the word that must come first (none where empty), and the options.
struct Program(&'static [&'static str], &'static str, &'static [(&'static str, Taken)]);

const PROGRAMS: [Program; 19] = [
    Program(
        &[
            "mysql",
            "mysqldump",
            "mysqladmin",
            "mysqlimport",
            "mysqlshow",
            "mariadb",
            "mariadb-dump",
            "mariadb-admin",
        ],
        "",
        &[("-p", Taken::Glued)],
    ), // with a blank behind it, -p asks, and the next word is a database
    Program(&["sshpass"], "", &[("-p", Taken::Either)]), // the password of ssh
    Program(
        &[
            "docker", "podman", "nerdctl", "buildah", "skopeo", "helm", "oras", "crane", "az", "cf", "oc",
            "ibmcloud",
        ],
        "login",
        &[("-p", Taken::Either)],
    ), // elsewhere -p is a port or a project
    Program(
        &["mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport"],
        "",
        &[("-p", Taken::Either)],
    ), // a user's password
    Program(&["7z", "7za", "7zz", "7zr", "rar", "unrar"], "", &[("-p", Taken::Glued)]), // an archive's password
    Program(&["zip", "unzip", "zipcloak"], "", &[("-P", Taken::Either)]), // an archive's password
    Program(&["mosquitto_pub", "mosquitto_sub", "mosquitto_rr"], "", &[("-P", Taken::Next)]), // a broker's password
    Program(&["redis-cli", "valkey-cli"], "", &[("-a", Taken::Next)]), // the server's password
    Program(
        &["ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami", "ldappasswd"],
        "",
        &[("-w", Taken::Next)],
    ), // passwords of directory entries
    Program(
        &["curl"],
        "",
        &[
            ("-u", Taken::AfterColon),
            ("--user", Taken::AfterColon),
            ("-U", Taken::AfterColon),
            ("--proxy-user", Taken::AfterColon),
            ("--oauth2-bearer", Taken::Next),
            ("-E", Taken::AfterColon),
            ("--cert", Taken::AfterColon),
            ("--pass", Taken::Next),
        ],
    ), // basic authentication, and passwords of keys
    Program(&["http", "https", "xh", "xhs"], "", &[("-a", Taken::AfterColon), ("--auth", Taken::AfterColon)]), // as curl
    Program(
        &["smbclient", "rpcclient", "smbget", "net"],
        "",
        &[("-U", Taken::AfterPercent), ("--user", Taken::AfterPercent)],
    ), // user%password
    Program(
        &["openssl"],
        "",
        &[
            ("-passin", Taken::Pass),
            ("-passout", Taken::Pass),
            ("-pass", Taken::Pass),
            ("-password", Taken::Pass),
        ],
    ), // pass: holds it in the open
    Program(&["openssl"], "enc", &[("-k", Taken::Next), ("-K", Taken::Next)]), // a password, or the key itself
    Program(&["ipmitool"], "", &[("-P", Taken::Next)]),                        // a controller's password
    Program(&["kubectl"], "secret", &[("--from-literal", Taken::AfterName)]),  // a secret's values
    Program(&["gh"], "secret", &[("-b", Taken::Next), ("--body", Taken::Next)]), // a repository's secret
    Program(&["machine"], "", &[("password", Taken::Next)]),                   // a line of a .netrc
    Program(&["vault"], "", &[("login", Taken::Next)]),                        // its token
];

/// Words behind which a name and its value stand: `npm config set NAME VALUE`, `set -gx NAME VALUE`.
const SETTERS: [&str; 5] = ["set", "setx", "config", "configure", "setenv"];
/// Longest command that is looked at word by word; a longer one is a script, whose lines are.
const WORDS: usize = 512;

/// One word of a command, without its quotes.
#[derive(Debug, Clone, Copy)]
struct Word<'a> {
    start: usize,
    text: &'a str,
}

impl<'a> Word<'a> {
    fn from(self, at: usize) -> Self {
        Self { start: self.start + at, text: self.text.get(at..).unwrap_or_default() }
    }
}

pub(super) fn find(text: &str) -> Vec<Secret> {
    let scan = Scan::new(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < scan.len() {
        let (words, end) = command(scan, at);
        of_command(&words, &mut found);
        at = end.max(at) + 1;
    }
    found
}

/// The words up to the end of a simple command.
fn command(scan: Scan<'_>, from: usize) -> (Vec<Word<'_>>, usize) {
    let mut words = Vec::new();
    let mut at = from;
    while at < scan.len() && words.len() < WORDS {
        match scan.at(at) {
            b' ' | b'\t' | b'(' | b')' | b'{' | b'}' => at += 1,
            b'\n' | b';' | b'|' | b'&' => return (words, at),
            b'\\' if scan.is_break(at) => return (words, at + 1),
            b'"' | b'\'' => {
                let mark = scan.at(at);
                let start = at + 1;
                // Quotes do not always pair up in a text; a word that would not end ends with its line.
                let end = scan.run(start, |byte| byte != mark && byte != b'\n');
                words.push(Word { start, text: scan.text(start, end) });
                at = end + 1;
            }
            _ => {
                let mut end = at;
                while !matches!(
                    scan.at(end),
                    0 | b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b'"' | b'\'' | b')'
                ) && !scan.is_break(end)
                {
                    end += 1;
                }
                let end = end.max(at + 1);
                words.push(Word { start: at, text: scan.text(at, end) });
                at = end;
            }
        }
    }
    (words, at)
}

fn of_command(words: &[Word<'_>], found: &mut Vec<Secret>) {
    let mut program = "";
    let mut seen: Vec<&str> = Vec::new();
    let mut is_set = false;
    for (at, word) in words.iter().enumerate() {
        let name = word.text.rsplit('/').next().unwrap_or_default();
        if PROGRAMS.iter().any(|listed| listed.0.contains(&name)) {
            program = name;
            seen.clear();
        }
        let next = words.get(at + 1).copied();
        if let Some((secret, kind)) = taken(program, &seen, *word, next)
            && !secret.text.is_empty()
            && !value::is_placeholder(secret.text)
        {
            found.push(Secret { range: secret.start..secret.start + secret.text.len(), kind });
        }
        if let Some((value, kind)) = next.filter(|_| is_set).and_then(|next| set(*word, next)) {
            found.push(Secret { range: value.start..value.start + value.text.len(), kind });
        }
        is_set |= SETTERS.contains(&word.text);
        if seen.len() < 8 {
            seen.push(word.text);
        }
    }
}

fn taken<'a>(
    program: &str,
    seen: &[&str],
    word: Word<'a>,
    next: Option<Word<'a>>,
) -> Option<(Word<'a>, &'static str)> {
    let mut options = PROGRAMS.iter().flat_map(|Program(names, first, options)| {
        let applies = names.contains(&program) && (first.is_empty() || seen.contains(first));
        options.iter().filter(move |_| applies)
    });
    options.find_map(|(option, how)| {
        let glued = word.text.strip_prefix(option).map(|_| word.from(option.len()));
        let is_alone = glued.is_some_and(|glued| glued.text.is_empty());
        let behind_equals = glued.filter(|glued| glued.text.starts_with('=')).map(|glued| glued.from(1));
        let next = next.filter(|next| is_alone && !next.text.starts_with('-'));
        let word = next.or(behind_equals);
        match how {
            Taken::Glued => glued.filter(|glued| !is_alone && option.len() == 2 && !glued.text.is_empty()),
            Taken::Either => next.or(glued.filter(|_| !is_alone)),
            Taken::Next => word,
            Taken::AfterColon => {
                let short = glued.filter(|_| !is_alone && option.len() == 2);
                word.or(short).and_then(|word| after(word, ":"))
            }
            Taken::AfterPercent => word.and_then(|word| after(word, "%")),
            Taken::Pass => word.filter(|word| word.text.starts_with("pass:")).map(|word| word.from(5)),
            Taken::AfterName => word.and_then(|word| after(word, "=")),
        }
        .map(|word| (word, "password"))
    })
}

fn after<'a>(word: Word<'a>, mark: &str) -> Option<Word<'a>> {
    word.text.find(mark).map(|at| word.from(at + mark.len()))
}

/// `set … NAME VALUE`.
fn set<'a>(word: Word<'a>, next: Word<'a>) -> Option<(Word<'a>, &'static str)> {
    let named = name::of(word.text.get(word.text.len().saturating_sub(name::LONGEST)..)?)?;
    let is_secret = match named {
        Named::Password => next.text.len() >= 3,
        Named::Key(_) => next.text.len() >= 8,
        Named::Header | Named::Cookie | Named::Near => false,
    };
    let is_value =
        !next.text.starts_with(['-', '=']) && !value::is_placeholder(next.text) && !value::is_path(next.text);
    (is_secret && is_value && !word.text.contains('=')).then_some((next, named.kind()))
}
