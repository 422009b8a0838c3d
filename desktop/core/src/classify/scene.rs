//! Where a call stands, and who can look.

use super::{Call, Resolver};

/// A call and the world around it.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    /// The call.
    pub(crate) call: Call<'a>,
    /// Sees files.
    pub(crate) world: &'a dyn Resolver,
}
