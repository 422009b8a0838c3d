//! Fuzzes `countersign_fuzz::policy::permission_json`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    countersign_fuzz::policy::permission_json(bytes);
});
