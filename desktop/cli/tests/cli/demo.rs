//! A demo's own rules, as far as they show without a relay.

use crate::stage::{Home, code, err, out};

#[test]
fn a_demo_needs_a_name_that_says_so_and_such_a_name_needs_a_demo() {
    let home = Home::new("t-cli");
    let output = home.run(&["up", "--demo"]);
    assert_eq!(code(&output), 1);
    assert!(err(&output).contains("begins with `demo`"), "{}", err(&output));
    assert!(out(&output).contains("protects nothing"), "the banner comes first: {}", out(&output));
    let home = Home::new("demo-t-cli");
    let output = home.run(&["up"]);
    assert_eq!(code(&output), 1);
    assert!(err(&output).contains("--demo"), "{}", err(&output));
    assert!(!home.state().exists());
}
