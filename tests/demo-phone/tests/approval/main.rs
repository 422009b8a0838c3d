//! The demo phone against a small desktop, over a real relay process.

#![cfg(test)]

mod desk;
#[path = "../../../../mobile-core/src/fake_desktop.rs"]
#[expect(dead_code, reason = "shared with mobile-core's tests, which use the rest")]
mod fake_desktop;
mod flows;
mod terminal;
