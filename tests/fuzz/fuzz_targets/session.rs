//! Fuzzes `countersign_fuzz::session::session`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    countersign_fuzz::session::session(bytes);
});
