//! Fuzzes `countersign_fuzz::agent::settings`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    countersign_fuzz::agent::settings(bytes);
});
