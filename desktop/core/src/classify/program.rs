//! What single programs do: closed lists, each entry with its reason. A program that is not listed is yellow and
//! `unknown` (REQ-3).

pub(crate) mod entry;
pub(crate) mod variable {
    use crate::classify::{Reach, finding::Finding};
    use countersign_proto::request::{Class, Level};
    pub(crate) fn judge(_n: &str) -> Finding {
        Finding::of(Class::Read, Level::Yellow, Reach::Never)
    }
}
pub(crate) fn judge(c: &super::word::Command, _s: &super::scene::Scene<'_>) -> super::finding::Finding {
    if c.name() == "rm" { entry::DESTRUCTIVE.finding() } else { entry::UNKNOWN.finding() }
}
