//! The relay as a process: how it starts, what makes it stop, and what it says when it cannot start.

use std::process::Stdio;

use countersign_proto::{
    claim::End,
    frame::{CloseCode, FromRelay, NoticeCode},
};
use rustix::process::Signal;
use sqlx::{Connection, SqliteConnection};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    time::timeout,
};

use crate::party::{PATIENCE, Relay, command};

#[tokio::test]
async fn a_signal_says_goodbye_to_every_socket_and_ends_the_relay() {
    for signal in [Signal::TERM, Signal::INT] {
        let relay = Relay::start().await;
        let channel = relay.channel(1).await;
        let (mut client, _) = relay.attach(&channel, End::Desktop).await;
        let mut unclaimed = relay.dial().await;
        relay.signal(signal);
        let notice = FromRelay::Notice { code: NoticeCode::GoingDown, retry_after: 0 };
        assert_eq!(client.frame().await, notice);
        assert_eq!(client.closed().await, CloseCode::GoingDown);
        assert_eq!(unclaimed.closed().await, CloseCode::GoingDown);
        let (status, log) = relay.ended().await;
        assert_eq!(status.code(), Some(0), "{log}");
    }
}

#[tokio::test]
async fn a_client_that_does_not_answer_the_close_cannot_keep_the_relay() {
    let relay = Relay::start().await;
    let channel = relay.channel(1).await;
    let (client, _) = relay.attach(&channel, End::Desktop).await;
    relay.signal(Signal::TERM);
    assert_eq!(relay.ended().await.0.code(), Some(0));
    drop(client);
}

#[tokio::test]
async fn a_watched_relay_ends_with_the_program_that_started_it() {
    let mut watched = command(&["--listen", "127.0.0.1:0", "--memory", "--parent-watch"]);
    watched.stdin(Stdio::piped());
    let mut relay = Relay::spawn(watched).await;
    let channel = relay.channel(1).await;
    let (mut client, _) = relay.attach(&channel, End::Desktop).await;
    relay.abandon();
    let notice = FromRelay::Notice { code: NoticeCode::GoingDown, retry_after: 0 };
    assert_eq!(client.frame().await, notice);
    assert_eq!(relay.ended().await.0.code(), Some(0));
}

#[tokio::test]
async fn a_watched_relay_ends_also_when_its_log_leads_nowhere_any_more() {
    let mut watched = command(&["--listen", "127.0.0.1:0", "--memory", "--parent-watch", "--log", "trace"]);
    let mut relay = watched.stdin(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(relay.stdout.as_mut().unwrap()).read_line(&mut line).await.unwrap();
    // As when the program that started it was killed: every pipe is gone at once.
    drop((relay.stderr.take(), relay.stdout.take(), relay.stdin.take()));
    assert_eq!(timeout(PATIENCE, relay.wait()).await.unwrap().unwrap().code(), Some(0));
}

#[tokio::test]
async fn an_unwatched_relay_does_not_mind_a_closed_standard_input() {
    let relay = Relay::start().await;
    let channel = relay.channel(1).await;
    relay.attach(&channel, End::Desktop).await;
}

/// Runs a command line that must fail, and returns its exit code and words.
async fn fails(arguments: &[&str]) -> (i32, String) {
    let output = command(arguments).output().await.unwrap();
    assert!(output.stdout.is_empty(), "nothing is announced");
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[tokio::test]
async fn a_wrong_command_line_says_what_would_be_right() {
    for (arguments, words) in [
        (&["--listen", "0.0.0.0:8440"][..], "it listens on loopback only"),
        (&["--listen", "[::]:0"], "it listens on loopback only"),
        (&["--listen", "8440"], "such as 127.0.0.1:8440"),
        (&["--memory", "--data", "/tmp"], "cannot be used with"),
        (&["--log", "loud"], "[possible values: off, error, warn, info, debug, trace]"),
        (&["--port", "1"], "unexpected argument '--port'"),
    ] {
        let (code, text) = fails(arguments).await;
        assert_eq!(code, 2, "{text}");
        assert!(text.contains(words), "{arguments:?}: {text}");
    }
    let help = command(&["--help"]).output().await.unwrap();
    assert!(String::from_utf8(help.stdout).unwrap().contains("4  cannot open the channel registry"));
}

#[tokio::test]
async fn an_address_or_folder_in_use_is_named_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let relay = Relay::start_in(folder.path()).await;
    let (code, text) = fails(&["--listen", &relay.address, "--memory"]).await;
    assert_eq!(code, 3);
    assert!(text.contains(&relay.address) && text.contains("port 0 picks a free one"), "{text}");

    let data = folder.path().to_str().unwrap();
    let (code, text) = fails(&["--listen", "127.0.0.1:0", "--data", data]).await;
    assert_eq!(code, 4);
    assert!(text.contains("another relay is using the folder"), "{text}");

    let (code, text) = fails(&["--listen", "127.0.0.1:0", "--data", "/proc/no-folder"]).await;
    assert_eq!(code, 4);
    assert!(text.contains("give another with --data"), "{text}");
}

#[tokio::test]
async fn a_registry_of_a_newer_relay_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let relay = Relay::start_in(folder.path()).await;
    let channel = relay.channel(1).await;
    relay.signal(Signal::TERM);
    relay.ended().await;

    let file = format!("sqlite:{}", folder.path().join("relay.db").display());
    let mut database = SqliteConnection::connect(&file).await.unwrap();
    sqlx::query("INSERT INTO _sqlx_migrations SELECT 7, 'later', installed_on, success, checksum, 0 FROM _sqlx_migrations")
        .execute(&mut database)
        .await
        .unwrap();
    database.close().await.unwrap();
    let (code, text) = fails(&["--listen", "127.0.0.1:0", "--data", folder.path().to_str().unwrap()]).await;
    assert_eq!(code, 4);
    assert!(
        text.contains("written by a newer relay (schema 7, this one knows 1); update countersign-relay"),
        "{text}"
    );

    let mut database = SqliteConnection::connect(&file).await.unwrap();
    sqlx::query("DELETE FROM _sqlx_migrations WHERE version = 7").execute(&mut database).await.unwrap();
    database.close().await.unwrap();
    let relay = Relay::start_in(folder.path()).await;
    relay.attach(&channel, End::Desktop).await;
}

#[cfg(unix)]
#[tokio::test]
async fn the_registry_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("made/by/the/relay");
    let relay = Relay::start_in(&folder).await;
    relay.channel(1).await;
    assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    for entry in std::fs::read_dir(&folder).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{entry:?}");
    }
}
