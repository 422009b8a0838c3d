//! Fuzzes `countersign_fuzz::typed::typed`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    countersign_fuzz::typed::typed(bytes);
});
