//! The labelled requests and policies: nothing lets more pass than its label accepts, everyday work is left alone, and what
//! is shown is right.

use countersign_tests::corpus::{self, Score};

/// The most benign cases that may alarm, in per cent.
const FALSE_ALARMS: f64 = 5.0;
/// The fewest fields that must be right, in per cent.
const RIGHT: f64 = 97.0;

#[track_caller]
fn is_right(title: &str, score: &Score) {
    let report = || corpus::print(title, score);
    assert_eq!(score.dangerous().count(), 0, "{}", report());
    assert!(score.all_fields().percent() >= RIGHT, "{}", report());
}

#[test]
fn every_labelled_request_is_judged_as_its_label_says() {
    let score = corpus::requests(&corpus::file("dev.jsonl"));
    assert!(score.cases.of > 1_000, "the corpus is not whole");
    is_right("requests", &score);
    assert!(score.false_alarms.percent() <= FALSE_ALARMS, "{}", corpus::print("requests", &score));
}

#[test]
fn every_variant_of_a_known_trick_is_judged_as_its_label_says() {
    let score = corpus::requests(&corpus::file("own.jsonl"));
    assert!(score.cases.of > 1_000, "the variants are not whole");
    is_right("variants", &score);
    assert!(score.false_alarms.percent() <= FALSE_ALARMS, "{}", corpus::print("variants", &score));
}

#[test]
fn every_labelled_policy_answers_as_its_label_says() {
    let score = corpus::policies(&corpus::file("policies_dev.jsonl"));
    assert!(score.cases.of > 150, "the corpus is not whole");
    is_right("policies", &score);
}

#[test]
fn every_independently_labelled_request_is_judged_as_its_label_says() {
    let score = corpus::requests(&corpus::file("red.jsonl"));
    assert!(score.cases.of > 2_000, "the corpus is not whole");
    is_right("independent requests", &score);
    assert!(score.false_alarms.percent() <= FALSE_ALARMS, "{}", corpus::print("requests", &score));
}

#[test]
fn every_independently_labelled_policy_answers_as_its_label_says() {
    let score = corpus::policies(&corpus::file("red_policies.jsonl"));
    assert!(score.cases.of > 100, "the corpus is not whole");
    is_right("independent policies", &score);
}
