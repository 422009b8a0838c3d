//! One proof, one yes.
use countersign_core::authority::Authority;

fn twice(authority: Authority) -> (Authority, Authority) {
    (authority.clone(), authority)
}

fn main() {
    let _ = twice;
}
