//! The policy that `policy new` writes: it parses, it does little, and its notes say the rest.

const HEAD: &str = "\
# A policy: what your agents may do without a card, what they are asked about first, and what is refused.
# It holds once you accept it, and you can revoke it at any time. The order of lines means nothing:
# a deny beats an ask, an ask beats an allow. Lines that begin with # are notes.

";

const FOLDER: &str = "\
# The folder it is for, with everything below it. Without this line it is for everywhere.
";

const BODY: &str = "
# The agents it is for, such as: agents claude codex
# Without this line it is for all of them. Allow lines answer Claude Code only; deny and ask lines answer all.

# Known reads in the project, such as `git status`, `ls` and reading a file.
allow read

# Single commands. A star at the end lets more words follow; without it nothing may.
# allow command git add *
# allow command gh pr list *

# Whole classes are read, read-external (from the network), write and external (acting on the outside).
# These two are wide: write covers files that run later, external may carry files out of the project.
# allow write
# allow external

# Ask first, even where you said Always.
# ask command gh pr merge

# Refuse. A deny covers whatever follows its words, in chains and inside other commands too.
deny command git push
# deny tool WebFetch
# deny server github
# deny host example.com
# deny path ~/notes

# Whatever you write: what destroys, costs money or changes an agent's settings always asks.
";

/// The text, for one folder or for everywhere.
pub fn text(project: Option<&str>) -> String {
    let folder = match project {
        Some(project) => format!("{FOLDER}project {project}\n"),
        None => format!("{FOLDER}# project ~/site\n"),
    };
    format!("{HEAD}{folder}{BODY}")
}
