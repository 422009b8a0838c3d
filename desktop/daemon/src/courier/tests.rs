//! Couriers over real relay processes, with phones made of the phone's own core.

mod carry;
mod faults;
mod hostile;
mod revoke;
mod scripted;
mod tls;
