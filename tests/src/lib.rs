//! The whole system under test: what the tests of several programs share.

pub mod corpus;
pub mod desk;
pub mod live;
pub mod world;
