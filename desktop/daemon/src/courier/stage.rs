//! What tests of couriers and pairings stand on: a daemon's inner half, real relay processes, and phones made of the
//! phone's own core.

mod certificate;
mod phone;
mod process;
mod script;
mod world;

pub(crate) use self::{
    certificate::{certificate, self_signed},
    phone::{FakePhone, Ordered, pair},
    process::{RelayProcess, channels, has_channel, relay_program, stranger},
    script::{Puppet, Script, listen},
    world::{Begun, Inner, World},
};

/// Far longer than anything takes; ends a test that would wait for ever.
pub(crate) const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);
