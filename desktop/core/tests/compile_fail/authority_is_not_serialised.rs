//! An authority can't be written down and read back.
use countersign_core::authority::Authority;

fn read(bytes: &[u8]) -> Authority {
    minicbor::decode(bytes).unwrap()
}

fn main() {
    let _ = read;
}
