//! TEMPORARY
use super::*;
use countersign_proto::text::Shown;
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManagedText {}
impl ManagedText {
    pub fn in_force(&self) -> Option<InForce> {
        None
    }
    pub fn text_hash(&self) -> Option<Hash> {
        None
    }
    pub fn words(&self) -> Shown {
        Shown::default()
    }
    pub fn alarm(&self) -> Option<Shown> {
        None
    }
}
