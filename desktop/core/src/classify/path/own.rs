//! Countersign's own parts (REF-2, REF-3): data that is closed to every agent, and files that none may change.

use std::sync::LazyLock;

use super::listed::{Index, Listed, Parts};

/// Closed: never read, written or named.
pub(super) const DATA: &[Listed] = &[
    Listed::home(".local/state/countersign", "is Countersign's own state"),
    Listed::home(".local/state/countersign-*", "is the state of another Countersign instance"),
    Listed::home(".local/share/countersign", "is Countersign's own data"),
    Listed::home(".local/share/countersign-*", "is the data of another Countersign instance"),
    Listed::home(".config/countersign", "is Countersign's own configuration"),
    Listed::home(".config/countersign-*", "is the configuration of another Countersign instance"),
    Listed::home(".cache/countersign", "is Countersign's own cache"),
    Listed::home(".cache/countersign-*", "is the cache of another Countersign instance"),
    Listed::root("run/user/*/countersign", "holds Countersign's sockets"),
    Listed::root("run/user/*/countersign-*", "holds the sockets of another Countersign instance"),
    Listed::root("var/run/user/*/countersign", "holds Countersign's sockets"),
    Listed::root("var/run/user/*/countersign-*", "holds the sockets of another Countersign instance"),
    Listed::root("etc/countersign", "holds the managed policies"),
    Listed::root("var/lib/countersign*", "is Countersign's own data"),
    Listed::home(".config/systemd/user/countersign*", "is Countersign's own service"),
    Listed::home(".config/systemd/user/*.wants/countersign*", "starts Countersign"),
    Listed::home(".local/share/systemd/user/countersign*", "is Countersign's own service"),
    Listed::home(".config/autostart/countersign*", "starts Countersign"),
    Listed::root("etc/systemd/user/countersign*", "is Countersign's own service"),
    Listed::root("etc/systemd/system/countersign*", "is Countersign's own service"),
];

/// Not to be changed. Reading them is like reading any other file there.
pub(super) const PROGRAMS: &[Listed] = &[
    Listed::root("usr/bin/countersign*", "is one of Countersign's programs"),
    Listed::root("usr/local/bin/countersign*", "is one of Countersign's programs"),
    Listed::root("bin/countersign*", "is one of Countersign's programs"),
    Listed::root("usr/lib/countersign*", "holds Countersign's programs"),
    Listed::root("usr/libexec/countersign*", "holds Countersign's programs"),
    Listed::root("usr/lib/systemd/user/countersign*", "is Countersign's own service"),
    Listed::root("usr/lib/systemd/system/countersign*", "is Countersign's own service"),
    Listed::root("opt/countersign*", "holds Countersign's programs"),
    Listed::home(".local/bin/countersign*", "is one of Countersign's programs"),
    Listed::home(".cargo/bin/countersign*", "is one of Countersign's programs"),
    Listed::home_only("bin/countersign*", "is one of Countersign's programs"),
];

static ALL_DATA: LazyLock<Index> = LazyLock::new(|| Index::of(&[DATA]));
static ALL_PROGRAMS: LazyLock<Index> = LazyLock::new(|| Index::of(&[PROGRAMS]));

/// The line of the data that holds a path.
pub(super) fn data(parts: &Parts<'_>) -> Option<&'static Listed> {
    ALL_DATA.find(parts)
}

/// The line of the programs that holds a path.
pub(super) fn program(parts: &Parts<'_>) -> Option<&'static Listed> {
    ALL_PROGRAMS.find(parts)
}
