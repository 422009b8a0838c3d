//! What single programs do: closed lists, each entry with its reason. A program that is not listed is yellow and
//! `unknown` (REQ-3).

pub(crate) mod entry;
pub(crate) mod remote;
