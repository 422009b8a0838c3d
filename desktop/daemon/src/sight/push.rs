//! Where a `git push` that names no branch goes, by the files that Git would read.

use super::{
    Untold,
    repository::{self, Repository},
    settings::{self, Held},
};

const HEADS: &str = "refs/heads/";

/// Branches that it may push to: the checked-out one, its upstream, and all that settings add. Which of several remotes is
/// meant makes no difference here: what is set for any of them counts.
pub(super) fn branches(folder: &str, home: &str) -> Result<Vec<String>, Untold> {
    let repository = repository::around(folder)?.ok_or(Untold)?;
    let current = repository.branch()?;
    let settings = settings::all(&repository, home)?;
    let mut branches = vec![current.clone()];
    for (setting, _) in &settings {
        match (setting.section.as_str(), setting.key.as_str()) {
            ("branch", "merge") if setting.sub.as_deref() == Some(&current) => {
                let merged = setting.text();
                branches.push(merged.strip_prefix(HEADS).unwrap_or(merged).to_owned());
            }
            ("remote", "push") => branches.extend(named(setting.text(), &repository, &current)?),
            ("remote", "mirror") if setting.truth() != Some(false) => branches.extend(repository.branches()?),
            // Branches of submodules are others.
            ("push", "recursesubmodules") if !matches!(setting.text(), "no" | "false" | "check") => {
                return Err(Untold);
            }
            ("submodule", "recurse") if setting.truth() != Some(false) => return Err(Untold),
            _ => {}
        }
    }
    if by_default(&settings)? == Default::Matching {
        branches.extend(repository.branches()?);
    }
    branches.sort_unstable();
    branches.dedup();
    Ok(branches)
}

/// What is pushed where nothing is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Default {
    /// The checked-out branch, to its own name or its upstream's.
    Current,
    /// Every branch that the remote has too.
    Matching,
}

fn by_default(settings: &[Held]) -> Result<Default, Untold> {
    let mut last = Default::Current;
    for (setting, is_conditional) in settings.iter().filter(|(setting, _)| setting.is("push", "default")) {
        let said = match setting.text() {
            "simple" | "current" | "upstream" | "tracking" | "nothing" => Default::Current,
            "matching" => Default::Matching,
            _ => return Err(Untold),
        };
        if *is_conditional && said != last {
            return Err(Untold);
        }
        last = said;
    }
    Ok(last)
}

/// Branches that a refspec names as its destination.
fn named(refspec: &str, repository: &Repository, current: &str) -> Result<Vec<String>, Untold> {
    let spec = refspec.strip_prefix('+').unwrap_or(refspec);
    if spec.starts_with('^') {
        return Ok(Vec::new());
    }
    let (from, to) = spec.split_once(':').unwrap_or((spec, spec));
    if to.is_empty() && from.is_empty() {
        return repository.branches();
    }
    if to.contains('*') || from.contains('*') {
        let is_same = from == to || to.is_empty();
        return match (is_same, from) {
            (true, "refs/heads/*" | "refs/*" | "*") => repository.branches(),
            (true, "refs/tags/*") => Ok(Vec::new()),
            _ => Err(Untold),
        };
    }
    let to = if to.is_empty() { from } else { to };
    if matches!(to, "HEAD" | "@") {
        return Ok(vec![current.to_owned()]);
    }
    Ok(vec![to.strip_prefix(HEADS).or_else(|| to.strip_prefix("heads/")).unwrap_or(to).to_owned()])
}

#[cfg(test)]
mod tests;
