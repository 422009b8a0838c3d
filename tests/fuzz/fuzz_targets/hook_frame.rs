//! Fuzzes `countersign_fuzz::socket::hook_frame`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    countersign_fuzz::socket::hook_frame(bytes);
});
