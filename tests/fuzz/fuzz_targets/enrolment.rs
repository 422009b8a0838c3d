//! Fuzzes `countersign_fuzz::key::enrolment`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    countersign_fuzz::key::enrolment(bytes);
});
