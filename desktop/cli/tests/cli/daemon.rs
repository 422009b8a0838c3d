//! Against a daemon: what waits is seen and narrowed, the log is read and checked, and the end is orderly.

use std::{fs, os::unix::fs::PermissionsExt as _};

use rustix::process::Signal;
use serde_json::Value;

use crate::stage::{Home, Up, code, err, out};

#[test]
fn a_daemon_says_how_it_is_and_ends_with_a_signal_leaving_no_socket() {
    let mut up = Up::start();
    assert_eq!(up.ready["type"], "ready");
    assert_eq!(up.ready["demo"], false);
    let status = up.json(&["status"]);
    assert_eq!(status["pid"], up.ready["pid"]);
    assert_eq!(status["relay"]["type"], "off", "nothing is dialled before a phone is paired");
    let bare = out(&up.run(&[]));
    assert!(bare.starts_with("Countersign ") && bare.contains("Next: "), "{bare}");
    up.signal(Signal::TERM);
    let (rest, status) = up.end();
    assert!(status.success(), "{status}");
    assert!(rest.ends_with("{\"type\":\"over\"}\n"), "{rest}");
    assert_eq!(fs::read_dir(up.home.sockets()).unwrap().count(), 0);
    assert_eq!(code(&up.run(&["status"])), 3);
}

#[test]
fn a_second_daemon_is_refused_and_the_first_goes_on() {
    let up = Up::start();
    let output = up.run(&["up"]);
    assert_eq!(code(&output), 5);
    assert!(err(&output).contains("already runs"), "{}", err(&output));
    assert_eq!(code(&up.run(&["status"])), 0);
}

#[test]
fn folders_that_others_may_enter_and_files_that_are_not_ours_stop_the_start_with_what_to_do() {
    let home = Home::new("t-cli");
    fs::create_dir_all(home.state()).unwrap();
    fs::set_permissions(home.state(), fs::Permissions::from_mode(0o755)).unwrap();
    let output = home.run(&["up"]);
    assert_eq!(code(&output), 1);
    assert!(err(&output).contains("chmod 700"), "{}", err(&output));

    fs::set_permissions(home.state(), fs::Permissions::from_mode(0o700)).unwrap();
    let database = home.state().join("countersign.db");
    fs::write(&database, "not a database at all").unwrap();
    fs::set_permissions(&database, fs::Permissions::from_mode(0o600)).unwrap();
    let output = home.run(&["up"]);
    assert_eq!(code(&output), 1);
    assert!(err(&output).contains("nothing was changed"), "{}", err(&output));
    assert_eq!(fs::read_to_string(&database).unwrap(), "not a database at all");
}

#[test]
fn a_waiting_card_is_listed_whole_and_denied_by_the_beginning_of_its_id() {
    let mut up = Up::start();
    let asked = up.ask("make all\nrm -rf build");
    let listed = out(&up.run(&["pending"]));
    assert!(listed.contains("$ make all\n    rm -rf build"), "{listed}");
    assert!(listed.contains("the agent says: Tries something"), "{listed}");
    let cards = up.json(&["pending"]);
    assert_eq!(cards["cards"][0]["request_id"], asked.id.as_str());

    let start = asked.id.get(..6).unwrap().to_owned();
    let denying = {
        let answer = std::thread::spawn(move || asked.answer());
        let output = up.run(&["deny", &start]);
        assert_eq!(code(&output), 0, "{}", err(&output));
        assert!(out(&output).contains("Denied"), "{}", out(&output));
        answer.join().unwrap()
    };
    assert!(denying.contains("\"deny\""), "{denying}");
    assert_eq!(up.until("closed")["ending"]["outcome"], "denied");
    assert_eq!(code(&up.run(&["deny", &start])), 1, "it no longer waits");
}

#[test]
fn with_two_cards_a_deny_must_say_which_and_release_hands_all_back() {
    let mut up = Up::start();
    let (first, second) = (up.ask("true"), up.ask("false"));
    let output = up.run(&["deny"]);
    assert_eq!(code(&output), 1);
    assert!(err(&output).contains("2 cards wait"), "{}", err(&output));
    let endings = up.json(&["release", "--all"]);
    assert_eq!(endings["endings"].as_array().unwrap().len(), 2, "{endings}");
    assert_eq!((first.answer().as_str(), second.answer().as_str()), ("", ""));
}

#[test]
fn a_lock_denies_what_waits_and_what_comes_until_it_is_lifted() {
    let mut up = Up::start();
    let asked = up.ask("true");
    let answer = std::thread::spawn(move || asked.answer());
    assert!(out(&up.run(&["lock"])).contains("Locked"));
    assert!(answer.join().unwrap().contains("\"deny\""));
    assert_eq!(up.json(&["status"])["locked"], true);
    assert!(out(&up.run(&[])).contains("countersign --instance"), "the next step is to unlock");
    assert_eq!(up.json(&["unlock"])["locked"], false);
    assert_eq!(up.json(&["status"])["locked"], false);
}

#[test]
fn the_log_is_listed_filtered_verified_and_written_out() {
    let mut up = Up::start();
    let asked = up.ask("echo hello");
    let id = asked.id.clone();
    let answer = std::thread::spawn(move || asked.answer());
    assert_eq!(code(&up.run(&["deny", &id])), 0);
    answer.join().unwrap();
    up.until("closed");

    let lines = |arguments: &[&str]| -> Vec<Value> {
        let output = up.run(&[&["log", "--json"], arguments].concat());
        out(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let all = lines(&[]);
    assert_eq!(all.iter().map(|entry| entry["seq"].as_u64().unwrap()).collect::<Vec<_>>(), {
        (1..=all.len() as u64).collect::<Vec<_>>()
    });
    assert!(lines(&["--request", &id]).iter().all(|entry| entry["request_id"] == id.as_str()));
    assert_eq!(lines(&["--event", "denied"]).len(), 1);
    assert_eq!(lines(&["--last", "1"]).len(), 1);

    let first = all.first().unwrap();
    let head = format!("1:{}", first["hash"].as_str().unwrap());
    let verified = up.run(&["log", "verify", "--head", &head]);
    assert_eq!(code(&verified), 0, "{}", out(&verified));
    assert!(out(&verified).contains("The log is whole."), "{}", out(&verified));
    let other = up.run(&["log", "verify", "--head", &format!("1:{}", "ab".repeat(32))]);
    assert_eq!(code(&other), 1);
    assert!(out(&other).contains("NOT whole") && out(&other).contains("rewritten"), "{}", out(&other));
    let cut = up.run(&["log", "verify", "--json", "--head", &format!("9999:{}", "ab".repeat(32))]);
    assert!(code(&cut) == 1 && out(&cut).contains("was cut off"), "{}", out(&cut));
    write_out(&up);
}

fn write_out(up: &Up) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let file = path.to_str().unwrap();
    assert_eq!(code(&up.run(&["log", "export", "--jsonl", file])), 0);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let exported = fs::read_to_string(&path).unwrap();
    assert!(call_in(&exported).is_string(), "{exported}");
    let again = up.run(&["log", "export", "--jsonl", file]);
    assert!(code(&again) == 1 && err(&again).contains("is there already"), "{}", err(&again));
    let redacted = out(&up.run(&["log", "export", "--jsonl", "--redact"]));
    assert!(call_in(&redacted).is_null(), "{redacted}");
}

/// What an export says of the one call.
fn call_in(export: &str) -> Value {
    let mut lines = export.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.find(|line| line["type"] == "request").unwrap()["raw"].clone()
}

#[test]
fn outside_a_demo_every_pairing_is_refused_with_what_works() {
    let up = Up::start();
    let output = up.run(&["pair"]);
    assert_eq!(code(&output), 1);
    let said = err(&output);
    assert!(said.contains("can't verify a phone's hardware yet") && said.contains("up --demo"), "{said}");
    let failed: Value = serde_json::from_str(&out(&up.run(&["pair", "--json"]))).unwrap();
    assert_eq!(failed["error"]["code"], "not_paired");
}

#[test]
fn phones_that_are_not_there_are_named_so() {
    let up = Up::start();
    assert!(out(&up.run(&["phones"])).contains("No phone is paired"));
    assert_eq!(up.json(&["phones", "list"])["phones"], Value::Array(vec![]));
    for arguments in [["phones", "revoke", "ab"], ["phones", "unsuspend", "ab"]] {
        let output = up.run(&arguments);
        assert_eq!(code(&output), 1);
        assert!(err(&output).contains("There is no phone `ab`"), "{}", err(&output));
    }
}

#[test]
fn doctor_asks_the_daemon_too() {
    let up = Up::start();
    let said = up.json(&["doctor"]);
    let names: Vec<&str> =
        said["checks"].as_array().unwrap().iter().map(|check| check["name"].as_str().unwrap()).collect();
    for name in ["daemon", "hook socket", "control socket", "audit log", "relay", "phones", "protection"] {
        assert_eq!(names.iter().filter(|found| **found == name).count(), 1, "{name}: {names:?}");
    }
}

#[test]
fn a_daemon_that_is_killed_is_replaced_by_the_next_start() {
    let mut up = Up::start();
    let asked = up.ask("true");
    up.signal(Signal::KILL);
    assert_eq!(asked.answer(), "", "silence: the agent asks in its terminal");
    up.end();
    assert_eq!(code(&up.run(&["status"])), 3);
    let mut again = program_of(&up.home);
    assert_eq!(again.ready["type"], "ready");
    again.signal(Signal::INT);
    assert!(again.end().1.success());
}

/// Another start of the same instance; its folders stay with the first.
fn program_of(home: &Home) -> Up {
    Up::of(Home { instance: home.instance.clone() }, &[])
}
