//! What a call would do: a pure, total function from what an agent asks and what a [`Resolver`] sees to [`Facts`]
//! (REQ-2). Nothing here decides; every doubt ends at the strict side, and nothing but [`classify`] makes [`Facts`].

pub mod action;
pub mod call;
pub mod facts;
pub mod resolver;

mod finding;
pub(crate) mod program;
mod scene;
mod windows;
mod word;

pub use self::{
    action::{Action, FileHow, FileUse, Script, Shell},
    call::Call,
    facts::{Facts, Reach, Refused},
    resolver::{Program, Push, Real, Resolver},
};
