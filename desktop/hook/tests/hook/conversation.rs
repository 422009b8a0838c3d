//! A hook and a daemon that listens: what goes in, what comes out, and how a question ends early.

use std::io::Write as _;
use std::process::Stdio;

use crate::stage::{Stage, assert_output, assert_silent, read_call, read_rest, start};
use countersign_ipc::frame::{self, Kind, PRINTED};
use rustix::process::{Pid, Signal, kill_process};

#[test]
fn the_agent_gets_exactly_the_daemons_bytes_and_the_daemon_learns_that_it_did() {
    let stage = Stage::set();
    let listener = stage.listen();
    let hook = stage.ask(b"{}");
    let (mut daemon, _) = listener.accept().unwrap();
    read_call(&mut daemon);
    let reply = b"{\"a\":\"\xff\0\n\"} no line end";
    daemon.write_all(&frame::encode_reply(reply).unwrap()).unwrap();
    assert_output(&hook.wait_with_output().unwrap(), reply);
    assert_eq!(read_rest(daemon), [PRINTED]);
}

#[test]
fn the_largest_reply_arrives_whole() {
    let stage = Stage::set();
    let listener = stage.listen();
    let hook = stage.ask(b"{}");
    let (mut daemon, _) = listener.accept().unwrap();
    read_call(&mut daemon);
    let reply = vec![b'x'; frame::REPLY];
    let writer = std::thread::spawn(move || {
        daemon.write_all(&frame::encode_reply(&vec![b'x'; frame::REPLY]).unwrap())
    });
    assert_output(&hook.wait_with_output().unwrap(), &reply);
    writer.join().unwrap().unwrap();
}

#[test]
fn the_daemon_gets_the_input_untouched_with_folder_and_environment() {
    let stage = Stage::set();
    let listener = stage.listen();
    let mut command = stage.command(&["--limit", "125", "PermissionRequest"]);
    command.env("PATH", "/opt/bin:/bin").env("LD_LIBRARY_PATH", "/secret").env("GIT_DIR", "/secret");
    command.env("CLAUDE_PID", "42").env("ANTHROPIC_API_KEY", "sk-secret").current_dir("/usr");
    let input = b"\xff\xfe not json \0\r\n";
    let hook = start(&mut command, input);
    let (mut daemon, _) = listener.accept().unwrap();
    let (kind, call) = read_call(&mut daemon);
    assert_eq!((kind, call.agent.as_str(), call.event.as_str()), (Kind::Ask, "claude", "PermissionRequest"));
    assert_eq!(
        (call.limit_ms, call.cwd.as_slice(), call.input.as_slice()),
        (125_000, b"/usr".as_slice(), input.as_slice())
    );
    assert_eq!(call.environment.path, b"/opt/bin:/bin");
    assert_eq!(call.environment.risky, [b"GIT_DIR".to_vec(), b"LD_LIBRARY_PATH".to_vec()]);
    assert_eq!(call.environment.passed, [(b"CLAUDE_PID".to_vec(), b"42".to_vec())]);
    drop(daemon);
    assert_silent(&hook.wait_with_output().unwrap());
}

#[test]
fn nothing_is_printed_when_the_daemon_has_nothing_to_say_or_says_it_wrong() {
    let whole = frame::encode_reply(b"{\"allow\":1}").unwrap();
    let replies: [&[u8]; 6] =
        [&[0; 4], b"", b"\0\0", &whole[..whole.len() - 1], b"HTTP/1.1 200 OK\r\n\r\n{}", &[0xff; 64]];
    for reply in replies {
        let stage = Stage::set();
        let listener = stage.listen();
        let hook = stage.ask(b"{}");
        let (mut daemon, _) = listener.accept().unwrap();
        read_call(&mut daemon);
        daemon.write_all(reply).unwrap();
        drop(daemon);
        assert_silent(&hook.wait_with_output().unwrap());
    }
}

#[test]
fn a_daemon_that_closes_before_it_reads_leaves_the_hook_silent() {
    let stage = Stage::set();
    let listener = stage.listen();
    let hook = stage.ask(&vec![b'x'; 1 << 20]);
    drop(listener.accept().unwrap());
    assert_silent(&hook.wait_with_output().unwrap());
}

#[test]
fn a_daemon_that_hangs_is_left_before_the_agents_own_limit() {
    let stage = Stage::set();
    let listener = stage.listen();
    let hook = stage.ask_briefly();
    let (mut daemon, _) = listener.accept().unwrap();
    read_call(&mut daemon);
    daemon.write_all(&[0, 0, 0, 9, b'{']).unwrap();
    assert_silent(&hook.wait_with_output().unwrap());
    assert_eq!(read_rest(daemon), b"");
}

#[test]
fn a_limit_that_leaves_no_time_asks_nothing() {
    let stage = Stage::set();
    let listener = stage.listen();
    for limit in ["0", "5"] {
        let hook = start(&mut stage.command(&["--limit", limit, "PermissionRequest"]), b"{}");
        assert_silent(&hook.wait_with_output().unwrap());
    }
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err());
}

#[test]
fn the_largest_call_passes_and_a_larger_one_is_neither_sent_nor_cut() {
    let stage = Stage::set();
    let listener = stage.listen();
    let largest = vec![b'x'; frame::INPUT];
    let hook = stage.ask(&largest);
    let (mut daemon, _) = listener.accept().unwrap();
    assert_eq!(read_call(&mut daemon).1.input, largest);
    drop(daemon);
    assert_silent(&hook.wait_with_output().unwrap());

    let hook = stage.ask(&vec![b'x'; frame::INPUT + 1]);
    let (daemon, _) = listener.accept().unwrap();
    assert_eq!(read_rest(daemon), b"");
    assert_silent(&hook.wait_with_output().unwrap());
}

#[test]
fn a_killed_hook_withdraws_its_question() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP, Signal::KILL] {
        let stage = Stage::set();
        let listener = stage.listen();
        let hook = stage.ask(b"{}");
        let (mut daemon, _) = listener.accept().unwrap();
        read_call(&mut daemon);
        kill_process(Pid::from_child(&hook), signal).unwrap();
        assert_eq!(read_rest(daemon), b"", "{signal:?}");
        assert_eq!(hook.wait_with_output().unwrap().stdout, b"", "{signal:?}");
    }
}

#[test]
fn a_question_is_withdrawn_when_its_agent_reads_no_more() {
    let stage = Stage::set();
    let listener = stage.listen();
    let mut hook = stage.ask(b"{}");
    let (mut daemon, _) = listener.accept().unwrap();
    read_call(&mut daemon);
    drop(hook.stdout.take());
    assert_eq!(read_rest(daemon), b"");
    assert_silent(&hook.wait_with_output().unwrap());
}

#[test]
fn an_observed_event_is_told_without_waiting_for_anyone() {
    let stage = Stage::set();
    let listener = stage.listen();
    let hook = start(&mut stage.command(&["PostToolUse"]), b"{\"tool\":1}");
    // The hook is gone before the daemon takes the connection, and what it told is there all the same.
    assert_silent(&hook.wait_with_output().unwrap());
    let (mut daemon, _) = listener.accept().unwrap();
    let (kind, call) = read_call(&mut daemon);
    assert_eq!((kind, call.input.as_slice()), (Kind::Observed, b"{\"tool\":1}".as_slice()));
}

#[test]
fn a_reply_to_an_observed_event_is_never_printed() {
    let stage = Stage::set();
    let listener = stage.listen();
    let mut command = stage.command(&["PostToolUse"]);
    let mut hook = command.stdin(Stdio::piped()).spawn().unwrap();
    let (mut daemon, _) = listener.accept().unwrap();
    daemon.write_all(&frame::encode_reply(b"{\"allow\":1}").unwrap()).unwrap();
    hook.stdin.take().unwrap().write_all(b"{}").unwrap();
    assert_silent(&hook.wait_with_output().unwrap());
}
