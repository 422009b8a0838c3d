//! Shell commands: two layers. The restricted lexer is the only road to green, to a policy's allow and to "simple";
//! the finder looks at everything else, and only ever raises.

mod assemble;
mod finder;
pub(super) mod folders;
pub(super) mod headline;
pub(super) mod lexer;
mod literal;
mod part;
mod scan;
mod shells;
mod wrapper;

#[cfg(test)]
mod tests;

use countersign_proto::{
    request::{Class, Level},
    text::{Shown, is_control, is_hidden},
};

use self::assemble::{Around, Judge};
use super::{
    action::{Script, Shell},
    facts::{PathFact, ProgramFact, Reach, ShellFact},
    finding::Finding,
    path,
    program::entry::{UNKNOWN, UNKNOWN_RED},
    scene::Scene,
    windows,
    word::{Command, Word},
};

/// What a shell call does.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) finding: Finding,
    pub(super) fact: ShellFact,
    pub(super) paths: Vec<PathFact>,
    pub(super) programs: Vec<ProgramFact>,
}

/// Judges a shell call.
pub(super) fn judge(shell: &Shell, scene: &Scene<'_>) -> Judged {
    let size = match &shell.script {
        Script::Bash(text) | Script::PowerShell(text) | Script::Typed(text) => text.len(),
        Script::Words(words) => words.iter().map(String::len).sum(),
    };
    let mut judge = Judge::new(scene, size);
    let folder = shell.folder.as_deref().unwrap_or(scene.call.folder);
    let folder = folders::absolute(scene, scene.call.folder, folder);
    let mut finding = judge.session_folder(shell.folder.as_deref(), folder.as_deref());
    let around = Around::outermost(folder);
    let mut is_simple = false;
    let mut bare = None;
    match &shell.script {
        Script::Bash(text) => {
            let top = Top { text, is_transported: false };
            finding.worsen(top.judge(&mut judge, &around, &mut is_simple));
            bare = if is_simple { lexer::bare(text) } else { None };
        }
        Script::PowerShell(text) => {
            finding.worsen(windows::judge_powershell(text, scene));
            finding.worsen(caution(text, Finding::of(Class::Read, Level::Yellow, Reach::Never)));
            finding.worsen(path::mentions(text, scene));
        }
        Script::Words(words) => match transported(words) {
            Some(text) => {
                let top = Top { text, is_transported: true };
                finding.worsen(judge.shell_program(words, &around));
                finding.worsen(top.judge(&mut judge, &around, &mut is_simple));
            }
            None => {
                let whole = words.join(" ");
                finding.worsen(caution(&whole, Finding::of(Class::Read, Level::Green, Reach::Class)));
                is_simple = !words.iter().any(|word| word.chars().any(is_hidden)) && !words.is_empty();
                finding.worsen(judge.words(words, &around, is_simple));
                bare = if is_simple { lexer::bare(&whole) } else { None };
            }
        },
        Script::Typed(text) => {
            let top = Top { text, is_transported: false };
            let mut worse = top.judge(&mut judge, &around, &mut is_simple);
            is_simple = false;
            worse.worsen(windows::judge_powershell(text, scene));
            worse.worsen(UNKNOWN.finding());
            finding.worsen(worse);
        }
    }
    if !is_simple {
        finding.worsen(Finding::of(Class::Read, Level::Yellow, Reach::Never));
    }
    let fact = ShellFact { ran: judge.ran, is_simple, bare };
    Judged { finding, fact, paths: judge.paths, programs: judge.programs }
}

/// The text of `bash -lc text`, which is how some agents send every command.
fn transported(words: &[String]) -> Option<&str> {
    let [shell, option, text] = words else { return None };
    let shells = [
        "bash",
        "sh",
        "zsh",
        "/bin/bash",
        "/bin/sh",
        "/bin/zsh",
        "/usr/bin/bash",
        "/usr/bin/sh",
        "/usr/bin/zsh",
    ];
    (shells.contains(&shell.as_str()) && ["-c", "-lc", "-cl"].contains(&option.as_str())).then_some(text)
}

/// A whole text, as an agent sends it.
struct Top<'t> {
    text: &'t str,
    is_transported: bool,
}

impl Top<'_> {
    fn judge(&self, judge: &mut Judge<'_>, around: &Around, is_simple: &mut bool) -> Finding {
        let text = self.text;
        if text.len() > lexer::MOST_BYTES {
            return UNKNOWN_RED.because("longer than anything that can be judged").finding();
        }
        if text.trim().is_empty() {
            return UNKNOWN.because("runs nothing").finding();
        }
        if let Some(cut) = lexer::lex(text) {
            *is_simple = true;
            let around = around.clone().with_plain(!self.is_transported || lexer::bare(text).is_some());
            return caution_around(text, judge.cut(&cut, &around));
        }
        let cleaned = cleaned(text);
        let mut finding = caution(text, Finding::of(Class::Read, Level::Yellow, Reach::Never));
        finding.worsen(judge.found(cleaned.as_deref().unwrap_or(text), around));
        finding
    }
}

/// Look-alikes in a text of the restricted grammar.
fn caution_around(text: &str, finding: Finding) -> Finding {
    if text.is_ascii() { finding } else { caution(text, finding) }
}

/// A finding, worse where a text holds characters that hide something.
fn caution(text: &str, mut finding: Finding) -> Finding {
    let is_blank = |c: char| matches!(c, '\n' | '\t');
    let hides = text.chars().any(|c| !is_blank(c) && is_control(c));
    let imitates = !text.is_ascii()
        && text
            .split_whitespace()
            .any(|word| Shown::line(word).differs_from(word) && !word.chars().any(is_hidden));
    if hides || imitates {
        finding.worsen(UNKNOWN_RED.because("holds characters that hide or imitate others").finding());
    } else if text.chars().any(|c| !is_blank(c) && is_hidden(c)) {
        let mut odd = Finding::of(Class::Read, Level::Yellow, Reach::Never)
            .because("holds characters that can't be seen");
        odd.may_remember = false;
        finding.worsen(odd);
    }
    finding
}

/// A text as it would read without the characters that hide something; `None` where there are none.
fn cleaned(text: &str) -> Option<String> {
    if !text.chars().any(|c| is_hidden(c) && !matches!(c, '\n' | '\t')) {
        return None;
    }
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => clean.push(c),
            '\r' => clean.push('\n'),
            '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => clean.push(' '),
            c if c.is_whitespace() => clean.push(' '),
            '\u{ff01}'..='\u{ff5e}' => {
                clean.push(char::from_u32(u32::from(c) - 0xff01 + 0x21).unwrap_or('?'));
            }
            '\u{2010}'..='\u{2012}' | '\u{2212}' => clean.push('-'),
            c if is_hidden(c) => {}
            c => clean.push(c),
        }
    }
    Some(clean)
}

/// A command of known words.
fn command(words: Vec<Word>, folder: Option<String>) -> Command {
    Command { words, assigned: Vec::new(), is_fed: false, fed_text: None, folder }
}
