//! Pushes (REF-1): which branches one updates, in every spelling, and what that means. A push that an alias of Git's
//! configuration hides can't be seen here.

use super::super::{super::entry::UNKNOWN_RED, RUNS_OTHER};
use super::network::{helper, host};
use crate::classify::{
    call::PROTECTED,
    facts::{Refused, RefusedFor},
    finding::Finding,
    program::{
        entry::{DESTRUCTIVE, OUTSIDE_ASKS},
        walk::Looks,
    },
    resolver::Push,
    scene::Scene,
    word::{Command, Word},
};
use countersign_proto::text::Shown;

/// What a push updates.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Targets {
    /// Names of branches, or patterns with one `*`, without `refs/heads/`.
    pub(crate) branches: Vec<String>,
    /// Whether it pushes every branch there is.
    pub(crate) is_every: bool,
    /// Whether some of them can't be told.
    pub(crate) is_unclear: bool,
    /// Whether commits on the other side may be lost: forced, deleted, pruned.
    pub(crate) is_forced: bool,
    /// The remote, as written; empty where it is not.
    pub(crate) remote: String,
}

/// Options whose next word is their value.
const VALUED: &[&str] =
    &["-o", "--push-option", "--receive-pack", "--exec", "--repo", "--recurse-submodules-by"];

/// Which branches a push updates. `command` starts with `push`.
pub(crate) fn push_targets(command: &Command, scene: &Scene<'_>) -> Targets {
    let mut targets = Targets::default();
    let mut operands: Vec<&Word> = Vec::new();
    let mut has_repo = false;
    let mut is_deletion = false;
    let mut only_tags = false;
    let mut words = command.arguments().iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        if !word.is_known || word.is_glob {
            targets.is_unclear = true;
        }
        if text == "--" {
            operands.extend(words.by_ref());
        } else if !text.starts_with('-') || text == "-" {
            operands.push(word);
        } else if VALUED.contains(&text) {
            let value = words.next();
            if text == "--repo" {
                has_repo = true;
                targets.remote = value.map(|word| word.text.clone()).unwrap_or_default();
            }
        } else if let Some(repo) = text.strip_prefix("--repo=") {
            has_repo = true;
            targets.remote = repo.to_owned();
        }
    }
    let looks = Looks::of(command.arguments());
    targets.is_every = looks.has("", &["all", "branches", "mirror"]);
    is_deletion |= looks.has("d", &["delete"]);
    only_tags |= looks.has("", &["tags"]) && !looks.has_exactly("--follow-tags");
    targets.is_forced = is_deletion
        || looks.has("f", &["force", "force-with-lease", "force-if-includes", "mirror", "prune", "delete"]);
    // With `--repo` the first operand may be the remote or a branch: it counts as both.
    let refs = if has_repo { operands.as_slice() } else { operands.get(1..).unwrap_or_default() };
    if let Some(first) = operands.first() {
        targets.remote.clone_from(&first.text);
    }
    let mut refs = refs.iter().map(|word| word.text.as_str());
    let mut is_bare = true;
    while let Some(reference) = refs.next() {
        is_bare = false;
        if reference == "tag" {
            // The next word is a tag's name.
            refs.next();
        } else {
            targets.add(reference, command, scene);
        }
    }
    if is_bare && !targets.is_every && !only_tags {
        targets.add_current(command, scene);
    }
    targets
}

impl Targets {
    /// Adds what one `[+]src[:dst]` updates.
    fn add(&mut self, reference: &str, command: &Command, scene: &Scene<'_>) {
        let unforced = reference.trim_start_matches('+');
        self.is_forced |= unforced.len() < reference.len();
        if unforced.starts_with('^') {
            return;
        }
        let (source, target) = match unforced.split_once(':') {
            // Every branch that both sides have.
            Some(("", "")) => {
                self.is_every = true;
                return;
            }
            Some((source, "")) => (source, source),
            Some((source, target)) => {
                self.is_forced |= source.is_empty();
                (source, target)
            }
            None => (unforced, unforced),
        };
        if matches!(target, "HEAD" | "@") {
            self.add_current(command, scene);
        } else if target.contains(['$', '`', '{', '~']) {
            self.is_unclear = true;
        } else if !target.starts_with("refs/tags/") && !target.starts_with("tags/") {
            let name = target.strip_prefix("refs/").unwrap_or(target);
            self.branches.push(name.strip_prefix("heads/").unwrap_or(name).to_owned());
        }
        let _ = source;
    }

    /// Adds what a push without a branch updates.
    fn add_current(&mut self, command: &Command, scene: &Scene<'_>) {
        match command.folder.as_deref().map(|folder| scene.world.push(folder)) {
            Some(Push::To(branches)) => self.branches.extend(branches),
            Some(Push::Unknown) | None => self.is_unclear = true,
        }
    }

    /// The protected branch that it updates, if any.
    fn protected(&self, scene: &Scene<'_>) -> Option<String> {
        let mut names = PROTECTED.iter().copied().chain(scene.call.protected.iter().map(String::as_str));
        names
            .find(|name| self.is_every || self.branches.iter().any(|branch| covers(branch, name)))
            .map(str::to_owned)
    }
}

/// Whether a branch's name, or a pattern with a `*`, is or holds this name.
fn covers(branch: &str, name: &str) -> bool {
    match branch.split_once('*') {
        Some((start, end)) => {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
        None => branch == name,
    }
}

/// A push.
pub(super) fn push(command: &Command, scene: &Scene<'_>) -> Finding {
    let targets = push_targets(command, scene);
    let looks = Looks::of(command.arguments());
    let mut finding = if targets.is_forced {
        DESTRUCTIVE.because("Overwrites or deletes what the other side has.").finding()
    } else {
        OUTSIDE_ASKS.because("Sends commits out.").finding()
    };
    if targets.is_unclear && targets.branches.is_empty() {
        finding = finding.because("Which branch it updates can't be told.");
    }
    if looks.has("", &["receive-pack", "exec"]) {
        let external = finding;
        finding = RUNS_OTHER.finding();
        finding.worsen(external);
    }
    finding.worsen(helper(command.arguments()));
    if command.arguments().iter().any(|word| !word.is_known) {
        finding.worsen(UNKNOWN_RED.because("Not all of its words can be told beforehand.").finding());
    }
    finding.hosts.extend(host(&targets.remote));
    finding.headline = Some(Shown::line(&headline(&targets)));
    if let Some(name) = targets.protected(scene) {
        finding.refused = Some(Refused {
            about: RefusedFor::ProtectedBranch,
            words: Shown::line(&format!(
                "No agent pushes to `{name}`: push to another branch, and let a person merge it."
            )),
        });
    }
    finding
}

fn headline(targets: &Targets) -> String {
    let remote = if targets.remote.is_empty() { "its remote" } else { &targets.remote };
    let verb = if targets.is_forced { "overwrite or delete" } else { "push to" };
    match targets.branches.as_slice() {
        _ if targets.is_every => format!("Wants to {verb} every branch of {remote}"),
        [] => format!("Wants to push to {remote}"),
        [branch] => format!("Wants to {verb} {branch} of {remote}"),
        [branch, rest @ ..] => format!("Wants to {verb} {branch} and {} more of {remote}", rest.len()),
    }
}
