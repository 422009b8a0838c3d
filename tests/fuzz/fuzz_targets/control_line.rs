//! Fuzzes `countersign_fuzz::socket::control_line`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    countersign_fuzz::socket::control_line(bytes);
});
