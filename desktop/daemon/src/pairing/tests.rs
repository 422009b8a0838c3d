//! Pairings over real relay processes, with the phone's own core at the other end.

mod ceremony;
mod judging;
mod trouble;
