//! What watchers, the log, its export, `status` and `doctor` are told.

use countersign_ipc::control::{ControlReply, ControlRequest, Decision, ErrorCode, LogFilter, WatchEvent};

use super::stage::*;

#[tokio::test]
async fn every_surface_sees_the_one_state() {
    let desk = Desk::new().await;
    let (mut first, mut second) = (desk.watcher().await, desk.watcher().await);
    let hook = desk.hook(&bash("s", "echo hi"), 0).await;
    let card = first.opened().await;
    assert_eq!(second.opened().await.request_id, card.request_id);

    let mut late = desk.client().await;
    late.send(ControlRequest::Watch {}).await;
    let WatchEvent::Snapshot { status, cards } = late.event().await else { panic!() };
    assert_eq!((status.pending, status.sessions, cards.len()), (1, 1, 1));
    assert!(status.last_hook_call.is_some());

    let answer = tokio::spawn(hook.answer());
    desk.client().await.ask(ControlRequest::Lock {}).await;
    for surface in [&mut first, &mut second] {
        let WatchEvent::Status { status } = surface.event().await else { panic!() };
        assert!(status.locked);
        assert_eq!(surface.closed().await.text, "Denied: everything was locked");
    }
    assert!(answer.await.unwrap().contains("deny"));
}

#[tokio::test]
async fn a_card_shows_the_whole_call_and_who_asks() {
    let desk = Desk::new().await;
    let mut watch = desk.watcher().await;
    let _hook = desk.hook(&bash("s", "printf 'a\u{202e}b'\nrm x"), 0).await;
    let card = watch.opened().await;
    let command = format!("{:?}", card.blocks);
    assert!(
        command.contains("printf") && command.contains("rm x") && command.contains("u{202e}"),
        "{command}"
    );
    assert!(!command.contains('\u{202e}'));
    assert_eq!(
        (card.agent.id.as_str(), card.tool.as_str(), card.folder.as_str()),
        ("claude", "Bash", "/tmp")
    );
    assert_eq!(card.words.as_deref(), Some("Do it"));
    assert!(card.host.contains('@'));
    let mut client = desk.client().await;
    let same = client.ask(ControlRequest::Card { request_id: card.request_id.clone() }).await;
    let ControlReply::Card(same) = same else { panic!("{same:?}") };
    assert_eq!(same.binding, card.binding);
    let unknown = ControlRequest::Card { request_id: "00".repeat(16) };
    assert_eq!(client.refused(unknown).await.code, ErrorCode::UnknownRequest);
    let cut = ControlRequest::Card { request_id: "00".repeat(7) };
    assert_eq!(client.refused(cut).await.code, ErrorCode::BadRequest);
}

#[tokio::test]
async fn the_log_is_filtered_and_an_export_stands_by_itself() {
    let desk = Desk::new().await;
    let mut watch = desk.watcher().await;
    let hook = desk.hook(&bash("s", "echo marker-in-the-call"), 0).await;
    let card = watch.opened().await;
    desk.client().await.ask(ControlRequest::Release { request_id: None }).await;
    hook.silence().await;

    let mut client = desk.client().await;
    let filter =
        LogFilter { request_id: Some(card.request_id.clone()), newest: Some(1), ..LogFilter::default() };
    client.send(ControlRequest::LogList { filter }).await;
    let ControlReply::LogEntry(entry) = client.reply().await else { panic!() };
    assert_eq!((entry.kind.as_str(), entry.request_id), ("released", Some(card.request_id.clone())));
    assert_eq!(client.reply().await, ControlReply::Done {});

    let mut exported = Vec::new();
    for redact in [false, true] {
        client.send(ControlRequest::LogExport { redact }).await;
        let mut lines = Vec::new();
        while let ControlReply::ExportLine { line } = client.reply().await {
            lines.push(serde_json::from_str::<serde_json::Value>(&line).unwrap());
        }
        exported.push(lines);
    }
    let raw = |lines: &[serde_json::Value]| {
        let request = lines.iter().find(|line| line["type"] == "request").unwrap();
        request["raw"].as_str().map(|raw| data_encoding::BASE64.decode(raw.as_bytes()).unwrap())
    };
    let shown = raw(&exported[0]).unwrap();
    assert!(String::from_utf8(shown).unwrap().contains("marker-in-the-call"));
    assert_eq!(raw(&exported[1]), None);
    assert_eq!(exported[0].len(), exported[1].len());
    let kinds: Vec<_> = exported[0].iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["log", "entry", "entry", "entry", "entry", "checkpoint", "request"]);
}

/// CARD-2: a surface that folds secrets gets them; whatever is listed, logged or taken away has none.
#[tokio::test]
async fn a_secret_is_on_the_card_that_is_watched_and_nowhere_else() {
    const TOKEN: &str = "ghp_aB3dE5gH1jK2mN4pQ6rS8tU0vW9xY7zA1b2C";
    let desk = Desk::new().await;
    let mut watch = desk.watcher().await;
    let session = format!("s-{TOKEN}");
    let tool = format!("mcp__{TOKEN}__\u{202e}x");
    let input = serde_json::json!({"command": format!("echo {TOKEN}\u{200b}"), "description": TOKEN});
    let hook = desk.hook(&event(&session, "PermissionRequest", &tool, &input), 0).await;
    let card = watch.opened().await;
    let whole = serde_json::to_string(&card).unwrap();
    assert!(whole.contains(TOKEN) && !whole.contains(['\u{202e}', '\u{200b}']), "{whole}");

    let mut client = desk.client().await;
    let mut said = vec![
        serde_json::to_string(&client.ask(ControlRequest::Pending {}).await).unwrap(),
        serde_json::to_string(
            &client.ask(ControlRequest::Card { request_id: card.request_id.clone() }).await,
        )
        .unwrap(),
        serde_json::to_string(&client.ask(ControlRequest::Status {}).await).unwrap(),
    ];
    let note = format!("use another one than {TOKEN}");
    client.look_at(&card).await;
    client.ask(click(&card, Decision::DenyWithNote, Some(&note))).await;
    assert!(hook.answer().await.contains(&note), "the agent reads a note word for word");

    client.send(ControlRequest::LogList { filter: LogFilter::default() }).await;
    while let ControlReply::LogEntry(entry) = client.reply().await {
        said.push(serde_json::to_string(&entry).unwrap());
    }
    client.send(ControlRequest::LogExport { redact: false }).await;
    let mut withheld = 0;
    while let ControlReply::ExportLine { line } = client.reply().await {
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        withheld += usize::from(value["withheld"] == true);
        for name in ["bytes", "raw", "signed"] {
            let decoded =
                value[name].as_str().map(|text| data_encoding::BASE64.decode(text.as_bytes()).unwrap());
            said.push(String::from_utf8_lossy(&decoded.unwrap_or_default()).into_owned());
        }
        said.push(line);
    }
    assert_eq!(withheld, 1, "the call");
    assert!(said.len() > 10);
    for text in &said {
        assert!(!text.contains(TOKEN) && !text.contains(['\u{202e}', '\u{200b}']), "{text}");
    }
    assert!(said.iter().any(|text| text.contains("GitHub token, 40 characters")));
    desk.verify().await;
}

#[tokio::test]
async fn status_and_doctor_say_how_it_is() {
    let desk = Desk::new().await;
    let mut client = desk.client().await;
    let ControlReply::Status(status) = client.ask(ControlRequest::Status {}).await else { panic!() };
    assert_eq!((status.pid, status.pending, status.phones, status.locked), (std::process::id(), 0, 0, false));
    let ControlReply::Doctor { checks } = client.ask(ControlRequest::Doctor {}).await else { panic!() };
    let names: Vec<&str> = checks.iter().map(|check| check.name.as_str()).collect();
    for name in ["hook socket", "control socket", "state folder", "audit log", "hooks", "relay", "protection"]
    {
        assert!(names.contains(&name), "{names:?}");
    }
    assert!(
        checks.iter().all(|check| check.state != countersign_ipc::control::CheckState::Problem),
        "{checks:?}"
    );
}
