//! Who is served at the control socket, and for what (REF-4).

use countersign_ipc::{
    control::{ControlReply, ControlRequest, DenyWhich, ErrorCode, REQUEST_LINE},
    frame::{self, Kind},
    place::HOOK_SOCKET,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::stage::*;

#[tokio::test]
async fn what_an_agent_started_may_look_and_nothing_else() {
    let desk = Desk::below("/home/dev/.local/bin/claude").await;
    let mut client = desk.client().await;
    assert!(matches!(client.ask(ControlRequest::Status {}).await, ControlReply::Status(_)));
    assert!(matches!(client.ask(ControlRequest::Pending {}).await, ControlReply::Pending { .. }));
    assert!(matches!(client.ask(ControlRequest::Doctor {}).await, ControlReply::Doctor { .. }));
    for request in [
        ControlRequest::Watch {},
        ControlRequest::Unlock {},
        ControlRequest::Lock {},
        ControlRequest::Deny { which: DenyWhich::All },
        ControlRequest::PairStart { relay: None, invite: None },
        ControlRequest::LogExport { redact: true },
        ControlRequest::Stop {},
    ] {
        let refused = client.refused(request).await;
        assert_eq!(refused.code, ErrorCode::CalledByAgent);
        assert!(refused.text.contains("claude"), "{refused}");
    }
}

#[tokio::test]
async fn garbage_on_the_hooks_socket_is_answered_with_silence_and_costs_nothing() {
    let desk = Desk::new().await;
    let whole =
        frame::encode(Kind::Ask, &frame::Call { agent: "claude".into(), ..Default::default() }).unwrap();
    let mut other_version = whole.clone();
    other_version[2] = 9;
    let mut huge = whole[..frame::HEAD].to_vec();
    huge[4..].copy_from_slice(&u32::MAX.to_be_bytes());
    let mut left_over = whole.clone();
    left_over[7] += 1;
    left_over.push(0);
    let unknown =
        frame::encode(Kind::Ask, &frame::Call { agent: "nobody".into(), ..Default::default() }).unwrap();
    for bytes in
        [b"GET / HTTP/1.1\r\n\r\n".to_vec(), other_version, huge, left_over, unknown, whole[..5].to_vec()]
    {
        let mut stream = desk.connect(HOOK_SOCKET).await;
        stream.write_all(&bytes).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut reply = Vec::new();
        // It may be closed with bytes unread, which the kernel tells as a reset.
        let _ = stream.read_to_end(&mut reply).await;
        assert!(reply.is_empty() || reply == [0; 4], "{bytes:?}: {reply:?}");
    }
    for input in ["", "{", "[]", "{\"hook_event_name\":\"PermissionRequest\"}", "\u{0}"] {
        let call = frame::Call { agent: "claude".into(), input: input.into(), ..Default::default() };
        let mut stream = desk.connect(HOOK_SOCKET).await;
        stream.write_all(&frame::encode(Kind::Ask, &call).unwrap()).await.unwrap();
        Hook(stream).silence().await;
    }
    assert_eq!(desk.log().await, ["started"]);
}

#[tokio::test]
async fn garbage_on_the_control_socket_is_told_so_and_the_connection_closed() {
    let desk = Desk::new().await;
    for (line, code) in [
        ("hello\n", ErrorCode::BadRequest),
        ("{\"v\":1,\"id\":1,\"request\":{\"type\":\"approve\"}}\n", ErrorCode::BadRequest),
        ("{\"v\":1,\"id\":1,\"request\":{\"type\":\"status\",\"more\":1}}\n", ErrorCode::BadRequest),
        ("{\"v\":2,\"id\":1,\"request\":{\"type\":\"status\"}}\n", ErrorCode::Version),
    ] {
        let mut client = desk.client().await;
        client.raw(line.as_bytes()).await;
        let ControlReply::Failed(failure) = client.reply().await else { panic!("{line}") };
        assert_eq!(failure.code, code, "{line}");
        assert_eq!(client.line().await, None, "{line}");
    }
    let mut client = desk.client().await;
    client.raw(&vec![b' '; REQUEST_LINE + 2]).await;
    let ControlReply::Failed(failure) = client.reply().await else { panic!() };
    assert_eq!(failure.code, ErrorCode::BadRequest);
}
