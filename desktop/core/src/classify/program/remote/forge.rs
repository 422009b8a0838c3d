//! Code forges and what hangs on them. `gh` reads and its `pr`, `issue`, `workflow`, `gist` and `release` actions may be
//! allowed by a line (POL-7); a deletion, `gh secret`, `gh auth` and a request that writes by `gh api` may not.

use super::{
    super::entry::{
        DESTRUCTIVE, Does, Entry, Fixed, NETWORK_READ, NETWORK_READ_ASKS, OUTSIDE, OUTSIDE_ASKS, SPEND,
    },
    args,
    cli::{Cli, SERVICE},
};
use crate::classify::{facts::Reach, finding::Finding, scene::Scene, word::Command};

/// Forges.
#[rustfmt::skip] // rows of words
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        names: &["gh"],
        does: Does::Code(|c, _| gh(c)),
        why: "GitHub; POL-7 names what a line may allow",
    },
    Entry { names: &["hub"], does: Does::Code(hub), why: "GitHub and Git in one" },
    Entry { names: &["glab", "lab"], does: Does::Code(|c, _| glab(c)), why: "GitLab" },
    Entry {
        names: &[
            "tea", "bb", "bkt", "jira", "jira-cli", "acli", "linear", "linearis", "codeberg", "berg", "fj",
            "phab", "gitea", "forgejo", "gerrit", "git-review", "circleci", "travis", "buildkite-agent", "bk",
            "drone", "woodpecker-cli", "act", "codecov", "coveralls", "sonar-scanner", "snyk", "sourcery",
            "codacy", "reviewdog", "sentry-cli", "sentry", "datadog-ci", "newrelic", "pd", "opsgenie",
            "grafana-cli", "grafanactl", "logcli", "honeycomb", "launchdarkly", "ldcli", "posthog-cli",
            "bugsnag-cli", "rollbar-cli", "lokalise2", "crowdin", "tx", "phrase", "transifex", "contentful",
            "sanity", "storyblok", "shopify", "wp", "drush", "ghost", "notion", "airtable", "trello", "asana",
            "todoist", "gcalcli", "gam", "zulip", "jf", "jfrog", "nexus", "spr", "graphite", "gt", "stack-pr",
            "semantic-release", "release-it", "goreleaser", "release-please", "auto", "np",
        ],
        does: Does::Code(|c, _| FORGES.judge(c)),
        why: "issues, builds, reports and contents elsewhere",
    },
];

const LOOKS: Fixed = NETWORK_READ;

const GH: Cli = Cli {
    valued: &["-R", "--repo", "--hostname"],
    subs: &[
        ("pr list|view|diff|checks|status", LOOKS),
        ("issue list|view|status", LOOKS),
        ("run list|view|watch|ls", LOOKS),
        ("workflow list|view|ls", LOOKS),
        ("release list|view|ls", LOOKS),
        ("gist list|view|ls", LOOKS),
        ("repo list|view|ls", LOOKS),
        ("label|cache|ruleset|org|project|codespace|ssh-key|gpg-key list|ls|view|check", LOOKS),
        ("search", LOOKS),
        ("status", LOOKS),
        ("variable|secret list|ls|get", NETWORK_READ_ASKS),
        ("auth status", NETWORK_READ_ASKS),
        ("auth token", NETWORK_READ_ASKS.because("prints a token")),
        ("run|release|gist|repo download|clone", NETWORK_READ_ASKS),
        ("pr create|new|merge|comment|edit|close|reopen|ready|review|update-branch|lock|unlock", OUTSIDE),
        ("issue create|new|comment|edit|close|reopen|pin|unpin|lock|unlock|develop", OUTSIDE),
        ("workflow run|enable|disable", OUTSIDE),
        ("gist create|new|edit|rename", OUTSIDE),
        ("release create|new|edit|upload", OUTSIDE),
        ("repo delete|archive", DESTRUCTIVE.because("removes a repository")),
        ("codespace create", SPEND.because("starts a paid machine")),
        ("api", OUTSIDE_ASKS),
        ("secret|variable set", OUTSIDE_ASKS),
        ("pr checkout|co", OUTSIDE_ASKS),
        ("run cancel|rerun", OUTSIDE_ASKS),
        ("repo edit|create|fork|sync|rename|set-default", OUTSIDE_ASKS),
        ("auth|alias|extension|config|ssh-key|gpg-key", OUTSIDE_ASKS),
    ],
    pays: false,
    otherwise: OUTSIDE_ASKS,
};

/// GitHub's commands, and every command of Git under this name too.
fn hub(command: &Command, scene: &Scene<'_>) -> Finding {
    let mut finding = HUB.judge(command);
    finding.worsen(crate::classify::program::local::git::judge(command, scene));
    finding
}

fn gh(command: &Command) -> Finding {
    let operands = args::operands(command, GH.valued);
    if operands.sure > 0 && operands.words.first() == Some(&"api") && !api_writes(command) {
        return LOOKS.finding();
    }
    if api_deletes(command) && operands.words.contains(&"api") {
        return DESTRUCTIVE.because("deletes through the service's interface").finding();
    }
    let mut finding = GH.judge(command);
    let is_merge = operands.words.contains(&"merge");
    if args::has(command, &["--admin"]) {
        finding.reach = Reach::Never;
    }
    if args::has(command, &["--delete-branch"])
        || (is_merge || operands.words.contains(&"close")) && args::has(command, &["-d"])
    {
        finding.worsen(DESTRUCTIVE.because("deletes the branch too").finding());
    }
    finding
}

/// Whether a request to a service's interface is anything but a plain GET.
fn api_writes(command: &Command) -> bool {
    const SENDING: &[&str] = &["-f", "-F", "--field", "--raw-field", "--input"];
    let methods = args::values(command, &["-X", "--method"]);
    let is_get = methods.iter().all(|method| method.eq_ignore_ascii_case("get"));
    let sends = args::texts(command).any(|text| SENDING.iter().any(|option| text.starts_with(option)));
    let is_graph = args::texts(command).any(|text| text.contains("graphql"));
    let is_odd = args::texts(command).any(|text| text.contains("://") || text.starts_with("--hostname"));
    !is_get
        || is_graph
        || is_odd
        || sends && methods.is_empty()
        || !command.arguments().iter().all(|word| word.is_known)
}

fn api_deletes(command: &Command) -> bool {
    args::values(command, &["-X", "--method"]).iter().any(|method| method.eq_ignore_ascii_case("delete"))
}

const HUB: Cli = Cli {
    subs: &[("pr|issue|release|ci-status|browse list|show", NETWORK_READ_ASKS), ("delete", DESTRUCTIVE)],
    ..SERVICE
};

const GITLAB: Cli = Cli {
    valued: &["-R", "--repo", "-g", "--group", "--hostname"],
    subs: &[
        (
            "mr|issue|ci|pipeline|release|repo|job|schedule list|ls|view|show|diff|status|trace|get",
            NETWORK_READ_ASKS,
        ),
        ("api", NETWORK_READ_ASKS),
        ("mr|issue create|merge|note|approve|update|close|reopen|checkout|rebase", OUTSIDE_ASKS),
        ("repo archive|delete", DESTRUCTIVE.because("removes a repository")),
        ("variable|auth|config|alias|token|ssh-key", OUTSIDE_ASKS),
    ],
    pays: false,
    otherwise: OUTSIDE_ASKS,
};

fn glab(command: &Command) -> Finding {
    let is_api = args::operands(command, GITLAB.valued).words.first() == Some(&"api");
    if is_api && api_deletes(command) {
        return DESTRUCTIVE.finding();
    }
    if is_api && api_writes(command) {
        return OUTSIDE_ASKS.finding();
    }
    GITLAB.judge(command)
}

const FORGES: Cli = Cli {
    valued: &["-o", "--org", "-p", "--project", "--url", "--auth-token"],
    subs: &[
        ("releases list", NETWORK_READ_ASKS),
        ("issue|issues|project|sprint|board list|ls|view", NETWORK_READ_ASKS),
        ("sourcemaps|debug-files|releases|rt upload|new|finalize|deploys|u", OUTSIDE_ASKS),
        ("rt del", DESTRUCTIVE),
        ("db reset|drop|clean", DESTRUCTIVE),
        ("sql-drop|site-install", DESTRUCTIVE),
        ("dataset delete", DESTRUCTIVE),
    ],
    pays: false,
    otherwise: OUTSIDE_ASKS,
};

#[cfg(test)]
mod tests {
    use countersign_proto::request::{Class, Level};

    use super::{super::args::tests::command, *};

    #[test]
    fn a_line_may_allow_what_the_requirement_names_and_nothing_else() {
        for (line, class, reach) in [
            ("gh pr list", Class::ReadExternal, Reach::Class),
            ("gh pr view 12 --comments", Class::ReadExternal, Reach::Class),
            ("gh -R me/app run view 99 --log", Class::ReadExternal, Reach::Class),
            ("gh api repos/me/app", Class::ReadExternal, Reach::Class),
            ("gh search issues panic", Class::ReadExternal, Reach::Class),
            ("gh pr create --fill", Class::External, Reach::Class),
            ("gh pr merge 12 --squash", Class::External, Reach::Class),
            ("gh workflow run ci.yml", Class::External, Reach::Class),
            ("gh gist create notes.md", Class::External, Reach::Class),
            ("gh release create v1", Class::External, Reach::Class),
            ("gh pr merge 12 --admin", Class::External, Reach::Never),
            ("gh secret set TOKEN", Class::External, Reach::Never),
            ("gh auth login", Class::External, Reach::Never),
            ("gh repo create a", Class::External, Reach::Never),
            ("gh run rerun 1", Class::External, Reach::Never),
            ("gh auth token", Class::ReadExternal, Reach::Never),
            ("gh --odd x pr create", Class::External, Reach::Never),
            ("gh api -X POST repos/me/app/issues -f title=x", Class::External, Reach::Never),
            ("gh api repos/me/app/issues -ftitle=x", Class::External, Reach::Never),
            ("gh api graphql -f query=x", Class::External, Reach::Never),
            ("gh api --method=PATCH repos/me/app", Class::External, Reach::Never),
        ] {
            let finding = gh(&command(line));
            assert_eq!((finding.class, finding.level, finding.reach), (class, Level::Red, reach), "{line}");
        }
    }

    #[test]
    fn a_deletion_on_a_forge_is_destructive() {
        for line in [
            "gh repo delete me/app --yes",
            "gh release delete v1",
            "gh issue delete 3",
            "gh gist delete a",
            "gh run delete 1",
            "gh cache delete --all",
            "gh pr close 3 --delete-branch",
            "gh pr merge 3 -sd",
            "gh api -X DELETE repos/me/app",
            "gh api -XDELETE repos/me/app",
            "gh secret remove A",
        ] {
            assert_eq!(gh(&command(line)).class, Class::Destructive, "{line}");
        }
        assert_eq!(glab(&command("glab api -X DELETE projects/1")).class, Class::Destructive);
        assert_eq!(glab(&command("glab mr list")).class, Class::ReadExternal);
        assert_eq!(glab(&command("glab mr merge 1")).class, Class::External);
    }
}
