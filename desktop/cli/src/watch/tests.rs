//! The screen, driven by what happens and looked at as it is drawn.

mod always;
mod around;
mod front;
mod stage;
