//! Fuzzes `countersign_fuzz::card::display`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    countersign_fuzz::card::display(bytes);
});
