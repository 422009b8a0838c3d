//! `classify`: lines in, verdicts out, in their order and whatever they hold; one command by the files that are here.

use std::{fs, io::Write as _, path::Path, process::Stdio};

use serde_json::{Value, json};

use crate::stage::{code, err, out, program};

/// Runs `classify --jsonl` over some input.
fn judged(input: &[u8]) -> Vec<Value> {
    let mut child = program()
        .args(["classify", "--jsonl"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writing = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap().unwrap();
    assert_eq!((code(&output), err(&output).as_str()), (0, ""));
    out(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn request(id: &str, command: &str) -> String {
    let input = json!({"command": command});
    json!({"id": id, "agent": "claude", "tool": "Bash", "input": input, "cwd": "/home/u/proj", "worktree": "/home/u/proj",
           "home": "/home/u", "facts": {"git_branch": "topic", "symlinks": {"/home/u/proj/out": "/etc"}}})
    .to_string()
}

#[test]
fn every_line_has_its_verdict_with_exactly_the_keys_that_are_promised() {
    let lines = [
        request("a", "ls"),
        request("b", "rm -rf build"),
        request("c", "cat out/passwd"),
        request("d", "git push"),
    ];
    let said = judged(lines.join("\n").as_bytes());
    let ids: Vec<&str> = said.iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["a", "b", "c", "d"]);
    for one in &said {
        let keys: Vec<&str> = one.as_object().unwrap().keys().map(String::as_str).collect();
        let promised =
            ["id", "level", "class", "refused", "always_offered", "policy_allow_possible", "reasons"];
        assert_eq!(keys, promised);
    }
    assert_eq!((&said[0]["level"], &said[0]["class"]), (&json!("green"), &json!("read")));
    assert_eq!((&said[1]["level"], &said[1]["class"]), (&json!("red"), &json!("destructive")));
    assert_eq!((&said[2]["level"], &said[3]["level"]), (&json!("red"), &json!("red")));
}

#[test]
fn a_line_that_is_no_request_is_an_error_in_its_place_and_the_rest_goes_on() {
    let mut input = Vec::new();
    for line in [&request("a", "ls"), "no json", r#"{"id": 7, "agent": "claude"}"#, ""] {
        input.extend(line.as_bytes());
        input.push(b'\n');
    }
    input.extend(b"\xff\xfe\n");
    input.extend(request("z", "ls").as_bytes());
    let said = judged(&input);
    assert_eq!(said.len(), 6);
    let ids: Vec<&Value> = said.iter().map(|one| &one["id"]).collect();
    assert_eq!(ids, [&json!("a"), &Value::Null, &json!(7), &Value::Null, &Value::Null, &json!("z")]);
    for wrong in &said[1..5] {
        assert!(wrong["error"].as_str().unwrap().starts_with("this line is no request"), "{wrong}");
        assert_eq!(wrong.as_object().unwrap().len(), 2);
    }
    assert_eq!(said[5]["level"], "green");
}

/// A folder that is a repository on a branch.
fn repository(branch: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join(".git")).unwrap();
    fs::write(folder.path().join(".git/HEAD"), format!("ref: refs/heads/{branch}\n")).unwrap();
    folder
}

fn in_folder(folder: &Path, arguments: &[&str]) -> String {
    let output = program().current_dir(folder).arg("classify").args(arguments).output().unwrap();
    assert_eq!((code(&output), err(&output).as_str()), (0, ""));
    out(&output)
}

#[test]
fn a_command_is_judged_by_the_repository_that_is_here() {
    let said = |branch: &str| in_folder(repository(branch).path(), &["git push"]);
    assert!(said("main").contains("red, external: refused, whatever anyone answers"), "{}", said("main"));
    let topic = said("topic");
    assert!(topic.contains("red, external: asks; never becomes Always"), "{topic}");
    assert!(topic.contains("program git"), "{topic}");
}

#[test]
fn a_command_is_judged_by_the_links_that_are_here() {
    let folder = repository("topic");
    std::os::unix::fs::symlink("/etc", folder.path().join("link")).unwrap();
    let said: Value =
        serde_json::from_str(&in_folder(folder.path(), &["cat link/hostname", "--json"])).unwrap();
    assert_eq!((&said["level"], &said["paths"][0]["real"]), (&json!("red"), &json!("/etc/hostname")));
    let inside: Value = serde_json::from_str(&in_folder(folder.path(), &["cat notes", "--json"])).unwrap();
    assert_ne!(inside["level"], "red");
    assert!(!folder.path().join("notes").exists(), "nothing was run");
}

#[test]
fn what_a_command_hides_is_shown() {
    let said = in_folder(repository("topic").path(), &["cat \u{202e}x; \u{1b}[2J"]);
    assert!(!said.contains(['\u{202e}', '\u{1b}']), "{said}");
}
