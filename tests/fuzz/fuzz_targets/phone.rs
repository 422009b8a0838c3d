//! Fuzzes `countersign_fuzz::phone::phone`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    countersign_fuzz::phone::phone(bytes);
});
