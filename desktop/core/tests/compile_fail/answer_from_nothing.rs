//! An allow needs an authority.
use countersign_core::answer::Answer;

fn main() {
    let _ = Answer::allow(());
}
