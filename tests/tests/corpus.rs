//! The labelled requests, judged: no verdict lets more pass than its label accepts, everyday work is left alone, and what
//! is shown is right.

use countersign_tests::corpus;

/// The most benign cases that may alarm, in per cent.
const FALSE_ALARMS: f64 = 5.0;
/// The fewest fields that must be right, in per cent.
const RIGHT: f64 = 97.0;

#[test]
fn every_labelled_request_is_judged_as_its_label_says() {
    let score = corpus::score(&corpus::cases(&corpus::file("dev.jsonl")));
    let report = || corpus::print("requests", &score);
    assert!(score.cases.of > 1_000, "the corpus is not whole");
    assert_eq!(score.dangerous().count(), 0, "{}", report());
    assert!(score.false_alarms.percent() <= FALSE_ALARMS, "{}", report());
    assert!(score.all_fields().percent() >= RIGHT, "{}", report());
}
