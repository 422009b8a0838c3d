//! Actions made of a tool and its arguments. A missing argument, one of another type, or one that nobody foresaw makes
//! an action that is stricter than the plain one, never a guess.

use countersign_core::classify::{Action, FileHow, FileUse, Script, Shell};
use serde_json::Value;

use super::{
    arguments::{Arguments, Found, every_text},
    patch,
    table::{Does, Language, Names, Tool},
};

/// Names under which tools that nobody foresaw carry commands or code.
const COMMANDS: [&str; 10] =
    ["command", "commands", "cmd", "cmds", "script", "shell_command", "argv", "bash", "code", "stdin"];
/// Shells whose `-c` text is bash text, or close enough to be judged so.
const BASH: [&str; 6] = ["bash", "sh", "zsh", "dash", "ksh", "ash"];

/// The action of a known tool.
pub(super) fn by(tool: &Tool, input: &Value) -> Action {
    // Some tools take their text as it is, without arguments.
    if let (Value::String(text), Does::Patches { .. } | Does::Types { .. }) = (input, &tool.does) {
        return match tool.does {
            Does::Patches { .. } => Action::Files(patch::files(text)),
            _ => typed(text.clone(), None),
        };
    }
    let Value::Object(members) = input else { return unforeseen(input) };
    let call = Call { tool, arguments: Arguments(members), input };
    match &tool.does {
        Does::Runs { command, folder, language } => call.runs(command, folder, *language),
        Does::Types { text } => call.types(text),
        Does::Reads { path } => call.uses(path, None, &FileHow::Read),
        Does::Lists { path } => call.uses(path, Some("."), &FileHow::List),
        Does::Searches { pattern, path, only } => call.searches(pattern, path, only),
        Does::Matches { pattern, path } => call.matches(pattern, path),
        Does::Writes { path, needs } => call.writes(path, needs),
        Does::Patches { text } => call.patches(text),
        Does::Fetches { url } => Action::Fetch { url: call.address(url) },
        Does::SearchesWeb { query } => {
            Action::WebSearch { query: call.arguments.text(query).unwrap_or_default().to_owned() }
        }
        Does::ReadsFromServer { server: name } => {
            server(call.arguments.text(name).unwrap_or_default(), tool.names.first().unwrap_or(&""), input)
        }
        Does::CantBeTold => Action::Unknown(every_text(input)),
    }
}

/// The action of a tool of an MCP server.
pub(super) fn server(server: &str, tool: &str, input: &Value) -> Action {
    Action::Server { server: server.to_owned(), tool: tool.to_owned(), arguments: every_text(input) }
}

/// The action of a call that nobody foresaw. One that carries a command is judged by its words.
pub(super) fn unforeseen(input: &Value) -> Action {
    let texts = every_text(input);
    let is_command = |(name, _): &(String, String)| {
        let mut parts = name.rsplit('.').map(str::to_ascii_lowercase);
        let last = parts.find(|part| !part.bytes().all(|byte| byte.is_ascii_digit()));
        last.is_some_and(|last| COMMANDS.contains(&last.as_str()))
    };
    if texts.iter().any(is_command) {
        return typed(lines(texts.iter().map(|(_, text)| text.as_str())), None);
    }
    Action::Unknown(texts)
}

/// The same action, in doubt: never green, and never milder.
pub(super) fn in_doubt(action: Action) -> Action {
    match action {
        Action::Shell(Shell { script, folder }) => {
            let text = match script {
                Script::Bash(text) | Script::PowerShell(text) | Script::Typed(text) => text,
                Script::Words(words) => quoted(&words),
            };
            typed(text, folder)
        }
        Action::Files(mut files) => {
            let first = files.first().map(|first| first.path.clone()).unwrap_or_default();
            files.push(unclear(&first));
            Action::Files(files)
        }
        Action::Fetch { .. } | Action::WebSearch { .. } | Action::Server { .. } | Action::Unknown(_) => {
            action
        }
    }
}

struct Call<'a> {
    tool: &'a Tool,
    arguments: Arguments<'a>,
    input: &'a Value,
}

impl Call<'_> {
    fn runs(&self, command: Names, folder: Names, language: Language) -> Action {
        let script = match (self.arguments.texts(command), language) {
            (Found::Texts(words), Language::BashOrWords) if self.is_list(command) => words_run(&words),
            (Found::Texts(_), _) => self.arguments.text(command).map(|text| match language {
                Language::BashOrWords | Language::BashOrNamed => {
                    patching(text, || self.in_language(text, language))
                }
                Language::Bash | Language::PowerShell => Ran::Script(self.in_language(text, language)),
            }),
            (Found::Absent | Found::Odd, _) => None,
        };
        let folder = match self.arguments.texts(folder) {
            Found::Absent => Ok(None),
            Found::Texts(folders) => match folders.as_slice() {
                [one] => Ok(Some((*one).to_owned())),
                _ => Err(()),
            },
            Found::Odd => Err(()),
        };
        let odd = self.odd_texts();
        match (script, folder) {
            (Some(Ran::Script(script)), Ok(folder)) if odd.is_empty() => {
                Action::Shell(Shell { script, folder })
            }
            (Some(Ran::Patch(files)), Ok(folder)) if odd.is_empty() => {
                Action::Files(patch::below(folder.as_deref(), files))
            }
            (Some(Ran::Script(script)), folder) => {
                let known = in_doubt(Action::Shell(Shell { script, folder: folder.unwrap_or_default() }));
                followed_by(known, &odd)
            }
            // What names no command, or a patch beside what nobody foresaw, is judged by all its words.
            (Some(Ran::Patch(_)) | None, folder) => {
                let all = every_text(self.input);
                let telling = all.iter().filter(|(name, _)| !self.tool.advisory.contains(&name.as_str()));
                let text = lines(telling.map(|(_, text)| text.as_str()));
                if text.is_empty() { Action::Unknown(all) } else { typed(text, folder.unwrap_or_default()) }
            }
        }
    }

    fn in_language(&self, text: &str, language: Language) -> Script {
        let named = match language {
            Language::PowerShell => return Script::PowerShell(text.to_owned()),
            Language::BashOrNamed => self.arguments.value("shell"),
            Language::Bash | Language::BashOrWords => None,
        };
        let Some(shell) = named else { return Script::Bash(text.to_owned()) };
        match shell.as_str().map(|shell| (shell, bare(shell))) {
            Some((_, name)) if BASH.contains(&name) => Script::Bash(text.to_owned()),
            Some((_, "pwsh" | "powershell" | "pwsh.exe" | "powershell.exe")) => {
                Script::PowerShell(text.to_owned())
            }
            Some((shell, _)) => Script::Typed(lines([shell, text].into_iter())),
            None => Script::Typed(text.to_owned()),
        }
    }

    fn types(&self, text: Names) -> Action {
        match self.arguments.text(text) {
            // Keys by name, as one agent spells them: what follows Enter is a line of its own.
            Some(text) => followed_by(typed(text.replace("{enter}", "\n"), None), &self.odd_texts()),
            None => unforeseen(self.input),
        }
    }

    /// One use a path; without a path `otherwise`, or else it is not known what is used.
    fn uses(&self, path: Names, otherwise: Option<&str>, how: &FileHow) -> Action {
        let paths = match (self.arguments.texts(path), otherwise) {
            (Found::Texts(paths), Some(otherwise)) => {
                paths.into_iter().map(|path| if path.is_empty() { otherwise } else { path }).collect()
            }
            (Found::Texts(paths), None) => paths,
            (Found::Absent, Some(otherwise)) => vec![otherwise],
            (Found::Absent, None) | (Found::Odd, _) => return unforeseen(self.input),
        };
        if paths.is_empty() || paths.contains(&"") {
            return unforeseen(self.input);
        }
        self.files(
            paths.into_iter().map(|path| FileUse { path: path.to_owned(), how: how.clone() }).collect(),
        )
    }

    fn searches(&self, pattern: Names, path: Names, only: Names) -> Action {
        if self.arguments.text(pattern).is_none() {
            return unforeseen(self.input);
        }
        let Action::Files(mut files) = self.uses(path, Some("."), &FileHow::Search) else {
            return unforeseen(self.input);
        };
        match self.arguments.texts(only) {
            Found::Absent => {}
            Found::Odd => files.push(unclear("")),
            Found::Texts(globs) => {
                let folder = files.first().map(|first| first.path.clone()).unwrap_or_default();
                let telling = globs.into_iter().filter(|glob| may_leave(glob));
                files
                    .extend(telling.map(|glob| FileUse { path: under(&folder, glob), how: FileHow::Search }));
            }
        }
        Action::Files(files)
    }

    fn matches(&self, pattern: Names, path: Names) -> Action {
        let (Found::Texts(patterns), Found::Absent | Found::Texts(_)) =
            (self.arguments.texts(pattern), self.arguments.texts(path))
        else {
            return unforeseen(self.input);
        };
        let folders = match self.arguments.texts(path) {
            Found::Texts(folders) => folders,
            Found::Absent | Found::Odd => Vec::new(),
        };
        let mut files = Vec::new();
        for pattern in &patterns {
            let matched = |path: String| FileUse { path, how: FileHow::Match };
            if folders.is_empty() || is_rooted(pattern) {
                files.push(matched((*pattern).to_owned()));
            }
            // Where a pattern says itself where it begins, the folder is of no account, but it was named.
            files.extend(folders.iter().map(|folder| match is_rooted(pattern) {
                true => FileUse { path: (*folder).to_owned(), how: FileHow::List },
                false => matched(under(folder, pattern)),
            }));
        }
        if files.is_empty() { unforeseen(self.input) } else { self.files(files) }
    }

    fn writes(&self, path: Names, needs: &[Names]) -> Action {
        let paths = match self.arguments.texts(path) {
            Found::Texts(paths) if !paths.is_empty() && !paths.contains(&"") => paths,
            Found::Texts(_) | Found::Absent | Found::Odd => {
                let content: Vec<&str> = needs.concat();
                let texts = every_text(self.input).into_iter();
                let telling = texts.filter(|(name, _)| !content.iter().any(|content| is_of(name, content)));
                let mut files: Vec<FileUse> = telling.map(|(_, text)| unclear(&text)).collect();
                files.push(unclear(""));
                return Action::Files(files);
            }
        };
        let has = |name: &&str| {
            self.arguments.value(name).is_some_and(|value| value.is_string() || value.is_array())
        };
        let is_met = needs.is_empty() || needs.iter().any(|all| all.iter().all(has));
        let mut files: Vec<FileUse> =
            paths.iter().map(|path| FileUse { path: (*path).to_owned(), how: FileHow::Write }).collect();
        // Such a tool takes one path; what it does with a list of them nobody foresaw.
        let is_one = !path.iter().filter_map(|name| self.arguments.value(name)).any(Value::is_array);
        if !is_met || !is_one {
            files.extend(paths.iter().map(|path| unclear(path)));
        }
        self.files(files)
    }

    fn patches(&self, text: Names) -> Action {
        if let Some(text) = self.arguments.text(text) {
            return self.files(patch::files(text));
        }
        let mut files = vec![unclear("")];
        for (_, text) in every_text(self.input) {
            files.extend(patch::files(&text));
            files.push(unclear(&text));
        }
        Action::Files(files)
    }

    /// The address that a fetch names, or what looks most like one.
    fn address(&self, url: Names) -> String {
        let named = self.arguments.text(url).map(str::to_owned);
        let all = || every_text(self.input).into_iter().map(|(_, text)| text);
        named.or_else(|| all().find(|text| text.contains("://"))).unwrap_or_default()
    }

    /// These files, and with arguments that nobody foresaw what those may name.
    fn files(&self, mut files: Vec<FileUse>) -> Action {
        files.extend(self.odd_texts().iter().map(|text| unclear(text)));
        Action::Files(files)
    }

    /// Texts of arguments that nobody foresaw; a list or an object without any counts as one that is empty. Numbers and
    /// truth values name nothing.
    fn odd_texts(&self) -> Vec<String> {
        let known = [&*self.tool.does.arguments(), self.tool.advisory, self.tool.plain].concat();
        let mut odd = Vec::new();
        for value in self.arguments.besides(&known) {
            let texts = every_text(value);
            if texts.is_empty() && (value.is_array() || value.is_object()) {
                odd.push(String::new());
            }
            odd.extend(texts.into_iter().map(|(_, text)| text));
        }
        odd
    }

    fn is_list(&self, names: Names) -> bool {
        names.iter().filter_map(|name| self.arguments.value(name)).all(Value::is_array)
    }
}

/// What runs when words are given: a program, or the agent's own patching under a program's name.
enum Ran {
    Script(Script),
    Patch(Vec<FileUse>),
}

fn words_run(words: &[&str]) -> Option<Ran> {
    match words {
        [] => None,
        ["apply_patch" | "applypatch", patch] => Some(Ran::Patch(patch::files(patch))),
        words => {
            let script = || Script::Words(words.iter().map(|word| (*word).to_owned()).collect());
            Some(match words {
                [shell, "-c" | "-lc", text] if BASH.contains(&bare(shell)) => patching(text, script),
                _ => Ran::Script(script()),
            })
        }
    }
}

/// What runs when a script is given to an agent that patches by itself where a script asks for just that.
fn patching(text: &str, script: impl FnOnce() -> Script) -> Ran {
    match patch::in_script(text) {
        None => Ran::Script(script()),
        Some(patch::InScript::Alone(files)) => Ran::Patch(files),
        Some(patch::InScript::Among(paths)) => {
            Ran::Script(Script::Typed(lines([text].into_iter().chain(paths.iter().map(String::as_str)))))
        }
    }
}

fn typed(text: String, folder: Option<String>) -> Action {
    Action::Shell(Shell { script: Script::Typed(text), folder })
}

/// The same, with more lines to judge.
fn followed_by(action: Action, odd: &[String]) -> Action {
    match action {
        Action::Shell(Shell { script: Script::Typed(text), folder }) if !odd.is_empty() => {
            typed(lines([text.as_str()].into_iter().chain(odd.iter().map(String::as_str))), folder)
        }
        other => other,
    }
}

fn lines<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

fn unclear(path: &str) -> FileUse {
    FileUse { path: path.to_owned(), how: FileHow::Unclear }
}

/// A pattern below a folder.
fn under(folder: &str, pattern: &str) -> String {
    if is_rooted(pattern) {
        pattern.to_owned()
    } else {
        format!("{}/{pattern}", folder.trim_end_matches('/'))
    }
}

/// Whether a pattern says itself where it begins.
fn is_rooted(pattern: &str) -> bool {
    pattern.starts_with(['/', '~', '$', '\\']) || pattern.get(1..2) == Some(":")
}

/// Whether a pattern that narrows a search may also widen it: out of its folder, or to files that are private by name.
fn may_leave(glob: &str) -> bool {
    let lower = glob.to_ascii_lowercase();
    is_rooted(glob) || lower.contains("..") || lower.contains("env") || lower.contains('\\')
}

/// Whether a dotted name is an argument's, or lies within it.
fn is_of(name: &str, argument: &str) -> bool {
    name.strip_prefix(argument).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// A program's bare name.
fn bare(program: &str) -> &str {
    program.rsplit(['/', '\\']).next().unwrap_or(program)
}

/// Words as one line of bash text that gives the same words.
fn quoted(words: &[String]) -> String {
    let quote = |word: &String| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=:,+@%".contains(&byte);
        if !word.is_empty() && word.bytes().all(is_plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}
