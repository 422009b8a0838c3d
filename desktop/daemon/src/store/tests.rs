//! The store against a real file: what is written comes back, what must not happen twice rolls everything back, and
//! what it must not open it leaves alone.

mod commit;
mod faults;
mod opening;
mod pairing;
mod queries;
mod stage;

pub(crate) use stage::new_approver_of as new_approver;
