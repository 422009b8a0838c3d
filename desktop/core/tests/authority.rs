//! Illegal states do not compile: what would make a yes without proof, or twice from one proof.

#[test]
fn no_allow_without_an_authority_and_none_twice() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/compile_fail/*.rs");
}
