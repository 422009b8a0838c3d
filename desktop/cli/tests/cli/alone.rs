//! Without a daemon: every command says that there is none, what is safe and what to do, and has its exit code.

use serde_json::Value;

use crate::stage::{Home, code, countersign, err, out};

#[test]
fn without_a_daemon_every_command_says_what_is_safe_and_what_to_do() {
    let home = Home::new("t-cli");
    for arguments in [
        &["status"][..],
        &["pending"],
        &["deny"],
        &["release", "--all"],
        &["lock"],
        &["unlock"],
        &["phones"],
        &["phones", "revoke", "--all"],
        &["log"],
        &["log", "verify"],
        &["log", "export", "--jsonl"],
        &["pair"],
    ] {
        let output = home.run(arguments);
        assert_eq!(code(&output), 3, "{arguments:?}");
        let said = err(&output);
        assert!(said.contains("Countersign is not running. Agents ask in their own terminal."), "{said}");
        assert!(said.contains(&format!("`countersign --instance {} up`", home.name())), "{said}");
        assert_eq!(out(&output), "", "{arguments:?}");
    }
    assert!(!home.state().exists(), "looking makes nothing");
}

#[test]
fn with_json_a_failure_is_json_too() {
    let home = Home::new("t-cli");
    let output = home.run(&["pending", "--json"]);
    let said: Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(said["error"]["code"], "not_running");
    assert_eq!((code(&output), err(&output).as_str()), (3, ""));
}

#[test]
fn the_bare_command_says_how_things_stand_and_what_comes_next() {
    let home = Home::new("t-cli");
    let output = home.run(&[]);
    assert_eq!(code(&output), 0);
    assert!(out(&output).starts_with("Countersign is not running."), "{}", out(&output));
    assert!(out(&output).contains("Next: start it"), "{}", out(&output));
}

#[test]
fn other_words_for_pairing_suggest_pair_and_run_nothing() {
    for words in [&["qr"][..], &["auth"], &["--pair"]] {
        let output = countersign(words);
        assert_eq!(code(&output), 2);
        assert!(err(&output).contains("Did you mean `countersign pair`?"), "{}", err(&output));
    }
    let output = countersign(&["sttus"]);
    assert!(err(&output).contains("'status'"), "{}", err(&output));
}

#[test]
fn there_is_no_command_that_approves() {
    for word in ["approve", "allow", "yes"] {
        let output = countersign(&[word]);
        assert_eq!(code(&output), 2);
        assert!(
            err(&output).contains("phone") && err(&output).contains("countersign watch"),
            "{}",
            err(&output)
        );
    }
    assert!(out(&countersign(&["--help"])).contains("There is no command that approves"));
}

#[test]
fn help_names_every_exit_code() {
    let help = out(&countersign(&["--help"]));
    for exit in 0..=5 {
        assert!(help.contains(&format!("\n  {exit}  ")), "{exit}: {help}");
    }
}

#[test]
fn watch_without_a_terminal_is_refused_with_what_works_there() {
    let output = Home::new("t-cli").run(&["watch"]);
    assert_eq!(code(&output), 1);
    assert!(err(&output).contains("pending"), "{}", err(&output));
}

#[test]
fn doctor_without_a_daemon_finds_the_rest_and_exits_with_1() {
    let output = Home::new("t-cli").run(&["doctor", "--json"]);
    let said: Value = serde_json::from_str(&out(&output)).unwrap();
    let names: Vec<&str> =
        said["checks"].as_array().unwrap().iter().map(|check| check["name"].as_str().unwrap()).collect();
    for name in
        ["daemon", "state folder", "protection", "hook program", "claude hooks", "claude mode", "claude"]
    {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    assert_eq!((said["level"].as_u64(), code(&output)), (Some(1), 1));
}

#[test]
fn a_wrong_instance_is_refused_before_anything_is_touched() {
    let output = countersign(&["--instance", "../../x", "up"]);
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("can't name an instance"), "{}", err(&output));
}
