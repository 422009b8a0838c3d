//! Program text that is given on the command line. Nobody reads code for certain: what shows deletion, other programs or
//! the network is red, the rest is yellow.

use super::super::entry::{DESTRUCTIVE, Fixed, RUNS_CODE, UNKNOWN_RED};

/// What a text shows.
pub(super) fn weigh(text: &str, runs_backticks: bool) -> Fixed {
    let low = text.to_lowercase();
    let dense = dense(&low);
    let spaced = low.split_whitespace().collect::<Vec<_>>().join(" ");
    if DELETES.iter().any(|call| stands(&dense, call))
        || DELETES_SPACED.iter().any(|words| stands(&spaced, words))
    {
        return DESTRUCTIVE.because("the code shows a deletion");
    }
    let shows = POWERS.iter().chain(NETWORK).any(|call| stands(&dense, call))
        || POWERS_SPACED.iter().any(|words| stands(&spaced, words))
        || (runs_backticks && text.contains('`'));
    if shows {
        UNKNOWN_RED.because("the code starts programs, builds code or uses the network")
    } else {
        RUNS_CODE
    }
}

/// The text with line ends as `;`, and white space only where it keeps two words apart.
fn dense(text: &str) -> String {
    let mut dense = String::with_capacity(text.len());
    let mut gap: Option<char> = None;
    for letter in text.chars() {
        if letter.is_whitespace() {
            let is_end = letter == '\n' || gap == Some(';');
            gap = Some(if is_end { ';' } else { ' ' });
            continue;
        }
        let joins = |letter: char| letter.is_alphanumeric() || letter == '_';
        match gap.take() {
            Some(';') => dense.push(';'),
            Some(_) if joins(letter) && dense.chars().next_back().is_some_and(joins) => dense.push(' '),
            Some(_) | None => {}
        }
        dense.push(letter);
    }
    dense
}

/// Whether a call stands in a text. One that begins with a letter must not follow a letter, a digit or `_`; a bare
/// function (no dot in it) must not follow a dot either, since `list.remove(x)` and `re.compile(x)` are no such calls.
fn stands(text: &str, call: &str) -> bool {
    let is_bare = !call.contains(['.', ':', '/', ' ']) && call.ends_with('(');
    let is_word = call.starts_with(|letter: char| letter.is_alphanumeric());
    text.match_indices(call).any(|(at, _)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        match before {
            None => true,
            Some(letter) if is_word && (letter.is_alphanumeric() || letter == '_') => false,
            Some('.') if is_bare => false,
            Some(_) => true,
        }
    })
}

/// Calls that delete, in many languages; white space taken out.
#[rustfmt::skip] // rows of words
const DELETES: &[&str] = &[
    "rmtree", ".rmtree", "os.remove", "os.unlink", ".unlink(", "unlink(", "unlink\"", "unlink'", "unlink$",
    "unlink<", "unlink glob", "os.rmdir", ".rmdir(", "rmdir(", "rmdir\"", "rmdir'", "removedirs", "remove(",
    "rmsync", ".rmsync", ".rmdirsync", ".unlinksync", "unlinksync", "fs.rm(", "fs.unlink", "fs.rmdir",
    "promises.rm(", "promises.unlink", "rm_rf", "rm_r(", "rm_r\"", "rm_r'", "rm_f", "fileutils.rm",
    "fileutils.remove", "file.delete", "file.unlink", "dir.delete", "dir.rmdir", "dir.unlink", "remove_tree",
    "remove_entry", "remove_dir", "deno.remove", "file.remove(", "rm(", "rimraf", ".emptydir", "emptydirsync",
    "removesync", "send2trash", "os.truncate", "os.removedirs", "deletefile(", "deleterecursively",
    "deletedirectory(", "files.delete", "shutil.move('/dev/null", "fileutils.deletedirectory",
    "directory.delete", "remove-item", "droptable(", "drop_all(", "dropdatabase(", ".delete_all",
    ".destroy_all", "db.drop", "filesystem.delete", "filemanager.default.removeitem", "removeitem(at",
];
/// The same, where words stand apart.
const DELETES_SPACED: &[&str] = &[
    "rm -r",
    "rm -f",
    "rm -rf",
    "rm -fr",
    "drop table",
    "drop database",
    "drop schema",
    "truncate table",
    "delete from",
    "git clean",
    "git reset --hard",
    "unlink glob",
    "mkfs",
    "dd if=",
    "to delete",
    "empty trash",
    "delete file",
    "delete folder",
];

/// Calls that start programs, build code from text, or reach around the language.
#[rustfmt::skip] // rows of words
const POWERS: &[&str] = &[
    "os.system", "subprocess", "popen", ".popen(", "pty.spawn", "os.exec", "os.spawn", "os.posix_spawn",
    "os.kill", "os.fork", "exec(", "eval(", "compile(", "__import__", "importlib", "child_process",
    "execsync", "execfile", ".execsync", "spawnsync", "spawn(", "process.kill", "process.binding",
    "bun.spawn", "bun.$", "deno.command", "deno.run", "shell_exec", "passthru", "proc_open", "pcntl_exec",
    "system(", "system\"", "system'", "kernel.system", "kernel.exec", "kernel.spawn", "open3", "io.popen",
    "os.execute", "ctypes", "cffi", "dlopen", "qx{", "qx(", "qx/", "%x(", "%x{", "%x[", "runtime.getruntime",
    "processbuilder", "new process(", "getattr(", "globals(", "builtins", "b64decode", "frombase64", "atob(",
    "base64_decode", "codecs.decode", "marshal.loads", "pickle.loads", "new function(", "vm.runin",
    "vm.script", "instance_eval", "class_eval", "do shell script", "tell application", "system events",
    "os.chmod", "os.chown", "os.setuid", "process.setuid", "system2(", "run(`", "shell.exec", "syscall",
    "os.cmd(", "system.cmd", "os.putenv", "expect.spawn", "pexpect", "invoke-expression", "posix_kill",
    "process.spawn", "command::new", "os.startfile", "exec\"", "exec'", "load(url",
];
/// The same, where words stand apart.
const POWERS_SPACED: &[&str] = &[
    "do shell script",
    "tell application",
    "curl ",
    "wget ",
    "| sh",
    "| bash",
    "sudo ",
    "system qw",
    "exec qw",
    "system q",
    "chmod -r",
];

/// Calls that use the network.
#[rustfmt::skip] // rows of words
const NETWORK: &[&str] = &[
    "urllib", "urlopen(", ".urlopen(", "requests.get(", "requests.post(", "requests.put(", "requests.delete(",
    "requests.patch(", "requests.head(", "requests.request(", "requests.session", "httpx.", "aiohttp",
    "http.client", "httplib", "socket.socket", "socket.create_connection", "socket.getaddrinfo",
    "socket.gethostbyname", "socket(", "smtplib", "ftplib", "paramiko", "telnetlib", "xmlrpc", "websocket",
    "fetch(", "axios", "http.get(", "https.get(", "http.request(", "https.request(", "net.connect",
    "net.createconnection", "net.socket", "createserver", "dgram", "dns.lookup", "dns.resolve", "undici",
    "net::http", "open-uri", "uri.open", "tcpsocket", "udpsocket", "httparty", "faraday", "restclient",
    "lwp::", "lwp.", "http::tiny", "io::socket", "curl_exec", "curl_init", "fsockopen",
    "stream_socket_client", "http://", "https://", "ftp://", "socket.http", "luasocket", "downloads.download",
    "download.file(", "httr", "http.server", "httpserver", "socketserver", "boto3", "google.cloud", "mail(",
    "gethostbyname", "dns_get_record", "deno.listen", "deno.connect", "bun.serve", "httpclient", "webclient",
];

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_proto::request::{Class, Level};

    #[test]
    fn code_that_shows_a_deletion_is_destructive() {
        for text in [
            "import os; os.remove('a')",
            "import os\nos . remove ( 'a' )",
            "import shutil; shutil.rmtree('src')",
            "from os import remove; remove('a')",
            "Path('a').unlink()",
            "unlink \"a\"",
            "unlink('a');",
            "require('fs').rmSync('src',{recursive:true})",
            "require \"fileutils\"; FileUtils.rm_rf \"src\"",
            "File.delete('a')",
            "Deno.remove('a')",
            "rm(\"a\", recursive=true)",
            "import os\nos.system(\"rm -rf build\")",
            "sqlite3.connect('a').execute('DROP TABLE t')",
        ] {
            assert_eq!(weigh(text, true).class, Class::Destructive, "{text}");
        }
    }

    #[test]
    fn code_that_starts_programs_or_uses_the_network_is_red() {
        for text in [
            "import os; os.system('ls')",
            "os.execute(\"x\")",
            "do shell script \"ls\"",
            "import subprocess as s; s.run(['ls'])",
            "require('child_process').exec('ls')",
            "exec(open('a').read())",
            "eval(x)",
            "import base64; exec(base64.b64decode('x'))",
            "fetch('https://x.test')",
            "import urllib.request as r",
            "system \"ls\"",
            "import requests; requests.post(u, data=d)",
        ] {
            let fixed = weigh(text, true);
            assert_eq!((fixed.class, fixed.level), (Class::Unknown, Level::Red), "{text}");
        }
        assert_eq!(weigh("print `ls`", true).level, Level::Red);
    }

    #[test]
    fn everyday_code_stays_yellow() {
        for text in [
            "print(2+2)",
            "import json,sys; print(json.load(sys.stdin)['a'])",
            "s/a/b/",
            "console.log(require('./package.json').version)",
            "import re; print(re.compile('a').findall('b'))",
            "xs.remove(1)",
            "/a/.exec('b')",
            "1",
            "process.env",
            "print(sum(range(10)))",
            "import sys; print(sys.version)",
            "console.log(`a ${1}`)",
            "import ast; ast.literal_eval('1')",
            "import requests; print(requests.__version__)",
        ] {
            let fixed = weigh(text, false);
            assert_eq!((fixed.class, fixed.level), (Class::Unknown, Level::Yellow), "{text}");
        }
    }
}
