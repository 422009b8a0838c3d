//! A daemon, hooks and clients.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
};

use countersign_ipc::{
    Instance,
    control::{self, Card, ControlReply, ControlRequest, Ending, Failure, LogReport, WatchEvent},
    frame::{self, Call, Kind},
    place::{CONTROL_SOCKET, HOOK_SOCKET},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::UnixStream,
    sync::oneshot,
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

use super::super::{DaemonError, Options, Ready, Way, run_at, stay_home};
use crate::{
    agents::Machine,
    clock::boot_ms,
    peer::{Proc, Process, ProcessId, Processes},
    place::Place,
};

pub(super) struct Desk {
    pub(super) folder: tempfile::TempDir,
    pub(super) ready: Ready,
    shutdown: CancellationToken,
    running: JoinHandle<Result<(), DaemonError>>,
}

/// Every process is this test's own, below a shell or below an agent.
struct MadeUp {
    parent: PathBuf,
}

impl Processes for MadeUp {
    fn process(&self, pid: u32) -> Option<Process> {
        let (parent, executable) = match pid {
            1 => (0, self.parent.clone()),
            _ => (1, PathBuf::from("/usr/bin/test")),
        };
        let arguments = vec![OsString::from("x")];
        let id = ProcessId { pid, start: u64::from(pid != 1) };
        Some(Process { id, parent, executable: Some(executable), arguments, group: None })
    }

    fn all(&self) -> Vec<u32> {
        vec![1, std::process::id()]
    }
}

fn made_up(parent: &str) -> Machine {
    Arc::new(MadeUp { parent: parent.into() })
}

pub(super) fn place(folder: &Path) -> Place {
    Place::at(folder.join("run"), folder.join("state")).unwrap()
}

impl Desk {
    pub(super) async fn new() -> Self {
        Self::at(tempfile::tempdir().unwrap(), "/usr/bin/bash", false).await
    }

    pub(super) async fn below(parent: &str) -> Self {
        Self::at(tempfile::tempdir().unwrap(), parent, false).await
    }

    pub(super) async fn demo() -> Self {
        Self::at(tempfile::tempdir().unwrap(), "/usr/bin/bash", true).await
    }

    pub(super) async fn at(folder: tempfile::TempDir, parent: &str, demo: bool) -> Self {
        Self::with(folder, made_up(parent), demo, stay_home).await
    }

    /// Among the real processes of this machine. Whoever runs the tests may be below an agent, so nothing is said over
    /// the control socket.
    pub(super) async fn real() -> Self {
        Self::with(tempfile::tempdir().unwrap(), Arc::new(Proc), false, stay_home).await
    }

    /// A demo daemon whose couriers the test stands for.
    pub(super) async fn with_way(folder: tempfile::TempDir) -> (Self, Way) {
        let (told, way) = oneshot::channel();
        let carry = |way: Way| async move {
            let shutdown = way.shutdown.clone();
            drop(told.send(way));
            shutdown.cancelled().await;
        };
        let desk = Self::with(folder, made_up("/usr/bin/bash"), true, carry).await;
        (desk, way.await.unwrap())
    }

    async fn with<C, F>(folder: tempfile::TempDir, machine: Machine, demo: bool, carry: C) -> Self
    where
        C: FnOnce(Way) -> F + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let place = place(folder.path());
        let (shutdown, (told, ready)) = (CancellationToken::new(), oneshot::channel());
        let options = Options { instance: Instance::MAIN, demo };
        let ends = shutdown.clone();
        let running = tokio::spawn(async move {
            run_at(place, machine, options, carry, ends, |ready| drop(told.send(ready))).await
        });
        Self { folder, ready: ready.await.unwrap(), shutdown, running }
    }

    /// Ends it in order.
    pub(super) async fn end(self) -> tempfile::TempDir {
        self.shutdown.cancel();
        self.running.await.unwrap().unwrap();
        self.folder
    }

    /// Why it ended by itself.
    pub(super) async fn broken(self) -> DaemonError {
        self.running.await.unwrap().unwrap_err()
    }

    pub(super) fn shutdown(&self) {
        self.shutdown.cancel();
    }

    pub(super) async fn connect(&self, socket: &str) -> UnixStream {
        UnixStream::connect(self.folder.path().join("run").join(socket)).await.unwrap()
    }

    pub(super) async fn hook(&self, input: &Value, limit_ms: u32) -> Hook {
        self.send(Kind::Ask, input, limit_ms).await
    }

    /// A hook that only tells.
    pub(super) async fn tell(&self, input: &Value) {
        self.send(Kind::Observed, input, 0).await.silence().await;
    }

    async fn send(&self, kind: Kind, input: &Value, limit_ms: u32) -> Hook {
        let mut stream = self.connect(HOOK_SOCKET).await;
        let call = Call {
            agent: "claude".into(),
            event: "PermissionRequest".into(),
            limit_ms,
            input: input.to_string().into_bytes(),
            ..Call::default()
        };
        stream.write_all(&frame::encode(kind, &call).unwrap()).await.unwrap();
        Hook(stream)
    }

    pub(super) async fn client(&self) -> Client {
        let (read, write) = self.connect(CONTROL_SOCKET).await.into_split();
        Client { lines: BufReader::new(read), write, next: 1 }
    }

    pub(super) async fn watcher(&self) -> Client {
        let mut client = self.client().await;
        client.send(ControlRequest::Watch {}).await;
        assert!(matches!(client.event().await, WatchEvent::Snapshot { .. }));
        client
    }

    /// The log verifies.
    pub(super) async fn verify(&self) -> LogReport {
        match self.client().await.ask(ControlRequest::LogVerify {}).await {
            ControlReply::LogVerified(report) => {
                assert_eq!(report.problems, Vec::<String>::new());
                report
            }
            other => panic!("{other:?}"),
        }
    }

    /// The kinds of all entries of the log.
    pub(super) async fn log(&self) -> Vec<String> {
        let mut client = self.client().await;
        client.send(ControlRequest::LogList { filter: control::LogFilter::default() }).await;
        let mut kinds = Vec::new();
        loop {
            match client.reply().await {
                ControlReply::LogEntry(entry) => kinds.push(entry.kind),
                ControlReply::Done {} => return kinds,
                other => panic!("{other:?}"),
            }
        }
    }
}

pub(super) struct Hook(pub(super) UnixStream);

impl Hook {
    /// What the agent is to be told, printed as the hook does.
    pub(super) async fn answer(mut self) -> String {
        let mut length = [0; 4];
        self.0.read_exact(&mut length).await.unwrap();
        let mut reply = vec![0; frame::decode_reply_length(length).unwrap()];
        self.0.read_exact(&mut reply).await.unwrap();
        if !reply.is_empty() {
            self.0.write_all(&[frame::PRINTED]).await.unwrap();
        }
        String::from_utf8(reply).unwrap()
    }

    pub(super) async fn silence(self) {
        assert_eq!(self.answer().await, "");
    }
}

pub(super) struct Client {
    lines: BufReader<tokio::net::unix::OwnedReadHalf>,
    write: tokio::net::unix::OwnedWriteHalf,
    next: u64,
}

impl Client {
    pub(super) async fn send(&mut self, request: ControlRequest) {
        self.next += 1;
        self.write.write_all(&control::encode_request(self.next, &request).unwrap()).await.unwrap();
    }

    pub(super) async fn raw(&mut self, bytes: &[u8]) {
        self.write.write_all(bytes).await.unwrap();
    }

    pub(super) async fn line(&mut self) -> Option<ControlReply> {
        let mut line = Vec::new();
        self.lines.read_until(b'\n', &mut line).await.unwrap();
        (!line.is_empty()).then(|| control::decode_reply(&line).unwrap().1)
    }

    pub(super) async fn reply(&mut self) -> ControlReply {
        self.line().await.unwrap()
    }

    pub(super) async fn ask(&mut self, request: ControlRequest) -> ControlReply {
        self.send(request).await;
        self.reply().await
    }

    pub(super) async fn refused(&mut self, request: ControlRequest) -> Failure {
        match self.ask(request).await {
            ControlReply::Failed(failure) => failure,
            other => panic!("{other:?}"),
        }
    }

    /// The next event of a client that does nothing but watch.
    pub(super) async fn event(&mut self) -> WatchEvent {
        match self.reply().await {
            ControlReply::Watch { event } => event,
            other => panic!("{other:?}"),
        }
    }

    pub(super) async fn opened(&mut self) -> Card {
        match self.event().await {
            WatchEvent::Opened { card } => *card,
            other => panic!("{other:?}"),
        }
    }

    /// The next card, whatever else happens before it.
    pub(super) async fn until_opened(&mut self) -> Card {
        loop {
            if let WatchEvent::Opened { card } = self.event().await {
                return *card;
            }
        }
    }

    pub(super) async fn closed(&mut self) -> Ending {
        match self.event().await {
            WatchEvent::Closed { ending } => ending,
            other => panic!("{other:?}"),
        }
    }

    /// Has a card in front for as long as it takes before it may be allowed (WHO-6).
    pub(super) async fn look_at(&mut self, card: &Card) {
        let fronted = ControlRequest::Fronted {
            request_id: card.request_id.clone(),
            binding: card.binding.clone(),
            seen_to_end: true,
        };
        assert_eq!(self.ask(fronted).await, ControlReply::Done {});
        let until = boot_ms() + 510;
        crate::timer::BootTimer::new().unwrap().until(Some(until)).await.unwrap();
    }
}

pub(super) fn click(card: &Card, decision: control::Decision, note: Option<&str>) -> ControlRequest {
    ControlRequest::Click {
        request_id: card.request_id.clone(),
        binding: card.binding.clone(),
        decision,
        note: note.map(str::to_owned),
    }
}

/// As Claude Code writes it.
pub(super) fn bash(session: &str, command: &str) -> Value {
    event(session, "PermissionRequest", "Bash", &json!({"command": command, "description": "Do it"}))
}

pub(super) fn event(session: &str, name: &str, tool: &str, input: &Value) -> Value {
    json!({
        "session_id": session,
        "transcript_path": "/home/dev/.claude/projects/x/y.jsonl",
        "cwd": "/tmp",
        "prompt_id": "p",
        "permission_mode": "default",
        "effort": {"level": "medium"},
        "hook_event_name": name,
        "tool_name": tool,
        "tool_input": input,
        "tool_use_id": "toolu_1",
        "tool_response": {"stdout": ""},
    })
}
