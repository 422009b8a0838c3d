//! Fuzzes `countersign_fuzz::relay::relay_frame`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    countersign_fuzz::relay::relay_frame(bytes);
});
