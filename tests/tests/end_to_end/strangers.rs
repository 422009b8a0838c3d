//! Another user's programs: they find no way in, and no demo phone takes their garbage.

use std::{
    fs::{self, Permissions},
    os::unix::{fs::PermissionsExt as _, net::UnixStream},
    path::PathBuf,
    process::Stdio,
};

use anyhow::{Context as _, Result, ensure};
use countersign_tests::world::{BOUND, Process, World, copy, program};
use tokio::process::Command;

/// Names the sockets to the test that plays the stranger.
const SOCKETS: &str = "COUNTERSIGN_TEST_SOCKETS";
const NOBODY: u32 = 65_534;

#[tokio::test]
async fn another_users_program_reaches_neither_socket() -> Result<()> {
    if !rustix::process::getuid().is_root() {
        println!("NOT RUN: only root can play another user");
        return Ok(());
    }
    let world = World::start_plain().await?;
    // Its own folder is closed to others; the stranger's program must not be.
    let folder = tempfile::Builder::new().prefix("countersign-stranger-").tempdir()?;
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755))?;
    let stranger = folder.path().join("stranger");
    copy(&std::env::current_exe()?, &stranger).await?;
    fs::set_permissions(&stranger, Permissions::from_mode(0o755))?;
    let sockets = [world.hook_socket()?, world.control_socket()?];
    let mut command = Command::new(stranger);
    command.args(["--exact", "--ignored", "strangers::a_stranger"]).current_dir("/");
    command.env(SOCKETS, sockets.map(|socket| socket.display().to_string()).join(":"));
    command.uid(NOBODY).gid(NOBODY).stdin(Stdio::null());
    let (code, said) = Process::spawn("the stranger", command)?.ends(BOUND).await?;
    ensure!(code == Some(0) && said.contains("1 passed"), "{said}");
    ensure!(world.cli(&["status", "--json"]).await?["pending"] == 0);
    Ok(())
}

#[test]
#[ignore = "started as another user by the test above"]
fn a_stranger() {
    let sockets = std::env::var(SOCKETS).expect("the test above names the sockets");
    for socket in sockets.split(':').map(PathBuf::from) {
        let error = UnixStream::connect(&socket).expect_err("a stranger was let in");
        assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied, "{}", socket.display());
    }
}

#[tokio::test]
async fn a_demo_phone_that_is_given_garbage_for_a_ticket_says_so() -> Result<()> {
    let mut world = World::start().await?;
    let ticket = world.ticket().await?;
    let text = ticket["text"].as_str().context("a ticket has a text")?;
    let (cut, longer) = (&text[..text.len() - 9], format!("{text}AAAA"));
    let other_version = text.replacen("CSGN1:", "CSGN2:", 1);
    for garbage in ["", "hello", "CSGN1:", "CSGN1:0189", cut, &longer, &other_version] {
        let mut command = Command::new(program("countersign-demo-phone"));
        command.args(["pair", garbage, "--json"]);
        let mut phone = Process::spawn("the phone", command)?;
        let (code, said) = phone.ends(BOUND).await?;
        ensure!(code == Some(1) && !said.contains("paired"), "`{garbage}`: {code:?} {said}");
        let words = phone.complaint();
        ensure!(words.contains("ticket") || words.contains("CSGN1"), "`{garbage}`: {words}");
    }
    // None of that used the ticket up.
    world.pair("first phone").await?;
    Ok(())
}
