//! Command lines of services: a table of known sub-commands, and for the rest what their verb says. Whatever neither
//! knows acts on the outside.

use super::{
    super::entry::{DESTRUCTIVE, Fixed, NETWORK_READ_ASKS, OUTSIDE_ASKS, READ_ASKS, SPEND},
    args::{self, Operands},
};
use crate::classify::{facts::Reach, finding::Finding, word::Command};

/// The command line of one service.
#[derive(Debug)]
pub(super) struct Cli {
    /// Options that take the next word: `-n`, `--namespace`.
    pub(super) valued: &'static [&'static str],
    /// Known sub-commands; the longest match holds. A word may be `*` (any) or `list|view` (one of these).
    pub(super) subs: &'static [(&'static str, Fixed)],
    /// Whether creating, starting or scaling what it manages costs money.
    pub(super) pays: bool,
    /// What a sub-command does that neither the table nor its verb explains.
    pub(super) otherwise: Fixed,
}

/// A service that is judged by verbs alone.
pub(super) const SERVICE: Cli = Cli { valued: &[], subs: &[], pays: false, otherwise: OUTSIDE_ASKS };
/// The same, where creating and scaling costs money.
pub(super) const PAID_SERVICE: Cli = Cli { pays: true, ..SERVICE };

/// A probe for version or help: it may still start what the project sets up (plugins, toolchains), so that no line
/// allows it.
pub(super) const PROBE: Fixed = Fixed { reach: Reach::File, ..READ_ASKS };

impl Cli {
    /// What a command of it does.
    pub(super) fn judge(&self, command: &Command) -> Finding {
        if args::is_probe(command) {
            return PROBE.finding();
        }
        let operands = args::operands(command, self.valued);
        let is_known = command.arguments().iter().all(|word| word.is_known || args::is_option(&word.text));
        let (fixed, is_sure) = self.look_up(&operands);
        let mut finding = fixed.finding();
        if has_destroying_option(command) || (!is_sure && destroys(&operands.words)) {
            finding.worsen(DESTRUCTIVE.finding());
        }
        if !is_sure || !is_known || args::texts(command).any(|text| text.contains("://")) {
            finding.reach = finding.reach.min(Reach::Never);
        }
        finding.hosts.extend(
            args::texts(command)
                .filter(|text| text.contains("://"))
                .filter_map(args::host)
                .map(str::to_owned),
        );
        finding
    }

    /// What the words say, and whether no unknown option stands among those that say it.
    fn look_up(&self, operands: &Operands<'_>) -> (Fixed, bool) {
        let words = operands.words.as_slice();
        match longest(self.subs, words) {
            Some((pattern, fixed)) => (fixed, pattern.split(' ').count() <= operands.sure),
            None => (
                by_verb(words, self.pays).unwrap_or(self.otherwise),
                operands.sure >= DECIDING.min(words.len()),
            ),
        }
    }
}

/// The longest pattern that the words begin with.
pub(super) fn longest(
    subs: &'static [(&'static str, Fixed)],
    words: &[&str],
) -> Option<(&'static str, Fixed)> {
    let known = subs.iter().filter(|(pattern, _)| matches(pattern, words));
    known.max_by_key(|(pattern, _)| pattern.split(' ').count()).copied()
}

/// Whether the words begin as the pattern says.
pub(super) fn matches(pattern: &str, words: &[&str]) -> bool {
    let mut words = words.iter();
    pattern.split(' ').all(|wanted| {
        words.next().is_some_and(|word| wanted == "*" || wanted.split('|').any(|one| one == *word))
    })
}

/// How many words a verb is looked for in; behind them stand names.
const DECIDING: usize = 4;

/// What the verbs among the first words say; the worst of them holds.
fn by_verb(words: &[&str], pays: bool) -> Option<Fixed> {
    if destroys(words) {
        return Some(DESTRUCTIVE);
    }
    let deciding = || words.iter().take(DECIDING).flat_map(|word| args::parts(word));
    if deciding().any(|part| is_in(BUYING, part)) {
        return Some(SPEND);
    }
    let starts = deciding().any(|part| is_in(STARTING, part));
    if pays
        && (deciding().any(|part| is_in(SCALING, part)) || starts && deciding().any(|part| is_in(PAID, part)))
    {
        return Some(SPEND);
    }
    if starts || deciding().any(|part| is_in(ACTING, part)) {
        return Some(OUTSIDE_ASKS);
    }
    deciding().any(|part| is_in(READING, part)).then_some(NETWORK_READ_ASKS)
}

/// Whether a verb among the first words takes something away for good.
pub(super) fn destroys(words: &[&str]) -> bool {
    words.iter().take(DECIDING).flat_map(|word| args::parts(word)).any(|part| is_in(DESTROYING, part))
}

/// Whether an option takes something away: `--delete`, `-destroy`, `--prune`, shortened ones too.
pub(super) fn has_destroying_option(command: &Command) -> bool {
    args::texts(command).take_while(|text| *text != "--").any(|text| {
        let Some(name) = text.strip_prefix('-') else { return false };
        let name = name.trim_start_matches('-').split('=').next().unwrap_or_default();
        ["delete", "destroy", "prune", "purge", "wipe", "erase"]
            .iter()
            .any(|verb| name.starts_with(verb) || (name.len() >= 3 && verb.starts_with(name)))
            && !text.ends_with("=false")
    })
}

fn is_in(list: &[&str], part: &str) -> bool {
    list.iter().any(|one| one.eq_ignore_ascii_case(part))
}

/// Takes something away for good.
#[rustfmt::skip] // rows of words
const DESTROYING: &[&str] = &[
    "delete", "destroy", "remove", "rm", "del", "purge", "terminate", "drop", "reset", "wipe", "drain",
    "uninstall", "prune", "erase", "flush", "flushall", "flushdb", "truncate", "evict", "rb", "rmi",
    "unpublish", "obliterate", "clear", "cleanup", "empty", "undeploy", "teardown", "down", "nuke", "expunge",
    "decommission", "deregister", "kill", "annihilate", "discard", "rmdir", "deletefile", "rimraf", "unlink",
    "shred", "revert", "disassociate", "unregister", "forget", "deprovision", "yank",
];
/// Pays, whatever it is about.
const BUYING: &[&str] = &["buy", "purchase", "subscribe", "order", "pay", "renew", "topup", "refund"];
/// Makes more of what is paid for.
const SCALING: &[&str] = &["scale", "resize", "upsize", "autoscale"];
/// Brings something into being.
const STARTING: &[&str] = &[
    "create",
    "run",
    "start",
    "launch",
    "provision",
    "new",
    "add",
    "allocate",
    "request",
    "register",
    "reserve",
    "clone",
    "restore",
    "rent",
    "mk",
    "resume",
    "fork",
];
/// What is paid for by the hour or the piece.
#[rustfmt::skip] // rows of words
const PAID: &[&str] = &[
    "instance", "instances", "vm", "vmss", "server", "servers", "droplet", "droplets", "cluster", "clusters",
    "nodegroup", "nodegroups", "nodepool", "pools", "pool", "node", "nodes", "database", "databases", "db",
    "dbs", "rds", "volume", "volumes", "disk", "disks", "machine", "machines", "gpu", "gpus", "addon",
    "addons", "domain", "domains", "reserved", "balancer", "balancers", "loadbalancer", "endpoint",
    "warehouse", "aks", "gke", "eks", "redis", "postgres", "postgresql", "mysql", "mongo", "cache", "sql",
    "emr", "notebook", "plan", "subscription", "linodes", "linode", "codespace", "capacity", "host", "hosts",
    "number", "numbers", "training", "replica", "replicas", "tpu", "tpus", "workspaces", "address",
    "addresses", "scaling", "fleet", "spot", "dyno", "dynos", "ps", "branch", "pod", "kubernetes", "hosting",
    "phone",
];
/// Acts, undoably or not told.
#[rustfmt::skip] // rows of words
const ACTING: &[&str] = &[
    "put", "update", "set", "apply", "deploy", "edit", "send", "post", "push", "publish", "stop", "restart",
    "enable", "disable", "attach", "detach", "invoke", "exec", "import", "upload", "sync", "cp", "mv", "copy",
    "move", "login", "logout", "init", "tag", "rotate", "approve", "merge", "rerun", "trigger", "promote",
    "rollback", "connect", "ssh", "bind", "grant", "revoke", "unlock", "lock", "patch", "replace", "label",
    "annotate", "write", "modify", "assume", "cancel", "retry", "redeploy", "release", "migrate", "configure",
    "link", "unlink", "up", "proxy", "forward", "port", "shell", "console", "authenticate", "authorize",
    "batch", "call", "submit", "assign", "unassign",
];
/// Only looks.
#[rustfmt::skip] // rows of words
const READING: &[&str] = &[
    "list", "ls", "get", "describe", "show", "view", "status", "logs", "log", "info", "search", "inspect",
    "history", "diff", "whoami", "version", "help", "tail", "top", "explain", "plan", "preview", "read",
    "cat", "lookup", "query", "scan", "count", "check", "validate", "events", "usage", "overview", "outputs",
    "output", "head", "find", "du", "stat", "ping", "health", "me", "details", "releases", "wait", "summary",
    "test", "filter", "select", "download", "pull", "export", "lint", "docs", "doctor", "browse", "env",
    "regions", "sizes", "images",
];

#[cfg(test)]
mod tests {
    use countersign_proto::request::{Class, Level};

    use super::{super::args::tests::command, *};

    fn class(cli: &Cli, line: &str) -> Class {
        let finding = cli.judge(&command(line));
        assert_eq!(finding.level, Level::Red, "{line}");
        finding.class
    }

    #[test]
    fn an_unknown_sub_command_is_judged_by_its_verb() {
        for (line, expected) in [
            ("x things list", Class::ReadExternal),
            ("x describe-things", Class::ReadExternal),
            ("x logs put-events", Class::External),
            ("x logs delete-group g", Class::Destructive),
            ("x apps:destroy a", Class::Destructive),
            ("x frobnicate", Class::External),
            ("x plan buy", Class::Spend),
            ("x server create", Class::External),
        ] {
            assert_eq!(class(&SERVICE, line), expected, "{line}");
        }
        assert_eq!(class(&PAID_SERVICE, "x server create a"), Class::Spend);
        assert_eq!(class(&PAID_SERVICE, "x scale web=3"), Class::Spend);
    }

    #[test]
    fn an_option_that_deletes_makes_any_sub_command_destructive() {
        for line in [
            "x sync . b --delete",
            "x sync --del a b",
            "x apply -destroy",
            "x apply --prune",
            "x list --delete=true",
        ] {
            assert_eq!(class(&SERVICE, line), Class::Destructive, "{line}");
        }
        assert_eq!(class(&SERVICE, "x describe --description=a"), Class::ReadExternal);
    }

    #[test]
    fn a_verb_behind_an_unknown_option_is_not_taken_for_its_value() {
        const READS: Cli = Cli { subs: &[("get", super::super::super::entry::NETWORK_READ)], ..SERVICE };
        assert_eq!(READS.judge(&command("x get a")).reach, Reach::Class);
        assert_eq!(READS.judge(&command("x --odd get delete a")).class, Class::Destructive);
        assert_eq!(READS.judge(&command("x --odd get a")).reach, Reach::Never);
    }
}
