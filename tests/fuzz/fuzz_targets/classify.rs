//! Fuzzes `countersign_fuzz::judge::classify`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    countersign_fuzz::judge::classify(bytes);
});
