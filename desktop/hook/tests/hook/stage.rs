//! A stage for one hook: an instance of its own, a daemon's socket where the hook will look, and the hook itself.

use std::fs::{self, Permissions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use countersign_ipc::frame::{self, Call, HEAD, Head, Kind};
use countersign_ipc::{Instance, folder, place};

static STAGES: AtomicU32 = AtomicU32::new(0);

/// Folders of one test, removed with it.
pub struct Stage {
    name: String,
    pub sockets: PathBuf,
}

impl Stage {
    /// An instance whose socket folder exists and is empty.
    pub fn set() -> Self {
        let stage = Self::bare();
        folder::make(&stage.sockets).unwrap();
        stage
    }

    /// An instance without any folder.
    pub fn bare() -> Self {
        let name = format!("t-{}-{}", std::process::id(), STAGES.fetch_add(1, Ordering::Relaxed));
        let instance: Instance = name.parse().unwrap();
        Self { name, sockets: place::sockets(&instance).unwrap() }
    }

    pub fn socket(&self) -> PathBuf {
        self.sockets.join(place::HOOK_SOCKET)
    }

    /// Listens as a daemon would.
    pub fn listen(&self) -> UnixListener {
        let listener = UnixListener::bind(self.socket()).unwrap();
        set_mode(&self.socket(), folder::FILE_MODE);
        listener
    }

    /// The installed command of this instance.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_countersign-hook"));
        command.args(["--agent", "claude", "--instance", &self.name]).args(arguments);
        // None of these may lead the hook elsewhere.
        command
            .env_clear()
            .env("HOME", "/nowhere")
            .env("XDG_RUNTIME_DIR", "/nowhere")
            .env("XDG_STATE_HOME", "/nowhere");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Starts the hook of a permission request and gives it its whole input.
    pub fn ask(&self, input: &[u8]) -> Child {
        start(&mut self.command(&["--limit", "125", "PermissionRequest"]), input)
    }

    /// As [`Self::ask`], with a hook that gives up after a second.
    pub fn ask_briefly(&self) -> Child {
        start(&mut self.command(&["--limit", "6", "PermissionRequest"]), b"{}")
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.sockets);
        // At home the socket folder lies in a state folder, which is then empty.
        if let Some(state) =
            self.sockets.parent().filter(|state| state.ends_with(format!("countersign-{}", self.name)))
        {
            let _ = fs::remove_dir(state);
        }
    }
}

pub fn start(command: &mut Command, input: &[u8]) -> Child {
    let mut hook = command.spawn().unwrap();
    let mut stdin = hook.stdin.take().unwrap();
    stdin.write_all(input).unwrap();
    hook
}

pub fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Reads a frame from a hook that just connected.
pub fn read_call(hook: &mut UnixStream) -> (Kind, Call) {
    let mut head = [0; HEAD];
    hook.read_exact(&mut head).unwrap();
    let head = Head::decode(head).unwrap();
    let mut body = vec![0; head.length];
    hook.read_exact(&mut body).unwrap();
    (head.kind, frame::decode_body(&body).unwrap())
}

/// What a connection still brings until the hook closes it.
pub fn read_rest(mut hook: UnixStream) -> Vec<u8> {
    let mut rest = Vec::new();
    match hook.read_to_end(&mut rest) {
        // A hook that is killed with a reply unread resets the connection: closed as well.
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => {}
        done => drop(done.unwrap()),
    }
    rest
}

/// The hook left as if it were not installed.
pub fn assert_silent(output: &Output) {
    assert_output(output, b"");
}

pub fn assert_output(output: &Output, expected: &[u8]) {
    assert_eq!(String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(expected));
    assert_eq!(output.stdout, expected);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0), "{:?}", output.status);
}
