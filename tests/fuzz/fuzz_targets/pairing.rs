//! Fuzzes `countersign_fuzz::pairing::pairing`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    countersign_fuzz::pairing::pairing(bytes);
});
