//! The two built-in green policies (LVL-1): whole texts, accepted as they stand or not at all.

use super::TextKind;

const GREEN_READS: &str = "\
# green reads: read-only tools and simple read-only commands, on paths inside the project, pass without a card.
# A deny or ask line of yours still stops them.
";
const GREEN_WRITES: &str = "\
# green writes: file tools that write inside the project, but not in .git and not an agent's settings, pass without a
# card. A deny or ask line of yours still stops them.
";

/// The text of a built-in policy; `None` for kinds that a person writes.
#[must_use]
pub const fn text(kind: TextKind) -> Option<&'static str> {
    match kind {
        TextKind::GreenReads => Some(GREEN_READS),
        TextKind::GreenWrites => Some(GREEN_WRITES),
        TextKind::Lines | TextKind::Permission => None,
    }
}
