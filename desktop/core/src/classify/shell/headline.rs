//! The card's first line for a command: our words, with no more of the agent's than names.

use countersign_proto::{request::Class, text::Shown};

use crate::classify::facts::{Ran, ShellFact};

/// Programs whose first plain word says what they do.
const WITH_SUB: &[&str] = &[
    "apt",
    "apt-get",
    "aws",
    "az",
    "brew",
    "bun",
    "bundle",
    "cargo",
    "composer",
    "conda",
    "deno",
    "docker",
    "dotnet",
    "flutter",
    "fly",
    "flyctl",
    "gcloud",
    "gh",
    "git",
    "glab",
    "go",
    "gradle",
    "helm",
    "heroku",
    "kubectl",
    "make",
    "mix",
    "mvn",
    "npm",
    "npx",
    "pip",
    "pip3",
    "pnpm",
    "podman",
    "poetry",
    "pulumi",
    "rustup",
    "stripe",
    "systemctl",
    "terraform",
    "uv",
    "vercel",
    "yarn",
];

/// What a command is about.
pub(in crate::classify) fn headline(fact: &ShellFact, class: Class) -> Shown {
    let worst = fact.ran.iter().find(|ran| ran.class == class).or(fact.ran.first());
    let Some(worst) = worst else { return Shown::line("Wants to run a command") };
    let mut words = format!("Wants to {}", one(worst));
    let others = fact.ran.len().saturating_sub(1);
    match others {
        0 => {}
        1 => words.push_str(" (and one more command)"),
        _ => words.push_str(&format!(" (and {others} more commands)")),
    }
    Shown::line(&words)
}

fn one(ran: &Ran) -> String {
    let program = ran.words.first().map_or("", String::as_str);
    let name = program.rsplit('/').next().unwrap_or(program);
    let operands: Vec<&str> =
        ran.words.iter().skip(1).map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let has = |letters: [char; 2], long: &str| {
        ran.words.iter().any(|word| {
            word == long || (word.starts_with('-') && !word.starts_with("--") && word.contains(letters))
        })
    };
    match (name, operands.as_slice()) {
        ("rm", [only]) if has(['r', 'R'], "--recursive") => {
            format!("delete {} and everything in it", short(only))
        }
        ("rm", [only]) => format!("delete {}", short(only)),
        ("rm", many) if has(['r', 'R'], "--recursive") => {
            format!("delete {} folders or files and everything in them", many.len())
        }
        ("rm", many) => format!("delete {} files", many.len()),
        ("git", ["push"]) => "push to the remote".to_owned(),
        ("git", ["push", remote]) => format!("push to {}", short(remote)),
        ("git", ["push", remote, branch, ..]) => format!("push to {}/{}", short(remote), short(branch)),
        ("git", ["commit", ..]) => "commit with git".to_owned(),
        (_, [sub, ..]) if WITH_SUB.contains(&name) && is_name(sub) => {
            let next = operands.get(1).filter(|next| is_name(next) && *sub == "run");
            next.map_or_else(|| format!("run {name} {sub}"), |next| format!("run {name} {sub} {next}"))
        }
        _ => format!("run {}", short(name)),
    }
}

/// Whether a word is a plain name, such as a sub-command's.
fn is_name(word: &str) -> bool {
    word.len() <= 24 && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':'))
}

/// A name as far as it fits in a line. The card shows the whole command anyway.
fn short(name: &str) -> String {
    const MOST: usize = 48;
    if name.chars().count() <= MOST {
        return name.to_owned();
    }
    let mut cut: String = name.chars().take(MOST).collect();
    cut.push('…');
    cut
}
