//! Fuzzes `countersign_fuzz::key::keys`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    countersign_fuzz::key::keys(bytes);
});
