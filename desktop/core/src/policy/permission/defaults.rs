//! What holds without anybody's word (PERM-3): other folders ask, and so does a call that is made for the third time in a
//! row. `.env` files are the classifier's (REF-2).

use super::{Permissions, Rule};
use crate::policy::Effect;

/// The defaults, as the person sees them.
pub const DEFAULTS: &str = r#"{
  "permission": {
    "external_directory": "ask",
    "doom_loop": "ask"
  }
}
"#;

/// The line of `doom_loop` in [`DEFAULTS`], and its words.
pub(in crate::policy) const LOOP_LINE: (u32, &str) = (4, "doom_loop = ask");

/// From which repetition on a call counts as going round in circles.
pub(in crate::policy) const LOOP: u32 = 3;

/// What a file says of calls that go round in circles. The catch-all says nothing about them, save that it denies.
pub(in crate::policy) fn loops<'p>(file: &'p Permissions, profile: Option<&str>) -> Option<&'p Rule> {
    let mut rules =
        file.last_first(profile).filter(|rule| rule.is_about(&["doom_loop"]) && rule.is_about_all());
    rules.find(|rule| rule.effect == Effect::Deny || !rule.is_for_every_tool())
}
