//! Starts the real Claude Code in a private place against the scripted model: interactively in a terminal, or in
//! print mode. Every host but loopback is a dead proxy; nothing of the person's own home or environment is seen.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Output, Stdio},
    time::Duration,
};

use anyhow::{Context, Result, anyhow, bail};
use portable_pty::{CommandBuilder, ExitStatus};
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::{process::Command, time::timeout};

use super::{conversation::ToolResult, model::MockModel, place::Place, script::Script, terminal::Terminal};

/// Texts that Claude Code puts on the screen.
pub mod screen {
    /// Part of every question for permission.
    pub const ASKS: &str = "Do you want to";
    /// The question about a shell command or an MCP tool.
    pub const ASKS_TO_PROCEED: &str = "Do you want to proceed?";
    /// The question about a new file, followed by its name and `?`.
    pub const ASKS_TO_CREATE: &str = "Do you want to create ";
    /// The question about an edit, followed by the file's name and `?`.
    pub const ASKS_TO_EDIT: &str = "Do you want to make this edit to ";
    /// The question about a page.
    pub const ASKS_TO_FETCH: &str = "Do you want to allow Claude to fetch this content?";
    /// The key of the answer *Yes* in all of them.
    pub const YES: &str = "1";
}

/// How long an agent may take to stop on request before it is killed.
const STOP_BOUND: Duration = Duration::from_secs(5);
/// A question that just appeared may not listen yet: a key that it did not take is pressed again after this time.
const KEY_BOUND: Duration = Duration::from_secs(3);
/// How often a key is pressed at most.
const KEY_TRIES: usize = 5;
/// Long enough to look real, and plainly not a secret.
const API_KEY: &str = "live-test-key-not-a-secret-0123456789";
/// A port where nothing listens.
const DEAD_PROXY: &str = "http://127.0.0.1:9";

/// What a session is started with. Its folders exist from the beginning, so a test may put files there first.
pub struct Launch {
    place: Place,
    program: PathBuf,
    script: Script,
    settings: Value,
    mode: Option<String>,
    mcp_echo: Option<PathBuf>,
    prompt: String,
    variables: Vec<(OsString, OsString)>,
}

impl Launch {
    /// A session of this program in permission mode `manual`, with no hook.
    pub fn new(program: &Path, script: Script) -> Result<Self> {
        Ok(Self {
            place: Place::make()?,
            program: program.to_owned(),
            script,
            settings: json!({}),
            mode: Some("manual".to_owned()),
            mcp_echo: None,
            prompt: "please do it".to_owned(),
            variables: Vec::new(),
        })
    }

    /// The session's own home, project folder and user settings file.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Puts these keys into the user's settings, over what a file put there by the test says.
    pub fn settings(mut self, settings: Value) -> Self {
        self.settings = settings;
        self
    }

    /// The permission mode, as the command line names it; `None` leaves the agent's own default.
    pub fn permission_mode(mut self, mode: Option<&str>) -> Self {
        self.mode = mode.map(str::to_owned);
        self
    }

    /// Adds an MCP server `mock` with one tool `echo`: the program `mcp-echo` of this crate.
    pub fn mcp_echo(mut self, server: &Path) -> Self {
        self.mcp_echo = Some(server.to_owned());
        self
    }

    /// What the person types first.
    pub fn prompt(mut self, prompt: &str) -> Self {
        self.prompt = prompt.to_owned();
        self
    }

    /// A variable for the agent and its hooks.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Starts the agent in a terminal.
    pub async fn start(self) -> Result<Session> {
        let model = MockModel::start(self.script.clone(), &self.place.project()).await?;
        self.write_files()?;
        let mut command = CommandBuilder::new(&self.program);
        command.env_clear();
        for (name, value) in self.environment(&model) {
            command.env(name, value);
        }
        command.cwd(self.place.project());
        command.args(self.arguments()?);
        command.args(["--", &self.prompt]);
        let terminal = Terminal::start(command)?;
        Ok(Session { terminal, model, place: self.place })
    }

    /// Runs the agent without a terminal (`-p`) to its end.
    pub async fn print(self, bound: Duration) -> Result<Printed> {
        let model = MockModel::start(self.script.clone(), &self.place.project()).await?;
        self.write_files()?;
        let mut command = Command::new(&self.program);
        command.env_clear().envs(self.environment(&model)).current_dir(self.place.project());
        command.args(self.arguments()?).arg("-p").arg(&self.prompt);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.process_group(0).kill_on_drop(true).spawn()?;
        match timeout(bound, child.wait_with_output()).await {
            Ok(output) => Ok(Printed { output: output?, model, place: self.place }),
            Err(_) => bail!("the agent still runs after {bound:?}; the model saw {:#?}", model.record()),
        }
    }

    fn write_files(&self) -> Result<()> {
        let (home, project) = (self.place.home(), self.place.project());
        let settings_file = settings_file(&self.place);
        let mut settings = match fs::read(&settings_file) {
            Ok(text) => serde_json::from_slice(&text)?,
            Err(_) => json!({}),
        };
        let merged: &mut serde_json::Map<String, Value> =
            settings.as_object_mut().context("the settings file holds no JSON object")?;
        // The preflight of a fetch asks a public host.
        merged.insert("skipWebFetchPreflight".to_owned(), json!(true));
        merged.extend(self.settings.as_object().context("settings are a JSON object")?.clone());
        fs::create_dir_all(home.join(".claude"))?;
        fs::write(settings_file, serde_json::to_vec_pretty(&settings)?)?;
        fs::write(home.join(".claude.json"), serde_json::to_vec_pretty(&state(&project))?)?;
        if let Some(server) = &self.mcp_echo {
            let servers = json!({ "mcpServers": { "mock": { "command": server, "args": [] } } });
            fs::write(home.join("mcp.json"), serde_json::to_vec_pretty(&servers)?)?;
        }
        Ok(())
    }

    fn arguments(&self) -> Result<Vec<OsString>> {
        let mut arguments = Vec::new();
        if let Some(mode) = &self.mode {
            arguments.extend(["--permission-mode".into(), mode.into()]);
        }
        if self.mcp_echo.is_some() {
            arguments.extend(["--mcp-config".into(), self.place.home().join("mcp.json").into()]);
        }
        Ok(arguments)
    }

    fn environment(&self, model: &MockModel) -> Vec<(OsString, OsString)> {
        let home = self.place.home();
        let inherited = ["PATH", "LANG", "LC_ALL"];
        let mut variables: Vec<(OsString, OsString)> = inherited
            .iter()
            .filter_map(|name| Some((OsString::from(name), env::var_os(name)?)))
            .chain([
                ("HOME".into(), home.clone().into()),
                ("XDG_CONFIG_HOME".into(), home.join(".config").into()),
            ])
            .chain([("TMPDIR".into(), self.place.scratch().into())])
            .collect();
        let model = model.url();
        let own = [
            ("TERM", "xterm-256color"),
            ("SHELL", "/bin/sh"),
            ("USER", "tester"),
            ("ANTHROPIC_BASE_URL", &model),
            ("ANTHROPIC_API_KEY", API_KEY),
            ("ENABLE_TOOL_SEARCH", "false"),
            // Waits for MCP servers before the first request.
            ("MCP_CONNECTION_NONBLOCKING", "0"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_TELEMETRY", "1"),
            ("DISABLE_ERROR_REPORTING", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("DISABLE_BUG_COMMAND", "1"),
            // As root the agent refuses some modes outside a sandbox; this place is one.
            ("IS_SANDBOX", "1"),
            ("http_proxy", DEAD_PROXY),
            ("https_proxy", DEAD_PROXY),
            ("HTTP_PROXY", DEAD_PROXY),
            ("HTTPS_PROXY", DEAD_PROXY),
            ("no_proxy", "127.0.0.1,localhost"),
            ("NO_PROXY", "127.0.0.1,localhost"),
        ];
        variables.extend(own.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))));
        variables.extend(self.variables.iter().cloned());
        variables
    }
}

/// The user's settings file of a place, where `countersign setup` installs its hooks.
pub fn settings_file(place: &Place) -> PathBuf {
    place.home().join(".claude/settings.json")
}

/// What the agent remembers of an earlier start, so that it asks nothing about itself.
fn state(project: &Path) -> Value {
    let project = project.display().to_string();
    let approved = API_KEY.get(API_KEY.len() - 20..).unwrap_or_default();
    json!({
        "hasCompletedOnboarding": true,
        "theme": "dark",
        "numStartups": 5,
        "autoUpdates": false,
        "customApiKeyResponses": { "approved": [approved], "rejected": [] },
        "bypassPermissionsModeAccepted": true,
        "projects": {
            project: {
                "hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true,
                "projectOnboardingSeenCount": 9, "allowedTools": [],
            },
        },
    })
}

/// An agent in a terminal. Dropping it kills the agent and all that it started.
pub struct Session {
    // Dropped in this order: the agent first, its folders last.
    terminal: Terminal,
    model: MockModel,
    place: Place,
}

impl Session {
    /// The model the agent talks to.
    pub fn model(&self) -> &MockModel {
        &self.model
    }

    /// The session's folders.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The path of a file in the project.
    pub fn file(&self, name: &str) -> PathBuf {
        self.place.project().join(name)
    }

    /// The text on the screen now.
    pub fn screen(&self) -> String {
        self.terminal.text()
    }

    /// Waits until the screen satisfies a condition, and returns its text.
    pub async fn wait_screen(&self, ready: impl Fn(&str) -> bool, bound: Duration) -> Result<String> {
        self.terminal.wait_screen(ready, bound).await
    }

    /// Waits for the result with this index (from 0) to reach the model; the error shows the screen.
    pub async fn wait_tool_result(&self, index: usize, bound: Duration) -> Result<ToolResult> {
        let result = self.model.wait_tool_result(index, bound).await;
        result.map_err(|error| anyhow!("{error:#}\nthe agent's screen:\n{}", self.screen()))
    }

    /// Answers a question with a key, until that question is no longer on the screen.
    pub async fn answer(&self, key: &str, asks: impl Fn(&str) -> bool) -> Result<()> {
        for _ in 0..KEY_TRIES {
            self.send_keys(key)?;
            if self.wait_screen(|text| !asks(text), KEY_BOUND).await.is_ok() {
                return Ok(());
            }
        }
        bail!("the question does not take {key:?}:\n{}", self.screen())
    }

    /// Types keys.
    pub fn send_keys(&self, keys: &str) -> Result<()> {
        self.terminal.send_keys(keys)
    }

    /// Kills the agent alone, as a crash would: what it started is left to notice by itself.
    pub async fn kill(&self, bound: Duration) -> Result<ExitStatus> {
        self.terminal.signal(Signal::KILL)?;
        self.terminal.wait_exit(bound).await
    }

    /// Asks the agent to end (SIGTERM); one that does not is killed.
    pub async fn stop(&self) -> Result<ExitStatus> {
        self.terminal.signal(Signal::TERM)?;
        match self.terminal.wait_exit(STOP_BOUND).await {
            Ok(status) => Ok(status),
            Err(_) => self.kill(STOP_BOUND).await,
        }
    }
}

/// An agent's run in print mode, over.
pub struct Printed {
    /// Its exit status, standard output and standard error.
    pub output: Output,
    /// The model the agent talked to.
    pub model: MockModel,
    place: Place,
}

impl Printed {
    /// The path of a file in the project.
    pub fn file(&self, name: &str) -> PathBuf {
        self.place.project().join(name)
    }
}
