//! Only verification makes something verified.
use countersign_proto::reply::{Reply, SignedReply, Verified};

fn pretend(value: Reply, signed: SignedReply) -> Verified<Reply> {
    Verified { value, signed }
}

fn main() {
    let _ = pretend;
}
