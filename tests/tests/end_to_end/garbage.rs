//! Bytes that are no hook's and no client's: nothing is allowed, nothing is lost, and the next one is served.

use std::path::Path;

use anyhow::{Context as _, Result, anyhow, ensure};
use countersign_tests::world::{BOUND, World};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::UnixStream,
    time::timeout,
};

use crate::{LIMIT, assert_denied};

/// Says something to a socket, ends the sentence, and gives all that comes back.
async fn said_to(socket: &Path, bytes: &[u8]) -> Result<Vec<u8>> {
    let mut stream = UnixStream::connect(socket).await?;
    // A desktop that has heard enough may close before it is all said.
    let _ = stream.write_all(bytes).await;
    let _ = stream.shutdown().await;
    let mut answer = Vec::new();
    let read = timeout(BOUND, stream.read_to_end(&mut answer)).await;
    // A reset is as good as an end: it said what it wanted to say.
    let _ = read.map_err(|_| anyhow!("the connection stays open after {} bytes", bytes.len()))?;
    Ok(answer)
}

/// Whether calls are still asked about and answered.
async fn assert_works(world: &World) -> Result<()> {
    let mut surface = world.surface().await?;
    let mut hook = world.hook(&world.asks("after", "make sure"), LIMIT).await?;
    surface.card().await?;
    world.cli(&["deny", "--json"]).await?;
    assert_denied(&hook.ends(BOUND).await?.1, "declined")?;
    world.assert_log_is_whole().await?;
    Ok(())
}

#[tokio::test]
async fn garbage_at_the_hooks_socket_is_met_with_silence() -> Result<()> {
    let world = World::start().await?;
    let socket = world.hook_socket()?;
    let asked = world.asks("s", "make deploy").to_string();
    let frame = |version: u8, kind: u8, length: u32, body: &[u8]| {
        [b"CS".as_slice(), &[version, kind], &length.to_be_bytes(), body].concat()
    };
    let noise: Vec<u8> = (0..100_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let sentences: [&[u8]; 11] = [
        b"",
        b"CS",
        b"GET / HTTP/1.1\r\n\r\n",
        asked.as_bytes(),
        &noise,
        &frame(1, 1, 4, b"ab"),
        &frame(1, 1, u32::MAX, b""),
        &frame(2, 1, 4, b"abcd"),
        &frame(1, 9, 4, b"abcd"),
        &frame(1, 1, 8, &[0xff; 8]),
        &frame(1, 2, 0, b""),
    ];
    for (at, sentence) in sentences.into_iter().enumerate() {
        let answer = said_to(&socket, sentence).await?;
        ensure!(answer.is_empty() || answer == [0; 4], "sentence {at} was answered {answer:?}");
    }
    ensure!(world.log().await?.iter().all(|entry| entry["kind"] != "asked"), "garbage was asked about");
    assert_works(&world).await
}

#[tokio::test]
async fn garbage_at_the_control_socket_is_refused_in_words() -> Result<()> {
    let world = World::start().await?;
    let socket = world.control_socket()?;
    let long = vec![b'x'; 200_000];
    let deep = format!("{}\n", "[".repeat(20_000));
    let lines: [(&[u8], &str); 10] = [
        (b"\n", "bad_request"),
        (b"hello\n", "bad_request"),
        (b"\xff\xfe\n", "bad_request"),
        (b"{\"v\":9,\"id\":1,\"request\":{\"type\":\"status\"}}\n", "version"),
        (b"{\"v\":1,\"id\":1,\"request\":{\"type\":\"approve\"}}\n", "bad_request"),
        (b"{\"v\":1,\"id\":1,\"request\":{\"type\":\"unlock\",\"by\":\"me\"}}\n", "bad_request"),
        (b"{\"v\":1,\"v\":1,\"id\":1,\"request\":{\"type\":\"unlock\"}}\n", "bad_request"),
        (b"{\"v\":1,\"id\":1,\"request\":{\"type\":\"unlock\"},\"more\":1}\n", "bad_request"),
        (&long, ""),
        (deep.as_bytes(), "bad_request"),
    ];
    world.cli(&["lock", "--json"]).await?;
    for (line, code) in lines {
        let answer = said_to(&socket, line).await?;
        let shown = String::from_utf8_lossy(line).chars().take(60).collect::<String>();
        let said: Value = serde_json::from_slice(&answer).unwrap_or(Value::Null);
        let fits = said["reply"]["type"] == "failed" && said["reply"]["code"] == code;
        ensure!(fits || code.is_empty(), "{shown}: {}", String::from_utf8_lossy(&answer));
    }
    // A line that was cut off is no request, whatever it would have been.
    let cut = said_to(&socket, b"{\"v\":1,\"id\":1,\"request\":{\"type\":\"unlock\"}}").await?;
    ensure!(cut.is_empty(), "half a line was answered: {}", String::from_utf8_lossy(&cut));
    ensure!(world.cli(&["status", "--json"]).await?["locked"] == true, "garbage opened the doors");
    world.cli(&["unlock", "--json"]).await?;
    assert_works(&world).await
}

/// Whatever an agent hands its hook: it exits with 0 and is silent, and nothing is asked that can't be shown whole.
#[tokio::test]
async fn a_hook_that_is_given_garbage_says_nothing() -> Result<()> {
    let world = World::start().await?;
    let asked = world.asks("s", "make deploy");
    let with = |field: &str, value: Value| {
        let mut event = asked.clone();
        event[field] = value;
        event.to_string()
    };
    let without = |field: &str| {
        let mut event = asked.clone();
        event.as_object_mut().expect("an object").remove(field);
        event.to_string()
    };
    let twice = asked.to_string().replacen('{', "{\"tool_name\":\"Read\",", 1);
    let inputs = [
        String::new(),
        "null".to_owned(),
        "garbage".to_owned(),
        "\0\u{1}\u{feff}".to_owned(),
        asked.to_string()[..60].to_owned(),
        format!("{asked}{asked}"),
        "[".repeat(100_000),
        twice,
        with("hook_event_name", json!("SomethingNew")),
        with("hook_event_name", json!(7)),
        with("tool_input", json!("a text")),
        with("tool_input", json!({ "command": "x".repeat(2 << 20) })),
        with("session_id", json!(null)),
        without("session_id"),
        without("tool_name"),
        without("tool_input"),
        without("cwd"),
    ];
    for input in &inputs {
        let mut hook = world.hook_process("PermissionRequest", LIMIT)?;
        // One that has heard enough may be gone before it is all said.
        let _ = hook.say(input).await;
        hook.close_input();
        let shown: String = input.chars().take(300).collect();
        let (code, printed) = hook.ends(BOUND).await.with_context(|| format!("given `{shown}`"))?;
        ensure!(code == Some(0) && printed.is_empty(), "`{shown}`: {code:?} {printed}");
    }
    ensure!(world.log().await?.iter().all(|entry| entry["kind"] != "asked"), "garbage was asked about");
    // Arguments that setup never writes.
    for arguments in [&["--agent"][..], &["--agent", "unheard-of"], &["--help"], &[]] {
        let (code, printed) = world.bare_hook(arguments, &asked.to_string()).await?;
        ensure!(code == Some(0) && printed.is_empty(), "{arguments:?}: {code:?} {printed}");
    }
    assert_works(&world).await
}
