//! Fuzzes `countersign_fuzz::object::message`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    countersign_fuzz::object::message(bytes);
});
