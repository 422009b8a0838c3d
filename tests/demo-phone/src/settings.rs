//! How a demo phone behaves.

use std::time::Duration;

/// How it behaves.
#[derive(Debug, Clone)]
pub struct Settings {
    /// What it is called at the desktop.
    pub name: String,
    /// Whether it answers by itself.
    pub auto: Auto,
    /// Who answers the prompts for a finger.
    pub prompts: Prompts,
    /// Whether it begins as after the order `hold`.
    pub hold: bool,
    /// Whether it offers its software keys to a desktop that is not in demo mode.
    pub insist: bool,
    /// After so long without its desktop it ends.
    pub linger: Duration,
}

/// Whether the phone answers by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Auto {
    /// It waits for a person.
    #[default]
    None,
    /// It allows every card.
    Allow,
    /// It denies every card.
    Deny,
}

/// Who answers the prompts for a finger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prompts {
    /// Whatever decided the card stands for the finger, and pairing asks nobody.
    #[default]
    AtOnce,
    /// Whatever decided the card stands for the finger; pairing asks for one of its own.
    ForPairing,
    /// Every prompt asks for one of its own: `touch` or `refuse`.
    Asked,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            name: "demo phone".to_owned(),
            auto: Auto::default(),
            prompts: Prompts::default(),
            hold: false,
            insist: false,
            linger: Duration::from_secs(20),
        }
    }
}
