//! A hook without a daemon it may trust: it says nothing, sends nothing, and leaves with 0.

use std::fs;
use std::os::unix::fs::{chown, symlink};
use std::os::unix::net::UnixListener;

use crate::stage::{Stage, assert_silent, set_mode, start};
use countersign_ipc::{account, folder};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, bind, listen, socket};
use rustix::process::Uid;
use rustix::thread::set_thread_uid;

/// The hook connected to nobody, and was as silent as ever.
fn assert_shunned(stage: &Stage, listener: &UnixListener) {
    assert_silent(&stage.ask_briefly().wait_with_output().unwrap());
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "the hook connected");
}

#[test]
fn without_a_daemon_the_hook_is_silent() {
    let stage = Stage::bare();
    assert_silent(&stage.ask_briefly().wait_with_output().unwrap());
    assert_silent(&start(&mut stage.command(&["Stop"]), b"{}").wait_with_output().unwrap());
    assert!(!stage.sockets.exists(), "the hook made a folder");
}

#[test]
fn a_socket_that_a_dead_daemon_left_is_as_good_as_none() {
    let stage = Stage::set();
    drop(stage.listen());
    assert!(stage.socket().exists());
    assert_silent(&stage.ask_briefly().wait_with_output().unwrap());
}

#[test]
fn an_agent_that_never_ends_its_input_does_not_hold_a_hook_that_has_no_daemon() {
    let stage = Stage::bare();
    let mut hook = stage.command(&["--limit", "125", "PermissionRequest"]).spawn().unwrap();
    let stdin = hook.stdin.take().unwrap();
    assert_silent(&hook.wait_with_output().unwrap());
    drop(stdin);
}

#[test]
fn a_large_call_is_read_to_its_end_even_when_nobody_wants_it() {
    // More than a pipe holds: the agent's write would fail if the hook left at once.
    let stage = Stage::bare();
    assert_silent(&stage.ask(&vec![b'x'; 3 << 20]).wait_with_output().unwrap());
}

#[test]
fn a_command_line_that_setup_never_wrote_is_silent_too() {
    let stage = Stage::set();
    let listener = stage.listen();
    for arguments in [["--limit", "soon"], ["--help", ""], ["One", "Two"]] {
        assert_silent(&start(&mut stage.command(&arguments), b"{}").wait_with_output().unwrap());
    }
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err());
}

#[test]
fn a_folder_or_socket_that_others_may_use_is_shunned() {
    let stage = Stage::set();
    let listener = stage.listen();
    set_mode(&stage.sockets, 0o777);
    assert_shunned(&stage, &listener);
    set_mode(&stage.sockets, 0o700);
    set_mode(&stage.socket(), 0o666);
    assert_shunned(&stage, &listener);
}

#[test]
fn a_symlink_in_the_place_of_folder_or_socket_is_shunned() {
    let stage = Stage::set();
    let listener = stage.listen();
    let elsewhere = Stage::set();
    symlink(stage.socket(), elsewhere.socket()).unwrap();
    assert_shunned(&elsewhere, &listener);

    fs::remove_dir_all(&elsewhere.sockets).unwrap();
    symlink(&stage.sockets, &elsewhere.sockets).unwrap();
    assert_shunned(&elsewhere, &listener);
    fs::remove_file(&elsewhere.sockets).unwrap();
}

#[test]
fn a_socket_or_folder_of_another_user_is_shunned() {
    if account::uid() != 0 {
        eprintln!("skipped: only root can give a file to another user");
        return;
    }
    let stage = Stage::set();
    let listener = stage.listen();
    chown(stage.socket(), Some(12_345), None).unwrap();
    assert_shunned(&stage, &listener);
    chown(stage.socket(), Some(0), None).unwrap();
    chown(&stage.sockets, Some(12_345), None).unwrap();
    assert_shunned(&stage, &listener);
}

#[test]
fn another_users_process_behind_our_own_socket_is_told_nothing() {
    if account::uid() != 0 {
        eprintln!("skipped: only root can listen as another user");
        return;
    }
    let stage = Stage::set();
    let unheard = socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
    bind(&unheard, &SocketAddrUnix::new(stage.socket()).unwrap()).unwrap();
    set_mode(&stage.socket(), folder::FILE_MODE);
    // The kernel notes who calls listen; only this thread becomes somebody else.
    let listener = std::thread::spawn(|| {
        set_thread_uid(Uid::from_raw(12_345)).unwrap();
        listen(&unheard, 8).unwrap();
        UnixListener::from(unheard)
    });
    let listener = listener.join().unwrap();
    assert_silent(&stage.ask_briefly().wait_with_output().unwrap());
    let (hook, _) = listener.accept().unwrap();
    assert_eq!(crate::stage::read_rest(hook), b"");
}
