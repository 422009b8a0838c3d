//! A stand-in for the daemon that replies to every ask at once with the same bytes: `answer_at_once [--instance NAME]`.
//! It is the other end of `tests/load/hook_bench.sh`, prints the path of its socket, and ends with its standard input.

use std::error::Error;
use std::fs::{self, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::thread;
use std::time::Duration;

use countersign_ipc::frame::{self, HEAD, Head, Kind};
use countersign_ipc::{Instance, folder, place};

const REPLY: &[u8] =
    br#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let instance = match (arguments.next().as_deref(), arguments.next()) {
        (None, None) => Instance::MAIN,
        (Some("--instance"), Some(name)) => name.parse()?,
        _ => return Err("usage: answer_at_once [--instance NAME]".into()),
    };
    let folder = place::sockets(&instance)?;
    folder::make(&folder)?;
    let socket = folder.join(place::HOOK_SOCKET);
    let listener = UnixListener::bind(&socket)?;
    fs::set_permissions(&socket, Permissions::from_mode(folder::FILE_MODE))?;
    writeln!(io::stdout(), "{}", socket.display())?;
    thread::spawn(move || {
        for hook in listener.incoming().flatten() {
            // A hook that sends nonsense is left alone; the next one is served all the same.
            let _ = answer(hook);
        }
    });
    io::copy(&mut io::stdin(), &mut io::sink())?;
    fs::remove_file(&socket)?;
    fs::remove_dir(&folder)?;
    Ok(())
}

fn answer(mut hook: UnixStream) -> Result<(), Box<dyn Error>> {
    // The hooks are served one after the other: one that stops half-way must not hold up the rest.
    hook.set_read_timeout(Some(Duration::from_secs(2)))?;
    let mut head = [0; HEAD];
    hook.read_exact(&mut head)?;
    let head = Head::decode(head)?;
    let mut body = vec![0; head.length];
    hook.read_exact(&mut body)?;
    frame::decode_body(&body)?;
    if head.kind == Kind::Ask {
        hook.write_all(&frame::encode_reply(REPLY)?)?;
    }
    Ok(())
}
