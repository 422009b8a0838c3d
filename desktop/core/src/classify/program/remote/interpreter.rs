//! Interpreters: text on the command line is read for what it shows, a script is a driver (REQ-6), and code that comes
//! from a pipe is red unless it can be read.

use super::{
    super::entry::{DESTRUCTIVE, Does, Entry, OUTSIDE_ASKS, RUNS_CODE, UNKNOWN, UNKNOWN_RED},
    args,
    cli::PROBE,
    code, schema,
};
use crate::classify::{
    finding::Finding,
    scene::Scene,
    word::{Command, Word},
};

/// Interpreters.
#[rustfmt::skip] // rows of words
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        names: &[
            "python", "python2", "python3", "python2.7", "python3.6", "python3.7", "python3.8", "python3.9",
            "python3.10", "python3.11", "python3.12", "python3.13", "python3.14", "python3.15", "pypy",
            "pypy3", "ipython", "ipython3", "bpython", "ptpython", "micropython", "jython", "graalpy", "sage",
            "xonsh", "coconut", "hy", "python.exe", "python3.exe", "py",
        ],
        does: Does::Code(python),
        why: "runs Python",
    },
    Entry {
        names: &[
            "node", "nodejs", "node.exe", "tsx", "ts-node", "ts-node-esm", "esno", "esmo", "babel-node",
            "swc-node", "zx", "jiti", "electron", "qjs", "d8", "jsc", "gjs", "v8", "phantomjs", "coffee",
        ],
        does: Does::Code(|c, s| NODE.judge(c, s)),
        why: "runs JavaScript",
    },
    Entry { names: &["deno"], does: Does::Code(deno), why: "runs JavaScript, also from addresses" },
    Entry {
        names: &["perl", "perl5", "raku", "ruby", "irb", "jruby", "truffleruby", "crystal", "pry"],
        does: Does::Code(|c, s| PERL.judge(c, s)),
        why: "runs Perl or Ruby",
    },
    Entry {
        names: &[
            "php", "php8", "php7", "php8.1", "php8.2", "php8.3", "php8.4", "php-cgi", "phpdbg", "psysh",
            "hhvm",
        ],
        does: Does::Code(|c, s| PHP.judge(c, s)),
        why: "runs PHP",
    },
    Entry {
        names: &[
            "lua", "lua5.1", "lua5.2", "lua5.3", "lua5.4", "luajit", "luau", "lune", "tclsh", "tclsh8.6",
            "wish", "expect", "janet", "rexx", "moon", "fennel", "squirrel", "wren",
        ],
        does: Does::Code(|c, s| LUA.judge(c, s)),
        why: "runs a small language",
    },
    Entry {
        names: &[
            "Rscript", "R", "r", "littler", "julia", "octave", "octave-cli", "matlab", "gnuplot", "maxima",
            "gp", "wolframscript", "scilab", "stata", "sas",
        ],
        does: Does::Code(|c, s| SCIENCE.judge(c, s)),
        why: "runs a language of numbers",
    },
    Entry {
        names: &["osascript", "jxa", "automator", "shortcuts", "hs"],
        does: Does::Code(|c, s| APPLE.judge(c, s)),
        why: "commands other programs",
    },
    Entry {
        names: &[
            "java", "kotlin", "scala", "groovy", "jshell", "javaw", "bsh", "nashorn", "jjs", "elixir", "iex",
            "erl", "escript", "ghci", "runghc", "runhaskell", "ghc", "ocaml", "utop", "sbcl", "clisp", "ecl",
            "guile", "racket", "scheme", "mit-scheme", "chez", "csi", "babashka", "planck", "lumo", "emacs",
            "swipl", "gprolog", "vala", "fsi", "csharp", "dotnet-script", "nu", "elvish", "ngs", "wasmtime",
            "wasmer", "wasm3", "spin", "wasmedge", "mono", "wine", "wine64", "box64", "qemu-x86_64",
            "starlark", "cling", "root", "tcc", "scriptisto", "rust-script", "gorun", "yaegi", "evcxr",
            "jupyter", "jupyter-lab", "jupyter-notebook", "papermill", "nbconvert", "streamlit", "gradio",
            "uvicorn", "gunicorn", "hypercorn", "daphne", "waitress-serve", "celery", "rq", "honcho",
            "foreman", "overmind", "hivemind", "goreman", "puma", "unicorn", "thin", "rackup", "sidekiq",
        ],
        does: Does::Code(|c, s| OTHERS.judge(c, s)),
        why: "runs a program's text or a virtual machine",
    },
];

/// How an interpreter takes its code.
struct Language {
    /// Options that take code: letters may stand among others (`-ne`), long ones are spelled out.
    code: &'static [&'static str],
    /// Options that take another value.
    valued: &'static [&'static str],
    /// Letters that swallow the rest of their word, so that no code letter is looked for behind them.
    swallowing: &'static str,
    /// Whether backticks start programs.
    runs_backticks: bool,
}

const PYTHON: Language = Language {
    code: &["-c"],
    valued: &["-W", "-X", "-Q", "--check-hash-based-pycs"],
    swallowing: "WXQm",
    runs_backticks: false,
};
const NODE: Language = Language {
    code: &["-e", "-p", "--eval", "--print"],
    valued: &[
        "-r",
        "--require",
        "--import",
        "--loader",
        "--experimental-loader",
        "-C",
        "--conditions",
        "--env-file",
        "--test-name-pattern",
        "--input-type",
        "-P",
        "--project",
        "-O",
        "--compiler-options",
        "--tsconfig",
    ],
    swallowing: "rCPO",
    runs_backticks: false,
};
const PERL: Language = Language {
    code: &["-e", "-E"],
    valued: &["-I", "-C", "-r", "-S"],
    swallowing: "IMmFlx0CDVrKTW",
    runs_backticks: true,
};
const PHP: Language = Language {
    code: &["-r", "-R", "-B", "-E", "--run", "--process-code", "--process-begin", "--process-end"],
    valued: &["-d", "-c", "-z", "-t", "-S", "--define", "--php-ini", "--docroot", "--server"],
    swallowing: "dczStf",
    runs_backticks: true,
};
const LUA: Language =
    Language { code: &["-e", "-c"], valued: &["-l", "-f"], swallowing: "l", runs_backticks: false };
const SCIENCE: Language = Language {
    code: &["-e", "-E", "--eval", "--print", "-r", "-batch", "--batch-string", "-code", "-c"],
    valued: &["-L", "--load", "-J", "--project", "-t", "-p", "--threads", "--procs", "-H"],
    swallowing: "LJtpH",
    runs_backticks: true,
};
const APPLE: Language =
    Language { code: &["-e", "-c"], valued: &["-l", "-s"], swallowing: "ls", runs_backticks: false };
#[rustfmt::skip] // rows of words
const OTHERS: Language = Language {
    code: &[
        "-e", "-E", "--eval", "-eval", "--execute", "-c", "--rpc-eval", "-x", "--expression", "--commands",
    ],
    valued: &[
        "-cp", "-classpath", "--class-path", "-pa", "-l", "--load", "-S", "-pz", "-sname", "-name", "-r",
        "-m", "-A", "--app", "-b", "--bind", "-w", "--workers", "-p", "--port", "--host",
    ],
    swallowing: "lpSrmDXAbwjs",
    runs_backticks: false,
};

/// What an interpreter gets to run.
enum Given<'a> {
    Code(&'a Word),
    /// Code glued to its option, or behind `=`.
    Glued(&'a str, bool),
    Script(&'a Word),
    Stdin,
}

impl Language {
    fn judge(&self, command: &Command, _: &Scene<'_>) -> Finding {
        if args::is_probe(command) || is_short_probe(command) {
            return PROBE.finding();
        }
        let given = self.given(command);
        let mut finding = RUNS_CODE.finding();
        if given.is_empty() {
            finding.worsen(stdin(command, self.runs_backticks));
        }
        for one in &given {
            match one {
                Given::Code(word) => finding.worsen(text(&word.text, word.is_known, self.runs_backticks)),
                Given::Glued(code, is_known) => finding.worsen(text(code, *is_known, self.runs_backticks)),
                Given::Script(word) => finding.worsen(script(word)),
                Given::Stdin => finding.worsen(stdin(command, self.runs_backticks)),
            }
        }
        if schema::loses(command) {
            finding.worsen(DESTRUCTIVE.because("empties or rolls back a database").finding());
        }
        finding
    }

    fn given<'a>(&self, command: &'a Command) -> Vec<Given<'a>> {
        let mut found = Vec::new();
        let mut words = command.arguments().iter();
        while let Some(word) = words.next() {
            let written = word.text.as_str();
            if written == "-" {
                found.push(Given::Stdin);
                return found;
            }
            if !args::is_option(written) {
                // What follows a script is its own, unless code was given: then these are only its arguments.
                if found.is_empty() {
                    found.push(Given::Script(word));
                }
                return found;
            }
            if written == "--" {
                if let (Some(next), true) = (words.next(), found.is_empty()) {
                    found.push(Given::Script(next));
                }
                return found;
            }
            if self.valued.contains(&written) {
                words.next();
                continue;
            }
            if self.code.contains(&written) {
                found.extend(words.next().map(Given::Code));
            } else if let Some((name, value)) = written.split_once('=') {
                if self.code.contains(&name) {
                    found.push(Given::Glued(value, word.is_known));
                }
            } else if !written.starts_with("--") {
                match self.cluster(written) {
                    Some("") => found.extend(words.next().map(Given::Code)),
                    Some(rest) => found.push(Given::Glued(rest, word.is_known)),
                    None => {}
                }
            }
        }
        found
    }

    /// The code behind a letter of a cluster (`-ne`, `-pe`, `-eprint`), empty where it is the next word.
    fn cluster<'a>(&self, written: &'a str) -> Option<&'a str> {
        let letters = written.strip_prefix('-')?;
        for (at, letter) in letters.char_indices() {
            let is_code = self.code.iter().any(|option| {
                option
                    .strip_prefix('-')
                    .is_some_and(|name| name.len() == letter.len_utf8() && name.starts_with(letter))
            });
            if is_code {
                let rest = letters.get(at + letter.len_utf8()..).unwrap_or_default();
                // `-pe`: the next letter takes code too.
                return Some(if self.code.contains(&format!("-{rest}").as_str()) { "" } else { rest });
            }
            if self.swallowing.contains(letter) {
                return None;
            }
        }
        None
    }
}

/// `python -V`, `node -v`.
fn is_short_probe(command: &Command) -> bool {
    let [only] = command.arguments() else { return false };
    only.is_known
        && command.assigned.is_empty()
        && matches!(only.text.as_str(), "-V" | "-VV" | "-v" | "-version" | "-h" | "-help")
}

/// Code as text. Text that another command makes is not known at all.
fn text(code: &str, is_known: bool, runs_backticks: bool) -> Finding {
    let is_made = !is_known
        && (code.contains("$(")
            || code.contains("<(")
            || (code.starts_with('$') && !code.contains(char::is_whitespace)));
    let mut finding = code::weigh(code, runs_backticks && is_known).finding();
    if is_made {
        finding.worsen(UNKNOWN_RED.because("runs code that is made while it runs").finding());
    }
    finding
}

fn script(word: &Word) -> Finding {
    let written = word.text.as_str();
    let is_made = !word.is_known && (written.contains("<(") || written.contains("$("));
    let is_stream =
        written.starts_with("/dev/stdin") || written.starts_with("/dev/fd") || written.starts_with("/proc/");
    if written.contains("://") {
        return UNKNOWN_RED.because("runs code from an address").bringing_in().finding();
    }
    if is_made || is_stream {
        return UNKNOWN_RED.because("runs code that can't be seen here").finding();
    }
    let mut finding = RUNS_CODE.finding();
    finding.drivers.push(written.to_owned());
    finding
}

/// Code from a pipe or a here-document, or a prompt where there is neither.
fn stdin(command: &Command, runs_backticks: bool) -> Finding {
    match &command.fed_text {
        Some(fed) => text(fed, true, runs_backticks),
        None if command.is_fed => UNKNOWN_RED.because("runs code that comes from a pipe").finding(),
        None => UNKNOWN.because("opens a prompt for code").finding(),
    }
}

/// A program's text given by one of these options, for programs that are more than interpreters.
pub(super) fn inline(command: &Command, options: &[&str], backticks: &str) -> Option<Finding> {
    let given = args::values(command, options);
    let first = given.first()?;
    let is_known = command.arguments().iter().all(|word| word.is_known);
    Some(text(first, is_known, !backticks.is_empty()))
}

/// Modules that serve or send.
const SERVING: &[&str] = &[
    "http.server",
    "SimpleHTTPServer",
    "smtpd",
    "aiosmtpd",
    "pyftpdlib",
    "xmlrpc.server",
    "wsgiref.simple_server",
    "webbrowser",
    "smtplib",
    "ftplib",
    "telnetlib",
    "nntplib",
    "socketserver",
    "twisted",
    "updog",
    "uploadserver",
];

fn python(command: &Command, scene: &Scene<'_>) -> Finding {
    let mut words = command.arguments().iter().enumerate();
    while let Some((at, word)) = words.next() {
        let written = word.text.as_str();
        if PYTHON.valued.contains(&written) {
            words.next();
            continue;
        }
        if !args::is_option(written) || written.starts_with("--") {
            break;
        }
        let letters = written.get(1..).unwrap_or_default();
        let Some(place) = letters.find(['m', 'c', 'W', 'X', 'Q']) else { continue };
        if !letters.get(place..).is_some_and(|rest| rest.starts_with('m')) {
            break;
        }
        let glued = letters.get(place + 1..).unwrap_or_default();
        let rest = command.arguments().get(at + 1..).unwrap_or_default();
        let (module, rest) = if glued.is_empty() {
            let Some((first, rest)) = rest.split_first() else { break };
            (first.clone(), rest)
        } else {
            (Word::plain(glued), rest)
        };
        return by_module(command, module, rest, scene);
    }
    PYTHON.judge(command, scene)
}

fn by_module(command: &Command, module: Word, rest: &[Word], scene: &Scene<'_>) -> Finding {
    let name = module.text.clone();
    let is_known = module.is_known;
    if SERVING.contains(&name.as_str()) {
        return OUTSIDE_ASKS.because("serves files to the network, or sends").finding();
    }
    let mut finding = RUNS_CODE.finding();
    finding.drivers.push(format!("{}.py", name.replace('.', "/")));
    if !is_known {
        finding.worsen(UNKNOWN_RED.finding());
    }
    // A tool that is started as a module is that tool; an interpreter or a shell is none, so that this ends here.
    let starts_others = ENTRIES.iter().chain(super::windows_shell::ENTRIES).chain(super::runner::RUNNERS);
    let is_interpreter = starts_others.into_iter().any(|entry| entry.names.contains(&name.as_str()));
    let inner =
        Command { words: core::iter::once(module).chain(rest.iter().cloned()).collect(), ..command.clone() };
    if schema::loses(&inner) {
        finding.worsen(DESTRUCTIVE.because("empties or rolls back a database").finding());
    }
    if let (false, Some(judged)) = (is_interpreter, super::look_up(&inner, scene)) {
        finding.worsen(judged);
    }
    finding
}

fn deno(command: &Command, scene: &Scene<'_>) -> Finding {
    if args::is_probe(command) || is_short_probe(command) {
        return PROBE.finding();
    }
    let words: Vec<&Word> = command.arguments().iter().collect();
    let operands: Vec<&str> =
        words.iter().map(|word| word.text.as_str()).filter(|text| !args::is_option(text)).collect();
    let mut finding = match operands.first().copied() {
        Some("publish" | "deploy" | "jupyter" | "sandbox" | "login") => OUTSIDE_ASKS.finding(),
        Some("eval") => {
            let mut finding = RUNS_CODE.finding();
            for word in words
                .iter()
                .skip_while(|word| word.text != "eval")
                .skip(1)
                .filter(|word| !args::is_option(&word.text))
            {
                finding.worsen(text(&word.text, word.is_known, false));
            }
            finding
        }
        Some("info" | "doc" | "types" | "completions" | "help") => PROBE.finding(),
        Some(_) => {
            let mut finding = RUNS_CODE.finding();
            finding.drivers =
                ["deno.json", "deno.jsonc", "deno.lock", "package.json"].map(String::from).to_vec();
            finding
        }
        None => NODE.judge(command, scene),
    };
    let runs = matches!(operands.first(), Some(&("run" | "serve" | "install" | "compile")));
    for word in words.iter().filter(|word| {
        !args::is_option(&word.text) && (word.text.contains("://") || (runs && word.text == "-"))
    }) {
        finding.worsen(if word.text == "-" { stdin(command, false) } else { script(word) });
    }
    if runs {
        finding.drivers.extend(operands.get(1).map(|script| (*script).to_owned()));
    }
    if schema::loses(command) {
        finding.worsen(DESTRUCTIVE.finding());
    }
    finding
}

#[cfg(test)]
mod tests {
    use countersign_proto::request::{Class, Level};

    use super::{super::args::tests::command, *};

    fn judged(words: &[&str]) -> Finding {
        let command = Command { words: words.iter().map(|word| Word::plain(word)).collect(), ..command("x") };
        judge(&command)
    }

    fn judge(command: &Command) -> Finding {
        let entry = ENTRIES.iter().find(|entry| entry.names.contains(&command.name())).expect("listed");
        let Does::Code(code) = entry.does else { panic!("code") };
        code(command, &super::super::nowhere())
    }

    #[test]
    fn code_on_the_command_line_is_read_in_every_spelling() {
        for words in [
            &["python3", "-c", "import os; os.remove('a')"][..],
            &["python3", "-Ic", "import os; os.remove('a')"],
            &["python3", "-cimport os; os.remove('a')"],
            &["python3", "-W", "ignore", "-c", "import os; os.remove('a')"],
            &["perl", "-e", "unlink \"a\""],
            &["perl", "-ne", "unlink $_"],
            &["perl", "-eunlink('a')"],
            &["node", "-e", "require('fs').rmSync('src',{recursive:true})"],
            &["node", "--eval=require('fs').rmSync('a')"],
            &["node", "-pe", "require('fs').unlinkSync('a')"],
            &["ruby", "-e", "FileUtils.rm_rf 'src'"],
            &["php", "-r", "unlink(\"a\");"],
            &["deno", "eval", "Deno.remove('a')"],
            &["Rscript", "-e", "unlink('a', recursive=TRUE)"],
        ] {
            let finding = judged(words);
            assert_eq!((finding.class, finding.level), (Class::Destructive, Level::Red), "{words:?}");
        }
        for words in [
            &["lua", "-e", "os.execute(\"x\")"][..],
            &["osascript", "-e", "do shell script \"ls\""],
            &["perl", "-e", "print `ls`"],
            &["node", "-e", "require('child_process').exec('x')"],
        ] {
            let finding = judged(words);
            assert_eq!((finding.class, finding.level), (Class::Unknown, Level::Red), "{words:?}");
        }
        for words in [
            &["python3", "-c", "print(2+2)"][..],
            &["perl", "-pi", "-e", "s/a/b/", "a.txt"],
            &["node", "-p", "process.env"],
            &["deno", "eval", "1"],
            &["python3"],
            &["deno", "test"],
        ] {
            let finding = judged(words);
            assert_eq!((finding.class, finding.level), (Class::Unknown, Level::Yellow), "{words:?}");
            assert!(finding.may_remember, "{words:?}");
        }
    }

    #[test]
    fn a_script_is_a_driver() {
        for (words, driver) in [
            (&["node", "scripts/gen.js"][..], "scripts/gen.js"),
            (&["python3", "-u", "tools/a.py", "-c", "x"], "tools/a.py"),
            (&["ruby", "-Ilib", "a.rb"], "a.rb"),
            (&["tclsh", "x.tcl"], "x.tcl"),
            (&["node", "--", "a.js"], "a.js"),
        ] {
            let finding = judged(words);
            assert_eq!(
                (finding.level, finding.drivers.as_slice()),
                (Level::Yellow, &[driver.to_owned()][..]),
                "{words:?}"
            );
        }
        assert_eq!(judged(&["deno", "run", "https://x.test/a.ts"]).level, Level::Red);
    }

    #[test]
    fn code_from_a_pipe_is_red_unless_it_can_be_read() {
        for line in ["python3 -", "python3", "node", "ruby", "perl -", "php"] {
            let mut line = command(line);
            line.is_fed = true;
            assert_eq!(judge(&line).level, Level::Red, "{line:?}");
            line.fed_text = Some("print(1)".into());
            assert_eq!(judge(&line).level, Level::Yellow, "{line:?}");
        }
        let mut line = command("python3 a.py");
        line.is_fed = true;
        assert_eq!(judge(&line).level, Level::Yellow);
    }

    #[test]
    fn a_module_is_judged_as_the_tool_it_is() {
        for (line, class, level) in [
            ("python3 -m pytest -q", Class::Unknown, Level::Yellow),
            ("python3 -m venv .venv", Class::Unknown, Level::Yellow),
            ("python -m pip install httpx", Class::Unknown, Level::Yellow),
            ("python -m twine upload dist/a", Class::External, Level::Red),
            ("python3 -m http.server 8000", Class::External, Level::Red),
            ("python3 -mhttp.server", Class::External, Level::Red),
            ("python3 -m alembic downgrade base", Class::Destructive, Level::Red),
            ("python manage.py flush", Class::Destructive, Level::Red),
            ("python manage.py runserver", Class::Unknown, Level::Yellow),
            ("php artisan migrate:fresh", Class::Destructive, Level::Red),
        ] {
            let finding = judge(&command(line));
            assert_eq!((finding.class, finding.level), (class, level), "{line}");
        }
    }

    #[test]
    fn a_probe_for_the_version_reads() {
        for line in ["node --version", "python3 -V", "ruby -v", "php -v", "java -version", "deno --version"] {
            assert_eq!(judge(&command(line)).class, Class::Read, "{line}");
        }
    }
}
