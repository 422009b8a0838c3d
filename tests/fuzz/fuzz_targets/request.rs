//! Fuzzes `countersign_fuzz::card::request`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    countersign_fuzz::card::request(bytes);
});
