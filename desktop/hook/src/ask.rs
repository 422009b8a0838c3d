//! The conversation: standard input in, one frame to the daemon, its bytes to standard output.

use std::ffi::OsString;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use countersign_ipc::environment::Environment;
use countersign_ipc::frame::{self, Call, Kind};
use countersign_ipc::{client, place};
use rustix::event::PollFlags;
use rustix::io::{read, write};
use rustix::stdio::{stdin, stdout};

use crate::arguments::Arguments;
use crate::patience::Patience;

/// Longest wait for a reply, whatever the agent's limit (WAIT-2).
const LONGEST: Duration = Duration::from_secs(120);
/// What is kept free before the agent's own limit (WAIT-2).
const MARGIN: Duration = Duration::from_secs(5);
/// Longest time for telling the daemon something that needs no reply.
const TELLING: Duration = Duration::from_secs(1);
/// How long an agent may still take to write its call once nobody wants it.
const LEAVING: Duration = Duration::from_millis(500);

/// Runs the hook. What is to be said was printed when it returns.
pub fn run(arguments: impl IntoIterator<Item = OsString>) {
    if converse(arguments).is_none() {
        // Leaving with the call unread would look like a crash to an agent that is still writing it.
        let _ = Patience::for_the_next(LEAVING).and_then(|patience| read_input(&patience));
    }
}

fn converse(arguments: impl IntoIterator<Item = OsString>) -> Option<()> {
    let arguments = Arguments::parse(arguments)?;
    let kind = Kind::of_event(&arguments.event);
    let patience = match kind {
        Kind::Ask => Patience::for_the_next(longest_wait(arguments.limit))?.while_read(stdout()),
        Kind::Observed => Patience::for_the_next(TELLING)?,
    };
    let daemon = client::open(&place::hook_socket(&arguments.instance).ok()?).ok()?;
    let call = call(arguments, read_input(&patience)?);
    write_all(&daemon, &frame::encode(kind, &call).ok()?, &patience)?;
    match kind {
        Kind::Observed => Some(()),
        Kind::Ask => print(&receive(&daemon, &patience)?, &daemon, &patience),
    }
}

fn longest_wait(limit: Option<Duration>) -> Duration {
    limit.map_or(LONGEST, |limit| limit.saturating_sub(MARGIN).min(LONGEST))
}

fn call(arguments: Arguments, input: Vec<u8>) -> Call {
    let limit_ms = arguments.limit.map_or(0, |limit| u32::try_from(limit.as_millis()).unwrap_or(u32::MAX));
    Call {
        agent: arguments.agent,
        event: arguments.event,
        limit_ms,
        cwd: std::env::current_dir().map_or_else(|_| Vec::new(), |folder| folder.into_os_string().into_vec()),
        environment: Environment::of(std::env::vars_os()),
        input,
    }
}

/// Reads standard input to its end. A call that is too long is read to its end too, and dropped.
fn read_input(patience: &Patience<'_>) -> Option<Vec<u8>> {
    let mut input = Vec::new();
    let mut fits = true;
    let mut chunk = [0; 16 << 10];
    loop {
        let length = patience.retry(stdin(), PollFlags::IN, || read(stdin(), &mut chunk))?;
        if length == 0 {
            return fits.then_some(input);
        }
        fits = fits && input.len() + length <= frame::INPUT;
        if fits {
            input.extend_from_slice(chunk.get(..length)?);
        }
    }
}

/// The reply's bytes; `None` where there is nothing to say.
fn receive(daemon: &UnixStream, patience: &Patience<'_>) -> Option<Vec<u8>> {
    let mut length = [0; 4];
    read_exact(daemon, &mut length, patience)?;
    let mut reply = vec![0; frame::decode_reply_length(length).ok()?];
    read_exact(daemon, &mut reply, patience)?;
    (!reply.is_empty()).then_some(reply)
}

/// Prints the reply and tells the daemon that it did. The word to the daemon is not waited for.
fn print(reply: &[u8], daemon: &UnixStream, patience: &Patience<'_>) -> Option<()> {
    write_all(stdout(), reply, patience)?;
    write(daemon, &[frame::PRINTED]).ok().map(drop)
}

fn write_all(fd: impl AsFd, mut bytes: &[u8], patience: &Patience<'_>) -> Option<()> {
    while !bytes.is_empty() {
        let written = patience.retry(&fd, PollFlags::OUT, || write(&fd, bytes))?;
        bytes = bytes.get(written..)?;
    }
    Some(())
}

fn read_exact(fd: impl AsFd, mut buffer: &mut [u8], patience: &Patience<'_>) -> Option<()> {
    while !buffer.is_empty() {
        let length = patience.retry(&fd, PollFlags::IN, || read(&fd, &mut *buffer))?;
        if length == 0 {
            return None;
        }
        buffer = buffer.get_mut(length..)?;
    }
    Some(())
}
