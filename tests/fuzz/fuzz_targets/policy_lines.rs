//! Fuzzes `countersign_fuzz::policy::policy_lines`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    countersign_fuzz::policy::policy_lines(bytes);
});
