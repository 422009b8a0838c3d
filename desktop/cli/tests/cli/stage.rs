//! Running the program, with an instance that no other test has and that leaves nothing behind.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    os::unix::net::UnixStream,
    path::PathBuf,
    process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

use countersign_ipc::{
    Instance,
    frame::{self, Call, Kind},
    place,
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// Runs `countersign` without an instance; only for what asks no daemon.
pub(crate) fn countersign(arguments: &[&str]) -> Output {
    program().args(arguments).output().unwrap()
}

pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
    command.stdin(Stdio::null()).env("TERM", "dumb");
    command
}

pub(crate) fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub(crate) fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// An instance's name and folders; gone with it.
pub(crate) struct Home {
    pub(crate) instance: Instance,
}

impl Home {
    pub(crate) fn new(start: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{start}-{}-{next}", std::process::id());
        let this = Self { instance: name.parse().unwrap() };
        this.clear();
        this
    }

    pub(crate) fn name(&self) -> &str {
        self.instance.name().unwrap()
    }

    pub(crate) fn state(&self) -> PathBuf {
        place::state(&self.instance).unwrap()
    }

    pub(crate) fn sockets(&self) -> PathBuf {
        place::sockets(&self.instance).unwrap()
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        program().args(["--instance", self.name()]).args(arguments).output().unwrap()
    }

    fn clear(&self) {
        for folder in [self.state(), self.sockets()] {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        self.clear();
    }
}

/// `countersign up`, running.
pub(crate) struct Up {
    child: Child,
    lines: BufReader<ChildStdout>,
    /// What it said once it took calls.
    pub(crate) ready: Value,
    pub(crate) home: Home,
}

impl Up {
    pub(crate) fn start() -> Self {
        Self::of(Home::new("t-cli"), &[])
    }

    pub(crate) fn of(home: Home, arguments: &[&str]) -> Self {
        let mut child = program()
            .args(["--instance", home.name(), "up", "--json"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        let mut this = Self { child, lines, ready: Value::Null, home };
        this.ready = this.next();
        this
    }

    /// The next thing it says.
    pub(crate) fn next(&mut self) -> Value {
        read(&mut self.lines)
    }

    /// What it says until something of this type.
    pub(crate) fn until(&mut self, of: &str) -> Value {
        loop {
            let said = self.next();
            if said["type"] == of {
                return said;
            }
        }
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.home.run(arguments)
    }

    /// What a command says as JSON, with `--json` after it.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&out(&self.run(&[arguments, &["--json"]].concat()))).unwrap()
    }

    /// An agent's question, whose answer can be read from it. It returns once its card waits.
    pub(crate) fn ask(&mut self, command: &str) -> Asked {
        let mut stream = UnixStream::connect(place::hook_socket(&self.home.instance).unwrap()).unwrap();
        stream.write_all(&frame::encode(Kind::Ask, &call(command)).unwrap()).unwrap();
        let opened = self.until("opened");
        Asked { stream, id: opened["card"]["request_id"].as_str().unwrap().to_owned() }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for its end; everything it still said, and how it ended.
    pub(crate) fn end(&mut self) -> (String, ExitStatus) {
        let mut rest = String::new();
        self.lines.read_to_string(&mut rest).unwrap();
        (rest, self.child.wait().unwrap())
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A waiting question.
pub(crate) struct Asked {
    stream: UnixStream,
    /// Its request's id.
    pub(crate) id: String,
}

impl Asked {
    /// What the agent hears; empty for silence.
    pub(crate) fn answer(mut self) -> String {
        let mut length = [0; 4];
        if self.stream.read_exact(&mut length).is_err() {
            return String::new();
        }
        let mut reply = vec![0; frame::decode_reply_length(length).unwrap()];
        self.stream.read_exact(&mut reply).unwrap();
        let _ = self.stream.write_all(&[frame::PRINTED]);
        String::from_utf8(reply).unwrap()
    }
}

fn read(lines: &mut BufReader<ChildStdout>) -> Value {
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap()
}

fn call(command: &str) -> Call {
    let input = json!({
        "session_id": "5e55104e", "transcript_path": "/tmp/t.jsonl", "cwd": "/tmp", "prompt_id": "p",
        "permission_mode": "default", "hook_event_name": "PermissionRequest", "tool_name": "Bash",
        "tool_input": {"command": command, "description": "Tries something"},
    });
    Call {
        agent: "claude".to_owned(),
        event: "PermissionRequest".to_owned(),
        limit_ms: 125_000,
        cwd: b"/tmp".to_vec(),
        input: input.to_string().into_bytes(),
        ..Call::default()
    }
}
