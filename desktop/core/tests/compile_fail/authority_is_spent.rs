//! An authority is spent when it becomes an answer.
use countersign_core::{answer::Answer, authority::Authority};

fn twice(authority: Authority) -> (Answer, Answer) {
    (Answer::allow(authority), Answer::allow(authority))
}

fn main() {
    let _ = twice;
}
