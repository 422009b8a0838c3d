//! One answer, one hook.
use countersign_core::answer::Answer;

fn twice(answer: Answer) -> (Answer, Answer) {
    (answer.clone(), answer)
}

fn main() {
    let _ = twice;
}
