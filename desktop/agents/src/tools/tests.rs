//! Which tool of which agent becomes which action, and that doubt never makes one milder.

use countersign_core::classify::{Action, FileHow, FileUse, Script, Shell};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn bash(text: &str, folder: Option<&str>) -> Action {
    shell(Script::Bash(text.into()), folder)
}

fn typed(text: &str, folder: Option<&str>) -> Action {
    shell(Script::Typed(text.into()), folder)
}

fn shell(script: Script, folder: Option<&str>) -> Action {
    Action::Shell(Shell { script, folder: folder.map(str::to_owned) })
}

fn files<const N: usize>(uses: [(&str, FileHow); N]) -> Action {
    Action::Files(uses.into_iter().map(|(path, how)| FileUse { path: path.into(), how }).collect())
}

fn server(server: &str, tool: &str, arguments: &[(&str, &str)]) -> Action {
    Action::Server { server: server.into(), tool: tool.into(), arguments: pairs(arguments) }
}

fn unknown(arguments: &[(&str, &str)]) -> Action {
    Action::Unknown(pairs(arguments))
}

fn pairs(arguments: &[(&str, &str)]) -> Vec<(String, String)> {
    arguments.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

#[track_caller]
fn is(agent: &str, tool: &str, input: &Value, expected: &Action) {
    assert_eq!(&action(agent, tool, input), expected, "{agent}/{tool} {input}");
}

#[test]
fn each_agents_shell_gives_its_command_and_its_folder() {
    is("claude", "Bash", &json!({"command": "ls", "description": "d", "timeout": 5}), &bash("ls", None));
    is("codex", "Bash", &json!({"command": "ls"}), &bash("ls", None));
    is("codex", "exec_command", &json!({"cmd": "ls", "workdir": "/x", "tty": true}), &bash("ls", Some("/x")));
    is("codex", "shell_command", &json!({"command": "ls", "workdir": "src"}), &bash("ls", Some("src")));
    is("opencode", "bash", &json!({"command": "ls", "workdir": "/x"}), &bash("ls", Some("/x")));
    let qwen = json!({"command": "ls", "directory": "/etc", "is_background": false});
    is("qwen", "run_shell_command", &qwen, &bash("ls", Some("/etc")));
    is("copilot", "bash", &json!({"command": "ls", "mode": "sync", "sessionId": "a"}), &bash("ls", None));
    is("copilot", "powershell", &json!({"command": "dir"}), &shell(Script::PowerShell("dir".into()), None));
    is("claude", "Bash", &json!({"command": ""}), &bash("", None));
    is("opencode", "bash", &json!({"command": "ls", "workdir": null}), &bash("ls", None));
}

#[test]
fn words_stay_words_and_the_agents_own_patching_is_seen_through() {
    let words = |words: &[&str]| Script::Words(words.iter().map(|word| (*word).to_owned()).collect());
    let input = json!({"command": ["bash", "-lc", "ls | wc"], "workdir": "/p"});
    is("codex", "shell", &input, &shell(words(&["bash", "-lc", "ls | wc"]), Some("/p")));
    let patch = "*** Begin Patch\n*** Delete File: a\n*** End Patch";
    is("codex", "shell", &json!({"command": ["apply_patch", patch]}), &files([("a", FileHow::Delete)]));
    let elsewhere = json!({"command": ["apply_patch", patch], "workdir": "../b/"});
    is("codex", "shell", &elsewhere, &files([("../b/a", FileHow::Delete)]));
    let script = format!("apply_patch <<'EOF'\n{patch}\nEOF");
    for input in [json!({"command": ["bash", "-lc", script]}), json!({"command": script})] {
        is("codex", "shell", &input, &files([("a", FileHow::Delete)]));
    }
    let more = format!("{script}\nrm x");
    is("codex", "Bash", &json!({"command": more}), &typed(&format!("{more}\na"), None));
    is("claude", "Bash", &json!({"command": script}), &bash(&script, None));
    is("codex", "shell", &json!({"command": []}), &unknown(&[]));
    is("codex", "shell", &json!({"command": ["rm", 5]}), &typed("rm", None));
}

#[test]
fn a_named_shell_decides_the_language() {
    let run = |shell: &str| action("codex", "exec_command", &json!({"cmd": "ls", "shell": shell}));
    assert_eq!(run("/bin/zsh"), bash("ls", None));
    assert_eq!(run("pwsh"), shell(Script::PowerShell("ls".into()), None));
    assert_eq!(run("/tmp/evil"), typed("/tmp/evil\nls", None));
}

#[test]
fn what_is_typed_into_a_running_program_is_judged_but_never_plain() {
    is("codex", "write_stdin", &json!({"session_id": 1, "chars": "rm -rf b\n"}), &typed("rm -rf b\n", None));
    is("copilot", "write_bash", &json!({"sessionId": "1", "input": "ls{enter}"}), &typed("ls\n", None));
}

#[test]
fn a_command_in_an_odd_shape_keeps_its_words_and_is_in_doubt() {
    for (input, text) in [
        (json!({"command": ["rm", "-rf", "b"]}), "rm\n-rf\nb"),
        (json!({"cmd": "rm -rf b", "description": "cleans"}), "rm -rf b"),
        (json!({"command": "ls", "env": {"LD_PRELOAD": "/tmp/x.so"}}), "ls\n/tmp/x.so"),
        (json!({"command": "ls", "cwd": "/etc"}), "ls\n/etc"),
        (json!("rm -rf b"), "rm -rf b"),
    ] {
        let got = action("claude", "Bash", &input);
        match &got {
            Action::Shell(Shell { script: Script::Typed(got), .. }) => assert_eq!(got, text, "{input}"),
            Action::Unknown(texts) => assert_eq!(texts, &pairs(&[("", text)]), "{input}"),
            other => panic!("{input}: {other:?}"),
        }
    }
    is("claude", "Bash", &json!({}), &unknown(&[]));
    is("claude", "Bash", &json!({"command": null}), &unknown(&[]));
    is("opencode", "bash", &json!({"command": "ls", "workdir": 5}), &typed("ls", None));
    is(
        "qwen",
        "run_shell_command",
        &json!({"command": "ls", "directory": "a", "dir_path": "b"}),
        &typed("ls", None),
    );
}

#[test]
fn each_agents_file_tools_name_what_they_use() {
    let read = |path| files([(path, FileHow::Read)]);
    is("claude", "Read", &json!({"file_path": "/a", "offset": 1, "limit": 2}), &read("/a"));
    is("opencode", "read", &json!({"filePath": "/a"}), &read("/a"));
    is("qwen", "read_file", &json!({"absolute_path": "/a"}), &read("/a"));
    is("copilot", "view", &json!({"path": "/a", "view_range": [1, 2]}), &read("/a"));
    is("codex", "view_image", &json!({"path": "/a"}), &read("/a"));
    let many = json!({"paths": ["a", "b"], "recursive": true});
    is("qwen", "read_many_files", &many, &files([("a", FileHow::Read), ("b", FileHow::Read)]));
    let write = |path| files([(path, FileHow::Write)]);
    is("claude", "Write", &json!({"file_path": "/a", "content": ""}), &write("/a"));
    is("claude", "Edit", &json!({"file_path": "/a", "old_string": "", "new_string": ""}), &write("/a"));
    is("claude", "MultiEdit", &json!({"file_path": "/a", "edits": []}), &write("/a"));
    is(
        "claude",
        "NotebookEdit",
        &json!({"notebook_path": "/a", "new_source": "", "cell_id": "c"}),
        &write("/a"),
    );
    let edit = json!({"filePath": "/a", "oldString": "", "newString": "", "replaceAll": true});
    is("opencode", "edit", &edit, &write("/a"));
    is("qwen", "write_file", &json!({"file_path": "/a", "content": ""}), &write("/a"));
    is("copilot", "create", &json!({"path": "/a", "file_text": ""}), &write("/a"));
    is("copilot", "edit", &json!({"file_path": "/a", "diff": "--- a/a"}), &write("/a"));
    is("codex", "apply_patch", &json!({"input": "no"}), &files([("", FileHow::Unclear)]));
    is("codex", "apply_patch", &json!("no"), &files([("", FileHow::Unclear)]));
    let patch = "*** Begin Patch\n*** Add File: a\n+\n*** End Patch";
    is("opencode", "apply_patch", &json!({"patchText": patch}), &write("a"));
}

#[test]
fn searches_name_their_folder_and_what_may_lead_out_of_it() {
    is("claude", "Grep", &json!({"pattern": "rm -rf /", "-n": true}), &files([(".", FileHow::Search)]));
    let one = json!({"pattern": "x", "path": "src", "glob": "*.rs"});
    is("claude", "Grep", &one, &files([("src", FileHow::Search)]));
    let private = json!({"pattern": "x", "path": "src/", "glob": ".env"});
    is("claude", "Grep", &private, &files([("src/", FileHow::Search), ("src/.env", FileHow::Search)]));
    is("opencode", "list", &json!({}), &files([(".", FileHow::List)]));
    is("qwen", "list_directory", &json!({"path": "/x"}), &files([("/x", FileHow::List)]));
    is(
        "claude",
        "Glob",
        &json!({"pattern": "**/*.ts", "path": "/p/"}),
        &files([("/p/**/*.ts", FileHow::Match)]),
    );
    is("copilot", "glob", &json!({"pattern": "../*"}), &files([("../*", FileHow::Match)]));
    let rooted = json!({"pattern": "/etc/**", "path": "/p"});
    is("claude", "Glob", &rooted, &files([("/etc/**", FileHow::Match), ("/p", FileHow::List)]));
}

#[test]
fn a_file_tool_in_an_odd_shape_is_in_doubt_over_all_it_names() {
    is("claude", "Read", &json!({"path": "/a"}), &unknown(&[("path", "/a")]));
    is("claude", "Read", &json!({"file_path": 5}), &unknown(&[]));
    let two = json!({"file_path": "/a", "path": "/b"});
    is("claude", "Read", &two, &files([("/a", FileHow::Read), ("/b", FileHow::Unclear)]));
    is("claude", "Write", &json!({"content": "/x"}), &files([("", FileHow::Unclear)]));
    let elsewhere = json!({"path": "/b", "content": "x"});
    is("claude", "Write", &elsewhere, &files([("/b", FileHow::Unclear), ("", FileHow::Unclear)]));
    let half = json!({"file_path": "/a", "old_string": "x"});
    is("claude", "Edit", &half, &files([("/a", FileHow::Write), ("/a", FileHow::Unclear)]));
    let deep = json!({"file_path": "/a", "content": "", "to": {"also": ["/b"]}});
    is("claude", "Write", &deep, &files([("/a", FileHow::Write), ("/b", FileHow::Unclear)]));
    let empty = json!({"file_path": "/a", "content": "", "more": []});
    is("claude", "Write", &empty, &files([("/a", FileHow::Write), ("", FileHow::Unclear)]));
}

#[test]
fn the_network_stays_the_network_in_every_shape() {
    let fetch = |url: &str| Action::Fetch { url: url.into() };
    is("claude", "WebFetch", &json!({"url": "https://a", "prompt": "p"}), &fetch("https://a"));
    is("opencode", "webfetch", &json!({"uri": "https://a"}), &fetch("https://a"));
    is("copilot", "web_fetch", &json!({}), &fetch(""));
    is("codex", "web_search", &json!({"query": "q"}), &Action::WebSearch { query: "q".into() });
    is("qwen", "web_search", &json!({"q": "q"}), &Action::WebSearch { query: String::new() });
}

#[test]
fn each_agents_names_of_server_tools_are_known() {
    let arguments = json!({"a": {"b": ["x", 1, "y"]}, "c": null});
    let texts = [("a.b.0", "x"), ("a.b.2", "y")];
    for agent in ["claude", "codex", "qwen", "opencode", "copilot", "gemini"] {
        is(agent, "mcp__github__create_issue", &arguments, &server("github", "create_issue", &texts));
    }
    is("opencode", "github_create_issue", &arguments, &server("github", "create_issue", &texts));
    let issues = server("github-mcp-server", "list_issues", &texts);
    is("copilot", "github-mcp-server-list_issues", &arguments, &issues);
    is("copilot", "github-mcp-server/list_issues", &arguments, &issues);
    is(
        "claude",
        "ReadMcpResourceTool",
        &json!({"server": "s", "uri": "u"}),
        &server("s", "ReadMcpResourceTool", &[("server", "s"), ("uri", "u")]),
    );
    for odd in ["mcp__", "mcp____x", "mcp__x__", "mcp__x", "mcp_x_y"] {
        is("claude", odd, &json!({"a": "x"}), &unknown(&[("a", "x")]));
    }
}

#[test]
fn what_nobody_foresaw_keeps_its_arguments() {
    is("claude", "FrobTool", &json!({"x": 1}), &unknown(&[]));
    is("claude", "Task", &json!({"prompt": "read /etc/shadow"}), &unknown(&[("prompt", "read /etc/shadow")]));
    is("claude", "SlashCommand", &json!({"command": "/deploy"}), &unknown(&[("command", "/deploy")]));
    is("claude", "FrobTool", &json!({"opts": {"Command": "rm -rf b"}}), &typed("rm -rf b", None));
    is("claude", "FrobTool", &json!({"argv": ["rm", "-rf"]}), &typed("rm\n-rf", None));
    is("opencode", "doom_loop", &json!({}), &unknown(&[]));
    is("claude", "FrobTool", &json!(["a", {"b": "c"}]), &unknown(&[("0", "a"), ("1.b", "c")]));
}

#[test]
fn another_agents_tool_is_read_in_doubt() {
    is("claude", "run_shell_command", &json!({"command": "ls"}), &typed("ls", None));
    is("kimi", "read", &json!({"filePath": "/a"}), &files([("/a", FileHow::Read), ("/a", FileHow::Unclear)]));
    let words = json!({"command": ["rm", "it's"], "workdir": "/p"});
    is("claude", "shell", &words, &typed("rm 'it'\\''s'", Some("/p")));
}

#[test]
fn no_tool_is_listed_twice_and_no_argument_both_matters_and_does_not() {
    for agent in AGENTS {
        let mut names: Vec<&str> = agent.tools.iter().flat_map(|tool| tool.names).copied().collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "{}", agent.id);
        for tool in agent.tools {
            let matters = tool.does.arguments();
            for name in tool.advisory.iter().chain(tool.plain) {
                assert!(!matters.contains(name), "{} {:?} {name}", agent.id, tool.names);
            }
            assert!(tool.advisory.iter().all(|name| !tool.plain.contains(name)), "{:?}", tool.names);
        }
    }
}

#[test]
fn a_rule_leaves_out_what_only_says_why() {
    assert_eq!(advisory("claude", "Bash"), ["description", "timeout"]);
    assert!(!advisory("codex", "shell").contains(&"workdir"));
    assert!(advisory("claude", "bash").is_empty() && advisory("?", "Bash").is_empty());
}

#[test]
fn only_an_agent_that_shows_whole_calls_takes_allow_lines() {
    let takes: Vec<&str> = AGENTS.iter().map(|agent| agent.id).filter(|id| takes_allow_lines(id)).collect();
    assert_eq!(takes, ["claude"]);
    assert!(!takes_allow_lines("kimi"));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z/~. ]{0,12}".prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let key = prop_oneof![
            Just("command".to_owned()),
            Just("file_path".to_owned()),
            Just("path".to_owned()),
            Just("pattern".to_owned()),
            Just("workdir".to_owned()),
            Just("input".to_owned()),
            "[a-z]{1,6}"
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..5)
                .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>().into())
        ]
    })
}

proptest! {
    /// A path or command that a call names is in its action, whatever shape the call has.
    #[test]
    fn nothing_that_a_call_names_is_lost(input in any_json(), agent in 0..AGENTS.len(), tool in any::<prop::sample::Index>()) {
        let agent = AGENTS[agent];
        let tool = &agent.tools[tool.index(agent.tools.len())];
        let shown = format!("{:?}", action(agent.id, tool.names[0], &input));
        let content = match &tool.does {
            table::Does::Writes { needs, .. } => needs.concat(),
            // A patch is content, but for the files it names.
            table::Does::Patches { text } => [*text, &[""]].concat(),
            _ => Vec::new(),
        };
        let is_content = |name: &str| {
            let first = name.split('.').next().unwrap_or_default();
            let lists = [tool.advisory, tool.plain, &content, &["pattern"]];
            lists.iter().any(|list| list.contains(&first))
        };
        let is_network = matches!(tool.does, table::Does::Fetches { .. } | table::Does::SearchesWeb { .. });
        for (name, text) in arguments::every_text(&input) {
            let kept = shown.contains(text.trim_matches(['/', '.'])) || is_content(&name) || is_network;
            prop_assert!(kept, "{name} = {text:?} of {input} is not in {shown}");
        }
    }
}
