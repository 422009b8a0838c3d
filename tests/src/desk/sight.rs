//! What a desktop under test sees of the world: every path leads where it says, every program is the system's own.

use countersign_core::classify::{Program, Push, Real, Resolver};

/// A world without surprises.
#[derive(Debug, Clone, Copy, Default)]
pub struct Plain;

impl Resolver for Plain {
    fn real(&self, path: &str) -> Real {
        Real::At(path.to_owned())
    }

    fn program(&self, name: &str, folder: &str) -> Program {
        if name.starts_with('/') {
            Program::Trusted(name.to_owned())
        } else if name.contains('/') {
            Program::Writable(format!("{folder}/{name}"))
        } else {
            Program::Trusted(format!("/usr/bin/{name}"))
        }
    }

    fn push(&self, _folder: &str) -> Push {
        Push::Unknown
    }

    fn git_starts_programs(&self, _folder: &str) -> bool {
        false
    }

    fn holds_private(&self, _folder: &str) -> bool {
        false
    }
}
