//! An authority's evidence can't be put together outside the core.
use countersign_core::authority::{Authority, BoundClick};
use countersign_proto::id::{Hash, RequestId};

fn main() {
    let request = RequestId::new([0; 16]);
    let binding = Hash::new([0; 32]);
    let _ = Authority::Click(BoundClick { request, binding });
}
