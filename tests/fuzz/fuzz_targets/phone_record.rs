//! Fuzzes `countersign_fuzz::object::phone_record`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    countersign_fuzz::object::phone_record(bytes);
});
