//! A phone's yes can't be put together outside the core.
use countersign_core::authority::{Authority, SignedYes};
use countersign_proto::id::{DeviceId, Hash, RequestId};

fn main() {
    let yes = SignedYes {
        request: RequestId::new([0; 16]),
        binding: Hash::new([0; 32]),
        device: DeviceId::new([0; 16]),
        counter: 1,
    };
    let _ = Authority::Phone(yes);
}
